/* reshape and transpose of arrays: other shapes and strides for the same elements, never a copy. */
#include "ndarray_object.h"
#include "wrapper.h"

#include <string.h>

/* The numbers of *args, or of its one item that is a sequence: how many, or -1 with an exception. */
static int read_numbers(PyObject* args, const char* what, int64_t* numbers) {
  const int is_one = PyTuple_GET_SIZE(args) == 1;
  return core_ndarray_shape(is_one ? PyTuple_GET_ITEM(args, 0) : args, what, numbers);
}

/* Puts what follows from the others in the place of -1: 0, or -1 with ValueError. */
static int complete(const jf_ndarray* array, int ndim, int64_t* shape) {
  int64_t known = 1;
  int missing = -1, is_wrong = 0;
  const int64_t items = jf_dltensor_items(&array->tensor);
  for (int i = 0; i < ndim; i++) {
    if (shape[i] == -1 && missing < 0)
      missing = i;
    else if (shape[i] < 0)
      is_wrong = 1;
    else if (__builtin_mul_overflow(known, shape[i], &known))
      is_wrong = items != 0 || known != 0;
  }
  for (int i = 0; i < ndim; i++) {
    if (shape[i] == 0) known = 0;
  }
  if (missing >= 0 && known != 0 && items % known == 0) {
    shape[missing] = items / known;
    known = items;
  }
  if (!is_wrong && known == items && (missing < 0 || shape[missing] >= 0)) return 0;
  PyObject* text = core_ndarray_describe(array);
  if (text != NULL) PyErr_Format(PyExc_ValueError, "NDArray.reshape: %U has other elements than that shape", text);
  Py_XDECREF(text);
  return -1;
}

/* The strides of `shape` over the elements of `from`, which are as many and some. Dimensions that hold the same elements before and
 * after, in runs, can be split and joined where those before lie one within the other: 0; -1: they do not. */
static int find_strides(const jf_dltensor* from, int ndim, const int64_t* shape, int64_t* strides) {
  int64_t old_shape[JF_NDARRAY_DIMS], old_strides[JF_NDARRAY_DIMS];
  int old_ndim = 0, first = 0, new_first = 0;
  for (int i = 0; i < from->ndim; i++) {
    if (from->shape[i] == 1) continue;
    old_shape[old_ndim] = from->shape[i];
    old_strides[old_ndim++] = from->strides[i];
  }
  while (first < old_ndim) {
    int last = first + 1, new_last = new_first + 1;
    int64_t items = old_shape[first], new_items = shape[new_first];
    while (items != new_items) {
      if (new_items < items)
        new_items *= shape[new_last++];
      else
        items *= old_shape[last++];
    }
    for (int i = first; i < last - 1; i++)
      if (old_strides[i] != old_shape[i + 1] * old_strides[i + 1]) return -1;
    int64_t stride = old_strides[last - 1];
    for (int i = new_last - 1; i >= new_first; i--) {
      strides[i] = stride;
      stride *= shape[i];
    }
    first = last;
    new_first = new_last;
  }
  for (int i = new_first; i < ndim; i++) strides[i] = 1; /* of length 1 */
  return 0;
}

PyObject* core_ndarray_reshape(PyObject* self, PyObject* args) {
  int64_t shape[JF_NDARRAY_DIMS], strides[JF_NDARRAY_DIMS];
  const int ndim = read_numbers(args, "NDArray.reshape", shape);
  const jf_ndarray* array = ndim >= 0 ? core_ndarray_get(self) : NULL;
  if (array == NULL || complete(array, ndim, shape) != 0) return NULL;
  jf_object* object = (jf_object*)(uintptr_t)array;
  if (jf_dltensor_items(&array->tensor) == 0) return core_ndarray_box(jf_ndarray_view(object, ndim, shape, NULL, 0));
  if (find_strides(&array->tensor, ndim, shape, strides) == 0)
    return core_ndarray_box(jf_ndarray_view(object, ndim, shape, strides, 0));
  PyErr_SetString(PyExc_ValueError, "NDArray.reshape: these strides take a copy for it: reshape a.copy()");
  return NULL;
}

static PyObject* transposed(PyObject* self, const int64_t* axes) {
  int64_t shape[JF_NDARRAY_DIMS], strides[JF_NDARRAY_DIMS];
  const jf_ndarray* array = core_ndarray_get(self);
  if (array == NULL) return NULL;
  const int32_t ndim = array->tensor.ndim;
  for (int32_t i = 0; i < ndim; i++) {
    const int64_t from = axes != NULL ? axes[i] : ndim - 1 - i;
    shape[i] = array->tensor.shape[from];
    strides[i] = array->tensor.strides[from];
  }
  return core_ndarray_box(jf_ndarray_view((jf_object*)(uintptr_t)array, ndim, shape, strides, 0));
}

PyObject* core_ndarray_get_transposed(PyObject* self, void* unused) {
  (void)unused;
  return transposed(self, NULL);
}

PyObject* core_ndarray_transpose(PyObject* self, PyObject* args) {
  int64_t axes[JF_NDARRAY_DIMS];
  if (PyTuple_GET_SIZE(args) == 0) return transposed(self, NULL);
  const int count = read_numbers(args, "NDArray.transpose", axes);
  const jf_ndarray* array = count >= 0 ? core_ndarray_get(self) : NULL;
  if (array == NULL) return NULL;
  uint64_t seen = 0;
  const int32_t ndim = array->tensor.ndim;
  for (int i = 0; i < count && count == ndim; i++) {
    if (axes[i] < 0) axes[i] += ndim;
    if (axes[i] >= 0 && axes[i] < ndim) seen |= (uint64_t)1 << axes[i];
  }
  if (count == ndim && (ndim == 0 || seen == UINT64_MAX >> (64 - ndim))) return transposed(self, axes);
  PyErr_Format(PyExc_ValueError, "NDArray.transpose: expected each of the %d axes once", (int)ndim);
  return NULL;
}
