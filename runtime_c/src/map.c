/* Maps and sets: making them, and single keys. map_index.c finds and places keys, map_bulk.c has what works on all of them,
 * set.c what sets do with one another. A set is a map without values, and all of this serves both.
 *
 * A change makes room and the new items first, then commits. What is removed is released last, when the map is whole
 * again: deleters run the user's code, which may use the map.
 */
#include "map.h"
#include "cycles.h"
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "message.h"
#include "object.h"
#include "pool.h"
#include "slot.h"

static const jf_any null_slot = {JF_NULL, 0, {0}};

/* Steals entries, index and pool, which were taken out of a map. */
static void discard(const jf_map* contents) {
  jf_pool pool = contents->pool; /* until the end: items lie in it */
  for (size_t i = 0; i < contents->used; i++) {
    const jf_map_entry* entry = jf_map_at(contents, i);
    if (!entry->key.code) continue;
    const jf_item value = jf_map_value(contents, entry);
    if (*entry->key.code > 0) jf_object_release(entry->key.object);
    if (*value.code > 0) jf_object_release(value.object);
  }
  jf_map_free_memory(contents);
  jf_pool_clear(&pool);
}

/* Steals the map's last reference. */
void jf_map_delete_last(jf_object* object) {
  jf_map* map = (jf_map*)object;
  const int32_t is_nested = jf_links_used(&map->links);
  if (is_nested) {
    jf_cycles_untrack(object);
    map->links = (jf_links){.next = NULL};
    if (!jf_deferred_free_enter(object, &map->links)) return;
  }
  discard(map);
  jf_object_free(object);
  if (is_nested) jf_deferred_free_leave();
}

static jf_object* make(int32_t code, size_t capacity, int32_t pad) {
  jf_map* map = jf_object_new(sizeof *map, code, jf_map_delete_last);
  if (!map) return NULL;
  jf_pool_init(&map->pool, pad);
  if (jf_map_resize(map, capacity) != 0) {
    jf_object_release(&map->header);
    return NULL;
  }
  return &map->header;
}

/* New. NULL with MemoryError set. */
jf_object* jf_map_new(size_t capacity, int32_t pad) { return make(JF_MAP, capacity, pad); }
jf_object* jf_set_new(size_t capacity, int32_t pad) { return make(JF_SET, capacity, pad); }

/* Borrows; never fails. */
size_t jf_map_size(const jf_object* map) { return jf_as_map(map)->size; }
int32_t jf_map_pad(const jf_object* map) { return jf_as_map(map)->pool.pad; }

/* Room for `capacity` keys, where there is not as much already; iterators go on. MemoryError: nothing has changed. */
int32_t jf_map_reserve(jf_object* object, size_t capacity) {
  jf_map* map = jf_as_mutable_map(object);
  if (capacity <= map->size) return 0;
  const size_t holes = map->used - map->size; /* closing them would lead iterators astray */
  if (capacity > SIZE_MAX - holes) capacity = SIZE_MAX - holes;
  return jf_map_resize(map, capacity + holes);
}

static int64_t find(const jf_map* map, const jf_view* view) {
  jf_any scratch;
  jf_map_key key;
  return jf_map_key_of(view, &scratch, &key) == 0 ? jf_map_find(map, &key) : JF_MAP_FAILED;
}

static int32_t outcome_of(int64_t found) { return found >= 0 ? 1 : found == JF_MAP_NOT_FOUND ? 0 : -1; }

/* Borrows; *out owns what it gets. MemoryError for text that *out has no room for. */
int32_t jf_map_get(const jf_object* object, const jf_view* key, jf_value* out) {
  const jf_map* map = jf_as_map(object);
  const int64_t found = find(map, key);
  if (found >= 0) return jf_item_get(map->entries[found].value, out) == 0 ? 1 : -1;
  *out = null_slot;
  return outcome_of(found);
}

/* *out borrows from the map until the map changes. */
int32_t jf_map_peek(const jf_object* object, const jf_view* key, jf_view* out) {
  const jf_map* map = jf_as_map(object);
  const int64_t found = find(map, key);
  if (found >= 0) {
    jf_item_view(map->entries[found].value, out);
  } else {
    *out = null_slot;
  }
  return outcome_of(found);
}

/* *out is the map's own entry, NULL where there is none. */
int32_t jf_map_seek(const jf_object* object, const jf_view* key, jf_map_entry** out) {
  const jf_map* map = jf_as_map(object);
  const int64_t found = find(map, key);
  *out = found >= 0 ? &map->entries[found] : NULL;
  return outcome_of(found);
}

