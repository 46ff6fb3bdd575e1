/* Functions of tvm-ffi and of its convention, for Python. */
#include "jitffi/tvm_ffi.h"

#include "error.h"
#include "handle.h"
#include "host_object.h"
#include "interpreter.h"
#include "parts.h"
#include "unbox.h"

static PyObject* raise_now(void) {
  core_error_raise(NULL);
  return NULL;
}

/* An error of the interpreter's, that tvm-ffi leaves there, becomes the last error. */
static int32_t take_exception(void) {
  if (!PyGILState_Check() || !PyErr_Occurred()) return 0;
  core_error_from_python();
  return 1;
}

/* tvm_open(): ImportError where tvm-ffi's library is not loaded, or of a version that is not known here */
static PyObject* tvm_open(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  if (jf_tvmffi_open() != 0) return raise_now();
  Py_RETURN_NONE;
}

/* The object that tvm-ffi's Python holds opaquely, as any argument from Python. It may have given the GIL up. */
static jf_object* object_of(void* handle) {
  if (!Py_IsInitialized()) return jf_error_set("RuntimeError", "a Python object after the interpreter's end"), NULL;
  PyGILState_STATE state = PyGILState_Ensure();
  jf_object* made = core_native_object(handle);
  if (!made) core_error_from_python();
  PyGILState_Release(state);
  return made;
}

static void* handle_of(const jf_object* object) { return core_host_get(object); }

static PyObject* named(jf_object* function, const char* name) {
  if (!function) return raise_now();
  PyObject* made = core_function_box_named(function, name);
  jf_object_release(function);
  return made;
}

/* tvm_wrap(address, name): the builtin for the tvm_ffi.Function at an address, which is retained */
static PyObject* tvm_wrap(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* number;
  const char* name;
  if (!PyArg_ParseTuple(args, "O!s", &PyLong_Type, &number, &name)) return NULL;
  jf_tvmffi_function_object* function = PyLong_AsVoidPtr(number);
  if (!function) return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "NULL is no function");
  if (function->header.type_index != JF_TVMFFI_FUNCTION)
    return PyErr_Format(PyExc_TypeError, "expected a tvm_ffi.Function");
  return named(jf_tvmffi_wrap(function), name);
}

/* tvm_function(address, name, self, owner, signature or None): the builtin of a function object that calls by the convention. It
 * keeps the owner. */
static PyObject* tvm_function(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *address, *self, *owner;
  const char *name, *signature;
  if (!PyArg_ParseTuple(args, "OsOOz", &address, &name, &self, &owner, &signature)) return NULL;
  void* call = PyLong_AsVoidPtr(address);
  void* given = call != NULL ? PyLong_AsVoidPtr(self) : NULL;
  if (PyErr_Occurred()) return NULL;
  if (call == NULL) return PyErr_Format(PyExc_ValueError, "expected an address, got NULL");
  Py_INCREF(owner);
  jf_object* made =
      jf_tvmffi_function((jf_tvmffi_call)call, given, owner, (void (*)(void*))core_decref_anywhere, signature);
  if (made == NULL) Py_DECREF(owner);
  return named(made, name);
}

/* tvm_target(function): (call, self) of a function object of the convention, or None */
static PyObject* tvm_target(PyObject* module, PyObject* function) {
  (void)module;
  jf_object* object = core_function_handle(function);
  if (!object) return NULL;
  void* self = NULL;
  jf_tvmffi_call call = jf_tvmffi_target(object, &self);
  jf_object_release(object);
  if (!call) Py_RETURN_NONE;
  return Py_BuildValue("NN", PyLong_FromVoidPtr((void*)call), PyLong_FromVoidPtr(self));
}

/* tvm_entry(): the address of what calls any function object by the convention */
static PyObject* tvm_entry(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return PyLong_FromVoidPtr((void*)jf_tvmffi_entry);
}

/* tvm_set_global(name, callable, override): registers the callable there */
static PyObject* tvm_set_global(PyObject* module, PyObject* args) {
  (void)module;
  const char* name;
  PyObject* callable;
  int override_;
  if (!PyArg_ParseTuple(args, "sOp", &name, &callable, &override_)) return NULL;
  jf_object* function = core_function_handle(callable);
  if (!function) return NULL;
  const int32_t failed = jf_tvmffi_global_set(name, function, override_);
  jf_object_release(function);
  if (failed) return raise_now();
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"tvm_open", tvm_open, METH_NOARGS, NULL},
    {"tvm_wrap", tvm_wrap, METH_VARARGS, NULL},
    {"tvm_function", tvm_function, METH_VARARGS, NULL},
    {"tvm_target", tvm_target, METH_O, NULL},
    {"tvm_entry", tvm_entry, METH_NOARGS, NULL},
    {"tvm_set_global", tvm_set_global, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int core_tvm_init(PyObject* module) {
  static const jf_tvmffi_host host = {take_exception, object_of, handle_of};
  jf_tvmffi_set_host(&host);
  return PyModule_AddFunctions(module, methods);
}
