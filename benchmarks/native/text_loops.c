/* Loops that call `(str) -> i64` and `(str) -> str` natively, as loops.c does for ints: the text is given as pointer and
 * length, a result comes through an out-slot of AnyPad<2>, which has room for 23 bytes. Each returns the sum of the lengths.
 */
#include <jitffi/pad.h>
#include <string.h>

#include "plain.h"

typedef int64_t (*length_function)(const char* data, size_t size);
typedef int32_t (*text_function)(const char* data, size_t size, jf_value* out);

static const char text_of_20[] = "abcdefghijklmnopqrst";

PLAIN_API int64_t length_pointer(length_function* where, int64_t n);
PLAIN_API int64_t length_packed(jf_packed_call* where, int64_t n);
PLAIN_API int64_t result_pointer(text_function* where, int64_t n);
PLAIN_API int64_t result_packed(jf_packed_call* where, int64_t n);
PLAIN_API int32_t packed_len_here(jf_function* self, int32_t n, const jf_view* args, jf_value* out);
PLAIN_API int32_t packed_id(jf_function* self, int32_t n, const jf_view* args, jf_value* out);

int64_t length_pointer(length_function* where, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += (*where)(text_of_20 + (i & 7), 5);
  return sum;
}

int64_t length_packed(jf_packed_call* where, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) {
    jf_view arg = {JF_SMALL_STR, 5, {0}};
    memcpy(arg.v_bytes, text_of_20 + (i & 7), 5);
    jf_value out = {JF_NULL, 0, {0}};
    if ((*where)(NULL, 1, &arg, &out) != 0 || out.type_code != JF_INT) return -1;
    sum += out.v_int64;
  }
  return sum;
}

/* The length of what is in the slot, which is given back. */
static inline int64_t taken(jf_value* out) {
  const int64_t size = out->type_code == JF_SMALL_STR ? out->small_len : (int64_t)((const jf_str*)out->v_object)->size;
  if (out->type_code == JF_OBJECT) jf_object_release(out->v_object);
  return size;
}

int64_t result_pointer(text_function* where, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) {
    jf_pad2 out = JF_PAD_INIT(2);
    if ((*where)(text_of_20, 20, &out.slot) != 0) return -1;
    sum += taken(&out.slot);
  }
  return sum;
}

int64_t result_packed(jf_packed_call* where, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) {
    jf_span span = {text_of_20, 20};
    const jf_view arg = {JF_STR_VIEW, 0, {.v_span = &span}};
    jf_pad2 out = JF_PAD_INIT(2);
    if ((*where)(NULL, 1, &arg, &out.slot) != 0) return -1;
    sum += taken(&out.slot);
  }
  return sum;
}

/* Callees by hand, for small text and views of longer. */
static inline const char* text_of(const jf_view* arg, size_t* size) {
  if (arg->type_code == JF_SMALL_STR) {
    *size = (size_t)arg->small_len;
    return arg->v_bytes;
  }
  if (arg->type_code != JF_STR_VIEW) return NULL;
  *size = arg->v_span->size;
  return arg->v_span->data;
}

int32_t packed_len_here(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  (void)self;
  size_t size;
  if (n != 1 || text_of(args, &size) == NULL) return -1;
  *out = (jf_value){JF_INT, 0, {.v_int64 = (int64_t)size}};
  return 0;
}

int32_t packed_id(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  (void)self;
  size_t size;
  const char* data = n == 1 ? text_of(args, &size) : NULL;
  return data ? str_id(data, size, out) : -1;
}
