/* format() of ints and floats: digits, grouping, and where the padding goes.
 *
 *   | padding | sign | prefix | padding | grouped digits | the rest: point, fraction, exponent, % | padding |
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "jitffi/runtime.h"
#include "message.h"
#include "op_format.h"
#include "op_number.h"
#include "op_value.h"
#include "op_writer.h"

/* How many characters `count` digits take, filled with zeros to `width`, a separator after each group from the right. */
static size_t grouped_size(size_t count, size_t width, size_t group) {
  if (!group) return count > width ? count : width;
  size_t digits = count ? count : 1;
  size_t size = digits + (digits - 1) / group;
  if (size >= width) return size;
  /* Zeros up to the width; where a separator would stand first, a digit more. */
  const size_t whole = width / (group + 1), rest = width % (group + 1);
  return rest ? width : whole * (group + 1) + 1;
}

/* Writes them, `size` characters as computed. */
static void put_grouped(jf_writer* w, const char* digits, size_t count, size_t size, size_t group, char separator) {
  if (!group) {
    if (size > count) jf_writer_char(w, '0', size - count);
    jf_writer_ascii(w, digits, count);
    return;
  }
  const size_t places = size - size / (group + 1); /* digits and zeros: the first of `size` is none of the separators */
  for (size_t place = places; place > 0; place--) {
    const char c = place > count ? '0' : digits[count - place];
    jf_writer_ascii(w, &c, 1);
    if (place > 1 && (place - 1) % group == 0) jf_writer_ascii(w, &separator, 1);
  }
}

/* How many separators go between the digits behind the point that `rest` begins with. */
static size_t count_separators(const jf_format* f, const char* rest, size_t size) {
  size_t digits = 0;
  if (!f->fraction_separator || !size || *rest != '.') return 0;
  while (1 + digits < size && rest[1 + digits] >= '0' && rest[1 + digits] <= '9') digits++;
  return digits ? (digits - 1) / 3 : 0;
}

/* Groups of three from the point on. */
static void put_rest(jf_writer* w, const jf_format* f, const char* rest, size_t size, size_t separators) {
  size_t at = separators ? 1 : 0;
  jf_writer_ascii(w, rest, at);
  for (; separators > 0; separators--, at += 3) {
    jf_writer_ascii(w, rest + at, 3);
    jf_writer_ascii(w, &f->fraction_separator, 1);
  }
  jf_writer_ascii(w, rest + at, size - at);
}

int32_t jf_format_parts(const jf_format* f, char sign, const char* prefix, const char* digits, size_t count,
                        const char* rest, size_t rest_count, int32_t group_size, jf_value* out) {
  const size_t group = f->separator ? (size_t)group_size : 0;
  if (!sign && (f->sign == '+' || f->sign == ' ')) sign = f->sign;
  const size_t separators = count_separators(f, rest, rest_count);
  const size_t around = (sign != 0) + strlen(prefix) + rest_count + separators;
  const size_t width = f->width > 0 ? (size_t)f->width : 0;
  const size_t zeros_to = f->fill == '0' && f->align == '=' && width > around ? width - around : 0;
  const size_t size = count ? grouped_size(count, zeros_to, group) : 0;
  const size_t room = width > around + size ? width - around - size : 0;
  const size_t before = f->align == '>' ? room : f->align == '^' ? room / 2 : 0;
  const size_t inside = f->align == '=' ? room : 0;
  jf_writer w;
  jf_writer_init(&w);
  if (before) jf_writer_char(&w, f->fill, before);
  if (sign) jf_writer_ascii(&w, &sign, 1);
  jf_writer_ascii(&w, prefix, strlen(prefix));
  if (inside) jf_writer_char(&w, f->fill, inside);
  if (count) put_grouped(&w, digits, count, size, group, f->separator);
  if (f->type == 'c') {
    jf_writer_char(&w, *(const jf_char32*)(const void*)rest, 1);
  } else {
    put_rest(&w, f, rest, rest_count, separators);
  }
  if (room > before + inside) jf_writer_char(&w, f->fill, room - before - inside);
  return jf_writer_end(&w, out);
}

/* -- int -- */

