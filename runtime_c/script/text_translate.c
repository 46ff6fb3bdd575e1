/* str.translate and bytes.translate with tables that are known when a script is compiled. */
#include <string.h>

#include "jitffi/script.h"
#include "text_make.h"
#include "text_units.h"

/* A table is words. What becomes of each of the first 128 characters; how many others have something, and in the top bits
 * whether the first become nothing but each other or nothing, and whether one becomes nothing; pairs of the others, in order,
 * and what becomes of them; and texts, a length and its characters each. A character becomes another, or, with the top bit,
 * the text that begins at that word. */
enum { OTHERS = 128 };
#define JF_TEXT_AT UINT32_C(0x80000000)
#define JF_STAYS_NARROW UINT32_C(0x80000000)
#define JF_SHRINKS UINT32_C(0x40000000)

JF_ALWAYS uint32_t mapped(const uint32_t* table, uint32_t c) {
  if (c < OTHERS) return table[c];
  const uint32_t* pairs = table + OTHERS + 1;
  uint32_t low = 0, high = table[OTHERS] & ~(JF_STAYS_NARROW | JF_SHRINKS);
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (pairs[2 * middle] == c) return pairs[2 * middle + 1];
    if (pairs[2 * middle] < c) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return c;
}

/* How many characters there will be; *all: the bits that are in any of them. */
JF_ALWAYS size_t measure(const jf_text* text, int32_t wide, const uint32_t* table, uint32_t* all) {
  size_t size = 0;
  uint32_t bits = 0;
  for (size_t i = 0; i < text->size; i++) {
    const uint32_t found = mapped(table, jf_unit(text->data, i, wide));
    if (!(found & JF_TEXT_AT)) {
      bits |= found;
      size++;
      continue;
    }
    const uint32_t* more = table + (found & ~JF_TEXT_AT);
    size += more[0];
    for (uint32_t k = 1; k <= more[0]; k++) bits |= more[k];
  }
  *all = bits;
  return size;
}

JF_ALWAYS void translate(const jf_text* text, int32_t wide, const uint32_t* table, void* to, int32_t to_wide) {
  size_t at = 0;
  for (size_t i = 0; i < text->size; i++) {
    const uint32_t found = mapped(table, jf_unit(text->data, i, wide));
    if (!(found & JF_TEXT_AT)) {
      jf_put_unit(to, at++, to_wide, found);
      continue;
    }
    const uint32_t* more = table + (found & ~JF_TEXT_AT);
    for (uint32_t k = 1; k <= more[0]; k++) jf_put_unit(to, at++, to_wide, more[k]);
  }
}

/* Of narrow text of which each character becomes a narrow one or nothing. */
static int32_t translate_narrow(const jf_text* text, const uint32_t* table, int32_t shrinks, jf_value* out) {
  const unsigned char* const from = text->data;
  size_t size = text->size;
  if (shrinks) {
    for (size_t i = 0; i < text->size; i++) size -= table[from[i]] >> 31;
  }
  unsigned char* to = jf_text_begin(out, JF_STR, size);
  if (!to) return -1;
  if (size == text->size) {
    for (size_t i = 0; i < size; i++) to[i] = (unsigned char)table[from[i]];
    return 0;
  }
  for (size_t i = 0; i < text->size; i++) {
    const uint32_t found = table[from[i]];
    if (!(found & JF_TEXT_AT)) *to++ = (unsigned char)found;
  }
  return 0;
}

/* Borrows. MemoryError: *out is null. */
int32_t jf_text_translate(const jf_text* text, const uint32_t* table, jf_value* out) {
  const uint32_t flags = table[OTHERS];
  if (!text->wide && flags & JF_STAYS_NARROW) return translate_narrow(text, table, !!(flags & JF_SHRINKS), out);
  uint32_t all;
  const size_t size = text->wide ? measure(text, 1, table, &all) : measure(text, 0, table, &all);
  void* data = jf_text_begin(out, all < 128 ? JF_STR : JF_UCS4, size);
  if (!data) return -1;
  if (text->wide) {
    translate(text, 1, table, data, all >= 128);
  } else if (all < 128) {
    translate(text, 0, table, data, 0);
  } else {
    translate(text, 0, table, data, 1);
  }
  return 0;
}

/* The same of bytes; the table is 256 of them. */
int32_t jf_bytes_translate(const jf_text* bytes, const unsigned char* table, jf_value* out) {
  const unsigned char* const from = bytes->data;
  unsigned char* data = jf_text_begin(out, JF_BYTES, bytes->size);
  if (!data) return -1;
  for (size_t i = 0; i < bytes->size; i++) data[i] = table[from[i]];
  return 0;
}
