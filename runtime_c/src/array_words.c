/* What messages say of arrays: "read-only float32[5]", "float32[5] with a stride of 2 elements, expected contiguous: ...", "n is
 * 5 here and 4 in 'x'".
 */
#include <string.h>

#include "array.h"
#include "decimal.h"
#include "message.h"

enum { SHOWN_DIMENSIONS = 8 }; /* of an array that has more */

typedef struct {
  char* buffer;
  size_t capacity;
  size_t size;
} writer;

/* What there is no room for is cut off. */
__attribute__((format(printf, 2, 3))) static void put(writer* w, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int size = jf_print_list(w->buffer + w->size, w->capacity - w->size, format, arguments);
  va_end(arguments);
  if (size > 0) w->size += (size_t)size;
  if (w->size >= w->capacity) w->size = w->capacity ? w->capacity - 1 : 0;
}

static void put_type(writer* w, const jf_array* array) {
  char name[JF_DTYPE_SIZE];
  if (array->flags & JF_ARRAY_SWAPPED && !array->name) put(w, "big-endian ");
  if (!array->name) jf_dtype_format(array->dtype, name, sizeof name);
  put(w, "%s", array->name ? array->name : name);
  if (array->ndim < 0) return;
  put(w, "[");
  for (int32_t i = 0; i < array->ndim; i++) {
    if (i) put(w, ", ");
    if (i == SHOWN_DIMENSIONS) {
      put(w, "...");
      break;
    }
    put(w, "%lld", (long long)array->shape[i]);
  }
  put(w, "]");
}

/* " with a stride of 2 elements", " with strides of 6 and 2 elements"; in bytes where they are no whole elements. */
static void put_strides(writer* w, const jf_array* array) {
  const int32_t shown = array->ndim < SHOWN_DIMENSIONS ? array->ndim : SHOWN_DIMENSIONS;
  int64_t unit = array->item_size > 0 ? array->item_size : 1;
  for (int32_t i = 0; i < array->ndim; i++)
    if (array->strides[i] % unit) unit = 1;
  put(w, array->ndim == 1 ? " with a stride of " : " with strides of ");
  for (int32_t i = 0; i < shown; i++) {
    if (i) put(w, i == array->ndim - 1 ? " and " : ", ");
    put(w, "%lld", (long long)(array->strides[i] / unit));
  }
  if (shown < array->ndim) put(w, ", ...");
  put(w, unit == array->item_size ? " elements" : " bytes");
}

static void set_strides(const jf_array* array, int32_t fortran, int64_t* strides) {
  int64_t stride = array->item_size;
  for (int32_t n = 0; n < array->ndim; n++) {
    const int32_t i = fortran ? n : array->ndim - 1 - n;
    strides[i] = stride;
    stride *= array->shape[i]; /* of which there is memory */
  }
}

/* Which copy of the array would fit, if one does: matrices of columns are no copies in C order. */
static void put_copy(writer* w, const jf_array* array, uint64_t spec) {
  static const char* const functions[] = {"ascontiguousarray", "asfortranarray"};
  int64_t strides[JF_MAX_RANK], out[1 + 2 * JF_MAX_RANK];
  jf_array copy = *array;
  copy.strides = strides;
  copy.data = out; /* aligned, as copies are */
  copy.flags = 0;
  for (int32_t fortran = 0; fortran < 2; fortran++) {
    set_strides(array, fortran, strides);
    if (jf_array_match(&copy, spec, out) != JF_ARRAY_FITS) continue;
    put(w, ": copy it with numpy.%s", functions[fortran]);
    return;
  }
}

/* The strides and what they should be. */
static void put_expected_strides(writer* w, const jf_array* array, uint64_t spec) {
  int64_t span;
  const int32_t has_free = (spec >> 32) != 0;
  if (!has_free && !((spec >> 24) & JF_SPEC_EITHER_ORDER) && jf_array_is_fortran(array)) {
    put(w, " in Fortran order, expected C order");
    return put_copy(w, array, spec);
  }
  put_strides(w, array);
  if (!has_free || !jf_array_rest_fits(array, spec, &span)) {
    put(w, ", expected %s", has_free ? "the other dimensions contiguous" : "contiguous");
    return put_copy(w, array, spec);
  }
  int32_t is_whole = 1;
  for (int32_t i = 0; i < array->ndim; i++) is_whole &= array->strides[i] % array->item_size == 0;
  if (is_whole)
    put(w, ", expected at least %lld", (long long)span);
  else
    put(w, ", expected whole elements");
  put_copy(w, array, spec);
}

