/* The packed convention of before (D4a): type codes and 8-byte values in two arrays, as TVM's PackedFunc had it until 2025.
 *
 *   type_codes  | code | code | ...    values  | 8 bytes | 8 bytes | ...    out_code, out_value: one of each
 *
 * It has no room for a length, so text crosses as `const char*`, and one with an embedded NUL is refused. Arguments are
 * borrowed for the call. A result is the caller's: an object comes with its reference; text and bytes stay in the thread until
 * its next call by this convention, as with TVM's TVMFuncCall. An nd-array is its tensor, which leads back to the object where it
 * is one of this runtime's; that of another is a tensor as an argument, and no result.
 */
#ifndef JITFFI_LEGACY_H
#define JITFFI_LEGACY_H

#include "ndarray.h"
#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* TVM's codes of that time (c_runtime_api.h of version 0.20, TVMArgTypeCode). */
enum {
  JF_LEGACY_INT = 0,
  JF_LEGACY_UINT = 1,
  JF_LEGACY_FLOAT = 2,
  JF_LEGACY_HANDLE = 3,
  JF_LEGACY_NULL = 4,
  JF_LEGACY_DTYPE = 5,
  JF_LEGACY_DEVICE = 6,
  JF_LEGACY_TENSOR = 7,    /* DLTensor* */
  JF_LEGACY_OBJECT = 8,    /* jf_object* */
  JF_LEGACY_MODULE = 9,    /* jf_object* */
  JF_LEGACY_FUNCTION = 10, /* jf_object* */
  JF_LEGACY_STR = 11,      /* const char* */
  JF_LEGACY_BYTES = 12,    /* jf_span* */
  JF_LEGACY_NDARRAY = 13,  /* DLTensor* in an object, whose head lies 16 bytes before it */
  JF_LEGACY_RVALUE = 14,   /* jf_object** */
  JF_LEGACY_BOOL = 15      /* is read; a bool crosses as int */
};

typedef union {
  int64_t v_int64;
  uint64_t v_uint64;
  double v_float64;
  void* v_handle;
  const char* v_str;
  jf_dtype v_dtype;
  jf_device v_device;
} jf_legacy_value;

/* 0, or another number with the thread's last error set. */
typedef int32_t (*jf_legacy_call)(void* self, int32_t num_args, const int32_t* type_codes,
                                  const jf_legacy_value* values, int32_t* out_code, jf_legacy_value* out_value);
/* TVM's own entry of that age (its TVMBackendPackedCFunc). */
typedef int32_t (*jf_tvm_call)(void* args, int32_t* type_codes, int32_t num_args, void* out_value, int32_t* out_code,
                               void* resource);

/* -- legacy.c ------------------------------------------------------------------------------------------------------ */

/* Makes views of arguments. They borrow from the values, and are null for what is null. -1 with TypeError set for a code that
 * is none. */
JF_API int32_t jf_legacy_views(const jf_call_info* info, int32_t num_args, const int32_t* type_codes,
                               const jf_legacy_value* values, jf_view* views);
/* Calls a function of the convention with views. *out is a null out-slot; it gets the owned result, or null on failure, as of a
 * packed call. */
JF_API int32_t jf_legacy_invoke(const jf_call_info* info, jf_legacy_call call, void* self, int32_t num_args,
                                const jf_view* args, jf_value* out);
/* Leaves in *code and *result what an owned slot holds, which is null afterwards. -1 with the error set for what the convention
 * has no code for. */
JF_API int32_t jf_legacy_give(const jf_call_info* info, jf_value* value, int32_t* code, jf_legacy_value* result);

/* A function object that calls `call` with `self`. Messages call it `name`; name and signature may be NULL, and are copied. deleter(owner), if it is not NULL, runs when the function
 * goes. New; NULL with MemoryError set, and the owner is still the caller's. */
JF_API jf_object* jf_legacy_function(jf_legacy_call call, void* self, void* owner, void (*deleter)(void*),
                                     const char* name, const char* signature);
/* The same for TVM's entry, which gets `resource`. */
JF_API jf_object* jf_tvm_function(jf_tvm_call call, void* resource, void* owner, void (*deleter)(void*),
                                  const char* name, const char* signature);

/* A jf_legacy_call, whose self is any function object, which it calls. */
JF_API int32_t jf_legacy_entry(void* self, int32_t num_args, const int32_t* type_codes, const jf_legacy_value* values,
                               int32_t* out_code, jf_legacy_value* out_value);
/* A jf_tvm_call, whose resource is any function object. */
JF_API int32_t jf_tvm_entry(void* args, int32_t* type_codes, int32_t num_args, void* out_value, int32_t* out_code,
                            void* resource);

#ifdef __cplusplus
}
#endif
#endif
