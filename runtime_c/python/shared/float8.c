/* DLPack's floats of eight bits, to double and back.
 *
 * The formats are those of dlpack.h 1.1 (DLDataTypeCode), which are ml_dtypes': a sign, an exponent, a mantissa. "fn" has no
 * infinities and one NaN for each sign, all bits set; "fnuz" no negative zero either, whose bits are the NaN; "e8m0fnu" is an
 * exponent alone.
 */
#include "float8.h"

#include <math.h>

enum { IEEE, FINITE, FINITE_UNSIGNED_ZERO };

typedef struct {
  int mantissa_bits;
  int bias;
  int rule;
} float8_format;

enum { FIRST = 7, EXPONENT_ALONE = 14 }; /* codes */

static const float8_format formats[] = {
    {4, 3, IEEE},                  /* float8_e3m4 */
    {3, 7, IEEE},                  /* float8_e4m3 */
    {3, 11, FINITE_UNSIGNED_ZERO}, /* float8_e4m3b11fnuz */
    {3, 7, FINITE},                /* float8_e4m3fn */
    {3, 8, FINITE_UNSIGNED_ZERO},  /* float8_e4m3fnuz */
    {2, 15, IEEE},                 /* float8_e5m2 */
    {2, 16, FINITE_UNSIGNED_ZERO}, /* float8_e5m2fnuz */
};

double core_float8_read(int code, uint8_t bits) {
  if (code == EXPONENT_ALONE) return bits == 0xFF ? (double)NAN : ldexp(1, bits - 127);
  const float8_format f = formats[code - FIRST];
  const int exponent = (bits & 0x7F) >> f.mantissa_bits;
  const int mantissa = bits & ((1 << f.mantissa_bits) - 1);
  const double sign = bits & 0x80 ? -1 : 1;
  if (f.rule == FINITE_UNSIGNED_ZERO && bits == 0x80) return (double)NAN;
  if (f.rule == FINITE && (bits & 0x7F) == 0x7F) return (double)NAN;
  if (f.rule == IEEE && exponent == 0x7F >> f.mantissa_bits) return mantissa ? (double)NAN : sign * (double)INFINITY;
  const int whole = exponent != 0 ? mantissa | 1 << f.mantissa_bits : mantissa;
  return sign * ldexp(whole, (exponent != 0 ? exponent : 1) - f.bias - f.mantissa_bits);
}

/* The bits of the largest number. */
static uint8_t largest(int code) {
  if (code == EXPONENT_ALONE) return 0xFE;
  const float8_format f = formats[code - FIRST];
  if (f.rule == FINITE_UNSIGNED_ZERO) return 0x7F;
  return f.rule == FINITE ? 0x7E : (uint8_t)(0x7F - (1 << f.mantissa_bits));
}

double core_float8_most(int code) { return core_float8_read(code, largest(code)); }

static uint8_t nan_of(int code) {
  if (code == EXPONENT_ALONE) return 0xFF;
  const float8_format f = formats[code - FIRST];
  if (f.rule == FINITE_UNSIGNED_ZERO) return 0x80;
  return f.rule == FINITE ? 0x7F : (uint8_t)(0x7F & -(1 << (f.mantissa_bits - 1)));
}

/* To nearest, ties to even; what would round to infinity or has no place is -1. Of 128 numbers in ascending order the right
 * one is looked for. */
int core_float8_write(int code, double value, uint8_t* bits) {
  const int has_sign = code != EXPONENT_ALONE;
  const uint8_t most = largest(code);
  const double magnitude = fabs(value);
  *bits = nan_of(code);
  if (isnan(value)) return 0;
  if (!has_sign && value <= 0) return -1;
  const uint8_t sign = has_sign && signbit(value) ? 0x80 : 0;
  if (isinf(value)) {
    *bits = (uint8_t)(sign | (most + 1));
    return has_sign && formats[code - FIRST].rule == IEEE ? 0 : -1;
  }
  const double last = core_float8_read(code, most);
  const double beyond = last + (last - core_float8_read(code, (uint8_t)(most - 1))) / (has_sign ? 2 : 1);
  if (magnitude > beyond || (magnitude == beyond && (most & 1))) return -1;
  uint8_t low = 0;
  while (low < most && core_float8_read(code, (uint8_t)(low + 1)) <= magnitude) low++;
  const double below = magnitude - core_float8_read(code, low);
  const double above = low < most ? core_float8_read(code, (uint8_t)(low + 1)) - magnitude : (double)INFINITY;
  if (above < below || (above == below && (low & 1))) low++;
  *bits = low == 0 && has_sign && formats[code - FIRST].rule == FINITE_UNSIGNED_ZERO ? 0 : (uint8_t)(sign | low);
  return 0;
}
