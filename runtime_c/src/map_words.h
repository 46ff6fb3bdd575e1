/* The words of a map's index: see map_index.c. */
#ifndef JITFFI_MAP_WORDS_H
#define JITFFI_MAP_WORDS_H

#include "map.h"

static inline size_t jf_map_next_line(size_t line, uint32_t half, size_t mask) {
  const size_t step = (size_t)(half * UINT64_C(0x9E3779B97F4A7C15) >> 32 | 1); /* odd: all lines are on the way */
  return (line + step * JF_MAP_LINE) & mask;
}
static inline uint64_t jf_map_word(uint64_t hash, size_t number) { return hash << 32 | (uint32_t)(number + 1); }

/* What stands in front of the index's words. */
typedef struct {
  uint32_t marked;  /* lines */
  uint32_t skipped; /* bytes before this */
  uint64_t unused;
} jf_map_index_head;

static inline jf_map_index_head* jf_map_head(uint64_t* index) { return (jf_map_index_head*)(void*)index - 1; }

/* Into an index that has room, where no such word is. 1: a line was marked by it. */
int32_t jf_map_put_word(uint64_t* index, size_t mask, uint64_t word);
/* map_room.c: all words anew; whoever is on the way over the index starts again. */
void jf_map_write_index(jf_map* map);

#endif
