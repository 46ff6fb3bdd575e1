/* Elements and views of arrays by ints, slices, None and an ellipsis, as NumPy has them; and values into them.
 *
 * An index is read first, which can run any code, and then applied, which cannot.
 */
#include "error.h"
#include "ndarray_object.h"
#include "unbox.h"
#include "wrapper.h"

#include <string.h>

enum { INDEX, SLICE, ELLIPSIS, NEW_AXIS };
enum { PARTS = 2 * JF_NDARRAY_DIMS };

typedef struct {
  int kind;
  Py_ssize_t start, stop, step;
} part;

/* Which elements there are: of one alone, `is_element`. */
typedef struct {
  int64_t shape[JF_NDARRAY_DIMS];
  int64_t strides[JF_NDARRAY_DIMS];
  int64_t offset;
  int32_t ndim;
  int is_element;
} selection;

/* -- reading an index ---------------------------------------------------------------------------------------------- */

/* 0, or -1 with an exception. */
static int read_part(PyObject* key, part* out) {
  if (key == Py_None || key == Py_Ellipsis) {
    out->kind = key == Py_None ? NEW_AXIS : ELLIPSIS;
    return 0;
  }
  if (PySlice_Check(key)) {
    out->kind = SLICE;
    return PySlice_Unpack(key, &out->start, &out->stop, &out->step);
  }
  PyObject* number = PyBool_Check(key) ? NULL : core_as_int(key);
  if (number == NULL) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError,
                   "NDArray indices are ints, slices, None and ..., not %.200s: others can be had by numpy()",
                   Py_TYPE(key)->tp_name);
    return -1;
  }
  out->kind = INDEX;
  out->start = PyNumber_AsSsize_t(number, PyExc_IndexError);
  Py_DECREF(number);
  return out->start == -1 && PyErr_Occurred() ? -1 : 0;
}

/* How many parts the index has, or -1 with an exception. */
static int read_key(PyObject* key, part* parts) {
  if (!PyTuple_Check(key)) return read_part(key, parts) == 0 ? 1 : -1;
  const Py_ssize_t count = PyTuple_GET_SIZE(key);
  if (count > PARTS) {
    PyErr_SetString(PyExc_IndexError, "an index has more parts than an array can have dimensions");
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; i++)
    if (read_part(PyTuple_GET_ITEM(key, i), &parts[i]) != 0) return -1;
  return (int)count;
}

/* -- applying it --------------------------------------------------------------------------------------------------- */

static int add_dimension(selection* out, int64_t length, int64_t stride) {
  if (out->ndim == JF_NDARRAY_DIMS) {
    PyErr_Format(PyExc_IndexError, "an array has up to %d dimensions", (int)JF_NDARRAY_DIMS);
    return -1;
  }
  out->shape[out->ndim] = length;
  out->strides[out->ndim++] = stride;
  return 0;
}

/* One part of the index, at dimension `at`: 0, or -1 with IndexError. */
static int apply(const part* p, const jf_dltensor* tensor, int32_t at, selection* out) {
  const int64_t length = tensor->shape[at], stride = tensor->strides[at];
  if (p->kind == INDEX) {
    const int64_t index = p->start < 0 ? p->start + length : p->start;
    if (index < 0 || index >= length) {
      PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for dimension %d with %lld elements", p->start,
                   (int)at, (long long)length);
      return -1;
    }
    out->offset += index * stride;
    return 0;
  }
  Py_ssize_t start = p->start, stop = p->stop;
  const Py_ssize_t count = PySlice_AdjustIndices((Py_ssize_t)length, &start, &stop, p->step);
  out->offset += count > 0 ? start * stride : 0;
  return add_dimension(out, count, count > 1 ? p->step * stride : stride);
}

