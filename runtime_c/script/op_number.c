/* Ints: 64 bits, never wrapped. What does not fit on the way goes through sign and magnitude, so that uints, which are
 * ints above 2**63 - 1 from elsewhere, are right wherever the result has a place. */
#include <math.h>

#include "jitffi/containers.h"
#include "jitffi/script.h"
#include "op_number.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

jf_whole jf_whole_of(const jf_any* number) {
  if (number->type_code == JF_UINT) return (jf_whole){number->v_uint64, 0};
  const int64_t value = number->v_int64;
  return (jf_whole){value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0};
}

int32_t jf_whole_out(jf_whole whole, int32_t is_big, jf_value* out) {
  if (whole.negative) {
    if (whole.magnitude > UINT64_C(1) << 63) return jf_script_overflow();
    jf_set_int(out, (int64_t)(0 - whole.magnitude));
  } else if (whole.magnitude <= INT64_MAX) {
    jf_set_int(out, (int64_t)whole.magnitude);
  } else {
    if (!is_big) return jf_script_overflow();
    *out = (jf_any){JF_UINT, 0, {.v_uint64 = whole.magnitude}};
  }
  return 0;
}

double jf_op_to_double(const jf_any* number) {
  if (number->type_code == JF_FLOAT) return number->v_float64;
  return number->type_code == JF_UINT ? (double)number->v_uint64 : (double)number->v_int64;
}

int32_t jf_op_zero_division(int32_t op, int32_t is_float) {
  if (JITFFI_SCRIPT_PYTHON >= 314) {
    return JF_FAIL("ZeroDivisionError", "%s", op == JF_OP_POW ? "zero to a negative power" : "division by zero");
  }
  const char* message = "integer division or modulo by zero";
  if (op == JF_OP_POW) {
    message = "0.0 cannot be raised to a negative power";
  } else if (op == JF_OP_DIV) {
    message = is_float ? "float division by zero" : "division by zero";
  } else if (is_float) {
    const char* const modulo = JITFFI_SCRIPT_PYTHON < 313 ? "float modulo" : "float modulo by zero";
    message = op == JF_OP_MOD ? modulo : op == JF_OP_DIVMOD ? "float divmod()" : "float floor division by zero";
  } else if (op == JF_OP_MOD) {
    message = "integer modulo by zero";
  }
  return JF_FAIL("ZeroDivisionError", "%s", message);
}

/* -- sign and magnitude; each -1 where 64 bits do not hold the magnitude -- */

static int32_t add(jf_whole a, jf_whole b, jf_whole* out) {
  if (a.negative == b.negative) {
    out->negative = a.negative;
    return __builtin_add_overflow(a.magnitude, b.magnitude, &out->magnitude) ? -1 : 0;
  }
  const int32_t a_wins = a.magnitude >= b.magnitude;
  out->magnitude = a_wins ? a.magnitude - b.magnitude : b.magnitude - a.magnitude;
  out->negative = out->magnitude && (a_wins ? a.negative : b.negative);
  return 0;
}

static int32_t multiply(jf_whole a, jf_whole b, jf_whole* out) {
  const int32_t overflows = __builtin_mul_overflow(a.magnitude, b.magnitude, &out->magnitude);
  out->negative = a.negative != b.negative && a.magnitude && b.magnitude;
  return overflows ? -1 : 0;
}

/* Towards minus infinity; b is not 0. */
static int32_t divide(jf_whole a, jf_whole b, jf_whole* quotient, jf_whole* rest) {
  uint64_t q = a.magnitude / b.magnitude, r = a.magnitude % b.magnitude;
  const int32_t differ = a.negative != b.negative;
  if (r && differ) {
    if (q++ == UINT64_MAX) return -1;
    r = b.magnitude - r;
  }
  *quotient = (jf_whole){q, differ && q};
  *rest = (jf_whole){r, b.negative && r};
  return 0;
}

