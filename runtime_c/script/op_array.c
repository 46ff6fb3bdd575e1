/* Arrays of scripts: nd-arrays (ndarray.h), whose elements generated code reads and writes by itself. Here is what it calls
 * once, to get one or a view of it, and where it must fail.
 *
 * What a script has as an array was checked: its elements are of its type, on the CPU, and begin at `data`.
 */
#include "jitffi/array.h"
#include "op_value.h"
#include "slot.h"
#include "text_make.h"

/* NULL where the value holds no nd-array. */
static jf_object* array_of(const jf_any* value) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  if (slot->type_code != JF_NDARRAY && slot->type_code != JF_OBJECT) return NULL;
  jf_object* object = slot->v_object;
  return object && jf_type_is_a(object->type_code, JF_NDARRAY) ? object : NULL;
}

static int32_t fits(const jf_dltensor* tensor, uint64_t spec) {
  return tensor->device.device_type == JF_CPU && tensor->dtype.code == (uint8_t)spec &&
         tensor->dtype.bits == (uint8_t)(spec >> 8) && tensor->dtype.lanes == 1 &&
         tensor->ndim == (uint8_t)(spec >> 16);
}

/* New: the same array without an offset from its data. */
static jf_object* without_offset(jf_object* array) {
  jf_ndarray* from = (jf_ndarray*)array;
  jf_object* made = jf_ndarray_view(array, from->tensor.ndim, from->tensor.shape, from->tensor.strides, 0);
  if (!made) return NULL;
  jf_dltensor* tensor = jf_ndarray_tensor(made);
  tensor->data = (char*)tensor->data + tensor->byte_offset;
  tensor->byte_offset = 0;
  return made;
}

/* New: the array of a DLTensor that is borrowed for the call. */
static jf_object* of_borrowed(const jf_dltensor* tensor) {
  jf_dltensor here = *tensor;
  here.data = (char*)here.data + here.byte_offset;
  here.byte_offset = 0;
  return jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &here, 0, NULL, NULL);
}

/* The array that a value is, borrowed from it, or from *made, which is new, or NULL. NULL with TypeError: it is none, or not what
 * the spec (array.h) says. */
jf_object* jf_array_argument(const jf_any* value, int64_t spec, const char* function, const char* name,
                             const char* type, jf_object** made) {
  jf_object* array = array_of(value);
  *made = NULL;
  if (!array && value->type_code == JF_DLTENSOR && value->v_handle && spec & JF_ARRAY_BORROWED) {
    array = *made = of_borrowed(value->v_handle);
    if (!array) return NULL;
  }
  if (!array) {
    jf_script_mistyped(function, name, type, value);
    return NULL;
  }
  const jf_dltensor* tensor = jf_ndarray_tensor(array);
  if (fits(tensor, (uint64_t)spec)) {
    if (tensor->byte_offset == 0 || *made) return array;
    *made = without_offset(array);
    return *made;
  }
  int64_t strides[JF_MAX_RANK];
  jf_array found;
  char words[JF_ARRAY_WORDS];
  jf_array_of_tensor(tensor, 0, strides, &found);
  jf_array_words(&found, (uint64_t)spec, tensor->device.device_type == JF_CPU ? JF_ARRAY_FITS : JF_ARRAY_BAD_DEVICE,
                 words, sizeof words);
  jf_error_format("TypeError", "%s: '%s': expected %s, got %s", function, name, type, words);
  return NULL;
}

/* array[start:stop:step] along its first dimension, as jf_list_slice: a view. New; NULL with the error set. */
jf_object* jf_array_slice(jf_object* array, int64_t start, int64_t stop, int64_t step) {
  const jf_dltensor* tensor = jf_ndarray_tensor(array);
  const int64_t count = jf_clip_slice((size_t)tensor->shape[0], &start, &stop, &step);
  if (count < 0) return NULL;
  int64_t shape[JF_MAX_RANK], strides[JF_MAX_RANK];
  for (int32_t i = 0; i < tensor->ndim; i++) {
    shape[i] = tensor->shape[i];
    strides[i] = tensor->strides[i];
  }
  shape[0] = count;
  /* Of one element or none no step is ever taken, and it may be any int. */
  strides[0] = count > 1 ? strides[0] * step : strides[0];
  return jf_ndarray_view(array, tensor->ndim, shape, strides, count > 0 ? start * tensor->strides[0] : 0);
}

/* array[index], which is in range, of one that has more than one dimension: a view. New; NULL with the error set. */
jf_object* jf_array_row(jf_object* array, int64_t index) {
  const jf_dltensor* tensor = jf_ndarray_tensor(array);
  return jf_ndarray_view(array, tensor->ndim - 1, tensor->shape + 1, tensor->strides + 1, index * tensor->strides[0]);
}

/* ValueError: the array's length along a dimension is `here`, where its type, or another parameter, says `there`; always -1. */
int32_t jf_array_mismatch(const char* function, const char* name, const char* length, int64_t here, const char* other,
                          int64_t there) {
  if (other) {
    return JF_FAIL("ValueError", "%s: '%s': %s is %lld here and %lld in '%s'", function, name, length, (long long)here,
                   (long long)there, other);
  }
  return JF_FAIL("ValueError", "%s: '%s': expected a length of %s, got %lld", function, name, length, (long long)here);
}

/* IndexError in NumPy's words; always -1. */
int32_t jf_array_outside(int64_t index, int64_t size, int32_t axis) {
  return JF_FAIL("IndexError", "index %lld is out of bounds for axis %d with size %lld", (long long)index, (int)axis,
                 (long long)size);
}

/* OverflowError in NumPy's words: an int that elements do not hold; always -1. */
int32_t jf_array_overflow(int64_t number, const char* element) {
  return JF_FAIL("OverflowError", "Python integer %lld out of bounds for %s", (long long)number, element);
}
