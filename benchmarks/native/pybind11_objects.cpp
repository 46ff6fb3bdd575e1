/* The contender of pybind11 for objects: a class with fields, a reference to another one, and a list of them. */
#include <pybind11/pybind11.h>
#include <pybind11/stl_bind.h>

#include <memory>
#include <string>
#include <vector>

namespace py = pybind11;

struct node {
  double x;
  int64_t id;
  std::shared_ptr<node> next;
  std::string name;
  double twice() const { return 2 * x; }
};

PYBIND11_MAKE_OPAQUE(std::vector<std::shared_ptr<node>>)

PYBIND11_MODULE(pybind11_objects, m) {
  py::class_<node, std::shared_ptr<node>>(m, "Node")
      .def(py::init([](double x, int64_t id, std::shared_ptr<node> next, std::string name) {
        return node{x, id, std::move(next), std::move(name)};
      }))
      .def_readwrite("x", &node::x)
      .def_readwrite("id", &node::id)
      .def_readwrite("next", &node::next)
      .def_readwrite("name", &node::name)
      .def("doubled", &node::twice)
      .def("twice", &node::twice);
  py::bind_vector<std::vector<std::shared_ptr<node>>>(m, "Nodes");
}
