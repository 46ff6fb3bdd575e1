/* Floats, with the results and errors of CPython's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "op_number.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

/* Never fails; b is not 0. */
double jf_float_mod(double a, double b) {
  double mod = fmod(a, b);
  if (mod == 0) return copysign(0, b);
  if ((b < 0) != (mod < 0)) mod += b;
  return mod;
}

/* Never fails; b is not 0. */
double jf_float_floordiv(double a, double b) {
  double mod = fmod(a, b);
  double quotient = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) quotient -= 1;
  if (quotient == 0) return copysign(0, a / b);
  double whole = floor(quotient);
  if (quotient - whole > 0.5) whole += 1;
  return whole;
}

/* ZeroDivisionError, OverflowError, and ValueError where CPython's result is complex. */
int32_t jf_float_pow(double a, double b, double* out) {
  *out = 0;
  if (a == 0 && b < 0 && !isinf(b)) return jf_op_zero_division(JF_OP_POW, 1);
  if (isfinite(a) && isfinite(b) && a < 0 && b != floor(b)) {
    return JF_FAIL("ValueError", JF_SCRIPT_BEYOND_FLOAT);
  }
  *out = pow(a, b); /* C and Python agree on all special values that are left */
  if (!isinf(*out) || !isfinite(a) || !isfinite(b)) return 0;
  *out = 0;
  static const jf_span text = {"Numerical result out of range", 29};
  const jf_view args[] = {{JF_INT, 0, {.v_int64 = 34}}, {JF_STR_VIEW, 0, {.v_span = (jf_span*)&text}}};
  jf_error_set("OverflowError", "(34, 'Numerical result out of range')");
  jf_script_error_args(args, 2);
  return -1;
}

static int32_t divmod_out(double a, double b, jf_value* out) {
  const jf_any parts[2] = {{JF_FLOAT, 0, {.v_float64 = jf_float_floordiv(a, b)}},
                           {JF_FLOAT, 0, {.v_float64 = jf_float_mod(a, b)}}};
  return jf_set_object(out, jf_tuple_new(parts, 2));
}

int32_t jf_op_floats(int32_t op, double a, double b, jf_value* out) {
  double result = 0;
  switch (op) {
    case JF_OP_ADD:
      result = a + b;
      break;
    case JF_OP_SUB:
      result = a - b;
      break;
    case JF_OP_MUL:
      result = a * b;
      break;
    case JF_OP_POW:
      if (jf_float_pow(a, b, &result) != 0) return -1;
      break;
    case JF_OP_DIV:
    case JF_OP_FLOORDIV:
    case JF_OP_MOD:
    case JF_OP_DIVMOD:
      if (b == 0) return jf_op_zero_division(op, 1);
      if (op == JF_OP_DIVMOD) return divmod_out(a, b, out);
      result = op == JF_OP_DIV ? a / b : op == JF_OP_MOD ? jf_float_mod(a, b) : jf_float_floordiv(a, b);
      break;
    default:
      return 1;
  }
  jf_set_float(out, result);
  return 0;
}

int32_t jf_float_to_int(double value, int64_t* out) {
  *out = 0;
  if (value != value) return JF_FAIL("ValueError", "cannot convert float NaN to integer");
  if (isinf(value)) return JF_FAIL("OverflowError", "cannot convert float infinity to integer");
  if (value >= 9223372036854775808.0 || value < -9223372036854775808.0) return jf_script_overflow();
  *out = (int64_t)value;
  return 0;
}

/* -- round -- */

/* How a number compares with 5 * 10**exponent: what is printed of it is exact from 2**53 on. */
static int32_t compare_with_half(double value, int32_t exponent) {
  if (exponent <= 15) {
    double half = 5;
    for (int32_t i = 0; i < exponent; i++) half *= 10;
    return value < half ? -1 : value > half;
  }
  char text[400];
  snprintf(text, sizeof text, "%.0f", value);
  if (text[0] != '5') return text[0] < '5' ? -1 : 1;
  for (const char* at = text + 1; *at; at++) {
    if (*at != '0') return 1;
  }
  return 0;
}

