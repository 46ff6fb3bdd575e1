/* Python exceptions and error objects, both ways, with their tracebacks. */
#ifndef JITFFI_PYTHON_ERROR_H
#define JITFFI_PYTHON_ERROR_H

#include "jitffi/abi.h"
#include "state.h"

/* -- error_kind.c -- */
/* core_to_python, once there are containers: small emitted modules have none, and what they name they bring in. */
extern PyObject* (*core_container_arg)(jf_object*);
PyObject* core_error_instance(PyObject* kind, PyObject* message, jf_object* host); /* new; NULL with an exception */

/* -- error.c -- */
extern PyTypeObject core_error_type;   /* jitffi.Error, a jitffi.Object */
int core_error_init(PyObject* module); /* after core_object_init */
PyObject* core_error_fetch(
    void); /* new: the exception that is set, normalised, and no longer set; NULL when there is none */
void core_error_restore(PyObject* exception);                  /* steals; its traceback and context stay as they are */
void core_error_add_note(PyObject* exception, PyObject* note); /* sets no exception */
/* The Python exception that is set becomes this thread's last error (kind, message, traceback text, cause, and itself as the
 * host exception). Without one set: RuntimeError that says so. */
void core_error_from_python(void);
jf_object* core_error_object_of(PyObject* exception); /* new: the error object for it; NULL with MemoryError */
/* The last error is taken and raised: the very exception it came from, with its traceback, or an exception of its kind (a built-in's
 * name; else RuntimeError with the kind in the text). Without one: RuntimeError naming the function that failed without an error. */
void core_error_raise(const core_state* state);
/* The same for an error object in hand; steals it. */
void core_error_raise_object(jf_object* error);

/* -- traceback.c -- */
void core_traceback_add(const char* text, size_t size); /* entries for the exception that is set, which stays so */
PyObject* core_traceback_rest(const char* text, size_t size); /* new: what is left, as a note; NULL: nothing */

#endif
