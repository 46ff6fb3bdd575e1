/* Whole maps and sets: copies, updates, and lists of what is in them. */
#include "cycles.h"
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "map.h"
#include "message.h"
#include "pool.h"

/* What an entry of one map puts into another one as its value. */
static jf_item value_for(const jf_map* to, const jf_map* from, const jf_map_entry* entry) {
  return jf_map_value(jf_is_set(to) ? to : from, entry);
}

/* Appends copies of all entries to a new map that has room for them. */
static int32_t copy_entries(jf_map* to, const jf_map* from) {
  for (size_t i = 0; i < from->used; i++) {
    const jf_map_entry* entry = jf_map_at(from, i);
    jf_item key, value;
    if (!entry->key.code) continue;
    if (jf_item_copy(&to->pool, jf_map_limit(to), entry->key, &key) != 0) return -1;
    if (jf_item_copy(&to->pool, jf_map_limit(to), value_for(to, from, entry), &value) != 0) {
      jf_item_free(&to->pool, key);
      return -1;
    }
    jf_map_append(to, entry->hash, key, value);
  }
  return 0;
}

/* New. NULL with MemoryError set. No key is compared or hashed. */
jf_object* jf_map_copy(const jf_object* object) {
  const jf_map* map = jf_as_map(object);
  jf_object* copy = (jf_is_set(map) ? jf_set_new : jf_map_new)(map->size, map->pool.pad);
  if (copy && copy_entries((jf_map*)copy, map) != 0) {
    jf_object_release(copy);
    return NULL;
  }
  return copy;
}

/* Steals and replaces the reference in *map, unless it is the only one. MemoryError: *map stays as it was. */
int32_t jf_map_unshare(jf_object** map) {
  if ((*map)->deleter && __atomic_load_n(&(*map)->ref_count, __ATOMIC_ACQUIRE) == 1) return 0;
  jf_object* copy = jf_map_copy(*map);
  if (!copy) return -1;
  jf_object_release(*map);
  *map = copy;
  return 0;
}

/* -- update -- */

/* What is to become of one entry of the other map. */
typedef struct {
  int64_t found; /* the entry of this map that has the key, or JF_MAP_NOT_FOUND */
  jf_item key;   /* NULL: not made, or given to the map */
  jf_item value;
} change;

static JF_COLD int32_t fail_update(const jf_map* map) {
  jf_error_format("RuntimeError", "%s changed during update", jf_type_key(map->header.type_code));
  return -1;
}

/* Looks all keys up, which can run code of others. */
static int32_t plan(const jf_map* map, const jf_map* other, change* changes, size_t* additions) {
  const uint64_t version = map->version, other_version = other->version;
  size_t count = 0;
  *additions = 0;
  for (size_t i = 0; i < other->used; i++) {
    const jf_map_entry* entry = jf_map_at(other, i);
    if (!entry->key.code) continue;
    const uint64_t hash = entry->hash;
    jf_held key;
    jf_hold(entry->key, &key);
    const int64_t found = jf_map_find_slot(map, &key.slot, hash);
    jf_unhold(&key);
    if (found == JF_MAP_FAILED) return -1;
    if (map->version != version || other->version != other_version) return fail_update(map);
    *additions += found == JF_MAP_NOT_FOUND;
    changes[count++] = (change){found, {NULL}, {NULL}};
  }
  return 0;
}

static int32_t make_items(jf_map* map, const jf_map* other, change* changes) {
  for (size_t i = 0, n = 0; i < other->used; i++) {
    const jf_map_entry* entry = jf_map_at(other, i);
    if (!entry->key.code) continue;
    change* c = &changes[n++];
    jf_item item;
    if (c->found == JF_MAP_NOT_FOUND) {
      if (jf_item_copy(&map->pool, jf_map_limit(map), entry->key, &item) != 0) return -1;
      c->key = item;
    }
    if (jf_item_copy(&map->pool, jf_map_limit(map), value_for(map, other, entry), &item) != 0) return -1;
    c->value = item;
  }
  return 0;
}

/* Puts what was made into the map; what was replaced takes its place among the changes. Never fails. */
static void commit(jf_map* map, const jf_map* other, change* changes) {
  for (size_t i = 0, n = 0; i < other->used; i++) {
    const jf_map_entry* entry = jf_map_at(other, i);
    if (!entry->key.code) continue;
    change* c = &changes[n++];
    if (c->found == JF_MAP_NOT_FOUND) {
      jf_map_append(map, entry->hash, c->key, c->value);
      c->key.code = c->value.code = NULL;
    } else if (!jf_is_set(map)) {
      const jf_item old = map->entries[c->found].value;
      map->entries[c->found].value = c->value;
      jf_item_stored(&map->header, &map->links, c->value);
      c->value = old;
    }
  }
}