/* To `digits` places behind the point, in front of it where that is negative. The C library prints to any number of
 * places exactly rounded, half to even. */
static int32_t round_to(double value, int64_t digits, double* out) {
  char text[800];
  *out = value;
  if (!isfinite(value) || value == 0 || digits > 323) return 0;
  *out = copysign(0, value);
  if (digits < -308) return 0;
  if (digits >= 0) {
    snprintf(text, sizeof text, "%.*f", (int)digits, value);
  } else {
    snprintf(text, sizeof text, "%.17e", value);
    const int32_t exponent = atoi(strchr(text, 'e') + 1);
    const int32_t places = exponent + (int32_t)digits; /* behind the first digit */
    if (places < -1) return 0;
    if (places == -1) {
      if (compare_with_half(fabs(value), exponent) <= 0) return 0; /* of 0 and 10**n the even one */
      snprintf(text, sizeof text, "%s1e%d", value < 0 ? "-" : "", -(int)digits);
    } else {
      snprintf(text, sizeof text, "%.*e", (int)places, value);
    }
  }
  *out = strtod(text, NULL);
  if (isinf(*out)) return JF_FAIL("OverflowError", "rounded value too large to represent");
  return 0;
}

static int32_t round_float(double value, jf_value* out) {
  int64_t whole;
  if (jf_float_to_int(isfinite(value) ? rint(value) : value, &whole) != 0) return -1;
  jf_set_int(out, whole);
  return 0;
}

/* To 10**places, half to even. */
static int32_t round_whole(const jf_any* number, int64_t places, jf_value* out) {
  jf_whole whole = jf_whole_of(number);
  uint64_t unit = 1;
  for (int64_t i = 0; i < places && unit; i++) {
    if (__builtin_mul_overflow(unit, UINT64_C(10), &unit)) unit = 0;
  }
  const uint64_t rest = unit ? whole.magnitude % unit : 0;
  if (!unit) { /* 10**20 and more: half of it is above all ints */
    whole.magnitude = 0;
  } else {
    const int32_t is_odd_unit = (int32_t)(whole.magnitude / unit & 1);
    whole.magnitude -= rest;
    const int32_t up = rest > unit - rest || (rest == unit - rest && is_odd_unit);
    if (up && __builtin_add_overflow(whole.magnitude, unit, &whole.magnitude)) return jf_script_overflow();
  }
  return jf_whole_out(whole, number->type_code == JF_UINT, out);
}

/* The number of digits, limited to what makes a difference; 1: none. */
static int32_t digits_of(const jf_any* view, int64_t* digits) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  *digits = 0;
  if (slot->type_code == JF_NULL) return 1;
  if (slot->type_code == JF_UINT) {
    *digits = 1000;
    return 0;
  }
  if (jf_op_index(slot, digits) != 0) return -1;
  if (*digits > 1000) *digits = 1000;
  if (*digits < -1000) *digits = -1000;
  return 0;
}

static int32_t round_resolved(const jf_any* slot, const jf_any* digits_view, jf_value* out) {
  int64_t digits;
  if (jf_op_host(slot)) return jf_op_host(slot)->binary(JF_HOST_ROUND, slot, digits_view, out);
  if (jf_value_kind(slot) != JF_VALUE_NUMBER) {
    return JF_FAIL("TypeError", "type %s doesn't define __round__ method", jf_op_type_name(slot));
  }
  const int32_t without = digits_of(digits_view, &digits);
  if (without < 0) return -1;
  if (slot->type_code != JF_FLOAT) return round_whole(slot, digits < 0 ? -digits : 0, out);
  if (without) return round_float(slot->v_float64, out);
  double rounded;
  void* const before = jf_point_enter();
  const int32_t status = round_to(slot->v_float64, digits, &rounded);
  jf_point_leave(before);
  if (status == 0) jf_set_float(out, rounded);
  return status;
}

/* Borrows both; `digits` a view of None or an int. *out is null on failure. */
int32_t jf_op_round(const jf_any* value, const jf_any* digits, jf_value* out) {
  jf_any scratch;
  const int32_t status = round_resolved(jf_any_resolve(value, &scratch), digits, out);
  if (status != 0) jf_set_null(out);
  return status;
}
