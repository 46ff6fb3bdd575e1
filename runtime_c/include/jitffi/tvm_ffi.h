/* tvm-ffi's calling convention (apache-tvm-ffi 0.1, tvm/ffi/c_api.h): slots of 16 bytes like ours with codes of its own, and
 * objects with a header of its own.
 *
 *   args -> | type index | length | payload |  one Any an argument, borrowed      result: an Any of None, becomes an owned one
 *
 * Text, bytes, functions, arrays, lists and shapes need nothing of tvm-ffi's own library: their layouts are its ABI, and objects
 * made here carry their own deleters. Maps and errors are its library's, which is looked for in the process when there is one of
 * them to make; nothing is linked with it.
 */
#ifndef JITFFI_TVM_FFI_H
#define JITFFI_TVM_FFI_H

#include "ndarray.h"
#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { JF_TVMFFI_MAJOR = 0, JF_TVMFFI_MINOR = 1 };

/* What an Any holds (TVMFFITypeIndex). */
enum {
  JF_TVMFFI_NONE,
  JF_TVMFFI_INT,
  JF_TVMFFI_BOOL,
  JF_TVMFFI_FLOAT,
  JF_TVMFFI_POINTER,
  JF_TVMFFI_DTYPE,
  JF_TVMFFI_DEVICE,
  JF_TVMFFI_DLTENSOR,
  JF_TVMFFI_RAW_STR,
  JF_TVMFFI_BYTE_ARRAY,
  JF_TVMFFI_RVALUE,
  JF_TVMFFI_SMALL_STR,
  JF_TVMFFI_SMALL_BYTES,
  JF_TVMFFI_OBJECT = 64,
  JF_TVMFFI_STR,
  JF_TVMFFI_BYTES,
  JF_TVMFFI_ERROR,
  JF_TVMFFI_FUNCTION,
  JF_TVMFFI_SHAPE,
  JF_TVMFFI_TENSOR,
  JF_TVMFFI_ARRAY,
  JF_TVMFFI_MAP,
  JF_TVMFFI_OPAQUE = 74, /* an object of the language that embeds tvm-ffi: of Python */
  JF_TVMFFI_LIST,
  JF_TVMFFI_DICT,
  JF_TVMFFI_BIG_INT = 78
};

/* TVMFFIObject: what each object begins with. */
typedef struct {
  uint64_t ref_count; /* low half: references; high half: weak ones, and one for all others */
  int32_t type_index;
  uint32_t padding;
  JF_EXTENSION union {
    void (*deleter)(void* self, int flags); /* 1: what it holds; 2: its memory; NULL: nothing to do */
    int64_t word;
  };
} jf_tvmffi_object;

/* TVMFFIAny. Unused bytes are zero. */
typedef struct {
  int32_t type_index;
  uint32_t small_len;
  JF_EXTENSION union {
    int64_t v_int64;
    double v_float64;
    void* v_pointer;
    jf_tvmffi_object* v_object;
    jf_tvmffi_object** v_rvalue;
    const jf_span* v_span;
    jf_device v_device;
    char v_bytes[8];
  };
} jf_tvmffi_any;

/* TVMFFISafeCallType: 0, or -1 with tvm-ffi's raised error set. The handle is the function object, NULL for an exported symbol. */
typedef int32_t (*jf_tvmffi_call)(void* handle, const jf_tvmffi_any* args, int32_t num_args, jf_tvmffi_any* result);

/* What stands behind the header of the objects that are read here. */
typedef struct {
  jf_tvmffi_object header;
  jf_span text; /* of a String and of Bytes */
} jf_tvmffi_text;
typedef struct {
  jf_tvmffi_object header;
  jf_dltensor tensor;
} jf_tvmffi_tensor;
typedef struct {
  jf_tvmffi_object header;
  const int64_t* data;
  size_t size;
} jf_tvmffi_shape;
typedef struct
{ /* an integer outside int64's range: two's complement, the lowest word first, as few words as it needs */
  jf_tvmffi_object header;
  size_t size;
  /* the words follow */
} jf_tvmffi_big_int;
typedef struct { /* an Array and a List */
  jf_tvmffi_object header;
  jf_tvmffi_any* data;
  int64_t size;
  int64_t capacity;
  void (*deleter)(void* data); /* NULL: the items stand behind this struct */
} jf_tvmffi_sequence;
typedef struct {
  jf_tvmffi_object header;
  jf_tvmffi_call call;
  void* cpp_call; /* NULL */
} jf_tvmffi_function_object;
typedef struct {
  jf_tvmffi_object header;
  void* handle; /* PyObject* */
} jf_tvmffi_opaque_object;
typedef struct {
  jf_tvmffi_object header;
  jf_span kind;
  jf_span message;
  jf_span backtrace;
} jf_tvmffi_error;

/* -- tvm_ffi.c: its library ------------------------------------------------------------------------------------------ */

/* Finds tvm-ffi's library, which has to be loaded in this process. -1 with ImportError set where it is not, or of another version
 * than is known here. */
