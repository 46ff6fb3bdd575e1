/* splitlines, partition, rpartition. */
#include "jitffi/pad.h"
#include "text_masks.h"
#include "text_writer.h"

/* -- lines of narrow text -- */

JF_ALWAYS int32_t split_narrow(const jf_text* text, int32_t keeps, int32_t seek, int32_t pad, jf_object** out) {
  const unsigned char* s = text->data;
  size_t count = 1, start = 0;
  for (size_t at = 0; at < text->size; at += JF_MASK_UNITS) {
    count += jf_count_bits(jf_mask_at(s, at, text->size, seek, 0));
  }
  jf_writer to;
  if (!jf_writer_start(&to, text, count, pad, seek == JF_SEEK_BYTE_LINE)) return -1;
  int32_t status = 0;
  for (size_t at = 0; at < text->size; at += JF_MASK_UNITS) {
    for (uint64_t mask = jf_mask_at(s, at, text->size, seek, 0); mask; mask &= mask - 1) {
      const size_t end = at + jf_first_bit(mask);
      if (end < start) continue; /* the second half of \r\n */
      const size_t next = end + 1 + (s[end] == '\r' && end + 1 < text->size && s[end + 1] == '\n');
      status |= jf_writer_put(&to, start, keeps ? next : end);
      start = next;
    }
  }
  if (start < text->size) status |= jf_writer_put(&to, start, text->size);
  return jf_writer_finish(&to, status, out);
}

static int32_t split_wide(const jf_text* text, int32_t keeps, int32_t pad, jf_object** out) {
  jf_list* list = (jf_list*)jf_list_new(0, pad);
  if (!list) return -1;
  const jf_char32* s = text->data;
  int32_t status = 0;
  for (size_t start = 0, end; start < text->size && status == 0;) {
    end = start;
    while (end < text->size && !jf_is_line_break((uint32_t)s[end])) end++;
    size_t next = end < text->size ? end + 1 : end;
    if (next < text->size && s[end] == '\r' && s[next] == '\n') next++;
    const jf_text line = jf_part(text, start, keeps ? next : end);
    status = jf_list_put_text(list, &line, 0);
    start = next;
  }
  if (status == 0) *out = &list->header;
  if (status != 0) jf_object_release(&list->header);
  return status;
}

/* Borrow; *out is new. MemoryError: *out is NULL. */
int32_t jf_text_splitlines(const jf_text* text, int32_t keepends, int32_t pad, jf_object** out) {
  *out = NULL;
  if (text->wide) return split_wide(text, keepends, pad, out);
  return split_narrow(text, keepends, JF_SEEK_LINE, pad, out);
}
int32_t jf_bytes_splitlines(const jf_text* bytes, int32_t keepends, int32_t pad, jf_object** out) {
  *out = NULL;
  return split_narrow(bytes, keepends, JF_SEEK_BYTE_LINE, pad, out);
}

/* -- three parts -- */

/* A tuple of parts that need not be made narrow: they are read where they lie. */
static int32_t three_narrow(const jf_text parts[3], int32_t is_bytes, jf_object** out) {
  jf_span spans[3];
  jf_view views[3];
  for (int32_t i = 0; i < 3; i++) {
    spans[i] = (jf_span){parts[i].data, parts[i].size};
    views[i] = (jf_view){is_bytes ? JF_BYTE_ARRAY : JF_STR_VIEW, 0, {.v_uint64 = JF_POINTER_WORD(&spans[i])}};
  }
  *out = jf_tuple_new(views, 3);
  return *out ? 0 : -1;
}

/* A tuple of the parts. */
static int32_t three(const jf_text parts[3], int32_t is_bytes, jf_object** out) {
  if (!(parts[0].wide | parts[1].wide | parts[2].wide)) return three_narrow(parts, is_bytes, out);
  jf_pad15 values[3] = {JF_PAD_INIT(15), JF_PAD_INIT(15), JF_PAD_INIT(15)};
  jf_view views[3];
  int32_t status = 0;
  for (int32_t i = 0; i < 3 && status == 0; i++) {
    status = is_bytes ? jf_bytes_to(&parts[i], &values[i].slot) : jf_text_out(&parts[i], &values[i].slot);
    if (status == 0) jf_any_view(&values[i].slot, &views[i]);
  }
  if (status == 0) *out = jf_tuple_new(views, 3);
  for (int32_t i = 0; i < 3; i++) {
    if (values[i].slot.type_code == JF_NULL) jf_out_init(&values[i].slot, 0);
    jf_any_release(&values[i].slot);
  }
  return *out ? 0 : -1;
}

static int32_t partition(const jf_text* text, const jf_text* sep, int32_t from_end, int32_t is_bytes, jf_object** out) {
  *out = NULL;
  if (!sep->size) {
    jf_error_set("ValueError", "empty separator");
    return -1;
  }
  const int64_t found = from_end ? jf_units_rfind(text, 0, text->size, sep) : jf_units_find(text, 0, text->size, sep);
  jf_text parts[3] = {*text, {"", 0, 0}, {"", 0, 0}};
  if (found >= 0) {
    parts[0] = jf_part(text, 0, (size_t)found);
    parts[1] = *sep;
    parts[2] = jf_part(text, (size_t)found + sep->size, text->size);
  } else if (from_end) {
    parts[2] = *text;
    parts[0] = parts[1];
  }
  return three(parts, is_bytes, out);
}

/* Borrow; *out is new. ValueError, MemoryError: *out is NULL. */
int32_t jf_text_partition(const jf_text* text, const jf_text* sep, jf_object** out) {
  return partition(text, sep, 0, 0, out);
}
int32_t jf_text_rpartition(const jf_text* text, const jf_text* sep, jf_object** out) {
  return partition(text, sep, 1, 0, out);
}
int32_t jf_bytes_partition(const jf_text* bytes, const jf_text* sep, jf_object** out) {
  return partition(bytes, sep, 0, 1, out);
}
int32_t jf_bytes_rpartition(const jf_text* bytes, const jf_text* sep, jf_object** out) {
  return partition(bytes, sep, 1, 1, out);
}
