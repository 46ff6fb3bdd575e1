/* Hash tables from text to pointer, which all the registries are made of: open addressing, linear probing, entries
 * moved back on removal so that no tombstones are needed. Not locked here. Keys belong to the values.
 */
#include <string.h>

#include "jitffi/runtime.h"
#include "table.h"

/* FNV-1a, 64 bits. */
static uint64_t hash_text(const char* text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
  return hash;
}

static size_t next_index(const jf_table* table, size_t index) { return (index + 1) & (table->capacity - 1); }

static size_t home_index(const jf_table* table, uint64_t hash) { return (size_t)hash & (table->capacity - 1); }

jf_entry* jf_table_find(const jf_table* table, const char* key) {
  if (!table->count) return NULL;
  uint64_t hash = hash_text(key);
  for (size_t i = home_index(table, hash); table->entries[i].key; i = next_index(table, i)) {
    jf_entry* entry = &table->entries[i];
    if (entry->hash == hash && strcmp(entry->key, key) == 0) return entry;
  }
  return NULL;
}

static void place(jf_table* table, jf_entry entry) {
  size_t i = home_index(table, entry.hash);
  while (table->entries[i].key) i = next_index(table, i);
  table->entries[i] = entry;
}

static int32_t grow(jf_table* table) {
  jf_table bigger = {NULL, table->capacity ? table->capacity * 2 : 16, table->count};
  bigger.entries = jf_alloc(bigger.capacity * sizeof *bigger.entries);
  if (!bigger.entries) return -1;
  memset(bigger.entries, 0, bigger.capacity * sizeof *bigger.entries);
  for (size_t i = 0; i < table->capacity; i++) {
    if (table->entries[i].key) place(&bigger, table->entries[i]);
  }
  jf_free(table->entries);
  *table = bigger;
  return 0;
}

int32_t jf_table_put(jf_table* table, const char* key, void* value) {
  if ((table->count + 1) * 4 > table->capacity * 3 && grow(table) != 0) return -1;
  place(table, (jf_entry){hash_text(key), key, value});
  table->count++;
  return 0;
}

void jf_table_erase(jf_table* table, jf_entry* entry) {
  size_t hole = (size_t)(entry - table->entries);
  for (size_t i = next_index(table, hole); table->entries[i].key; i = next_index(table, i)) {
    size_t home = home_index(table, table->entries[i].hash);
    /* The entry may move back to the hole unless its home lies after the hole, up to where it is. */
    size_t from_home = (i - home) & (table->capacity - 1);
    size_t from_hole = (i - hole) & (table->capacity - 1);
    if (from_home < from_hole) continue;
    table->entries[hole] = table->entries[i];
    hole = i;
  }
  table->entries[hole] = (jf_entry){0};
  table->count--;
}
