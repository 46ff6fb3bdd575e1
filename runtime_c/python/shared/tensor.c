/* Tensors that may be kept: what callables and packed callees are given for one, and what callables return for one.
 *
 * NumPy's arrays and ours are the nd-arrays that they are everywhere. Of all else one is made that keeps whatever the object was
 * read by: its buffer, its DLPack tensor, the object.
 */
#include "array.h"
#include "call.h"
#include "error.h"
#include "jitffi/runtime.h"
#include "ndarray_object.h"
#include "numpy_array.h"
#include "unbox.h"
#include "wrapper.h"

typedef struct {
  jf_dltensor tensor;
  int64_t room[2 * JF_MAX_RANK];
} found_tensor;

/* 0, or -1 with an exception. */
static int read_tensor(core_state* state, int32_t index, PyObject* object, uint64_t spec, const int64_t* lengths,
                       jf_dltensor* out, jf_temps* temps) {
  spec |= (uint64_t)JF_SPEC_KEPT << 24;
  if (core_keep_python(temps, Py_NewRef(object)) != 0) return -1;
  if (core_unbox_tensor(state, index, object, spec, out, temps) != 0) return -1;
  for (int32_t i = 0; lengths != NULL && i < out->ndim; i++)
    if (lengths[i] >= 0 && lengths[i] != out->shape[i])
      return core_refuse_length(state, index, object, i, out->shape[i], -1, lengths[i]);
  return 0;
}

/* New; NULL without an exception: the object is no array of NumPy's or ours. */
static jf_object* own_array(PyObject* object) {
  if (Py_TYPE(object) != core_numpy.ndarray && !core_is_wrapper(object)) return NULL;
  jf_object* native = core_native_object(object);
  if (native == NULL || jf_type_is_a(native->type_code, JF_NDARRAY)) return native;
  jf_object_release(native);
  return NULL;
}

jf_object* core_tensor_object(core_state* state, int32_t index, PyObject* object, uint64_t spec,
                              const int64_t* lengths) {
  found_tensor found;
  jf_temps* held = jf_alloc(sizeof *held);
  if (held == NULL) return PyErr_NoMemory(), NULL;
  *held = (jf_temps){NULL};
  const int failed = read_tensor(state, index, object, spec, lengths, &found.tensor, held) != 0;
  jf_object* made = failed ? NULL : own_array(object);
  if (failed || made != NULL || PyErr_Occurred()) {
    core_release_held(held);
    return made;
  }
  const uint64_t flags = (spec >> 24) & JF_SPEC_WRITABLE ? 0 : JF_DL_READ_ONLY;
  made = jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &found.tensor, flags, held, core_release_held);
  if (made == NULL) core_error_raise(state);
  return made;
}

PyObject* core_box_tensor(core_state* state, int32_t index, PyObject* object, const jf_view* view,
                          const jf_dltensor* tensor, uint64_t spec, const int64_t* lengths) {
  if (object != NULL) {
    jf_object* array = core_tensor_object(state, index, object, spec, NULL);
    return array != NULL ? core_take_object(array) : NULL;
  }
  jf_object* array = jf_lend_tensor(state->info, index, view, tensor, spec, lengths);
  if (array != NULL) return core_take_object(array);
  core_error_raise(state);
  return NULL;
}

void core_tensor_back(PyObject* box, const jf_dltensor* tensor) {
  const jf_ndarray* array = core_ndarray_view(box);
  if (array == NULL || tensor->device.device_type != JF_CPU) return;
  if (core_ndarray_data(array) == (char*)tensor->data + tensor->byte_offset) return; /* it is no copy */
  jf_dltensor_copy(tensor, &array->tensor);
}

int32_t core_tensor_value(core_state* state, int32_t index, PyObject* object, uint64_t spec, jf_view* view,
                          jf_temps* temps) {
  jf_object* array = own_array(object); /* the entry has checked it as an argument */
  if (array == NULL && !PyErr_Occurred()) array = core_tensor_object(state, index, object, spec, NULL);
  if (array == NULL || core_keep_object(temps, array) != 0) return -1;
  core_view_of_object(array, view);
  return 0;
}
