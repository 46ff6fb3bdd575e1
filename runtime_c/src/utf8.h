/* What the files of UTF-8 have inlined in their loops. */
#ifndef JITFFI_UTF8_H
#define JITFFI_UTF8_H

#include <string.h>

#include "macros.h"

JF_SHARED size_t jf_utf8_encode(uint32_t code_point, char* out); /* 1 to 4 bytes; 0: not a character */
JF_SHARED size_t jf_utf8_decode(const char* data, size_t size);  /* length of the first character; 0: invalid */

#define JF_HIGH_BITS 0x8080808080808080u

static inline uint64_t jf_load8(const void* from) {
  uint64_t word;
  memcpy(&word, from, sizeof word);
  return word;
}

static inline uint32_t jf_load4(const void* from) {
  uint32_t word;
  memcpy(&word, from, sizeof word);
  return word;
}

/* 1 to 4 bytes; c is a character. */
static inline size_t jf_utf8_put(uint32_t c, void* to) {
  unsigned char* out = to;
  if (c < 0x80) {
    out[0] = (unsigned char)c;
    return 1;
  }
  if (c < 0x800) {
    const uint16_t two = (uint16_t)((0xC0 | c >> 6) | (0x80 | (c & 0x3F)) << 8);
    memcpy(out, &two, sizeof two);
    return 2;
  }
  if (c < 0x10000) {
    const uint16_t two = (uint16_t)((0xE0 | c >> 12) | (0x80 | (c >> 6 & 0x3F)) << 8);
    memcpy(out, &two, sizeof two);
    out[2] = (unsigned char)(0x80 | (c & 0x3F));
    return 3;
  }
  const uint32_t four =
      (0xF0 | c >> 18) | (0x80 | (c >> 12 & 0x3F)) << 8 | (0x80 | (c >> 6 & 0x3F)) << 16 | (0x80 | (c & 0x3F)) << 24;
  memcpy(out, &four, sizeof four);
  return 4;
}

#endif
