/* What the files of the map share. See map_index.c for how keys are found. */
#ifndef JITFFI_MAP_H
#define JITFFI_MAP_H

#include <assert.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "slot.h"
#include "value.h"

/* A key that is looked for: resolved, its text told once, its hash mixed. Borrows from the view it was made of. */
typedef struct {
  const jf_any* slot;
  jf_encoded text; /* kind JF_TEXT_NONE: no text */
  uint64_t hash;
  size_t parts; /* not 0: the key is the tuple of as many views at `slot`, which is not made */
} jf_map_key;

enum { JF_MAP_NOT_FOUND = -1, JF_MAP_FAILED = -2, JF_MAP_UNTOLD = -5 /* of views: a key must be made of them */ };
/* Maps up to this size are searched from end to end. */
enum { JF_MAP_SCANNED = 8 };

/* A map or a set. */
static inline const jf_map* jf_as_map(const jf_object* object) {
  assert(object->type_code == JF_SET || jf_type_is_a(object->type_code, JF_MAP));
  return (const jf_map*)object;
}
static inline jf_map* jf_as_mutable_map(jf_object* object) { return (jf_map*)(uintptr_t)jf_as_map(object); }

/* 0, or -1 for a key that has no hash. `scratch` lives as long as the key. */
JF_SHARED int32_t jf_map_key_of(const jf_view* view, jf_any* scratch, jf_map_key* key);
/* The same of the tuple of `count` views, at least one. 1: a key must be made of it, since comparing may run code. */
int32_t jf_map_key_of_views(const jf_view* views, size_t count, jf_map_key* key);
/* The entry's number, JF_MAP_NOT_FOUND, or JF_MAP_FAILED with the error set. Code of others may run and change the map:
 * the number is right when this returns. */
JF_SHARED int64_t jf_map_find(const jf_map* map, const jf_map_key* key);
/* The same for a slot that an entry of any map holds, with that entry's hash. */
JF_SHARED int64_t jf_map_find_slot(const jf_map* map, const jf_any* slot, uint64_t hash);
/* Room for exactly that many entries, where there is not as much. -1: MemoryError, and nothing has changed. */
int32_t jf_map_resize(jf_map* map, size_t capacity);
/* Of a map's contents that were taken out of it, and have no items any more. */
void jf_map_free_memory(const jf_map* contents);
/* Room for one more. Numbers of entries can change. */
int32_t jf_map_make_room(jf_map* map);
/* Steals key and value, whose key is in no entry; there is room. Never fails. */
void jf_map_append(jf_map* map, uint64_t hash, jf_item key, jf_item value);
/* map.c: a key that is in no entry, and another value for an entry. Both borrow; -1 with the error set, nothing has changed. */
int32_t jf_map_insert(jf_map* map, uint64_t hash, const jf_view* key, const jf_view* value);
int32_t jf_map_replace(jf_map* map, size_t number, const jf_view* value);
/* map_bulk.c: each key of the other map is put in where it is not there, if it `adds`, and taken out where it is, if it `removes`,
 * one after the other: comparing may run code of others that changes this map. RuntimeError when it changes the other one. */
int32_t jf_map_change(jf_map* map, const jf_map* other, int32_t adds, int32_t removes);
/* The entry is in the map no more; the caller owns its items now. Never fails. */
jf_map_entry jf_map_take(jf_map* map, size_t number);
/* Frees the items of an entry that was taken: first slots, then objects, whose deleters may use the map. */
void jf_map_free_entry(jf_map* map, jf_map_entry entry);
/* For jf_pool_take. */
size_t jf_map_limit(const jf_map* map);
#ifdef JITFFI_HOSTILE
int32_t jf_map_ok(const jf_map* map); /* looks at every entry and all of the index */
#endif

#endif
