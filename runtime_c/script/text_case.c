/* lower, upper, casefold, title, capitalize, swapcase: of bytes and ASCII in loops for the vectoriser, of other text by the
 * tables, with CPython's rules: a character may become up to three, and a capital sigma looks around.
 */
#include <string.h>

#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/script_methods.h"
#include "text_make.h"
#include "text_units.h"
#include "unicode_tables.h"

enum { TO_LOWER, TO_UPPER, TO_FOLD, TO_TITLE, TO_CAPITALIZED, TO_SWAPPED };

/* -- ASCII, and bytes, of which only ASCII letters have cases -- */

static void lower_bytes(const unsigned char* restrict from, unsigned char* restrict to, size_t size) {
  for (size_t i = 0; i < size; i++) to[i] = from[i] | (unsigned char)(((unsigned char)(from[i] - 'A') < 26) << 5);
}

static void upper_bytes(const unsigned char* restrict from, unsigned char* restrict to, size_t size) {
  for (size_t i = 0; i < size; i++) {
    to[i] = from[i] & (unsigned char)~(unsigned)(((unsigned char)(from[i] - 'a') < 26) << 5);
  }
}

static void swap_bytes(const unsigned char* restrict from, unsigned char* restrict to, size_t size) {
  for (size_t i = 0; i < size; i++) {
    to[i] = from[i] ^ (unsigned char)(((unsigned char)((from[i] | 32) - 'a') < 26) << 5);
  }
}

static void title_bytes(const unsigned char* restrict from, unsigned char* restrict to, size_t size) {
  unsigned is_inside = 0; /* a word */
  for (size_t i = 0; i < size; i++) {
    const unsigned is_letter = (unsigned char)((from[i] | 32) - 'a') < 26;
    to[i] = (unsigned char)(is_letter ? (from[i] & ~32u) | is_inside << 5 : from[i]);
    is_inside = is_letter;
  }
}

static int32_t map_bytes(const jf_text* text, int32_t how, int32_t code, jf_value* out) {
  unsigned char* to = jf_text_begin(out, code, text->size);
  if (!to) return -1;
  const unsigned char* from = text->data;
  switch (how) {
    case TO_UPPER:
      upper_bytes(from, to, text->size);
      break;
    case TO_TITLE:
      title_bytes(from, to, text->size);
      break;
    case TO_SWAPPED:
      swap_bytes(from, to, text->size);
      break;
    case TO_CAPITALIZED:
      lower_bytes(from, to, text->size);
      if (text->size) upper_bytes(from, to, 1);
      break;
    default:
      lower_bytes(from, to, text->size);
  }
  return 0;
}

/* -- wide text -- */

enum { CAPITAL_SIGMA = 0x3A3, SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2 };

/* Final: something cased stands before it and nothing cased behind it, whatever there is in between that does not count. */
static uint32_t lower_sigma(const jf_char32* s, size_t size, size_t at) {
  size_t i = at;
  uint32_t flags = 0;
  while (i > 0 && (flags = jf_flags_of((uint32_t)s[i - 1])) & JF_IS_CASE_IGNORABLE) i--;
  if (i == 0 || !(flags & JF_IS_CASED)) return SIGMA;
  i = at + 1;
  while (i < size && (flags = jf_flags_of((uint32_t)s[i])) & JF_IS_CASE_IGNORABLE) i++;
  return i < size && flags & JF_IS_CASED ? SIGMA : FINAL_SIGMA;
}

/* The entry for character `at`; inside: of a word, for TO_TITLE, which keeps it. */
JF_ALWAYS int32_t entry_of(const jf_char32* s, size_t size, size_t at, int32_t how, int32_t* inside) {
  const uint32_t c = (uint32_t)s[at];
  const jf_char_case* entry = jf_case_of(c);
  if (how == TO_UPPER) return entry->upper;
  if (how == TO_FOLD) return entry->fold;
  int32_t lowers = how == TO_LOWER || (how == TO_CAPITALIZED && at > 0) || (how == TO_TITLE && *inside);
  if (how == TO_TITLE) *inside = (jf_flags_of(c) & JF_IS_CASED) != 0;
  if (how == TO_SWAPPED) {
    const uint32_t flags = jf_flags_of(c);
    if (!(flags & JF_IS_UPPER)) return flags & JF_IS_LOWER ? entry->upper : 0;
    lowers = 1;
  }
  if (!lowers) return entry->title;
  return c == CAPITAL_SIGMA ? (int32_t)lower_sigma(s, size, at) - CAPITAL_SIGMA : entry->lower;
}

