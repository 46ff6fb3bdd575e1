/* Units of text, of two widths and of bytes: inlined in the loops of all of it. */
#ifndef JITFFI_SCRIPT_TEXT_UNITS_H
#define JITFFI_SCRIPT_TEXT_UNITS_H

#include "jitffi/containers.h"
#include "jitffi/script.h"
#include "unicode_tables.h"

#define JF_ALWAYS static inline __attribute__((always_inline))

typedef const unsigned char* jf_bytes_at;

/* Unit i; `wide` is a constant where speed counts. */
JF_ALWAYS uint32_t jf_unit(const void* data, size_t i, int32_t wide) {
  return wide ? (uint32_t)((const jf_char32*)data)[i] : ((const unsigned char*)data)[i];
}

JF_ALWAYS void jf_put_unit(void* data, size_t i, int32_t wide, uint32_t c) {
  if (wide) {
    ((jf_char32*)data)[i] = c;
  } else {
    ((unsigned char*)data)[i] = (unsigned char)c;
  }
}

JF_ALWAYS const void* jf_unit_address(const void* data, size_t i, int32_t wide) {
  return (const char*)data + (wide ? i * sizeof(jf_char32) : i);
}

/* A part of a text. */
JF_ALWAYS jf_text jf_part(const jf_text* text, size_t start, size_t end) {
  return (jf_text){jf_unit_address(text->data, start, text->wide), end - start, text->wide};
}

/* White space of str below 128, and of bytes. */
JF_ALWAYS int32_t jf_is_space(uint32_t c) { return c == ' ' || c - 9 < 5 || c - 28 < 4; }
JF_ALWAYS int32_t jf_is_byte_space(uint32_t c) { return c == ' ' || c - 9 < 5; }
JF_ALWAYS int32_t jf_is_wide_space(uint32_t c) {
  if (c - 0xA1 < 0x1680 - 0xA1 || c > 0x3000) return 0; /* letters of most languages: no table is asked */
  return c < 128 ? jf_is_space(c) : jf_class_of(c)->flags & JF_IS_SPACE;
}

JF_ALWAYS int32_t jf_is_line_break(uint32_t c) { return c - 10 < 4 || c - 28 < 3 || c == 0x85 || c - 0x2028 < 2; }

/* The three kinds of text that loops are made for; constants, for always-inline functions. */
enum { JF_ASCII_TEXT, JF_WIDE_TEXT, JF_BYTE_TEXT };
JF_ALWAYS int32_t jf_space_in(int32_t kind, uint32_t c) {
  return kind == JF_ASCII_TEXT ? jf_is_space(c) : kind == JF_BYTE_TEXT ? jf_is_byte_space(c) : jf_is_wide_space(c);
}

/* text[start:end] as find and its like clip it. 0 where start lies behind the end. */
JF_ALWAYS int32_t jf_clip(size_t size, int64_t* start, int64_t* end) {
  const int64_t limit = (int64_t)size;
  if (*start == JF_NO_INDEX) *start = 0;
  if (*end == JF_NO_INDEX || *end > limit) *end = limit;
  if (*end < 0) *end = *end < -limit ? 0 : *end + limit;
  if (*start < 0) *start = *start < -limit ? 0 : *start + limit;
  return *start <= *end;
}

#endif
