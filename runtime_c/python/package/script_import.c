/* Import statements in scripts: what their names stand for, as the interpreter's own import finds it. */
#include "effect.h"
#include "error.h"
#include "script_object.h"

/* New: what builtins.__import__ gives, whoever may have put it there. `fromlist`: a tuple, or None. */
static PyObject* import(PyObject* name, PyObject* fromlist) {
  PyObject* function = PyDict_GetItemString(PyEval_GetBuiltins(), "__import__"); /* borrowed */
  if (function == NULL) {
    PyErr_SetString(PyExc_ImportError, "__import__ not found");
    return NULL;
  }
  PyObject* zero = PyLong_FromLong(0);
  PyObject* args[] = {name, Py_None, Py_None, fromlist, zero};
  Py_INCREF(function);
  PyObject* found = zero != NULL ? PyObject_Vectorcall(function, args, 5, NULL) : NULL;
  Py_DECREF(function);
  Py_XDECREF(zero);
  return found;
}

/* New: `import name as ...`, or the outermost package, which `import name` gives. */
PyObject* core_op_import(PyObject* name, int32_t is_whole) {
  core_host_operations++;
  if (!is_whole) return core_op_checked(import(name, Py_None));
  PyObject* fromlist = Py_BuildValue("(s)", "__name__"); /* which every module has */
  PyObject* found = fromlist != NULL ? import(name, fromlist) : NULL;
  Py_XDECREF(fromlist);
  return core_op_checked(found);
}

/* New: a submodule that its package does not have as an attribute yet, as in cycles of imports; NULL without an exception. */
static PyObject* submodule(PyObject* module, PyObject* name) {
  PyObject* package = PyObject_GetAttrString(module, "__name__");
  PyObject* full = package != NULL && PyUnicode_Check(package) ? PyUnicode_FromFormat("%U.%U", package, name) : NULL;
  PyObject* found = full != NULL ? PyImport_GetModule(full) : NULL;
  Py_XDECREF(package);
  Py_XDECREF(full);
  PyErr_Clear();
  return found;
}

/* The ImportError of the statement, in the words of this interpreter: it is run once more. */
static void fail(PyObject* module, PyObject* name) {
  PyObject* text = PyUnicode_FromFormat("from %U import %U", module, name);
  PyObject* globals = text != NULL ? PyDict_New() : NULL;
  const char* statement = globals != NULL ? PyUnicode_AsUTF8(text) : NULL;
  PyObject* ran = statement != NULL ? PyRun_String(statement, Py_file_input, globals, globals) : NULL;
  if (ran != NULL || !PyErr_Occurred()) /* by now it is there */
    PyErr_Format(PyExc_ImportError, "cannot import name %R from %R", name, module);
  Py_XDECREF(ran);
  Py_XDECREF(globals);
  Py_XDECREF(text);
}

/* New: `from module import name`. */
PyObject* core_op_import_from(PyObject* module, PyObject* name) {
  core_host_operations++;
  PyObject* fromlist = PyTuple_Pack(1, name);
  PyObject* from = fromlist != NULL ? import(module, fromlist) : NULL;
  Py_XDECREF(fromlist);
  PyObject* found = from != NULL ? PyObject_GetAttr(from, name) : NULL;
  if (found == NULL && from != NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    found = submodule(from, name);
    if (found == NULL) fail(module, name);
  }
  Py_XDECREF(from);
  return core_op_checked(found);
}
