/* Variants of scripts that were compiled quickly, for the first calls, and what becomes of a call that is in one when better code is
 * there.
 *
 *   first call   level 0, a few milliseconds --> runs                          on a thread without the interpreter's lock (llvm_apart.c):
 *                its loops ask now and then <-------- state: READY ----------  level 2
 *                what changes nothing is broken off, waits for  <-- INSTALLED  (Python has put the code in the variant's place)
 *                and begins again in the better code
 *
 * All other calls end in the code that they have begun in.
 */
#ifndef JITFFI_PYTHON_SCRIPT_QUICK_H
#define JITFFI_PYTHON_SCRIPT_QUICK_H

#include "script.h"

/* ENDED: installed, or there will be none. */
enum { CORE_QUICK_RUNNING, CORE_QUICK_READY, CORE_QUICK_ENDED };

/* Better code that is being made; Python's object. */
struct core_quick {
  PyObject_HEAD int32_t state;
  core_quick* next; /* in the queue, or among those that are done */
  PyObject* text;   /* bytes: the module's; NULL once it is compiled */
  void* buffer;     /* LLVM's, with the object file; NULL where it made none */
};

/* A call that is in the code of such a variant. */
typedef struct core_quick_call {
  core_quick* quick; /* NULL: of another variant */
  struct core_quick_call* outer;
  int breaks_off; /* it has been asked to */
} core_quick_call;

int core_is_quick(PyObject* object);
/* Around the call of a variant. `core_quick_end` says whether the call is to be made again, by the variant's code of then. */
void core_quick_begin(core_quick_call* call, const core_variant* variant);
int core_quick_end(core_quick_call* call);
/* Whether the innermost call has failed since it breaks off; the last error is taken then. */
int core_quick_was_broken_off(void);
/* What loops ask: whether the innermost call on this thread breaks off, with the last error set. Without the lock. */
int core_quick_breaks_off(void);

#endif
