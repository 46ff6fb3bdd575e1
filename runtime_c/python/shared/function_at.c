/* Which Function a C function pointer is: its closure says so, or that it was passed to C by that address.
 *
 * What is noted here is borrowed, and forgotten when the Function dies; all of it under the interpreter's lock.
 */
#include "function_at.h"
#include "error.h"
#include "function.h"
#include "jitffi/runtime.h"
#include "state.h"

/* What stands in the chain of dead closures' place in a live one of ours: others may have a state of any kind. */
static void* const mark = &core_the_table;

void core_function_mark(core_function* f) { f->closure->next_free = mark; }

int core_function_close(core_function* f, void* body, int32_t result_class) {
  f->closure = jf_closure_new(&f->state, body, result_class);
  if (!f->closure) {
    core_error_raise(&f->state);
    return -1;
  }
  core_function_mark(f);
  f->native = jf_closure_address(f->closure);
  return 0;
}

/* dict: the address of a C function -> that of the live Function that was passed for it, the last of several */
static PyObject* passed;

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
  PyObject* exception = core_error_fetch();
  PyObject* key = passed_at(f->native) == f ? PyLong_FromVoidPtr(f->native) : NULL;
  if (key && PyDict_DelItem(passed, key) < 0) PyErr_Clear();
  Py_XDECREF(key);
  if (exception) core_error_restore(exception);
}

core_function* core_function_at(void* address) {
  const jf_closure* closure = jf_closure_at(address);
  if (!closure) return passed_at(address);
  return closure->next_free == mark ? core_function_of(closure->state) : NULL;
}
