/* Text of 1, 2 or 4 bytes a character: its size in UTF-8, and the way there and to UCS4.
 *
 * Compiled with -O3, as utf8.c is, and for the same reason.
 */
#include <assert.h>
#include <string.h>

#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "utf8.h"

enum { BLOCK = 128 };

static inline uint32_t at(const void* data, size_t i, int32_t width) {
  if (width == 1) return ((const uint8_t*)data)[i];
  if (width == 2) return ((const uint16_t*)data)[i];
  return (uint32_t)((const jf_char32*)data)[i];
}

static int64_t size_of_bytes(const uint8_t* s, size_t size) {
  size_t i = 0, more = 0;
  for (; size - i >= BLOCK; i += BLOCK) {
    uint8_t count = 0;
    for (int32_t k = 0; k < BLOCK; k++) count += s[i + k] >> 7;
    more += count;
  }
  for (; i < size; i++) more += s[i] >> 7;
  return (int64_t)(size + more);
}

static int64_t size_of_words(const uint16_t* s, size_t size) {
  size_t i = 0, more = 0;
  uint16_t faults = 0;
  for (; size - i >= BLOCK; i += BLOCK) {
    uint16_t count = 0;
    for (int32_t k = 0; k < BLOCK; k++) {
      const uint16_t c = s[i + k];
      count += (uint16_t)((c & 0xFF80) != 0) + (uint16_t)((c & 0xF800) != 0);
      faults |= (c & 0xF800) == 0xD800;
    }
    more += count;
  }
  for (; i < size; i++) {
    more += (size_t)(s[i] >= 0x80) + (size_t)(s[i] >= 0x800);
    faults |= (s[i] & 0xF800) == 0xD800;
  }
  return faults ? -1 : (int64_t)(size + more);
}

/* Signed, so that the comparisons are the vector unit's own; what is negative is a fault anyway. */
static int64_t size_of_chars(const jf_char32* s, size_t size) {
  size_t i = 0, more = 0;
  uint32_t faults = 0;
  for (; size - i >= BLOCK; i += BLOCK) {
    uint32_t count = 0;
    for (int32_t k = 0; k < BLOCK; k++) {
      const int32_t c = (int32_t)s[i + k];
      count += (uint32_t)(c > 0x7F) + (uint32_t)(c > 0x7FF) + (uint32_t)(c > 0xFFFF);
      faults |= (uint32_t)((c & ~0x7FF) == 0xD800) | (uint32_t)(c > 0x10FFFF) | (uint32_t)(c < 0);
    }
    more += count;
  }
  for (; i < size; i++) {
    const uint32_t c = (uint32_t)s[i];
    more += (size_t)(c >= 0x80) + (size_t)(c >= 0x800) + (size_t)(c >= 0x10000);
    faults |= (uint32_t)(c - 0xD800 < 0x800) | (uint32_t)(c > 0x10FFFF);
  }
  return faults ? -1 : (int64_t)(size + more);
}

/* Borrows. -1 is not an error that is set. */
int64_t jf_utf8_size(const void* data, size_t size, int32_t width) {
  assert(width == 1 || width == 2 || width == 4);
  if (width == 1) return size_of_bytes(data, size);
  return width == 2 ? size_of_words(data, size) : size_of_chars(data, size);
}

/* Inlined with a constant width. */
static inline __attribute__((always_inline)) void write(const void* data, size_t size, int32_t width, char* out) {
  enum { RUN = 16 };
  size_t i = 0;
  while (i < size) {
    uint32_t c = at(data, i, width);
    if (c < 0x80) {
      for (; size - i >= RUN; i += RUN) {
        uint32_t all = 0;
        for (int32_t k = 0; k < RUN; k++) all |= at(data, i + (size_t)k, width);
        if (all >= 0x80) break;
        for (int32_t k = 0; k < RUN; k++) out[k] = (char)at(data, i + (size_t)k, width);
        out += RUN;
      }
      for (; i < size && (c = at(data, i, width)) < 0x80; i++) *out++ = (char)c;
      continue;
    }
    i++;
    if (width == 1) c &= 0xFF; /* tells the compiler what cannot be */
    if (width == 2) c &= 0xFFFF;
    out += jf_utf8_put(c, out);
  }
}

/* Borrows; out has the room that jf_utf8_size said, and gets no NUL. */
void jf_utf8_write(const void* data, size_t size, int32_t width, char* out) {
  if (width == 1) {
    write(data, size, 1, out);
  } else if (width == 2) {
    write(data, size, 2, out);
  } else {
    write(data, size, 4, out);
  }
}

/* Borrows; out has room for `size` characters. */
void jf_ucs4_write(const void* data, size_t size, int32_t width, jf_char32* out) {
  if (width == 1) {
    for (size_t i = 0; i < size; i++) out[i] = ((const uint8_t*)data)[i];
  } else if (width == 2) {
    for (size_t i = 0; i < size; i++) out[i] = ((const uint16_t*)data)[i];
  } else if (size) {
    memcpy(out, data, size * sizeof *out);
  }
}

/* Borrows. Never fails. */
int64_t jf_ucs4_fault(const jf_char32* data, size_t size) {
  size_t i = 0;
  while (size - i >= BLOCK && size_of_chars(data + i, BLOCK) >= 0) i += BLOCK;
  for (; i < size; i++) {
    const uint32_t c = (uint32_t)data[i];
    if (c - 0xD800 < 0x800 || c > 0x10FFFF) return (int64_t)i;
  }
  return -1;
}

/* Borrows. -1 is not an error that is set. */
int64_t jf_ucs4_utf8_size(const jf_char32* data, size_t size) { return jf_utf8_size(data, size, 4); }

/* Borrows; out has the room that jf_ucs4_utf8_size said. */
void jf_ucs4_to_utf8(const jf_char32* data, size_t size, char* out) { jf_utf8_write(data, size, 4, out); }
