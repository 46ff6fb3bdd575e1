/* The room that a map has: its entries and its index grow, and what is taken out leaves room. map_index.c draws both. */
#include <assert.h>
#include <string.h>

#include "allocation.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "map.h"
#include "map_words.h"
#include "message.h"

/* Numbers take half a word of the index but for its mark, and hashes the other half. */
#define MAX_ENTRIES (((size_t)1 << 31) - 1)

/* -- the index -- */

/* Bytes before and behind the head that an index of `size` words may have. Small ones are in the cache, wherever they begin. */
static size_t slack_of(size_t size) { return size >= 1024 ? JF_MAP_LINE * sizeof(uint64_t) : 0; }
static size_t index_bytes(size_t size) { return slack_of(size) + sizeof(jf_map_index_head) + size * sizeof(uint64_t); }

/* `size` empty words. NULL: no memory. */
static uint64_t* index_new(size_t size) {
  char* memory = jf_alloc_large(index_bytes(size));
  if (!memory) return NULL;
  jf_large_spread(memory, index_bytes(size));
  const size_t slack = slack_of(size);
  const size_t skipped = slack ? -((uintptr_t)memory + sizeof(jf_map_index_head)) % slack : 0;
  jf_map_index_head* head = (jf_map_index_head*)(void*)(memory + skipped);
  *head = (jf_map_index_head){.skipped = (uint32_t)skipped};
  return memset(head + 1, 0, size * sizeof(uint64_t));
}

static void index_free(uint64_t* index, size_t mask) {
  if (index) jf_free_large((char*)jf_map_head(index) - jf_map_head(index)->skipped, index_bytes(mask + 1));
}

static size_t place_of(const jf_map* map, uint64_t hash, size_t number) {
  const uint64_t word = jf_map_word(hash, number);
  const uint32_t half = (uint32_t)hash;
  for (size_t line = jf_map_first_line(half, map->index_mask);; line = jf_map_next_line(line, half, map->index_mask)) {
    for (size_t i = half % JF_MAP_LINE, tried = 0; tried < JF_MAP_LINE; tried++, i = (i + 1) % JF_MAP_LINE) {
      if ((map->index[line + i] & ~JF_MAP_MARK) == word) return line + i;
    }
  }
}

static void set_word(uint64_t* at, uint64_t word) { *at = (*at & JF_MAP_MARK) | word; }

static void remove_word(jf_map* map, size_t at) {
  uint64_t* words = map->index + at / JF_MAP_LINE * JF_MAP_LINE;
  size_t hole = at % JF_MAP_LINE;
  uint64_t word;
  for (size_t i = (hole + 1) % JF_MAP_LINE; i != at % JF_MAP_LINE && (word = words[i] & ~JF_MAP_MARK) != 0;
       i = (i + 1) % JF_MAP_LINE) {
    const size_t home = (size_t)(word >> 32);
    if ((i - home) % JF_MAP_LINE < (i - hole) % JF_MAP_LINE) continue; /* it would come to stand before its place */
    set_word(&words[hole], word);
    hole = i;
  }
  set_word(&words[hole], 0);
}

/* The words of all entries, into an index that is empty. */
static void put_entries(const jf_map* map) {
  for (size_t i = 0; i < map->used; i++) {
    const jf_map_entry* entry = jf_map_at(map, i);
    if (entry->key.code) jf_map_put_word(map->index, map->index_mask, jf_map_word(entry->hash, i));
  }
}

/* All words anew. What goes on over the index starts again. */
void jf_map_write_index(jf_map* map) {
  jf_map_head(map->index)->marked = 0;
  memset(map->index, 0, (map->index_mask + 1) * sizeof *map->index);
  put_entries(map);
  map->version++;
}

/* The words of a smaller index, line by line: keys go to a few places that move on with it, as those of entries do not. */
static void copy_words(const jf_map* map, const uint64_t* from, size_t mask) {
  for (size_t i = 0; i <= mask; i++) {
    if (from[i] & ~JF_MAP_MARK) jf_map_put_word(map->index, map->index_mask, from[i] & ~JF_MAP_MARK);
  }
}

/* Moves the entries up over the holes. Costs as much as there are entries, whatever the size of the index. */
static void close_holes(jf_map* map) {
  size_t to = 0;
  for (size_t from = 0; from < map->used; from++) {
    const jf_map_entry* entry = jf_map_at(map, from);
    if (!entry->key.code) continue;
    if (to != from) {
      if (map->index) set_word(&map->index[place_of(map, entry->hash, from)], jf_map_word(entry->hash, to));
      memcpy(jf_map_at(map, to), entry, jf_map_entry_size(map));
    }
    to++;
  }
  map->used = to;
}

/* -- room -- */

static JF_COLD int32_t no_memory(void) {
  jf_error_no_memory();
  return -1;
}

static size_t index_size_for(size_t capacity) {
  size_t size = 16;
  while (size / 3 * 2 < capacity) size *= 2;
  return size;
}

void jf_map_free_memory(const jf_map* contents) {
  jf_free_large(contents->entries, contents->capacity * jf_map_entry_size(contents));
  index_free(contents->index, contents->index_mask);
}

int32_t jf_map_resize(jf_map* map, size_t capacity) {
  enum { LARGE = 1 << 16 }; /* words that are not all in the nearest caches */
  if (capacity <= map->capacity) return 0;
  if (capacity > MAX_ENTRIES || capacity > PTRDIFF_MAX / sizeof(jf_map_entry)) return no_memory();
  const size_t index_size = capacity > JF_MAP_SCANNED ? index_size_for(capacity) : 0;
  const int32_t new_index = index_size && (!map->index || index_size > map->index_mask + 1);
  uint64_t* index = new_index ? index_new(index_size) : NULL;
  if (new_index && !index) return no_memory();
  const size_t bytes = capacity * jf_map_entry_size(map);
  jf_map_entry* entries = jf_grow_large(map->entries, map->capacity * jf_map_entry_size(map), bytes);
  if (!entries) {
    index_free(index, index_size - 1);
    return no_memory();
  }
  map->entries = entries;
  map->capacity = capacity;
  if (!new_index) return 0;
  uint64_t* old = map->index;
  const size_t old_mask = map->index_mask;
  map->index = index;
  map->index_mask = index_size - 1;
  if (old_mask >= LARGE) {
    copy_words(map, old, old_mask);
  } else {
    put_entries(map);
  }
  index_free(old, old_mask);
  return 0;
}

int32_t jf_map_make_room(jf_map* map) {
  enum { DOUBLED = 1 << 16 };
  if (map->used < map->capacity) return 0;
  if (map->used - map->size > map->used / 4) {
    close_holes(map);
    return 0;
  }
  const size_t more = map->capacity < DOUBLED ? map->capacity : map->capacity / 2;
  return jf_map_resize(map, more ? map->capacity + more : JF_MAP_SCANNED);
}

jf_map_entry jf_map_take(jf_map* map, size_t number) {
  jf_map_entry* const at = jf_map_at(map, number);
  const jf_map_entry entry = {at->hash, at->key, jf_map_value(map, at)};
  assert(entry.key.code);
  if (map->index) remove_word(map, place_of(map, entry.hash, number));
  at->key.code = NULL;
  map->size--;
  map->version++;
  while (map->used && !jf_map_at(map, map->used - 1)->key.code) map->used--;
  if (map->used > JF_MAP_SCANNED && map->size < map->used / 2) close_holes(map);
  return entry;
}
