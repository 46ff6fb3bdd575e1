/* The memory of objects, and how many there are. Each thread keeps small blocks that it has freed for its next objects: a
 * program that makes tuples and gives them up takes them from there, by a load and a store.
 *
 *   thread --> | live | kept | free, free, ... |        a chain of blocks for each size; at most KEPT bytes in all
 *                  |
 *                  +--> jf_live_objects                 sums the threads that there are, and what ended ones have left
 *
 * A thread's record is malloc's, not thread-local itself: so it outlives a fork, which only one thread survives, and a
 * thread that comes late in its end can be given another. Only malloc's own memory is kept, as in large_block_cache.c, and none under
 * AddressSanitizer or where failures are tried.
 */
#if defined(__linux__)
#include <malloc.h>
#endif
#include <stdlib.h>

#include "internal.h"
#include "threads.h"

static int64_t others; /* objects of threads without a record: made less freed */

static void count_others(int64_t change) { __atomic_fetch_add(&others, change, __ATOMIC_RELAXED); }

#if defined(JITFFI_HOSTILE) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__linux__)

void* jf_block_new(size_t size) {
  void* block = jf_alloc(size);
  if (block) count_others(1);
  return block;
}

void jf_block_free(void* block) {
  count_others(-1);
  jf_free(block);
}

int64_t jf_live_objects(void) { return __atomic_load_n(&others, __ATOMIC_RELAXED); }

#else

/* malloc's blocks are multiples of 16 bytes, of which 8 are its own. */
enum { STEP = 16, OVERHEAD = 8, LARGEST = 248, SIZES = (LARGEST + OVERHEAD) / STEP + 1, KEPT = 256 << 10 };

typedef struct record {
  int64_t live; /* of this thread alone; others read it */
  size_t kept;
  void* free[SIZES];
  struct record *next, *previous;
} record;

static __thread record* own;
static record* records; /* under the mutex */
static jf_mutex mutex = JF_MUTEX_INITIALIZER;

static void lock(void) { jf_mutex_lock(&mutex); }
static void unlock(void) { jf_mutex_unlock(&mutex); }
JF_AT_FORK(lock, unlock, unlock);

static void on_thread_end(void* ignored) {
  (void)ignored;
  record* ended = own;
  own = NULL; /* destructors that come later may free objects all the same */
  if (!ended) return;
  lock();
  if (ended->previous) ended->previous->next = ended->next;
  if (ended->next) ended->next->previous = ended->previous;
  if (records == ended) records = ended->next;
  count_others(ended->live);
  unlock();
  for (size_t i = 0; i < SIZES; i++) {
    for (void* block = ended->free[i]; block;) {
      void* next = *(void**)block;
      free(block);
      block = next;
    }
  }
  free(ended);
}

JF_AT_THREAD_END(on_thread_end);

/* NULL where there is no memory for it: the thread does without. */
static JF_COLD record* new_record(void) {
  record* made = calloc(1, sizeof *made);
  if (!made || !watch_thread()) {
    free(made);
    return NULL;
  }
  lock();
  made->next = records;
  if (records) records->previous = made;
  records = made;
  unlock();
  return own = made;
}

static inline void count(record* mine, int64_t change) {
  if (mine) {
    __atomic_store_n(&mine->live, mine->live + change, __ATOMIC_RELAXED);
  } else {
    count_others(change);
  }
}

static inline void* take(record* mine, size_t size) {
  const size_t at = (size + OVERHEAD + STEP - 1) / STEP;
  if (!mine || at >= SIZES || !mine->free[at] || !jf_allocator_is_malloc()) return jf_alloc(size);
  void* block = mine->free[at];
  mine->free[at] = *(void**)block;
  mine->kept -= at * STEP;
  return block;
}

static inline void give(record* mine, void* block) {
  if (mine && jf_allocator_is_malloc()) {
    const size_t at = (malloc_usable_size(block) + OVERHEAD) / STEP;
    if (at < SIZES && mine->kept + at * STEP <= KEPT) {
      *(void**)block = mine->free[at];
      mine->free[at] = block;
      mine->kept += at * STEP;
      return;
    }
  }
  jf_free(block);
}

/* As jf_alloc, for an object, which counts from here on. */
void* jf_block_new(size_t size) {
  record* mine = own ? own : new_record();
  void* block = take(mine, size);
  if (block) count(mine, 1);
  return block;
}

/* Steals what jf_block_new has given to any thread. */
void jf_block_free(void* block) {
  record* mine = own ? own : new_record();
  count(mine, -1);
  give(mine, block);
}

int64_t jf_live_objects(void) {
  lock();
  int64_t sum = __atomic_load_n(&others, __ATOMIC_RELAXED);
  for (const record* each = records; each; each = each->next) sum += __atomic_load_n(&each->live, __ATOMIC_RELAXED);
  unlock();
  return sum;
}

#endif
