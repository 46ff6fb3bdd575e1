/* encode. What can be copied or converted as a whole is; else in two passes, of which the first finds the size and the
 * errors.
 */
#include <stdio.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/script_methods.h"
#include "macros.h"
#include "text_codec.h"
#include "text_make.h"
#include "text_units.h"
#include "unicode_tables.h"

typedef struct {
  const jf_text* text;
  int32_t codec;
  int32_t errors;
  const jf_text* errors_name;
} job;

static void put_bytes(unsigned char* to, uint32_t value, size_t size, int32_t is_big) {
  for (size_t i = 0; i < size; i++) to[i] = (unsigned char)(value >> 8 * (is_big ? size - 1 - i : i));
}

static int32_t is_character(uint32_t c) { return c - 0xD800 >= 0x800 && c < JF_CODE_POINTS; }

static int32_t can_encode(int32_t codec, uint32_t c) {
  if (codec == JF_CODEC_ASCII) return c < 128;
  return codec == JF_CODEC_LATIN1 ? c < 256 : is_character(c);
}

/* Bytes of a character that the encoding has, written where `to` is not NULL. */
static size_t put_character(int32_t codec, uint32_t c, unsigned char* to) {
  unsigned char scratch[4];
  if (!to) to = scratch;
  switch (codec) {
    case JF_CODEC_UTF8: {
      const jf_char32 unit = c;
      const int64_t size = jf_ucs4_utf8_size(&unit, 1);
      jf_ucs4_to_utf8(&unit, 1, (char*)to);
      return (size_t)size;
    }
    case JF_CODEC_ASCII:
    case JF_CODEC_LATIN1:
      *to = (unsigned char)c;
      return 1;
    case JF_CODEC_UTF16:
    case JF_CODEC_UTF16_LE:
    case JF_CODEC_UTF16_BE:
      if (c < 0x10000) {
        put_bytes(to, c, 2, codec == JF_CODEC_UTF16_BE);
        return 2;
      }
      put_bytes(to, 0xD7C0 + (c >> 10), 2, codec == JF_CODEC_UTF16_BE);
      put_bytes(to + 2, 0xDC00 + (c & 0x3FF), 2, codec == JF_CODEC_UTF16_BE);
      return 4;
    default:
      put_bytes(to, c, 4, codec == JF_CODEC_UTF32_BE);
      return 4;
  }
}

/* What the error handler puts in place of a character: ASCII. */
static size_t substitute(int32_t errors, uint32_t c, char buffer[16]) {
  const char* format = c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";
  switch (errors) {
    case JF_ERRORS_REPLACE:
      buffer[0] = '?';
      return 1;
    case JF_ERRORS_BACKSLASH:
      return (size_t)snprintf(buffer, 16, format, (unsigned)c);
    case JF_ERRORS_XML:
      return (size_t)snprintf(buffer, 16, "&#%u;", (unsigned)c);
    default:
      return 0;
  }
}

/* Of the characters from `at` on that the encoding has not. */
static JF_COLD int32_t fail_encode(const job* it, size_t at) {
  const jf_text* text = it->text;
  size_t end = at + 1;
  const uint32_t c = jf_unit(text->data, at, text->wide);
  while (it->codec <= JF_CODEC_LATIN1 && end < text->size &&
         !can_encode(it->codec, jf_unit(text->data, end, text->wide))) {
    end++;
  }
  const char* why = it->codec == JF_CODEC_ASCII    ? "ordinal not in range(128)"
                    : it->codec == JF_CODEC_LATIN1 ? "ordinal not in range(256)"
                                                   : "surrogates not allowed";
  char shown[16];
  shown[substitute(JF_ERRORS_BACKSLASH, c, shown)] = 0;
  if (end == at + 1) {
    jf_error_format("UnicodeEncodeError", "'%s' codec can't encode character '%s' in position %lld: %s",
                    jf_codec_name(it->codec), shown, (long long)at, why);
  } else {
    jf_error_format("UnicodeEncodeError", "'%s' codec can't encode characters in position %lld-%lld: %s",
                    jf_codec_name(it->codec), (long long)at, (long long)end - 1, why);
  }
  jf_span narrow = {text->data, text->size};
  jf_ucs4_span wide = {text->data, text->size};
  const jf_view whole =
      text->wide ? (jf_view){JF_UCS4_VIEW, 0, {.v_ucs4_span = &wide}} : (jf_view){JF_STR_VIEW, 0, {.v_span = &narrow}};
  jf_codec_error_args(it->codec, &whole, at, end, why);
  return -1;
}

