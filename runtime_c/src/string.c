/* Heap str, bytes and UCS4 str: objects whose characters follow them and end in one NUL unit; and UTF-8 itself. */
#include "internal.h"

/* The largest content whose object size cannot overflow. */
enum { OVERHEAD = sizeof(jf_str) + sizeof(jf_char32) };

static jf_str* make(int32_t type_code, size_t units, size_t unit_size) {
  if (units > (SIZE_MAX / 2 - OVERHEAD) / unit_size) return NULL;
  jf_str* str = jf_object_make(sizeof(jf_str) + (units + 1) * unit_size, type_code, NULL);
  if (!str) return NULL;
  str->data = (const char*)(str + 1);
  str->size = units;
  str->characters = -1;
  return str;
}

static jf_object* or_no_memory(jf_str* str) {
  if (!str) jf_error_no_memory();
  return str ? &str->header : NULL;
}

jf_str* jf_str_make(int32_t type_code, const char* data, size_t size) {
  jf_str* str = make(type_code, size, 1);
  if (str && size) memcpy(str + 1, data, size);
  return str;
}

/* New; borrows data, which may be NULL when size is 0. The caller vouches for its being UTF-8. NULL with MemoryError
 * set. */
jf_object* jf_str_new(const char* data, size_t size) { return or_no_memory(jf_str_make(JF_STR, data, size)); }

/* New; borrows data. NULL with MemoryError set. */
jf_object* jf_bytes_new(const char* data, size_t size) { return or_no_memory(jf_str_make(JF_BYTES, data, size)); }

/* New; borrows data. NULL with MemoryError set. */
jf_object* jf_ucs4_new(const jf_char32* data, size_t size) {
  jf_str* str = make(JF_UCS4, size, sizeof(jf_char32));
  if (str && size) memcpy(str + 1, data, size * sizeof(jf_char32));
  return or_no_memory(str);
}

/* New, filled with NULs. NULL with MemoryError set, *data is NULL then. */
jf_object* jf_str_alloc(int32_t type_code, size_t size, char** data) {
  assert(type_code == JF_STR || type_code == JF_BYTES);
  jf_str* str = make(type_code, size, 1);
  *data = str ? (char*)(str + 1) : NULL;
  return or_no_memory(str);
}

size_t jf_utf8_encode(uint32_t c, char* out) {
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  if (c < 0x800) {
    out[0] = (char)(0xC0 | c >> 6);
    out[1] = (char)(0x80 | (c & 0x3F));
    return 2;
  }
  if (c - 0xD800 < 0x800 || c > 0x10FFFF) return 0;
  if (c < 0x10000) {
    out[0] = (char)(0xE0 | c >> 12);
    out[1] = (char)(0x80 | (c >> 6 & 0x3F));
    out[2] = (char)(0x80 | (c & 0x3F));
    return 3;
  }
  out[0] = (char)(0xF0 | c >> 18);
  out[1] = (char)(0x80 | (c >> 12 & 0x3F));
  out[2] = (char)(0x80 | (c >> 6 & 0x3F));
  out[3] = (char)(0x80 | (c & 0x3F));
  return 4;
}

size_t jf_utf8_decode(const char* data, size_t size) {
  if (!size) return 0;
  const unsigned char* s = (const unsigned char*)data;
  if (s[0] < 0x80) return 1;
  size_t length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
  if (s[0] < 0xC2 || s[0] > 0xF4 || length > size) return 0;
  for (size_t i = 1; i < length; i++) {
    if ((s[i] & 0xC0) != 0x80) return 0;
  }
  /* Overlong forms, surrogates and what lies beyond 0x10FFFF show in the second byte. */
  if (s[0] == 0xE0 && s[1] < 0xA0) return 0;
  if (s[0] == 0xED && s[1] > 0x9F) return 0;
  if (s[0] == 0xF0 && s[1] < 0x90) return 0;
  if (s[0] == 0xF4 && s[1] > 0x8F) return 0;
  return length;
}

/* Borrows. -1 is not an error that is set. */
int64_t jf_ucs4_utf8_size(const jf_char32* data, size_t size) {
  int64_t total = 0;
  char ignored[4];
  for (size_t i = 0; i < size; i++) {
    size_t length = jf_utf8_encode((uint32_t)data[i], ignored);
    if (!length) return -1;
    total += (int64_t)length;
  }
  return total;
}

/* Borrows; out has the room that jf_ucs4_utf8_size said. */
void jf_ucs4_to_utf8(const jf_char32* data, size_t size, char* out) {
  for (size_t i = 0; i < size; i++) out += jf_utf8_encode((uint32_t)data[i], out);
}
