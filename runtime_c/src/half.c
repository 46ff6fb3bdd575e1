/* Half-precision numbers of both kinds from and to double by integer arithmetic: no double rounding on the way, and no
 * dependence on what the CPU can do.
 */
#include <string.h>

#include "jitffi/runtime.h"

typedef struct {
  int exponent_bits;
  int mantissa_bits;
} half_format;

static const half_format F16 = {5, 10};
static const half_format BF16 = {8, 7};

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint16_t narrow(half_format f, double value, int32_t* overflow) {
  const uint64_t bits = bits_of(value);
  const uint32_t sign = (uint32_t)(bits >> 63) << 15;
  const uint32_t infinity = ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const int exponent = (int)(bits >> 52 & 0x7FF);
  uint64_t mantissa = bits & ((1ull << 52) - 1);
  int dropped = 52 - f.mantissa_bits;
  if (exponent == 0x7FF) {
    if (!mantissa) return (uint16_t)(sign | infinity);
    /* The payload's high bits stay; the quiet bit keeps the number from turning into an infinity. */
    return (uint16_t)(sign | infinity | 1u << (f.mantissa_bits - 1) | (uint32_t)(mantissa >> dropped));
  }
  int narrow_exponent = exponent - 1023 + bias;
  if (narrow_exponent <= 0) { /* subnormal in the result: the leading one becomes explicit and moves right */
    if (narrow_exponent < -f.mantissa_bits) return (uint16_t)sign; /* below half of the smallest number */
    mantissa |= 1ull << 52;
    dropped += 1 - narrow_exponent;
    narrow_exponent = 0;
  }
  uint32_t result = (uint32_t)(mantissa >> dropped);
  const uint64_t rest = mantissa & ((1ull << dropped) - 1);
  const uint64_t tie = 1ull << (dropped - 1);
  /* A carry out of the mantissa goes into the exponent, which is right: the next number up. */
  result += (uint32_t)narrow_exponent << f.mantissa_bits;
  if (rest > tie || (rest == tie && (result & 1))) result++;
  if (narrow_exponent >= (1 << f.exponent_bits) - 1 || result >= infinity) {
    if (overflow) *overflow = 1;
    return (uint16_t)(sign | infinity);
  }
  return (uint16_t)(sign | result);
}

static double widen(half_format f, uint16_t half) {
  const uint64_t sign = (uint64_t)(half >> 15) << 63;
  const int exponent_mask = (1 << f.exponent_bits) - 1;
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  int exponent = half >> f.mantissa_bits & exponent_mask;
  uint64_t mantissa = half & ((1u << f.mantissa_bits) - 1);
  uint64_t bits = sign;
  if (exponent == exponent_mask) {
    bits |= 0x7FFull << 52 | mantissa << (52 - f.mantissa_bits);
  } else if (exponent || mantissa) {
    if (!exponent) { /* every subnormal half is a normal double */
      exponent = 1;
      for (; !(mantissa >> f.mantissa_bits); mantissa <<= 1) exponent--;
      mantissa &= (1u << f.mantissa_bits) - 1;
    }
    bits |= (uint64_t)(exponent - bias + 1023) << 52 | mantissa << (52 - f.mantissa_bits);
  }
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Never fail; overflow may be NULL. */
uint16_t jf_f16_from_f64(double value, int32_t* overflow) { return narrow(F16, value, overflow); }
uint16_t jf_bf16_from_f64(double value, int32_t* overflow) { return narrow(BF16, value, overflow); }
double jf_f64_from_f16(uint16_t bits) { return widen(F16, bits); }
double jf_f64_from_bf16(uint16_t bits) { return widen(BF16, bits); }
