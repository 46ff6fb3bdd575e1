/* Scripts that are left to the interpreter: calls of theirs are calls of the Python function that they were made of.
 *
 * That is known when a script is made, or when the first variant is compiled, or the ninth. From then on its vectorcall
 * goes straight to the function's; who has called it through a variant's way in, which asks `left` when no variant was
 * made, comes here with the arguments that it had. So does a single call that has met a value which scripts do not hold,
 * an int of more than 64 bits say: of an argument, or of a variant that has changed nothing that anybody else sees.
 */
#include "error.h"
#include "function.h"
#include "handle.h"
#include "jitffi/script.h"
#include "parts.h"
#include "script.h"
#include "trace.h"

#include <string.h>

/* Of Python functions, whose frames count the depth of recursion. */
static PyObject* call_function(PyObject* self, PyObject* const* args, size_t flags, PyObject* kwnames) {
  PyObject* callable = ((core_function*)self)->callable;
  return ((PyFunctionObject*)callable)->vectorcall(callable, args, flags, kwnames);
}

static PyObject* call_any(PyObject* self, PyObject* const* args, size_t flags, PyObject* kwnames) {
  return PyObject_Vectorcall(((core_function*)self)->callable, args, flags, kwnames);
}

/* -- calls that are made again ---------------------------------------------------------------------------------------- */

static int says(const jf_str* text, const char* words) {
  return text->size == strlen(words) && memcmp(text->data, words, text->size) == 0;
}

int core_script_left_error(core_script* script, const core_variant* variant) {
  const jf_error* error = (const jf_error*)jf_error_peek();
  if (error == NULL || script->strict) return 0;
  const int is_guess = says(error->message, CORE_SCRIPT_BEYOND_GUESS); /* before anything else has happened */
  if (!is_guess && !variant->repeats) return 0;
  if (!is_guess && !says(error->message, JF_SCRIPT_BEYOND_INT) && !says(error->message, JF_SCRIPT_BEYOND_FLOAT) &&
      !says(error->message, CORE_SCRIPT_BEYOND_TEXT) && !says(error->message, CORE_SCRIPT_BEYOND_FIELD))
    return 0;
  script->unsure |= is_guess;
  jf_object_release(jf_error_take());
  return 1;
}

int core_script_left_argument(const core_script* script) {
  if (script->strict) return 0;
  if (PyErr_Occurred() == NULL) return 1;
  if (!PyErr_ExceptionMatches(PyExc_OverflowError) && !PyErr_ExceptionMatches(PyExc_UnicodeError)) return 0;
  PyErr_Clear();
  return 1;
}

/* -- calls --------------------------------------------------------------------------------------------------------------- */

PyObject* core_left_call(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
  return PyObject_Vectorcall(((core_function*)self)->callable, args, (size_t)given, kwnames);
}

/* script_left(function): calls of `function` are calls of its callable from now on. */
static PyObject* script_left(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  if (!PyArg_ParseTuple(args, "O!", &core_function_type, &f)) return NULL;
  f->packed = core_dynamic_entry;
  if (f->script != NULL) f->script->left = 1;
  f->def.ml_flags = METH_FASTCALL | METH_KEYWORDS;
  f->def.ml_meth = core_trace_entry(f, (PyCFunction)(void (*)(void))core_left_call);
  f->vectorcall = core_trace_on                   ? core_trace_script_vectorcall
                  : PyFunction_Check(f->callable) ? call_function
                                                  : call_any;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"script_left", script_left, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* Adds it to the module; -1 with an exception set on failure. */
int core_script_left_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
