/* The same loops as loops.c, through tvm_ffi's convention. */
#include <tvm/ffi/tvm_ffi.h>

#include <cstdlib>

#include "plain.h"

namespace ffi = tvm::ffi;

static int safe_add(void*, const TVMFFIAny* args, int32_t n, TVMFFIAny* out) {
  if (n != 2 || args[0].type_index != kTVMFFIInt || args[1].type_index != kTVMFFIInt) return -1;
  out->type_index = kTVMFFIInt;
  out->zero_padding = 0;
  out->v_int64 = add_i64(args[0].v_int64, args[1].v_int64);
  return 0;
}

static inline int64_t call_safe(TVMFFISafeCallType f, void* self, int64_t a, int64_t b) {
  TVMFFIAny args[2], out;
  args[0].type_index = args[1].type_index = kTVMFFIInt;
  args[0].zero_padding = args[1].zero_padding = 0;
  args[0].v_int64 = a;
  args[1].v_int64 = b;
  out.type_index = kTVMFFINone;
  out.zero_padding = 0;
  out.v_int64 = 0;
  if (f(self, args, 2, &out) != 0 || out.type_index != kTVMFFIInt) std::abort();
  return out.v_int64;
}

extern "C" {
/* A callee written by hand. */
PLAIN_API int64_t tvm_loop_written(void* unused, int64_t n) {
  static TVMFFISafeCallType volatile callee = safe_add;
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += call_safe(callee, nullptr, i, 7);
  return sum;
}

/* A typed function in a Function object: what tvm_ffi makes of a C function. */
PLAIN_API int64_t tvm_loop_object(void* unused, int64_t n) {
  static ffi::Any kept(ffi::Function::FromTyped(add_i64));
  void* object = reinterpret_cast<TVMFFIAny*>(&kept)->v_obj;
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += call_safe(TVMFFIFunctionGetCellPtr(object)->safe_call, object, i, 7);
  return sum;
}

/* The same, called as C++ code does. */
PLAIN_API int64_t tvm_loop_function(void* unused, int64_t n) {
  static ffi::Function f = ffi::Function::FromTyped(add_i64);
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += f(i, (int64_t)7).cast<int64_t>();
  return sum;
}
}
