/* What the files of text share: units of two widths, results, and items of lists. Never installed. */
#ifndef JITFFI_TEXT_INTERNAL_H
#define JITFFI_TEXT_INTERNAL_H

#include <assert.h>
#include <string.h>

#include "copy.h"
#include "jitffi/script.h"
#include "jitffi/text.h"
#include "unicode_tables.h"

#ifndef JF_COLD
#define JF_COLD __attribute__((cold, noinline))
#endif
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

/* -- text_make.c -- */

/* Room for `size` units of a new str, bytes or UCS4 str (code JF_STR, JF_BYTES, JF_UCS4) in *out, a null out-slot: in place
 * up to its capacity, else in a heap object. The caller writes all of them. NULL with MemoryError set: *out is null. A
 * JF_STR is ASCII. */
void* jf_text_begin(jf_value* out, int32_t code, size_t size);
/* The UCS4 str that *out owns, narrow where it is ASCII. `capacity`: what *out had. 0, or -1: *out is null. */
int32_t jf_text_narrow(jf_value* out, int32_t capacity);
/* Units from one width to another; what does not fit is not there. */
void jf_units_copy(void* to, int32_t to_wide, const void* from, int32_t from_wide, size_t size);
int32_t jf_units_ascii(const void* data, int32_t wide, size_t size);
static inline int32_t jf_text_is_ascii(const jf_text* text) {
  return !text->wide || jf_units_ascii(text->data, 1, text->size);
}
/* MemoryError; always -1. */
JF_COLD int32_t jf_fail_memory(void);
/* An item of a pool for a part of a text; narrow where it is ASCII. `limit` as jf_pool_take. */
int32_t jf_text_item(jf_pool* pool, size_t limit, const jf_text* text, int32_t is_bytes, jf_item* out);
/* text.c: clips a slice's bounds to `units` as Python does, and gives how many it has; -1 with ValueError for step 0. */
int64_t jf_clip_slice(size_t units, int64_t* start, int64_t* stop, int64_t* step);
/* Appends to a list that this library has made. 0, or -1 with MemoryError. */
int32_t jf_list_put_text(jf_list* list, const jf_text* text, int32_t is_bytes);

/* -- text_search.c, text_find.c -- */

/* Place of the first, or the last, in text[start:end], or -1; the empty text is everywhere. */
int64_t jf_units_find(const jf_text* text, size_t start, size_t end, const jf_text* sub);
int64_t jf_units_rfind(const jf_text* text, size_t start, size_t end, const jf_text* sub);
/* How often in text[start:end], none overlapping, at most `most` times. */
size_t jf_units_count(const jf_text* text, size_t start, size_t end, const jf_text* sub, size_t most);

#endif
