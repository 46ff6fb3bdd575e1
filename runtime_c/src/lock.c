/* The one mutex of the runtime, and what a fork does to it.
 *
 * A fork while another thread holds the mutex would leave it locked for ever in the child, so it is held across the
 * fork.
 */
#include <pthread.h>

#include "internal.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void jf_lock(void) { pthread_mutex_lock(&mutex); }
void jf_unlock(void) { pthread_mutex_unlock(&mutex); }

static void unlock_in_child(void) {
  jf_errors_after_fork();
  jf_unlock();
}

/* At load time: later, two threads could race for it. */
__attribute__((constructor)) static void install(void) { pthread_atfork(jf_lock, jf_unlock, unlock_in_child); }
