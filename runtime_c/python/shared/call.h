/* What surrounds a call: arguments by keyword, calls of Python, checks of results. */
#ifndef JITFFI_PYTHON_CALL_H
#define JITFFI_PYTHON_CALL_H

#include "jitffi/runtime.h"
#include "state.h"

int core_call_init(PyObject* module);
extern PyObject* core_no_default;
PyObject* const* core_arrange(core_state* state, PyObject* const* args, Py_ssize_t given, PyObject* kwnames,
                              PyObject** out);
const jf_view* core_arrange_packed(core_state* state, int32_t given, const jf_view* args, jf_view* out);
PyObject* core_call_python(core_state* state, PyObject** args, Py_ssize_t count);
PyObject* core_call_entry(_PyCFunctionFastWithKeywords entry, PyObject** args, Py_ssize_t count);
void core_decref(PyObject* object);
void core_decref_array(PyObject** objects, Py_ssize_t count);
PyObject* core_take_object(jf_object* object);
int32_t core_errno_failed(core_state* state);
int32_t core_null_result(core_state* state, int32_t nullable);
int32_t core_fail_null(core_state* state, int32_t index);
int32_t core_check_out(core_state* state, jf_value* out, int32_t reserved);

/* A scalar, in the bits that jf_lift_scalar writes, and whether it failed: returned in two registers, so that generated code needs
 * no memory for it. */
typedef struct {
  int64_t value;
  int64_t status;
} core_scalar;
core_scalar core_scalar_of_object(core_state* state, int32_t index, PyObject* object, int32_t kind);
core_scalar core_scalar_of_slot(const jf_call_info* info, int32_t index, const jf_view* view, int32_t kind);

#endif
