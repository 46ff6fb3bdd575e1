/* split and rsplit. Narrow text by masks of 64 units, in two passes: how many pieces, then each into its slot. */
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/script_methods.h"
#include "text_make.h"
#include "text_masks.h"
#include "text_search.h"
#include "text_units.h"
#include "text_writer.h"

/* -- white space in narrow text -- */

JF_ALWAYS size_t count_words(const jf_text* text, int32_t seek) {
  uint64_t before = 1; /* white space, as there is before the text */
  size_t count = 0;
  for (size_t at = 0; at < text->size; at += JF_MASK_UNITS) {
    const uint64_t mask = jf_mask_at(text->data, at, text->size, seek, 0);
    count += jf_count_bits(~mask & (mask << 1 | before));
    before = mask >> 63;
  }
  /* The rest of the last block is zeros, like a word, that begins behind the end where white space stands before. */
  const size_t rest = text->size % JF_MASK_UNITS;
  if (rest && jf_space_in(seek == JF_SEEK_SPACE ? JF_ASCII_TEXT : JF_BYTE_TEXT, jf_unit(text->data, text->size - 1, 0)))
    count--;
  return count;
}

/* Bits where words begin and end, in turn. */
JF_ALWAYS int32_t put_words(jf_list_writer* to, const jf_text* text, int32_t seek) {
  const size_t size = text->size;
  uint64_t before = 1;
  size_t start = 0;
  int32_t is_inside = 0, status = 0;
  for (size_t at = 0; at < size; at += JF_MASK_UNITS) {
    const uint64_t mask = jf_mask_at(text->data, at, size, seek, 0);
    uint64_t turns = mask ^ (mask << 1 | before);
    before = mask >> 63;
    if (is_inside && turns) {
      status |= jf_list_writer_put(to, start, at + jf_first_bit(turns));
      turns &= turns - 1;
      is_inside = 0;
    }
    while (turns) {
      start = at + jf_first_bit(turns);
      turns &= turns - 1;
      if (!turns) {
        is_inside = 1;
        break;
      }
      status |= jf_list_writer_put(to, start, at + jf_first_bit(turns));
      turns &= turns - 1;
    }
  }
  return is_inside && start < size ? status | jf_list_writer_put(to, start, size) : status;
}

JF_ALWAYS int32_t split_words(const jf_text* text, int32_t seek, int32_t pad, jf_object** out) {
  jf_list_writer to;
  if (!jf_list_writer_start(&to, text, count_words(text, seek), pad, seek == JF_SEEK_BYTE_SPACE)) return -1;
  return jf_list_writer_finish(&to, put_words(&to, text, seek), out);
}

/* -- one unit in narrow text -- */

static int32_t split_at_unit(const jf_text* text, unsigned char unit, int32_t is_bytes, int32_t pad, jf_object** out) {
  const unsigned char* s = text->data;
  size_t count = 1, start = 0;
  for (size_t i = 0; i < text->size; i++) count += s[i] == unit;
  jf_list_writer to;
  if (!jf_list_writer_start(&to, text, count, pad, is_bytes)) return -1;
  int32_t status = 0;
  for (size_t at = 0; at < text->size; at += JF_MASK_UNITS) {
    for (uint64_t mask = jf_mask_at(s, at, text->size, JF_SEEK_UNIT, unit); mask; mask &= mask - 1) {
      const size_t end = at + jf_first_bit(mask);
      status |= jf_list_writer_put(&to, start, end);
      start = end + 1;
    }
  }
  return jf_list_writer_finish(&to, status | jf_list_writer_put(&to, start, text->size), out);
}

/* -- wide text: at white space, or at one unit -- */

JF_ALWAYS int32_t parts_at(uint32_t c, int32_t seek, uint32_t unit) {
  return seek == JF_SEEK_SPACE ? jf_is_wide_space(c) : c == unit;
}

JF_ALWAYS size_t count_parts(const jf_text* text, int32_t seek, uint32_t unit) {
  const jf_char32* s = text->data;
  size_t count = seek == JF_SEEK_UNIT;
  uint32_t before = 1; /* a separator */
  for (size_t i = 0; i < text->size; i++) {
    const uint32_t is_sep = parts_at((uint32_t)s[i], seek, unit) != 0;
    count += seek == JF_SEEK_UNIT ? is_sep : before & ~is_sep;
    before = is_sep;
  }
  return count;
}

JF_ALWAYS int32_t split_wide(const jf_text* text, int32_t seek, uint32_t unit, int32_t pad, jf_object** out) {
  const jf_char32* s = text->data;
  const size_t size = text->size;
  jf_list_writer to;
  if (!jf_list_writer_start(&to, text, count_parts(text, seek, unit), pad, 0)) return -1;
  int32_t status = 0;
  for (size_t at = 0; status == 0;) {
    if (seek == JF_SEEK_SPACE) {
      while (at < size && jf_is_wide_space((uint32_t)s[at])) at++;
      if (at == size) break;
    }
    const size_t start = at;
    uint32_t all = 0;
    for (; at < size && !parts_at((uint32_t)s[at], seek, unit); at++) all |= (uint32_t)s[at];
    status = jf_list_writer_put_wide(&to, s + start, at - start, all);
    if (at == size) break;
    at++;
  }
  return jf_list_writer_finish(&to, status, out);
}

static int32_t split_wide_words(const jf_text* text, int32_t pad, jf_object** out) {
  return split_wide(text, JF_SEEK_SPACE, 0, pad, out);
}

