/* The functions that all contenders call, and the out-slot that they take. Plain C: also read by C++. */
#ifndef BENCHMARKS_PLAIN_H
#define BENCHMARKS_PLAIN_H

#include <jitffi/abi.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#define PLAIN_API __attribute__((visibility("default")))

PLAIN_API void noop(void);
PLAIN_API int64_t add_i64(int64_t a, int64_t b);
PLAIN_API double add_f64(double a, double b);
PLAIN_API double sum8(double a, double b, double c, double d, double e, double f, double g, double h);
PLAIN_API int64_t str_len(const char* data, size_t size);
PLAIN_API int64_t bytes_len(const char* data, size_t size);
PLAIN_API int64_t opt(const int64_t* value); /* -1 for NULL */
PLAIN_API int64_t kw3(int64_t a, int64_t b, int64_t c);
/* Writes the text back through the out-slot, in place: 0, or -1 where it has no room. */
PLAIN_API int32_t str_id(const char* data, size_t size, jf_value* out);

/* For those without slots and lengths. */
PLAIN_API int64_t cstr_len(const char* text);
PLAIN_API const char* cstr_id(const char* text);

typedef int64_t (*callback)(int64_t);
PLAIN_API int64_t loop_callback(callback f, int64_t n); /* the sum of f(1000) ... f(1000 + n - 1) */

/* An out-slot of the largest capacity, 136 bytes, as a C caller sets it up and reads it. */
typedef struct {
  jf_value slot;
  char padding[JF_MAX_CAPACITY - sizeof(int64_t)];
} out_slot;

static inline void out_init(out_slot* out) {
  out->slot.type_code = JF_NULL;
  out->slot.small_len = JF_MAX_CAPACITY;
  out->slot.v_int64 = 0;
}
/* The text in it, or NULL where something else is. */
static inline const char* out_text(const out_slot* out, size_t* size) {
  if (out->slot.type_code != JF_SMALL_STR) return NULL;
  *size = (size_t)out->slot.small_len;
  return out->slot.v_bytes;
}

#ifdef __cplusplus
}
#endif
#endif