static int32_t format_character(const jf_format* f, const jf_any* number, jf_value* out) {
  if (f->sign) return JF_FAIL("ValueError", "Sign not allowed with integer format specifier 'c'");
  if (f->alternate) return JF_FAIL("ValueError", "Alternate form (#) not allowed with integer format specifier 'c'");
  if (number->type_code == JF_UINT) return JF_FAIL("OverflowError", "Python int too large to convert to C long");
  if (number->v_uint64 > 0x10FFFF) return JF_FAIL("OverflowError", "%%c arg not in range(0x110000)");
  const jf_char32 c[1] = {(jf_char32)number->v_uint64};
  return jf_format_parts(f, 0, "", "", 0, (const char*)c, 1, 0, out);
}

int32_t jf_format_int(const jf_format* f, const jf_any* number, const char* type_name, jf_value* out) {
  (void)type_name;
  if (f->precision >= 0) return JF_FAIL("ValueError", "Precision not allowed in integer format specifier");
  if (f->no_negative_zero) {
    return JF_FAIL("ValueError", "Negative zero coercion (z) not allowed in integer format specifier");
  }
  if (f->type == 'c') return format_character(f, number, out);
  const uint32_t base = f->type == 'b' ? 2 : f->type == 'o' ? 8 : f->type == 'x' || f->type == 'X' ? 16 : 10;
  const char* const alphabet = f->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  const jf_whole whole = jf_whole_of(number);
  char digits[64];
  char* at = digits + sizeof digits;
  for (uint64_t rest = whole.magnitude; rest || at == digits + sizeof digits; rest /= base) {
    *--at = alphabet[rest % base];
  }
  const char prefix[3] = {f->alternate && base != 10 ? '0' : 0, (char)f->type, 0};
  return jf_format_parts(f, whole.negative ? '-' : 0, prefix, at, (size_t)(digits + sizeof digits - at), "", 0,
                         base == 10 ? 3 : 4, out);
}

/* -- float -- */

/* The C library's text, exactly rounded, in `near` or in memory. */
typedef struct {
  char* data;
  size_t size;
  char near[400];
} number_text;

static void close_text(number_text* t) {
  if (t->data != t->near) jf_free(t->data);
}

static int32_t print_number(number_text* t, const char* pattern, int precision, double value) {
  void* const before = jf_point_enter();
  const int size = snprintf(t->near, sizeof t->near, pattern, precision, value);
  t->data = t->near;
  t->size = size < 0 ? 0 : (size_t)size;
  if (size >= (int)sizeof t->near - 8) { /* what is put in later takes a few bytes more */
    t->data = jf_alloc(t->size + 8);
    if (t->data) snprintf(t->data, t->size + 1, pattern, precision, value);
  }
  jf_point_leave(before);
  if (size >= 0 && t->data) return 0;
  jf_error_no_memory();
  return -1;
}

static void insert(number_text* t, size_t at, const char* piece) {
  const size_t size = strlen(piece);
  memmove(t->data + at + size, t->data + at, t->size - at + 1);
  memcpy(t->data + at, piece, size);
  t->size += size;
}

/* Those at the end of the fraction, and then its point. */
static void remove_zeros(number_text* t) {
  char* const e = strchr(t->data, 'e');
  char* const rest = e ? e : t->data + t->size;
  char* end = rest;
  if (!memchr(t->data, '.', (size_t)(rest - t->data))) return;
  while (end[-1] == '0') end--;
  if (end[-1] == '.') end--;
  memmove(end, rest, t->size - (size_t)(rest - t->data) + 1);
  t->size -= (size_t)(rest - end);
}

/* As %g, whose digits not every C library gets right when rounding makes one more of them. A number that has no type is
 * one with an exponent a place earlier, and has a digit behind the point else. */
static int32_t print_general(number_text* t, int precision, double value, int32_t alternate, int32_t has_type) {
  if (precision == 0) precision = 1;
  if (print_number(t, alternate ? "%#.*e" : "%.*e", precision - 1, value) != 0) return -1;
  const int exponent = atoi(strchr(t->data, 'e') + 1);
  const int is_scientific = exponent < -4 || exponent >= precision - !has_type;
  if (!is_scientific) {
    close_text(t);
    if (print_number(t, alternate ? "%#.*f" : "%.*f", precision - 1 - exponent, value) != 0) return -1;
  }
  if (!alternate) remove_zeros(t);
  if (is_scientific || has_type) return 0;
  if (!memchr(t->data, '.', t->size)) insert(t, t->size, ".");
  if (t->data[t->size - 1] == '.') insert(t, t->size, "0");
  return 0;
}