static int32_t split_wide_at(const jf_text* text, uint32_t unit, int32_t pad, jf_object** out) {
  return split_wide(text, JF_SEEK_UNIT, unit, pad, out);
}

/* -- all others -- */

static int32_t finish(jf_list* list, int32_t status, jf_object** out) {
  *out = &list->header;
  if (status == 0) return 0;
  jf_object_release(*out);
  *out = NULL;
  return -1;
}

/* Room to begin with, for as many splits at most. */
static size_t few(int64_t most) { return most >= 0 && most < 4 ? (size_t)most + 1 : 0; }

static int32_t split_one_by_one(const jf_text* text, const jf_text* sep, int64_t most, int32_t is_bytes, int32_t pad,
                                jf_object** out) {
  jf_list* list = (jf_list*)jf_list_new(few(most), pad);
  if (!list) return -1;
  jf_split pieces;
  jf_text piece;
  jf_text_split_init(&pieces, text, sep, most);
  int32_t status = 0;
  while (status == 0 && (is_bytes ? jf_bytes_split_next(&pieces, &piece) : jf_text_split_next(&pieces, &piece))) {
    status = jf_list_put_text(list, &piece, is_bytes);
  }
  return finish(list, status, out);
}

static int32_t split(const jf_text* text, const jf_text* sep, int64_t most, int32_t is_bytes, int32_t pad,
                     jf_object** out) {
  *out = NULL;
  if (sep && !sep->size) {
    jf_error_set("ValueError", "empty separator");
    return -1;
  }
  const int32_t is_whole = most < 0 || (uint64_t)most >= text->size;
  if (!is_whole) return split_one_by_one(text, sep, most, is_bytes, pad, out);
  if (!sep && text->wide) return split_wide_words(text, pad, out);
  if (!sep) {
    return is_bytes ? split_words(text, JF_SEEK_BYTE_SPACE, pad, out) : split_words(text, JF_SEEK_SPACE, pad, out);
  }
  const uint32_t unit = jf_unit(sep->data, 0, sep->wide);
  if (sep->size == 1 && text->wide) return split_wide_at(text, unit, pad, out);
  if (sep->size > 1 || unit > 255) return split_one_by_one(text, sep, most, is_bytes, pad, out);
  return split_at_unit(text, (unsigned char)unit, is_bytes, pad, out);
}

/* Borrow; *out is new. ValueError, MemoryError: *out is NULL. */
int32_t jf_text_split(const jf_text* text, const jf_text* sep, int64_t maxsplit, int32_t pad, jf_object** out) {
  return split(text, sep, maxsplit, 0, pad, out);
}
int32_t jf_bytes_split(const jf_text* bytes, const jf_text* sep, int64_t maxsplit, int32_t pad, jf_object** out) {
  return split(bytes, sep, maxsplit, 1, pad, out);
}

/* -- from the end -- */

static int32_t space_at(const jf_text* text, size_t at, int32_t is_bytes) {
  const uint32_t c = jf_unit(text->data, at, text->wide);
  return is_bytes ? jf_is_byte_space(c) : jf_is_wide_space(c);
}

static int32_t put_words_back(jf_list* list, const jf_text* text, int64_t most, int32_t is_bytes) {
  size_t end = text->size;
  for (int32_t status = 0; status == 0; most--) {
    while (end > 0 && space_at(text, end - 1, is_bytes)) end--;
    if (!end) return 0;
    size_t start = end - 1;
    if (most == 0) start = 0; /* all that is left */
    while (start > 0 && !space_at(text, start - 1, is_bytes)) start--;
    const jf_text piece = jf_part(text, start, end);
    status = jf_list_put_text(list, &piece, is_bytes);
    if (status != 0) return status;
    end = start;
  }
  return 0;
}

static int32_t put_pieces_back(jf_list* list, const jf_text* text, const jf_text* sep, int64_t most, int32_t is_bytes) {
  size_t end = text->size;
  for (;; most--) {
    const int64_t found = most == 0 ? -1 : jf_units_rfind(text, 0, end, sep);
    const jf_text piece = jf_part(text, found < 0 ? 0 : (size_t)found + sep->size, end);
    if (jf_list_put_text(list, &piece, is_bytes) != 0) return -1;
    if (found < 0) return 0;
    end = (size_t)found;
  }
}

static int32_t rsplit(const jf_text* text, const jf_text* sep, int64_t most, int32_t is_bytes, int32_t pad,
                      jf_object** out) {
  if (most < 0 && (!sep || sep->size < 2)) return split(text, sep, most, is_bytes, pad, out);
  *out = NULL;
  if (sep && !sep->size) {
    jf_error_set("ValueError", "empty separator");
    return -1;
  }
  if (most < 0) most = INT64_MAX;
  jf_list* list = (jf_list*)jf_list_new(few(most), pad);
  if (!list) return -1;
  const int32_t status =
      sep ? put_pieces_back(list, text, sep, most, is_bytes) : put_words_back(list, text, most, is_bytes);
  jf_list_reverse(&list->header);
  return finish(list, status, out);
}

/* As split. */
int32_t jf_text_rsplit(const jf_text* text, const jf_text* sep, int64_t maxsplit, int32_t pad, jf_object** out) {
  return rsplit(text, sep, maxsplit, 0, pad, out);
}
int32_t jf_bytes_rsplit(const jf_text* bytes, const jf_text* sep, int64_t maxsplit, int32_t pad, jf_object** out) {
  return rsplit(bytes, sep, maxsplit, 1, pad, out);
}