/* 0, or -1 with an exception. Runs no code of others. */
static int select_elements(const jf_dltensor* tensor, const part* parts, int count, selection* out) {
  int consumed = 0, ellipses = 0;
  out->offset = 0;
  out->ndim = 0;
  for (int i = 0; i < count; i++) {
    consumed += parts[i].kind == INDEX || parts[i].kind == SLICE;
    ellipses += parts[i].kind == ELLIPSIS;
  }
  if (consumed > tensor->ndim || ellipses > 1) {
    if (ellipses > 1)
      PyErr_SetString(PyExc_IndexError, "an index has one ellipsis at most");
    else
      PyErr_Format(PyExc_IndexError, "too many indices: %d for %d dimensions", consumed, (int)tensor->ndim);
    return -1;
  }
  int32_t at = 0;
  out->is_element = consumed == tensor->ndim;
  for (int i = 0; i < count; i++) {
    out->is_element &= parts[i].kind == INDEX;
    if (parts[i].kind == NEW_AXIS) {
      if (add_dimension(out, 1, 1) != 0) return -1;
    } else if (parts[i].kind == ELLIPSIS) {
      for (int32_t end = at + tensor->ndim - consumed; at < end; at++)
        if (add_dimension(out, tensor->shape[at], tensor->strides[at]) != 0) return -1;
    } else if (apply(&parts[i], tensor, at++, out) != 0) {
      return -1;
    }
  }
  for (; at < tensor->ndim; at++)
    if (add_dimension(out, tensor->shape[at], tensor->strides[at]) != 0) return -1;
  return 0;
}

/* -- what is there ------------------------------------------------------------------------------------------------- */

/* The element, or a view; NULL with an exception. */
static PyObject* selected(PyObject* self, const part* parts, int count) {
  selection s;
  jf_ndarray* array = core_ndarray_get(self);
  if (array == NULL || select_elements(&array->tensor, parts, count, &s) != 0) return NULL;
  if (!s.is_element && jf_dltensor_itemsize(&array->tensor, array->flags) != 0)
    return core_ndarray_box(jf_ndarray_view(&array->header, s.ndim, s.shape, s.strides, s.offset));
  array = core_ndarray_memory(self);
  if (array == NULL) return NULL;
  jf_object_retain(&array->header); /* the collector may run */
  const int64_t bytes = s.offset * (int64_t)jf_dltensor_itemsize(&array->tensor, array->flags);
  PyObject* item = core_element_get(array->tensor.dtype, core_ndarray_data(array) + bytes);
  jf_object_release(&array->header);
  return item;
}

PyObject* core_ndarray_subscript(PyObject* self, PyObject* key) {
  part parts[PARTS];
  const int count = read_key(key, parts);
  return count >= 0 ? selected(self, parts, count) : NULL;
}

/* What sequences are gone through by. */
PyObject* core_ndarray_item(PyObject* self, Py_ssize_t index) {
  const part first = {INDEX, index, 0, 0};
  const jf_ndarray* array = core_ndarray_get(self);
  if (array == NULL) return NULL;
  if (index < 0 && array->tensor.ndim > 0) {
    PyErr_SetString(PyExc_IndexError, "NDArray index out of range");
    return NULL;
  }
  return selected(self, &first, 1);
}

PyObject* core_ndarray_only_item(PyObject* self, PyObject* unused) {
  part first[JF_NDARRAY_DIMS] = {{INDEX, 0, 0, 0}};
  (void)unused;
  const jf_ndarray* array = core_ndarray_get(self);
  if (array == NULL) return NULL;
  if (jf_dltensor_items(&array->tensor) == 1) return selected(self, first, array->tensor.ndim);
  PyErr_Format(PyExc_ValueError, "NDArray: one element is asked of %lld", (long long)jf_dltensor_items(&array->tensor));
  return NULL;
}

/* New; the array is held. */
static PyObject* nested(const jf_ndarray* array, int32_t at, const char* data) {
  const jf_dltensor* tensor = &array->tensor;
  if (at == tensor->ndim) return core_element_get(tensor->dtype, data);
  const int64_t step = tensor->strides[at] * (int64_t)jf_dltensor_itemsize(tensor, array->flags);
  PyObject* list = PyList_New((Py_ssize_t)tensor->shape[at]);
  for (Py_ssize_t i = 0; list != NULL && i < (Py_ssize_t)tensor->shape[at]; i++) {
    PyObject* item = nested(array, at + 1, data + (tensor->shape[at] > 1 ? i * step : 0));
    if (item == NULL)
      Py_CLEAR(list);
    else
      PyList_SET_ITEM(list, i, item);
  }
  return list;
}

PyObject* core_ndarray_tolist(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_ndarray* array = core_ndarray_memory(self);
  if (array == NULL) return NULL;
  jf_object_retain(&array->header);
  PyObject* made = nested(array, 0, core_ndarray_data(array));
  jf_object_release(&array->header);
  return made;
}

