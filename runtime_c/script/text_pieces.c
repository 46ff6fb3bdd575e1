/* The pieces of a text one after the other, without a list. */
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "text_masks.h"
#include "text_search.h"
#include "text_units.h"

/* Borrows both texts, as long as *split is used. ValueError for an empty separator. */
int32_t jf_text_split_init(jf_split* split, const jf_text* text, const jf_text* separator, int64_t most) {
  *split = (jf_split){*text, {NULL, 0, 0}, 0, most};
  if (!separator) return 0;
  if (!separator->size) {
    split->at = -1;
    jf_error_set("ValueError", "empty separator");
    return -1;
  }
  split->separator = *separator;
  return 0;
}

/* Where the next white space is, from `at` on. */
JF_ALWAYS size_t word_end(const void* data, size_t at, size_t size, int32_t kind) {
  const int32_t seek = kind == JF_BYTE_TEXT ? JF_SEEK_BYTE_SPACE : JF_SEEK_SPACE;
  for (; kind != JF_WIDE_TEXT && size - at >= 16; at += 16) {
    const uint64_t spaces = jf_mask_16((jf_bytes_at)data + at, seek, 0);
    if (spaces) return at + jf_first_bit(spaces);
  }
  while (at < size && !jf_space_in(kind, jf_unit(data, at, kind == JF_WIDE_TEXT))) at++;
  return at;
}

JF_ALWAYS int32_t next_word(jf_split* split, int32_t kind, jf_text* piece) {
  const void* data = split->text.data;
  const size_t size = split->text.size;
  size_t at = (size_t)split->at;
  while (at < size && jf_space_in(kind, jf_unit(data, at, kind == JF_WIDE_TEXT))) at++;
  if (at == size) {
    split->at = (int64_t)size;
    return 0;
  }
  /* When no more splits are allowed: all that is left, the white space at its end, too. */
  const size_t end = split->left == 0 ? size : word_end(data, at + 1, size, kind);
  split->left -= split->left != 0;
  split->at = (int64_t)end;
  *piece = jf_part(&split->text, at, end);
  return 1;
}

static int32_t next_piece(jf_split* split, jf_text* piece) {
  const size_t size = split->text.size, start = (size_t)split->at;
  int64_t found = -1;
  if (split->left != 0) {
    split->left--;
    found = jf_units_find(&split->text, start, size, &split->separator);
  }
  const size_t end = found < 0 ? size : (size_t)found;
  split->at = found < 0 ? -1 : found + (int64_t)split->separator.size;
  *piece = jf_part(&split->text, start, end);
  return 1;
}

/* *piece borrows from the bytes. Never fails. */
int32_t jf_bytes_split_next(jf_split* split, jf_text* piece) {
  if (split->at < 0) return 0;
  return split->separator.data ? next_piece(split, piece) : next_word(split, JF_BYTE_TEXT, piece);
}

/* *piece borrows from the text. Never fails. */
int32_t jf_text_split_next(jf_split* split, jf_text* piece) {
  if (split->at < 0) return 0;
  if (split->separator.data) return next_piece(split, piece);
  return split->text.wide ? next_word(split, JF_WIDE_TEXT, piece) : next_word(split, JF_ASCII_TEXT, piece);
}
