/* What the files of tvm-ffi's convention share. */
#ifndef JITFFI_SRC_TVM_FFI_H
#define JITFFI_SRC_TVM_FFI_H

#include "jitffi/tvm_ffi.h"
#include "macros.h"

enum { TVMFFI_DEPTH = 200 }; /* containers in containers that are copied */

typedef struct { /* TVMFFIMethodInfo */
  jf_span name, doc, metadata;
  int64_t flags;
  jf_tvmffi_any method;
} jf_tvmffi_method_info;

/* -- tvm_ffi.c -- */

/* Calls its global function `which`, which makes or asks something. */
enum { TVMFFI_MAKE_MAP, TVMFFI_MAP_ITERATOR, TVMFFI_DICT_ITERATOR, TVMFFI_REPR, TVMFFI_GLOBALS };
int32_t jf_tvmffi_call_global(int32_t which, const jf_tvmffi_any* args, size_t count, jf_tvmffi_any* result);
jf_tvmffi_object* jf_tvmffi_error_to(jf_object* error);        /* new; NULL with the last error set */
jf_object* jf_tvmffi_error_from(const jf_tvmffi_object* from); /* new; NULL when out of memory */

const void* jf_tvmffi_type_info(int32_t type_index); /* TVMFFITypeInfo, after jf_tvmffi_open; NULL: there is none */
/* Whether the library of this process, if there is one, has integers outside int64's range, which came within 0.1. */
int32_t jf_tvmffi_has_big_int(void);

/* -- tvm_ffi_host.c -- */

JF_SHARED const jf_tvmffi_host* jf_tvmffi_host_now(void); /* NULL: none */

/* -- tvm_ffi_functions.c -- */

/* The owner that a function of the convention was made with and that deleter; NULL for any other. */
void* jf_tvmffi_owner(const jf_object* function, void (*deleter)(void*));
int32_t jf_tvmffi_set_deleter(jf_object* function, void (*deleter)(void*)); /* 0: it is no function of the convention */

/* -- tvm_ffi_objects.c: references, and objects that need nothing of its library -- */

static inline void jf_tvmffi_end(jf_tvmffi_any* any) {
  if (any->type_index >= JF_TVMFFI_OBJECT) jf_tvmffi_release(any->v_object);
  *any = (jf_tvmffi_any){0};
}
/* New, or NULL with MemoryError set. */
void* jf_tvmffi_new(size_t size, int32_t type_index, void (*deleter)(void* self, int flags));
void jf_tvmffi_free(void* object);
int32_t jf_tvmffi_text_to(const void* data, size_t size, int32_t is_bytes, jf_tvmffi_any* out);
/* An Array with that many items of None, which its maker sets; and whether it is one that was made of a tuple. */
jf_tvmffi_sequence* jf_tvmffi_array(size_t count, int32_t is_tuple);
int32_t jf_tvmffi_was_tuple(const jf_tvmffi_object* object);
jf_tvmffi_object* jf_tvmffi_big_int_to(uint64_t value);
int32_t jf_tvmffi_big_int_from(const jf_tvmffi_object* object, uint64_t* value); /* -1 with OverflowError set */
jf_tvmffi_object* jf_tvmffi_shape_to(const int64_t* data, size_t size);
jf_tvmffi_object* jf_tvmffi_tensor_to(jf_object* array);
jf_object* jf_tvmffi_tensor_from(jf_tvmffi_object* tensor);
/* Any object of ours as an Object of no other type, which holds it, and back: new; NULL where it is none of those. */
jf_tvmffi_object* jf_tvmffi_hold(jf_object* object);
jf_object* jf_tvmffi_held(jf_tvmffi_object* object);
jf_tvmffi_object* jf_tvmffi_opaque(jf_object* object, void* handle); /* the same as an opaque object of that handle */

/* -- tvm_ffi_fields.c -- */

int32_t jf_tvmffi_object_code_now(void); /* the same; -1 before the first object of it */
int32_t jf_tvmffi_object_code(void);     /* our type for its objects that we have no type for; 0 with the error set */

/* -- tvm_ffi_values.c -- */

/* An owned Any for a view; a DLTensor handle stays one. -1 with the last error set. */
int32_t jf_tvmffi_from_view(const jf_view* view, jf_tvmffi_any* out, int32_t depth);
/* The same the other way: `out` is a null slot, which owns what it holds but for a DLTensor handle. */
int32_t jf_tvmffi_to_value(const jf_tvmffi_any* any, jf_value* out, int32_t depth);

#endif
