/* The tables that make_tables.py writes, and what is looked up in them, inline.
 *
 * A code point's page is its block of 128; page 0 is all zeros, so whoever finds it need not look further.
 */
#ifndef JITFFI_UNICODE_TABLES_H
#define JITFFI_UNICODE_TABLES_H

#include "jitffi/script.h"

enum { JF_PAGE_BITS = 7, JF_CODE_POINTS = 0x110000, JF_CASE_EXTENDED = 0x2000000 };

typedef struct {
  uint16_t flags;  /* JF_IS_* */
  int16_t decimal; /* -1: no decimal digit */
} jf_char_class;

/* The distance to the character that it becomes; from JF_CASE_EXTENDED on: how many they are (bits 16 to 23), and where in
 * jf_case_more (bits 0 to 15). */
typedef struct {
  int32_t upper, lower, title, fold;
} jf_char_case;

extern const uint16_t jf_class_pages[];
extern const uint8_t jf_class_numbers[];
extern const jf_char_class jf_classes[];
extern const uint8_t jf_case_pages[];
extern const uint16_t jf_case_numbers[];
extern const jf_char_case jf_cases[];
extern const uint32_t jf_case_more[];

/* Whatever is no code point has no properties. */
static inline const jf_char_class* jf_class_of(uint32_t c) {
  if (c >= JF_CODE_POINTS) c = 0xFFFF; /* never a character */
  return &jf_classes[jf_class_numbers[((uint32_t)jf_class_pages[c >> JF_PAGE_BITS] << JF_PAGE_BITS) + (c & 127)]];
}

static inline uint32_t jf_flags_of(uint32_t c) { return c < 128 ? jf_ascii_flags[c] : jf_class_of(c)->flags; }

static inline const jf_char_case* jf_case_of(uint32_t c) {
  if (c >= JF_CODE_POINTS) return &jf_cases[0];
  return &jf_cases[jf_case_numbers[((uint32_t)jf_case_pages[c >> JF_PAGE_BITS] << JF_PAGE_BITS) + (c & 127)]];
}

#endif
