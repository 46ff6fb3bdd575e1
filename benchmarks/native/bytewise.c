/* UTF-8 and back, a byte at a time: what one writes without thinking of speed, and nothing is wrong with. */
#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

API int64_t bytewise_valid(const unsigned char* text, int64_t size);
API int64_t bytewise_to_ucs4(const unsigned char* text, int64_t size, uint32_t* out);
API int64_t bytewise_to_utf8(const void* text, int64_t size, int32_t width, unsigned char* out);

static inline int is_tail(unsigned char byte) { return byte >> 6 == 2; }

/* Length of the character at text, which has `left` bytes, and what it is; 0 where it is none. */
static inline int64_t decode(const unsigned char* text, int64_t left, uint32_t* out) {
  const unsigned char first = text[0];
  if (first < 0x80) {
    *out = first;
    return 1;
  }
  if (first >= 0xC2 && first < 0xE0 && left >= 2 && is_tail(text[1])) {
    *out = (first & 0x1Fu) << 6 | (text[1] & 0x3Fu);
    return 2;
  }
  if (first >= 0xE0 && first < 0xF0 && left >= 3 && is_tail(text[1]) && is_tail(text[2])) {
    *out = (first & 0x0Fu) << 12 | (text[1] & 0x3Fu) << 6 | (text[2] & 0x3Fu);
    return *out < 0x800 || (*out >= 0xD800 && *out < 0xE000) ? 0 : 3;
  }
  if (first >= 0xF0 && first < 0xF5 && left >= 4 && is_tail(text[1]) && is_tail(text[2]) && is_tail(text[3])) {
    *out = (first & 0x07u) << 18 | (text[1] & 0x3Fu) << 12 | (text[2] & 0x3Fu) << 6 | (text[3] & 0x3Fu);
    return *out < 0x10000 || *out > 0x10FFFF ? 0 : 4;
  }
  return 0;
}

int64_t bytewise_valid(const unsigned char* text, int64_t size) {
  int64_t at = 0;
  while (at < size) {
    uint32_t character;
    const int64_t length = decode(text + at, size - at, &character);
    if (length == 0) break;
    at += length;
  }
  return at;
}

int64_t bytewise_to_ucs4(const unsigned char* text, int64_t size, uint32_t* out) {
  int64_t count = 0;
  for (int64_t at = 0; at < size; count++) {
    const int64_t length = decode(text + at, size - at, &out[count]);
    if (length == 0) return -1;
    at += length;
  }
  return count;
}

static inline unsigned char* encode(uint32_t c, unsigned char* out) {
  if (c < 0x80) {
    *out++ = (unsigned char)c;
    return out;
  }
  if (c < 0x800) {
    *out++ = (unsigned char)(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      *out++ = (unsigned char)(0xE0 | c >> 12);
    } else {
      *out++ = (unsigned char)(0xF0 | c >> 18);
      *out++ = (unsigned char)(0x80 | (c >> 12 & 0x3F));
    }
    *out++ = (unsigned char)(0x80 | (c >> 6 & 0x3F));
  }
  *out++ = (unsigned char)(0x80 | (c & 0x3F));
  return out;
}

/* Bytes written, or -1 for what is no character. */
int64_t bytewise_to_utf8(const void* text, int64_t size, int32_t width, unsigned char* out) {
  unsigned char* next = out;
  for (int64_t i = 0; i < size; i++) {
    const uint32_t c = width == 1   ? ((const uint8_t*)text)[i]
                       : width == 2 ? ((const uint16_t*)text)[i]
                                    : ((const uint32_t*)text)[i];
    if ((c >= 0xD800 && c < 0xE000) || c > 0x10FFFF) return -1;
    next = encode(c, next);
  }
  return next - out;
}
