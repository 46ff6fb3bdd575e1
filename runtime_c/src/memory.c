/* The allocator hook, and the version of the ABI.
 *
 * In the hostile build each allocation can be told to fail, and memory is poisoned when it is new and when it is freed.
 */
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "jitffi/runtime.h"

#ifdef JITFFI_BARE /* the program gives the memory: jf_set_allocator */
static void* default_allocate(size_t size, void* context) {
  (void)size, (void)context;
  return NULL;
}

static void default_deallocate(void* memory, void* context) { (void)memory, (void)context; }
#else
static void* default_allocate(size_t size, void* context) {
  (void)context;
  return malloc(size);
}

static void default_deallocate(void* memory, void* context) {
  (void)context;
  free(memory);
}
#endif

static void* (*allocate)(size_t, void*) = default_allocate;
static void (*deallocate)(void*, void*) = default_deallocate;
static void* hook_context;
int32_t jf_allocator_is_set;

/* Another thread may see some of the three words of before and some of the new ones: see runtime.h. */
static void* take(size_t size) {
  return __atomic_load_n(&allocate, __ATOMIC_RELAXED)(size, __atomic_load_n(&hook_context, __ATOMIC_RELAXED));
}

static void give(void* memory) {
  __atomic_load_n(&deallocate, __ATOMIC_RELAXED)(memory, __atomic_load_n(&hook_context, __ATOMIC_RELAXED));
}

/* Borrows `context` for as long as the hook stands. */
void jf_set_allocator(void* (*new_allocate)(size_t, void*), void (*new_deallocate)(void*, void*), void* context) {
  __atomic_store_n(&allocate, new_allocate ? new_allocate : default_allocate, __ATOMIC_RELAXED);
  __atomic_store_n(&deallocate, new_deallocate ? new_deallocate : default_deallocate, __ATOMIC_RELAXED);
  __atomic_store_n(&hook_context, context, __ATOMIC_RELAXED);
  __atomic_store_n(&jf_allocator_is_set, new_allocate != NULL || new_deallocate != NULL, __ATOMIC_RELAXED);
  if (new_allocate) jf_large_block_cache_clear();
}

/* NULL functions: malloc and free. */
void jf_get_allocator(void* (**out_allocate)(size_t, void*), void (**out_deallocate)(void*, void*),
                      void** out_context) {
  void* (*const now_allocate)(size_t, void*) = __atomic_load_n(&allocate, __ATOMIC_RELAXED);
  void (*const now_deallocate)(void*, void*) = __atomic_load_n(&deallocate, __ATOMIC_RELAXED);
  *out_allocate = now_allocate == default_allocate ? NULL : now_allocate;
  *out_deallocate = now_deallocate == default_deallocate ? NULL : now_deallocate;
  *out_context = __atomic_load_n(&hook_context, __ATOMIC_RELAXED);
}

#ifndef JITFFI_HOSTILE

/* New memory, aligned as malloc's; NULL when there is none. */
void* jf_alloc(size_t size) {
  if (size > PTRDIFF_MAX) return NULL; /* some computation went below zero: no allocator need see that */
  return take(size ? size : 1);
}

/* Steals memory. */
void jf_free(void* memory) {
  if (memory) give(memory);
}

#else

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, size) ((void)(memory))
#define ASAN_UNPOISON_MEMORY_REGION(memory, size) ((void)(memory))
#endif

enum { PREFIX = 16 }; /* holds the size; keeps malloc's alignment */

static int64_t allocations_left = -1;
static int32_t has_failed;

void jf_hostile_fail_after(int64_t count) {
  __atomic_store_n(&allocations_left, count, __ATOMIC_RELAXED);
  __atomic_store_n(&has_failed, 0, __ATOMIC_RELAXED);
}

int32_t jf_hostile_failed(void) { return __atomic_load_n(&has_failed, __ATOMIC_RELAXED); }

int32_t jf_hostile_refuses(void) {
  int64_t left = __atomic_load_n(&allocations_left, __ATOMIC_RELAXED);
  if (left > 0) __atomic_sub_fetch(&allocations_left, 1, __ATOMIC_RELAXED);
  if (left == 0) __atomic_store_n(&has_failed, 1, __ATOMIC_RELAXED);
  return left == 0;
}

void* jf_alloc(size_t size) {
  if (jf_hostile_refuses() || size > PTRDIFF_MAX - PREFIX) return NULL;
  char* memory = take(size + PREFIX);
  if (!memory) return NULL;
  memcpy(memory, &size, sizeof size);
  ASAN_POISON_MEMORY_REGION(memory, PREFIX);
  memset(memory + PREFIX, 0xA5, size);
  return memory + PREFIX;
}

void jf_free(void* memory) {
  if (!memory) return;
  size_t size;
  ASAN_UNPOISON_MEMORY_REGION((char*)memory - PREFIX, PREFIX);
  memcpy(&size, (char*)memory - PREFIX, sizeof size);
  memset(memory, 0xDB, size);
  give((char*)memory - PREFIX);
}

#endif

uint32_t jf_abi_version(void) { return JF_ABI_VERSION; }
