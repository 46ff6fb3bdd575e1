/* The memory of an array for others: the buffer protocol, __array_interface__, __array__ and NumPy's views.
 *
 * Lanes are a last dimension. What is exported holds the native object itself, so that the memory stays though the wrapper be
 * emptied. Data types that the struct module has no format for go to NumPy as integers of as many bits.
 */
#include "dlpack.h"
#include "error.h"
#include "jitffi/runtime.h"
#include "ndarray_object.h"
#include "wrapper.h"

#include <string.h>

typedef struct {
  jf_object* held;
  Py_ssize_t shape[JF_NDARRAY_DIMS];
  Py_ssize_t strides[JF_NDARRAY_DIMS]; /* bytes */
} exported;

/* How many dimensions, or -1 with BufferError. */
static int fill_dimensions(const jf_ndarray* array, exported* out) {
  const jf_dltensor* tensor = &array->tensor;
  const Py_ssize_t size = (Py_ssize_t)jf_dltensor_itemsize(tensor, array->flags);
  const int has_lanes = tensor->dtype.lanes != 1;
  if (tensor->ndim + has_lanes > JF_NDARRAY_DIMS) {
    PyErr_SetString(PyExc_BufferError, "NDArray: lanes and dimensions are too many together");
    return -1;
  }
  for (int32_t i = 0; i < tensor->ndim; i++) {
    out->shape[i] = (Py_ssize_t)tensor->shape[i];
    out->strides[i] = (Py_ssize_t)tensor->strides[i] * size;
  }
  if (has_lanes) {
    out->shape[tensor->ndim] = tensor->dtype.lanes;
    out->strides[tensor->ndim] = size / tensor->dtype.lanes;
  }
  return tensor->ndim + has_lanes;
}

static int fail_buffer(const char* message) {
  PyErr_SetString(PyExc_BufferError, message);
  return -1;
}

static int is_fortran(const jf_dltensor* tensor) {
  int64_t stride = 1;
  if (tensor->dtype.lanes != 1 && tensor->ndim > 0) return 0;
  for (int32_t i = 0; i < tensor->ndim; i++) {
    if (tensor->shape[i] != 1 && tensor->strides[i] != stride) return 0;
    stride *= tensor->shape[i];
  }
  return 1;
}

/* 0, or -1 with BufferError: what was asked for and is not so. */
static int check_request(const jf_ndarray* array, int flags) {
  const int is_c = jf_dltensor_is_contiguous(&array->tensor);
  const int is_f = jf_dltensor_items(&array->tensor) == 0 || is_fortran(&array->tensor);
  if ((flags & PyBUF_WRITABLE) && core_ndarray_is_readonly(array)) return fail_buffer("NDArray: it is read-only");
  if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !is_c) return fail_buffer("NDArray: it is not in C order");
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !is_f)
    return fail_buffer("NDArray: it is not in Fortran order");
  if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !is_c && !is_f)
    return fail_buffer("NDArray: it is not contiguous");
  if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !is_c) return fail_buffer("NDArray: it is not in C order");
  return 0;
}

static int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = NULL;
  jf_ndarray* array = core_ndarray_memory(self);
  if (array == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_BufferError)) {
      PyErr_Clear();
      return fail_buffer("NDArray: was moved");
    }
    return -1;
  }
  const char* format = core_element_format(array->tensor.dtype);
  if (format == NULL) {
    char name[JF_DTYPE_SIZE];
    jf_dtype_format(array->tensor.dtype, name, sizeof name);
    PyErr_Format(PyExc_BufferError, "NDArray: buffers have no format for %s: take numpy() or DLPack", name);
    return -1;
  }
  if (check_request(array, flags) != 0) return -1;
  exported* made = PyMem_Malloc(sizeof *made);
  const int ndim = made != NULL ? fill_dimensions(array, made) : -1;
  if (ndim < 0) {
    if (made == NULL) fail_buffer("NDArray: out of memory");
    PyMem_Free(made);
    return -1;
  }
  jf_object_retain(&array->header);
  made->held = &array->header;
  view->internal = made;
  view->obj = Py_NewRef(self);
  view->buf = core_ndarray_data(array);
  view->itemsize =
      array->tensor.dtype.code == JF_DL_COMPLEX || array->tensor.dtype.bits >= 8 ? array->tensor.dtype.bits / 8 : 1;
  view->len = (Py_ssize_t)(jf_dltensor_items(&array->tensor) * array->tensor.dtype.lanes) * view->itemsize;
  view->readonly = core_ndarray_is_readonly(array);
  view->ndim = (flags & PyBUF_ND) ? ndim : 1;
  view->format = (flags & PyBUF_FORMAT) ? (char*)(uintptr_t)format : NULL;
  view->shape = (flags & PyBUF_ND) ? made->shape : NULL;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? made->strides : NULL;
  view->suboffsets = NULL;
  return 0;
}

static void release_buffer(PyObject* self, Py_buffer* view) {
  (void)self;
  exported* made = view->internal;
  jf_object_release(made->held);
  PyMem_Free(made);
}

PyBufferProcs core_ndarray_buffer = {get_buffer, release_buffer};

/* -- NumPy ------------------------------------------------------------------------------------------------------------ */

