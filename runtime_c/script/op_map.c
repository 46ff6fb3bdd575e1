/* Dictionaries: making them, and their methods. Keys and values that are text of four bytes a character go in narrow
 * where they are ASCII; looking up needs no conversion, equal text has one hash in all its forms. */
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "op_items.h"
#include "op_repr.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

/* -- single keys -- */

const jf_any* jf_op_narrow_key(const jf_any* key, jf_key* narrow) {
  const jf_ucs4_span* span = key->v_ucs4_span;
  uint32_t all = 0;
  if (!span || !span->data || span->size > sizeof narrow->text) return key;
  for (size_t i = 0; i < span->size; i++) {
    all |= (uint32_t)span->data[i];
    narrow->text[i] = (char)span->data[i];
  }
  if (all > 0x7F) return key;
  narrow->span = (jf_span){narrow->text, span->size};
  narrow->view = (jf_any){JF_STR_VIEW, 0, {.v_uint64 = JF_POINTER_WORD(&narrow->span)}};
  return &narrow->view;
}

static int32_t has_hash(const jf_view* keys, size_t count) {
  uint64_t hash;
  for (size_t i = 0; i < (count ? count : 1); i++) {
    if (jf_any_hash(&keys[i], &hash) != 0) return 0;
  }
  return 1;
}

/* From 3.14 on CPython says that a key was to be hashed. What a comparison with a key raises stays as it is, and so does an error
 * that is a subclass of TypeError. */
static int32_t failed_as(const jf_view* keys, size_t count, const char* what) {
  if (JITFFI_SCRIPT_PYTHON < 314 || !jf_op_error_is("TypeError")) return jf_op_failed();
  jf_object* error = jf_error_take();
  const int32_t is_hashed = has_hash(keys, count);
  if (is_hashed || !jf_op_error_is("TypeError")) {
    jf_error_set_object(error);
    return jf_op_failed();
  }
  jf_object_release(error);
  jf_op_failed(); /* of the second attempt */
  error = jf_error_take();
  jf_any scratch;
  const char* const type = count ? "tuple" : jf_op_type_name(jf_any_resolve(keys, &scratch));
  jf_error_format("TypeError", "cannot use '%s' as a %s (%s)", type, what, ((const jf_error*)error)->message->data);
  jf_object_release(error);
  return -1;
}

int32_t jf_op_failed_key(const jf_view* keys, size_t count) { return failed_as(keys, count, "dict key"); }
int32_t jf_op_failed_item(const jf_view* items, size_t count) { return failed_as(items, count, "set element"); }

/* Borrows; *out owns the value. KeyError, TypeError for a key without a hash, MemoryError: *out is null. */
int32_t jf_op_map_item(jf_object* map, const jf_any* key, jf_value* out) {
  jf_key narrow;
  const int32_t found = jf_map_get(map, jf_op_key(key, &narrow), out);
  if (found == 1) return 0;
  jf_set_null(out);
  return found < 0 ? jf_op_failed_key(key, 0) : jf_op_fail_key(key);
}

static __attribute__((noinline)) int32_t set_narrow(jf_object* map, const jf_any* key, const jf_any* value) {
  jf_room key_room, value_room;
  jf_any key_view, value_view;
  const jf_any* written = jf_op_narrow(value, &value_room, &value_view);
  if (!written) return -1;
  const jf_any* put = jf_op_narrow(key, &key_room, &key_view);
  const int32_t status = put ? jf_map_set(map, put, written) : -1;
  if (put == &key_view) jf_any_release(&key_room.slot);
  if (written == &value_view) jf_any_release(&value_room.slot);
  return status == 0 || !put ? status : jf_op_failed_key(key, 0);
}

/* Borrows all. TypeError, MemoryError: nothing has changed. */
int32_t jf_op_map_set(jf_object* map, const jf_any* key, const jf_any* value) {
  if (key->type_code != JF_INT || value->type_code != JF_INT) return set_narrow(map, key, value);
  return jf_map_set(map, key, value) == 0 ? 0 : jf_op_failed_key(key, 0);
}

