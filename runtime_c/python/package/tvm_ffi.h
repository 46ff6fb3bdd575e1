/* tvm-ffi's ABI by layout (apache-tvm-ffi 0.1, tvm/ffi/c_api.h), and its functions, which are known by address once a program
 * has both: nothing here is linked with it.
 */
#ifndef JITFFI_PYTHON_TVM_FFI_H
#define JITFFI_PYTHON_TVM_FFI_H

#include "jitffi/containers.h"
#include "jitffi/ndarray.h"
#include "jitffi/runtime.h"

/* What an Any holds (TVMFFITypeIndex). */
enum {
  TVM_NONE,
  TVM_INT,
  TVM_BOOL,
  TVM_FLOAT,
  TVM_POINTER,
  TVM_DTYPE,
  TVM_DEVICE,
  TVM_DLTENSOR,
  TVM_RAW_STR,
  TVM_BYTE_ARRAY,
  TVM_RVALUE,
  TVM_SMALL_STR,
  TVM_SMALL_BYTES,
  TVM_OBJECT = 64,
  TVM_STR,
  TVM_BYTES,
  TVM_ERROR,
  TVM_FUNCTION,
  TVM_SHAPE,
  TVM_TENSOR,
  TVM_ARRAY,
  TVM_MAP,
  TVM_LIST = 75,
  TVM_DICT
};

/* TVMFFIObject: what each object begins with. */
typedef struct {
  uint64_t ref_count;
  int32_t type_index;
  uint32_t padding;
  void* deleter;
} tvm_object;

/* TVMFFIAny: a slot as ours, with other codes. Unused bytes are zero. */
typedef struct {
  int32_t type_index;
  uint32_t small_len;
  union {
    int64_t v_int64;
    double v_float64;
    void* v_pointer;
    tvm_object* v_object;
    tvm_object** v_rvalue;
    const jf_span* v_span;
    char v_bytes[8];
  };
} tvm_any;

typedef int (*tvm_call)(void* handle, const tvm_any* args, int32_t num_args, tvm_any* result);

/* What stands behind the header of the objects that are read here. */
typedef struct {
  tvm_object header;
  jf_span text; /* of a String and of Bytes */
} tvm_text;
typedef struct {
  tvm_object header;
  const int64_t* data;
  size_t size;
} tvm_shape;
typedef struct {
  tvm_object header;
  const tvm_any* data;
  int64_t size;
} tvm_sequence;
typedef struct {
  tvm_object header;
  tvm_call call;
} tvm_function;
typedef struct {
  tvm_object header;
  jf_span kind;
  jf_span message;
  jf_span backtrace;
} tvm_error;

/* Its functions; `opened` is set when all are known. */
typedef struct {
  int (*retain)(void* object);
  int (*release)(void* object);
  int (*function_new)(void* self, tvm_call call, void (*deleter)(void* self), void** out);
  int (*function_set)(const jf_span* name, void* function, int override_);
  int (*function_get)(const jf_span* name, void** out);
  void (*error_take)(void** out);
  void (*error_set)(void* error);
  int (*error_new)(const jf_span* kind, const jf_span* message, const jf_span* backtrace, void** out);
  int (*str_new)(const jf_span* text, tvm_any* out);
  int (*bytes_new)(const jf_span* bytes, tvm_any* out);
  int (*tensor_new)(jf_dlversioned* from, int32_t alignment, int32_t contiguous, void** out);
  int (*tensor_dlpack)(void* tensor, jf_dlversioned** out);
  void* array;
  void* map;
  void* shape;
  void* map_iterator;
  void* dict_iterator;
  int32_t object_code; /* our type for its objects that we have no type for */
  int opened;
} tvm_runtime;
extern tvm_runtime core_tvm;

enum { TVM_DEPTH = 200 }; /* containers in containers that are copied */

/* -- tvm_ffi_values.c -- */

/* An owned Any for a view; a DLTensor handle stays one. -1 with the last error set. */
int core_tvm_from_view(const jf_view* view, tvm_any* out, int depth);
/* The same the other way: `out` is a null slot, which owns what it holds but for a DLTensor handle. */
int core_tvm_to_value(const tvm_any* any, jf_value* out, int depth);
static inline void core_tvm_release(tvm_any* any) {
  if (any->type_index >= TVM_OBJECT) core_tvm.release(any->v_object);
}

/* -- tvm_ffi.c -- */

jf_object* core_tvm_wrap(void* function);         /* new: our function object for one of its functions; retains it */
void* core_tvm_export(jf_object* function);       /* new: the other way; NULL with the last error set */
int core_tvm_failed(int status);                  /* its error becomes our last error; -1, or 0 for status 0 */
void* core_tvm_error_new(const jf_object* error); /* new; NULL with the last error set */
jf_object* core_tvm_error_of(const tvm_object* from); /* new; NULL when out of memory */

#endif
