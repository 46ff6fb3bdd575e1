/* Texts for the tests of scripts: from ASCII, and from UTF-8, wide. */
#ifndef JITFFI_SCRIPTHELPER_H
#define JITFFI_SCRIPTHELPER_H

#include "jitffi/script.h"
#include "testhelper.h"

static inline jf_text narrow(const char* text) { return (jf_text){text, strlen(text), 0}; }

/* A wide text, in static memory that the 16th text after it takes. */
static inline jf_text wide(const char* utf8) {
  static jf_char32 units[16][256];
  static int next;
  jf_char32* to = units[next++ % 16];
  return (jf_text){to, (size_t)jf_utf8_to_ucs4(utf8, strlen(utf8), to), 1};
}

/* What a slot holds, as UTF-8 with a mark in front: "a:" ASCII in place, "A:" on the heap, "u:" and "U:" UCS4, "b:" and
 * "B:" bytes. Released. */
static inline const char* shown(jf_value* value) {
  static char text[1024];
  const jf_encoded found = jf_any_text(value);
  const int32_t is_heap = value->type_code == JF_OBJECT;
  const char mark = found.kind == JF_TEXT_UTF8 ? 'a' : found.kind == JF_TEXT_UCS4 ? 'u' : 'b';
  size_t size = found.size;
  if (found.kind == JF_TEXT_NONE) return "no text";
  if (found.kind == JF_TEXT_UCS4) {
    size = (size_t)jf_ucs4_utf8_size(found.data, found.size);
    jf_ucs4_to_utf8(found.data, found.size, text + 2);
  } else {
    memcpy(text + 2, found.data, size);
    CHECK(((const char*)found.data)[size] == 0);
  }
  CHECK(found.kind != JF_TEXT_UTF8 || jf_is_ascii(found.data, size));
  CHECK(found.kind != JF_TEXT_UCS4 || !jf_is_ascii(text + 2, size));
  text[0] = is_heap ? (char)(mark - 32) : mark;
  text[1] = ':';
  text[2 + size] = 0;
  CHECK(jf_any_ok(value, 1, NULL));
  jf_any_release(value);
  return text;
}

/* An operation into a slot with room for 15 bytes, and what is in it then. */
#define CHECK_MADE(call, expected)           \
  do {                                       \
    jf_pad1 made = JF_PAD_INIT(1);           \
    jf_value* out = &made.slot;              \
    CHECK((call) == 0);                      \
    CHECK_TEXT(shown(&made.slot), expected); \
  } while (0)

/* An operation that fails: the out-slot is null, and the error. */
#define CHECK_FAILS(call, expected)        \
  do {                                     \
    jf_pad1 made = JF_PAD_INIT(1);         \
    jf_value* out = &made.slot;            \
    CHECK((call) == -1);                   \
    CHECK(made.slot.type_code == JF_NULL); \
    CHECK_ERROR(expected);                 \
  } while (0)

#endif
