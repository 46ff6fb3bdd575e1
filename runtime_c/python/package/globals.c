/* The registry of global functions, and the addresses of function objects, for the package. */
#include "error.h"
#include "function.h"
#include "handle.h"
#include "jitffi/runtime.h"
#include "parts.h"

/* handle(function): the address of its function object, which it keeps from now on */
static PyObject* handle(PyObject* module, PyObject* function) {
  (void)module;
  core_function* f = (core_function*)core_function_get(function);
  if (!f) {
    PyErr_SetString(PyExc_TypeError, "expected a Function");
    return NULL;
  }
  jf_object* kept = core_function_keep_handle(f);
  return kept ? PyLong_FromVoidPtr(kept) : NULL;
}

static PyObject* raise_now(void) {
  jf_object* error = jf_error_take();
  core_error_raise_object(error);
  return NULL;
}

static PyObject* global_set(PyObject* module, PyObject* args) {
  (void)module;
  const char* name;
  PyObject* callable;
  int override_;
  if (!PyArg_ParseTuple(args, "sOp", &name, &callable, &override_)) return NULL;
  jf_object* function = core_function_handle(callable);
  if (!function) return NULL;
  int32_t status = jf_global_set(name, function, override_);
  jf_object_release(function);
  if (status != 0) return raise_now();
  Py_RETURN_NONE;
}

static PyObject* global_get(PyObject* module, PyObject* args) {
  (void)module;
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  jf_object* function = jf_global_get(name);
  if (!function) Py_RETURN_NONE;
  PyObject* result = core_function_box_named(function, name);
  jf_object_release(function);
  return result;
}

static PyObject* global_remove(PyObject* module, PyObject* args) {
  (void)module;
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  if (jf_global_remove(name) != 0) return raise_now();
  Py_RETURN_NONE;
}

static int32_t append_name(const char* name, void* list) {
  PyObject* text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
  int failed = !text || PyList_Append(list, text) < 0;
  Py_XDECREF(text);
  return failed ? -1 : 0;
}

static PyObject* global_list(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  PyObject* list = PyList_New(0);
  if (list && jf_global_list(append_name, list) != 0) {
    Py_CLEAR(list);
    if (!PyErr_Occurred()) return raise_now();
  }
  return list;
}

/* function_object(address): (call, signature or None) of a jf_function that native code made */
static PyObject* function_object(PyObject* module, PyObject* number) {
  (void)module;
  jf_function* function = PyLong_AsVoidPtr(number);
  if (!function) return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "NULL is no function object");
  return Py_BuildValue("Nz", PyLong_FromVoidPtr((void*)function->call), function->signature);
}

static PyMethodDef methods[] = {
    {"handle", handle, METH_O, NULL},
    {"function_object", function_object, METH_O, NULL},
    {"global_set", global_set, METH_VARARGS, NULL},
    {"global_get", global_get, METH_VARARGS, NULL},
    {"global_remove", global_remove, METH_VARARGS, NULL},
    {"global_list", global_list, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* Adds these to the module; -1 with an exception set on failure. */
int core_globals_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
