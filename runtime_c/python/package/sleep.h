/* Python objects that sleep: native code alone has their native objects, and they come back as what they were. */
#ifndef JITFFI_PYTHON_SLEEP_H
#define JITFFI_PYTHON_SLEEP_H

#include "wrapper.h"

/* -- sleep.c -- */
void core_sleep_init(void);
/* For the tp_dealloc of a Python object whose native object does not lie within it. 1: it sleeps, others have the native object.
 * 0: it ends, and nobody else has that. */
int core_falls_asleep(core_wrapper* wrapper);

/* -- derived.c -- */
/* Objects of classes that Python has derived from containers, arrays and errors sleep from now on: 0, or -1 with an exception. */
int core_derived_init(void);
int core_derived_visit(PyObject* self, visitproc visit, void* arg); /* its class, members of __slots__, and __dict__ */

#endif