static int32_t raise(jf_whole base, uint64_t exponent, jf_whole* out) {
  jf_whole result = {1, 0};
  for (;;) {
    if (exponent & 1 && multiply(result, base, &result) != 0) return -1;
    exponent >>= 1;
    if (!exponent) break;
    if (multiply(base, base, &base) != 0) return -1;
  }
  *out = result;
  return 0;
}

static int32_t shift_left(jf_whole a, uint64_t count, jf_whole* out) {
  *out = a;
  if (!a.magnitude) return 0;
  if (count > 63 || (a.magnitude << count) >> count != a.magnitude) return -1;
  out->magnitude <<= count;
  return 0;
}

static jf_whole shift_right(jf_whole a, uint64_t count) {
  if (!a.negative) return (jf_whole){count > 63 ? 0 : a.magnitude >> count, 0};
  return (jf_whole){count > 63 ? 1 : ((a.magnitude - 1) >> count) + 1, 1};
}

/* In two's complement of 65 bits: the low 64, and the sign. */
static int32_t combine(int32_t op, jf_whole a, jf_whole b, jf_whole* out) {
  const uint64_t x = a.negative ? 0 - a.magnitude : a.magnitude, y = b.negative ? 0 - b.magnitude : b.magnitude;
  const uint64_t low = op == JF_OP_AND ? x & y : op == JF_OP_OR ? x | y : x ^ y;
  out->negative = op == JF_OP_AND  ? a.negative && b.negative
                  : op == JF_OP_OR ? a.negative || b.negative
                                   : a.negative != b.negative;
  out->magnitude = out->negative ? 0 - low : low;
  return out->negative && !out->magnitude ? -1 : 0; /* -2**64 */
}

/* -- division, rounded once -- */

static int32_t bits_of(uint64_t value) { return 64 - __builtin_clzll(value); }

/* Long division until there are 55 bits and one that says whether anything is left: rounding that is right. */
static double quotient_of(jf_whole a, jf_whole b) {
  const uint64_t exact = UINT64_C(1) << 53;
  double result;
  if (!a.magnitude || (a.magnitude <= exact && b.magnitude <= exact)) { /* 0 / -1 is -0.0, too */
    result = (double)a.magnitude / (double)b.magnitude;
  } else {
    const int32_t a_bits = bits_of(a.magnitude), b_bits = bits_of(b.magnitude);
    const uint64_t divisor = b.magnitude << (64 - b_bits);
    uint64_t rest = a.magnitude << (64 - a_bits), quotient = 0;
    if (rest >= divisor) rest -= divisor, quotient = 1;
    for (int32_t i = 0; i < 55; i++) {
      const uint64_t carry = rest >> 63;
      rest <<= 1;
      quotient <<= 1;
      if (carry || rest >= divisor) rest -= divisor, quotient |= 1;
    }
    result = ldexp((double)(quotient << 1 | (rest != 0)), a_bits - b_bits - 56);
  }
  return a.negative != b.negative ? -result : result;
}

/* ZeroDivisionError. */
int32_t jf_int_div(int64_t a, int64_t b, double* out) {
  const jf_any x = {JF_INT, 0, {.v_int64 = a}}, y = {JF_INT, 0, {.v_int64 = b}};
  *out = 0;
  if (b == 0) return jf_op_zero_division(JF_OP_DIV, 0);
  *out = quotient_of(jf_whole_of(&x), jf_whole_of(&y));
  return 0;
}

/* -- the operations -- */

static int32_t power(const jf_any* a, const jf_any* b, jf_value* out) {
  const jf_whole base = jf_whole_of(a), exponent = jf_whole_of(b);
  if (exponent.negative) {
    double result;
    if (jf_float_pow(jf_op_to_double(a), jf_op_to_double(b), &result) != 0) return -1;
    jf_set_float(out, result);
    return 0;
  }
  jf_whole result;
  if (raise(base, exponent.magnitude, &result) != 0) return jf_script_overflow();
  return jf_whole_out(result, a->type_code == JF_UINT, out);
}

