/* Sorting: sorted(), list.sort(), and what is sorted by keys.
 *
 * Texts of both widths would be compared one character at a time, as CPython compares them: UTF-8 has the same order, and
 * text of one form is sorted the short way, so the wide ones among them are compared as UTF-8. */
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "op_items.h"
#include "op_value.h"
#include "slot.h"

enum { NARROW = 1, WIDE = 2, MOST_BYTES = 256 };

/* Of a text: NARROW or WIDE; 0: it is none. */
static inline int32_t form_of(jf_item item) {
  const int32_t code = *item.code;
  return code == JF_SMALL_STR || code == JF_STR ? NARROW : code == JF_SMALL_UCS4 || code == JF_UCS4 ? WIDE : 0;
}

static int32_t is_mixed(const jf_object* keys) {
  const jf_list* list = (const jf_list*)keys;
  int32_t forms = 0;
  for (size_t i = 0; i < list->size; i++) {
    const int32_t form = form_of(list->items[i]);
    if (!form) return 0;
    forms |= form;
  }
  return forms == (NARROW | WIDE);
}

/* Makes UTF-8 of the wide texts among keys that are mixed; long ones stay. 0, or -1: MemoryError. */
static int32_t to_one_form(jf_object* keys) {
  const jf_list* list = (const jf_list*)keys;
  for (size_t i = 0; i < list->size; i++) {
    if (form_of(list->items[i]) != WIDE) continue;
    char bytes[MOST_BYTES];
    jf_any view, scratch;
    jf_item_view(list->items[i], &view);
    const jf_encoded text = jf_any_text(jf_any_resolve(&view, &scratch));
    if (text.size > MOST_BYTES / 4) continue;
    const jf_char32* data = text.data;
    jf_span span = {bytes, 0};
    for (size_t at = 0; at < text.size; at++)
      span.size += 1 + (data[at] > 0x7F) + (data[at] > 0x7FF) + (data[at] > 0xFFFF);
    jf_ucs4_to_utf8(data, text.size, bytes);
    const jf_view narrow = {JF_STR_VIEW, 0, {.v_uint64 = JF_POINTER_WORD(&span)}};
    if (jf_list_set(keys, (int64_t)i, &narrow) != 0) return -1;
  }
  return 0;
}

/* Borrows both: they are sorted. ValueError where one of them was changed meanwhile, or what a comparison says. */
int32_t jf_op_sort_by(jf_object* list, jf_object* keys, int32_t reverse) {
  if (is_mixed(keys) && to_one_form(keys) != 0) return -1;
  return jf_list_sort_by(list, keys, reverse) == 0 ? 0 : jf_op_failed();
}

/* Borrows. ValueError where it was changed meanwhile, or what a comparison says. */
int32_t jf_op_sort(jf_object* list, int32_t reverse) {
  if (!is_mixed(list)) return jf_list_sort(list, NULL, reverse) == 0 ? 0 : jf_op_failed();
  jf_object* keys = jf_list_slice(list, 0, INT64_MAX, 1);
  const int32_t status = keys ? jf_op_sort_by(list, keys, reverse) : -1;
  jf_object_release(keys);
  return status;
}

/* Borrows; *out is new. TypeError, MemoryError, or what a comparison says: *out is NULL. */
int32_t jf_op_sorted(const jf_any* iterable, int32_t reverse, int32_t pad, jf_object** out) {
  if (jf_op_list(iterable, pad, out) != 0) return -1;
  if (jf_op_sort(*out, reverse) == 0) return 0;
  jf_object_release(*out);
  *out = NULL;
  return -1;
}

/* Borrows the map, whose keys are in one order: *keys and *values are new lists, in the order of the keys. MemoryError: both
 * are NULL. */
int32_t jf_op_map_sorted(jf_object* map, int32_t reverse, int32_t pad, jf_object** keys, jf_object** values) {
  *values = NULL;
  int32_t status = jf_op_map_keys(map, pad, keys);
  if (status == 0) status = jf_op_map_values(map, pad, values);
  const int32_t mixed = status == 0 && is_mixed(*keys);
  if (status == 0) status = jf_op_sort_by(*values, *keys, reverse);
  if (status == 0) {
    if (mixed) jf_items_decode(*keys);
    return 0;
  }
  jf_object_release(*keys);
  jf_object_release(*values);
  *keys = *values = NULL;
  return -1;
}
