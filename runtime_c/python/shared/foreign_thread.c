/* Thread states of threads that Python did not start: made at their first callback, let go when they end.
 *
 *   a callback ---> core_adopt_thread ---> the thread's own, by a key of pthread
 *   its end    ---> hand_over         ---> a list ---> the reaper, a thread that waits for the lock and clears them
 *
 * A thread that ends must not wait for the interpreter's lock: who has called C with the lock may be joining it. Another
 * thread of Python cannot do it in its place either, since deleting a thread state forgets what PyGILState_Ensure knows of
 * the thread that does so (pystate.c, unbind_gilstate_tstate, from CPython 3.12 on); the reaper has nothing there to lose.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "build.h"
#include "gil.h"
#include "interpreter.h"
#include "jitffi/runtime.h"

typedef struct orphan {
  struct orphan* next;
  PyThreadState* state;
} orphan;

static pthread_key_t adopted_key;
static CORE_THREAD_LOCAL int is_adopted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static orphan* orphans;
static int has_reaper;

int core_is_foreign_thread(void) { return is_adopted; }

static orphan* next_orphan(void) {
  pthread_mutex_lock(&mutex);
  while (orphans == NULL) pthread_cond_wait(&came, &mutex);
  orphan* found = orphans;
  orphans = found->next;
  pthread_mutex_unlock(&mutex);
  return found;
}

/* As another thread state, made for this: from CPython 3.14 on one knows the stack of the thread that it was made on, and takes
 * this thread's for full. */
static void drop(PyThreadState* state) {
  if (!Py_IsInitialized() || core_is_finalizing()) return;
  PyThreadState* own = PyThreadState_New(PyInterpreterState_Main());
  if (own == NULL) return; /* without memory it stays */
  PyEval_RestoreThread(own);
  PyThreadState_Clear(state);
  PyThreadState_Delete(state);
  PyThreadState_Clear(own);
  PyThreadState_DeleteCurrent();
}

static void* reap(void* unused) {
  (void)unused;
  for (;;) {
    orphan* found = next_orphan();
    drop(found->state);
    free(found);
  }
  return NULL;
}

/* Needs the mutex. Signals are for Python's own threads. */
static int start_reaper(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  sigset_t all, before;
  if (pthread_attr_init(&attributes) != 0) return -1;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const int status = pthread_create(&thread, &attributes, reap, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return status == 0 ? 0 : -1;
}

/* Runs when a foreign thread ends. Without memory for a thread its state stays, until the next one ends. */
static void hand_over(void* adopted) {
  orphan* own = adopted;
  if (!Py_IsInitialized() || core_is_finalizing()) return;
  pthread_mutex_lock(&mutex);
  own->next = orphans;
  orphans = own;
  if (!has_reaper) has_reaper = start_reaper() == 0;
  pthread_cond_signal(&came);
  pthread_mutex_unlock(&mutex);
}

int core_adopt_thread(void) {
  orphan* own = malloc(sizeof *own);
  if (own == NULL || pthread_setspecific(adopted_key, own) != 0) {
    free(own);
    jf_error_set("MemoryError", "no memory for a thread's state");
    return -1;
  }
  const PyGILState_STATE status = PyGILState_Ensure();
  if (status != PyGILState_UNLOCKED) { /* it has got one meanwhile: it is Python's to free */
    pthread_setspecific(adopted_key, NULL);
    free(own);
    return 0;
  }
  own->state = PyThreadState_Get();
  is_adopted = 1;
  return 0;
}

static void before_fork(void) { pthread_mutex_lock(&mutex); }

static void after_fork(void) { pthread_mutex_unlock(&mutex); }

/* Only this thread is left, and CPython frees the states of all others (PyOS_AfterFork_Child). */
static void after_fork_in_child(void) {
  for (orphan* next; orphans != NULL; orphans = next) {
    next = orphans->next;
    free(orphans);
  }
  has_reaper = 0;
  pthread_cond_init(&came, NULL);
  pthread_mutex_unlock(&mutex);
}

/* Once: an import that was interrupted is tried again, and a handler that locks must not be there twice. */
int core_foreign_thread_init(void) {
  static int is_done;
  if (is_done) return 0;
  is_done = pthread_key_create(&adopted_key, hand_over) == 0 &&
            pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
  if (is_done) return 0;
  PyErr_SetString(PyExc_ImportError, "jitffi: no thread-specific key left");
  return -1;
}
