/* The contender of tvm_ffi: functions exported as its manual says, and two packed ones written by hand. */
#include <tvm/ffi/tvm_ffi.h>

#include "plain.h"

namespace ffi = tvm::ffi;

static int64_t str_len_(ffi::String s) { return str_len(s.data(), s.size()); }
static int64_t bytes_len_(ffi::Bytes s) { return bytes_len(s.data(), s.size()); }
static int64_t opt_(ffi::Optional<int64_t> v) {
  int64_t number = v.has_value() ? v.value() : 0;
  return opt(v.has_value() ? &number : nullptr);
}
/* Its own text type, which is given back by reference: less work than a slot that is written and read. */
static ffi::String str_id_(ffi::String s) { return s; }
static int64_t loop_function_(ffi::Function f, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += f(1000 + i).cast<int64_t>();
  return sum;
}
static int64_t loop_typed_(ffi::TypedFunction<int64_t(int64_t)> f, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += f(1000 + i);
  return sum;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(noop, noop);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_i64, add_i64);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_f64, add_f64);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum8, sum8);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(str_len, str_len_);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(bytes_len, bytes_len_);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(str_id, str_id_);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(opt, opt_);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(kw3, kw3);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(loop_function, loop_function_);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(loop_typed, loop_typed_);

/* -- by hand: the least that a packed callee does -- */

extern "C" {
TVM_FFI_DLL_EXPORT int __tvm_ffi_packed_add(void*, const TVMFFIAny* args, int32_t n, TVMFFIAny* out) {
  if (n != 2 || args[0].type_index != kTVMFFIInt || args[1].type_index != kTVMFFIInt) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "expected (int, int)");
    return -1;
  }
  out->type_index = kTVMFFIInt;
  out->zero_padding = 0;
  out->v_int64 = add_i64(args[0].v_int64, args[1].v_int64);
  return 0;
}
TVM_FFI_DLL_EXPORT int __tvm_ffi_packed_add_f64(void*, const TVMFFIAny* args, int32_t n, TVMFFIAny* out) {
  if (n != 2 || args[0].type_index != kTVMFFIFloat || args[1].type_index != kTVMFFIFloat) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "expected (float, float)");
    return -1;
  }
  out->type_index = kTVMFFIFloat;
  out->zero_padding = 0;
  out->v_float64 = add_f64(args[0].v_float64, args[1].v_float64);
  return 0;
}
TVM_FFI_DLL_EXPORT int __tvm_ffi_packed_none(void*, const TVMFFIAny*, int32_t n, TVMFFIAny* out) {
  if (n != 0) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "expected no arguments");
    return -1;
  }
  out->type_index = kTVMFFINone;
  out->v_int64 = 0;
  return 0;
}
/* Text arrives small in the slot, as an object, or as a C string. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_packed_len(void*, const TVMFFIAny* args, int32_t n, TVMFFIAny* out) {
  int64_t size = -1;
  if (n == 1 && args[0].type_index == kTVMFFISmallStr) size = args[0].small_str_len;
  if (n == 1 && args[0].type_index == kTVMFFIStr) size = (int64_t)TVMFFIBytesGetByteArrayPtr(args[0].v_obj)->size;
  if (n == 1 && args[0].type_index == kTVMFFIRawStr) size = (int64_t)strlen(args[0].v_c_str);
  if (size < 0) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "expected (str)");
    return -1;
  }
  out->type_index = kTVMFFIInt;
  out->zero_padding = 0;
  out->v_int64 = size;
  return 0;
}
}
