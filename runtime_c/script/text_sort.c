/* The characters of a text in order: what sorted() gives them in. */
#include <stdlib.h>
#include <string.h>

#include "jitffi/script.h"
#include "jitffi/text.h"
#include "text_make.h"
#include "text_units.h"

/* Of texts that are no longer than that each character is put in its place. */
enum { SHORT = 24, ASCII = 128 };

static void sort_short_bytes(unsigned char* units, size_t size) {
  for (size_t i = 1; i < size; i++) {
    const unsigned char unit = units[i];
    size_t at = i;
    for (; at > 0 && units[at - 1] > unit; at--) units[at] = units[at - 1];
    units[at] = unit;
  }
}

static void sort_bytes(unsigned char* units, size_t size) {
  if (size <= SHORT) {
    sort_short_bytes(units, size);
    return;
  }
  size_t counts[ASCII] = {0};
  for (size_t i = 0; i < size; i++) counts[units[i] & (ASCII - 1)]++;
  for (int unit = 0; unit < ASCII; unit++) {
    memset(units, unit, counts[unit]);
    units += counts[unit];
  }
}

static int compare_units(const void* a, const void* b) {
  const jf_char32 x = *(const jf_char32*)a, y = *(const jf_char32*)b;
  return (x > y) - (x < y);
}

static void sort_wide(jf_char32* units, size_t size) {
  if (size > SHORT) {
    qsort(units, size, sizeof *units, compare_units);
    return;
  }
  for (size_t i = 1; i < size; i++) {
    const jf_char32 unit = units[i];
    size_t at = i;
    for (; at > 0 && units[at - 1] > unit; at--) units[at] = units[at - 1];
    units[at] = unit;
  }
}

/* Borrows. MemoryError: *out is null. */
int32_t jf_text_sorted(const jf_text* text, jf_value* out) {
  const int32_t wide = !jf_text_is_ascii(text);
  void* data = jf_text_begin(out, wide ? JF_UCS4 : JF_STR, text->size);
  if (!data) return -1;
  jf_units_copy(data, wide, text->data, text->wide, text->size);
  if (wide)
    sort_wide(data, text->size);
  else
    sort_bytes(data, text->size);
  return 0;
}
