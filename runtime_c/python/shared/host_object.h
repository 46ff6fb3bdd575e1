/* Python objects that native ones hold, and references that are dropped without the GIL. */
#ifndef JITFFI_PYTHON_HOST_OBJECT_H
#define JITFFI_PYTHON_HOST_OBJECT_H

#include "interpreter.h"
#include "jitffi/containers.h"

int core_host_init(PyObject* module);
/* What Python says of a native object: asked of the Python object that stands for it. */
extern const jf_type_operations core_python_operations;
jf_object* core_host_new(PyObject* object);       /* new jf_host_object that holds `object`; NULL with an exception */
PyObject* core_host_get(const jf_object* object); /* borrowed; NULL when it is not ours */
/* Drops a reference from any thread: at once with the GIL, else later on the main thread, or when the GIL is next taken. */
void core_decref_anywhere(PyObject* object);
/* The same of a native object, whose end needs the GIL, without which this is called. */
void core_release_later(jf_object* object);
void core_drain_decrefs(
    void); /* those dropped without the GIL; to be called where the GIL has been taken; one load when there are none */

#endif
