/* What the runtime needs of threads: a mutex, an end that is noticed, forks. Where there are no threads all of it is
 * nothing (thread-local variables need no word: a compiler for such a target makes them plain ones).
 */
#ifndef JITFFI_THREADS_H
#define JITFFI_THREADS_H

#include <stdint.h>

#if defined(__wasm__) && defined(_REENTRANT)
#error "jitffi: the runtime has no locks on wasm; build without threads"
#endif

#include "macros.h"

#ifndef JF_NO_SYSTEM
#include <pthread.h>

#define JF_HAVE_FORK 1

typedef pthread_mutex_t jf_mutex;
#define JF_MUTEX_INITIALIZER PTHREAD_MUTEX_INITIALIZER
static inline void jf_mutex_lock(jf_mutex* mutex) { pthread_mutex_lock(mutex); }
static inline void jf_mutex_unlock(jf_mutex* mutex) { pthread_mutex_unlock(mutex); }

/* At load time: later, two threads could race for them. */
#define JF_AT_FORK(before, in_parent, in_child)                                                                   \
  __attribute__((constructor)) static void install_at_fork(void) { pthread_atfork(before, in_parent, in_child); } \
  typedef int needs_a_semicolon
/* At file level: `function`, which gets nothing of use, runs at the end of each thread that called watch_thread. */
#define JF_AT_THREAD_END(function)                                                                       \
  static pthread_key_t thread_end;                                                                       \
  __attribute__((constructor)) static void make_key(void) { pthread_key_create(&thread_end, function); } \
  /* Whether it will. Once a thread is enough; after `function` has run, once more. */                   \
  static int32_t watch_thread(void) { return pthread_setspecific(thread_end, &thread_end) == 0; }        \
  typedef int needs_a_semicolon

#else

#define JF_HAVE_FORK 0

typedef char jf_mutex;
#define JF_MUTEX_INITIALIZER 0
static inline void jf_mutex_lock(jf_mutex* mutex) { (void)mutex; }
static inline void jf_mutex_unlock(jf_mutex* mutex) { (void)mutex; }
#define JF_AT_THREAD_END(function)                         \
  static int32_t watch_thread(void) {                      \
    (void)function; /* the only thread ends with it all */ \
    return 1;                                              \
  }                                                        \
  typedef int needs_a_semicolon

#endif
#endif
