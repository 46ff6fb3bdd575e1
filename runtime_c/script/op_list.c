/* Lists from whatever can be iterated over, and the methods of list and tuple. */
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "macros.h"
#include "op_items.h"
#include "op_repr.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

const jf_any* jf_op_narrow(const jf_any* view, jf_room* room, jf_any* narrow) {
  if (view->type_code != JF_UCS4_VIEW || !view->v_ucs4_span) return view;
  const jf_ucs4_span* span = view->v_ucs4_span;
  const jf_text text = {span->data, span->size, 1};
  jf_room_init(room);
  if (jf_text_out(&text, &room->slot) != 0) return NULL;
  jf_room_view(room, narrow);
  return narrow;
}

/* -- filling -- */

static int32_t append_each(jf_object* list, const jf_any* iterable) {
  jf_iteration it;
  if (jf_iterate(&it, iterable, JF_OVER_ITEMS) != 0) return -1;
  int32_t status;
  for (;;) {
    jf_room room;
    jf_view view;
    jf_room_init(&room);
    status = jf_iterate_next(&it, &room.slot);
    if (status != 1) break;
    jf_room_view(&room, &view);
    status = jf_list_append(list, &view);
    jf_any_release(&room.slot);
    if (status != 0) break;
  }
  jf_iterate_end(&it);
  return status;
}

int32_t jf_op_append_all(jf_object* list, const jf_any* iterable) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(iterable, &scratch);
  const int32_t kind = jf_value_kind(slot);
  if (kind == JF_VALUE_LIST || kind == JF_VALUE_TUPLE) return jf_list_extend(list, slot->v_object);
  return append_each(list, slot);
}

/* Borrows. TypeError, MemoryError, or what the iteration says: what came before is in the list. */
int32_t jf_op_extend(jf_object* list, const jf_any* iterable) { return jf_op_append_all(list, iterable); }

static int32_t new_list(const jf_any* iterable, int32_t pad, jf_object** out) {
  jf_object* made = jf_list_new(0, pad);
  *out = NULL;
  if (!made) return -1;
  if (jf_op_append_all(made, iterable) != 0) {
    jf_object_release(made);
    return -1;
  }
  *out = made;
  return 0;
}

/* Always -1. `got` is 0 where CPython does not say it: from what is no list, tuple or dict. */
int32_t jf_script_too_many(int64_t expected, int64_t got) {
  if (JITFFI_SCRIPT_PYTHON < 314 || got == 0) {
    return JF_FAIL("ValueError", "too many values to unpack (expected %lld)", (long long)expected);
  }
  return JF_FAIL("ValueError", "too many values to unpack (expected %lld, got %lld)", (long long)expected,
                 (long long)got);
}

/* Borrows; *out is a list or tuple, new or the value itself. TypeError for what cannot be iterated over, ValueError for
 * another number of items: *out is NULL. */
int32_t jf_op_unpack(const jf_any* value, int64_t count, int32_t or_more, int32_t pad, jf_object** out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const int32_t kind = jf_value_kind(slot);
  *out = NULL;
  /* What is read alike need not be copied: whoever unpacks takes all items before anything else runs. */
  const int32_t code = slot->type_code == JF_OBJECT ? slot->v_object->type_code : JF_NULL;
  if (!or_more && (code == JF_LIST || code == JF_TUPLE) && ((const jf_list*)slot->v_object)->size == (uint64_t)count) {
    jf_object_retain(slot->v_object);
    *out = slot->v_object;
    return 0;
  }
  if (kind == JF_VALUE_NUMBER || kind == JF_VALUE_NULL || (kind == JF_VALUE_PLAIN) ||
      (kind == JF_VALUE_OBJECT && slot->type_code == JF_FUNCTION)) {
    return JF_FAIL("TypeError", "cannot unpack non-iterable %s object", jf_op_type_name(slot));
  }
  if (new_list(slot, pad, out) != 0) return -1;
  const int64_t got = (int64_t)jf_list_size(*out);
  if (got == count || (or_more && got > count)) return 0;
  if (got > count) {
    const int32_t is_counted = kind == JF_VALUE_LIST || kind == JF_VALUE_TUPLE || kind == JF_VALUE_MAP;
    jf_script_too_many(count, is_counted ? got : 0);
  } else {
    jf_error_format("ValueError", "not enough values to unpack (expected %s%lld, got %lld)", or_more ? "at least " : "",
                    (long long)count, (long long)got);
  }
  jf_object_release(*out);
  *out = NULL;
  return -1;
}

/* Borrows; *out is new. TypeError, MemoryError: *out is NULL. */
int32_t jf_op_list(const jf_any* iterable, int32_t pad, jf_object** out) { return new_list(iterable, pad, out); }

/* Borrows; *out is new. TypeError, MemoryError: *out is NULL. */
int32_t jf_op_tuple(const jf_any* iterable, jf_object** out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(iterable, &scratch);
  const int32_t kind = jf_value_kind(slot);
  jf_object* items = NULL;
  *out = NULL;
  if (kind == JF_VALUE_LIST || kind == JF_VALUE_TUPLE) {
    *out = jf_tuple_of(slot->v_object);
  } else if (new_list(slot, JF_MAX_PAD, &items) == 0) {
    *out = jf_tuple_of(items);
    jf_object_release(items);
  }
  return *out ? 0 : -1;
}

/* -- methods -- */

/* *out owns the item. IndexError, MemoryError: *out is null. */
int32_t jf_op_list_pop(jf_object* list, int64_t index, jf_value* out) { return jf_list_pop(list, index, out); }

/* Borrows. ValueError, or what a comparison says. */
int32_t jf_op_list_remove(jf_object* list, const jf_any* value) {
  return jf_list_remove(list, value) == 0 ? 0 : jf_op_failed();
}

static JF_COLD int32_t fail_missing(const jf_object* items, const jf_any* value) {
  if (jf_type_is_a(items->type_code, JF_TUPLE)) return JF_FAIL("ValueError", "tuple.index(x): x not in tuple");
  if (JITFFI_SCRIPT_PYTHON >= 314) return JF_FAIL("ValueError", "list.index(x): x not in list");
  char* text = jf_op_repr_text(value, 0);
  if (!text) return -1;
  jf_error_format("ValueError", "%s is not in list", text);
  jf_free(text);
  return -1;
}

/* Borrows both; items is a list or a tuple. ValueError, or what a comparison says. */
int32_t jf_op_list_index(jf_object* items, const jf_any* value, int64_t start, int64_t end, int64_t* out) {
  *out = jf_items_find(items, value, start, end);
  if (*out >= 0) return 0;
  const int32_t failed = *out == -2;
  *out = 0;
  return failed ? jf_op_failed() : fail_missing(items, value);
}

/* Borrows both; items is a list or a tuple. */
int32_t jf_op_list_count(jf_object* items, const jf_any* value, int64_t* out) {
  *out = jf_items_count(items, value);
  if (*out >= 0) return 0;
  *out = 0;
  return jf_op_failed();
}

/* Borrows; *out is new. MemoryError: *out is NULL. */
int32_t jf_op_list_copy(jf_object* list, int32_t pad, jf_object** out) {
  *out = jf_list_new(0, pad);
  if (!*out) return -1;
  if (jf_list_extend(*out, list) == 0) return 0;
  jf_object_release(*out);
  *out = NULL;
  return -1;
}
