/* int() and float(): of numbers, and of text by Python's grammar. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include "host.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "macros.h"
#include "message.h"
#include "op_number.h"
#include "op_repr.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

/* -- the decimal point of the C library -- */

static locale_t plain_locale(void) {
  static locale_t made; /* for ever; two threads that come first make one too many */
  locale_t locale = __atomic_load_n(&made, __ATOMIC_ACQUIRE);
  if (locale) return locale;
  locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (locale) __atomic_store_n(&made, locale, __ATOMIC_RELEASE);
  return locale;
}

void* jf_point_enter(void) {
  const locale_t locale = plain_locale();
  return locale ? (void*)uselocale(locale) : NULL;
}

void jf_point_leave(void* before) {
  if (before) uselocale((locale_t)before);
}

/* -- text as ASCII: digits and spaces of all scripts are those of ASCII -- */

typedef struct {
  char* data; /* NUL-terminated; a NUL in the text is like any other wrong character */
  size_t size;
  char near[72];
} digits;

/* Digits come in tens, the zeros first; two tens may stand side by side. */
static uint32_t digit_of(uint32_t c) {
  uint32_t first = c;
  while (first && jf_char_flags((int32_t)first - 1) & JF_IS_DECIMAL) first--;
  return (c - first) % 10;
}

static char plain(uint32_t c) {
  if (c < 0x80) return c ? (char)c : '?';
  const uint32_t flags = jf_char_flags((int32_t)c);
  if (flags & JF_IS_SPACE) return ' ';
  return flags & JF_IS_DECIMAL ? (char)('0' + digit_of(c)) : '?';
}

static int32_t open_digits(const jf_text* text, digits* d) {
  d->size = text->size;
  d->data = text->size < sizeof d->near ? d->near : text->size < PTRDIFF_MAX ? jf_alloc(text->size + 1) : NULL;
  if (!d->data) {
    jf_error_no_memory();
    return -1;
  }
  int32_t is_wide = 0; /* wide text of ASCII only is ASCII */
  const jf_char32* wide = text->data;
  for (size_t i = 0; text->wide && i < text->size; i++) is_wide |= wide[i] > 0x7F;
  for (size_t i = 0; i < text->size; i++) {
    const uint32_t c = text->wide ? (uint32_t)wide[i] : ((const unsigned char*)text->data)[i];
    d->data[i] = is_wide ? plain(c) : c && c < 0x80 ? (char)c : '?';
  }
  d->data[text->size] = 0;
  return 0;
}

static void close_digits(digits* d) {
  if (d->data != d->near) jf_free(d->data);
}

static int32_t is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The text without blanks around it. */
static const char* strip(digits* d) {
  char *start = d->data, *end = d->data + d->size;
  while (is_blank(*start)) start++;
  while (end > start && is_blank(end[-1])) end--;
  *end = 0;
  return start;
}

/* -- int -- */

static uint32_t value_of(char c) {
  if (c >= '0' && c <= '9') return (uint32_t)(c - '0');
  if (c >= 'a' && c <= 'z') return (uint32_t)(c - 'a' + 10);
  return c >= 'A' && c <= 'Z' ? (uint32_t)(c - 'A' + 10) : 99;
}

/* Of 0x and its like. */
static uint32_t base_of_prefix(const char* at) {
  if (at[0] != '0') return 0;
  const char c = at[1] | 0x20;
  return c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 0;
}

enum { WRONG = -1, TOO_LARGE = 1 };

static int32_t read_int(const char* at, uint32_t base, int64_t* out) {
  const int32_t is_negative = *at == '-';
  if (*at == '-' || *at == '+') at++;
  const uint32_t prefix = base_of_prefix(at);
  int32_t only_zero = 0;
  if (prefix && (base == 0 || base == prefix)) {
    base = prefix;
    at += 2;
    if (*at == '_') at++;
  } else if (base == 0) {
    base = 10;
    only_zero = *at == '0';
  }
  uint64_t value = 0;
  int32_t overflow = 0, is_behind_digit = 0;
  for (; *at; at++) {
    if (*at == '_') {
      if (!is_behind_digit) return WRONG;
      is_behind_digit = 0;
      continue;
    }
    const uint32_t digit = value_of(*at);
    if (digit >= base) return WRONG;
    overflow |= __builtin_mul_overflow(value, (uint64_t)base, &value);
    overflow |= __builtin_add_overflow(value, (uint64_t)digit, &value);
    is_behind_digit = 1;
  }
  if (!is_behind_digit || (only_zero && (value || overflow))) return WRONG;
  if (overflow || value > (uint64_t)INT64_MAX + (is_negative ? 1 : 0)) return TOO_LARGE;
  *out = is_negative ? (int64_t)(0 - value) : (int64_t)value;
  return 0;
}

