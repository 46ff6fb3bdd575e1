/* The memory of objects, and how many there are. Each thread keeps small pieces that it has freed for its next ones
 * (blocks.h): a program that makes tuples and gives them up takes them from there, by a load and a store.
 *
 *   thread --> | live | kept | free, free, ... |        a chain of pieces for each size; at most JF_PIECES_MOST bytes in all
 *                  |
 *                  +--> jf_live_objects                 sums the threads that there are, and what ended ones have left
 *
 * A thread's record is malloc's, not thread-local itself: so it outlives a fork, which only one thread survives, and a
 * thread that comes late in its end can be given another. Only malloc's own memory is kept, as in
 * large_block_cache.c, and none under
 * AddressSanitizer or where failures are tried. What a thread keeps goes when it collects cycles, and with the thread.
 */
#if defined(__linux__)
#include <malloc.h>
#endif
#include <stdlib.h>

#include "allocation.h"
#include "blocks.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "threads.h"

static int64_t others; /* objects of threads without a record: made less freed */

static void count_others(int64_t change) { __atomic_fetch_add(&others, change, __ATOMIC_RELAXED); }

#ifndef JF_PIECES_KEPT

void* jf_block_new(size_t size) {
  void* block = jf_alloc(size);
  if (block) count_others(1);
  return block;
}

void jf_block_free(void* block) {
  count_others(-1);
  jf_free(block);
}

void* jf_piece_new(size_t size) { return jf_alloc(size); }

void jf_piece_free(void* piece, size_t size) {
  (void)size;
  jf_free(piece);
}

void jf_pieces_clear(void) {}

int64_t jf_live_objects(void) { return __atomic_load_n(&others, __ATOMIC_RELAXED); }

#else

__thread jf_pieces* jf_own_pieces;
static jf_pieces* records; /* under the mutex */
static jf_mutex mutex = JF_MUTEX_INITIALIZER;

static void lock(void) { jf_mutex_lock(&mutex); }
static void unlock(void) { jf_mutex_unlock(&mutex); }
JF_AT_FORK(lock, unlock, unlock);

static void free_pieces(jf_pieces* own) {
  for (size_t i = 0; i < JF_PIECE_SIZES; i++) {
    for (void* piece = own->free[i]; piece;) {
      void* next = *(void**)piece;
      free(piece);
      piece = next;
    }
    own->free[i] = NULL;
  }
  own->kept = 0;
}

static void on_thread_end(void* ignored) {
  (void)ignored;
  jf_pieces* ended = jf_own_pieces;
  jf_own_pieces = NULL; /* destructors that come later may free objects all the same */
  if (!ended) return;
  lock();
  if (ended->previous) ended->previous->next = ended->next;
  if (ended->next) ended->next->previous = ended->previous;
  if (records == ended) records = ended->next;
  count_others(ended->live);
  unlock();
  free_pieces(ended);
  free(ended);
}

JF_AT_THREAD_END(on_thread_end);

/* NULL where there is no memory for it: the thread does without. */
static JF_COLD jf_pieces* new_record(void) {
  jf_pieces* made = calloc(1, sizeof *made);
  if (!made || !watch_thread()) {
    free(made);
    return NULL;
  }
  lock();
  made->next = records;
  if (records) records->previous = made;
  records = made;
  unlock();
  return jf_own_pieces = made;
}

static inline jf_pieces* own_pieces(void) { return jf_own_pieces ? jf_own_pieces : new_record(); }

static void count(jf_pieces* own, int64_t change) {
  if (own) {
    jf_piece_count(own, change);
  } else {
    count_others(change);
  }
}

/* As jf_alloc, for an object, which counts from here on. A hook is asked for just what the object needs: whoever counts
 * tells lengths of text by it, and what is kept later is known by its usable size. */
void* jf_block_new(size_t size) {
  jf_pieces* own = own_pieces();
  void* kept = jf_piece_take(own, size);
  void* block = kept ? kept : jf_alloc(jf_allocator_is_malloc() ? jf_piece_bytes(size) : size);
  if (block) count(own, 1);
  return block;
}

/* Steals what jf_block_new has given to any thread. */
void jf_block_free(void* block) {
  jf_pieces* own = own_pieces();
  count(own, -1);
  if (jf_allocator_is_malloc()) {
    const size_t at = (malloc_usable_size(block) + JF_PIECE_OVERHEAD) / JF_PIECE_STEP;
    if (jf_piece_keep(own, block, at)) return;
  }
  jf_free(block);
}

/* As jf_alloc; uncounted. */
void* jf_piece_new(size_t size) {
  void* kept = jf_piece_take(jf_own_pieces, size);
  return kept ? kept : jf_alloc(jf_piece_bytes(size));
}

/* Steals what jf_piece_new has given for that size to any thread. */
void jf_piece_free(void* piece, size_t size) {
  if (!jf_piece_keep(jf_own_pieces, piece, jf_piece_class(size))) jf_free(piece);
}

void jf_pieces_clear(void) {
  if (jf_own_pieces) free_pieces(jf_own_pieces);
}

int64_t jf_live_objects(void) {
  lock();
  int64_t sum = __atomic_load_n(&others, __ATOMIC_RELAXED);
  for (const jf_pieces* each = records; each; each = each->next) sum += __atomic_load_n(&each->live, __ATOMIC_RELAXED);
  unlock();
  return sum;
}

#endif
