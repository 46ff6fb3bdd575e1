/* The one mutex of the runtime, and what a fork does to it.
 *
 * A fork while another thread holds the mutex would leave it locked for ever in the child, so it is held across the
 * fork.
 */
#include "lock.h"
#include "message.h"
#include "threads.h"

static jf_mutex mutex = JF_MUTEX_INITIALIZER;

void jf_lock(void) { jf_mutex_lock(&mutex); }
void jf_unlock(void) { jf_mutex_unlock(&mutex); }

#if JF_HAVE_FORK
static void unlock_in_child(void) {
  jf_errors_after_fork();
  jf_unlock();
}

JF_AT_FORK(jf_lock, jf_unlock, unlock_in_child);
#endif