/* "<before><text>", which programs that try several classes catch again and again: put together by hand, which printf takes
 * three times as long for. Frees the text; NULL: there is no memory. Always -1. */
static JF_COLD int32_t fail_value(const char* before, char* text) {
  char message[256];
  if (!text) return -1;
  const size_t start = strlen(before), size = strlen(text);
  if (start + size < sizeof message) {
    memcpy(message, before, start);
    memcpy(message + start, text, size + 1);
    jf_error_set("ValueError", message);
  } else {
    jf_error_format("ValueError", "%s%s", before, text);
  }
  jf_free(text);
  return -1;
}

static JF_COLD int32_t fail_literal(const jf_any* slot, int64_t base) {
  char* text = jf_op_repr_text(slot, 200);
  if (base == 10 || !text) return fail_value("invalid literal for int() with base 10: ", text);
  jf_error_format("ValueError", "invalid literal for int() with base %d: %s", (int)base, text);
  jf_free(text);
  return -1;
}

/* 0, 1 for an int of more than 64 bits, or -1 with the last error set. */
static int32_t read_text(const jf_any* slot, int32_t kind, int64_t base, int64_t* out) {
  jf_room keep;
  jf_text text;
  digits d;
  jf_room_init(&keep);
  if (jf_op_text(slot, kind, &text, &keep.slot) != 0) return -1;
  int32_t status = open_digits(&text, &d);
  if (keep.slot.type_code != JF_NULL) jf_any_release(&keep.slot);
  if (status != 0) return -1;
  status = read_int(strip(&d), (uint32_t)base, out);
  close_digits(&d);
  if (status == WRONG) return fail_literal(slot, base);
  return status == TOO_LARGE;
}

static int32_t int_of_text(const jf_any* slot, int32_t kind, int64_t base, int64_t* out) {
  const int32_t status = read_text(slot, kind, base, out);
  return status == 1 ? jf_script_overflow() : status;
}

static int32_t int_of_host(const jf_any* slot, int64_t* out) {
  jf_value found = {JF_NULL, 0, {0}};
  if (jf_op_host(slot)->unary(JF_HOST_INT, slot, &found) != 0) return -1;
  if (found.type_code == JF_INT) {
    *out = found.v_int64;
    return 0;
  }
  jf_any_release(&found);
  return jf_script_overflow();
}

/* Borrows. TypeError, ValueError, OverflowError: *out is 0. */
int32_t jf_op_int(const jf_any* value, int64_t* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const int32_t kind = jf_value_kind(slot);
  *out = 0;
  if (kind == JF_VALUE_TEXT || kind == JF_VALUE_BYTES) return int_of_text(slot, kind, 10, out);
  if (jf_op_host(slot)) return int_of_host(slot, out);
  if (kind != JF_VALUE_NUMBER) {
    return JF_FAIL("TypeError", "int() argument must be a string, a bytes-like object or a real number, not '%s'",
                   jf_op_type_name(slot));
  }
  if (slot->type_code == JF_FLOAT) return jf_float_to_int(slot->v_float64, out);
  if (slot->type_code == JF_UINT) return jf_script_overflow();
  *out = slot->v_int64;
  return 0;
}

/* Borrows. TypeError, ValueError, OverflowError: *out is 0. */
int32_t jf_op_int_base(const jf_any* value, int64_t base, int64_t* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const int32_t kind = jf_value_kind(slot);
  *out = 0;
  if (base != 0 && (base < 2 || base > 36)) return JF_FAIL("ValueError", "int() base must be >= 2 and <= 36, or 0");
  if (kind == JF_VALUE_TEXT || kind == JF_VALUE_BYTES) return int_of_text(slot, kind, base, out);
  return JF_FAIL("TypeError", "int() can't convert non-string with explicit base");
}

static int32_t put_int(int64_t number, jf_value* out) {
  jf_set_int(out, number);
  return 0;
}

/* Borrows. As jf_op_int and, with a base, jf_op_int_base: *out is null. */
int32_t jf_op_int_of_any_size(const jf_any* value, int32_t has_base, int64_t base, jf_value* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const int32_t kind = jf_value_kind(slot);
  const jf_script_host* host = jf_op_any_host();
  int64_t number;
  jf_set_null(out);
  if (host && (kind == JF_VALUE_TEXT || kind == JF_VALUE_BYTES) &&
      (!has_base || base == 0 || (base > 1 && base < 37))) {
    const int32_t status = read_text(slot, kind, has_base ? base : 10, &number);
    if (status != 1) return status < 0 ? -1 : put_int(number, out);
    if (!has_base) return host->unary(JF_HOST_INT, slot, out);
    jf_any given = {JF_INT, 0, {0}};
    given.v_int64 = base;
    return host->binary(JF_HOST_INT_OF_BASE, slot, &given, out);
  }
  if (has_base) return jf_op_int_base(slot, base, &number) != 0 ? -1 : put_int(number, out);
  if (jf_op_host(slot) || (host && slot->type_code == JF_FLOAT && fabs(slot->v_float64) >= 9223372036854775808.0))
    return host->unary(JF_HOST_INT, slot, out);
  if (slot->type_code == JF_UINT) {
    *out = *slot;
    return 0;
  }
  return jf_op_int(slot, &number) != 0 ? -1 : put_int(number, out);
}