/* The same of the tuple of `count` keys, which are narrow. */
int32_t jf_op_map_set_views(jf_object* map, const jf_view* keys, size_t count, const jf_any* value) {
  jf_room room;
  jf_any view;
  const jf_any* written = jf_op_narrow(value, &room, &view);
  if (!written) return -1;
  const int32_t status = jf_map_set_views(map, keys, count, written);
  if (written == &view) jf_any_release(&room.slot);
  return status == 0 ? 0 : jf_op_failed_key(keys, count);
}

/* Borrows. KeyError, TypeError: nothing has changed. */
int32_t jf_op_map_delete(jf_object* map, const jf_any* key) {
  jf_key narrow;
  const int32_t found = jf_map_delete(map, jf_op_key(key, &narrow));
  if (found == 1) return 0;
  return found < 0 ? jf_op_failed_key(key, 0) : jf_op_fail_key(key);
}

/* Borrows all; otherwise NULL: None. TypeError, MemoryError: *out is null. */
int32_t jf_op_map_get(jf_object* map, const jf_any* key, const jf_any* otherwise, jf_value* out) {
  jf_key narrow;
  const int32_t capacity = out->small_len, found = jf_map_get(map, jf_op_key(key, &narrow), out);
  if (found == 1) return 0;
  if (found < 0) {
    jf_set_null(out);
    return jf_op_failed_key(key, 0);
  }
  jf_out_init(out, otherwise ? capacity : 0);
  return otherwise ? jf_any_retain(otherwise, out) : 0;
}

/* Borrows all; *out owns the value that is there then. TypeError, MemoryError: nothing has changed. */
int32_t jf_op_map_setdefault(jf_object* map, const jf_any* key, const jf_any* value, jf_value* out) {
  jf_room key_room, value_room;
  jf_any key_view, value_view;
  int32_t status = -1;
  const jf_any* written = jf_op_narrow(value, &value_room, &value_view);
  const jf_any* put = written ? jf_op_narrow(key, &key_room, &key_view) : NULL;
  if (put) status = jf_map_setdefault(map, put, written, out);
  if (put && put == &key_view) jf_any_release(&key_room.slot);
  if (written && written == &value_view) jf_any_release(&value_room.slot);
  if (status == 0) return 0;
  jf_set_null(out);
  return jf_op_failed_key(key, 0);
}

/* Borrows all; *out owns what was there, or `otherwise`; where that is NULL, a missing key is a KeyError. */
int32_t jf_op_map_pop(jf_object* map, const jf_any* key, const jf_any* otherwise, jf_value* out) {
  const int32_t capacity = out->small_len;
  const int32_t found = jf_map_size(map) ? jf_map_pop(map, key, out) : 0; /* of an empty one the key needs no hash */
  if (found == 1) return 0;
  if (found < 0) {
    jf_set_null(out);
    return jf_op_failed_key(key, 0);
  }
  jf_out_init(out, otherwise ? capacity : 0);
  return otherwise ? jf_any_retain(otherwise, out) : jf_op_fail_key(key);
}

/* *out is a new tuple of key and value. KeyError, MemoryError: *out is NULL, nothing has changed. */
int32_t jf_op_map_popitem(jf_object* map, jf_object** out) {
  jf_map_iterator it = {.reversed = 1};
  jf_view views[2];
  *out = NULL;
  if (jf_map_next(map, &it, &views[0], &views[1]) != 1) {
    return JF_FAIL("KeyError", "'popitem(): dictionary is empty'");
  }
  jf_object* pair = jf_tuple_new(views, 2);
  jf_room key, value;
  jf_room_init(&key);
  jf_room_init(&value);
  if (!pair || jf_map_popitem(map, &key.slot, &value.slot) != 0) {
    jf_object_release(pair);
    return -1;
  }
  jf_any_release(&key.slot);
  jf_any_release(&value.slot);
  *out = pair;
  return 0;
}

/* Borrows key: 1: added; 0: nothing done; -1: a key without a hash, MemoryError. */
int32_t jf_op_map_add_int(jf_object* map, const jf_any* key, int64_t number) {
  jf_key narrow;
  const int32_t status = jf_map_add_int(map, jf_op_key(key, &narrow), number);
  return status >= 0 ? status : jf_op_failed_key(key, 0);
}

/* -- lists of what is there -- */

enum { KEYS, VALUES, ITEMS };

