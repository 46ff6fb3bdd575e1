/* Operations on containers of Python's own that may have run code of somebody's class. */
#ifndef JITFFI_PYTHON_SCRIPT_EFFECT_H
#define JITFFI_PYTHON_SCRIPT_EFFECT_H

#include "effect.h"

void core_count_unless_own(PyObject* object); /* of operations that ask a container nothing of its items */
/* Of what goes through a list, tuple or dict. One with more items than `most` counts, unseen. */
void core_count_effects_of(PyObject* container, Py_ssize_t most);

/* Of what may go through it, and may end early: comparison, look-up, hashing. */
static inline void core_count_effects_in(PyObject* object) {
  enum { MOST = 32 };
  if (!core_is_plain(object)) core_count_effects_of(object, MOST);
}

#endif
