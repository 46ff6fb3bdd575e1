/* Whether somebody wants a running script to end: asked by loops, now and then. */
#include <time.h>

#include "jitffi/script.h"

#ifdef CLOCK_MONOTONIC_COARSE
#define CLOCK CLOCK_MONOTONIC_COARSE /* some nanoseconds, where an exact one takes thirty */
#else
#define CLOCK CLOCK_MONOTONIC
#endif

/* Rounds between two questions at most, and the milliseconds that should lie between them: about a tick of the clock. */
enum { MOST = 1 << 20, LONG = 6 };

static int32_t (*interrupt_hook)(void);
static __thread int64_t last_asked;

/* `interrupted` returns 0, or -1 with the error set that the script is to end with. It may be called by any thread, and must
 * touch nothing that the script can see. */
void jf_set_interrupt(int32_t (*interrupted)(void)) {
  __atomic_store_n(&interrupt_hook, interrupted, __ATOMIC_RELEASE);
}

int64_t jf_script_interrupted(int64_t rounds) {
  int32_t (*const interrupted)(void) = __atomic_load_n(&interrupt_hook, __ATOMIC_ACQUIRE);
  if (interrupted == NULL) return MOST;
  if (interrupted() != 0) return -1;
  struct timespec now;
  clock_gettime(CLOCK, &now);
  const int64_t time = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000, passed = time - last_asked;
  last_asked = time;
  if (passed == 0) return rounds < MOST / 2 ? 2 * rounds : MOST;
  if (passed < LONG) return rounds;
  return rounds > 4 ? rounds / 4 : 1;
}
