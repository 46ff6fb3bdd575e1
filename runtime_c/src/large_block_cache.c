/* The cache of large blocks of memory, which containers give back, for whoever needs one next. A program that makes and
 * gives up one long list after another would otherwise have malloc give the memory back to the system each time, and the
 * system clear it, page by page, for several times what filling it costs.
 *
 *   jf_free_large -->  | block | block | ... |  --> jf_alloc_large      at most PLACES blocks of at most LARGEST bytes
 *                                 |
 *                                 +--> jf_large_block_cache_clear      whenever cycles are collected: none stays for ever
 *
 * Each place holds a block whose first word is its whole size. It is taken and filled by one atomic exchange, so nobody waits.
 * Only malloc's own memory is kept: while an allocator is set, or failures are tried, everything goes the usual way; so it
 * does under AddressSanitizer, which could not tell of a block that is used after it was given up.
 */
#ifdef __linux__
#include <malloc.h>
#include <sys/mman.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "jitffi/runtime.h"

#if defined(JITFFI_HOSTILE) || defined(__SANITIZE_ADDRESS__) || !defined(__linux__)

void* jf_alloc_large(size_t size) { return jf_alloc(size); }

void jf_free_large(void* memory, size_t size) {
  (void)size;
  jf_free(memory);
}

void jf_large_block_cache_clear(void) {}

JF_COLD void jf_large_spread(void* memory, size_t size) { (void)memory, (void)size; }

JF_COLD void* jf_grow_large(void* memory, size_t old, size_t size) {
  void* grown = jf_alloc_large(size);
  if (!grown) return NULL;
  if (memory) memcpy(grown, memory, old < size ? old : size);
  jf_free_large(memory, old);
  return grown;
}

#else

enum { PLACES = 16, SMALLEST = 64 << 10, LARGEST = 4 << 20 };

static size_t* places[PLACES];
static uint32_t turn; /* which place is emptied when all are full */

static int32_t is_kept(size_t size) { return size >= SMALLEST && size <= LARGEST && jf_allocator_is_malloc(); }

/* Leaves the block in an empty place. Returns what is left over: NULL, or a block. */
static size_t* put(size_t* block) {
  for (size_t i = 0; i < PLACES; i++) {
    size_t* none = NULL;
    if (__atomic_compare_exchange_n(&places[i], &none, block, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) return NULL;
  }
  const uint32_t at = __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED) % PLACES;
  return __atomic_exchange_n(&places[at], block, __ATOMIC_ACQ_REL);
}

/* As jf_alloc; no more than twice of what is asked for lies behind it. */
void* jf_alloc_large(size_t size) {
  if (!is_kept(size)) return jf_piece_new(size);
  for (size_t i = 0; i < PLACES; i++) {
    if (!__atomic_load_n(&places[i], __ATOMIC_RELAXED)) continue;
    size_t* block = __atomic_exchange_n(&places[i], NULL, __ATOMIC_ACQUIRE);
    if (!block) continue;
    if (*block >= size && *block / 2 <= size) return block;
    free(put(block));
  }
  return jf_alloc(size);
}

/* Steals memory that was asked for with `size` bytes; NULL: nothing. */
void jf_free_large(void* memory, size_t size) {
  if (!memory) return;
  if (!is_kept(size)) {
    jf_piece_free(memory, size);
    return;
  }
  *(size_t*)memory = malloc_usable_size(memory);
  free(put(memory));
}

/* Asks for pages of the largest kind, where there is a system that has such. The block's own pages may be shared with others', to
 * whom it does no harm. */
JF_COLD void jf_large_spread(void* memory, size_t size) {
  const uintptr_t page = 4096, begin = (uintptr_t)memory & -page, end = ((uintptr_t)memory + size + page - 1) & -page;
  if (size > LARGEST && jf_allocator_is_malloc()) madvise((void*)begin, end - begin, MADV_HUGEPAGE);
}

JF_COLD void* jf_grow_large(void* memory, size_t old, size_t size) {
  if (old > LARGEST && size > old && jf_allocator_is_malloc()) return realloc(memory, size);
  void* grown = jf_alloc_large(size);
  if (!grown) return NULL;
  if (memory) memcpy(grown, memory, old < size ? old : size);
  jf_free_large(memory, old);
  return grown;
}

void jf_large_block_cache_clear(void) {
  for (size_t i = 0; i < PLACES; i++) free(__atomic_exchange_n(&places[i], NULL, __ATOMIC_ACQUIRE));
  jf_pieces_clear();
}

#endif
