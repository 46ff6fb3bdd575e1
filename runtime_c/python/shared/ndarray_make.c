/* Arrays with memory of their own: new ones, copies, pickles. */
#include "dlpack.h"
#include "error.h"
#include "jitffi/runtime.h"
#include "ndarray_object.h"

#include <string.h>

/* -- new ones ---------------------------------------------------------------------------------------------------------- */

/* 0, or -1 with an exception. */
static int read_dtype(PyObject* object, const char* what, jf_dtype* out) {
  const int found = core_dtype_convert(object, out);
  if (found == CORE_NO_NAME) PyErr_Format(PyExc_ValueError, "%s: no data type is called %.200R", what, object);
  if (found == CORE_NOT_ONE)
    PyErr_Format(PyExc_TypeError, "%s: expected a data type, got %.200s", what, Py_TYPE(object)->tp_name);
  return found == CORE_FOUND ? 0 : -1;
}

static int check_device(PyObject* object, const char* what) {
  jf_device device = {JF_CPU, 0};
  const int found = object != NULL ? core_device_convert(object, &device) : CORE_FOUND;
  if (found == CORE_NO_NAME) PyErr_Format(PyExc_ValueError, "%s: no device is called %.200R", what, object);
  if (found == CORE_NOT_ONE)
    PyErr_Format(PyExc_TypeError, "%s: expected a device, got %.200s", what, Py_TYPE(object)->tp_name);
  if (found != CORE_FOUND) return -1;
  if (device.device_type == JF_CPU) return 0;
  PyErr_Format(PyExc_ValueError, "%s: memory is allocated on the CPU alone, not on %S", what, object);
  return -1;
}

static jf_object* allocate(PyObject* args, PyObject* keywords, const char* what, const char* format) {
  static char* names[] = {"shape", "dtype", "device", "alignment", NULL};
  PyObject *shape, *dtype, *device = NULL;
  Py_ssize_t alignment = JF_NDARRAY_ALIGNMENT;
  int64_t dims[JF_NDARRAY_DIMS];
  jf_dtype type;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, format, names, &shape, &dtype, &device, &alignment)) return NULL;
  const int ndim = core_ndarray_shape(shape, what, dims);
  if (ndim < 0 || read_dtype(dtype, what, &type) != 0 || check_device(device, what) != 0) return NULL;
  if (alignment < 1) {
    PyErr_Format(PyExc_ValueError, "%s: an alignment is a power of two, not %zd", what, alignment);
    return NULL;
  }
  jf_object* made = jf_ndarray_new(ndim, dims, type, (size_t)alignment);
  if (made == NULL) core_error_raise(NULL);
  return made;
}

PyObject* core_ndarray_empty(PyObject* class, PyObject* args, PyObject* keywords) {
  (void)class;
  jf_object* made = allocate(args, keywords, "NDArray.empty", "OO|On:empty");
  return made != NULL ? core_ndarray_box(made) : NULL;
}

/* Of an array in C order, elements that share bytes too. */
size_t core_ndarray_bytes(const jf_ndarray* array) {
  const size_t items = (size_t)jf_dltensor_items(&array->tensor);
  const size_t size = jf_dltensor_itemsize(&array->tensor, array->flags);
  return size != 0 ? items * size : (items * array->tensor.dtype.bits * array->tensor.dtype.lanes + 7) / 8;
}

PyObject* core_ndarray_zeros(PyObject* class, PyObject* args, PyObject* keywords) {
  (void)class;
  jf_object* made = allocate(args, keywords, "NDArray.zeros", "OO|On:zeros");
  if (made == NULL) return NULL;
  memset(((jf_ndarray*)made)->tensor.data, 0, core_ndarray_bytes((jf_ndarray*)made));
  return core_ndarray_box(made);
}

jf_object* core_ndarray_copied(const jf_ndarray* array) {
  const jf_dltensor* tensor = &array->tensor;
  jf_object* made = jf_ndarray_new(tensor->ndim, tensor->shape, tensor->dtype, 0);
  if (made != NULL && jf_dltensor_copy(jf_ndarray_tensor(made), tensor) == 0) return made;
  jf_object_release(made);
  return core_error_raise(NULL), NULL;
}

PyObject* core_ndarray_copy(PyObject* self, PyObject* unused) {
  (void)unused;
  const jf_ndarray* array = core_ndarray_memory(self);
  jf_object* made = array != NULL ? core_ndarray_copied(array) : NULL;
  return made != NULL ? core_ndarray_box(made) : NULL;
}

/* -- pickling: by value --------------------------------------------------------------------------------------------- */

PyObject* core_ndarray_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  const jf_ndarray* array = core_ndarray_memory(self);
  if (array == NULL) return NULL;
  PyObject* bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)core_ndarray_bytes(array));
  if (bytes == NULL || (array = core_ndarray_get(self)) == NULL) {
    Py_XDECREF(bytes);
    return NULL;
  }
  jf_dltensor flat = array->tensor;
  flat.data = PyBytes_AS_STRING(bytes);
  flat.byte_offset = 0;
  flat.strides = NULL;
  if (jf_dltensor_copy(&flat, &array->tensor) != 0) {
    Py_DECREF(bytes);
    return core_error_raise(NULL), NULL;
  }
  char name[JF_DTYPE_SIZE];
  jf_dtype_format(array->tensor.dtype, name, sizeof name);
  PyObject* restore = PyObject_GetAttrString((PyObject*)&core_ndarray_type, "_restore");
  return Py_BuildValue("N(NsN)", restore, core_ndarray_tuple(array->tensor.shape, array->tensor.ndim), name, bytes);
}

PyObject* core_ndarray_restore(PyObject* class, PyObject* args) {
  (void)class;
  PyObject *shape, *dtype;
  Py_buffer bytes;
  int64_t dims[JF_NDARRAY_DIMS];
  jf_dtype type;
  if (!PyArg_ParseTuple(args, "OOy*:_restore", &shape, &dtype, &bytes)) return NULL;
  const int ndim = core_ndarray_shape(shape, "NDArray", dims);
  jf_object* made = NULL;
  if (ndim >= 0 && read_dtype(dtype, "NDArray", &type) == 0) {
    made = jf_ndarray_new(ndim, dims, type, 0);
    if (made == NULL) core_error_raise(NULL);
  }
  if (made != NULL && core_ndarray_bytes((jf_ndarray*)made) == (size_t)bytes.len) {
    memcpy(((jf_ndarray*)made)->tensor.data, bytes.buf, (size_t)bytes.len);
  } else if (made != NULL) {
    PyErr_Format(PyExc_ValueError, "NDArray: %zd bytes are not those of its elements", bytes.len);
    jf_object_release(made);
    made = NULL;
  }
  PyBuffer_Release(&bytes);
  return made != NULL ? core_ndarray_box(made) : NULL;
}
