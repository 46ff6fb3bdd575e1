/* The loops of text_loops.c through tvm_ffi: text up to 7 bytes in the argument itself, longer text and results in objects. */
#include <tvm/ffi/tvm_ffi.h>

#include <cstdlib>
#include <cstring>

#include "plain.h"

namespace ffi = tvm::ffi;

static const char text_of_20[] = "abcdefghijklmnopqrst";

static int64_t length(ffi::String text) { return str_len(text.data(), text.size()); }
static ffi::String identity(ffi::String text) { return ffi::String(text.data(), text.size()); }

extern "C" {
/* As C++ code calls it, and as code does that packs by itself. */
PLAIN_API int64_t tvm_length_function(void* unused, int64_t n) {
  static ffi::Function f = ffi::Function::FromTyped(length);
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += f(ffi::String(text_of_20 + (i & 7), 5)).cast<int64_t>();
  return sum;
}

PLAIN_API int64_t tvm_length_object(void* unused, int64_t n) {
  static ffi::Any kept(ffi::Function::FromTyped(length));
  void* object = reinterpret_cast<TVMFFIAny*>(&kept)->v_obj;
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) {
    TVMFFIAny arg{}, out{};
    arg.type_index = kTVMFFISmallStr;
    arg.small_str_len = 5;
    std::memcpy(arg.v_bytes, text_of_20 + (i & 7), 5);
    out.type_index = kTVMFFINone;
    if (TVMFFIFunctionGetCellPtr(object)->safe_call(object, &arg, 1, &out) != 0) std::abort();
    sum += out.v_int64;
  }
  return sum;
}

PLAIN_API int64_t tvm_result_function(void* unused, int64_t n) {
  static ffi::Function f = ffi::Function::FromTyped(identity);
  static ffi::String text(text_of_20, 20);
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += (int64_t)f(text).cast<ffi::String>().size();
  return sum;
}
}
