/* The state of a Function, which generated code reads, and where it stands.
 *
 *   Function (m_self of the builtin)          jf_function (a handle)         jf_closure (a C function pointer)
 *   +-- PyObject head                         +-- header, call, ...          +-- state --+
 *   +-- core_state  <-------- captures -------+-- captures 48                            |
 *   |     ^---------------------------------------------------------------- ------------+
 *   +-- PyMethodDef, info, owners
 *
 * Generated code finds everything outside itself in the table that the state points at, so it needs no relocation.
 * "temps" are the temporaries of one call (runtime.h); `index` counts parameters from 0, and -1 is the result.
 */
#ifndef JITFFI_PYTHON_STATE_H
#define JITFFI_PYTHON_STATE_H

#include "interpreter.h"
#include "jitffi/runtime.h"

typedef struct core_table core_table;
extern core_table core_the_table; /* table.c of the package; emitted code reads none */

/* The part of a Function that generated code reads; its offsets are reported to Python by layout.c. */
typedef struct {
  void* target; /* callee c: the C function; packed: its jf_packed_call; python: the callable (borrowed here) */
  const core_table* table; /* every outside address */
  jf_function* self;       /* callee packed: passed as self */
  const char* types;       /* interned types text */
  PyObject* kw_names;      /* last kwnames tuple that gave all keywords in order: the arguments are used in place */
  Py_ssize_t kw_given;     /* and how many positional arguments came before them */
  uint64_t on_error[2];    /* what a C entry without an error channel returns on failure, in the result's own bits */
  const jf_call_info* info;
  PyTypeObject**
      classes; /* of structs in the types, by value, behind pointers and in arrays: one a parameter, the result's last;
                             NULL of others and of those that have no class yet; NULL: there are none */
  void** releases; /* what frees values of types owned[...]: one a parameter, the result's last; NULL: there are none */
} core_state;

#endif
