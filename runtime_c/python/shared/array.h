/* Everything that Python calls an array, as a jf_array: one reader for each way in which objects offer their memory.
 *
 *   numpy_array.c       ndarray, by its fields                    array_interface.c   __array_interface__
 *   array_buffer.c      the buffer protocol                       array_dlpack.c      DLPack's exchange table, __dlpack__
 *   array_ndarray.c     jitffi.NDArray                            pointer_array.c     jitffi.Pointer
 *   array_pointer.c     pointers of ctypes and cffi: of what they point at, for pointers alone
 *
 * Readers give 1 (read), 0 (the object has no such thing) or -1 (an exception is set). Whatever an array borrows is the
 * object's own, in the struct, or kept in temps, for the length of the call.
 */
#ifndef JITFFI_PYTHON_ARRAY_H
#define JITFFI_PYTHON_ARRAY_H

#include "jitffi/array.h"
#include "state.h"

typedef struct core_array {
  jf_array array;
  const char*
      format; /* of the buffer protocol or the array interface where no dtype says the same, a ctype of cffi; or NULL */
  PyObject* descr;            /* NumPy's dtype in the same case, borrowed; else NULL */
  const void* struct_info;    /* of elements that are a struct of ours (core_struct_info), or NULL */
  int64_t align;              /* what such elements ask for; 0: as jf_array_match has it */
  int64_t shape[JF_MAX_RANK]; /* room for those that are not the object's own */
  int64_t strides[JF_MAX_RANK];
} core_array;

/* An array of one element (ndim 0) at `data` that C may write, which the reader goes on to fill. */
static inline void core_array_init(core_array* out, void* data) {
  out->array = (jf_array){.data = data, .shape = out->shape, .strides = out->strides, .device = {JF_CPU, 0}};
  out->format = NULL;
  out->descr = NULL;
  out->struct_info = NULL;
  out->align = 0;
}

/* -- array.c -- */
int32_t core_unbox_array(core_state* state, int32_t index, PyObject* object, uint64_t spec, int64_t* out,
                         jf_temps* temps);
/* The same for a tensor, into `out` and what is behind it (jf_tensor_match). */
int32_t core_unbox_tensor(core_state* state, int32_t index, PyObject* object, uint64_t spec, jf_dltensor* out,
                          jf_temps* temps);
/* The array against what parameter `index` takes: 0, or -1 with TypeError or ValueError. */
int32_t core_array_check(core_state* state, int32_t index, core_array* found, uint64_t spec, int64_t* out);
/* ValueError; always -1. Of parameter `index`, `dimension` (JF_DIM_STRIDE more: its stride) is `here`, where parameter `other`
 * says `there`, or with -1 the type itself. */
int32_t core_refuse_length(core_state* state, int32_t index, PyObject* object, int32_t dimension, int64_t here,
                           int32_t other, int64_t there);
/* All readers in turn. *refused is NULL before; after that the exception of an exporter that has refused, new. */
int core_array_read(PyObject* object, uint64_t spec, core_array* out, jf_temps* temps, PyObject** refused);
/* New str or NULL: what the elements are called that no dtype tells; array.name borrows from it. Sets no exception. */
PyObject* core_array_set_name(core_array* found);
/* Readers of classes of ours, which say so once there are these classes: modules without them need not carry them. */
extern int (*core_ndarray_reader)(PyObject* object, core_array* out, jf_temps* temps);
/* The array that a Pointer points at, where it knows how long that is. */
extern int (*core_pointer_reader)(PyObject* object, core_array* out, jf_temps* temps);
/* A Pointer for a parameter of any rank, whose type's text tells what it may point at: 1 and its address in *out; 0: no
 * Pointer; -1 with TypeError (it points at something else, or at what is const) or ValueError. */
extern int (*core_pointer_address)(core_state* state, int32_t index, PyObject* object, int64_t* out, jf_temps* temps);

/* -- array_host.c -- */
/* As jf_set_array_reader has it. */
int32_t core_read_host_array(jf_object* object, uint64_t spec, jf_array* out, jf_temps* temps);
/* Frees what jf_alloc gave and its first field, a jf_temps, holds; on any thread. */
void core_release_held(void* held);

/* -- tensor.c -- */
/* New: an nd-array on the memory of a tensor argument or result (index -1), which keeps it, of those lengths (-1: any; NULL: all).
 * NULL with an exception. */
jf_object* core_tensor_object(core_state* state, int32_t index, PyObject* object, uint64_t spec,
                              const int64_t* lengths);
/* New: the NDArray that a callable gets: of `object`, where that is what was passed, of the object in the slot `view`, where that
 * has one, else as jf_lend_tensor has it. */
PyObject* core_box_tensor(core_state* state, int32_t index, PyObject* object, const jf_view* view,
                          const jf_dltensor* tensor, uint64_t spec, const int64_t* lengths);
/* Writes the elements of one that is a copy back to the tensor that it was lent. */
void core_tensor_back(PyObject* box, const jf_dltensor* tensor);
/* What a packed callee is given for an object: its nd-array, which the temps hold. -1 with an exception. */
int32_t core_tensor_value(core_state* state, int32_t index, PyObject* object, uint64_t spec, jf_view* view,
                          jf_temps* temps);

/* -- array_buffer.c -- */
/* 0 with *refused (new, unless it was set before) where the exporter has raised BufferError or ValueError. */
int core_read_buffer(PyObject* object, core_array* out, jf_temps* temps, PyObject** refused);
/* 1: what a format string of the buffer protocol says of items of that size; 0: no element that C has. */
int core_format_dtype(const char* format, int64_t item_size, jf_dtype* dtype, uint32_t* flags);

/* -- array_interface.c -- */
int core_read_interface(PyObject* object, core_array* out, jf_temps* temps);

/* -- array_method.c -- */
int core_read_array_method(PyObject* object, core_array* out, jf_temps* temps);

/* -- pointer_array.c -- */
int core_read_pointer(PyObject* object, core_array* out, jf_temps* temps);
int core_address_of_pointer(core_state* state, int32_t index, PyObject* object, int64_t* out, jf_temps* temps);

/* -- array_ndarray.c -- */
int core_read_ndarray(PyObject* object, core_array* out, jf_temps* temps);

/* -- array_dlpack.c -- */
int core_read_dlpack_table(PyObject* object, uint64_t spec, core_array* out, jf_temps* temps);
/* The same where the table is all that objects of this type have, and was asked for before: else 0. */
int core_read_known_table(PyObject* object, uint64_t spec, core_array* out, jf_temps* temps);
/* `anywhere`: what is not on the CPU gives its memory, too; else its device alone. */
int core_read_dlpack(PyObject* object, int anywhere, core_array* out, jf_temps* temps);

/* -- array_pointer.c -- */
/* The array has no shape (rank -1); where it is no element of C that they point at, it has no dtype. */
int core_read_foreign_pointer(PyObject* object, core_array* out, jf_temps* temps);

#endif
