/* The contender of nanobind for objects: a class with fields, a reference to another one, and a list of them. */
#include <nanobind/nanobind.h>
#include <nanobind/stl/bind_vector.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <vector>

namespace nb = nanobind;

struct node {
  double x;
  int64_t id;
  std::shared_ptr<node> next;
  std::string name;
  double twice() const { return 2 * x; }
};

NB_MAKE_OPAQUE(std::vector<std::shared_ptr<node>>)

NB_MODULE(nanobind_objects, m) {
  nb::class_<node>(m, "Node")
      .def(
          "__init__",
          [](node* self, double x, int64_t id, std::shared_ptr<node> next, std::string name) {
            new (self) node{x, id, std::move(next), std::move(name)};
          },
          nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
      .def_rw("x", &node::x)
      .def_rw("id", &node::id)
      .def_rw("next", &node::next)
      .def_rw("name", &node::name)
      .def("doubled", &node::twice)
      .def("twice", &node::twice);
  nb::bind_vector<std::vector<std::shared_ptr<node>>>(m, "Nodes");
}
