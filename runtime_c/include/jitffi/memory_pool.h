/* An allocator in memory that the program gives, for machines without malloc:
 *
 *   static uint64_t memory[1024];
 *   jf_memory_pool pool;
 *   jf_memory_pool_init(&pool, memory, sizeof memory);
 *   jf_set_allocator(jf_memory_pool_allocate, jf_memory_pool_deallocate, &pool);
 *
 *   | size, block ... | size, next, free ... | size, block ... |      the free ones are a list in the order of addresses
 *
 * The first block that is large enough is taken, and free neighbours become one. It is for one thread.
 */
#ifndef JITFFI_MEMORY_POOL_H
#define JITFFI_MEMORY_POOL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In front of each block, in use or free; 16 bytes, so that blocks are aligned as malloc's. */
typedef struct jf_memory_piece jf_memory_piece;
struct jf_memory_piece {
  size_t size; /* with this header */
  jf_memory_piece* next;
#if UINTPTR_MAX <= 0xFFFFFFFF
  uint32_t unused[2];
#endif
};

typedef struct {
  jf_memory_piece* free;
  size_t used;  /* bytes of blocks in use, headers included */
  size_t limit; /* bytes there are */
} jf_memory_pool;

/* Borrows `memory`, for as long as the pool is used. */
static inline void jf_memory_pool_init(jf_memory_pool* pool, void* memory, size_t size) {
  const size_t skipped = (size_t)(-(uintptr_t)memory & 15);
  pool->free = NULL;
  pool->used = pool->limit = 0;
  if (size < skipped + 2 * sizeof(jf_memory_piece)) return;
  pool->free = (jf_memory_piece*)(void*)((char*)memory + skipped);
  pool->free->size = pool->limit = (size - skipped) & ~(size_t)15;
  pool->free->next = NULL;
}

/* NULL when there is no block of that size. */
static inline void* jf_memory_pool_allocate(size_t size, void* context) {
  jf_memory_pool* pool = (jf_memory_pool*)context;
  if (size > PTRDIFF_MAX) return NULL;
  const size_t needed = ((size + 15) & ~(size_t)15) + sizeof(jf_memory_piece);
  for (jf_memory_piece** at = &pool->free; *at != NULL; at = &(*at)->next) {
    jf_memory_piece* piece = *at;
    if (piece->size < needed) continue;
    if (piece->size - needed >= 2 * sizeof(jf_memory_piece)) {
      jf_memory_piece* rest = (jf_memory_piece*)(void*)((char*)piece + needed);
      rest->size = piece->size - needed;
      rest->next = piece->next;
      piece->size = needed;
      *at = rest;
    } else {
      *at = piece->next;
    }
    pool->used += piece->size;
    return piece + 1;
  }
  return NULL;
}

/* Steals a block of the pool; NULL is allowed. */
static inline void jf_memory_pool_deallocate(void* memory, void* context) {
  jf_memory_pool* pool = (jf_memory_pool*)context;
  if (memory == NULL) return;
  jf_memory_piece* piece = (jf_memory_piece*)memory - 1;
  jf_memory_piece* before = NULL;
  jf_memory_piece* after = pool->free;
  while (after != NULL && after < piece) {
    before = after;
    after = after->next;
  }
  pool->used -= piece->size;
  piece->next = after;
  if (after != NULL && (char*)piece + piece->size == (char*)after) {
    piece->size += after->size;
    piece->next = after->next;
  }
  if (before == NULL) {
    pool->free = piece;
  } else if ((char*)before + before->size == (char*)piece) {
    before->size += piece->size;
    before->next = piece->next;
  } else {
    before->next = piece;
  }
}

#ifdef __cplusplus
}
#endif
#endif
