/* How the map finds keys, and where it puts them.
 *
 *   entries  | hash key value | hash - - | hash key value | ...     in order of insertion; a removed one leaves a hole
 *   index    | 8 words, a line of the cache | 8 words | ...         at most two thirds in use; a word: hash:number+1, or 0
 *
 * The low bits of a key's hash say which place its word has, and those of an int are the int's own (jf_map_mix): what is counted
 * up stands side by side. In a line, words stand at their place or, in a circle, as near behind it as there was room; removing one
 * moves those behind it up. Where a line is full it is marked, and a key goes to the next line of its own sequence, which
 * other bits say: so steps of any size between keys are as good as any other. Whoever does not find a key in a marked line looks in
 * the next one. When half of all lines are marked the index is written anew, in place, from the entries: look-ups never get slower
 * whatever is put in and taken out. Holes among the entries are closed when they outnumber the keys.
 */
#include <assert.h>
#include <string.h>

#include "cycles.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "macros.h"
#include "map.h"
#include "map_words.h"
#include "message.h"
#include "pool.h"
#include "slot.h"

enum { RESTART = -3, OTHER_KEY = -4 };
/* -- keys -- */

/* Small text runs on behind the slot's own payload. */
static inline const char* payload_of(const jf_any* slot) { return (const char*)slot + JF_PAYLOAD_OFFSET; }

/* What most keys are: ints that are their own hash, text in the slot itself, heap strings that know their hash. */
static inline int32_t fast_key(const jf_view* view, jf_map_key* key) {
  uint64_t hash;
  key->slot = view;
  switch (view->type_code) {
    case JF_INT:
      hash = view->v_uint64;
      if (hash >= (UINT64_C(1) << 61) - 1) return 0;
      key->text = (jf_encoded){JF_TEXT_NONE, 0, NULL, 0};
      break;
    case JF_SMALL_STR:
      if ((uint32_t)view->small_len >= JF_MAX_CAPACITY) return 0;
      key->text = (jf_encoded){JF_TEXT_UTF8, 1, payload_of(view), (size_t)view->small_len};
      hash = jf_hash_utf8(key->text.data, key->text.size);
      break;
    case JF_STR_VIEW:
      if (!view->v_span || !view->v_span->data) return 0;
      key->text = (jf_encoded){JF_TEXT_UTF8, 0, view->v_span->data, view->v_span->size};
      hash = jf_hash_utf8(key->text.data, key->text.size);
      break;
    case JF_SMALL_UCS4:
      if ((uint32_t)view->small_len > JF_MAX_CAPACITY / 4) return 0;
      key->text = (jf_encoded){JF_TEXT_UCS4, 0, payload_of(view), (size_t)view->small_len};
      hash = jf_hash_ucs4(key->text.data, key->text.size);
      break;
    case JF_UCS4_VIEW:
      if (!view->v_ucs4_span || !view->v_ucs4_span->data) return 0;
      key->text = (jf_encoded){JF_TEXT_UCS4, 0, view->v_ucs4_span->data, view->v_ucs4_span->size};
      hash = jf_hash_ucs4(key->text.data, key->text.size);
      break;
    case JF_OBJECT: {
      const jf_str* str = (const jf_str*)view->v_object;
      if (str && str->header.type_code == JF_TUPLE) {
        hash = __atomic_load_n(&((const jf_tuple*)view->v_object)->hash, __ATOMIC_RELAXED);
        if (!hash) return 0;
        key->text = (jf_encoded){JF_TEXT_NONE, 0, NULL, 0};
        break;
      }
      if (!str || (str->header.type_code != JF_STR && str->header.type_code != JF_UCS4)) return 0;
      hash = __atomic_load_n(&str->hash, __ATOMIC_RELAXED);
      if (!hash) return 0;
      const int32_t kind = str->header.type_code == JF_STR ? JF_TEXT_UTF8 : JF_TEXT_UCS4;
      key->text = (jf_encoded){kind, kind == JF_TEXT_UTF8, str->data, str->size};
      break;
    }
    default:
      return 0;
  }
  key->hash = jf_map_mix(hash);
  return 1;
}

int32_t jf_map_key_of(const jf_view* view, jf_any* scratch, jf_map_key* key) {
  key->parts = 0;
  if (fast_key(view, key)) return 0;
  key->slot = jf_any_resolve(view, scratch);
  key->text = jf_any_text(key->slot);
  if (jf_any_hash(key->slot, &key->hash) != 0) return -1;
  key->hash = jf_map_mix(key->hash);
  return 0;
}

