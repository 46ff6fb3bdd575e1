/* The end of a thread's stack, for recursion to stop before it. */
#include "jitffi/script.h"

#if defined(__linux__)
#include <pthread.h>

/* What is left for those who are called at the end: an error, its line, the releases on the way out. */
enum { RESERVED = 256 << 10 };

static __thread uintptr_t bottom, lowest, highest;

static void look(void) {
  pthread_attr_t attributes;
  void* start;
  size_t size;
  highest = 1; /* nothing is known */
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
    bottom = (uintptr_t)start;
    lowest = bottom + (size / 4 < RESERVED ? size / 4 : RESERVED);
    highest = bottom + size;
  }
  pthread_attr_destroy(&attributes);
}

/* 0 on a stack that is not the thread's own, a coroutine's. */
int64_t jf_script_stack_limit(void) {
  const char here = 0;
  if (highest == 0) look();
  const uintptr_t at = (uintptr_t)&here;
  return at >= bottom && at < highest ? (int64_t)lowest : 0;
}
#else
int64_t jf_script_stack_limit(void) { return 0; }
#endif
