/* Function objects, the handles of Functions in native code, and calls that have no signature to go by. */
#ifndef JITFFI_PYTHON_HANDLE_H
#define JITFFI_PYTHON_HANDLE_H

#include "function.h"
#include "jitffi/abi.h"

PyObject* core_function_box_named(jf_object* function, const char* name); /* new: `name` where it is none of ours */
jf_object* core_function_keep_handle(
    core_function* function); /* borrowed: its handle, which it keeps; NULL with an exception */
/* A new handle (jf_function) for a Function, a builtin of ours, or any other callable; NULL with an exception. */
jf_object* core_function_handle(PyObject* callable);
PyObject* core_function_box(
    jf_object* function); /* the builtin for a jf_function, new; the one that is alive if there is */
core_function* core_function_made_by(const jf_object* function); /* borrowed; NULL when it is none of ours */
PyObject* core_function_identity(const jf_object* function);     /* borrowed: what two that are equal share; NULL */
PyObject* core_dynamic_call(PyObject* self, PyObject* const* args, Py_ssize_t given); /* METH_FASTCALL, no signature */
int32_t core_dynamic_entry(jf_function* self, int32_t count, const jf_view* args, jf_value* out);

#endif
