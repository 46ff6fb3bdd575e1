/* The names of encodings, as Python writes them in any way. */
#include <string.h>

#include "host.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "macros.h"
#include "text_codec.h"
#include "text_units.h"

enum { NAME_SIZE = 32 };

static const struct {
  const char* name; /* small letters; an underscore for whatever is no letter or digit */
  int32_t codec;
} names[] = {
    {"utf_8", JF_CODEC_UTF8},
    {"utf8", JF_CODEC_UTF8},
    {"u8", JF_CODEC_UTF8},
    {"utf", JF_CODEC_UTF8},
    {"utf8_ucs2", JF_CODEC_UTF8},
    {"utf8_ucs4", JF_CODEC_UTF8},
    {"cp65001", JF_CODEC_UTF8},
    {"ascii", JF_CODEC_ASCII},
    {"us_ascii", JF_CODEC_ASCII},
    {"646", JF_CODEC_ASCII},
    {"ansi_x3_4_1968", JF_CODEC_ASCII},
    {"ansi_x3_4_1986", JF_CODEC_ASCII},
    {"cp367", JF_CODEC_ASCII},
    {"csascii", JF_CODEC_ASCII},
    {"ibm367", JF_CODEC_ASCII},
    {"iso646_us", JF_CODEC_ASCII},
    {"iso_646_irv_1991", JF_CODEC_ASCII},
    {"iso_ir_6", JF_CODEC_ASCII},
    {"us", JF_CODEC_ASCII},
    {"latin_1", JF_CODEC_LATIN1},
    {"latin1", JF_CODEC_LATIN1},
    {"latin", JF_CODEC_LATIN1},
    {"l1", JF_CODEC_LATIN1},
    {"8859", JF_CODEC_LATIN1},
    {"cp819", JF_CODEC_LATIN1},
    {"csisolatin1", JF_CODEC_LATIN1},
    {"ibm819", JF_CODEC_LATIN1},
    {"iso8859", JF_CODEC_LATIN1},
    {"iso8859_1", JF_CODEC_LATIN1},
    {"iso_8859_1", JF_CODEC_LATIN1},
    {"iso_8859_1_1987", JF_CODEC_LATIN1},
    {"iso_ir_100", JF_CODEC_LATIN1},
    {"utf_16", JF_CODEC_UTF16},
    {"utf16", JF_CODEC_UTF16},
    {"u16", JF_CODEC_UTF16},
    {"utf_16_le", JF_CODEC_UTF16_LE},
    {"utf_16le", JF_CODEC_UTF16_LE},
    {"unicodelittleunmarked", JF_CODEC_UTF16_LE},
    {"utf_16_be", JF_CODEC_UTF16_BE},
    {"utf_16be", JF_CODEC_UTF16_BE},
    {"unicodebigunmarked", JF_CODEC_UTF16_BE},
    {"utf_32", JF_CODEC_UTF32},
    {"utf32", JF_CODEC_UTF32},
    {"u32", JF_CODEC_UTF32},
    {"utf_32_le", JF_CODEC_UTF32_LE},
    {"utf_32le", JF_CODEC_UTF32_LE},
    {"utf_32_be", JF_CODEC_UTF32_BE},
    {"utf_32be", JF_CODEC_UTF32_BE},
};

/* Any run of other characters between letters and digits is one underscore. 0 where the name is too long. */
static int32_t normalize(const jf_text* name, char* out) {
  size_t size = 0;
  int32_t gap = 0;
  for (size_t i = 0; i < name->size; i++) {
    const uint32_t c = jf_unit(name->data, i, name->wide), letter = c | 32;
    const int32_t is_letter = letter - 'a' < 26 && c < 128;
    if (!is_letter && c - '0' >= 10) {
      gap = size > 0;
      continue;
    }
    if (size + 3 > NAME_SIZE) return 0;
    if (gap) out[size++] = '_';
    out[size++] = (char)(is_letter ? letter : c);
    gap = 0;
  }
  out[size] = 0;
  return 1;
}

/* "<what><name>", in UTF-8. Always -1. */
static JF_COLD int32_t fail_name(const char* before, const jf_text* name, const char* after) {
  char text[128];
  size_t size = 0;
  for (size_t i = 0; i < name->size && size + 4 < sizeof text; i++) {
    const jf_char32 c = (jf_char32)jf_unit(name->data, i, name->wide);
    const int64_t bytes = jf_ucs4_utf8_size(&c, 1);
    if (bytes < 0) continue;
    jf_ucs4_to_utf8(&c, 1, text + size);
    size += (size_t)bytes;
  }
  text[size] = 0;
  jf_error_format("LookupError", "%s%s%s", before, text, after);
  return -1;
}

/* -1: there is no such codec. What most programs write is looked at first. */
static int32_t find_codec(const jf_text* name) {
  char normal[NAME_SIZE];
  if (!name->wide && name->size == 5 && memcmp(name->data, "utf-8", 5) == 0) return JF_CODEC_UTF8;
  if (!normalize(name, normal)) return -1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(normal, names[i].name) == 0) return names[i].codec;
  }
  return -1;
}

int32_t jf_codec_of(const jf_text* name) {
  for (size_t i = 0; i < name->size; i++) {
    if (jf_unit(name->data, i, name->wide)) continue;
    jf_error_set("ValueError", "embedded null character");
    return -1;
  }
  const int32_t found = find_codec(name);
  return found >= 0 ? found : fail_name("unknown encoding: ", name, "");
}

JF_COLD int32_t jf_coded_by_host(int32_t is_decoded, const jf_text* text, const jf_text* encoding,
                                 const jf_text* errors, jf_value* out, int32_t* status) {
  const jf_script_host* host = jf_op_any_host();
  if (!host || (find_codec(encoding) >= 0 && jf_errors_of(errors) != JF_ERRORS_UNKNOWN)) return 0;
  *status = host->coded(is_decoded, text, encoding, errors, out);
  if (*status != 0) *out = jf_static_null;
  return 1;
}

int32_t jf_errors_of(const jf_text* name) {
  static const jf_text known[] = {
      {"strict", 6, 0}, {"ignore", 6, 0}, {"replace", 7, 0}, {"backslashreplace", 16, 0}, {"xmlcharrefreplace", 17, 0}};
  for (int32_t i = 0; i < JF_ERRORS_UNKNOWN; i++) {
    if (name->size == known[i].size && jf_text_equal(name, &known[i])) return i;
  }
  return JF_ERRORS_UNKNOWN;
}

int32_t jf_errors_fail(const jf_text* name) { return fail_name("unknown error handler name '", name, "'"); }

const char* jf_codec_name(int32_t codec) {
  static const char* const shown[] = {"utf-8",     "ascii",  "latin-1",   "utf-16",   "utf-16-le",
                                      "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"};
  return shown[codec];
}

static jf_view str_view(const jf_span* span) { return (jf_view){JF_STR_VIEW, 0, {.v_span = (jf_span*)span}}; }

void jf_codec_error_args(int32_t codec, const jf_view* coded, size_t start, size_t end, const char* why) {
  const jf_span name = {jf_codec_name(codec), strlen(jf_codec_name(codec))}, reason = {why, strlen(why)};
  const jf_view first = {JF_INT, 0, {.v_int64 = (int64_t)start}}, after = {JF_INT, 0, {.v_int64 = (int64_t)end}};
  jf_script_error_args((const jf_view[]){str_view(&name), *coded, first, after, str_view(&reason)}, 5);
}
