/* The one check of an array against what a parameter takes, and arrays in slots.
 *
 * What is checked first is what matters most: where the elements lie, what they are, whether they may be written; then the
 * shape, the strides and the address. Along a dimension of less than two items, and in empty arrays, a stride means nothing:
 * what a contiguous array would have stands for it.
 */
#include "jitffi/array.h"

#include "array.h"
#include "message.h"
#include "slot.h"

static int64_t saturated_product(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static int32_t is_free(uint64_t spec, int32_t dimension) { return dimension < 32 && (spec >> (32 + dimension)) & 1; }

static int32_t element_fits(const jf_array* array, uint64_t spec) {
  const uint8_t code = (uint8_t)spec, bits = (uint8_t)(spec >> 8);
  if (array->flags & JF_ARRAY_OPAQUE) return 0;
  if (code == JF_DL_HANDLE && bits == 0) return 1;
  if (array->flags & JF_ARRAY_SWAPPED || array->dtype.lanes != 1 || array->dtype.bits != bits) return 0;
  if (array->dtype.code == code) return 1;
  return bits == 8 && array->dtype.code <= JF_DL_UINT && ((spec >> 24) & JF_SPEC_ONE_BYTE);
}

/* Items in all; -1: there is no such memory. */
static int64_t items(const jf_array* array) {
  int64_t count = 1;
  int32_t is_empty = 0;
  for (int32_t i = 0; i < array->ndim; i++) {
    if (array->shape[i] < 0) return -1;
    is_empty |= array->shape[i] == 0;
    if (array->shape[i] > 1) count = saturated_product(count, array->shape[i]);
  }
  if (is_empty) return 0;
  return saturated_product(count, array->item_size > 0 ? array->item_size : 1) == INT64_MAX ? -1 : count;
}

/* 1: the dimensions that are not free are contiguous among themselves. Their strides are put into `strides`, where it is not
 * NULL; *span is how many items they take, at least 1. `has_items`: more than none, else every stride is right. */
static int32_t is_contiguous(const jf_array* array, uint64_t spec, int32_t fortran, int32_t has_items, int64_t* strides,
                             int64_t* span) {
  int64_t expected = 1;
  for (int32_t n = 0; n < array->ndim; n++) {
    const int32_t i = fortran ? n : array->ndim - 1 - n;
    const int64_t length = array->shape[i];
    if (is_free(spec, i)) continue;
    if (has_items && length > 1 && array->strides[i] != saturated_product(expected, array->item_size)) return 0;
    if (strides) strides[i] = expected;
    if (length > 1) expected = saturated_product(expected, length);
  }
  *span = expected;
  return 1;
}

static int32_t free_strides_fit(const jf_array* array, uint64_t spec, int32_t has_items, int64_t span,
                                int64_t* strides) {
  for (int32_t i = 0; i < array->ndim; i++) {
    if (!is_free(spec, i)) continue;
    strides[i] = span;
    if (!has_items || array->shape[i] < 2) continue;
    if (array->item_size < 1 || array->strides[i] % array->item_size) return 0;
    strides[i] = array->strides[i] / array->item_size;
    if (strides[i] < span) return 0;
  }
  return 1;
}

static int32_t strides_fit(const jf_array* array, uint64_t spec, int32_t has_items, int64_t* strides) {
  int64_t span;
  if (is_contiguous(array, spec, 0, has_items, strides, &span))
    return !strides || free_strides_fit(array, spec, has_items, span, strides);
  return (spec >> 24) & JF_SPEC_EITHER_ORDER && is_contiguous(array, 0, 1, has_items, NULL, &span);
}

int32_t jf_array_is_fortran(const jf_array* array) {
  int64_t span;
  return array->ndim > 1 && is_contiguous(array, 0, 1, 1, NULL, &span);
}

int32_t jf_array_rest_fits(const jf_array* array, uint64_t spec, int64_t* span) {
  return is_contiguous(array, spec, 0, 1, NULL, span);
}

/* As C has it on all our targets: by size, of complex numbers by that of their parts. */
static int32_t is_aligned(const jf_array* array, uint64_t spec) {
  const uint64_t bytes = ((uint8_t)(spec >> 8)) / 8;
  const uint64_t alignment = (uint8_t)spec == JF_DL_COMPLEX ? bytes / 2 : bytes;
  return alignment < 2 || (uintptr_t)array->data % alignment == 0;
}

/* Borrows all. Sets no error. */
int32_t jf_array_match(const jf_array* array, uint64_t spec, int64_t* out) {
  const int32_t rank = (uint8_t)(spec >> 16);
  if (array->device.device_type != JF_CPU) return JF_ARRAY_BAD_DEVICE;
  if (!element_fits(array, spec)) return JF_ARRAY_BAD_ELEMENT;
  if ((spec >> 24) & JF_SPEC_WRITABLE && array->flags & JF_ARRAY_READ_ONLY) return JF_ARRAY_BAD_ACCESS;
  if (rank != JF_RANK_ANY && array->ndim != rank) return JF_ARRAY_BAD_RANK;
  const int64_t count = items(array);
  if (count < 0) return JF_ARRAY_BAD_SHAPE;
  if (!strides_fit(array, spec, count > 0, rank == JF_RANK_ANY ? NULL : out + 1 + rank)) return JF_ARRAY_BAD_STRIDES;
  if (count && (!array->data || !is_aligned(array, spec))) return JF_ARRAY_BAD_ADDRESS;
  out[0] = (int64_t)(uintptr_t)array->data;
  for (int32_t i = 0; i < array->ndim && rank != JF_RANK_ANY; i++) out[1 + i] = array->shape[i];
  return JF_ARRAY_FITS;
}

static int32_t tensor_element_fits(const jf_array* array, uint64_t spec) {
  if ((uint16_t)spec != JF_DL_HANDLE) return element_fits(array, spec);
  return !(array->flags & (JF_ARRAY_OPAQUE | JF_ARRAY_SWAPPED)) && array->dtype.lanes && array->dtype.bits;
}

static int32_t are_whole(const jf_array* array) {
  for (int32_t i = 0; i < array->ndim; i++)
    if (array->shape[i] > 1 && array->strides[i] % array->item_size) return 0;
  return 1;
}

/* What is on another device need not have an address. */
static int32_t tensor_address_fits(const jf_array* array) {
  const uint64_t element = array->dtype.code | (uint64_t)array->dtype.bits << 8;
  return array->device.device_type != JF_CPU || (array->data && is_aligned(array, element));
}

static void fill_tensor(const jf_array* array, int32_t rank, int32_t has_strides, jf_dltensor* out) {
  int64_t* shape = (int64_t*)(void*)(out + 1);
  int64_t* strides = shape + (rank == JF_RANK_ANY ? JF_MAX_RANK : rank);
  for (int32_t i = 0; i < array->ndim; i++) {
    shape[i] = array->shape[i];
    strides[i] = array->strides[i] / array->item_size;
  }
  *out = (jf_dltensor){.data = array->data ? (void*)((uintptr_t)array->data - (uintptr_t)array->byte_offset) : NULL,
                       .device = array->device,
                       .ndim = array->ndim,
                       .dtype = array->dtype,
                       .shape = shape,
                       .strides = has_strides ? strides : NULL,
                       .byte_offset = array->data ? array->byte_offset : 0};
}

/* Borrows all. Sets no error. */
int32_t jf_tensor_match(const jf_array* array, uint64_t spec, jf_dltensor* out) {
  const int32_t rank = (uint8_t)(spec >> 16), device = (int32_t)(spec >> 32);
  const uint64_t flags = spec >> 24;
  int64_t span;
  spec = (uint32_t)spec;
  if (device != -1 && array->device.device_type != device) return JF_ARRAY_BAD_DEVICE;
  if (!tensor_element_fits(array, spec)) return JF_ARRAY_BAD_ELEMENT;
  if (flags & JF_SPEC_WRITABLE && array->flags & JF_ARRAY_READ_ONLY) return JF_ARRAY_BAD_ACCESS;
  if (array->ndim < 0 || (rank != JF_RANK_ANY && array->ndim != rank)) return JF_ARRAY_BAD_RANK;
  const int64_t count = items(array);
  if (count < 0 || array->ndim > JF_MAX_RANK) return JF_ARRAY_BAD_SHAPE;
  const int32_t contiguous = is_contiguous(array, spec, 0, count > 0, NULL, &span);
  if (!contiguous && (flags & JF_SPEC_C_ORDER || !are_whole(array))) return JF_ARRAY_BAD_STRIDES;
  if (count && !tensor_address_fits(array)) return JF_ARRAY_BAD_ADDRESS;
  fill_tensor(array, rank, !contiguous, out);
  return JF_ARRAY_FITS;
}

/* Never fails: what is too much for a stride is no array's, which its shape tells. */
void jf_array_contiguous_strides(int32_t ndim, const int64_t* shape, int64_t item_size, int64_t* strides) {
  int64_t stride = item_size;
  for (int32_t i = ndim - 1; i >= 0; i--) {
    strides[i] = stride;
    if (shape[i] > 1) stride = saturated_product(stride, shape[i]);
  }
}

/* Borrows the tensor. Sets no error. */
void jf_array_of_tensor(const jf_dltensor* tensor, uint32_t flags, int64_t* strides, jf_array* out) {
  static const int64_t none = -1;
  const int32_t item_size = (tensor->dtype.bits * tensor->dtype.lanes + 7) / 8;
  int32_t is_array = tensor->ndim >= 0 && tensor->ndim <= JF_MAX_RANK && (tensor->shape || tensor->ndim == 0);
  if (is_array && !tensor->strides) jf_array_contiguous_strides(tensor->ndim, tensor->shape, item_size, strides);
  for (int32_t i = 0; is_array && tensor->strides && i < tensor->ndim; i++)
    is_array = !__builtin_mul_overflow(tensor->strides[i], (int64_t)item_size, &strides[i]);
  const uintptr_t address = (uintptr_t)tensor->data;
  *out = (jf_array){.data = address ? (void*)(address + (uintptr_t)tensor->byte_offset) : NULL,
                    .shape = is_array ? tensor->shape : &none,
                    .strides = is_array ? strides : &none,
                    .item_size = item_size,
                    .dtype = tensor->dtype,
                    .device = tensor->device,
                    .ndim = is_array ? tensor->ndim : 1,
                    .flags = flags,
                    .byte_offset = address ? tensor->byte_offset : 0};
}

/* -- slots -- */

int32_t jf_array_of_slot(const jf_view* view, int64_t* strides, int64_t* length, jf_array* out) {
  static const int64_t one = 1;
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  const jf_object* object = jf_any_object(slot);
  const jf_encoded text = jf_any_text(slot);
  if (slot->type_code == JF_DLTENSOR) {
    jf_array_of_tensor(slot->v_handle, 0, strides, out);
  } else if (object && jf_type_is_a(object->type_code, JF_NDARRAY)) {
    const jf_ndarray* array = (const jf_ndarray*)(const void*)object;
    jf_array_of_tensor(&array->tensor, array->flags & JF_DL_READ_ONLY ? JF_ARRAY_READ_ONLY : 0, strides, out);
  } else if (text.kind == JF_TEXT_BYTES) {
    *length = (int64_t)text.size;
    *out =
        (jf_array){(void*)text.data, length, &one, NULL, 1, {JF_DL_UINT, 8, 1}, {JF_CPU, 0}, 1, JF_ARRAY_READ_ONLY, 0};
  } else {
    return 0;
  }
  return 1;
}

typedef int32_t (*array_reader)(jf_object* object, uint64_t spec, jf_array* out, jf_temps* temps);
static array_reader reader;

void jf_set_array_reader(array_reader read) { __atomic_store_n(&reader, read, __ATOMIC_RELEASE); }

int32_t jf_array_of_host(const jf_view* view, uint64_t spec, jf_array* out, jf_temps* temps) {
  const array_reader read = __atomic_load_n(&reader, __ATOMIC_ACQUIRE);
  jf_any scratch;
  jf_object* object = jf_any_object(jf_any_resolve(view, &scratch));
  return read && object && object->type_code == JF_HOST_OBJECT ? read(object, spec, out, temps) : 0;
}

static int32_t lift_other(const jf_call_info* info, int32_t index, const jf_view* view, uint64_t spec, int64_t* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  if (slot->type_code == JF_HANDLE && (uint8_t)(spec >> 16) == JF_RANK_ANY) {
    out[0] = (int64_t)(uintptr_t)slot->v_handle;
    return 0;
  }
  jf_fail_type(info, index, view);
  return -1;
}

/* Borrowed from the view and temps. */
int32_t jf_lift_array(const jf_call_info* info, int32_t index, const jf_view* view, uint64_t spec, int64_t* out,
                      jf_temps* temps) {
  int64_t strides[JF_MAX_RANK], length;
  jf_array array;
  int32_t found = jf_array_of_slot(view, strides, &length, &array);
  if (!found) found = jf_array_of_host(view, spec, &array, temps);
  if (found <= 0) return found < 0 ? -1 : lift_other(info, index, view, spec, out);
  const int32_t reason = jf_array_match(&array, spec, out);
  if (reason == JF_ARRAY_FITS) return 0;
  char words[JF_ARRAY_WORDS];
  jf_array_words(&array, spec, reason, words, sizeof words);
  return jf_fail_argument(jf_array_error(reason), info, index, "an array", "", words);
}