JF_API int32_t jf_tvmffi_open(void);
/* Makes its raised error our last error, and takes it: after a call that gave -1. */
JF_API void jf_tvmffi_failed(void);
/* Makes our last error its raised one, and takes it; where its library is not there the error stays ours. */
JF_API void jf_tvmffi_raise(void);
/* What is asked of the language that embeds both. */
typedef struct {
  int32_t (*take_error)(void); /* an error that tvm-ffi leaves there becomes our last error: 1; 0: there is none */
  jf_object* (*object_of)(void* handle); /* new: ours for what its opaque object holds; NULL with the last error set */
  /* A host object of ours that stands for a value of tvm-ffi's: 1 and that, owned; 0: it does not; -1 with the last error set. */
  int32_t (*theirs_of)(const jf_object* object, jf_tvmffi_any* out);
  /* A host object of ours that is an array of that language: 1 and a new nd-array; 0: it is none; -1 with the last error set. */
  int32_t (*array_of)(const jf_object* object, jf_object** out);
  /* The text of an error's traceback, where the error has an exception of that language; `out` stays null without one. It
   * cannot fail. */
  void (*traceback_of)(jf_object* error, jf_value* out);
  void* (*handle_of)(const jf_object* object); /* what a host object of ours holds, borrowed; NULL: it is another's */
} jf_tvmffi_host;
/* It must live as long as the process; NULL for none. */
JF_API void jf_tvmffi_set_host(const jf_tvmffi_host* host);
/* A function of its registry, new, and one of ours put into it. NULL and -1 with the error set; NULL without one where there is no
 * function of that name. */
JF_API jf_object* jf_tvmffi_global_get(const char* name);
JF_API int32_t jf_tvmffi_global_set(const char* name, jf_object* function, int32_t replace);
/* The same with what its tools read: JSON with a "type_schema", and a text. */
JF_API int32_t jf_tvmffi_global_set_described(const char* name, jf_object* function, const char* metadata,
                                              const char* doc, int32_t replace);

/* -- tvm_ffi_functions.c --------------------------------------------------------------------------------------------- */

/* New: a function object that calls `call` with `self`; signature may be NULL. deleter(owner), if it is not NULL, runs when the
 * function goes. NULL with MemoryError set, and the owner is still the caller's. */
JF_API jf_object* jf_tvmffi_function(jf_tvmffi_call call, void* self, void* owner, void (*deleter)(void*),
                                     const char* signature);
/* New: the function object for one of its Functions, which it retains. */
JF_API jf_object* jf_tvmffi_wrap(void* function);
/* New: its Function for a function object of ours; one that came from it comes back as itself. NULL with MemoryError set. */
JF_API void* jf_tvmffi_unwrap(jf_object* function);
/* What a function object of the convention calls, and with which self; NULL for any other. Borrowed, as long as it. */
JF_API jf_tvmffi_call jf_tvmffi_target(const jf_object* function, void** self);
/* A jf_tvmffi_call whose self is any function object of ours. */
JF_API int32_t jf_tvmffi_entry(void* self, const jf_tvmffi_any* args, int32_t num_args, jf_tvmffi_any* result);
/* Calls a function of the convention with views. *out is a null out-slot; it gets the owned result, or null on failure. */
JF_API int32_t jf_tvmffi_invoke(jf_tvmffi_call call, void* self, int32_t num_args, const jf_view* args, jf_value* out);

/* -- tvm_ffi_objects.c ----------------------------------------------------------------------------------------------- */

/* A reference more, and one less, of any object of tvm-ffi's: with the last one it ends. */
JF_API void jf_tvmffi_retain(void* object);
JF_API void jf_tvmffi_release(void* object);

/* -- tvm_ffi_fields.c ------------------------------------------------------------------------------------------------ */

/* A field of an object of tvm-ffi's, which one of ours of type "jitffi.TvmFfiObject" holds: its value, or one of its methods as a
 * function bound to it. *out is a null out-slot. AttributeError for a name that its type has not; TypeError for another object. */
JF_API int32_t jf_tvmffi_get(jf_object* object, const char* name, jf_value* out);
/* Sets a field; AttributeError for one that is read-only, and what its setter says of the value. */
JF_API int32_t jf_tvmffi_set(jf_object* object, const char* name, const jf_view* value);

/* -- tvm_ffi_values.c ------------------------------------------------------------------------------------------------ */

/* The argument `any` as a view, which borrows from it; what is made for it is in temps. -1 with the error set. */
JF_API int32_t jf_tvmffi_view(const jf_tvmffi_any* any, jf_view* view, jf_temps* temps);
/* Writes over a view the argument that it becomes; what is made for it is in temps, which may be NULL for a view of a number, a
 * pointer, a data type or a device. */
JF_API int32_t jf_tvmffi_argument(jf_view* view, jf_temps* temps);
/* Leaves in *result what an owned slot holds, which is null afterwards. */
JF_API int32_t jf_tvmffi_give(jf_value* value, jf_tvmffi_any* result);
/* Moves an owned result into a null out-slot; the result is None afterwards. */
JF_API int32_t jf_tvmffi_take(jf_tvmffi_any* result, jf_value* out);

#ifdef __cplusplus
}
#endif
#endif
