/* The contender of nanobind for arrays: ndarray with the constraints that the signatures state. */
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "kernels.h"

namespace nb = nanobind;
template <typename... T>
using array = nb::ndarray<T..., nb::device::cpu>;

NB_MODULE(nanobind_arrays, m) {
  m.def("vector", [](array<float, nb::ndim<1>, nb::c_contig> x) { return vector(x.shape(0), x.data()); });
  m.def("scaled", [](float a, array<const float, nb::ndim<1>, nb::c_contig> x, float b,
                     array<const float, nb::ndim<1>, nb::c_contig> y, array<float, nb::ndim<1>, nb::c_contig> z) {
    if (y.shape(0) != x.shape(0) || z.shape(0) != x.shape(0)) throw nb::value_error("lengths differ");
    scaled(x.shape(0), a, x.data(), b, y.data(), z.data());
  });
  m.def("matrix", [](array<const double, nb::ndim<2>> a) {
    if (a.shape(1) > 1 && a.stride(1) != 1) throw nb::value_error("rows are not contiguous");
    if (a.shape(0) > 1 && a.stride(0) < (int64_t)a.shape(1)) throw nb::value_error("a stride that is not taken");
    return matrix(a.shape(0), a.shape(1), a.data(), a.stride(0));
  });
  m.def("pointer", [](array<float, nb::c_contig> x) { return pointer(x.data()); });
  m.def("strided", [](array<const double, nb::ndim<1>> x) {
    if (x.shape(0) > 1 && x.stride(0) < 1) throw nb::value_error("a stride that is not taken");
    return strided(x.shape(0), x.data(), x.stride(0));
  });
  m.def("filled", [](size_t n) {
    double* data = new double[n];
    nb::capsule owner(data, [](void* p) noexcept { delete[] (double*)p; });
    filled(n, data);
    return nb::ndarray<nb::numpy, double, nb::ndim<1>>(data, {n}, owner);
  });
}