int32_t jf_map_key_of_views(const jf_view* views, size_t count, jf_map_key* key) {
  *key = (jf_map_key){.slot = views, .text = {JF_TEXT_NONE, 0, NULL, 0}, .parts = count};
  for (size_t i = 0; i < count; i++) {
    const jf_object* object = views[i].type_code == JF_OBJECT ? views[i].v_object : NULL;
    if (views[i].type_code > 0 || views[i].type_code == JF_RVALUE) return 1;
    if (object && (object->type_code < JF_STR || object->type_code > JF_BYTES)) return 1;
  }
  if (jf_views_hash(views, count, &key->hash) != 0) return -1;
  key->hash = jf_map_mix(key->hash);
  return 0;
}

static int32_t same_text(const jf_map_key* key, const void* data, size_t size) {
  return key->text.size == size && memcmp(key->text.data, data, size) == 0;
}

/* Of a wide key and an item's UTF-8: 1, OTHER_KEY, or 0 where one has to look closer. */
static int64_t same_narrow(const jf_map_key* key, const void* data, size_t size) {
  const jf_char32* wide = key->text.data;
  if (key->text.kind != JF_TEXT_UCS4 || key->text.size != size) return 0;
  for (size_t i = 0; i < size; i++) {
    const uint32_t c = ((const unsigned char*)data)[i];
    if (c >= 0x80) return 0;
    if (c != (uint32_t)wide[i]) return OTHER_KEY;
  }
  return 1;
}

static int64_t same_wide(const jf_map_key* key, const void* data, size_t size) {
  if (key->text.kind != JF_TEXT_UCS4) return 0;
  return key->text.size == size && memcmp(key->text.data, data, size * sizeof(jf_char32)) == 0 ? 1 : OTHER_KEY;
}

/* An object that is no text: comparing it can run code of others. */
static int32_t key_runs_code(const jf_map_key* key) {
  return key->text.kind == JF_TEXT_NONE && jf_any_object(key->slot) != NULL;
}

/* How often comparisons may change a map before the look-up for which they were made gives up. */
enum { MOST_CHANGES = 1000 };

static JF_COLD int64_t fail_changing(void) {
  jf_error_set("RuntimeError", "map changes without end while a key is looked up");
  return JF_MAP_FAILED;
}

/* What a comparison found that may have changed the map: keys that were added stand behind this one, so the search goes on;
 * entries that were moved, or words of the index when keys were taken out, make it start again. */
static int64_t go_on(const jf_map* map, const jf_map* before, size_t number, jf_item item, int32_t same) {
  const uint64_t changes = map->version - before->version;
  const int32_t in_place = map->entries == before->entries && map->index == before->index && number < map->used &&
                           jf_map_at(map, number)->key.code == item.code;
  if (!in_place) return RESTART;
  if (same) return 1;
  const int32_t only_added = changes == (uint64_t)map->size - before->size;
  return only_added || !map->index ? OTHER_KEY : RESTART;
}

/* Whether the entry has the key, where others are asked: 1, OTHER_KEY, RESTART after a change of the map, or FAILED. */
static JF_COLD int64_t ask(const jf_map* map, const jf_map_key* key, size_t number, uint32_t* changes) {
  const jf_map before = *map;
  const jf_item item = jf_map_at(map, number)->key;
  jf_held held;
  jf_hold(item, &held);
  const int32_t same = jf_any_equal(&held.slot, key->slot);
  const int64_t next = same < 0                         ? JF_MAP_FAILED
                       : map->version == before.version ? (same ? 1 : OTHER_KEY)
                       : ++*changes > MOST_CHANGES      ? fail_changing()
                                                        : go_on(map, &before, number, item, same);
  const uint64_t version = map->version;
  jf_unhold(&held);
  return next == JF_MAP_FAILED || map->version == version ? next
         : ++*changes > MOST_CHANGES                      ? fail_changing()
                                                          : RESTART;
}

/* Of a key that is not made: 1, OTHER_KEY, FAILED or UNTOLD. */
static int64_t same_views(const jf_map_key* key, jf_item item) {
  if (*item.code < 0 || (*item.code >= JF_STR && *item.code <= JF_BYTES)) return OTHER_KEY;
  if (*item.code != JF_TUPLE) return JF_MAP_UNTOLD;
  const int32_t same = jf_tuple_has_views((const jf_tuple*)item.object, key->slot, key->parts);
  return same < 0 ? JF_MAP_UNTOLD : same ? 1 : OTHER_KEY;
}