/* As jf_map_find, of the tuple of some views. */
static __attribute__((noinline)) int64_t find_views(const jf_map* map, const jf_view* views, size_t count,
                                                    jf_map_key* key) {
  const int32_t status = jf_map_key_of_views(views, count, key);
  return status < 0 ? JF_MAP_FAILED : status ? JF_MAP_UNTOLD : jf_map_find(map, key);
}

/* *out is the map's own entry, NULL where there is none. */
int32_t jf_map_seek_views(const jf_object* object, const jf_view* views, size_t count, jf_map_entry** out) {
  const jf_map* map = jf_as_map(object);
  jf_map_key key;
  const int64_t found = find_views(map, views, count, &key);
  *out = found >= 0 ? &map->entries[found] : NULL;
  if (found != JF_MAP_UNTOLD) return outcome_of(found);
  jf_object* made = jf_tuple_new(views, count);
  if (!made) return -1;
  const jf_view view = {JF_OBJECT, 0, {.v_uint64 = JF_POINTER_WORD(made)}};
  const int32_t status = jf_map_seek(object, &view, out);
  jf_object_release(made);
  return status;
}

/* Borrows. */
int32_t jf_map_has(const jf_object* object, const jf_view* key) { return outcome_of(find(jf_as_map(object), key)); }

/* -- changes -- */

static int32_t new_item(jf_map* map, const jf_view* view, jf_item* out) {
  return jf_item_fast(&map->pool, view, out) ? 0 : jf_item_new(&map->pool, jf_map_limit(map), view, out);
}

/* An r-value reference gets its object back. */
static void undo_item(jf_map* map, const jf_view* view, jf_item item) {
  if (view->type_code == JF_RVALUE && *item.code > 0 && !*view->v_rvalue) {
    *view->v_rvalue = item.object;
  } else {
    jf_item_free(&map->pool, item);
  }
}

int32_t jf_map_insert(jf_map* map, uint64_t hash, const jf_view* key, const jf_view* value) {
  jf_item key_item, value_item;
  if (map->used == map->capacity && jf_map_make_room(map) != 0) return -1;
  if (new_item(map, key, &key_item) != 0) return -1;
  if (new_item(map, value, &value_item) != 0) {
    undo_item(map, key, key_item);
    return -1;
  }
  jf_map_append(map, hash, key_item, value_item);
  return 0;
}

int32_t jf_map_replace(jf_map* map, size_t number, const jf_view* value) {
  if (jf_is_set(map)) return 0;
  const jf_item old = map->entries[number].value;
  const int32_t code = value->type_code;
  if ((code == JF_INT || code == JF_FLOAT) && *old.code < 0 && !jf_slot_is_shared(old.slot) &&
      !jf_slot_is_shared(value)) {
    *(jf_any*)(uintptr_t)old.slot = *value;
    return 0;
  }
  jf_item item;
  if (new_item(map, value, &item) != 0) return -1;
  map->entries[number].value = item;
  jf_item_stored(&map->header, &map->links, item);
  jf_item_free(&map->pool, old);
  return 0;
}

/* Borrows key and value (r-value references are moved; a key that is there already stays, and so does its reference).
 * TypeError for a key without a hash, MemoryError, or what jf_item_new says: nothing has changed. */
int32_t jf_map_set(jf_object* object, const jf_view* key_view, const jf_view* value) {
  jf_map* map = jf_as_mutable_map(object);
  jf_any scratch;
  jf_map_key key;
  if (jf_map_key_of(key_view, &scratch, &key) != 0) return -1;
  const int64_t found = jf_map_find(map, &key);
  if (found >= 0) return jf_map_replace(map, (size_t)found, value);
  return found == JF_MAP_NOT_FOUND ? jf_map_insert(map, key.hash, key_view, value) : -1;
}

/* Borrows, as jf_map_set; and fails so. */
int32_t jf_set_add(jf_object* object, const jf_view* view) {
  jf_map* map = jf_as_mutable_map(object);
  jf_any scratch;
  jf_map_key key;
  const int64_t found = jf_map_key_of(view, &scratch, &key) == 0 ? jf_map_find(map, &key) : JF_MAP_FAILED;
  if (found != JF_MAP_NOT_FOUND) return found >= 0 ? 0 : -1;
  return jf_map_insert(map, key.hash, view, &null_slot) == 0 ? 1 : -1;
}

/* The same of the tuple of some views, which are borrowed. */
int32_t jf_map_set_views(jf_object* object, const jf_view* views, size_t count, const jf_view* value) {
  jf_map* map = jf_as_mutable_map(object);
  jf_map_key key;
  const int64_t found = find_views(map, views, count, &key);
  if (found >= 0) return jf_map_replace(map, (size_t)found, value);
  if (found == JF_MAP_FAILED) return -1;
  jf_object* made = jf_tuple_of_views(views, count);
  if (!made) return -1;
  const jf_view moved = {JF_RVALUE, 0, {.v_uint64 = JF_POINTER_WORD(&made)}};
  const int32_t status =
      found == JF_MAP_UNTOLD ? jf_map_set(object, &moved, value) : jf_map_insert(map, key.hash, &moved, value);
  jf_object_release(made); /* NULL once it is in the map */
  return status;
}

