/* Functions that a script makes for Python, of code that the interpreter has compiled, and the cells that both share. */
#include "error.h"
#include "script_object.h"

PyObject* core_op_cell(PyObject* value) { return core_op_checked(PyCell_New(value)); }

static void fail_unbound(PyObject* name, int is_free) {
  if (!is_free) {
    PyErr_Format(PyExc_UnboundLocalError, "cannot access local variable '%U' where it is not associated with a value",
                 name);
  } else {
    PyErr_Format(PyExc_NameError,
                 "cannot access free variable '%U' where it is not associated with a value in enclosing scope", name);
  }
  core_error_from_python();
}

PyObject* core_op_cell_get(PyObject* cell, PyObject* name, int32_t is_free) {
  PyObject* found = PyCell_GET(cell);
  if (found != NULL) return Py_NewRef(found);
  fail_unbound(name, is_free);
  return NULL;
}

void core_op_cell_set(PyObject* cell, PyObject* value) {
  PyObject* old = PyCell_GET(cell);
  PyCell_SET(cell, Py_XNewRef(value));
  core_op_release(old);
}

/* New: a tuple of so many parts. */
static PyObject* tuple_of(PyObject* const* parts, Py_ssize_t count) {
  PyObject* made = PyTuple_New(count);
  for (Py_ssize_t i = 0; made != NULL && i < count; i++) PyTuple_SET_ITEM(made, i, Py_NewRef(parts[i]));
  return made;
}

/* New: a dict of names and as many parts. */
static PyObject* dict_of(PyObject* names, PyObject* const* parts) {
  PyObject* made = PyDict_New();
  for (Py_ssize_t i = 0; made != NULL && i < PyTuple_GET_SIZE(names); i++)
    if (PyDict_SetItem(made, PyTuple_GET_ITEM(names, i), parts[i]) != 0) Py_CLEAR(made);
  return made;
}

/* Give the function what it has beside its code; steals `given`. -1 with an exception. */
static int give(PyObject* function, int (*set)(PyObject*, PyObject*), PyObject* given) {
  const int status = given != NULL ? set(function, given) : -1;
  Py_XDECREF(given);
  return status;
}

PyObject* core_op_function(PyObject* code, PyObject* globals, PyObject** parts, int64_t num_defaults, PyObject* by_name,
                           PyObject* annotated) {
  const Py_ssize_t num_cells = PyCode_GetNumFree((PyCodeObject*)code), defaults = (Py_ssize_t)num_defaults;
  PyObject* made = PyFunction_New(code, globals);
  if (made == NULL) return core_op_checked(NULL);
  int status = num_cells == 0 ? 0 : give(made, PyFunction_SetClosure, tuple_of(parts, num_cells));
  parts += num_cells;
  if (status == 0 && defaults > 0) status = give(made, PyFunction_SetDefaults, tuple_of(parts, defaults));
  parts += defaults;
  if (status == 0 && by_name != NULL) status = give(made, PyFunction_SetKwDefaults, dict_of(by_name, parts));
  parts += by_name != NULL ? PyTuple_GET_SIZE(by_name) : 0;
  if (status == 0 && annotated != NULL) status = give(made, PyFunction_SetAnnotations, dict_of(annotated, parts));
  if (status != 0) Py_CLEAR(made);
  return core_op_checked(made);
}