/* The hashes are equal. 1, OTHER_KEY, RESTART, FAILED or, of views, UNTOLD. */
static inline int64_t same_key(const jf_map* map, const jf_map_key* key, size_t number, uint32_t* changes) {
  const jf_item item = jf_map_at(map, number)->key;
  if (key->parts) return same_views(key, item);
  int64_t told = 0;
  switch (*item.code) {
    case JF_INT:
      if (key->slot->type_code != JF_INT) break;
      return item.slot->v_int64 == key->slot->v_int64 ? 1 : OTHER_KEY;
    case JF_SMALL_STR:
      if (key->text.kind != JF_TEXT_UTF8) {
        told = same_narrow(key, payload_of(item.slot), (size_t)item.slot->small_len);
        break;
      }
      if (key->slot->type_code == JF_SMALL_STR && key->slot->small_len <= 7) { /* in canonical slots: all there is */
        return memcmp(key->slot, item.slot, sizeof(jf_any)) == 0 ? 1 : OTHER_KEY;
      }
      return same_text(key, payload_of(item.slot), (size_t)item.slot->small_len) ? 1 : OTHER_KEY;
    case JF_STR:
      if (item.object == key->slot->v_object && key->slot->type_code == JF_OBJECT) return 1;
      if (key->text.kind != JF_TEXT_UTF8) {
        told = same_narrow(key, ((const jf_str*)item.object)->data, ((const jf_str*)item.object)->size);
        break;
      }
      return same_text(key, ((const jf_str*)item.object)->data, ((const jf_str*)item.object)->size) ? 1 : OTHER_KEY;
    case JF_SMALL_UCS4:
      told = same_wide(key, payload_of(item.slot), (size_t)item.slot->small_len);
      break;
    case JF_UCS4:
      told = same_wide(key, ((const jf_ucs4*)item.object)->data, ((const jf_ucs4*)item.object)->size);
      break;
    case JF_TUPLE: {
      if (key->slot->type_code != JF_OBJECT || key->slot->v_object->type_code != JF_TUPLE) break;
      const int32_t same = jf_tuples_fast_equal((const jf_tuple*)item.object, (const jf_tuple*)key->slot->v_object);
      if (same < 0) break;
      return same ? 1 : OTHER_KEY;
    }
    default:
      break;
  }
  if (told) return told;
  if (*item.code > 0 && item.object == jf_any_object(key->slot)) return 1;
  if (key_runs_code(key) || jf_item_runs_code(item)) return ask(map, key, number, changes);
  jf_any scratch;
  const int32_t same = jf_any_equal(jf_item_slot(item, &scratch), key->slot);
  return same < 0 ? JF_MAP_FAILED : same ? 1 : OTHER_KEY;
}

static int64_t scan(const jf_map* map, const jf_map_key* key, uint32_t* changes) {
  for (size_t i = 0; i < map->used; i++) {
    const jf_map_entry* entry = jf_map_at(map, i);
    if (entry->hash != key->hash || !entry->key.code) continue;
    const int64_t same = same_key(map, key, i, changes);
    if (same != OTHER_KEY) return same == 1 ? (int64_t)i : same;
  }
  return JF_MAP_NOT_FOUND;
}

static int64_t probe(const jf_map* map, const jf_map_key* key, uint32_t* changes) {
  const uint32_t half = (uint32_t)key->hash;
  size_t line = jf_map_first_line(half, map->index_mask), left = map->index_mask / JF_MAP_LINE;
  do {
    const uint64_t* words = map->index + line;
    uint64_t word;
    for (size_t i = half % JF_MAP_LINE, tried = 0; tried < JF_MAP_LINE && (word = words[i] & ~JF_MAP_MARK) != 0;
         tried++, i = (i + 1) % JF_MAP_LINE) {
      if (word >> 32 != half) continue;
      const size_t number = (uint32_t)word - 1;
      if (jf_map_at(map, number)->hash != key->hash) continue;
      const int64_t same = same_key(map, key, number, changes);
      if (same != OTHER_KEY) return same == 1 ? (int64_t)number : same;
    }
    if (!(words[0] & JF_MAP_MARK)) return JF_MAP_NOT_FOUND;
    line = jf_map_next_line(line, half, map->index_mask);
  } while (left--);
  return JF_MAP_NOT_FOUND;
}

