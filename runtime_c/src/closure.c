/* Closures: C function pointers with a state of their own, which enter a body shared by all of one signature.
 *
 *   block   | stub 0 | stub 1 | ... | pad to a page | record 0 | record 1 | ... |
 *             executable, never written again         writable
 *
 * A stub loads the address of its record into the register that LLVM gives to a `nest` parameter and jumps to the
 * record's body. Dead records wait in a queue, the longest dead is reused first: a call that comes late finds a record
 * that is still dead for as long as can be.
 */
#include <assert.h>
#include <string.h>

#include "code.h"
#include "jitffi/runtime.h"
#include "lock.h"
#include "macros.h"
#include "message.h"

#ifndef JF_NO_SYSTEM
#include <unistd.h>
#endif

_Static_assert(offsetof(jf_closure, body) == 8, "the stubs jump through it");

static jf_closure* queue_head; /* both under the lock */
static jf_closure* queue_tail;
static char** blocks; /* all that there are, by address, under the lock */
static size_t num_blocks;
static size_t block_page; /* bytes of code in each */
static size_t block_capacity;

/* -- stubs, by architecture -- */

#if defined(__x86_64__)

enum { STUB_SIZE = 16 };

/* endbr64; lea r10, [rip + distance]; jmp [r10 + 8]; int3 */
static void write_stub(unsigned char* stub, int32_t distance) {
  static const unsigned char code[STUB_SIZE] = {0xF3, 0x0F, 0x1E, 0xFA, 0x4C, 0x8D, 0x15, 0,
                                                0,    0,    0,    0x41, 0xFF, 0x62, 8,    0xCC};
  const int32_t from_next_instruction = distance - 11;
  memcpy(stub, code, STUB_SIZE);
  memcpy(stub + 7, &from_next_instruction, sizeof from_next_instruction);
}

#elif defined(__aarch64__)

enum { STUB_SIZE = 32 };

/* bti c; adr x15, record; mov x18, x15; ldr x16, [x15, #8]; br x16; brk. LLVM passes `nest` in x15, up to version 20 in
 * x18, which the platform keeps for itself on some systems but not on Linux. */
static void write_stub(unsigned char* stub, int32_t distance) {
  const uint32_t offset = (uint32_t)(distance - 4); /* from the adr */
#if defined(__linux__)
  const uint32_t second_register = 0xAA0F03F2;
#else
  const uint32_t second_register = 0xD503201F; /* nop */
#endif
  const uint32_t adr = 0x1000000F | (offset & 3) << 29 | (offset >> 2 & 0x7FFFF) << 5;
  const uint32_t code[STUB_SIZE / 4] = {0xD503245F, adr,        second_register, 0xF94005F0,
                                        0xD61F0200, 0xD4200000, 0xD4200000,      0xD4200000};
  memcpy(stub, code, STUB_SIZE);
}

#elif defined(__riscv) && __riscv_xlen == 64

enum { STUB_SIZE = 16 };

/* auipc t2, high; addi t2, t2, low; ld t1, 8(t2); jr t1 */
static void write_stub(unsigned char* stub, int32_t distance) {
  const uint32_t high = ((uint32_t)distance + 0x800) & 0xFFFFF000;
  const uint32_t low = (uint32_t)distance - high;
  const uint32_t code[STUB_SIZE / 4] = {0x00000397 | high, 0x00038393 | low << 20, 0x0083B303, 0x00030067};
  memcpy(stub, code, STUB_SIZE);
}

#else

enum { STUB_SIZE = 0 };
#ifndef JF_NO_SYSTEM
static void write_stub(unsigned char* stub, int32_t distance) { (void)stub, (void)distance; }
#endif

#endif

#if defined(__i386__)
#define ARCHITECTURE "x86"
#elif defined(__arm__)
#define ARCHITECTURE "arm"
#elif defined(__powerpc64__)
#define ARCHITECTURE "powerpc64"
#elif defined(__s390x__)
#define ARCHITECTURE "s390x"
#elif defined(__loongarch__)
#define ARCHITECTURE "loongarch"
#elif defined(__wasm__)
#define ARCHITECTURE "wasm, where code cannot be made at run time"
#else
#define ARCHITECTURE "this architecture"
#endif

