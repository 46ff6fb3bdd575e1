/* Threads: taking and giving the interpreter's lock around native code, and the errors that C code cannot carry.
 *
 * A thread that Python does not know gets a thread state on its first callback and keeps it until it ends, since making
 * one costs forty times a callback. Its errors have no adapter below them to raise them: they go to the newest native call that
 * waits without the lock (nogil=True), which is the one that such a thread works for, else to sys.unraisablehook.
 */
#include <errno.h>
#include <pthread.h>

#include "build.h"
#include "error.h"
#include "function.h"
#include "gil.h"
#include "host_object.h"
#include "jitffi/runtime.h"
#include "state.h"

/* A thread that is inside native calls without the lock. In the list while depth > 0; the list needs the lock. */
typedef struct waiting {
  struct waiting *newer, *older;
  int depth;
  core_without_gil script; /* of the innermost script among them */
  jf_object* orphan;       /* an error of a foreign thread, atomic */
} waiting;

static waiting* newest;
static CORE_THREAD_LOCAL waiting* own_waiting;
static pthread_key_t waiting_key;

#if PY_VERSION_HEX < 0x030C0000
/* The thread state that this thread was last seen to hold the lock with. An address may be used again, its id is not. */
static CORE_THREAD_LOCAL PyThreadState* seen_state;
static CORE_THREAD_LOCAL uint64_t seen_id;

static __attribute__((noinline, cold)) int see(PyThreadState* holder) {
  if (!PyGILState_Check()) return 0;
  seen_state = holder;
  seen_id = holder->id;
  return 1;
}
#endif

static inline int has_gil(void) {
#if PY_VERSION_HEX >= 0x030D0000
  return PyThreadState_GetUnchecked() != NULL;
#elif PY_VERSION_HEX >= 0x030C0000
  return _PyThreadState_UncheckedGet() != NULL;
#else
  /* Before 3.12 the current thread state is one for the process, whoever asks: it must be ours, too. */
  PyThreadState* holder = _PyThreadState_UncheckedGet();
  return holder && ((holder == seen_state && holder->id == seen_id) || see(holder));
#endif
}

/* 1 if this thread holds the lock. */
int32_t core_has_gil(void) { return has_gil(); }

/* The tokens of core_enter_python. */
#define HAD_LOCK ((void*)1)
#define TOOK_LOCK ((void*)2)

/* While this thread waits for the lock its Function may die, which only who holds the lock can bring about. */
static __attribute__((noinline, cold)) void* take_lock(core_state* state, const jf_closure* closure) {
  if (!Py_IsInitialized() || core_is_finalizing()) {
    jf_error_set("RuntimeError", "a callback into Python after the interpreter has ended");
    return NULL;
  }
  PyThreadState* ts = PyGILState_GetThisThreadState();
  if (ts)
    PyEval_RestoreThread(ts);
  else if (core_adopt_thread() < 0)
    return NULL;
  core_drain_decrefs();
  if (closure && closure->state != state) {
    jf_error_set("RuntimeError", "a native function pointer was called while its Function was released");
    PyEval_SaveThread();
    return NULL;
  }
  Py_INCREF(core_function_of(state));
  return TOOK_LOCK;
}

void* core_enter_python(core_state* state, const jf_closure* closure) {
  if (!has_gil()) return take_lock(state, closure);
  Py_INCREF(core_function_of(state));
  return HAD_LOCK;
}

void core_leave_python(core_state* state, void* token, PyObject* object) {
  Py_XDECREF(object);
  Py_DECREF(core_function_of(state));
  if (token == TOOK_LOCK) PyEval_SaveThread();
}

static waiting* this_waiting(void) {
  if (!own_waiting) {
    own_waiting = calloc(1, sizeof *own_waiting);
    if (own_waiting) pthread_setspecific(waiting_key, own_waiting);
  }
  return own_waiting;
}

/* A thread that is ended inside a native call, as daemon threads are when the interpreter ends, leaves its record in the list. */
static void drop_waiting(void* own) {
  waiting* w = own;
  if (w->depth > 0) return;
  jf_object_release(w->orphan);
  free(w);
}

/* Gives the lock up around a native call. What it returns goes to core_acquire_gil. */
void* core_release_gil(core_state* state) {
  (void)state;
  waiting* w = this_waiting();
  if (w && w->depth++ == 0) {
    w->older = newest;
    w->newer = NULL;
    if (newest) newest->newer = w;
    newest = w;
  }
  return PyEval_SaveThread();
}

