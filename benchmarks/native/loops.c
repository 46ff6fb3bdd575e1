/* Loops that call `(i64, i64) -> i64` natively: the sum of f(i, 7) for i below n. */
#include "plain.h"

typedef int64_t (*function)(int64_t, int64_t);

PLAIN_API int64_t loop_pointer(function* where, int64_t n);

/* The pointer is read again for each call: nobody knows what it is. */
int64_t loop_pointer(function* where, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += (*where)(i, 7);
  return sum;
}

/* A packed call by hand: what the generated one is compared with. The callee is read again for each call, too. */
PLAIN_API int64_t loop_packed(jf_packed_call* where, int64_t n);

int64_t loop_packed(jf_packed_call* where, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) {
    const jf_view args[2] = {{JF_INT, 0, {i}}, {JF_INT, 0, {7}}};
    jf_value out = {JF_NULL, 0, {0}};
    if ((*where)(NULL, 2, args, &out) != 0 || out.type_code != JF_INT) return -1;
    sum += out.v_int64;
  }
  return sum;
}
