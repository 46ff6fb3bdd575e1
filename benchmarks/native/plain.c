/* See plain.h. A library of its own, so that every contender's call is a call. */
#include "plain.h"

void noop(void) {}
int64_t add_i64(int64_t a, int64_t b) { return a + b; }
double add_f64(double a, double b) { return a + b; }
double sum8(double a, double b, double c, double d, double e, double f, double g, double h) {
  return a + b + c + d + e + f + g + h;
}
int64_t str_len(const char* data, size_t size) { return data ? (int64_t)size : -1; }
int64_t bytes_len(const char* data, size_t size) { return data ? (int64_t)size : -1; }
int64_t opt(const int64_t* value) { return value ? *value : -1; }
int64_t kw3(int64_t a, int64_t b, int64_t c) { return a + 10 * b + 100 * c; }

int32_t str_id(const char* data, size_t size, jf_value* out) {
  size_t capacity = out->small_len ? (size_t)out->small_len & ~(size_t)7 : 8;
  if (capacity > JF_MAX_CAPACITY) capacity = JF_MAX_CAPACITY;
  if (size + 1 > capacity) return -1;
  out->type_code = JF_SMALL_STR;
  out->small_len = (int32_t)size;
  memcpy(out->v_bytes, data, size);
  out->v_bytes[size] = 0;
  return 0;
}

int64_t cstr_len(const char* text) { return (int64_t)strlen(text); }
const char* cstr_id(const char* text) { return text; }

int64_t loop_callback(callback f, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += f(1000 + i);
  return sum;
}