int64_t jf_map_find(const jf_map* map, const jf_map_key* key) {
  uint32_t changes = 0;
  int64_t found;
  do {
    found = map->index ? probe(map, key, &changes) : scan(map, key, &changes);
  } while (found == RESTART);
  return found;
}

int64_t jf_map_find_slot(const jf_map* map, const jf_any* slot, uint64_t hash) {
  const jf_map_key key = {slot, jf_any_text(slot), hash, 0};
  return jf_map_find(map, &key);
}

/* -- the index -- */

int32_t jf_map_put_word(uint64_t* index, size_t mask, uint64_t word) {
  const uint32_t half = (uint32_t)(word >> 32), marked = jf_map_head(index)->marked;
  for (size_t line = jf_map_first_line(half, mask);; line = jf_map_next_line(line, half, mask)) {
    uint64_t* words = index + line;
    size_t i = half % JF_MAP_LINE;
    for (size_t tried = 0; tried < JF_MAP_LINE; tried++, i = (i + 1) % JF_MAP_LINE) {
      if (words[i] & ~JF_MAP_MARK) continue;
      words[i] |= word;
      return jf_map_head(index)->marked != marked;
    }
    jf_map_head(index)->marked += !(words[0] & JF_MAP_MARK);
    words[0] |= JF_MAP_MARK;
  }
}

/* As jf_map_put_word. Most keys find their own place empty. */
static inline int32_t put_word(const jf_map* map, uint64_t word) {
  uint64_t* own = &map->index[word >> 32 & map->index_mask];
  if (*own & ~JF_MAP_MARK) return jf_map_put_word(map->index, map->index_mask, word);
  *own |= word;
  return 0;
}

void jf_map_append(jf_map* map, uint64_t hash, jf_item key, jf_item value) {
  assert(map->used < map->capacity);
  jf_map_entry* entry = jf_map_at(map, map->used);
  entry->hash = hash;
  entry->key = key;
  if (!jf_is_set(map)) entry->value = value;
  const int32_t marked = map->index && put_word(map, jf_map_word(hash, map->used));
  map->used++;
  map->size++;
  map->version++;
  if (marked && jf_map_head(map->index)->marked > map->index_mask / JF_MAP_LINE / 2) jf_map_write_index(map);
  jf_item_stored(&map->header, &map->links, key);
  jf_item_stored(&map->header, &map->links, value);
}

void jf_map_free_entry(jf_map* map, jf_map_entry entry) {
  jf_object* key = *entry.key.code > 0 ? entry.key.object : NULL;
  jf_object* value = *entry.value.code > 0 ? entry.value.object : NULL;
  if (!key) jf_item_free(&map->pool, entry.key);
  if (!value) jf_item_free(&map->pool, entry.value);
  if (!map->size) jf_pool_reset(&map->pool);
  jf_object_release(key);
  jf_object_release(value);
}

/* No more slots than the entries there is room for can need. */
size_t jf_map_limit(const jf_map* map) {
  if (map->pool.free || map->pool.fresh != map->pool.end) return 1; /* unused: there is a slot */
  const size_t slots = jf_pool_slots(&map->pool);
  const size_t most = jf_is_set(map) ? map->capacity : 2 * map->capacity;
  return slots < most ? most - slots : 1;
}

#ifdef JITFFI_HOSTILE
int32_t jf_map_ok(const jf_map* map) {
  size_t keys = 0, words = 0;
  if (map->used > map->capacity || map->size > map->used) return 0;
  if (!map->index && map->capacity > JF_MAP_SCANNED) return 0;
  for (size_t i = 0; i < map->used; i++) {
    const jf_map_entry* entry = jf_map_at(map, i);
    if (!entry->key.code) continue;
    keys++;
    const jf_item value = jf_map_value(map, entry);
    if (!value.code || *entry->key.code == 0 || *value.code == 0) return 0;
    jf_any scratch;
    if (!jf_item_runs_code(entry->key) &&
        jf_map_find_slot(map, jf_item_slot(entry->key, &scratch), entry->hash) != (int64_t)i) {
      return 0;
    }
  }
  for (size_t i = 0; map->index && i <= map->index_mask; i++) words += (map->index[i] & ~JF_MAP_MARK) != 0;
  if (map->index && (words != keys || words > (map->index_mask + 1) / 3 * 2 + 1)) return 0;
  return keys == map->size && (!map->used || jf_map_at(map, map->used - 1)->key.code != NULL);
}
#endif
