/* decode, and hex. ASCII and right UTF-8 as a whole; else character by character in two passes, of which the first finds
 * the size and the errors.
 */
#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/script_methods.h"
#include "jitffi/text.h"
#include "macros.h"
#include "text_codec.h"
#include "text_make.h"
#include "text_units.h"
#include "unicode_tables.h"

typedef struct {
  jf_bytes_at bytes;
  size_t size;
  int32_t codec;
  int32_t errors;
  const jf_text* errors_name;
} job;

/* One character, or a fault that some bytes are. */
typedef struct {
  const char* why; /* NULL: it is a character */
  uint32_t c;
  size_t bytes;
} step;

static step fault(const char* why, size_t bytes) { return (step){why, 0, bytes}; }

static int32_t follows(unsigned c) { return (c & 0xC0) == 0x80; }

/* A fault takes up the bytes that could begin a character, and no more. */
static step decode_utf8(jf_bytes_at s, size_t left) {
  const uint32_t first = s[0];
  if (first < 0x80) return (step){NULL, first, 1};
  if (first < 0xC2 || first > 0xF4) return fault("invalid start byte", 1);
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (left < 2) return fault("unexpected end of data", left);
  const uint32_t second = s[1];
  const int32_t is_bad = !follows(second) || (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                         (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  if (is_bad) return fault("invalid continuation byte", 1);
  uint32_t c = (first & (0x7Fu >> length)) << 6 | (second & 0x3F);
  for (size_t i = 2; i < length; i++) {
    if (left <= i) return fault("unexpected end of data", left);
    if (!follows(s[i])) return fault("invalid continuation byte", i);
    c = c << 6 | (s[i] & 0x3Fu);
  }
  return (step){NULL, c, length};
}

static uint32_t unit_at(jf_bytes_at s, size_t size, int32_t is_big) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; i++) value |= (uint32_t)s[i] << 8 * (is_big ? size - 1 - i : i);
  return value;
}

static step decode_utf16(jf_bytes_at s, size_t left, int32_t is_big) {
  if (left < 2) return fault("truncated data", left);
  const uint32_t c = unit_at(s, 2, is_big);
  if (c - 0xD800 >= 0x800) return (step){NULL, c, 2};
  if (c >= 0xDC00) return fault("illegal encoding", 2);
  if (left < 4) return fault("unexpected end of data", left);
  const uint32_t low = unit_at(s + 2, 2, is_big);
  if (low - 0xDC00 >= 0x400) return fault("illegal UTF-16 surrogate", 2);
  return (step){NULL, 0x10000 + ((c & 0x3FF) << 10 | (low & 0x3FF)), 4};
}

static step decode_utf32(jf_bytes_at s, size_t left, int32_t is_big) {
  if (left < 4) return fault("truncated data", left);
  const uint32_t c = unit_at(s, 4, is_big);
  if (c >= JF_CODE_POINTS) return fault("code point not in range(0x110000)", 4);
  if (c - 0xD800 < 0x800) return fault("code point in surrogate code point range(0xd800, 0xe000)", 4);
  return (step){NULL, c, 4};
}

static step decode_one(int32_t codec, jf_bytes_at s, size_t left) {
  switch (codec) {
    case JF_CODEC_UTF8:
      return decode_utf8(s, left);
    case JF_CODEC_ASCII:
      return s[0] < 128 ? (step){NULL, s[0], 1} : fault("ordinal not in range(128)", 1);
    case JF_CODEC_LATIN1:
      return (step){NULL, s[0], 1};
    case JF_CODEC_UTF16_LE:
    case JF_CODEC_UTF16_BE:
      return decode_utf16(s, left, codec == JF_CODEC_UTF16_BE);
    default:
      return decode_utf32(s, left, codec == JF_CODEC_UTF32_BE);
  }
}

static JF_COLD int64_t fail_decode(const job* it, size_t at, const step* bad) {
  if (it->errors == JF_ERRORS_UNKNOWN) return jf_errors_fail(it->errors_name);
  if (it->errors == JF_ERRORS_XML) {
    jf_error_set("TypeError", "don't know how to handle UnicodeDecodeError in error callback");
    return -1;
  }
  if (bad->bytes == 1) {
    jf_error_format("UnicodeDecodeError", "'%s' codec can't decode byte 0x%02x in position %lld: %s",
                    jf_codec_name(it->codec), (unsigned)it->bytes[at], (long long)at, bad->why);
  } else {
    jf_error_format("UnicodeDecodeError", "'%s' codec can't decode bytes in position %lld-%lld: %s",
                    jf_codec_name(it->codec), (long long)at, (long long)(at + bad->bytes - 1), bad->why);
  }
  jf_span all = {(const char*)it->bytes, it->size};
  jf_codec_error_args(it->codec, &(jf_view){JF_BYTE_ARRAY, 0, {.v_span = &all}}, at, at + bad->bytes, bad->why);
  return -1;
}

