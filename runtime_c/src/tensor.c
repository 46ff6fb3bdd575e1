/* Tensors between conventions: what a packed entry takes for one, what a callee is given that may keep it, and results, which are
 * nd-arrays. A tensor is borrowed for a call, so whoever may keep what it is given has the memory of an object, or a copy.
 */
#include "array.h"
#include "message.h"
#include "slot.h"

typedef struct {
  jf_dltensor tensor;
  int64_t room[2 * JF_MAX_RANK];
} found_tensor;

/* 0 and *out filled, or -1 with TypeError or ValueError. Of `lengths` those below 0 are any; NULL: all. */
static int32_t match(const jf_call_info* info, int32_t index, const jf_array* array, uint64_t spec,
                     const int64_t* lengths, jf_dltensor* out) {
  char words[JF_ARRAY_WORDS];
  int32_t reason = jf_tensor_match(array, spec, out);
  for (int32_t i = 0; reason == JF_ARRAY_FITS && lengths && i < array->ndim; i++)
    if (lengths[i] >= 0 && lengths[i] != array->shape[i]) reason = JF_ARRAY_BAD_SHAPE;
  if (reason == JF_ARRAY_FITS) return 0;
  jf_array_words(array, jf_tensor_spec_in_words(spec), reason, words, sizeof words);
  return jf_fail_argument(jf_array_error(reason), info, index, "an array", "", words);
}

/* Borrowed from the view and temps. */
int32_t jf_lift_tensor(const jf_call_info* info, int32_t index, const jf_view* view, uint64_t spec, jf_dltensor* out,
                       jf_temps* temps) {
  int64_t strides[JF_MAX_RANK], length;
  jf_array array;
  int32_t found = jf_array_of_slot(view, strides, &length, &array);
  if (!found) found = jf_array_of_host(view, (uint32_t)spec, &array, temps);
  if (!found) jf_fail_type(info, index, view);
  return found > 0 ? match(info, index, &array, spec, NULL, out) : -1;
}

/* -- what a callee may keep -- */

static uint64_t flags_of(uint64_t spec) { return (spec >> 24) & JF_SPEC_WRITABLE ? 0 : JF_DL_READ_ONLY; }

static jf_object* copy_of(const jf_call_info* info, int32_t index, const jf_dltensor* tensor, uint64_t spec) {
  if (!jf_dltensor_itemsize(tensor, 0)) {
    jf_fail_place("ValueError", info, index, "elements that share bytes are not copied: pass an nd-array");
    return NULL;
  }
  jf_object* array = jf_ndarray_new(tensor->ndim, tensor->shape, tensor->dtype, 0);
  if (!array) return NULL;
  if (jf_dltensor_copy(jf_ndarray_tensor(array), tensor) == 0) {
    ((jf_ndarray*)array)->flags |= flags_of(spec);
    return array;
  }
  jf_object_release(array);
  return NULL;
}

/* Borrows all but the result. */
jf_object* jf_lend_tensor(const jf_call_info* info, int32_t index, const jf_view* view, const jf_dltensor* tensor,
                          uint64_t spec, const int64_t* lengths) {
  jf_any scratch;
  if (view && jf_any_object(jf_any_resolve(view, &scratch)))
    return jf_lift_tensor_result(info, index, view, spec, lengths);
  int64_t strides[JF_MAX_RANK];
  found_tensor found;
  jf_array array;
  jf_array_of_tensor(tensor, 0, strides, &array);
  if (match(info, index, &array, spec, lengths, &found.tensor) != 0) return NULL;
  if (tensor->device.device_type == JF_CPU) return copy_of(info, index, &found.tensor, spec);
  return jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &found.tensor, flags_of(spec), NULL, NULL);
}

static void release(void* object) { jf_object_release(object); }

/* Borrowed from the tensor and temps. */
int32_t jf_lower_tensor(const jf_call_info* info, int32_t index, const jf_dltensor* tensor, uint64_t spec,
                        jf_view* view, jf_temps* temps) {
  *view = (jf_any){JF_DLTENSOR, 0, {.v_handle = (void*)(uintptr_t)tensor}};
  if (!flags_of(spec)) return 0;
  jf_object* array = jf_lend_tensor(info, index, NULL, tensor, spec, NULL);
  if (!array) return -1;
  *view = (jf_any){JF_NDARRAY, 0, {.v_handle = array}};
  return jf_temps_add(temps, array, release);
}

/* -- results -- */

static void release_temps(void* owner) {
  jf_temps_release(owner);
  jf_free(owner);
}

/* New: on the memory of an object of another language, which the array keeps. NULL with the error set. */
static jf_object* keep_host(const jf_call_info* info, int32_t index, const jf_view* view, uint64_t spec,
                            const int64_t* lengths) {
  jf_temps* temps = jf_alloc(sizeof *temps);
  found_tensor found;
  jf_array array;
  if (!temps) return jf_error_set_object(NULL), NULL;
  *temps = (jf_temps){NULL};
  const int32_t status = jf_array_of_host(view, (uint32_t)spec | (uint64_t)JF_SPEC_KEPT << 24, &array, temps);
  if (!status) jf_fail_type(info, index, view);
  if (status <= 0 || match(info, index, &array, spec, lengths, &found.tensor) != 0) return release_temps(temps), NULL;
  return jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &found.tensor, flags_of(spec), temps, release_temps);
}

jf_object* jf_lift_tensor_result(const jf_call_info* info, int32_t index, const jf_view* view, uint64_t spec,
                                 const int64_t* lengths) {
  int64_t strides[JF_MAX_RANK], length;
  found_tensor found;
  jf_array array;
  jf_any scratch;
  jf_object* object = jf_any_object(jf_any_resolve(view, &scratch));
  if (!object || !jf_type_is_a(object->type_code, JF_NDARRAY)) return keep_host(info, index, view, spec, lengths);
  jf_array_of_slot(view, strides, &length, &array);
  if (match(info, index, &array, spec, lengths, &found.tensor) != 0) return NULL;
  jf_object_retain(object);
  return object;
}

jf_object* jf_take_tensor(const jf_call_info* info, jf_object* object, uint64_t spec, const int64_t* lengths) {
  const jf_any slot = {JF_OBJECT, 0, {.v_object = object}};
  jf_object* array = jf_lift_tensor_result(info, -1, &slot, spec, lengths);
  jf_object_release(object);
  return array;
}
