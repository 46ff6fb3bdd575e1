/* Numbers as text, without the C library: its printf drags files and the locale in, which a wasm module has no use for. */
#ifndef JITFFI_DECIMAL_H
#define JITFFI_DECIMAL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "jitffi/runtime.h" /* JF_API: what the script library uses, too (macros.h, JF_SHARED) */

enum { JF_FLOAT_DIGITS = 18 }; /* room for digits and a NUL */
/* decimal.c: the fewest digits that read back as `value` (finite, not negative), of those the nearest; without zeros at
 * their end, NUL-terminated. Their number; *exponent is the first one's power of ten. */
int32_t jf_float_digits(double value, char* digits, int32_t* exponent);
/* number.c: Python's text of a float; `text` has room for JF_FLOAT_TEXT; its length. */
enum { JF_FLOAT_TEXT = 32 };
JF_API size_t jf_float_repr(double value, char* text);
/* print.c: snprintf and vsnprintf; what differs is told there. */
JF_API int jf_print(char* buffer, size_t capacity, const char* format, ...) __attribute__((format(printf, 3, 4)));
int jf_print_list(char* buffer, size_t capacity, const char* format, va_list arguments);

#endif
