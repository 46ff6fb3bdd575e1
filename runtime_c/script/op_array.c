/* Arrays of scripts: nd-arrays (ndarray.h), whose elements generated code reads and writes by itself. Here is what it calls
 * once, to get one or a view of it, and where it must fail.
 *
 * What a script has as an array was checked: its elements are of its type, on the CPU, and begin at `data`.
 */
#include <stddef.h>
#include <string.h>

#include "jitffi/array.h"
#include "op_value.h"
#include "slot.h"
#include "text_make.h"

/* What generated code reads (jitffi/scripts/lower/containers/arrays.py). */
_Static_assert(offsetof(jf_ndarray, tensor.data) == 16, "the data of an nd-array");
_Static_assert(offsetof(jf_ndarray, tensor.shape) == 32 + sizeof(void*), "the shape of an nd-array");
_Static_assert(offsetof(jf_ndarray, tensor.strides) == 32 + 2 * sizeof(void*), "the strides of an nd-array");
_Static_assert(offsetof(jf_ndarray, flags) == (32 + 3 * sizeof(void*) + 7) / 8 * 8 + 8, "the flags of an nd-array");

/* NULL where the value holds no nd-array. */
jf_object* jf_op_array(const jf_any* slot) {
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
  jf_any scratch;
  jf_object* array = jf_op_array(jf_any_resolve(value, &scratch));
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

/* -- all elements at once ---------------------------------------------------------------------------------------- */

static void fill(const jf_dltensor* tensor, int32_t axis, char* at, const void* element, size_t size) {
  const int64_t step = tensor->strides[axis] * (int64_t)size;
  for (int64_t i = 0; i < tensor->shape[axis]; i++, at += step) {
    if (axis + 1 < tensor->ndim)
      fill(tensor, axis + 1, at, element, size);
    else
      memcpy(at, element, size);
  }
}

/* `bits` has the element in its lowest bytes. */
void jf_array_fill(jf_object* array, int64_t bits) {
  const jf_dltensor* tensor = jf_ndarray_tensor(array);
  const size_t size = tensor->dtype.bits / 8;
  const union {
    int64_t i64;
    int32_t i32;
    int16_t i16;
    int8_t i8;
  } element = {.i64 = bits}, narrow32 = {.i32 = (int32_t)bits}, narrow16 = {.i16 = (int16_t)bits},
    narrow8 = {.i8 = (int8_t)bits};
  const void* from = size == 8 ? &element : size == 4 ? &narrow32 : size == 2 ? &narrow16 : &narrow8;
  fill(tensor, 0, tensor->data, from, size);
}

/* Elements of the same type into as many places; they may overlap. ValueError, MemoryError. */
int32_t jf_array_copy(jf_object* array, jf_object* from) {
  return jf_dltensor_copy(jf_ndarray_tensor(array), jf_ndarray_tensor(from));
}

/* -- what fails ------------------------------------------------------------------------------------------------------ */

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

/* -- of any type ------------------------------------------------------------------------------------------------------- */

static int32_t set_unsigned(jf_value* out, uint64_t number) {
  if (number <= INT64_MAX)
    jf_set_int(out, (int64_t)number);
  else
    *out = (jf_any){JF_UINT, 0, {.v_uint64 = number}};
  return 0;
}

/* The element at an address that need not be aligned. */
static int32_t element(jf_dtype dtype, const char* at, jf_value* out) {
  union {
    double f64;
    float f32;
    int64_t i64;
    int32_t i32;
    int16_t i16;
    int8_t i8;
    uint32_t u32;
    uint16_t u16;
    uint8_t u8;
  } number;
  memcpy(&number, at, dtype.bits / 8);
  switch (dtype.code) {
    case JF_DL_BOOL:
      return jf_set_bool(out, number.u8), 0;
    case JF_DL_FLOAT:
      return jf_set_float(out, dtype.bits == 64 ? number.f64 : (double)number.f32), 0;
    case JF_DL_INT:
      jf_set_int(out, dtype.bits == 64   ? number.i64
                      : dtype.bits == 32 ? number.i32
                      : dtype.bits == 16 ? number.i16
                                         : number.i8);
      return 0;
    default:
      return set_unsigned(out, dtype.bits == 64   ? (uint64_t)number.i64
                               : dtype.bits == 32 ? number.u32
                               : dtype.bits == 16 ? number.u16
                                                  : number.u8);
  }
}

static int32_t has_elements(const jf_dltensor* tensor) {
  const jf_dtype dtype = tensor->dtype;
  const int32_t is_whole = dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
  const int32_t is_number = dtype.code == JF_DL_INT || dtype.code == JF_DL_UINT ? is_whole
                            : dtype.code == JF_DL_FLOAT ? dtype.bits == 32 || dtype.bits == 64
                                                        : dtype.code == JF_DL_BOOL && dtype.bits == 8;
  return is_number && dtype.lanes == 1 && tensor->ndim > 0 && tensor->device.device_type == JF_CPU;
}

int32_t jf_op_array_length(jf_object* array, int64_t* length) {
  const jf_dltensor* tensor = jf_ndarray_tensor(array);
  *length = tensor->ndim > 0 ? tensor->shape[0] : 0;
  if (has_elements(tensor)) return 0;
  int64_t strides[JF_MAX_RANK];
  jf_array found;
  char words[JF_ARRAY_WORDS];
  jf_array_of_tensor(tensor, 0, strides, &found);
  jf_array_words(&found, 0, tensor->device.device_type == JF_CPU ? JF_ARRAY_FITS : JF_ARRAY_BAD_DEVICE, words,
                 sizeof words);
  return JF_FAIL("TypeError", "scripts have no elements of %s", words);
}

/* *out, a null out-slot, owns what is at so many indices in range: a number, or a view of what has more dimensions. */
int32_t jf_op_array_at(jf_object* array, const int64_t* at, int32_t count, jf_value* out) {
  const jf_dltensor* tensor = jf_ndarray_tensor(array);
  int64_t offset = 0;
  for (int32_t i = 0; i < count; i++) offset += at[i] * tensor->strides[i];
  if (count < tensor->ndim) {
    jf_object* part =
        jf_ndarray_view(array, tensor->ndim - count, tensor->shape + count, tensor->strides + count, offset);
    return jf_set_object(out, part);
  }
  const int64_t size = tensor->dtype.bits / 8;
  return element(tensor->dtype, (const char*)tensor->data + tensor->byte_offset + offset * size, out);
}

int32_t jf_op_array_item(jf_object* array, int64_t at, jf_value* out) { return jf_op_array_at(array, &at, 1, out); }