int32_t jf_closures_exist(void) { return STUB_SIZE != 0; }

/* -- death -- */

static JF_COLD void fail_dead(void) {
  jf_error_set(
      "RuntimeError",
      "a native function pointer was called after its Function was released: keep it, or bind with keep_callbacks");
}

static int64_t dead_integer(void) {
  fail_dead();
  jf_error_mark_pending();
  return 0;
}

static double dead_float(void) {
  fail_dead();
  jf_error_mark_pending();
  return 0.0;
}

/* Not the same: on RISC-V a float in a wider register has ones above it, else it is read as NaN (ISA manual, "NaN Boxing"). */
static float dead_single(void) {
  fail_dead();
  jf_error_mark_pending();
  return 0.0F;
}

static int32_t dead_status(void) {
  fail_dead();
  return -1;
}

/* It comes back where nothing else does, on x86 on the stack of the floating-point unit. */
static long double dead_long_double(void) {
  fail_dead();
  jf_error_mark_pending();
  return 0.0L;
}

#if defined(__SIZEOF_INT128__)
static __int128 dead_wide(void) {
  fail_dead();
  jf_error_mark_pending();
  return 0;
}
#else
#define dead_wide dead_integer
#endif

static double _Complex dead_complex(void) {
  fail_dead();
  jf_error_mark_pending();
  return 0.0;
}

static float _Complex dead_single_complex(void) {
  fail_dead();
  jf_error_mark_pending();
  return 0.0F;
}

void jf_closure_dead(void) {
  fail_dead();
  jf_error_mark_pending();
}

/* Whether the body itself returns zero. */
static int knows_zero(int32_t result_class) {
  return result_class == JF_RESULT_BODY || result_class >= JF_RESULT_IN_MEMORY;
}

static void* dead_body(int32_t result_class) {
  switch (result_class) {
    case JF_RESULT_FLOAT:
      return (void*)dead_float;
    case JF_RESULT_STATUS:
      return (void*)dead_status;
    case JF_RESULT_LONGDOUBLE:
      return (void*)dead_long_double;
    case JF_RESULT_WIDE:
      return (void*)dead_wide;
    case JF_RESULT_COMPLEX:
      return (void*)dead_complex;
    case JF_RESULT_SINGLE:
      return (void*)dead_single;
    case JF_RESULT_SINGLE_COMPLEX:
      return (void*)dead_single_complex;
    default:
      return (void*)dead_integer;
  }
}

/* -- the queue, under the lock -- */

static void enqueue(jf_closure* closure) {
  closure->next_free = NULL;
  if (queue_tail) {
    queue_tail->next_free = closure;
  } else {
    queue_head = closure;
  }
  queue_tail = closure;
}

static jf_closure* dequeue(void) {
  jf_closure* closure = queue_head;
  if (!closure) return NULL;
  queue_head = closure->next_free;
  if (!queue_head) queue_tail = NULL;
  closure->next_free = NULL;
  return closure;
}

/* -- blocks -- */

#ifdef JF_NO_SYSTEM

static jf_closure* make_block(void) { return NULL; } /* nobody comes here */
static void drop_block(jf_closure* records) { (void)records; }

#else

/* A page of stubs and their records, chained by next_free; NULL with the error set. Blocks live for ever: who holds a
 * function pointer is never known. */
static jf_closure* make_block(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t count = page / (STUB_SIZE ? STUB_SIZE : 1);
  const size_t size = page + count * sizeof(jf_closure);
  char* block = jf_map_writable(size);
  if (!block) return NULL;
  block_page = page;
  jf_closure* records = (jf_closure*)(block + page);
  for (size_t i = 0; i < count; i++) {
    const char* stub = block + i * STUB_SIZE;
    /* What a record says about itself: how far back its stub is. */
    records[i].reserved = (int32_t)((const char*)&records[i] - stub);
    records[i].body = dead_body(JF_RESULT_INTEGER);
    records[i].next_free = i + 1 < count ? &records[i + 1] : NULL;
    write_stub((unsigned char*)block + i * STUB_SIZE, records[i].reserved);
  }
  if (jf_map_seal(block, page) == 0) return records;
  jf_code_unmap(block, size);
  return NULL;
}