/* Characters that the error handler puts in place of a fault, written where `to` is not NULL. */
static size_t substitute(const job* it, size_t at, const step* bad, jf_char32* to) {
  static const char digits[] = "0123456789abcdef";
  if (it->errors == JF_ERRORS_IGNORE) return 0;
  if (it->errors == JF_ERRORS_REPLACE) {
    if (to) *to = 0xFFFD;
    return 1;
  }
  for (size_t i = 0; to && i < bad->bytes; i++, to += 4) {
    const unsigned byte = it->bytes[at + i];
    to[0] = '\\';
    to[1] = 'x';
    to[2] = (jf_char32)digits[byte >> 4];
    to[3] = (jf_char32)digits[byte & 15];
  }
  return 4 * bad->bytes;
}

/* A mark at the start says which order the bytes have; without one it is ours. Where the text begins. */
static size_t read_mark(job* it) {
  const int32_t is_16 = it->codec == JF_CODEC_UTF16;
  const size_t unit = is_16 ? 2 : 4;
  if (!is_16 && it->codec != JF_CODEC_UTF32) return 0;
  it->codec = is_16 ? JF_CODEC_UTF16_LE : JF_CODEC_UTF32_LE;
  if (it->size < unit) return 0;
  if (unit_at(it->bytes, unit, 0) == 0xFEFF) return unit;
  if (unit_at(it->bytes, unit, 1) != 0xFEFF) return 0;
  it->codec++;
  return unit;
}

_Static_assert(JF_CODEC_UTF16_BE == JF_CODEC_UTF16_LE + 1 && JF_CODEC_UTF32_BE == JF_CODEC_UTF32_LE + 1, "in pairs");

/* Characters of the result, which are written where `to` is not NULL; -1 with the error set. */
static int64_t decode_each(const job* it, size_t at, jf_char32* to) {
  size_t made = 0;
  while (at < it->size) {
    const step one = decode_one(it->codec, it->bytes + at, it->size - at);
    if (!one.why) {
      if (to) to[made] = one.c;
      made++;
    } else {
      const int32_t passes = it->errors != JF_ERRORS_STRICT && it->errors < JF_ERRORS_XML;
      if (!passes) return fail_decode(it, at, &one);
      made += substitute(it, at, &one, to ? to + made : NULL);
    }
    at += one.bytes;
  }
  return (int64_t)made;
}

/* UTF-8 without faults, and not all ASCII. 1: done; 0: there are some, *out is as before; -1. */
static int32_t decode_right(const jf_text* bytes, jf_value* out) {
  const int32_t capacity = out->small_len;
  const size_t size = jf_utf8_length(bytes->data, bytes->size);
  jf_char32* data = jf_text_begin(out, JF_UCS4, size);
  if (!data) return -1;
  if (jf_utf8_to_ucs4(bytes->data, bytes->size, data) >= 0) return 1;
  memset(data, 0, size * sizeof *data);
  jf_any_release(out);
  jf_out_init(out, capacity);
  return 0;
}

/* Borrow. UnicodeDecodeError, LookupError, ValueError, MemoryError: *out is null. */
int32_t jf_bytes_decode(const jf_text* bytes, const jf_text* encoding, const jf_text* errors, jf_value* out) {
  const int32_t capacity = out->small_len;
  if (!bytes->size) return jf_text_begin(out, JF_STR, 0) ? 0 : -1; /* as Python: no name is looked at */
  job it = {bytes->data, bytes->size, jf_codec_of(encoding), jf_errors_of(errors), errors};
  int32_t status = it.codec < 0 ? -1 : 0;
  if ((it.codec < 0 || it.errors == JF_ERRORS_UNKNOWN) && jf_coded_by_host(1, bytes, encoding, errors, out, &status)) {
    return status;
  }
  if (status == 0 && it.codec <= JF_CODEC_LATIN1 && jf_is_ascii(bytes->data, bytes->size)) {
    return jf_text_out(bytes, out);
  }
  if (status == 0 && it.codec == JF_CODEC_UTF8) status = decode_right(bytes, out);
  if (status > 0) return 0;
  const size_t start = status < 0 ? 0 : read_mark(&it);
  const int64_t size = status < 0 ? -1 : decode_each(&it, start, NULL);
  if (size < 0) {
    *out = jf_static_null;
    return -1;
  }
  jf_char32* data = jf_text_begin(out, JF_UCS4, (size_t)size);
  if (!data) return -1;
  decode_each(&it, start, data);
  return jf_text_narrow(out, capacity);
}

/* Borrows. MemoryError: *out is null. */
int32_t jf_bytes_hex(const jf_text* bytes, jf_value* out) {
  static const char digits[] = "0123456789abcdef";
  if (bytes->size > PTRDIFF_MAX / 2) {
    *out = jf_static_null;
    return jf_fail_memory();
  }
  char* to = jf_text_begin(out, JF_STR, 2 * bytes->size);
  if (!to) return -1;
  for (size_t i = 0; i < bytes->size; i++) {
    const unsigned byte = ((jf_bytes_at)bytes->data)[i];
    to[2 * i] = digits[byte >> 4];
    to[2 * i + 1] = digits[byte & 15];
  }
  return 0;
}
