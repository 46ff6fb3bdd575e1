/* The one mutex of the runtime, what a fork does to it, and the lock of the embedding language.
 *
 * A fork while another thread holds the mutex would leave it locked for ever in the child, so it is held across the
 * fork.
 */
#include "lock.h"
#include "jitffi/runtime.h"
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

static const jf_host_lock* host_lock;

void jf_set_host_lock(const jf_host_lock* lock) { __atomic_store_n(&host_lock, lock, __ATOMIC_RELEASE); }

void* jf_host_unlock(void) {
  const jf_host_lock* lock = __atomic_load_n(&host_lock, __ATOMIC_ACQUIRE);
  return lock ? lock->unlock() : NULL;
}

void jf_host_relock(void* unlocked) {
  const jf_host_lock* lock = unlocked ? __atomic_load_n(&host_lock, __ATOMIC_ACQUIRE) : NULL;
  if (lock) lock->relock(unlocked);
}