void* core_release_gil_for_script(core_state* state, core_without_gil* outer) {
  void* saved = core_release_gil(state);
  waiting* w = own_waiting;
  if (w) {
    *outer = w->script;
    w->script = (core_without_gil){.depth = w->depth};
  }
  return saved;
}

/* A callback that is in Python now leaves the script below it with the lock. */
void* core_keep_gil(void* token) {
  waiting* w = own_waiting;
  if (token != TOOK_LOCK || !w || w->depth == 0 || w->depth != w->script.depth) return token;
  w->script.keeps = 1;
  return HAD_LOCK;
}

/* 1 while a thread is inside a native call that gave the lock up. Needs the lock. */
int core_calls_without_gil(void) { return newest != NULL; }

/* Needs the lock. */
static void leave_waiting(void) {
  waiting* w = own_waiting;
  if (w && w->depth > 0 && --w->depth == 0) {
    if (w->newer)
      w->newer->older = w->older;
    else
      newest = w->older;
    if (w->older) w->older->newer = w->newer;
  }
}

/* Leaves errno as it is: the native call's result is looked at after this. */
void core_acquire_gil(void* saved) {
  int code = errno;
  PyEval_RestoreThread(saved);
  leave_waiting();
  core_drain_decrefs();
  errno = code;
}

void core_acquire_gil_for_script(void* saved, core_without_gil outer) {
  waiting* w = own_waiting;
  if (!w || !w->script.keeps) PyEval_RestoreThread(saved);
  if (w) w->script = outer;
  leave_waiting();
  core_drain_decrefs();
}

static void change_pending(int32_t delta) {
  __atomic_fetch_add((int32_t*)jf_error_pending_count(), delta, __ATOMIC_RELAXED);
}

/* The error of a foreign thread's outermost callback: to whoever waits, or to sys.unraisablehook. */
static void hand_over(void) {
  jf_object* error = jf_error_take();
  if (!error || !Py_IsInitialized() || core_is_finalizing()) {
    jf_object_release(error);
    return;
  }
  PyThreadState* ts = PyGILState_GetThisThreadState();
  PyEval_RestoreThread(ts);
  if (newest && !newest->orphan) {
    newest->orphan = error;
    change_pending(1);
  } else {
    core_error_raise_object(error);
    PyErr_WriteUnraisable(NULL);
  }
  PyEval_SaveThread();
}

/* On a foreign thread: no adapter of ours is below, which would hold the lock or have given it up for a native call. */
static int outermost(void) { return !has_gil() && !(own_waiting && own_waiting->depth); }

void core_error_pending(void) {
  if (core_is_foreign_thread() && outermost())
    hand_over();
  else
    jf_error_mark_pending();
}

/* 1 if callbacks of this thread do not run until its pending error is taken. Below a foreign thread's outermost callback
 * nobody takes it; a closure's call after death can leave one there. */
int32_t core_is_pending(void) {
  if (!jf_error_is_pending()) return 0;
  if (!outermost() || !Py_IsInitialized() || core_is_finalizing()) return 1;
  if (!core_is_foreign_thread()) {
    if (PyGILState_GetThisThreadState() || core_adopt_thread() < 0) return 1;
    PyEval_SaveThread();
  }
  hand_over();
  return 0;
}

int32_t core_take_pending(void) {
  jf_object* error = NULL;
  if (jf_error_is_pending()) {
    error = jf_error_take();
  } else if (own_waiting && own_waiting->orphan) {
    error = own_waiting->orphan;
    own_waiting->orphan = NULL;
    change_pending(-1);
  }
  if (!error) return 0;
  jf_error_set_object(error);
  return 1;
}

/* After a fork only this thread is left: nobody else waits. The runtime has counted its pending error alone. */
static void forget_others(void) {
  newest = NULL;
  if (!own_waiting) return;
  if (own_waiting->orphan) change_pending(1);
  if (own_waiting->depth > 0) {
    newest = own_waiting;
    newest->newer = newest->older = NULL;
  }
}

static void* unlock_python(void) { return has_gil() ? core_release_gil(NULL) : NULL; }

int core_gil_init(PyObject* module) {
  (void)module;
  static const jf_host_lock lock = {unlock_python, core_acquire_gil};
  if (core_foreign_thread_init() != 0) return -1;
  if (pthread_key_create(&waiting_key, drop_waiting) || pthread_atfork(NULL, NULL, forget_others)) {
    PyErr_SetString(PyExc_ImportError, "jitffi: no thread-specific key left");
    return -1;
  }
  jf_set_host_lock(&lock);
  return 0;
}
