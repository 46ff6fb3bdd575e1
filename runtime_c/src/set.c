/* Sets, and what they do with one another: combined, changed by one another, compared. The other one may be a map, whose keys
 * are meant. What one set alone does is the map's (map.c).
 *
 * Comparing keys can run code of others, which may change either: keys are held meanwhile, and what changes the one that is
 * gone through is a RuntimeError.
 */
#include <stddef.h>
#include <string.h>

#include "cycles.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "map.h"
#include "message.h"

static JF_COLD int32_t fail_changed(const jf_map* map) {
  jf_error_format("RuntimeError", "%s changed size during iteration", jf_type_key(map->header.type_code));
  return -1;
}

/* Goes through the keys that the other one has, or has not (`wanted` 0): appends them to a new set, or says, where `to` is NULL,
 * whether there are only such: 1, 0, or -1 with the error set. */
static int32_t sift(const jf_map* map, const jf_map* other, int32_t wanted, jf_map* to) {
  const uint64_t version = map->version;
  int32_t status = 1;
  jf_object_retain((jf_object*)(uintptr_t)&map->header);
  for (size_t i = 0; status == 1 && i < map->used; i++) {
    const jf_map_entry* entry = jf_map_at(map, i);
    if (!entry->key.code) continue;
    const uint64_t hash = entry->hash;
    jf_held key;
    jf_hold(entry->key, &key);
    const int64_t found = jf_map_find_slot(other, &key.slot, hash);
    if (found == JF_MAP_FAILED) {
      status = -1;
    } else if ((found >= 0) != wanted) {
      status = to != NULL;
    } else if (to && jf_map_insert(to, hash, &key.slot, &jf_static_null) != 0) {
      status = -1;
    }
    jf_unhold(&key);
    if (status == 1 && map->version != version) status = fail_changed(map);
  }
  jf_object_release((jf_object*)(uintptr_t)&map->header);
  return status;
}

/* New: of keys that both have, those of the smaller one, as in Python. */
static jf_object* sifted(const jf_map* map, const jf_map* other, int32_t wanted) {
  jf_object* made = jf_set_new(0, map->pool.pad);
  const int32_t is_swapped = wanted && other->size <= map->size;
  if (made && sift(is_swapped ? other : map, is_swapped ? map : other, wanted, (jf_map*)made) >= 0) return made;
  jf_object_release(made);
  return NULL;
}

/* New. NULL with what comparing keys says, RuntimeError or MemoryError. */
jf_object* jf_set_combine(const jf_object* object, const jf_object* other_object, int32_t operation) {
  const jf_map *map = jf_as_map(object), *other = jf_as_map(other_object);
  if (operation == JF_SET_INTERSECTION || (operation == JF_SET_DIFFERENCE && map->size / 4 <= other->size))
    return sifted(map, other, operation == JF_SET_INTERSECTION);
  jf_object* made = jf_map_copy(object);
  if (!made || jf_set_change(made, other_object, operation) == 0) return made;
  jf_object_release(made);
  return NULL;
}

/* Leaves the set what both have. */
static int32_t intersect(jf_map* map, const jf_map* other) {
  enum { FROM = offsetof(jf_map, entries), SIZE = offsetof(jf_map, links) - FROM };
  char contents[SIZE];
  jf_map* made = (jf_map*)sifted(map, other, 1);
  if (!made) return -1;
  const uint64_t version = map->version;
  memcpy(contents, (char*)map + FROM, SIZE);
  memcpy((char*)map + FROM, (char*)made + FROM, SIZE);
  memcpy((char*)made + FROM, contents, SIZE);
  map->version = version + 1;
  if (jf_links_used(&made->links)) jf_cycles_track(&map->header);
  jf_object_release(&made->header);
  return 0;
}

/* Borrows both. As jf_set_combine, but some keys may have come or gone when it fails. */
int32_t jf_set_change(jf_object* object, const jf_object* other_object, int32_t operation) {
  jf_map* map = jf_as_mutable_map(object);
  const jf_map* other = jf_as_map(other_object);
  if (operation == JF_SET_UNION) return jf_map_update(object, other_object);
  if (operation == JF_SET_INTERSECTION) return intersect(map, other);
  if (map != other) return jf_map_change(map, other, operation == JF_SET_SYMMETRIC_DIFFERENCE, 1);
  jf_map_clear(object);
  return 0;
}

/* Borrows both. -1 with what comparing keys says. */
int32_t jf_set_compare(const jf_object* object, const jf_object* other_object, int32_t operation) {
  const jf_map *map = jf_as_map(object), *other = jf_as_map(other_object);
  if (operation >= JF_GT) return jf_set_compare(other_object, object, operation == JF_GT ? JF_LT : JF_LE);
  const int32_t can_be = operation == JF_LT   ? map->size < other->size
                         : operation == JF_LE ? map->size <= other->size
                                              : map->size == other->size;
  const int32_t is_within = can_be ? sift(map, other, 1, NULL) : 0;
  return operation == JF_NE && is_within >= 0 ? !is_within : is_within;
}

int32_t jf_set_is_disjoint(const jf_object* object, const jf_object* other_object) {
  const jf_map *map = jf_as_map(object), *other = jf_as_map(other_object);
  return map->size <= other->size ? sift(map, other, 0, NULL) : sift(other, map, 0, NULL);
}