/* Where no character becomes several: 1, or 0 where one does. */
JF_ALWAYS int32_t map_same(const jf_char32* s, jf_char32* to, size_t size, int32_t how) {
  int32_t inside = 0;
  for (size_t i = 0; i < size; i++) {
    const int32_t entry = entry_of(s, size, i, how, &inside);
    if (entry >= JF_CASE_EXTENDED) return 0;
    to[i] = (jf_char32)((int32_t)s[i] + entry);
  }
  return 1;
}

/* Characters of the result, which are written where `to` is not NULL. */
static size_t map_any(const jf_char32* s, jf_char32* to, size_t size, int32_t how) {
  int32_t inside = 0;
  size_t made = 0;
  for (size_t i = 0; i < size; i++) {
    const int32_t entry = entry_of(s, size, i, how, &inside);
    const size_t count = entry < JF_CASE_EXTENDED ? 1 : (size_t)(entry >> 16 & 0xFF);
    if (to && entry < JF_CASE_EXTENDED) to[made] = (jf_char32)((int32_t)s[i] + entry);
    for (size_t k = 0; to && entry >= JF_CASE_EXTENDED && k < count; k++) {
      to[made + k] = jf_case_more[(entry & 0xFFFF) + (int32_t)k];
    }
    made += count;
  }
  return made;
}

JF_ALWAYS int32_t map_wide(const jf_text* text, int32_t how, jf_value* out) {
  const jf_char32* s = text->data;
  const int32_t capacity = out->small_len;
  jf_char32* to = jf_text_begin(out, JF_UCS4, text->size);
  if (!to) return -1;
  if (!map_same(s, to, text->size, how)) {
    memset(to, 0, text->size * sizeof *to);
    jf_any_release(out);
    jf_out_init(out, capacity);
    to = jf_text_begin(out, JF_UCS4, map_any(s, NULL, text->size, how));
    if (!to) return -1;
    map_any(s, to, text->size, how);
  }
  return jf_text_narrow(out, capacity);
}

/* Each borrows, and returns -1 with MemoryError set: *out is null. */
int32_t jf_text_lower(const jf_text* text, jf_value* out) {
  return text->wide ? map_wide(text, TO_LOWER, out) : map_bytes(text, TO_LOWER, JF_STR, out);
}
int32_t jf_text_upper(const jf_text* text, jf_value* out) {
  return text->wide ? map_wide(text, TO_UPPER, out) : map_bytes(text, TO_UPPER, JF_STR, out);
}
int32_t jf_text_casefold(const jf_text* text, jf_value* out) {
  return text->wide ? map_wide(text, TO_FOLD, out) : map_bytes(text, TO_LOWER, JF_STR, out);
}
int32_t jf_text_title(const jf_text* text, jf_value* out) {
  return text->wide ? map_wide(text, TO_TITLE, out) : map_bytes(text, TO_TITLE, JF_STR, out);
}
int32_t jf_text_capitalize(const jf_text* text, jf_value* out) {
  return text->wide ? map_wide(text, TO_CAPITALIZED, out) : map_bytes(text, TO_CAPITALIZED, JF_STR, out);
}
int32_t jf_text_swapcase(const jf_text* text, jf_value* out) {
  return text->wide ? map_wide(text, TO_SWAPPED, out) : map_bytes(text, TO_SWAPPED, JF_STR, out);
}

/* As those of text. */
int32_t jf_bytes_lower(const jf_text* bytes, jf_value* out) { return map_bytes(bytes, TO_LOWER, JF_BYTES, out); }
int32_t jf_bytes_upper(const jf_text* bytes, jf_value* out) { return map_bytes(bytes, TO_UPPER, JF_BYTES, out); }
int32_t jf_bytes_title(const jf_text* bytes, jf_value* out) { return map_bytes(bytes, TO_TITLE, JF_BYTES, out); }
int32_t jf_bytes_capitalize(const jf_text* bytes, jf_value* out) {
  return map_bytes(bytes, TO_CAPITALIZED, JF_BYTES, out);
}
int32_t jf_bytes_swapcase(const jf_text* bytes, jf_value* out) { return map_bytes(bytes, TO_SWAPPED, JF_BYTES, out); }