/* ZeroDivisionError, OverflowError: *out is null. */
int32_t jf_int_pow(int64_t base, int64_t exponent, jf_value* out) {
  const jf_any a = {JF_INT, 0, {.v_int64 = base}}, b = {JF_INT, 0, {.v_int64 = exponent}};
  const int32_t status = power(&a, &b, out);
  if (status != 0) jf_set_null(out);
  return status;
}

static int32_t quotients(int32_t op, jf_whole a, jf_whole b, int32_t is_big, jf_value* out) {
  jf_whole quotient, rest;
  if (!b.magnitude) return jf_op_zero_division(op, 0);
  if (op == JF_OP_DIV) {
    jf_set_float(out, quotient_of(a, b));
    return 0;
  }
  if (divide(a, b, &quotient, &rest) != 0) return jf_script_overflow();
  if (op == JF_OP_FLOORDIV) return jf_whole_out(quotient, is_big, out);
  if (op == JF_OP_MOD) return jf_whole_out(rest, is_big, out);
  jf_any parts[2];
  if (jf_whole_out(quotient, is_big, &parts[0]) != 0 || jf_whole_out(rest, is_big, &parts[1]) != 0) return -1;
  return jf_set_object(out, jf_tuple_new(parts, 2));
}

static int32_t shift(int32_t op, jf_whole a, jf_whole b, int32_t is_big, jf_value* out) {
  if (b.negative) return JF_FAIL("ValueError", "negative shift count");
  jf_whole result;
  if (op == JF_OP_RSHIFT) {
    result = shift_right(a, b.magnitude);
  } else if (shift_left(a, b.magnitude, &result) != 0) {
    return jf_script_overflow();
  }
  return jf_whole_out(result, is_big, out);
}

static int32_t wholes(int32_t op, const jf_any* x, const jf_any* y, jf_value* out) {
  const jf_whole a = jf_whole_of(x);
  jf_whole b = jf_whole_of(y), result = {0, 0};
  const int32_t is_big = x->type_code == JF_UINT || y->type_code == JF_UINT;
  int32_t status = 0;
  switch (op) {
    case JF_OP_SUB:
      b.negative = b.magnitude && !b.negative;
      status = add(a, b, &result);
      break;
    case JF_OP_ADD:
      status = add(a, b, &result);
      break;
    case JF_OP_MUL:
      status = multiply(a, b, &result);
      break;
    case JF_OP_DIV:
    case JF_OP_FLOORDIV:
    case JF_OP_MOD:
    case JF_OP_DIVMOD:
      return quotients(op, a, b, is_big, out);
    case JF_OP_POW:
      return power(x, y, out);
    case JF_OP_LSHIFT:
    case JF_OP_RSHIFT:
      return shift(op, a, b, is_big, out);
    case JF_OP_AND:
    case JF_OP_OR:
    case JF_OP_XOR:
      if (x->type_code == JF_BOOL && y->type_code == JF_BOOL) {
        combine(op, a, b, &result);
        jf_set_bool(out, result.magnitude != 0);
        return 0;
      }
      status = combine(op, a, b, &result);
      break;
    default:
      return 1;
  }
  return status == 0 ? jf_whole_out(result, is_big, out) : jf_script_overflow();
}

int32_t jf_op_numbers(int32_t op, const jf_any* a, const jf_any* b, jf_value* out) {
  if (a->type_code != JF_FLOAT && b->type_code != JF_FLOAT) return wholes(op, a, b, out);
  return jf_op_floats(op, jf_op_to_double(a), jf_op_to_double(b), out);
}

/* -- pow with a modulus -- */

static uint64_t multiply_modulo(uint64_t a, uint64_t b, uint64_t modulus) {
#ifdef __SIZEOF_INT128__
  return (uint64_t)((unsigned __int128)a * b % modulus);
#else
  uint64_t sum = 0;
  for (; b; b >>= 1) {
    if (b & 1) sum = sum >= modulus - a ? sum - (modulus - a) : sum + a;
    a = a >= modulus - a ? a - (modulus - a) : a + a;
  }
  return sum;
#endif
}

