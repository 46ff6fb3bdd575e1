/* Operations on containers of Python's own that may have run code of somebody's class. */
#ifndef JITFFI_PYTHON_SCRIPT_EFFECT_H
#define JITFFI_PYTHON_SCRIPT_EFFECT_H

#include "effect.h"

void core_count_unless_own(PyObject* object); /* of operations that ask a container nothing of its items */
/* Of what goes through a list, tuple or dict, at most so many items. */
void core_count_effects_in(PyObject* container, Py_ssize_t most);

#endif
