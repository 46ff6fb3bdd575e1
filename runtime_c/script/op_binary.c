/* a + b and its like on values of any type, in place too; the unary operators; abs and divmod. */
#include "host.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "op_number.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

static const char* const symbols[] = {"+", "-", "*", "/", "//", "%", "** or pow()", "<<", ">>", "&", "|", "^"};
static const char* const inplace_symbols[] = {
    "+=", "-=", "*=", "/=", "//=", "%=", "**=", "<<=", ">>=", "&=", "|=", "^="};

int32_t jf_op_unsupported(const char* symbol, const jf_any* a, const jf_any* b) {
  return JF_FAIL("TypeError", "unsupported operand type(s) for %s: '%s' and '%s'", symbol, jf_op_type_name(a),
                 jf_op_type_name(b));
}

static int32_t is_sequence(int32_t kind) {
  return kind == JF_VALUE_TEXT || kind == JF_VALUE_BYTES || kind == JF_VALUE_LIST || kind == JF_VALUE_TUPLE;
}

/* -- text and bytes -- */

typedef struct {
  jf_text text;
  jf_room keep;
} operand;

static int32_t open_text(const jf_any* slot, int32_t kind, operand* o) {
  jf_room_init(&o->keep);
  return jf_op_text(slot, kind, &o->text, &o->keep.slot);
}

static void close_text(operand* o) {
  if (o->keep.slot.type_code != JF_NULL) jf_any_release(&o->keep.slot);
}

static int32_t concat_text(const jf_any* a, const jf_any* b, int32_t kind, jf_value* out) {
  operand left, right;
  if (open_text(a, kind, &left) != 0) return -1;
  int32_t status = open_text(b, kind, &right);
  if (status == 0) {
    status = kind == JF_VALUE_TEXT ? jf_text_concat(&left.text, &right.text, out)
                                   : jf_bytes_concat(&left.text, &right.text, out);
    close_text(&right);
  }
  close_text(&left);
  return status;
}

static int32_t repeat_text(const jf_any* slot, int32_t kind, int64_t times, jf_value* out) {
  operand text;
  if (open_text(slot, kind, &text) != 0) return -1;
  const int32_t status =
      kind == JF_VALUE_TEXT ? jf_text_repeat(&text.text, times, out) : jf_bytes_repeat(&text.text, times, out);
  close_text(&text);
  return status;
}

/* -- sequences -- */

static int32_t concat(const jf_any* a, int32_t a_kind, const jf_any* b, int32_t b_kind, jf_value* out) {
  if (a_kind == b_kind) {
    if (a_kind == JF_VALUE_LIST) return jf_set_object(out, jf_list_concat(a->v_object, b->v_object));
    if (a_kind == JF_VALUE_TUPLE) return jf_set_object(out, jf_tuple_concat(a->v_object, b->v_object));
    return concat_text(a, b, a_kind, out);
  }
  if (a_kind == JF_VALUE_BYTES) return JF_FAIL("TypeError", "can't concat %s to bytes", jf_op_type_name(b));
  const char* const name = jf_op_type_name(a);
  return JF_FAIL("TypeError", "can only concatenate %s (not \"%s\") to %s", name, jf_op_type_name(b), name);
}

/* How often a sequence is to be repeated. */
static int32_t times_of(const jf_any* count, int64_t* times) {
  if (count->type_code == JF_INT || count->type_code == JF_BOOL) {
    *times = count->v_int64;
    return 0;
  }
  if (count->type_code == JF_UINT) return JF_FAIL("OverflowError", "cannot fit 'int' into an index-sized integer");
  return JF_FAIL("TypeError", "can't multiply sequence by non-int of type '%s'", jf_op_type_name(count));
}

static int32_t repeat(const jf_any* sequence, int32_t kind, const jf_any* count, jf_value* out) {
  int64_t times;
  if (times_of(count, &times) != 0) return -1;
  if (kind == JF_VALUE_LIST) return jf_set_object(out, jf_list_repeat(sequence->v_object, times));
  if (kind == JF_VALUE_TUPLE) return jf_set_object(out, jf_tuple_repeat(sequence->v_object, times));
  return repeat_text(sequence, kind, times, out);
}