/* Takes back a block that nobody has seen. */
static void drop_block(jf_closure* records) {
  const size_t count = block_page / (STUB_SIZE ? STUB_SIZE : 1);
  jf_code_unmap((char*)records - block_page, block_page + count * sizeof(jf_closure));
}

#endif

/* How many blocks begin at or below an address; under the lock. */
static size_t blocks_up_to(const char* address) {
  size_t low = 0, high = num_blocks;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (blocks[middle] <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Under the lock. 0 when there is no memory to note it. */
static int note_block(jf_closure* records) {
  if (num_blocks == block_capacity) {
    const size_t capacity = block_capacity ? 2 * block_capacity : 8;
    char** larger = jf_alloc(capacity * sizeof *larger);
    if (!larger) return 0;
    if (num_blocks) memcpy(larger, blocks, num_blocks * sizeof *larger);
    jf_free(blocks);
    blocks = larger;
    block_capacity = capacity;
  }
  char* block = (char*)records - records->reserved;
  const size_t at = blocks_up_to(block);
  memmove(blocks + at + 1, blocks + at, (num_blocks - at) * sizeof *blocks);
  blocks[at] = block;
  num_blocks++;
  return 1;
}

static jf_closure* take_record(void) {
  jf_lock();
  jf_closure* closure = dequeue();
  jf_unlock();
  if (closure) return closure;
  jf_closure* block = make_block(); /* outside the lock, since it may set an error: two threads may make two */
  if (!block) return NULL;
  jf_lock();
  const int noted = note_block(block);
  for (jf_closure *record = block, *next; noted && record; record = next) {
    next = record->next_free;
    enqueue(record);
  }
  if (noted) closure = dequeue();
  jf_unlock();
  if (!noted) drop_block(block), jf_error_no_memory();
  return closure;
}

/* New, ended by jf_closure_kill; borrows state. NULL with MemoryError, OSError or NotImplementedError set. */
jf_closure* jf_closure_new(void* state, void* body, int32_t result_class) {
  assert(body && result_class >= JF_RESULT_INTEGER &&
         (result_class <= JF_RESULT_SINGLE_COMPLEX || knows_zero(result_class)));
  if (!STUB_SIZE) {
    jf_error_set("NotImplementedError", "closures are not implemented for " ARCHITECTURE);
    return NULL;
  }
  jf_closure* closure = take_record();
  if (!closure) return NULL;
  jf_closure_wake(closure, state, body, result_class);
  return closure;
}

/* Borrowed from the closure. */
void* jf_closure_address(const jf_closure* closure) { return (char*)(uintptr_t)closure - closure->reserved; }

jf_closure* jf_closure_at(const void* address) {
  const char* code = address;
  jf_closure* found = NULL;
  jf_lock();
  const size_t after = blocks_up_to(code);
  if (after) {
    const size_t distance = (size_t)(code - blocks[after - 1]);
    jf_closure* records = (jf_closure*)(void*)(blocks[after - 1] + block_page);
    if (distance < block_page && distance % (STUB_SIZE ? STUB_SIZE : 1) == 0)
      found = &records[distance / (STUB_SIZE ? STUB_SIZE : 1)];
  }
  jf_unlock();
  return found;
}

/* From now on it fails; a call that is inside the body goes on, and one that is on its way there finds `dead_state`, borrowed for
 * ever. */
void jf_closure_sleep(jf_closure* closure, void* dead_state) {
  assert(closure->result_class >= 0 && closure->body != dead_body(closure->result_class));
  if (knows_zero(closure->result_class))
    __atomic_store_n(&closure->result_class, -closure->result_class, __ATOMIC_RELEASE);
  else
    __atomic_store_n(&closure->body, dead_body(closure->result_class), __ATOMIC_RELEASE);
  __atomic_store_n(&closure->state, dead_state, __ATOMIC_RELEASE);
}

void jf_closure_wake(jf_closure* closure, void* state, void* body, int32_t result_class) {
  closure->state = state;
  closure->result_class = result_class;
  __atomic_store_n(&closure->body, body, __ATOMIC_RELEASE); /* last: a late caller may be looking */
}

/* Never fails. */
void jf_closure_kill(jf_closure* closure, void* dead_state) {
  jf_closure_sleep(closure, dead_state);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  jf_lock();
  enqueue(closure);
  jf_unlock();
}