/* -- counting -- */

enum { COUNT_OTHER, COUNT_DONE, COUNT_MISSING };

/* The value of an entry and `more`. */
static int32_t add_to(jf_map* map, int64_t found, int64_t more) {
  const jf_item item = map->entries[found].value;
  jf_any sum = {JF_INT, 0, {0}};
  if (*item.code != JF_INT || __builtin_add_overflow(item.slot->v_int64, more, &sum.v_int64)) return COUNT_OTHER;
  return jf_map_replace(map, (size_t)found, &sum) == 0 ? COUNT_DONE : -1;
}

/* Wide text that is ASCII: whoever puts it into a container makes it narrow. */
static int32_t is_to_narrow(const jf_view* view) {
  if (view->type_code != JF_UCS4_VIEW || !view->v_ucs4_span || !view->v_ucs4_span->data) return 0;
  uint32_t all = 0;
  for (size_t i = 0; i < view->v_ucs4_span->size && all < 128; i++) all |= (uint32_t)view->v_ucs4_span->data[i];
  return all < 128;
}

/* The value of a key is `more` than it was, or `first`, by one look-up: 1. Else nothing was done: 0: the value is no int, or the
 * sum is none, or comparing keys may run code of others; 2: the key is not there, and its text is to be narrow; -1 with the
 * error set. */
int32_t jf_map_count(jf_object* object, const jf_view* view, int64_t first, int64_t more) {
  jf_map* map = jf_as_mutable_map(object);
  jf_any scratch;
  jf_map_key key;
  const int64_t found = jf_map_key_of(view, &scratch, &key) == 0 ? jf_map_find(map, &key) : JF_MAP_FAILED;
  if (found >= 0) return add_to(map, found, more);
  if (found == JF_MAP_FAILED) return -1;
  if (is_to_narrow(view)) return COUNT_MISSING;
  const jf_any number = {JF_INT, 0, {.v_int64 = first}};
  return jf_map_insert(map, key.hash, view, &number) == 0 ? COUNT_DONE : -1;
}

/* The same of the tuple of some views. */
int32_t jf_map_count_views(jf_object* object, const jf_view* views, size_t count, int64_t first, int64_t more) {
  jf_map* map = jf_as_mutable_map(object);
  jf_map_key key;
  const int64_t found = find_views(map, views, count, &key);
  if (found >= 0) return add_to(map, found, more);
  if (found == JF_MAP_FAILED) return -1;
  if (found == JF_MAP_UNTOLD) return COUNT_OTHER;
  for (size_t i = 0; i < count; i++) {
    if (is_to_narrow(&views[i])) return COUNT_MISSING;
  }
  const jf_any number = {JF_INT, 0, {.v_int64 = first}};
  jf_object* made = jf_tuple_of_views(views, count);
  if (!made) return -1;
  const jf_view moved = {JF_RVALUE, 0, {.v_uint64 = JF_POINTER_WORD(&made)}};
  const int32_t status = jf_map_insert(map, key.hash, &moved, &number);
  jf_object_release(made); /* NULL once it is in the map */
  return status == 0 ? COUNT_DONE : -1;
}

/* map[key] += number, where the value is an int and the sum fits: 1. 0: nothing was done; -1: a key without a hash, or
 * MemoryError. */
int32_t jf_map_add_int(jf_object* object, const jf_view* key, int64_t number) {
  jf_map* map = jf_as_mutable_map(object);
  const int64_t found = find(map, key);
  if (found < 0) return outcome_of(found);
  const jf_item item = map->entries[found].value;
  jf_any sum = {JF_INT, 0, {0}};
  if (*item.code != JF_INT || __builtin_add_overflow(item.slot->v_int64, number, &sum.v_int64)) return 0;
  return jf_map_replace(map, (size_t)found, &sum) == 0 ? 1 : -1;
}

/* As jf_map_set; *out owns the value that is in the map then. */
int32_t jf_map_setdefault(jf_object* object, const jf_view* key_view, const jf_view* value, jf_value* out) {
  jf_map* map = jf_as_mutable_map(object);
  jf_any scratch;
  jf_map_key key;
  const int64_t found = jf_map_key_of(key_view, &scratch, &key) == 0 ? jf_map_find(map, &key) : JF_MAP_FAILED;
  if (found >= 0) return jf_item_get(map->entries[found].value, out);
  if (found == JF_MAP_FAILED) {
    *out = null_slot;
    return -1;
  }
  /* First what can fail without the map: the result. It gets the reference that an r-value gives. */
  if (jf_any_retain(value, out) != 0) return -1;
  const int32_t moved = value->type_code == JF_RVALUE;
  jf_view kept;
  jf_any_view(out, &kept);
  if (jf_map_insert(map, key.hash, key_view, moved ? &kept : value) == 0) return 0;
  jf_object* given_back = moved ? jf_any_object(out) : NULL;
  if (given_back) {
    *value->v_rvalue = given_back;
    *out = null_slot;
  }
  jf_any_release(out);
  return -1;
}