static int32_t unite(const jf_any* a, const jf_any* b, jf_value* out) {
  jf_object* made = jf_map_copy(a->v_object);
  if (made && jf_map_update(made, b->v_object) != 0) {
    jf_object_release(made);
    return jf_op_failed();
  }
  return jf_set_object(out, made);
}

/* What an operator does with two sets; -1: none. */
static int32_t operation_on_sets(int32_t op) {
  return op == JF_OP_OR    ? JF_SET_UNION
         : op == JF_OP_AND ? JF_SET_INTERSECTION
         : op == JF_OP_SUB ? JF_SET_DIFFERENCE
         : op == JF_OP_XOR ? JF_SET_SYMMETRIC_DIFFERENCE
                           : -1;
}

static const jf_script_host* host_of(const jf_any* a, const jf_any* b) {
  const jf_script_host* host = jf_op_host(a);
  return host ? host : jf_op_host(b);
}

static int32_t is_int(const jf_any* slot) { return slot->type_code == JF_INT || slot->type_code == JF_UINT; }

/* Whom to ask for what a failed operation on ints gives, where one of them is above 2**63 - 1, or it is `unbounded`; NULL:
 * nobody. The error is gone then. An int that grows that far from elsewhere is an error: what has made it can begin anew. */
static const jf_script_host* asked_anew(const jf_any* a, const jf_any* b, int32_t unbounded) {
  const jf_script_host* host = jf_op_any_host();
  const int32_t is_large = a->type_code == JF_UINT || b->type_code == JF_UINT;
  if (!host || !(is_large || (unbounded && is_int(a) && is_int(b)))) return NULL;
  jf_object_release(jf_error_take());
  return host;
}

/* Both are resolved. */
static int32_t binary(int32_t asked, const jf_any* a, const jf_any* b, const char* const* symbols_of, jf_value* out) {
  const int32_t op = asked & ~JF_OP_UNBOUNDED;
  const char* symbol = symbols_of[op];
  const int32_t a_kind = jf_value_kind(a), b_kind = jf_value_kind(b);
  if (a_kind == JF_VALUE_BAD) return jf_value_fail_bad(a);
  if (b_kind == JF_VALUE_BAD) return jf_value_fail_bad(b);
  const jf_script_host* host = host_of(a, b);
  if (host) return host->binary(op, a, b, out);
  if (a_kind == JF_VALUE_NUMBER && b_kind == JF_VALUE_NUMBER) {
    const int32_t status = jf_op_numbers(op, a, b, out);
    /* 3 ** 2**63 is an error at once, and not what Python would never end with. */
    const int32_t is_endless = (op == JF_OP_POW || op == JF_OP_LSHIFT) && b->type_code == JF_UINT;
    host = status < 0 && !is_endless ? asked_anew(a, b, asked & JF_OP_UNBOUNDED) : NULL;
    if (host) return host->binary(op, a, b, out);
    return status == 1 ? jf_op_unsupported(symbol, a, b) : status;
  }
  if (op == JF_OP_ADD && is_sequence(a_kind)) return concat(a, a_kind, b, b_kind, out);
  if (op == JF_OP_MUL && is_sequence(a_kind)) return repeat(a, a_kind, b, out);
  if (op == JF_OP_MUL && is_sequence(b_kind) && a_kind == JF_VALUE_NUMBER) return repeat(b, b_kind, a, out);
  if (op == JF_OP_MUL && is_sequence(b_kind)) return times_of(a, &(int64_t){0});
  if (op == JF_OP_MOD && (a_kind == JF_VALUE_TEXT || a_kind == JF_VALUE_BYTES)) {
    host = jf_op_any_host();
    if (host) return host->binary(op, a, b, out);
    return JF_FAIL("TypeError", "scripts have no %% of text: write an f-string");
  }
  if (op == JF_OP_OR && a_kind == JF_VALUE_MAP && b_kind == JF_VALUE_MAP) return unite(a, b, out);
  const int32_t operation = operation_on_sets(op);
  if (operation >= 0 && a_kind == JF_VALUE_SET && b_kind == JF_VALUE_SET) {
    if (jf_set_object(out, jf_set_combine(a->v_object, b->v_object, operation)) == 0) return 0;
    return jf_op_failed();
  }
  return jf_op_unsupported(symbol, a, b);
}

