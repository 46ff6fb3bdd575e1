/* Small pieces of memory that each thread keeps for its next ones: objects (blocks, which are counted), and what containers
 * have for themselves. To take one and to give it back is a load and a store each, inlined where that counts.
 */
#ifndef JITFFI_BLOCKS_H
#define JITFFI_BLOCKS_H

#include "allocation.h"

#if !defined(JITFFI_HOSTILE) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__linux__)
#define JF_PIECES_KEPT 1

/* malloc's blocks are multiples of 16 bytes, of which 8 are its own. */
enum { JF_PIECE_STEP = 16, JF_PIECE_OVERHEAD = 8, JF_PIECE_LARGEST = 1016 };
enum { JF_PIECE_SIZES = (JF_PIECE_LARGEST + JF_PIECE_OVERHEAD) / JF_PIECE_STEP + 1, JF_PIECES_MOST = 4 << 20 };

typedef struct jf_pieces {
  int64_t live; /* objects of this thread: made less freed; others read it */
  size_t kept;  /* bytes */
  void* free[JF_PIECE_SIZES];
  struct jf_pieces *next, *previous;
} jf_pieces;

extern __thread jf_pieces* jf_own_pieces __attribute__((visibility("hidden")));

/* The chain of pieces that are good for as many bytes. */
static inline size_t jf_piece_class(size_t size) {
  return (size + JF_PIECE_OVERHEAD + JF_PIECE_STEP - 1) / JF_PIECE_STEP;
}

/* What is asked of the allocator for as many: so that a piece is good for all of its class, whatever malloc that is. */
static inline size_t jf_piece_bytes(size_t size) {
  return size <= JF_PIECE_LARGEST ? jf_piece_class(size) * JF_PIECE_STEP - JF_PIECE_OVERHEAD : size;
}

/* NULL: this thread has none of that size. */
static inline void* jf_piece_take(jf_pieces* own, size_t size) {
  const size_t at = jf_piece_class(size);
  if (!own || at >= JF_PIECE_SIZES || !own->free[at] || !jf_allocator_is_malloc()) return NULL;
  void* piece = own->free[at];
  own->free[at] = *(void**)piece;
  __builtin_prefetch(own->free[at], 1); /* the next one has been freed long ago, and leads to the one after it */
  own->kept -= at * JF_PIECE_STEP;
  return piece;
}

/* Keeps a piece of that class. 0: the caller frees it. */
static inline int32_t jf_piece_keep(jf_pieces* own, void* piece, size_t at) {
  if (!own || at >= JF_PIECE_SIZES || own->kept >= JF_PIECES_MOST || !jf_allocator_is_malloc()) return 0;
  *(void**)piece = own->free[at];
  own->free[at] = piece;
  own->kept += at * JF_PIECE_STEP;
  return 1;
}

static inline void jf_piece_count(jf_pieces* own, int64_t change) {
  __atomic_store_n(&own->live, own->live + change, __ATOMIC_RELAXED);
}

/* jf_block_new, jf_block_free of a block of that size. */
static inline void* jf_block_make(size_t size) {
  jf_pieces* own = jf_own_pieces;
  void* block = jf_piece_take(own, size);
  if (!block) return jf_block_new(size);
  jf_piece_count(own, 1);
  return block;
}

static inline void jf_block_give(void* block, size_t size) {
  jf_pieces* own = jf_own_pieces;
  if (jf_piece_keep(own, block, jf_piece_class(size))) {
    jf_piece_count(own, -1);
  } else {
    jf_block_free(block);
  }
}

#else

static inline void* jf_block_make(size_t size) { return jf_block_new(size); }

static inline void jf_block_give(void* block, size_t size) {
  (void)size;
  jf_block_free(block);
}

#endif
#endif
