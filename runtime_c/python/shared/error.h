/* Python exceptions and error objects, both ways, with their tracebacks. */
#ifndef JITFFI_PYTHON_ERROR_H
#define JITFFI_PYTHON_ERROR_H

#include "jitffi/runtime.h"
#include "state.h"

/* -- error_kind.c -- */
/* core_to_python, once there are containers: small emitted modules have none, and what they name they bring in. */
extern PyObject* (*core_container_arg)(jf_object*);
PyObject* core_error_instance(PyObject* kind, PyObject* message, jf_object* host); /* new; NULL with an exception */

PyObject* core_error_kind_of(
    PyTypeObject* type); /* new: what it or a base is registered as; NULL without an exception */
PyObject* core_error_registry(
    int create); /* borrowed: (classes by kind, kinds by class address); NULL: there is none */

PyObject* core_error_class(PyObject* kind); /* new: the class of what raising an error of that kind raises */

/* -- handled_error.c -- */
void core_handled_error_init(void); /* errors that native code catches are Python's, too */
void core_show_handled(void);       /* before Python code runs: it sees what native code is handling. Needs the lock */
/* New: the exception that an error stands for from now on, with the lines that it has passed. NULL with an exception. */
PyObject* core_error_settled(jf_object* error);

/* -- error_object.c -- */
extern PyTypeObject core_error_type;   /* jitffi.Error, a jitffi.Object */
int core_error_init(PyObject* module); /* after core_object_init */

/* -- error.c -- */
PyObject* core_error_text(PyObject* text);               /* new, for C: NULs and lone surrogates are escapes; steals */
PyObject* core_error_field(const jf_str* text);          /* new; "" for NULL */
PyObject* core_error_exception(const jf_object* object); /* new: what raising the error would raise */
PyObject* core_error_new_exception(const jf_object* object); /* new: the same without the lines of its traceback */
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
/* The same after a call of that native function: the traceback shows it. */
void core_error_raise_call(const core_state* state);
/* The same for an error object in hand; steals it. */
void core_error_raise_object(jf_object* error);

/* -- traceback.c -- */
void core_traceback_add(const char* text, size_t size); /* entries for the exception that is set, which stays so */
PyObject* core_traceback_rest(const char* text, size_t size); /* new: what is left, as a note; NULL: nothing */

#endif