static int32_t append_entry(jf_object* list, const jf_view* views, int32_t what) {
  if (what != ITEMS) return jf_list_append(list, &views[what == VALUES]);
  jf_object* pair = jf_tuple_new(views, 2);
  if (!pair) return -1;
  jf_view moved;
  jf_any_rvalue(&pair, &moved);
  const int32_t status = jf_list_append(list, &moved);
  jf_object_release(pair);
  return status;
}

static int32_t list_of(jf_object* map, int32_t pad, int32_t what, jf_object** out) {
  jf_map_iterator it = {0};
  jf_view views[2];
  jf_object* list = jf_list_new(jf_map_size(map), pad);
  int32_t status = list ? 0 : -1;
  while (status == 0 && jf_map_next(map, &it, &views[0], &views[1]) == 1) status = append_entry(list, views, what);
  *out = status == 0 ? list : NULL;
  if (status != 0) jf_object_release(list);
  return status;
}

/* *out is new. MemoryError: *out is NULL. */
int32_t jf_op_map_keys(jf_object* map, int32_t pad, jf_object** out) { return list_of(map, pad, KEYS, out); }
/* *out is new. MemoryError: *out is NULL. */
int32_t jf_op_map_values(jf_object* map, int32_t pad, jf_object** out) { return list_of(map, pad, VALUES, out); }
/* *out is new. MemoryError: *out is NULL. */
int32_t jf_op_map_items(jf_object* map, int32_t pad, jf_object** out) { return list_of(map, pad, ITEMS, out); }

/* *out is new. MemoryError: *out is NULL. */
int32_t jf_op_map_copy(jf_object* map, int32_t pad, jf_object** out) {
  *out = jf_map_new(jf_map_size(map), pad);
  if (!*out) return -1;
  if (jf_map_update(*out, map) == 0) return 0;
  jf_object_release(*out);
  *out = NULL;
  return -1;
}

/* -- from pairs -- */

/* Puts one pair, whatever it is that has two items. `number` is for the message. */
static int32_t put_pair(jf_object* map, const jf_any* pair, size_t number) {
  jf_object* items = NULL;
  if (jf_op_tuple(pair, &items) != 0) {
    if (!jf_op_error_is("TypeError")) return -1;
    if (JITFFI_SCRIPT_PYTHON >= 314) return JF_FAIL("TypeError", "object is not iterable");
    return JF_FAIL("TypeError", "cannot convert dictionary update sequence element #%zu to a sequence", number);
  }
  const size_t size = jf_tuple_size(items);
  int32_t status = -1;
  jf_view key, value;
  if (size != 2) {
    jf_error_format("ValueError", "dictionary update sequence element #%zu has length %zu; 2 is required", number,
                    size);
  } else if (jf_tuple_peek(items, 0, &key) == 0 && jf_tuple_peek(items, 1, &value) == 0) {
    status = jf_op_map_set(map, &key, &value);
  }
  jf_object_release(items);
  return status;
}

static int32_t put_pairs(jf_object* map, const jf_any* pairs) {
  jf_iteration it;
  if (jf_iterate(&it, pairs, JF_OVER_ITEMS) != 0) return -1;
  int32_t status;
  for (size_t number = 0;; number++) {
    jf_room room;
    jf_view pair;
    jf_room_init(&room);
    status = jf_iterate_next(&it, &room.slot);
    if (status != 1) break;
    jf_room_view(&room, &pair);
    status = put_pair(map, &pair, number);
    jf_any_release(&room.slot);
    if (status != 0) break;
  }
  jf_iterate_end(&it);
  return status;
}

/* Borrows; another map, or pairs. TypeError, ValueError, MemoryError: of pairs those before are in the map. */
int32_t jf_op_map_update(jf_object* map, const jf_any* other) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(other, &scratch);
  if (jf_value_kind(slot) != JF_VALUE_MAP) return put_pairs(map, slot);
  return jf_map_update(map, slot->v_object) == 0 ? 0 : jf_op_failed();
}

/* Borrows; *out is new. TypeError, ValueError, MemoryError: *out is NULL. */
int32_t jf_op_dict(const jf_any* mapping_or_pairs, int32_t pad, jf_object** out) {
  *out = jf_map_new(0, pad);
  if (!*out) return -1;
  if (jf_op_map_update(*out, mapping_or_pairs) == 0) return 0;
  jf_object_release(*out);
  *out = NULL;
  return -1;
}
