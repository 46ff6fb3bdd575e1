/* Which Function a C function pointer is: its closure says so, or that it was passed to C by that address.
 *
 * What is noted here is borrowed, and forgotten when the Function dies; all of it under the interpreter's lock.
 */
#include "function_at.h"
#include "function.h"
#include "jitffi/runtime.h"
#include "state.h"

static PyObject*
    passed; /* dict: the address of a C function -> that of the live Function that was passed for it last */

int core_note_passed(core_function* f) {
  if (f->passed || f->callee != 'c' || f->state.table != &core_the_table) return 0;
  PyObject* key = PyLong_FromVoidPtr(f->native);
  PyObject* value = key ? PyLong_FromVoidPtr(f) : NULL;
  if (!passed) passed = PyDict_New();
  int status = value && passed ? PyDict_SetItem(passed, key, value) : -1;
  f->passed = status == 0;
  Py_XDECREF(key);
  Py_XDECREF(value);
  return status;
}

/* Borrowed; NULL without an exception. */
static core_function* passed_at(void* address) {
  PyObject* key = passed ? PyLong_FromVoidPtr(address) : NULL;
  PyObject* found = key ? PyDict_GetItem(passed, key) : NULL;
  Py_XDECREF(key);
  return found ? PyLong_AsVoidPtr(found) : NULL;
}

void core_forget_passed(core_function* f) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* key = passed_at(f->native) == f ? PyLong_FromVoidPtr(f->native) : NULL;
  if (key && PyDict_DelItem(passed, key) < 0) PyErr_Clear();
  Py_XDECREF(key);
  PyErr_Restore(type, value, traceback);
}

core_function* core_function_at(void* address) {
  const jf_closure* closure = jf_closure_at(address);
  if (!closure) return passed_at(address);
  if (!closure->state || ((core_state*)closure->state)->table != &core_the_table) return NULL;
  core_function* f = core_function_of(closure->state);
  return f->closure == closure ? f : NULL;
}
