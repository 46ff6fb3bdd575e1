/* Threads, the interpreter's lock, and the pending error. */
#ifndef JITFFI_PYTHON_GIL_H
#define JITFFI_PYTHON_GIL_H

#include "jitffi/runtime.h"
#include "state.h"

#if PY_VERSION_HEX >= 0x030D0000
#define core_is_finalizing() Py_IsFinalizing()
#else
#define core_is_finalizing() _Py_IsFinalizing()
#endif

/* -- foreign_thread.c: threads that Python did not start ------------------------------------------------------------- */

int core_foreign_thread_init(void);
int core_is_foreign_thread(void); /* whether this one was adopted */
/* This thread, which Python does not know, gets a thread state and the lock. -1 with the last error set. */
int core_adopt_thread(void);

/* -- gil.c ------------------------------------------------------------------------------------------------------------ */

int core_gil_init(PyObject* module);
int32_t core_has_gil(void);
/* Takes the lock if this thread has not got it, and a reference to the Function; NULL with the last error set when the
 * interpreter is gone, or the Function died while the thread waited: `closure` tells, NULL where the caller keeps it alive.
 * What it returns goes to core_leave_python. */
void* core_enter_python(core_state* state, const jf_closure* closure);
/* Drops `object` (may be NULL) and the Function, and gives the lock back where it was taken. */
void core_leave_python(core_state* state, void* token, PyObject* object);
void* core_release_gil(core_state* state);
/* Around a script: Python can share lists and maps with it while it runs, which have no lock of their own. From then on it
 * keeps the interpreter's. */
typedef struct {
  int depth; /* how many native calls of this thread had given the lock up then, and the script; 0: no script has */
  int keeps;
} core_without_gil;
void* core_release_gil_for_script(core_state* state, core_without_gil* outer);
void core_acquire_gil_for_script(void* saved, core_without_gil outer);
void* core_keep_gil(void* token); /* of core_enter_python: the token to leave with */
int core_calls_without_gil(void);
void core_acquire_gil(void* saved);
void core_error_pending(void);   /* the last error becomes pending, or goes to whoever waits for this foreign thread */
int32_t core_is_pending(void);   /* 1: a callback of this thread must not run */
int32_t core_take_pending(void); /* 1: there was one for this thread, it is the last error now */

#endif