/* -- float -- */

/* Underscores between digits go. 0, or -1 for one that stands elsewhere. */
static int32_t drop_underscores(char* text) {
  char* to = text;
  char before = 0;
  for (const char* at = text; *at; at++) {
    if (*at == '_') {
      if (value_of(before) > 9 || value_of(at[1]) > 9) return -1;
    } else {
      *to++ = *at;
    }
    before = *at;
  }
  *to = 0;
  return 0;
}

static const char* skip_digits(const char* at) {
  while (*at >= '0' && *at <= '9') at++;
  return at;
}

/* Digits, a point among them, an exponent. */
static int32_t is_decimal(const char* at) {
  const char* const start = at;
  at = skip_digits(at);
  size_t count = (size_t)(at - start);
  if (*at == '.') {
    const char* const fraction = ++at;
    at = skip_digits(at);
    count += (size_t)(at - fraction);
  }
  if (!count) return 0;
  if (*at == 'e' || *at == 'E') {
    at++;
    if (*at == '+' || *at == '-') at++;
    if (skip_digits(at) == at) return 0;
    at = skip_digits(at);
  }
  return *at == 0;
}

static int32_t is_word(const char* at, const char* word) {
  while (*word && (*at | 0x20) == *word) at++, word++;
  return !*word && !*at;
}

/* What two exact numbers give, rounded once: few digits, a small power of ten. 0: that is not enough. */
static int32_t read_short(const char* at, double* out) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  int64_t digits = 0;
  int32_t count = 0, behind = 0, has_point = 0;
  for (; *at; at++) {
    if (*at == '.') {
      has_point = 1;
    } else if (*at < '0' || *at > '9' || ++count > 15) {
      return 0;
    } else {
      digits = 10 * digits + (*at - '0');
      behind += has_point;
    }
  }
  *out = (double)digits / powers[behind];
  return 1;
}

/* 0, or -1 where it is no float. */
static int32_t read_float(char* text, double* out) {
  if (drop_underscores(text) != 0) return -1;
  const int32_t is_negative = *text == '-';
  if (*text == '-' || *text == '+') text++;
  if (is_word(text, "inf") || is_word(text, "infinity")) {
    *out = INFINITY;
  } else if (is_word(text, "nan")) {
    *out = NAN;
  } else {
    if (!is_decimal(text)) return -1;
    if (!read_short(text, out)) {
      void* const before = jf_point_enter();
      *out = strtod(text, NULL);
      jf_point_leave(before);
    }
  }
  if (is_negative) *out = -*out;
  return 0;
}

static JF_COLD int32_t fail_float(const jf_any* slot) {
  return fail_value("could not convert string to float: ", jf_op_repr_text(slot, 0));
}

static int32_t float_of_text(const jf_any* slot, int32_t kind, double* out) {
  jf_room keep;
  jf_text text;
  digits d;
  jf_room_init(&keep);
  if (jf_op_text(slot, kind, &text, &keep.slot) != 0) return -1;
  int32_t status = open_digits(&text, &d);
  if (keep.slot.type_code != JF_NULL) jf_any_release(&keep.slot);
  if (status != 0) return -1;
  status = read_float((char*)(uintptr_t)strip(&d), out);
  close_digits(&d);
  return status == 0 ? 0 : fail_float(slot);
}

/* Borrows. TypeError, ValueError: *out is 0. */
int32_t jf_op_float(const jf_any* value, double* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const int32_t kind = jf_value_kind(slot);
  *out = 0;
  if (kind == JF_VALUE_TEXT || kind == JF_VALUE_BYTES) return float_of_text(slot, kind, out);
  if (jf_op_host(slot)) {
    jf_value found = {JF_NULL, 0, {0}};
    if (jf_op_host(slot)->unary(JF_HOST_FLOAT, slot, &found) != 0) return -1;
    *out = found.v_float64;
    return 0;
  }
  if (kind != JF_VALUE_NUMBER) {
    return JF_FAIL("TypeError", "float() argument must be a string or a real number, not '%s'", jf_op_type_name(slot));
  }
  *out = jf_op_to_double(slot);
  return 0;
}