/* A few places behind the point, of a number that is not large: in 64 bits, rounded half to even. 0: that is not enough. */
static int32_t print_fixed(number_text* t, int precision, double value) {
  static const uint64_t powers[] = {1, 10, 100, 1000};
  int exponent = 0;
  if (precision < 1 || precision > 3 || value >= 1e15) return 0;
  uint64_t whole = (uint64_t)value, rest = (uint64_t)ldexp(frexp(value - (double)whole, &exponent), 53), places = 0;
  int bits = 53 - exponent; /* the fraction is rest / 2**bits */
  if (rest) {
    const int zeros = __builtin_ctzll(rest);
    rest >>= zeros;
    bits -= zeros;
    if (bits > 63) return 0;
    rest *= powers[precision];
    places = rest >> bits;
    rest &= (UINT64_C(1) << bits) - 1;
    const uint64_t half = UINT64_C(1) << (bits - 1);
    places += rest > half || (rest == half && (places & 1));
    if (places == powers[precision]) places = 0, whole++;
  }
  char* at = t->near + 40;
  char* const end = at;
  for (int i = 0; i < precision; i++, places /= 10) *--at = (char)('0' + places % 10);
  *--at = '.';
  do *--at = (char)('0' + whole % 10);
  while (whole /= 10);
  t->size = (size_t)(end - at);
  t->data = memmove(t->near, at, t->size);
  t->near[t->size] = 0;
  return 1;
}

static int32_t print_shortest(number_text* t, double value, int32_t alternate) {
  t->data = t->near;
  t->size = jf_float_repr(value, t->near);
  const char* const e = memchr(t->near, 'e', t->size);
  if (alternate && e && !memchr(t->near, '.', t->size)) insert(t, (size_t)(e - t->near), ".");
  return 0;
}

static int32_t print_float(number_text* t, const jf_format* f, double value) {
  const int32_t type = f->type == '%' ? 'f' : f->type == 'n' ? 'g' : (int32_t)f->type;
  const int precision = f->precision < 0 ? 6 : (int)f->precision;
  if (!isfinite(value)) {
    t->data = t->near;
    t->size = (size_t)snprintf(t->near, sizeof t->near, "%s", value != value ? "nan" : "inf");
    return 0;
  }
  if (!type && f->precision < 0) return print_shortest(t, value, f->alternate);
  if (!type || (type | 0x20) == 'g') return print_general(t, precision, value, f->alternate, type != 0);
  if (type == 'f' && !f->alternate && print_fixed(t, precision, value)) return 0;
  char pattern[8] = "%#.*f";
  if (!f->alternate) memcpy(pattern, "%.*f", 5);
  pattern[strlen(pattern) - 1] = (char)(type | 0x20);
  return print_number(t, pattern, precision, value);
}

static int32_t is_zero(const char* text, size_t size) {
  for (size_t i = 0; i < size && text[i] != 'e' && text[i] != 'E'; i++) {
    if (text[i] >= '1' && text[i] <= '9') return 0;
  }
  return 1;
}

static int32_t put_float(const jf_format* f, number_text* t, int32_t is_negative, jf_value* out) {
  size_t count = 0;
  if (f->type == 'E' || f->type == 'F' || f->type == 'G') {
    for (size_t i = 0; i < t->size; i++) {
      if (t->data[i] >= 'a' && t->data[i] <= 'z') t->data[i] = (char)(t->data[i] - 32);
    }
  }
  if (f->type == '%') insert(t, t->size, "%");
  while (count < t->size && t->data[count] >= '0' && t->data[count] <= '9') count++;
  return jf_format_parts(f, is_negative ? '-' : 0, "", t->data, count, t->data + count, t->size - count, 3, out);
}

int32_t jf_format_float(const jf_format* f, double value, jf_value* out) {
  enum { MOST = INT32_MAX - 1 };
  number_text t;
  if (f->precision > INT32_MAX) return JF_FAIL("ValueError", "precision too big");
  if (f->precision > MOST - 400) return JF_FAIL("ValueError", "precision too big");
  if (f->type == '%') value *= 100;
  int32_t is_negative = signbit(value) && value == value;
  if (print_float(&t, f, fabs(value)) != 0) return -1;
  if (f->no_negative_zero && isfinite(value) && is_zero(t.data, t.size)) is_negative = 0;
  const int32_t status = put_float(f, &t, is_negative, out);
  close_text(&t);
  return status;
}
