/* printf's language into a buffer, without the C library's: as much of it as messages need.
 *
 *   %[-0][width][.precision][hh|h|l|ll|z|j|t] d i u x X c s p %      width and precision may be *
 *   %f %e %g (any case): the shortest text that reads back, whatever the precision
 */
#include <stdarg.h>
#include <string.h>

#include "value.h"

typedef struct {
  char* buffer;
  size_t capacity;
  size_t size; /* of the whole text, whether there was room for it or not */
} output;

typedef struct {
  int32_t left, zeros;
  int32_t width;
  int32_t precision; /* -1: none */
  int32_t length;    /* 'l' and so on; 'q' for ll */
} conversion;

static void put(output* o, const char* text, size_t size) {
  for (size_t i = 0; i < size; i++, o->size++) {
    if (o->size + 1 < o->capacity) o->buffer[o->size] = text[i];
  }
}

static void pad(output* o, char with, int32_t count) {
  for (; count > 0; count--) put(o, &with, 1);
}

static void put_field(output* o, const conversion* c, const char* text, size_t size) {
  const int32_t room = c->width - (int32_t)size;
  if (!c->left) pad(o, ' ', room);
  put(o, text, size);
  if (c->left) pad(o, ' ', room);
}

static void put_number(output* o, const conversion* c, uint64_t magnitude, int32_t is_negative, uint32_t base,
                       const char* digits) {
  char text[24];
  char* at = text + sizeof text;
  for (; magnitude; magnitude /= base) *--at = digits[magnitude % base];
  if (at == text + sizeof text && c->precision != 0) *--at = '0';
  const int32_t size = (int32_t)(text + sizeof text - at);
  const int32_t wanted = c->precision >= 0 ? c->precision : c->zeros && !c->left ? c->width - is_negative : 0;
  const int32_t zeros = wanted > size ? wanted - size : 0;
  const int32_t room = c->width - is_negative - zeros - size;
  if (!c->left) pad(o, ' ', room);
  if (is_negative) put(o, "-", 1);
  pad(o, '0', zeros);
  put(o, at, (size_t)size);
  if (c->left) pad(o, ' ', room);
}

/* A number of the format, or the next argument for a star. */
static const char* read_number(const char* at, va_list* arguments, int32_t* out) {
  if (*at == '*') {
    *out = va_arg(*arguments, int);
    return at + 1;
  }
  for (*out = 0; *at >= '0' && *at <= '9'; at++) *out = *out * 10 + (*at - '0');
  return at;
}

static const char* read_conversion(const char* at, va_list* arguments, conversion* c) {
  *c = (conversion){.precision = -1};
  for (; *at == '-' || *at == '0'; at++) {
    if (*at == '-') c->left = 1;
    if (*at == '0') c->zeros = 1;
  }
  at = read_number(at, arguments, &c->width);
  if (c->width < 0) c->left = 1, c->width = -c->width;
  if (*at == '.') at = read_number(at + 1, arguments, &c->precision);
  for (; *at && strchr("hlzjt", *at); at++) c->length = c->length == 'l' && *at == 'l' ? 'q' : *at;
  return at;
}

static int64_t signed_argument(va_list* arguments, int32_t length) {
  switch (length) {
    case 'l':
      return va_arg(*arguments, long);
    case 'q':
      return va_arg(*arguments, long long);
    case 'j':
      return va_arg(*arguments, intmax_t);
    case 'z':
    case 't':
      return va_arg(*arguments, ptrdiff_t);
    default:
      return va_arg(*arguments, int);
  }
}

static uint64_t unsigned_argument(va_list* arguments, int32_t length) {
  switch (length) {
    case 'l':
      return va_arg(*arguments, unsigned long);
    case 'q':
      return va_arg(*arguments, unsigned long long);
    case 'j':
      return va_arg(*arguments, uintmax_t);
    case 'z':
    case 't':
      return va_arg(*arguments, size_t);
    default:
      return va_arg(*arguments, unsigned);
  }
}

static void put_text(output* o, const conversion* c, const char* text) {
  if (!text) text = "(null)";
  const size_t most = c->precision < 0 ? SIZE_MAX : (size_t)c->precision;
  size_t size = 0;
  while (size < most && text[size]) size++;
  put_field(o, c, text, size);
}

static void put_signed(output* o, const conversion* c, int64_t value) {
  put_number(o, c, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0, 10, "0123456789");
}

static void put_conversion(output* o, conversion* c, char what, va_list* arguments) {
  char text[JF_FLOAT_TEXT];
  switch (what) {
    case 'd':
    case 'i':
      put_signed(o, c, signed_argument(arguments, c->length));
      return;
    case 'u':
      put_number(o, c, unsigned_argument(arguments, c->length), 0, 10, "0123456789");
      return;
    case 'x':
      put_number(o, c, unsigned_argument(arguments, c->length), 0, 16, "0123456789abcdef");
      return;
    case 'X':
      put_number(o, c, unsigned_argument(arguments, c->length), 0, 16, "0123456789ABCDEF");
      return;
    case 'p':
      put(o, "0x", 2);
      put_number(o, c, (uintptr_t)va_arg(*arguments, void*), 0, 16, "0123456789abcdef");
      return;
    case 'c':
      text[0] = (char)va_arg(*arguments, int);
      put_field(o, c, text, 1);
      return;
    case 's':
      put_text(o, c, va_arg(*arguments, const char*));
      return;
    case '%':
      put(o, "%", 1);
      return;
    default: /* a float, of which printf knows eight kinds */
      put_field(o, c, text, jf_float_repr(va_arg(*arguments, double), text));
  }
}

/* The length of the whole text; what has no room is cut off, and a NUL follows what has. */
int jf_print_list(char* buffer, size_t capacity, const char* format, va_list arguments) {
  output o = {buffer, capacity, 0};
  va_list rest;
  va_copy(rest, arguments); /* its address can be taken whatever a va_list is */
  for (const char* at = format; *at;) {
    const char* from = at;
    while (*at && *at != '%') at++;
    put(&o, from, (size_t)(at - from));
    if (!*at) break;
    conversion c;
    at = read_conversion(at + 1, &rest, &c);
    if (!*at) break;
    put_conversion(&o, &c, *at++, &rest);
  }
  va_end(rest);
  if (capacity) buffer[o.size < capacity ? o.size : capacity - 1] = 0;
  return (int)o.size;
}

int jf_print(char* buffer, size_t capacity, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int size = jf_print_list(buffer, capacity, format, arguments);
  va_end(arguments);
  return size;
}
