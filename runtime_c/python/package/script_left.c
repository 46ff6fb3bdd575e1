/* Scripts that are left to the interpreter: calls of theirs are calls of the Python function that they were made of.
 *
 * That is known when a script is made, or when the first variant is compiled, or the ninth. From then on its vectorcall
 * goes straight to the function's; who has called it through a variant's way in, which asks `left` when no variant was
 * made, comes here with the arguments that it had.
 */
#include "error.h"
#include "function.h"
#include "handle.h"
#include "parts.h"
#include "script.h"
#include "trace.h"

/* Of Python functions, whose frames count the depth of recursion. */
static PyObject* call_function(PyObject* self, PyObject* const* args, size_t flags, PyObject* kwnames) {
  PyObject* callable = ((core_function*)self)->callable;
  return ((PyFunctionObject*)callable)->vectorcall(callable, args, flags, kwnames);
}

static PyObject* call_any(PyObject* self, PyObject* const* args, size_t flags, PyObject* kwnames) {
  return PyObject_Vectorcall(((core_function*)self)->callable, args, flags, kwnames);
}

PyObject* core_left_call(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
  return PyObject_Vectorcall(((core_function*)self)->callable, args, (size_t)given, kwnames);
}

/* script_left(function, callable): calls of `function` are calls of `callable` from now on. */
static PyObject* script_left(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  PyObject* callable;
  if (!PyArg_ParseTuple(args, "O!O", &core_function_type, &f, &callable)) return NULL;
  if (!PyCallable_Check(callable)) return PyErr_Format(PyExc_TypeError, "%R is not callable", callable);
  Py_XSETREF(f->callable, Py_NewRef(callable));
  f->state.target = callable;
  f->packed = core_dynamic_entry;
  if (f->script != NULL) f->script->left = 1;
  f->def.ml_flags = METH_FASTCALL | METH_KEYWORDS;
  f->def.ml_meth = core_trace_entry(f, (PyCFunction)(void (*)(void))core_left_call);
  f->vectorcall = core_trace_on ? core_trace_script_vectorcall : PyFunction_Check(callable) ? call_function : call_any;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"script_left", script_left, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* Adds it to the module; -1 with an exception set on failure. */
int core_script_left_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