/* Borrows key. */
int32_t jf_map_delete(jf_object* object, const jf_view* key) {
  jf_map* map = jf_as_mutable_map(object);
  const int64_t found = find(map, key);
  if (found >= 0) jf_map_free_entry(map, jf_map_take(map, (size_t)found));
  return outcome_of(found);
}

/* Borrows key; *out owns what was in the map. -1 for a key without a hash, or MemoryError: *out is null, nothing has
 * changed. */
int32_t jf_map_pop(jf_object* object, const jf_view* key, jf_value* out) {
  jf_map* map = jf_as_mutable_map(object);
  const int64_t found = find(map, key);
  if (found < 0) {
    *out = null_slot;
    return outcome_of(found);
  }
  if (jf_item_get(map->entries[found].value, out) != 0) return -1;
  jf_map_free_entry(map, jf_map_take(map, (size_t)found));
  return 1;
}

/* *key and *value own what was in the map. KeyError, MemoryError: both are null, nothing has changed. */
int32_t jf_map_popitem(jf_object* object, jf_value* key, jf_value* value) {
  jf_map* map = jf_as_mutable_map(object);
  if (!map->size) {
    *key = *value = null_slot;
    jf_error_set("KeyError", "popitem(): map is empty");
    return -1;
  }
  const jf_map_entry* last = &map->entries[map->used - 1];
  if (jf_item_get(last->key, key) != 0) {
    *value = null_slot;
    return -1;
  }
  if (jf_item_get(last->value, value) != 0) {
    jf_any_release(key);
    return -1;
  }
  jf_map_free_entry(map, jf_map_take(map, map->used - 1));
  return 0;
}

/* *out owns what was in the set. KeyError, MemoryError: it is null, nothing has changed. */
int32_t jf_set_pop(jf_object* object, jf_value* out) {
  jf_map* map = jf_as_mutable_map(object);
  *out = null_slot;
  if (!map->size) return jf_error_set("KeyError", "pop from an empty set"), -1;
  if (jf_item_get(jf_map_at(map, map->used - 1)->key, out) != 0) return -1;
  jf_map_free_entry(map, jf_map_take(map, map->used - 1));
  return 0;
}

/* Never fails; all memory is given back. */
void jf_map_clear(jf_object* object) {
  jf_map* map = jf_as_mutable_map(object);
  const jf_map contents = *map;
  map->entries = NULL;
  map->index = NULL;
  map->size = map->used = map->capacity = map->index_mask = 0;
  if (contents.size) map->version++;
  jf_pool_init(&map->pool, contents.pool.pad);
  discard(&contents);
}

/* -- in order -- */

/* The size when the iteration began, as far as it fits; never 0. */
static int32_t started_at(const jf_map* map) { return (int32_t)(map->size & 0x3FFFFFFF) | 0x40000000; }

static JF_COLD int32_t fail_changed(const jf_map* map, const jf_map_iterator* iterator) {
  jf_error_format(
      "RuntimeError",
      iterator->started == started_at(map) ? "%s keys changed during iteration" : "%s changed size during iteration",
      jf_type_key(map->header.type_code));
  return -1;
}

/* The views borrow from the map until it changes. -1 (RuntimeError), 0 (the end, for good) and null views. */
int32_t jf_map_next(const jf_object* object, jf_map_iterator* iterator, jf_view* key, jf_view* value) {
  const jf_map* map = jf_as_map(object);
  if (key) *key = null_slot;
  if (value) *value = null_slot;
  if (!iterator->started) {
    iterator->started = started_at(map);
    iterator->version = map->version;
    iterator->next = 0;
  }
  if (iterator->next == SIZE_MAX) return 0;
  if (iterator->version != map->version) return fail_changed(map, iterator);
  while (iterator->next < map->used) {
    const size_t number = iterator->next++;
    const jf_map_entry* entry = jf_map_at(map, iterator->reversed ? map->used - 1 - number : number);
    if (!entry->key.code) continue;
    if (key) jf_item_view(entry->key, key);
    if (value) jf_item_view(jf_map_value(map, entry), value);
    return 1;
  }
  iterator->next = SIZE_MAX;
  return 0;
}
