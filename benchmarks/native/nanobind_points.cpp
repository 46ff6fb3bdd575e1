/* The contender of nanobind for structs: classes with fields, functions of them. */
#include <nanobind/nanobind.h>

#include "points.h"

namespace nb = nanobind;

NB_MODULE(nanobind_points, m) {
  nb::class_<point>(m, "Point")
      .def("__init__", [](point* self, double x, double y, int64_t id) { new (self) point{x, y, id}; })
      .def_rw("x", &point::x)
      .def_rw("y", &point::y)
      .def_rw("id", &point::id);
  nb::class_<pair>(m, "Pair")
      .def("__init__", [](pair* self, double x, double y) { new (self) pair{x, y}; })
      .def_rw("x", &pair::x)
      .def_rw("y", &pair::y);
  m.def("by_pointer", &by_pointer);
  m.def("by_value", &by_value);
  m.def("moved", &moved);
  m.def("sum_of", [](int count, int a, int b, int c) { return sum_of(count, a, b, c); });
}
