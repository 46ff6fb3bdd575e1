/* splitlines, partition, rpartition. */
#include "jitffi/containers.h"
#include "jitffi/pad.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/script_methods.h"
#include "text_make.h"
#include "text_masks.h"
#include "text_search.h"
#include "text_units.h"
#include "text_writer.h"

/* -- lines of narrow text -- */

JF_ALWAYS int32_t split_narrow(const jf_text* text, int32_t keeps, int32_t seek, int32_t pad, jf_object** out) {
  const unsigned char* s = text->data;
  size_t count = 1, start = 0;
  for (size_t at = 0; at < text->size; at += JF_MASK_UNITS) {
    count += jf_count_bits(jf_mask_at(s, at, text->size, seek, 0));
  }
  jf_list_writer to;
  if (!jf_list_writer_start(&to, text, count, pad, seek == JF_SEEK_BYTE_LINE)) return -1;
  int32_t status = 0;
  for (size_t at = 0; at < text->size; at += JF_MASK_UNITS) {
    for (uint64_t mask = jf_mask_at(s, at, text->size, seek, 0); mask; mask &= mask - 1) {
      const size_t end = at + jf_first_bit(mask);
      if (end < start) continue; /* the second half of \r\n */
      const size_t next = end + 1 + (s[end] == '\r' && end + 1 < text->size && s[end + 1] == '\n');
      status |= jf_list_writer_put(&to, start, keeps ? next : end);
      start = next;
    }
  }
  if (start < text->size) status |= jf_list_writer_put(&to, start, text->size);
  return jf_list_writer_finish(&to, status, out);
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

/* A part as jf_tuple_of_parts takes it. */
typedef struct {
  jf_any view;
  jf_ucs4_span span; /* of any text */
  jf_pad15 narrowed; /* wide text that is ASCII */
} three_part;

/* The bit of `moved` where the part is a new object; 0; -1 with MemoryError set. */
static int32_t item_of(const jf_text* text, int32_t is_bytes, three_part* to, jf_item* out) {
  const int32_t wide = text->wide && !jf_units_ascii(text->data, 1, text->size);
  const size_t bytes = wide ? text->size * sizeof(jf_char32) : text->size + 1;
  if (bytes > JF_MAX_CAPACITY || (wide && text->size > JF_MAX_CAPACITY)) {
    char* data;
    out->object = jf_str_alloc(is_bytes ? JF_BYTES : wide ? JF_UCS4 : JF_STR, text->size, &data);
    if (!out->object) return -1;
    jf_units_copy(data, wide, text->data, text->wide, text->size);
    if (!wide && !is_bytes) ((jf_str*)out->object)->characters = (int64_t)text->size;
    return 1;
  }
  out->slot = &to->view;
  if (text->wide && !wide) {
    to->narrowed = (jf_pad15)JF_PAD_INIT(15);
    out->slot = &to->narrowed.slot;
    return jf_text_out(text, &to->narrowed.slot); /* it fits */
  }
  to->span = (jf_ucs4_span){text->data, text->size};
  to->view = (jf_any){is_bytes ? JF_BYTE_ARRAY
                      : wide   ? JF_UCS4_VIEW
                               : JF_STR_VIEW,
                      0,
                      {.v_uint64 = JF_POINTER_WORD(&to->span)}};
  return 0;
}

/* A tuple of the parts. */
static int32_t three(const jf_text texts[3], int32_t is_bytes, jf_object** out) {
  three_part parts[3];
  jf_item items[3];
  uint32_t moved = 0;
  int32_t status = 0;
  for (int32_t i = 0; i < 3 && status >= 0; i++) {
    status = item_of(&texts[i], is_bytes, &parts[i], &items[i]);
    if (status > 0) moved |= UINT32_C(1) << i;
  }
  if (status >= 0) *out = jf_tuple_of_parts(items, 3, moved);
  for (; !*out && moved; moved &= moved - 1) jf_object_release(items[__builtin_ctz(moved)].object);
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