/* First slots, then objects, whose deleters may use the map. */
static void free_changes(jf_map* map, change* changes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    jf_item* items[2] = {&changes[i].key, &changes[i].value};
    for (int32_t k = 0; k < 2; k++) {
      if (!items[k]->code || *items[k]->code > 0) continue;
      jf_item_free(&map->pool, *items[k]);
      items[k]->code = NULL;
    }
  }
  for (size_t i = 0; i < count; i++) {
    if (changes[i].key.code) jf_object_release(changes[i].key.object);
    if (changes[i].value.code) jf_object_release(changes[i].value.object);
  }
}

/* Into a map of no keys, so that none is compared. */
static int32_t fill(jf_map* map, const jf_map* other) {
  if (jf_map_resize(map, other->size) == 0 && copy_entries(map, other) == 0) return 0;
  jf_map_clear(&map->header);
  return -1;
}

int32_t jf_map_change(jf_map* map, const jf_map* other, int32_t adds, int32_t removes) {
  const uint64_t version = other->version;
  int32_t status = 0;
  jf_object_retain((jf_object*)(uintptr_t)&other->header);
  for (size_t i = 0; status == 0 && i < other->used; i++) {
    const jf_map_entry* entry = jf_map_at(other, i);
    if (!entry->key.code) continue;
    const uint64_t hash = entry->hash;
    jf_held key, value;
    jf_hold(entry->key, &key);
    jf_hold(value_for(map, other, entry), &value);
    const int64_t found = jf_map_find_slot(map, &key.slot, hash);
    if (found >= 0 && removes) {
      jf_map_free_entry(map, jf_map_take(map, (size_t)found));
    } else if (found >= 0) {
      status = jf_map_replace(map, (size_t)found, &value.slot);
    } else if (found == JF_MAP_FAILED) {
      status = -1;
    } else if (adds) {
      status = jf_map_insert(map, hash, &key.slot, &value.slot);
    }
    jf_unhold(&key);
    jf_unhold(&value);
    if (status == 0 && other->version != version) status = fail_update(other);
  }
  jf_object_release((jf_object*)(uintptr_t)&other->header);
  return status;
}

/* Borrows both. MemoryError: nothing has changed by the update. What comparing keys says, or RuntimeError when that changed the
 * other map: some of them may have been put in, as in Python. */
int32_t jf_map_update(jf_object* object, const jf_object* other_object) {
  jf_map* map = jf_as_mutable_map(object);
  const jf_map* other = jf_as_map(other_object);
  const size_t count = other->size;
  size_t additions;
  if (map == other || !count) return 0;
  if (!map->size) return fill(map, other);
  if (jf_is_set(map) || jf_links_used(&map->links) || jf_links_used(&other->links))
    return jf_map_change(map, other, 1, 0);
  change* changes = count <= PTRDIFF_MAX / sizeof *changes ? jf_alloc(count * sizeof *changes) : NULL;
  if (!changes) {
    jf_error_no_memory();
    return -1;
  }
  int32_t status = plan(map, other, changes, &additions);
  if (status == 0) {
    const size_t needed = map->used + additions; /* numbers of entries were looked up: holes stay open */
    status = needed > map->capacity ? jf_map_resize(map, needed + map->used / 2) : 0;
    if (status == 0) status = make_items(map, other, changes);
    if (status == 0) commit(map, other, changes);
    free_changes(map, changes, count);
  }
  jf_free(changes);
  return status;
}

/* -- lists -- */

enum { KEYS, VALUES, ITEMS };

static int32_t append_all(jf_object* list, const jf_map* map, int32_t what) {
  assert(what != ITEMS || !jf_is_set(map));
  if (what == ITEMS) return jf_list_append_pairs((jf_list*)list, map->entries, map->used);
  for (size_t i = 0; i < map->used; i++) {
    const jf_map_entry* entry = jf_map_at(map, i);
    jf_view view;
    if (!entry->key.code) continue;
    jf_item_view(what == KEYS ? entry->key : jf_map_value(map, entry), &view);
    if (jf_list_append(list, &view) != 0) return -1;
  }
  return 0;
}

static jf_object* list_of(const jf_map* map, int32_t what) {
  jf_object* list = jf_list_new(map->size, map->pool.pad);
  if (!list || append_all(list, map, what) == 0) return list;
  jf_object_release(list);
  return NULL;
}

/* New. NULL with MemoryError set. */
jf_object* jf_map_keys(const jf_object* map) { return list_of(jf_as_map(map), KEYS); }
jf_object* jf_map_values(const jf_object* map) { return list_of(jf_as_map(map), VALUES); }
jf_object* jf_map_items(const jf_object* map) { return list_of(jf_as_map(map), ITEMS); }

/* Appends a tuple for each key. MemoryError: as many as there was memory for. */
int32_t jf_map_items_to(const jf_object* object, jf_object* list) {
  const jf_map* map = jf_as_map(object);
  if (jf_list_make_room((jf_list*)list, map->size) != 0) return -1;
  return append_all(list, map, ITEMS);
}
