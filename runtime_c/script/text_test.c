/* isalpha and its like. */
#include "jitffi/text.h"
#include "jitffi/script.h"
#include "jitffi/script_methods.h"
#include "text_make.h"
#include "text_units.h"
#include "unicode_tables.h"

enum { IS_ALNUM = JF_IS_ALPHA | JF_IS_DECIMAL | JF_IS_DIGIT | JF_IS_NUMERIC };

JF_ALWAYS uint32_t flags_at(const jf_text* text, size_t i, int32_t kind) {
  const uint32_t c = jf_unit(text->data, i, kind == JF_WIDE_TEXT);
  if (kind == JF_WIDE_TEXT) return jf_flags_of(c);
  return kind == JF_ASCII_TEXT || c < 128 ? jf_ascii_flags[c & 127] : 0;
}

/* Whether each character has one of the flags, from number `from` on. */
JF_ALWAYS int32_t all_in(const jf_text* text, size_t from, uint32_t flags, int32_t kind) {
  for (size_t i = from; i < text->size; i++) {
    if (!(flags_at(text, i, kind) & flags)) return 0;
  }
  return 1;
}

static int32_t all(const jf_text* text, uint32_t flags) {
  if (!text->size) return 0;
  return text->wide ? all_in(text, 0, flags, JF_WIDE_TEXT) : all_in(text, 0, flags, JF_ASCII_TEXT);
}

static int32_t all_bytes(const jf_text* text, uint32_t flags) {
  return text->size && all_in(text, 0, flags, JF_BYTE_TEXT);
}

/* Some of the case that is wanted, none of the other, no title case. */
JF_ALWAYS int32_t one_case(const jf_text* text, uint32_t wanted, int32_t kind) {
  const uint32_t unwanted = JF_IS_TITLE | (wanted ^ (JF_IS_UPPER | JF_IS_LOWER));
  uint32_t seen = 0;
  for (size_t i = 0; i < text->size; i++) {
    const uint32_t flags = flags_at(text, i, kind);
    if (flags & unwanted) return 0;
    seen |= flags & wanted;
  }
  return seen != 0;
}

/* Capitals begin words, and only they. */
JF_ALWAYS int32_t titled(const jf_text* text, int32_t kind) {
  int32_t inside = 0, seen = 0;
  for (size_t i = 0; i < text->size; i++) {
    const uint32_t flags = flags_at(text, i, kind);
    const int32_t is_capital = (flags & (JF_IS_UPPER | JF_IS_TITLE)) != 0;
    const int32_t is_cased = is_capital || flags & JF_IS_LOWER;
    if (is_cased && is_capital == inside) return 0;
    inside = is_cased;
    seen |= is_cased;
  }
  return seen;
}

/* Each borrows and never fails. */
int32_t jf_text_isalpha(const jf_text* text) { return all(text, JF_IS_ALPHA); }
int32_t jf_text_isdecimal(const jf_text* text) { return all(text, JF_IS_DECIMAL); }
int32_t jf_text_isdigit(const jf_text* text) { return all(text, JF_IS_DIGIT); }
int32_t jf_text_isnumeric(const jf_text* text) { return all(text, JF_IS_NUMERIC); }
int32_t jf_text_isalnum(const jf_text* text) { return all(text, IS_ALNUM); }
int32_t jf_text_isspace(const jf_text* text) { return all(text, JF_IS_SPACE); }
int32_t jf_text_isprintable(const jf_text* text) { return !text->size || all(text, JF_IS_PRINTABLE); }
int32_t jf_text_isascii(const jf_text* text) { return jf_text_is_ascii(text); }
int32_t jf_text_isupper(const jf_text* text) {
  return text->wide ? one_case(text, JF_IS_UPPER, JF_WIDE_TEXT) : one_case(text, JF_IS_UPPER, JF_ASCII_TEXT);
}
int32_t jf_text_islower(const jf_text* text) {
  return text->wide ? one_case(text, JF_IS_LOWER, JF_WIDE_TEXT) : one_case(text, JF_IS_LOWER, JF_ASCII_TEXT);
}
int32_t jf_text_istitle(const jf_text* text) {
  return text->wide ? titled(text, JF_WIDE_TEXT) : titled(text, JF_ASCII_TEXT);
}
int32_t jf_text_isidentifier(const jf_text* text) {
  if (!text->size || !(jf_flags_of(jf_unit(text->data, 0, text->wide)) & JF_IS_IDENTIFIER_START)) return 0;
  return text->wide ? all_in(text, 1, JF_IS_IDENTIFIER, JF_WIDE_TEXT)
                    : all_in(text, 1, JF_IS_IDENTIFIER, JF_ASCII_TEXT);
}

int32_t jf_bytes_isalpha(const jf_text* bytes) { return all_bytes(bytes, JF_IS_ALPHA); }
int32_t jf_bytes_isdigit(const jf_text* bytes) { return all_bytes(bytes, JF_IS_DIGIT); }
int32_t jf_bytes_isalnum(const jf_text* bytes) { return all_bytes(bytes, IS_ALNUM); }
int32_t jf_bytes_isascii(const jf_text* bytes) { return jf_is_ascii(bytes->data, bytes->size); }
int32_t jf_bytes_isupper(const jf_text* bytes) { return one_case(bytes, JF_IS_UPPER, JF_BYTE_TEXT); }
int32_t jf_bytes_islower(const jf_text* bytes) { return one_case(bytes, JF_IS_LOWER, JF_BYTE_TEXT); }
int32_t jf_bytes_istitle(const jf_text* bytes) { return titled(bytes, JF_BYTE_TEXT); }
int32_t jf_bytes_isspace(const jf_text* bytes) {
  for (size_t i = 0; i < bytes->size; i++) {
    if (!jf_is_byte_space(jf_unit(bytes->data, i, 0))) return 0;
  }
  return bytes->size != 0;
}