/* Of 0 to modulus - 1. */
static uint64_t positive_rest(int64_t value, uint64_t modulus) {
  const uint64_t rest = (value < 0 ? -(uint64_t)value : (uint64_t)value) % modulus;
  return value < 0 && rest ? modulus - rest : rest;
}

/* (x * y + z) % modulus, which is not 0: with its sign. */
int64_t jf_int_rest_of_product(int64_t x, int64_t y, int64_t z, int64_t modulus) {
  const uint64_t m = modulus < 0 ? -(uint64_t)modulus : (uint64_t)modulus;
  const uint64_t product = multiply_modulo(positive_rest(x, m), positive_rest(y, m), m), more = positive_rest(z, m);
  const uint64_t rest = product >= m - more ? product - (m - more) : product + more;
  return (int64_t)(modulus < 0 && rest ? rest - m : rest);
}

/* 0, or -1 where there is none; Euclid's algorithm with factors modulo the modulus. */
static int32_t invert(uint64_t value, uint64_t modulus, uint64_t* out) {
  uint64_t a = value, b = modulus, x = 1, y = 0;
  while (b) {
    const uint64_t quotient = a / b, rest = a % b, step = multiply_modulo(quotient % modulus, y, modulus);
    const uint64_t next = x >= step ? x - step : x + (modulus - step);
    a = b, b = rest;
    x = y, y = next;
  }
  *out = x;
  return a == 1 ? 0 : -1;
}

static int32_t power_modulo(jf_whole base, jf_whole exponent, jf_whole modulus, int32_t is_big, jf_value* out) {
  const uint64_t m = modulus.magnitude;
  if (!m) return JF_FAIL("ValueError", "pow() 3rd argument cannot be 0");
  uint64_t factor = base.magnitude % m, result = 1 % m;
  if (base.negative && factor) factor = m - factor;
  if (m != 1 && exponent.negative && invert(factor, m, &factor) != 0) {
    return JF_FAIL("ValueError", "base is not invertible for the given modulus");
  }
  for (uint64_t left = exponent.magnitude; left; left >>= 1) {
    if (left & 1) result = multiply_modulo(result, factor, m);
    factor = multiply_modulo(factor, factor, m);
  }
  if (modulus.negative && result) return jf_whole_out((jf_whole){m - result, 1}, is_big, out);
  return jf_whole_out((jf_whole){result, 0}, is_big, out);
}

static int32_t power_of_three(const jf_any* const* slots, jf_value* out) {
  int32_t are_numbers = 1, has_float = 0, is_big = 0;
  for (int32_t i = 0; i < 3; i++) {
    are_numbers &= jf_value_kind(slots[i]) == JF_VALUE_NUMBER;
    has_float |= slots[i]->type_code == JF_FLOAT;
    is_big |= slots[i]->type_code == JF_UINT;
  }
  if (has_float) return JF_FAIL("TypeError", "pow() 3rd argument not allowed unless all arguments are integers");
  if (!are_numbers) {
    return JF_FAIL("TypeError", "unsupported operand type(s) for ** or pow(): '%s', '%s', '%s'",
                   jf_op_type_name(slots[0]), jf_op_type_name(slots[1]), jf_op_type_name(slots[2]));
  }
  return power_modulo(jf_whole_of(slots[0]), jf_whole_of(slots[1]), jf_whole_of(slots[2]), is_big, out);
}

/* Borrows all; a modulus of None is none. *out is null on failure. */
int32_t jf_op_pow3(const jf_any* a, const jf_any* b, const jf_any* modulus, jf_value* out) {
  jf_any scratch[3];
  const jf_any* slots[3] = {jf_any_resolve(a, &scratch[0]), jf_any_resolve(b, &scratch[1]),
                            jf_any_resolve(modulus, &scratch[2])};
  if (slots[2]->type_code == JF_NULL) return jf_op_binary(JF_OP_POW, a, b, out);
  const int32_t status = power_of_three(slots, out);
  if (status != 0) jf_set_null(out);
  return status;
}
