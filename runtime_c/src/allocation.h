/* Memory: blocks of objects, large blocks, and failures on demand. */
#ifndef JITFFI_SRC_ALLOCATION_H
#define JITFFI_SRC_ALLOCATION_H

#include "macros.h"

/* -- memory.c -- */
#ifdef JITFFI_HOSTILE
/* Lets `count` more allocations (and mappings) succeed and fails all after them; negative: none fails. */
void jf_hostile_fail_after(int64_t count);
int32_t jf_hostile_failed(void); /* whether one has failed since then */
int32_t jf_hostile_refuses(void);
#endif

/* -- large_block_cache.c: what may be large, and is given back with its size -- */
JF_SHARED void* jf_alloc_large(size_t size);
JF_SHARED void jf_free_large(void* memory, size_t size);
/* As jf_alloc_large, with what was in memory of the `old` size, which it steals; NULL: it was left alone. */
void* jf_grow_large(void* memory, size_t old, size_t size);
/* New memory that is going to be used all over, in no order. */
void jf_large_spread(void* memory, size_t size);
void jf_large_block_cache_clear(void); /* what is kept of it for the next one */

/* -- memory.c, blocks.c -- */
extern int32_t jf_allocator_is_set __attribute__((visibility("hidden"))); /* a hook */
static inline int32_t jf_allocator_is_malloc(void) { return !__atomic_load_n(&jf_allocator_is_set, __ATOMIC_RELAXED); }
void* jf_block_new(size_t size);              /* memory of an object, counted; NULL: none */
void jf_block_free(void* block);              /* steals it */
void* jf_piece_new(size_t size);              /* memory of another kind, kept by threads when it is small */
void jf_piece_free(void* piece, size_t size); /* steals it */
void jf_pieces_clear(void);                   /* what this thread keeps */

#endif