static __attribute__((noinline)) int32_t binary_any(int32_t op, const jf_any* left, const jf_any* right,
                                                    const char* const* names, jf_value* out) {
  jf_any a_scratch, b_scratch;
  const jf_any* a = jf_any_resolve(left, &a_scratch);
  const jf_any* b = jf_any_resolve(right, &b_scratch);
  const int32_t status = binary(op, a, b, names, out);
  if (status != 0) jf_set_null(out);
  return status;
}

/* What two ints, or two floats, mostly are asked for: 1; 0: this takes longer. */
static inline int32_t fast_binary(int32_t op, const jf_any* a, const jf_any* b, jf_value* out) {
  int64_t result;
  if (a->type_code == JF_FLOAT && b->type_code == JF_FLOAT && op <= JF_OP_MUL) {
    const double x = a->v_float64, y = b->v_float64;
    jf_set_float(out, op == JF_OP_ADD ? x + y : op == JF_OP_SUB ? x - y : x * y);
    return 1;
  }
  if (a->type_code != JF_INT || b->type_code != JF_INT) return 0;
  const int64_t x = a->v_int64, y = b->v_int64;
  switch (op) {
    case JF_OP_ADD:
      if (__builtin_add_overflow(x, y, &result)) return 0;
      break;
    case JF_OP_SUB:
      if (__builtin_sub_overflow(x, y, &result)) return 0;
      break;
    case JF_OP_MUL:
      if (__builtin_mul_overflow(x, y, &result)) return 0;
      break;
    case JF_OP_FLOORDIV:
      if (y <= 0) return 0;
      result = x / y - (x % y < 0);
      break;
    case JF_OP_MOD:
      if (y <= 0) return 0;
      result = x % y;
      if (result < 0) result += y;
      break;
    default:
      return 0;
  }
  jf_set_int(out, result);
  return 1;
}

/* Borrows both; *out owns the result. TypeError, ZeroDivisionError, OverflowError, ValueError, MemoryError: *out is
 * null. */
int32_t jf_op_binary(int32_t op, const jf_any* a, const jf_any* b, jf_value* out) {
  jf_text left, right;
  const int32_t plain = op & ~JF_OP_UNBOUNDED;
  if (fast_binary(plain, a, b, out)) return 0;
  if (plain == JF_OP_ADD && jf_fast_text(a, &left) && jf_fast_text(b, &right))
    return jf_text_concat(&left, &right, out);
  return binary_any(op, a, b, symbols, out);
}

/* list *= count, in place. */
static int32_t repeat_in_place(jf_object* list, const jf_any* count) {
  int64_t times;
  if (times_of(count, &times) != 0) return -1;
  if (times == 1) return 0;
  jf_object* repeated = jf_list_repeat(list, times);
  if (!repeated) return -1;
  const int32_t status = jf_list_assign(list, JF_NO_INDEX, JF_NO_INDEX, 1, repeated);
  jf_object_release(repeated);
  return status;
}

/* Borrows b. *target is as it was on failure, but for a list that an iterable gave some of its items. */
int32_t jf_op_inplace(int32_t asked, jf_value* target, const jf_any* b) {
  const int32_t op = asked & ~JF_OP_UNBOUNDED;
  jf_value out = {JF_NULL, 0, {0}};
  if (fast_binary(op, target, b, &out)) {
    *target = out;
    return 0;
  }
  jf_any scratch, b_scratch;
  const jf_any* slot = jf_any_resolve(target, &scratch);
  const jf_any* other = jf_any_resolve(b, &b_scratch);
  const int32_t kind = jf_value_kind(slot);
  if (kind == JF_VALUE_LIST && op == JF_OP_ADD) return jf_op_extend(slot->v_object, other);
  if (kind == JF_VALUE_LIST && op == JF_OP_MUL) return repeat_in_place(slot->v_object, other);
  if (kind == JF_VALUE_MAP && op == JF_OP_OR) return jf_op_map_update(slot->v_object, other);
  const int32_t operation = operation_on_sets(op);
  if (kind == JF_VALUE_SET && operation >= 0 && jf_value_kind(other) == JF_VALUE_SET)
    return jf_set_change(slot->v_object, other->v_object, operation) == 0 ? 0 : jf_op_failed();
  /* Other than for *, CPython does not ask the right side whether it can be repeated where the left is a container. */
  const jf_script_host* host = host_of(slot, other);
  if (!host && kind == JF_VALUE_MAP && op == JF_OP_MUL) return jf_op_unsupported("*=", slot, other);
  const int32_t status =
      host ? host->inplace(op, slot, other, &out) : binary(asked, slot, other, inplace_symbols, &out);
  if (status != 0) return -1;
  jf_any_release(target);
  *target = out;
  return 0;
}

