/* jitffi.NDArray: the class, what others need of an array, and what the files of the class share. */
#ifndef JITFFI_PYTHON_NDARRAY_OBJECT_H
#define JITFFI_PYTHON_NDARRAY_OBJECT_H

#include "interpreter.h"
#include "jitffi/ndarray.h"

extern PyTypeObject core_ndarray_type;   /* jitffi.NDArray */
int core_ndarray_init(PyObject* module); /* after core_object_init */
/* The nd-array of a wrapper, with its tensor and whether it is read-only: borrowed, good while the wrapper lives and is not moved.
 * NULL: it is none, or was moved; no exception. */
const jf_ndarray* core_ndarray_view(PyObject* object);

/* -- ndarray_object.c -- */
jf_ndarray* core_ndarray_get(PyObject* self);    /* borrowed; NULL with ValueError when it was moved */
jf_ndarray* core_ndarray_memory(PyObject* self); /* the same, of elements that can be read here: else BufferError */
PyObject* core_ndarray_box(jf_object* array);    /* steals; NULL becomes the runtime's error */
/* The first element. */
static inline char* core_ndarray_data(const jf_ndarray* array) {
  return (char*)array->tensor.data + array->tensor.byte_offset;
}
static inline int core_ndarray_is_readonly(const jf_ndarray* array) { return (array->flags & JF_DL_READ_ONLY) != 0; }
/* "float32[2, 3]", "read-only float32[2, 3]": new. */
PyObject* core_ndarray_describe(const jf_ndarray* array);
PyObject* core_ndarray_tuple(const int64_t* numbers, int32_t count);
/* Dimensions, from an int or an iterable of ints: how many, or -1 with an exception. */
int core_ndarray_shape(PyObject* object, const char* what, int64_t* shape);

/* -- ndarray_make.c -- */
size_t core_ndarray_bytes(const jf_ndarray* array); /* that its elements take in C order */
/* New: the elements in C order, in memory of their own. The array's are on the CPU. NULL with an exception. */
jf_object* core_ndarray_copied(const jf_ndarray* array);
PyObject* core_ndarray_empty(PyObject* class, PyObject* args, PyObject* keywords);
PyObject* core_ndarray_zeros(PyObject* class, PyObject* args, PyObject* keywords);
PyObject* core_ndarray_copy(PyObject* self, PyObject* unused);
PyObject* core_ndarray_reduce(PyObject* self, PyObject* unused);
PyObject* core_ndarray_restore(PyObject* class, PyObject* args);

/* -- ndarray_element.c: one element, as a Python number, or a tuple of its lanes -- */
PyObject* core_element_get(jf_dtype dtype, const char* at);
int core_element_set(jf_dtype dtype, char* at, PyObject* value); /* -1 with TypeError or OverflowError */
const char* core_element_format(jf_dtype dtype);                 /* of the struct module, of one lane; NULL: none */

/* -- ndarray_shape.c -- */
PyObject* core_ndarray_reshape(PyObject* self, PyObject* args);
PyObject* core_ndarray_transpose(PyObject* self, PyObject* args);
PyObject* core_ndarray_get_transposed(PyObject* self, void* unused);

/* -- ndarray_index.c -- */
PyObject* core_ndarray_subscript(PyObject* self, PyObject* key);
int core_ndarray_assign(PyObject* self, PyObject* key, PyObject* value);
PyObject* core_ndarray_item(PyObject* self, Py_ssize_t index);
PyObject* core_ndarray_tolist(PyObject* self, PyObject* unused);
PyObject* core_ndarray_only_item(PyObject* self, PyObject* unused); /* item() */

/* -- ndarray_buffer.c -- */
extern PyBufferProcs core_ndarray_buffer;
PyObject* core_ndarray_numpy(PyObject* self, PyObject* unused);
PyObject* core_ndarray_array(PyObject* self, PyObject* args, PyObject* keywords); /* __array__ */
PyObject* core_ndarray_get_interface(PyObject* self, void* unused);

/* -- ndarray_dlpack.c -- */
#define CORE_DLPACK_LEGACY "dltensor" /* what capsules are called */
#define CORE_DLPACK_VERSIONED "dltensor_versioned"
int core_ndarray_exchange_init(void);
PyObject* core_ndarray_dlpack(PyObject* self, PyObject* args, PyObject* keywords);
PyObject* core_ndarray_dlpack_device(PyObject* self, PyObject* unused);

/* -- ndarray_import.c -- */
jf_object* core_ndarray_of_numpy(PyObject* object);     /* as core_numpy_object in unbox.h */
jf_object* core_ndarray_adopt(jf_dlversioned* managed); /* new; steals; NULL with an exception */
/* 1 and a new nd-array on the memory of what has DLPack's table or __dlpack__; 0: it has neither; -1 with an exception. */
int core_ndarray_of_exporter(PyObject* object, jf_object** out);
PyObject* core_from_dlpack(PyObject* module, PyObject* args, PyObject* keywords);

#endif
