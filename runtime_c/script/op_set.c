/* Sets: making them, and their methods, which take whatever can be iterated over where the operators take sets alone. */
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "op_items.h"
#include "op_repr.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

/* Borrows both. TypeError, MemoryError: nothing has changed. */
int32_t jf_op_set_add(jf_object* set, const jf_any* item) {
  jf_room room;
  jf_any narrow;
  const jf_any* put = jf_op_narrow(item, &room, &narrow);
  const int32_t status = put ? jf_set_add(set, put) : -1;
  if (put == &narrow) jf_any_release(&room.slot);
  return status >= 0 ? 0 : put ? jf_op_failed_item(item, 0) : -1;
}

/* The same of the tuple of `count` items, which are narrow. */
int32_t jf_op_set_add_views(jf_object* set, const jf_view* items, size_t count) {
  return jf_map_set_views(set, items, count, &jf_static_null) == 0 ? 0 : jf_op_failed_item(items, count);
}

/* 1: it was there; 0; -1. A set, which has no hash, is asked for as a frozenset, and there are none of these. */
static int32_t take(jf_object* set, const jf_any* item) {
  jf_key narrow;
  jf_any scratch;
  if (jf_value_kind(jf_any_resolve(item, &scratch)) == JF_VALUE_SET) return 0;
  const int32_t found = jf_set_discard(set, jf_op_key(item, &narrow));
  return found >= 0 ? found : jf_op_failed_item(item, 0);
}

/* Borrows. TypeError: nothing has changed. */
int32_t jf_op_set_discard(jf_object* set, const jf_any* item) { return take(set, item) >= 0 ? 0 : -1; }

/* Borrows. KeyError, TypeError: nothing has changed. */
int32_t jf_op_set_remove(jf_object* set, const jf_any* item) {
  const int32_t found = take(set, item);
  return found == 0 ? jf_op_fail_key(item) : found > 0 ? 0 : -1;
}

/* *out owns the item. KeyError, MemoryError: it is null, nothing has changed. */
int32_t jf_op_set_pop(jf_object* set, jf_value* out) {
  if (jf_set_size(set)) return jf_set_pop(set, out);
  jf_set_null(out);
  return JF_FAIL("KeyError", "'pop from an empty set'");
}

/* -- with others -- */

/* Does to the set what its methods do with each item that the iterable gives: puts it in, of an intersection where it is in
 * `within`, or takes it out. */
static int32_t with_each(jf_object* set, const jf_any* items, int32_t operation, const jf_object* within) {
  jf_iteration it;
  if (jf_iterate(&it, items, JF_OVER_ITEMS) != 0) return -1;
  int32_t status;
  for (;;) {
    jf_room room;
    jf_view view;
    jf_room_init(&room);
    status = jf_iterate_next(&it, &room.slot);
    if (status != 1) break;
    jf_room_view(&room, &view);
    const int32_t is_in = within ? jf_set_has(within, &view) : 1;
    if (is_in < 0)
      status = jf_op_failed_item(&view, 0);
    else if (operation == JF_SET_DIFFERENCE)
      status = jf_op_set_discard(set, &view);
    else
      status = is_in ? jf_op_set_add(set, &view) : 0;
    jf_any_release(&room.slot);
    if (status != 0) break;
  }
  jf_iterate_end(&it);
  return status;
}

static int32_t is_keys(const jf_any* slot) {
  const int32_t kind = jf_value_kind(slot);
  return kind == JF_VALUE_SET || kind == JF_VALUE_MAP;
}

/* 1: all items of a list or tuple were put in where they lie, numbers and texts, which no code of others compares. 0: there is
 * another, and some are in; -1: MemoryError. */
static int32_t add_plain(jf_object* set, const jf_any* items) {
  const int32_t kind = jf_value_kind(items);
  if (kind != JF_VALUE_LIST && kind != JF_VALUE_TUPLE) return 0;
  const jf_list* list = (const jf_list*)items->v_object;
  size_t at = 0;
  for (; at < list->size; at++) {
    const int32_t code = *list->items[at].code;
    if (code >= 0 && code != JF_STR && code != JF_UCS4) break;
    jf_view view;
    jf_item_view(list->items[at], &view);
    if (jf_set_add(set, &view) < 0) return -1;
  }
  return at == list->size ? 1 : 0;
}

/* New: of what the iterable gives; NULL. */
static jf_object* set_of(const jf_any* items, int32_t pad, const jf_object* within) {
  jf_object* made = jf_set_new(0, pad);
  if (!made) return NULL;
  const int32_t done = within ? 0 : add_plain(made, items);
  if (done > 0 || (done == 0 && with_each(made, items, within ? JF_SET_INTERSECTION : JF_SET_UNION, within) == 0))
    return made;
  jf_object_release(made);
  return NULL;
}

/* Borrows; *out is new. TypeError, MemoryError: *out is NULL. */
int32_t jf_op_set(const jf_any* items, int32_t pad, jf_object** out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(items, &scratch);
  if (jf_value_kind(slot) != JF_VALUE_SET) {
    *out = set_of(slot, pad, NULL);
    return *out ? 0 : -1;
  }
  *out = jf_set_copy(slot->v_object);
  return *out ? 0 : jf_op_failed();
}

/* Borrows both: a set, or a dict's keys, as it is; of others a new set of what they give. NULL. */
static jf_object* as_set(const jf_any* slot) {
  if (!is_keys(slot)) return set_of(slot, -1, NULL);
  jf_object_retain(slot->v_object);
  return slot->v_object;
}

/* Borrows both; in place. TypeError, MemoryError: some items may have come or gone. */
int32_t jf_op_set_change(jf_object* set, const jf_any* other, int32_t operation) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(other, &scratch);
  if (!is_keys(slot) && (operation == JF_SET_UNION || operation == JF_SET_DIFFERENCE)) {
    const int32_t done = operation == JF_SET_UNION ? add_plain(set, slot) : 0;
    return done ? (done > 0 ? 0 : -1) : with_each(set, slot, operation, NULL);
  }
  jf_object* items = operation == JF_SET_INTERSECTION && !is_keys(slot) ? set_of(slot, -1, set) : as_set(slot);
  if (!items) return -1;
  const int32_t status = jf_set_change(set, items, operation);
  jf_object_release(items);
  return status == 0 ? 0 : jf_op_failed();
}

/* Borrows both; *out is new. TypeError, MemoryError: *out is NULL. */
int32_t jf_op_set_combine(const jf_object* set, const jf_any* other, int32_t operation, jf_object** out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(other, &scratch);
  if (is_keys(slot)) {
    *out = jf_set_combine(set, slot->v_object, operation);
    return *out ? 0 : jf_op_failed();
  }
  if (operation == JF_SET_INTERSECTION) {
    *out = set_of(slot, jf_set_pad(set), set);
    return *out ? 0 : -1;
  }
  *out = jf_set_copy(set);
  if (*out && jf_op_set_change(*out, slot, operation) == 0) return 0;
  jf_object_release(*out);
  *out = NULL;
  return -1;
}

/* Borrows both: 1, 0, or -1; `operation` as jf_set_compare has it, or JF_OP_DISJOINT. */
int32_t jf_op_set_compare(const jf_object* set, const jf_any* other, int32_t operation) {
  jf_any scratch;
  jf_object* items = as_set(jf_any_resolve(other, &scratch));
  if (!items) return -1;
  const int32_t told =
      operation == JF_OP_DISJOINT ? jf_set_is_disjoint(set, items) : jf_set_compare(set, items, operation);
  jf_object_release(items);
  return told >= 0 ? told : jf_op_failed();
}
