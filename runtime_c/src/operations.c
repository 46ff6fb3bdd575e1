/* What the makers of object types know of them: one table from type code to operations.
 *
 * Set once, before the first use, read without a lock: entries of blocks that never move, as the type table's.
 */
#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/types.h"
#include "lock.h"
#include "message.h"
#include "object.h"

enum { BLOCK_SIZE = 256, MAX_BLOCKS = 257 };
typedef const jf_type_operations* operations_ptr;

static operations_ptr first_block[BLOCK_SIZE]; /* the static types are here: no memory is needed for them */
static operations_ptr* blocks[MAX_BLOCKS];
static int32_t any_set; /* for programs that have none, which are most */

/* Under the lock. NULL without memory, and for codes that no type can have. */
static operations_ptr* place_of(int32_t code) {
  const int32_t number = code / BLOCK_SIZE;
  if (code <= 0 || number >= MAX_BLOCKS) return NULL;
  if (number == 0) return &first_block[code];
  operations_ptr* block = blocks[number];
  if (!block) {
    block = jf_alloc(BLOCK_SIZE * sizeof *block);
    if (!block) return NULL;
    memset(block, 0, BLOCK_SIZE * sizeof *block);
    __atomic_store_n(&blocks[number], block, __ATOMIC_RELEASE);
  }
  return &block[code % BLOCK_SIZE];
}

/* Borrows operations for ever. ValueError for a code that is no type's, MemoryError. */
int32_t jf_type_set_operations(int32_t code, const jf_type_operations* operations) {
  if (code <= 0 || strcmp(jf_type_key(code), "?") == 0) {
    jf_error_format("ValueError", "type code %d is no object type's: it cannot have operations", code);
    return -1;
  }
  jf_lock();
  operations_ptr* place = place_of(code);
  if (place) __atomic_store_n(place, operations, __ATOMIC_RELEASE);
  __atomic_store_n(&any_set, 1, __ATOMIC_RELEASE);
  jf_unlock();
  if (place) return 0;
  jf_error_no_memory();
  return -1;
}

static operations_ptr own_operations(int32_t code) {
  const int32_t number = code / BLOCK_SIZE;
  if (number == 0) return __atomic_load_n(&first_block[code], __ATOMIC_ACQUIRE);
  operations_ptr* block = __atomic_load_n(&blocks[number], __ATOMIC_ACQUIRE);
  return block ? __atomic_load_n(&block[code % BLOCK_SIZE], __ATOMIC_ACQUIRE) : NULL;
}

/* Borrowed, for ever: the type's own or the nearest ancestor's. Never fails. */
const jf_type_operations* jf_type_get_operations(int32_t code) {
  if (!__atomic_load_n(&any_set, __ATOMIC_ACQUIRE)) return NULL;
  for (; code > 0 && code / BLOCK_SIZE < MAX_BLOCKS; code = jf_type_parent(code)) {
    operations_ptr operations = own_operations(code);
    if (operations) return operations;
  }
  return NULL;
}
