/* The registry of global functions, and function objects as such, their addresses and their calls, for the package. */
#include "borrow.h"
#include "box.h"
#include "error.h"
#include "function.h"
#include "handle.h"
#include "host_object.h"
#include "jitffi/legacy.h"
#include "jitffi/module.h"
#include "jitffi/runtime.h"
#include "parts.h"
#include "wrapper.h"

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

static PyObject* global_metadata(PyObject* module, PyObject* args) {
  (void)module;
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  jf_object* metadata = jf_global_metadata(name);
  if (!metadata) Py_RETURN_NONE;
  PyObject* result = core_wrapper_of(metadata);
  jf_object_release(metadata);
  return result;
}

static PyObject* global_set_metadata(PyObject* module, PyObject* args) {
  (void)module;
  const char* name;
  PyObject* map;
  if (!PyArg_ParseTuple(args, "sO", &name, &map)) return NULL;
  if (jf_global_set_metadata(name, core_wrapper_object(map)) != 0) return raise_now();
  Py_RETURN_NONE;
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

/* New: the function `name` of a module, of the registry for None; else the function object of a callable. NULL with an exception. */
static jf_object* function_of(PyObject* where, PyObject* name) {
  jf_object* module = core_wrapper_object(where);
  const int is_module = module != NULL && module->type_code == JF_MODULE;
  if (where != Py_None && !is_module) return core_function_handle(where);
  const char* text = PyUnicode_AsUTF8(name);
  if (text == NULL) return NULL;
  jf_object* found = is_module ? jf_module_get(module, text) : jf_global_get(text);
  if (found == NULL && jf_error_peek() == NULL) PyErr_Format(PyExc_ValueError, "unknown global function '%s'", text);
  if (found == NULL && jf_error_peek() != NULL) raise_now();
  return found;
}

/* call_packed(where, name, *args): the call of a function object, which takes no code made for this function, and so no
 * compiler. */
static PyObject* call_packed(PyObject* module, PyObject* const* all, Py_ssize_t count) {
  (void)module;
  if (count < 2) {
    PyErr_SetString(PyExc_TypeError, "expected a module, a function or None, and a name");
    return NULL;
  }
  jf_object* function = function_of(all[0], all[1]);
  PyObject* const* args = all + 2;
  const Py_ssize_t given = count - 2;
  core_borrowed* borrowed = function ? PyMem_Calloc((size_t)count, sizeof *borrowed) : NULL;
  jf_view* views = borrowed ? PyMem_Calloc((size_t)count, sizeof *views) : NULL;
  jf_value result = {.type_code = JF_NULL};
  Py_ssize_t taken = 0;
  if (function && !views) PyErr_NoMemory();
  while (views && taken < given && core_borrow(args[taken], &borrowed[taken]) == 0) {
    views[taken] = borrowed[taken].view;
    taken++;
  }
  int done = 0;
  if (views && taken == given) {
    done = jf_function_call(function, (int32_t)given, views, &result) == 0;
    if (!done) core_error_raise(NULL);
  }
  while (taken > 0) core_borrowed_done(&borrowed[--taken]);
  PyMem_Free(views);
  PyMem_Free(borrowed);
  if (function) jf_object_release(function);
  return done ? core_box_slot(&result) : NULL;
}

/* legacy_function(address, name, self, owner, signature or None, is_tvm): the builtin of a function object that calls by the packed
 * convention of before. It keeps the owner. */
static PyObject* legacy_function(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *address, *self, *owner;
  const char *name, *signature;
  int is_tvm;
  if (!PyArg_ParseTuple(args, "OsOOzp", &address, &name, &self, &owner, &signature, &is_tvm)) return NULL;
  void* call = PyLong_AsVoidPtr(address);
  void* given = call != NULL ? PyLong_AsVoidPtr(self) : NULL;
  if (PyErr_Occurred()) return NULL;
  if (call == NULL) return PyErr_Format(PyExc_ValueError, "expected an address, got NULL");
  void (*done)(void*) = (void (*)(void*))core_decref_anywhere;
  Py_INCREF(owner);
  jf_object* made = is_tvm ? jf_tvm_function((jf_tvm_call)call, given, owner, done, name, signature)
                           : jf_legacy_function((jf_legacy_call)call, given, owner, done, name, signature);
  if (made == NULL) {
    Py_DECREF(owner);
    return raise_now();
  }
  PyObject* boxed = core_function_box_named(made, name);
  jf_object_release(made);
  return boxed;
}

/* legacy_entries(): the addresses of what calls any function object by that convention, and by TVM's entry of its age */
static PyObject* legacy_entries(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return Py_BuildValue("NN", PyLong_FromVoidPtr((void*)jf_legacy_entry), PyLong_FromVoidPtr((void*)jf_tvm_entry));
}

static PyMethodDef methods[] = {
    {"legacy_function", legacy_function, METH_VARARGS, NULL},
    {"legacy_entries", legacy_entries, METH_NOARGS, NULL},
    {"call_packed", (PyCFunction)(void (*)(void))call_packed, METH_FASTCALL, NULL},
    {"handle", handle, METH_O, NULL},
    {"function_object", function_object, METH_O, NULL},
    {"global_set", global_set, METH_VARARGS, NULL},
    {"global_get", global_get, METH_VARARGS, NULL},
    {"global_metadata", global_metadata, METH_VARARGS, NULL},
    {"global_set_metadata", global_set_metadata, METH_VARARGS, NULL},
    {"global_remove", global_remove, METH_VARARGS, NULL},
    {"global_list", global_list, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* Adds these to the module; -1 with an exception set on failure. */
int core_globals_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
