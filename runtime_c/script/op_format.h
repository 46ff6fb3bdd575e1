/* Format specifications, and numbers as they say. */
#ifndef JITFFI_SCRIPT_OP_FORMAT_H
#define JITFFI_SCRIPT_OP_FORMAT_H

#include "jitffi/abi.h"
#include "macros.h"

typedef struct {
  jf_char32 fill;
  char align;                         /* < > ^ = */
  char sign;                          /* 0, + - or space */
  char separator, fraction_separator; /* 0 , _ */
  int32_t alternate, no_negative_zero;
  int64_t width, precision; /* -1: none */
  jf_char32 type;
} jf_format;
/* A number in parts: sign, prefix, digits to be grouped, and the rest. */
int32_t jf_format_parts(const jf_format* format, char sign, const char* prefix, const char* digits, size_t count,
                        const char* rest, size_t rest_count, int32_t group, jf_value* out);
int32_t jf_format_int(const jf_format* format, const jf_any* number, const char* type_name, jf_value* out);
int32_t jf_format_float(const jf_format* format, double value, jf_value* out);
JF_COLD int32_t jf_format_unknown(jf_char32 type, const char* type_name);

#endif