/* Bytes of the result, which are written where `to` is not NULL; -1 with the error set. */
static int64_t encode_each(const job* it, unsigned char* to) {
  const jf_text* text = it->text;
  size_t made = 0;
  if (it->codec == JF_CODEC_UTF16 || it->codec == JF_CODEC_UTF32) made += put_character(it->codec, 0xFEFF, to);
  for (size_t i = 0; i < text->size; i++) {
    const uint32_t c = jf_unit(text->data, i, text->wide);
    if (can_encode(it->codec, c)) {
      made += put_character(it->codec, c, to ? to + made : NULL);
      continue;
    }
    if (it->errors == JF_ERRORS_STRICT) return fail_encode(it, i);
    if (it->errors == JF_ERRORS_UNKNOWN) return jf_errors_fail(it->errors_name);
    char instead[16];
    const size_t size = substitute(it->errors, c, instead);
    for (size_t k = 0; k < size; k++) {
      made += put_character(it->codec, (unsigned char)instead[k], to ? to + made : NULL);
    }
  }
  return (int64_t)made;
}

static int32_t all_below(const jf_text* text, uint32_t limit) {
  uint32_t all = 0;
  for (size_t i = 0; i < text->size; i++) all |= (uint32_t)((const jf_char32*)text->data)[i];
  return all < limit;
}

/* 1: done; 0: nothing was done; -1. */
static int32_t encode_whole(const job* it, jf_value* out) {
  const jf_text* text = it->text;
  if (it->codec > JF_CODEC_LATIN1) return 0;
  if (!text->wide) return jf_bytes_to(text, out) == 0 ? 1 : -1;
  if (it->codec != JF_CODEC_UTF8) {
    if (!all_below(text, it->codec == JF_CODEC_ASCII ? 128 : 256)) return 0;
    void* data = jf_text_begin(out, JF_BYTES, text->size);
    if (data) jf_units_copy(data, 0, text->data, 1, text->size);
    return data ? 1 : -1;
  }
  const int64_t size = jf_ucs4_utf8_size(text->data, text->size);
  if (size < 0) return 0;
  char* data = jf_text_begin(out, JF_BYTES, (size_t)size);
  if (data) jf_ucs4_to_utf8(text->data, text->size, data);
  return data ? 1 : -1;
}

/* Borrow. UnicodeEncodeError, LookupError, ValueError, MemoryError: *out is null. */
int32_t jf_text_encode(const jf_text* text, const jf_text* encoding, const jf_text* errors, jf_value* out) {
  const job it = {text, jf_codec_of(encoding), jf_errors_of(errors), errors};
  int32_t done;
  if ((it.codec < 0 || it.errors == JF_ERRORS_UNKNOWN) && jf_coded_by_host(0, text, encoding, errors, out, &done)) {
    return done;
  }
  if (it.codec < 0) {
    *out = jf_static_null;
    return -1;
  }
  const int32_t status = encode_whole(&it, out);
  if (status != 0) return status < 0 ? -1 : 0;
  const int64_t size = encode_each(&it, NULL);
  if (size < 0) {
    *out = jf_static_null;
    return -1;
  }
  void* data = jf_text_begin(out, JF_BYTES, (size_t)size);
  if (!data) return -1;
  encode_each(&it, data);
  return 0;
}
