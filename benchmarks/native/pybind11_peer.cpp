/* The contender of pybind11. */
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string_view>

#include "plain.h"

namespace py = pybind11;
using namespace py::literals;

PYBIND11_MODULE(pybind11_peer, m) {
  m.def("noop", &noop);
  m.def("add_i64", &add_i64);
  m.def("add_f64", &add_f64);
  m.def("sum8", &sum8);
  m.def("str_len", [](std::string_view s) { return str_len(s.data(), s.size()); });
  m.def("bytes_len", [](py::bytes b) {
    std::string_view s(b);
    return bytes_len(s.data(), s.size());
  });
  m.def("str_id", [](std::string_view s) {
    out_slot out;
    size_t size;
    out_init(&out);
    if (str_id(s.data(), s.size(), &out.slot)) throw py::value_error("text too long");
    const char* text = out_text(&out, &size);
    return py::str(text, size);
  });
  m.def("cstr_id", &cstr_id);
  m.def("opt", [](std::optional<int64_t> v) { return opt(v ? &*v : nullptr); });
  m.def("kw3", &kw3, "a"_a, "b"_a, "c"_a);
  m.def("loop_function", [](const std::function<int64_t(int64_t)>& f, int64_t n) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum += f(1000 + i);
    return sum;
  });
}
