/* The contender of tvm_ffi for arrays: views of tensors, checked by hand, since its signatures do not. */
#include <tvm/ffi/tvm_ffi.h>

#include "kernels.h"

namespace ffi = tvm::ffi;

static void check(const ffi::TensorView& x, int bits, int rank) {
  if (x.dtype().code != kDLFloat || x.dtype().bits != bits || x.dtype().lanes != 1) {
    TVM_FFI_THROW(TypeError) << "elements of another type";
  }
  if (x.device().device_type != kDLCPU) TVM_FFI_THROW(ValueError) << "not on the CPU";
  if (rank >= 0 && x.ndim() != rank) TVM_FFI_THROW(ValueError) << "another number of dimensions";
}

static void contiguous(const ffi::TensorView& x) {
  if (!x.IsContiguous()) TVM_FFI_THROW(ValueError) << "not contiguous";
}

static const float* floats(const ffi::TensorView& x, int rank) {
  check(x, 32, rank);
  contiguous(x);
  return static_cast<const float*>(x.data_ptr());
}

static double vector_(ffi::TensorView x) {
  const float* data = floats(x, 1);
  return vector(x.size(0), data);
}
static void scaled_(double a, ffi::TensorView x, double b, ffi::TensorView y, ffi::TensorView z) {
  const float *xs = floats(x, 1), *ys = floats(y, 1);
  float* zs = const_cast<float*>(floats(z, 1));
  if (y.size(0) != x.size(0) || z.size(0) != x.size(0)) TVM_FFI_THROW(ValueError) << "lengths differ";
  scaled(x.size(0), (float)a, xs, (float)b, ys, zs);
}
static double matrix_(ffi::TensorView a) {
  check(a, 64, 2);
  if (a.stride(1) != 1 || a.stride(0) < a.size(1)) TVM_FFI_THROW(ValueError) << "a stride that is not taken";
  return matrix(a.size(0), a.size(1), static_cast<const double*>(a.data_ptr()), a.stride(0));
}
static double pointer_(ffi::TensorView x) { return pointer(floats(x, -1)); }
static double strided_(ffi::TensorView x) {
  check(x, 64, 1);
  if (x.stride(0) < 1) TVM_FFI_THROW(ValueError) << "a stride that is not taken";
  return strided(x.size(0), static_cast<const double*>(x.data_ptr()), x.stride(0));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(vector, vector_);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scaled, scaled_);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(matrix, matrix_);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(pointer, pointer_);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(strided, strided_);
