/* format(value, spec): reading the spec, and text.
 *
 *   [[fill]align][sign][z][#][0][width][, or _][.precision][type]
 */
#include <string.h>

#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "macros.h"
#include "message.h"
#include "op_format.h"
#include "op_number.h"
#include "op_repr.h"
#include "op_value.h"
#include "op_writer.h"
#include "slot.h"
#include "utf8.h"
#include "value.h"

typedef struct {
  const jf_text* spec;
  size_t at;
} reader;

static jf_char32 peek(const reader* r, size_t ahead) {
  const size_t at = r->at + ahead;
  if (at >= r->spec->size) return 0;
  return r->spec->wide ? ((const jf_char32*)r->spec->data)[at] : ((const unsigned char*)r->spec->data)[at];
}

static size_t left(const reader* r) { return r->spec->size - r->at; }

static int32_t is_align(jf_char32 c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

/* Takes the character where it comes next. */
static int32_t take(reader* r, jf_char32 c) {
  if (!left(r) || peek(r, 0) != c) return 0;
  r->at++;
  return 1;
}

/* The value of a decimal digit of any script; 10: it is none. */
static uint32_t digit(jf_char32 c) {
  if (c < 0x80) return c >= '0' && c <= '9' ? c - '0' : 10;
  if (!(jf_char_flags((int32_t)c) & JF_IS_DECIMAL)) return 10;
  jf_char32 first = c;
  while (jf_char_flags((int32_t)first - 1) & JF_IS_DECIMAL) first--;
  return (c - first) % 10;
}

/* -1 where there is none. 0, or -1 with ValueError set. */
static int32_t read_number(reader* r, int64_t* out) {
  uint32_t value;
  *out = -1;
  for (; left(r) && (value = digit(peek(r, 0))) < 10; r->at++) {
    if (*out < 0) *out = 0;
    if (*out > (INT64_MAX - (int64_t)value) / 10) {
      return JF_FAIL("ValueError", "Too many decimal digits in format string");
    }
    *out = *out * 10 + value;
  }
  return 0;
}

static int32_t read_align(reader* r, jf_format* f, char otherwise) {
  int32_t has_fill = 0, has_align = 1;
  f->fill = ' ';
  f->align = otherwise;
  if (left(r) >= 2 && is_align(peek(r, 1))) {
    f->fill = peek(r, 0);
    f->align = (char)peek(r, 1);
    has_fill = 1;
    r->at += 2;
  } else if (left(r) && is_align(peek(r, 0))) {
    f->align = (char)peek(r, 0);
    r->at++;
  } else {
    has_align = 0;
  }
  f->sign = take(r, '+') ? '+' : take(r, '-') ? '-' : take(r, ' ') ? ' ' : 0;
  f->no_negative_zero = take(r, 'z');
  f->alternate = take(r, '#');
  if (!has_fill && take(r, '0')) {
    f->fill = '0';
    if (!has_align && otherwise == '>') f->align = '=';
  }
  return 0;
}

static JF_COLD int32_t fail_separator(const jf_format* f, char separator) {
  if (f->type > 32 && f->type < 128) {
    return JF_FAIL("ValueError", "Cannot specify '%c' with '%c'.", separator, (int)f->type);
  }
  return JF_FAIL("ValueError", "Cannot specify '%c' with '\\x%x'.", separator, (unsigned)f->type);
}

static int32_t read_separator(reader* r, jf_format* f) {
  f->separator = take(r, ',') ? ',' : 0;
  if (take(r, '_')) {
    if (f->separator) return JF_FAIL("ValueError", "Cannot specify both ',' and '_'.");
    f->separator = '_';
  }
  if (f->separator == '_' && left(r) && peek(r, 0) == ',') {
    return JF_FAIL("ValueError", "Cannot specify both ',' and '_'.");
  }
  return 0;
}

static JF_COLD int32_t fail_spec(const jf_text* spec, const char* type_name) {
  const size_t room = 4 * spec->size + 1;
  char* utf8 = spec->size < PTRDIFF_MAX / 8 ? jf_alloc(room) : NULL;
  size_t size = 0;
  if (!utf8) {
    jf_error_no_memory();
    return -1;
  }
  for (size_t i = 0; i < spec->size; i++) {
    const uint32_t c = spec->wide ? (uint32_t)((const jf_char32*)spec->data)[i] : ((const unsigned char*)spec->data)[i];
    const size_t length = jf_utf8_encode(c, utf8 + size);
    if (!length) utf8[size] = '?';
    size += length ? length : 1;
  }
  utf8[size] = 0;
  jf_error_format("ValueError", "Invalid format specifier '%s' for object of type '%s'", utf8, type_name);
  jf_free(utf8);
  return -1;
}

/* From 3.14 on: after a point, with or without a precision. */
static int32_t read_fraction_separator(reader* r, jf_format* f) {
  f->fraction_separator = 0;
  if (JITFFI_SCRIPT_PYTHON < 314) return 0;
  f->fraction_separator = take(r, ',') ? ',' : 0;
  const int32_t is_both =
      f->fraction_separator ? take(r, '_') : take(r, '_') && (f->fraction_separator = '_', take(r, ','));
  return is_both ? JF_FAIL("ValueError", "Cannot specify both ',' and '_'.") : 0;
}

static int32_t read_spec(const jf_text* spec, char align, char type, const char* type_name, jf_format* f) {
  reader r = {spec, 0};
  read_align(&r, f, align);
  if (read_number(&r, &f->width) != 0 || read_separator(&r, f) != 0) return -1;
  f->precision = -1;
  f->fraction_separator = 0;
  if (take(&r, '.')) {
    if (read_number(&r, &f->precision) != 0 || read_fraction_separator(&r, f) != 0) return -1;
    if (f->precision < 0 && !f->fraction_separator) return JF_FAIL("ValueError", "Format specifier missing precision");
  }
  if (left(&r) > 1) return fail_spec(spec, type_name);
  f->type = left(&r) ? peek(&r, 0) : (jf_char32)type;
  static const char decimal[] = "defgEG%F", powers_of_two[] = "boxX";
  const int32_t is_grouped = f->type == 0 || (f->type < 128 && strchr(decimal, (int)f->type)) ||
                             (f->separator == '_' && f->type < 128 && strchr(powers_of_two, (int)f->type));
  if (f->separator && !is_grouped) return fail_separator(f, f->separator);
  return f->fraction_separator && f->type == 'n' ? fail_separator(f, f->fraction_separator) : 0;
}

int32_t jf_format_unknown(jf_char32 type, const char* type_name) {
  if (type > 32 && type < 128) {
    return JF_FAIL("ValueError", "Unknown format code '%c' for object of type '%s'", (int)type, type_name);
  }
  return JF_FAIL("ValueError", "Unknown format code '\\x%x' for object of type '%s'", (unsigned)type, type_name);
}

/* -- text -- */

static int32_t format_text(const jf_format* f, const jf_text* text, jf_value* out) {
  if (f->type != 's') return jf_format_unknown(f->type, "str");
  if (f->sign) {
    return JF_FAIL("ValueError", "%s not allowed in string format specifier", f->sign == ' ' ? "Space" : "Sign");
  }
  if (f->no_negative_zero) {
    return JF_FAIL("ValueError", "Negative zero coercion (z) not allowed in string format specifier");
  }
  if (f->alternate) return JF_FAIL("ValueError", "Alternate form (#) not allowed in string format specifier");
  if (f->align == '=') return JF_FAIL("ValueError", "'=' alignment not allowed in string format specifier");
  jf_text part = *text;
  if (f->precision >= 0 && (uint64_t)f->precision < part.size) part.size = (size_t)f->precision;
  const size_t room = f->width > 0 && (uint64_t)f->width > part.size ? (size_t)f->width - part.size : 0;
  const size_t before = f->align == '>' ? room : f->align == '^' ? room / 2 : 0;
  jf_writer w;
  jf_writer_init(&w);
  if (before) jf_writer_char(&w, f->fill, before);
  jf_writer_text(&w, &part);
  if (room > before) jf_writer_char(&w, f->fill, room - before);
  return jf_writer_end(&w, out);
}

static int32_t format_str(const jf_any* slot, const jf_text* spec, jf_value* out) {
  jf_format f;
  jf_room keep;
  jf_text text;
  if (read_spec(spec, '<', 's', "str", &f) != 0) return -1;
  jf_room_init(&keep);
  if (jf_op_text(slot, JF_VALUE_TEXT, &text, &keep.slot) != 0) return -1;
  const int32_t status = format_text(&f, &text, out);
  if (keep.slot.type_code != JF_NULL) jf_any_release(&keep.slot);
  return status;
}

/* -- numbers -- */

static int32_t format_number(const jf_any* slot, const jf_text* spec, jf_value* out) {
  static const char of_ints[] = "bcdoxXn", of_floats[] = "eEfFgG%";
  const char* const type_name = jf_op_type_name(slot);
  const int32_t is_float = slot->type_code == JF_FLOAT;
  jf_format f;
  if (read_spec(spec, '>', is_float ? 0 : 'd', type_name, &f) != 0) return -1;
  const int32_t code = f.type < 128 ? (int32_t)f.type : -1;
  if (is_float && (code == 0 || code == 'n')) return jf_format_float(&f, slot->v_float64, out);
  if (code > 0 && strchr(of_floats, code)) return jf_format_float(&f, jf_op_to_double(slot), out);
  if (!is_float && code > 0 && strchr(of_ints, code)) return jf_format_int(&f, slot, type_name, out);
  return jf_format_unknown(f.type, type_name);
}

static int32_t format_resolved(const jf_any* slot, const jf_text* spec, jf_value* out) {
  const int32_t kind = jf_value_kind(slot);
  const jf_text plain = {"", 0, 0};
  if (jf_op_is_foreign(slot)) return jf_op_text_of(slot, spec ? spec : &plain, out);
  if (!spec || spec->size == 0) return jf_op_str(slot, out);
  if (kind == JF_VALUE_TEXT) return format_str(slot, spec, out);
  if (kind == JF_VALUE_NUMBER) return format_number(slot, spec, out);
  if (kind == JF_VALUE_BAD) return jf_value_fail_bad(slot);
  return JF_FAIL("TypeError", "unsupported format string passed to %s.__format__", jf_op_type_name(slot));
}

/* Borrows both; spec may be NULL. ValueError, TypeError, OverflowError, MemoryError: *out is null. */
int32_t jf_op_format(const jf_any* value, const jf_text* spec, jf_value* out) {
  jf_any scratch;
  const int32_t status = format_resolved(jf_any_resolve(value, &scratch), spec, out);
  if (status != 0) jf_set_null(out);
  return status;
}
