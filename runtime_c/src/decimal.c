/* The fewest decimal digits that give a double back, in exact arithmetic on long numbers: no locale, no rounding, nothing
 * of the C library.
 *
 *   value = rest / scale; whatever is nearer to it than half way to its neighbours reads back as itself. Digits are taken
 *   off until what is left of the number is within that distance (the free-format algorithm of Steele and White, in the
 *   form of Burger and Dybvig).
 */
#include "decimal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Room for 2**1024 and for 5**324 with a mantissa, each with some factors of ten. */
enum { WORDS = 40, MANTISSA_BITS = 53, LOWEST = -1074 };

typedef struct {
  uint32_t words[WORDS]; /* the lowest first */
  int32_t count;
} number;

static void set_number(number* n, uint64_t value) {
  n->words[0] = (uint32_t)value;
  n->words[1] = (uint32_t)(value >> 32);
  n->count = n->words[1] ? 2 : n->words[0] ? 1 : 0;
}

static void multiply(number* n, uint32_t factor) {
  uint64_t carry = 0;
  for (int32_t i = 0; i < n->count; i++) {
    carry += (uint64_t)n->words[i] * factor;
    n->words[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) n->words[n->count++] = (uint32_t)carry;
}

static void multiply_by_power_of_five(number* n, int32_t exponent) {
  for (; exponent >= 13; exponent -= 13) multiply(n, 1220703125);
  for (; exponent > 0; exponent--) multiply(n, 5);
}

static void shift(number* n, int32_t bits) {
  const int32_t words = bits / 32;
  if (!n->count) return;
  multiply(n, UINT32_C(1) << bits % 32);
  if (!words) return;
  memmove(n->words + words, n->words, (size_t)n->count * sizeof *n->words);
  memset(n->words, 0, (size_t)words * sizeof *n->words);
  n->count += words;
}

static int32_t compare(const number* left, const number* right) {
  if (left->count != right->count) return left->count < right->count ? -1 : 1;
  for (int32_t i = left->count - 1; i >= 0; i--) {
    if (left->words[i] != right->words[i]) return left->words[i] < right->words[i] ? -1 : 1;
  }
  return 0;
}

static void add(number* to, const number* other) {
  uint64_t carry = 0;
  const int32_t count = to->count > other->count ? to->count : other->count;
  for (int32_t i = 0; i < count; i++) {
    if (i < to->count) carry += to->words[i];
    if (i < other->count) carry += other->words[i];
    to->words[i] = (uint32_t)carry;
    carry >>= 32;
  }
  to->count = count;
  if (carry) to->words[to->count++] = (uint32_t)carry;
}

/* What is not larger is taken away. */
static void subtract(number* from, const number* other) {
  int64_t carry = 0;
  for (int32_t i = 0; i < from->count; i++) {
    carry += (int64_t)from->words[i] - (i < other->count ? other->words[i] : 0);
    from->words[i] = (uint32_t)carry;
    carry >>= 32; /* 0 or -1 */
  }
  while (from->count && !from->words[from->count - 1]) from->count--;
}

/* A number that is being written: rest / scale is left of it, below / scale is half way to the next double below, and
 * above / scale to the next one above. A decimal that is just half way reads back as the even one of the two. */
typedef struct {
  number rest, scale, below, above;
  int32_t is_even;
} writing;

/* Whether what is left of the number may be written as the next higher digit. */
static int32_t reaches_up(const writing* w) {
  const number *larger = &w->rest, *other = &w->above;
  if (larger->count < other->count) larger = &w->above, other = &w->rest;
  if (larger->count + 1 < w->scale.count) return 0;
  number sum;
  sum.count = larger->count;
  memcpy(sum.words, larger->words, (size_t)larger->count * sizeof *sum.words);
  add(&sum, other);
  const int32_t order = compare(&sum, &w->scale);
  return w->is_even ? order >= 0 : order > 0;
}

static int32_t reaches_down(const writing* w) {
  const int32_t order = compare(&w->rest, &w->below);
  return w->is_even ? order <= 0 : order < 0;
}

static void next_place(writing* w) {
  multiply(&w->rest, 10);
  multiply(&w->below, 10);
  multiply(&w->above, 10);
}

/* mantissa * 2**power, as `w`; the power of ten of its first digit. */
static int32_t start(writing* w, uint64_t mantissa, int32_t power) {
  /* Doubles below a power of two are half as far apart. */
  const int32_t narrow = mantissa == UINT64_C(1) << (MANTISSA_BITS - 1) && power > LOWEST;
  int32_t bits = 0;
  while (bits < 64 && mantissa >> bits) bits++;
  w->is_even = (mantissa & 1) == 0;
  set_number(&w->rest, mantissa << (1 + narrow));
  set_number(&w->scale, UINT64_C(2) << narrow);
  set_number(&w->below, 1);
  set_number(&w->above, UINT64_C(1) << narrow);
  /* log10(2) in units of 2**-32: of the number's own power of ten and the next, one or the other. */
  const int32_t exponent = (int32_t)((power + bits - 1) * INT64_C(1292913986) >> 32) + 1;
  /* A power of ten is one of five and one of two, and of those what is in both is left out. */
  int32_t up = (power > 0 ? power : 0) + (exponent < 0 ? -exponent : 0);
  int32_t down = (power < 0 ? -power : 0) + (exponent > 0 ? exponent : 0);
  const int32_t common = up < down ? up : down;
  up -= common, down -= common;
  multiply_by_power_of_five(&w->scale, exponent);
  shift(&w->scale, down);
  number* const parts[] = {&w->rest, &w->below, &w->above};
  for (int32_t i = 0; i < 3; i++) {
    multiply_by_power_of_five(parts[i], -exponent);
    shift(parts[i], up);
  }
  if (reaches_up(w)) return exponent;
  next_place(w);
  return exponent - 1;
}

static int32_t write_digits(writing* w, char* digits) {
  int32_t count = 0;
  for (;; next_place(w)) {
    char digit = '0';
    while (compare(&w->rest, &w->scale) >= 0) subtract(&w->rest, &w->scale), digit++;
    const int32_t down = reaches_down(w), up = reaches_up(w);
    digits[count++] = digit;
    if (!down && !up) continue;
    multiply(&w->rest, 2);
    const int32_t half = compare(&w->rest, &w->scale); /* of two digits that will do the nearer, else the even one */
    if (up && (!down || half > 0 || (half == 0 && (digit & 1)))) digits[count - 1]++;
    return count;
  }
}

static int32_t write_integer(uint64_t value, char* digits, int32_t* exponent) {
  char reversed[20];
  int32_t count = 0;
  for (; value || !count; value /= 10) reversed[count++] = (char)('0' + value % 10);
  for (int32_t i = 0; i < count; i++) digits[i] = reversed[count - 1 - i];
  *exponent = count - 1;
  while (count > 1 && digits[count - 1] == '0') count--;
  return count;
}

/* Numbers that people write: up to six places behind the point, fifteen digits in all. No two such decimals are the same
 * double, and of two exact numbers the quotient is what reading would give: if it is the value, these are its digits. */
static int32_t write_short(double value, char* digits, int32_t* exponent) {
  const uint64_t millionths = (uint64_t)(value * 1e6 + 0.5);
  if ((double)millionths / 1e6 != value) return 0;
  const int32_t count = write_integer(millionths, digits, exponent);
  *exponent -= 6;
  return count;
}

/* Never fails. */
int32_t jf_float_digits(double value, char* digits, int32_t* exponent) {
  assert(value >= 0 && !isinf(value));
  int32_t count;
  if (value < 9007199254740992.0 && value == (double)(uint64_t)value) {
    count = write_integer((uint64_t)value, digits, exponent);
  } else if (value > 1e9 || (count = write_short(value, digits, exponent)) == 0) {
    uint64_t bits;
    writing w;
    memcpy(&bits, &value, sizeof bits);
    const int32_t power = (int32_t)(bits >> (MANTISSA_BITS - 1));
    const uint64_t fraction = bits & ((UINT64_C(1) << (MANTISSA_BITS - 1)) - 1);
    *exponent = power ? start(&w, fraction | UINT64_C(1) << (MANTISSA_BITS - 1), power - 1 + LOWEST)
                      : start(&w, fraction, LOWEST);
    count = write_digits(&w, digits);
  }
  digits[count] = 0;
  return count;
}
