/* Numbers: exact order across int, uint, float and bool; CPython's hash; and Python's text of a float. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jitffi/abi.h"
#include "value.h"

#define TWO_63 9223372036854775808.0
#define TWO_64 18446744073709551616.0

static int32_t order_of(int32_t is_less, int32_t is_more) { return is_less ? JF_LESS : is_more ? JF_MORE : JF_SAME; }

/* No rounding: where the float is in range its integer part is exact, and what is left of it decides. */
static int32_t order_int_float(int64_t a, double b) {
  if (b != b) return JF_UNORDERED;
  if (b >= TWO_63) return JF_LESS;
  if (b < -TWO_63) return JF_MORE;
  const int64_t whole = (int64_t)b;
  if (a != whole) return order_of(a<whole, a> whole);
  return order_of((double)whole<b, (double)whole> b);
}

static int32_t order_uint_float(uint64_t a, double b) {
  if (b != b) return JF_UNORDERED;
  if (b >= TWO_64) return JF_LESS;
  if (b < 0) return JF_MORE;
  const uint64_t whole = (uint64_t)b;
  if (a != whole) return order_of(a<whole, a> whole);
  return order_of((double)whole < b, 0);
}

static int32_t order_whole(const jf_any* a, const jf_any* b) {
  const int32_t a_big = a->type_code == JF_UINT, b_big = b->type_code == JF_UINT;
  if (a_big && b_big) return order_of(a->v_uint64<b->v_uint64, a->v_uint64> b->v_uint64);
  if (a_big != b_big) return a_big ? JF_MORE : JF_LESS; /* a uint is beyond every int */
  return order_of(a->v_int64<b->v_int64, a->v_int64> b->v_int64);
}

static int32_t order_whole_float(const jf_any* a, double b) {
  return a->type_code == JF_UINT ? order_uint_float(a->v_uint64, b) : order_int_float(a->v_int64, b);
}

int32_t jf_number_order(const jf_any* a, const jf_any* b) {
  const int32_t a_float = a->type_code == JF_FLOAT, b_float = b->type_code == JF_FLOAT;
  if (!a_float && !b_float) return order_whole(a, b);
  if (a_float && b_float) {
    const double x = a->v_float64, y = b->v_float64;
    return x == y ? JF_SAME : x < y ? JF_LESS : x > y ? JF_MORE : JF_UNORDERED;
  }
  if (b_float) return order_whole_float(a, b->v_float64);
  const int32_t order = order_whole_float(b, a->v_float64);
  return order == JF_UNORDERED ? order : -order;
}

/* -- hash: a number modulo the prime 2**61 - 1, which makes equal numbers of all types agree -- */

enum { HASH_BITS = 61, HASH_INF = 314159, HASH_NAN = 0 };
#define HASH_MODULUS ((UINT64_C(1) << HASH_BITS) - 1)

static uint64_t signed_hash(uint64_t magnitude, int32_t is_negative) {
  const uint64_t hash = is_negative ? 0 - magnitude : magnitude;
  return hash == UINT64_MAX ? UINT64_MAX - 1 : hash; /* -1 means failure in CPython: never a hash */
}

static uint64_t hash_int(int64_t value) {
  const uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  return signed_hash(magnitude % HASH_MODULUS, value < 0);
}

/* The mantissa is taken 28 bits at a time; multiplying by 2**28 modulo the prime is a rotation in 61 bits. */
static uint64_t hash_float(double value) {
  if (value != value) return HASH_NAN;
  if (isinf(value)) return signed_hash(HASH_INF, value < 0);
  int exponent;
  double rest = frexp(fabs(value), &exponent);
  uint64_t hash = 0;
  while (rest != 0) {
    hash = (hash << 28 & HASH_MODULUS) | hash >> (HASH_BITS - 28);
    rest *= 268435456.0;
    exponent -= 28;
    const uint64_t digits = (uint64_t)rest;
    rest -= (double)digits;
    hash += digits;
    if (hash >= HASH_MODULUS) hash -= HASH_MODULUS;
  }
  exponent = exponent >= 0 ? exponent % HASH_BITS : HASH_BITS - 1 - (-1 - exponent) % HASH_BITS;
  hash = (hash << exponent & HASH_MODULUS) | hash >> (HASH_BITS - exponent);
  return signed_hash(hash, value < 0);
}

uint64_t jf_number_hash(const jf_any* number) {
  if (number->type_code == JF_UINT) return signed_hash(number->v_uint64 % HASH_MODULUS, 0);
  if (number->type_code != JF_FLOAT) return hash_int(number->v_int64);
  const double value = number->v_float64;
  if (value >= -TWO_63 && value < TWO_63 && (double)(int64_t)value == value) return hash_int((int64_t)value);
  return hash_float(value);
}

/* -- repr -- */

size_t jf_float_repr(double value, char* text) {
  char digits[JF_FLOAT_DIGITS];
  int32_t exponent = 0;
  char* at = text;
  if (value != value) return (size_t)jf_print(text, JF_FLOAT_TEXT, "nan");
  if (signbit(value)) *at++ = '-', value = -value;
  if (isinf(value)) return (size_t)(at - text) + (size_t)jf_print(at, JF_FLOAT_TEXT - 1, "inf");
  const int32_t count = jf_float_digits(value, digits, &exponent);
  if (exponent < -4 || exponent >= 16) {
    *at++ = digits[0];
    if (count > 1) *at++ = '.', memcpy(at, digits + 1, (size_t)count - 1), at += count - 1;
    at += jf_print(at, 8, "e%c%02d", exponent < 0 ? '-' : '+', (int)abs(exponent));
    return (size_t)(at - text);
  }
  if (exponent < 0) {
    *at++ = '0', *at++ = '.';
    for (int32_t i = -1; i > exponent; i--) *at++ = '0';
    memcpy(at, digits, (size_t)count), at += count;
  } else {
    for (int32_t i = 0; i <= exponent || i < count; i++) {
      if (i == exponent + 1) *at++ = '.';
      *at++ = i < count ? digits[i] : '0';
    }
    if (count <= exponent + 1) *at++ = '.', *at++ = '0';
  }
  *at = 0;
  return (size_t)(at - text);
}
