/* strip, lstrip, rstrip, removeprefix, removesuffix: parts of a text where it is. */
#include <string.h>

#include "jitffi/script.h"
#include "jitffi/script_methods.h"
#include "text_units.h"

enum { AT_START = 1, AT_END = 2 };

JF_ALWAYS void strip_space(const jf_text* text, int32_t where, int32_t kind, jf_text* out) {
  size_t start = 0, end = text->size;
  const int32_t wide = kind == JF_WIDE_TEXT;
  while (where & AT_START && start < end && jf_space_in(kind, jf_unit(text->data, start, wide))) start++;
  while (where & AT_END && start < end && jf_space_in(kind, jf_unit(text->data, end - 1, wide))) end--;
  *out = jf_part(text, start, end);
}

/* Which units are among those to strip. Of many narrow ones each is looked for; else bits of c % 64 settle most. */
typedef struct {
  const jf_text* units;
  uint64_t filter;
} unit_set;
enum { FEW = 8 };

static int32_t has(const unit_set* set, uint32_t c) {
  if (!set->units->wide && set->units->size > FEW)
    return c < 256 && memchr(set->units->data, (int)c, set->units->size) != NULL;
  if (!(set->filter >> (c & 63) & 1)) return 0;
  for (size_t i = 0; i < set->units->size; i++) {
    if (jf_unit(set->units->data, i, set->units->wide) == c) return 1;
  }
  return 0;
}

static void strip_units(const jf_text* text, const jf_text* units, int32_t where, jf_text* out) {
  unit_set set = {units, 0};
  for (size_t i = 0; i < units->size && (units->wide || units->size <= FEW); i++)
    set.filter |= (uint64_t)1 << (jf_unit(units->data, i, units->wide) & 63);
  size_t start = 0, end = text->size;
  while (where & AT_START && start < end && has(&set, jf_unit(text->data, start, text->wide))) start++;
  while (where & AT_END && start < end && has(&set, jf_unit(text->data, end - 1, text->wide))) end--;
  *out = jf_part(text, start, end);
}

JF_ALWAYS void strip(const jf_text* text, const jf_text* units, int32_t where, jf_text* out) {
  if (units) {
    strip_units(text, units, where, out);
  } else if (text->wide) {
    strip_space(text, where, JF_WIDE_TEXT, out);
  } else {
    strip_space(text, where, JF_ASCII_TEXT, out);
  }
}

JF_ALWAYS void strip_bytes(const jf_text* text, const jf_text* units, int32_t where, jf_text* out) {
  if (units) {
    strip_units(text, units, where, out);
  } else {
    strip_space(text, where, JF_BYTE_TEXT, out);
  }
}

/* Each borrows, and so does *out. They never fail. */
void jf_text_strip(const jf_text* text, const jf_text* chars, jf_text* out) {
  strip(text, chars, AT_START | AT_END, out);
}
void jf_text_lstrip(const jf_text* text, const jf_text* chars, jf_text* out) { strip(text, chars, AT_START, out); }
void jf_text_rstrip(const jf_text* text, const jf_text* chars, jf_text* out) { strip(text, chars, AT_END, out); }
void jf_bytes_strip(const jf_text* bytes, const jf_text* chars, jf_text* out) {
  strip_bytes(bytes, chars, AT_START | AT_END, out);
}
void jf_bytes_lstrip(const jf_text* bytes, const jf_text* chars, jf_text* out) {
  strip_bytes(bytes, chars, AT_START, out);
}
void jf_bytes_rstrip(const jf_text* bytes, const jf_text* chars, jf_text* out) {
  strip_bytes(bytes, chars, AT_END, out);
}

void jf_text_removeprefix(const jf_text* text, const jf_text* prefix, jf_text* out) {
  const size_t size = prefix->size;
  *out = *text;
  if (size > text->size) return;
  const jf_text begin = jf_part(text, 0, size);
  if (jf_text_equal(&begin, prefix)) *out = jf_part(text, size, text->size);
}
void jf_text_removesuffix(const jf_text* text, const jf_text* suffix, jf_text* out) {
  const size_t size = suffix->size;
  *out = *text;
  if (size > text->size) return;
  const jf_text end = jf_part(text, text->size - size, text->size);
  if (jf_text_equal(&end, suffix)) *out = jf_part(text, 0, text->size - size);
}
void jf_bytes_removeprefix(const jf_text* bytes, const jf_text* prefix, jf_text* out) {
  jf_text_removeprefix(bytes, prefix, out);
}
void jf_bytes_removesuffix(const jf_text* bytes, const jf_text* suffix, jf_text* out) {
  jf_text_removesuffix(bytes, suffix, out);
}
