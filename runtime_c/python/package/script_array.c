/* Python's arrays as arguments of scripts: nd-arrays on the same memory, which hold the object, and back again.
 *
 * Nothing is copied, and what a script keeps or returns keeps the object alive. Where such an array comes back to Python it is the
 * very object that it was made of; a view of one that NumPy had is NumPy's again.
 */
#include "array.h"
#include "boxing.h"
#include "error.h"
#include "function.h"
#include "host_object.h"
#include "jitffi/ndarray.h"
#include "ndarray_object.h"
#include "numpy_array.h"
#include "script.h"
#include "wrapper.h"

#include <string.h>

/* -- type tags --------------------------------------------------------------------------------------------------- */

/* In the order of dispatch.py. */
static const jf_dtype elements[] = {
    {JF_DL_FLOAT, 64, 1}, {JF_DL_FLOAT, 32, 1}, {JF_DL_INT, 64, 1},  {JF_DL_INT, 32, 1},
    {JF_DL_INT, 16, 1},   {JF_DL_INT, 8, 1},    {JF_DL_UINT, 64, 1}, {JF_DL_UINT, 32, 1},
    {JF_DL_UINT, 16, 1},  {JF_DL_UINT, 8, 1},   {JF_DL_BOOL, 8, 1},
};
enum { ELEMENTS = sizeof elements / sizeof elements[0], MOST_RANK = 15 };

static int number_of(jf_dtype dtype) {
  for (int i = 0; i < ELEMENTS; i++)
    if (dtype.code == elements[i].code && dtype.bits == elements[i].bits && dtype.lanes == 1) return i;
  return -1;
}

uint64_t core_script_array_tag(const jf_object* array) {
  const jf_dltensor* tensor = &((const jf_ndarray*)array)->tensor;
  const int number = number_of(tensor->dtype);
  if (number < 0 || tensor->ndim < 1 || tensor->ndim > MOST_RANK || tensor->device.device_type != JF_CPU)
    return CORE_TAG_ANY;
  return (uint64_t)tensor->ndim << 4 | (uint64_t)number;
}

/* -- in ------------------------------------------------------------------------------------------------------------ */

static void release_python(void* object) { core_decref_anywhere(object); }

/* New: holds `owner`. 0 where the array is none that scripts have, or its strides are no whole elements. */
static int wrap(const jf_array* array, PyObject* owner, jf_object** made) {
  int64_t strides[JF_MAX_RANK];
  if (array->flags & (JF_ARRAY_SWAPPED | JF_ARRAY_OPAQUE) || array->ndim < 1 || array->ndim > MOST_RANK) return 0;
  if (array->dtype.lanes == 0 || number_of(array->dtype) < 0) return 0;
  for (int32_t i = 0; i < array->ndim; i++) {
    if (array->shape[i] > 1 && array->strides[i] % array->item_size != 0) return 0;
    strides[i] = array->strides[i] / array->item_size;
  }
  const jf_dltensor tensor = {.data = array->data,
                              .device = array->device,
                              .ndim = array->ndim,
                              .dtype = array->dtype,
                              .shape = (int64_t*)(uintptr_t)array->shape,
                              .strides = strides};
  const uint64_t flags = array->flags & JF_ARRAY_READ_ONLY ? JF_DL_READ_ONLY : 0;
  *made = jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &tensor, flags, Py_NewRef(owner), release_python);
  if (*made != NULL) return 1;
  core_error_raise(NULL);
  return -1;
}

/* By a memoryview, which keeps the buffer as long as the array lives; its owner is that and the object, a tuple. 0, too, for
 * what has no buffer of numbers. */
static int wrap_buffer(PyObject* object, jf_object** made) {
  if (!PyObject_CheckBuffer(object)) return 0;
  PyObject* view = PyMemoryView_FromObject(object);
  if (view == NULL) {
    PyErr_Clear();
    return 0;
  }
  const Py_buffer* buffer = PyMemoryView_GET_BUFFER(view);
  core_array found;
  core_array_init(&found, buffer->buf);
  jf_array* array = &found.array;
  int status = 0;
  if (buffer->ndim <= MOST_RANK && buffer->format != NULL && buffer->suboffsets == NULL &&
      core_format_dtype(buffer->format, buffer->itemsize, &array->dtype, &array->flags)) {
    array->ndim = buffer->ndim;
    array->item_size = buffer->itemsize;
    if (buffer->readonly) array->flags |= JF_ARRAY_READ_ONLY;
    for (int i = 0; i < buffer->ndim; i++) {
      found.shape[i] = buffer->shape[i];
      found.strides[i] = buffer->strides[i];
    }
    PyObject* both = PyTuple_Pack(2, view, object);
    status = both != NULL ? wrap(array, both, made) : -1;
    Py_XDECREF(both);
  }
  Py_DECREF(view);
  return status;
}

/* What is derived from NumPy's class may mean something else by its elements. */
static int is_numpy(PyObject* object) {
  return core_numpy.ndarray != NULL ? Py_TYPE(object) == core_numpy.ndarray
                                    : strcmp(Py_TYPE(object)->tp_name, "numpy.ndarray") == 0;
}

int core_script_array(const core_script* script, int32_t index, PyObject* object, jf_object** made) {
  const int is_declared = index < 64 && (script->arrays >> index & 1);
  const int is_told = index < CORE_MOST_TOLD_APART && (script->asked.kinds >> (4 * index) & 1);
  core_array found;
  if (!is_declared && !(is_told && is_numpy(object))) return 0;
  if (core_numpy_read(object, &found)) return wrap(&found.array, object, made);
  return is_declared ? wrap_buffer(object, made) : 0;
}

/* -- out ----------------------------------------------------------------------------------------------------------- */

PyObject* core_script_array_back(jf_object* array) {
  const jf_ndarray* self = (const jf_ndarray*)array;
  if (self->release == release_python) {
    PyObject* owner = self->owner;
    return Py_NewRef(PyTuple_Check(owner) ? PyTuple_GET_ITEM(owner, 1) : owner);
  }
  const jf_ndarray* base = (const jf_ndarray*)jf_ndarray_base(array);
  PyObject* made = core_wrapper_of(array);
  if (made == NULL || base->release != release_python || PyTuple_Check((PyObject*)base->owner)) return made;
  PyObject* numpy = core_ndarray_numpy(made, NULL);
  Py_DECREF(made);
  return numpy;
}
