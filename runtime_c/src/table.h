/* Tables from text to a pointer. */
#ifndef JITFFI_SRC_TABLE_H
#define JITFFI_SRC_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t hash;
  const char* key; /* NULL: free */
  void* value;
} jf_entry;
typedef struct {
  jf_entry* entries;
  size_t capacity; /* 0 or a power of two */
  size_t count;
} jf_table;
jf_entry* jf_table_find(const jf_table* table, const char* key);     /* NULL: not there */
int32_t jf_table_put(jf_table* table, const char* key, void* value); /* key is new, and kept; -1: no memory */
void jf_table_erase(jf_table* table, jf_entry* entry);

#endif