/* -- unary -- */

static int32_t invert(const jf_any* slot, jf_value* out) {
  if (slot->type_code == JF_UINT) return jf_script_overflow();
  jf_set_int(out, ~slot->v_int64);
  return 0;
}

static int32_t negate(const jf_any* slot, jf_value* out) {
  jf_whole whole = jf_whole_of(slot);
  whole.negative = whole.magnitude && !whole.negative;
  return jf_whole_out(whole, 0, out);
}

static int32_t unary(int32_t op, const jf_any* slot, jf_value* out) {
  if (jf_value_kind(slot) == JF_VALUE_NUMBER && !(op == JF_OP_INVERT && slot->type_code == JF_FLOAT)) {
    if (op == JF_OP_INVERT) return invert(slot, out);
    if (slot->type_code == JF_FLOAT) {
      jf_set_float(out, op == JF_OP_NEGATE ? -slot->v_float64 : slot->v_float64);
      return 0;
    }
    return op == JF_OP_NEGATE ? negate(slot, out) : jf_whole_out(jf_whole_of(slot), 1, out);
  }
  const jf_script_host* host = jf_op_host(slot);
  if (host) return host->unary(op, slot, out);
  const char symbol = op == JF_OP_NEGATE ? '-' : op == JF_OP_PLUS ? '+' : '~';
  return JF_FAIL("TypeError", "bad operand type for unary %c: '%s'", symbol, jf_op_type_name(slot));
}

/* Borrows. TypeError, OverflowError: *out is null. */
int32_t jf_op_unary(int32_t op, const jf_any* value, jf_value* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  int32_t status = unary(op, slot, out);
  const jf_script_host* host = status < 0 ? asked_anew(slot, slot, 0) : NULL;
  if (host) status = host->unary(op, slot, out);
  if (status != 0) jf_set_null(out);
  return status;
}

/* Borrows. TypeError, OverflowError: *out is null. */
int32_t jf_op_abs(const jf_any* value, jf_value* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  int32_t status = 0;
  const jf_script_host* host = jf_op_host(slot);
  if (host) {
    status = host->unary(JF_HOST_ABS, slot, out);
  } else if (jf_value_kind(slot) != JF_VALUE_NUMBER) {
    status = JF_FAIL("TypeError", "bad operand type for abs(): '%s'", jf_op_type_name(slot));
  } else if (slot->type_code == JF_FLOAT) {
    jf_set_float(out, __builtin_fabs(slot->v_float64));
  } else {
    status = jf_whole_out((jf_whole){jf_whole_of(slot).magnitude, 0}, slot->type_code == JF_UINT, out);
  }
  if (status != 0) jf_set_null(out);
  return status;
}

/* Borrows both; a tuple. *out is null on failure. */
int32_t jf_op_divmod(const jf_any* left, const jf_any* right, jf_value* out) {
  jf_any a_scratch, b_scratch;
  const jf_any* a = jf_any_resolve(left, &a_scratch);
  const jf_any* b = jf_any_resolve(right, &b_scratch);
  int32_t status;
  if (jf_value_kind(a) == JF_VALUE_NUMBER && jf_value_kind(b) == JF_VALUE_NUMBER) {
    status = jf_op_numbers(JF_OP_DIVMOD, a, b, out);
    const jf_script_host* host = status < 0 ? asked_anew(a, b, 0) : NULL;
    if (host) status = host->binary(JF_HOST_DIVMOD, a, b, out);
  } else if (host_of(a, b)) {
    status = host_of(a, b)->binary(JF_HOST_DIVMOD, a, b, out);
  } else {
    status = jf_op_unsupported("divmod()", a, b);
  }
  if (status != 0) jf_set_null(out);
  return status;
}
