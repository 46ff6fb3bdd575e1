/* Half precision, against arithmetic that shares nothing with it: every value, every midpoint and its neighbours. */
#include <math.h>

#include "testhelper.h"

typedef struct {
  int exponent_bits, mantissa_bits;
  uint16_t (*from)(double, int32_t*);
  double (*to)(uint16_t);
} format;

static const format formats[] = {{5, 10, jf_f16_from_f64, jf_f64_from_f16}, {8, 7, jf_bf16_from_f64, jf_f64_from_bf16}};

/* By the definition: (-1)^s 2^(e - bias) 1.m, or 2^(1 - bias) 0.m. */
static double reference(const format* f, uint32_t half) {
  int bias = (1 << (f->exponent_bits - 1)) - 1;
  int exponent = (int)(half >> f->mantissa_bits) & ((1 << f->exponent_bits) - 1);
  int mantissa = (int)(half & ((1u << f->mantissa_bits) - 1));
  int scale = (exponent ? exponent : 1) - bias - f->mantissa_bits;
  double value = ldexp((exponent ? 1 << f->mantissa_bits : 0) + mantissa, scale);
  return half >> 15 ? -value : value;
}

static uint32_t infinity_of(const format* f) { return ((1u << f->exponent_bits) - 1) << f->mantissa_bits; }

static int converts(const format* f, double value, uint32_t half) {
  int32_t overflow = 0;
  uint16_t positive = f->from(value, &overflow), negative = f->from(-value, &overflow);
  return positive == half && negative == (half | 0x8000) && !overflow;
}

static void test_all_finite_values_and_what_lies_between(void) {
  for (int k = 0; k < 2; k++) {
    const format* f = &formats[k];
    for (uint32_t half = 0; half < infinity_of(f); half++) {
      double value = reference(f, half);
      if (f->to((uint16_t)half) != value || f->to((uint16_t)(half | 0x8000)) != -value) CHECK(!"to double");
      if (!converts(f, value, half)) CHECK(!"from double");
      if (half + 1 == infinity_of(f)) continue;
      double middle = (value + reference(f, half + 1)) / 2; /* exact */
      if (!converts(f, middle, half + (half & 1))) CHECK(!"ties go to even");
      if (!converts(f, nextafter(middle, 0), half)) CHECK(!"below the middle");
      if (!converts(f, nextafter(middle, INFINITY), half + 1)) CHECK(!"above the middle");
    }
  }
}

static void test_overflow_begins_half_a_step_above_the_largest(void) {
  for (int k = 0; k < 2; k++) {
    const format* f = &formats[k];
    uint32_t largest = infinity_of(f) - 1;
    double step = reference(f, largest) - reference(f, largest - 1);
    double limit = reference(f, largest) + step / 2;
    const double beyond[] = {limit, 1e300, 1.7976931348623157e308};
    CHECK(converts(f, nextafter(limit, 0), largest));
    for (int i = 0; i < 3; i++) {
      int32_t overflow = 0;
      CHECK(f->from(beyond[i], &overflow) == infinity_of(f) && overflow == 1);
      overflow = 0;
      CHECK(f->from(-beyond[i], &overflow) == (infinity_of(f) | 0x8000) && overflow == 1);
      CHECK(f->from(beyond[i], NULL) == infinity_of(f));
    }
  }
}

static void test_specials(void) {
  for (int k = 0; k < 2; k++) {
    const format* f = &formats[k];
    CHECK(converts(f, INFINITY, infinity_of(f)) && isinf(f->to((uint16_t)infinity_of(f))));
    CHECK(converts(f, 5e-324, 0) && f->to(0) == 0 && signbit(f->to(0x8000)));
    for (uint32_t half = infinity_of(f) + 1; half < 0x8000; half++) {
      double nan = f->to((uint16_t)half);
      uint32_t quiet = half | 1u << (f->mantissa_bits - 1); /* payloads survive, quieted */
      if (!isnan(nan) || f->from(nan, NULL) != quiet) CHECK(!"NaN");
      if (!isnan(f->to((uint16_t)(half | 0x8000)))) CHECK(!"negative NaN");
    }
    CHECK(f->from(-NAN, NULL) >> 15 == 1);
  }
}

int main(void) {
  RUN(test_all_finite_values_and_what_lies_between);
  RUN(test_overflow_begins_half_a_step_above_the_largest);
  RUN(test_specials);
  return finish();
}