/* New wrapper: the same memory as integers of as many bits. */
static PyObject* as_integers(jf_ndarray* array) {
  jf_object* view = jf_ndarray_view(&array->header, array->tensor.ndim, array->tensor.shape, array->tensor.strides, 0);
  if (view != NULL) {
    ((jf_ndarray*)view)->tensor.dtype.code = JF_DL_UINT;
    ((jf_ndarray*)view)->flags &= ~(uint64_t)JF_DL_SUBBYTE_PADDED;
  }
  return core_ndarray_box(view);
}

/* New: the array that NumPy makes of the buffer. */
static PyObject* numpy_of(PyObject* exporter) {
  PyObject* numpy = PyImport_ImportModule("numpy");
  PyObject* memory = numpy != NULL ? PyMemoryView_FromObject(exporter) : NULL;
  PyObject* array = memory != NULL ? PyObject_CallMethod(numpy, "asarray", "O", memory) : NULL;
  Py_XDECREF(memory);
  Py_XDECREF(numpy);
  return array;
}

PyObject* core_ndarray_numpy(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_ndarray* array = core_ndarray_memory(self);
  if (array == NULL) return NULL;
  if (core_element_format(array->tensor.dtype) != NULL) return numpy_of(self);
  PyObject* scalar = core_box_dtype((jf_dtype){array->tensor.dtype.code, array->tensor.dtype.bits, 1});
  PyObject* dtype = scalar != NULL ? PyObject_CallMethod(scalar, "numpy", NULL) : NULL;
  array = dtype != NULL ? core_ndarray_get(self) : NULL;
  PyObject* integers = array != NULL ? as_integers(array) : NULL;
  PyObject* plain = integers != NULL ? numpy_of(integers) : NULL;
  PyObject* made = plain != NULL ? PyObject_CallMethod(plain, "view", "O", dtype) : NULL;
  Py_XDECREF(scalar);
  Py_XDECREF(dtype);
  Py_XDECREF(integers);
  Py_XDECREF(plain);
  return made;
}

/* Of the memory itself where dtype and copy allow it. */
PyObject* core_ndarray_array(PyObject* self, PyObject* args, PyObject* keywords) {
  static char* names[] = {"dtype", "copy", NULL};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OO:__array__", names, &dtype, &copy)) return NULL;
  const int must_copy = copy != Py_None ? PyObject_IsTrue(copy) : 0;
  PyObject* array = must_copy >= 0 ? core_ndarray_numpy(self, NULL) : NULL;
  if (array != NULL && dtype != Py_None) {
    PyObject* own = PyObject_GetAttrString(array, "dtype");
    const int same = own != NULL ? PyObject_RichCompareBool(own, dtype, Py_EQ) : -1;
    Py_XDECREF(own);
    if (same < 0) Py_CLEAR(array);
    if (same == 0 && copy == Py_False) {
      PyErr_SetString(PyExc_ValueError, "NDArray: another dtype takes a copy");
      Py_CLEAR(array);
    }
    if (same == 0 && array != NULL) {
      Py_SETREF(array, PyObject_CallMethod(array, "astype", "O", dtype));
      return array;
    }
  }
  if (array != NULL && must_copy) Py_SETREF(array, PyObject_CallMethod(array, "copy", NULL));
  return array;
}

/* NumPy's array interface, version 3; AttributeError for what it has no type for, so that who asks goes on to __array__. */
PyObject* core_ndarray_get_interface(PyObject* self, void* unused) {
  (void)unused;
  exported dimensions;
  char type[16];
  static const char kinds[] = {'i', 'u', 'f', 0, 0, 'c', 'b'};
  const jf_ndarray* array = core_ndarray_memory(self);
  const int is_known = array != NULL && core_element_format(array->tensor.dtype) != NULL;
  if (array == NULL && !PyErr_ExceptionMatches(PyExc_BufferError)) return NULL;
  if (!is_known) {
    PyErr_SetString(PyExc_AttributeError,
                    "__array_interface__: NumPy has no type for this array's elements, or not there");
    return NULL;
  }
  const int ndim = fill_dimensions(array, &dimensions);
  if (ndim < 0) return NULL;
  const jf_dtype dtype = array->tensor.dtype;
  const void* data = core_ndarray_data(array);
  const int readonly = core_ndarray_is_readonly(array);
  PyOS_snprintf(type, sizeof type, "%c%c%d", dtype.bits == 8 ? '|' : '<', kinds[dtype.code], dtype.bits / 8);
  PyObject* shape = PyTuple_New(ndim);
  PyObject* strides = PyTuple_New(ndim);
  for (int i = 0; shape != NULL && strides != NULL && i < ndim; i++) {
    PyObject* length = PyLong_FromSsize_t(dimensions.shape[i]);
    PyObject* stride = PyLong_FromSsize_t(dimensions.strides[i]);
    PyTuple_SET_ITEM(shape, i, length);
    PyTuple_SET_ITEM(strides, i, stride);
    if (length == NULL || stride == NULL) Py_CLEAR(shape);
  }
  PyObject* made =
      shape == NULL || strides == NULL
          ? NULL
          : Py_BuildValue("{s:i,s:s,s:O,s:O,s:(NO)}", "version", 3, "typestr", type, "shape", shape, "strides", strides,
                          "data", PyLong_FromVoidPtr((void*)(uintptr_t)data), readonly ? Py_True : Py_False);
  Py_XDECREF(shape);
  Py_XDECREF(strides);
  return made;
}