/* -- writing --------------------------------------------------------------------------------------------------------- */

static int fail_shape(const jf_ndarray* to, const jf_ndarray* from) {
  const int is_dtype = memcmp(&to->tensor.dtype, &from->tensor.dtype, sizeof to->tensor.dtype) != 0;
  PyObject* expected = core_ndarray_describe(to);
  PyObject* got = core_ndarray_describe(from);
  if (expected != NULL && got != NULL)
    PyErr_Format(is_dtype ? PyExc_TypeError : PyExc_ValueError, "NDArray: expected a number or %U, got %U", expected,
                 got);
  Py_XDECREF(expected);
  Py_XDECREF(got);
  return -1;
}

/* All elements of the view from an array's: 0, or -1 with an exception. */
static int copy_into(const jf_ndarray* to, const jf_ndarray* from) {
  const int ndim = to->tensor.ndim;
  if (memcmp(&to->tensor.dtype, &from->tensor.dtype, sizeof to->tensor.dtype) != 0 || ndim != from->tensor.ndim ||
      memcmp(to->tensor.shape, from->tensor.shape, (size_t)ndim * sizeof *to->tensor.shape) != 0)
    return fail_shape(to, from);
  if (jf_dltensor_copy(&to->tensor, &from->tensor) == 0) return 0;
  core_error_raise(NULL);
  return -1;
}

/* The same number everywhere: it is a tensor of that shape all of whose strides are 0. */
static int fill(const jf_ndarray* to, PyObject* value) {
  const int64_t none[JF_NDARRAY_DIMS] = {0};
  const size_t size = jf_dltensor_itemsize(&to->tensor, to->flags);
  char* element = PyMem_Malloc(size);
  int status = element != NULL ? core_element_set(to->tensor.dtype, element, value) : -1;
  if (element == NULL) PyErr_NoMemory();
  jf_dltensor tensor = to->tensor;
  tensor.data = element;
  tensor.byte_offset = 0;
  tensor.strides = (int64_t*)(uintptr_t)none;
  if (status == 0 && jf_dltensor_copy(&to->tensor, &tensor) != 0) {
    core_error_raise(NULL);
    status = -1;
  }
  PyMem_Free(element);
  return status;
}

/* A NumPy array as an array of the same memory: new. NULL, with an exception or where it is to be read as one number. */
static jf_object* other_array(PyObject* value) {
  jf_object* array = core_ndarray_of_numpy(value);
  if (array == NULL || jf_ndarray_tensor(array)->ndim > 0) return array;
  jf_object_release(array);
  return NULL;
}

/* 0, or -1 with an exception. */
static int write_value(const jf_ndarray* to, PyObject* value) {
  const jf_ndarray* from = core_ndarray_view(value);
  if (from != NULL && from->tensor.device.device_type != JF_CPU) return core_ndarray_memory(value) != NULL ? 0 : -1;
  if (from != NULL) return copy_into(to, from);
  jf_object* other = other_array(value);
  if (other == NULL) return PyErr_Occurred() ? -1 : fill(to, value);
  const int status = copy_into(to, (jf_ndarray*)other);
  jf_object_release(other);
  return status;
}

int core_ndarray_assign(PyObject* self, PyObject* key, PyObject* value) {
  part parts[PARTS];
  selection s;
  if (value == NULL) {
    PyErr_SetString(PyExc_TypeError, "an NDArray's elements cannot be deleted");
    return -1;
  }
  const int count = read_key(key, parts);
  jf_ndarray* array = count >= 0 ? core_ndarray_memory(self) : NULL;
  if (array == NULL || select_elements(&array->tensor, parts, count, &s) != 0) return -1;
  if (core_ndarray_is_readonly(array)) {
    PyErr_SetString(PyExc_ValueError, "NDArray: it is read-only");
    return -1;
  }
  jf_object* view = jf_ndarray_view(&array->header, s.ndim, s.shape, s.strides, s.offset);
  if (view == NULL) {
    core_error_raise(NULL);
    return -1;
  }
  const int status = write_value((jf_ndarray*)view, value); /* which runs code; the view holds the memory */
  jf_object_release(view);
  return status;
}