/* Borrows all. Never fails. */
size_t jf_array_words(const jf_array* array, uint64_t spec, int32_t reason, char* buffer, size_t capacity) {
  writer w = {buffer, capacity, 0};
  if (capacity) *buffer = 0;
  if (reason == JF_ARRAY_BAD_ACCESS) put(&w, "read-only ");
  if (reason == JF_ARRAY_BAD_ADDRESS && array->data) put(&w, "misaligned ");
  put_type(&w, array);
  if (reason == JF_ARRAY_BAD_DEVICE) {
    char device[JF_DEVICE_SIZE];
    jf_device_format(array->device, device, sizeof device);
    put(&w, " on %s", device);
  }
  if (reason == JF_ARRAY_BAD_ADDRESS && !array->data) put(&w, " at NULL");
  if (reason == JF_ARRAY_BAD_STRIDES) put_expected_strides(&w, array, spec);
  return w.size;
}

const char* jf_array_error(int32_t reason) { return reason <= JF_ARRAY_BAD_ACCESS ? "TypeError" : "ValueError"; }

/* -- lengths -- */

/* The text of dimension `number` of an array's or tensor's type, up to its end: "n @ lda"; NULL where it has no such. */
static const char* dimension_text(const char* type, int32_t number, size_t* size) {
  const char* at = strrchr(type, '[');
  if (!at) return NULL;
  if (at - type >= 6 && memcmp(at - 6, "tensor", 6) == 0) number++; /* behind the element */
  for (at++; number > 0; number--) {
    at = strchr(at, ',');
    if (!at) return NULL;
    at++;
  }
  at += strspn(at, " ");
  *size = strcspn(at, ",]");
  return at;
}

/* The name of a length or a stride; its size is 0 where there is none. */
static const char* name_of_dimension(const char* type, int32_t dimension, size_t* size) {
  const char* text = dimension_text(type, dimension % JF_DIM_STRIDE, size);
  if (!text) return *size = 0, type;
  const char *end = text + *size, *mark = memchr(text, '@', *size);
  if (dimension >= JF_DIM_STRIDE)
    text = mark ? mark + 1 + strspn(mark + 1, " ") : end;
  else if (mark)
    end = mark;
  while (end > text && end[-1] == ' ') end--;
  *size = *text == '*' || (*text >= '0' && *text <= '9') ? 0 : (size_t)(end - text);
  return text;
}

/* Borrows all. Never fails. */
size_t jf_length_words(const jf_call_info* info, int32_t index, int32_t dimension, int64_t here, int32_t other,
                       int64_t there, char* buffer, size_t capacity) {
  writer w = {buffer, capacity, 0};
  if (capacity) *buffer = 0;
  size_t size;
  const char* name = name_of_dimension(jf_expected_type(info, index, ""), dimension, &size);
  if (!size || other < 0 || !info || other >= info->num_params) return 0;
  const char* place = info->params[other].name;
  const int32_t is_given = place && strlen(place) == size && memcmp(place, name, size) == 0;
  put(&w, "%.*s is %lld here and ", (int)size, name, (long long)here);
  if (is_given)
    put(&w, "given as %lld", (long long)there);
  else if (place)
    put(&w, "%lld in '%s'", (long long)there, place);
  else
    put(&w, "%lld in argument %d", (long long)there, (int)other + 1);
  return w.size;
}

/* Borrows all. ValueError. */
int32_t jf_refuse_length(const jf_call_info* info, int32_t index, const jf_view* view, int32_t dimension, int64_t here,
                         int32_t other, int64_t there) {
  char words[JF_ARRAY_WORDS];
  int64_t strides[JF_MAX_RANK], length;
  jf_array array;
  if (jf_length_words(info, index, dimension, here, other, there, words, sizeof words))
    return jf_fail_place("ValueError", info, index, words);
  jf_temps temps = {NULL};
  int32_t found = jf_array_of_slot(view, strides, &length, &array);
  if (!found) found = jf_array_of_host(view, 0, &array, &temps);
  if (found > 0) {
    jf_array_words(&array, 0, JF_ARRAY_FITS, words, sizeof words);
    jf_fail_argument("ValueError", info, index, "an array", "", words);
  } else if (!found) {
    jf_fail_type(info, index, view);
  }
  jf_temps_release(&temps);
  return -1;
}
