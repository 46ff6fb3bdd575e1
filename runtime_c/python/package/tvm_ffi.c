/* Functions of tvm-ffi and of its convention, for Python. */
#include "jitffi/tvm_ffi.h"

#include "box.h"
#include "dlpack_exchange.h"
#include "error.h"
#include "handle.h"
#include "host_object.h"
#include "interpreter.h"
#include "ndarray_object.h"
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
  if (!made && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "what stands for None is no object");
  if (!made) core_error_from_python();
  PyGILState_Release(state);
  return made;
}

/* -- what tvm-ffi's Python has ------------------------------------------------------------------------------------------- */

/* For its objects, and for devices; NULL before it is asked for. */
static PyObject *their_object, *their_device;
static PyObject* handle_method; /* "__chandle__": the address of what one of them stands for */

/* Borrowed; NULL with an exception, ValueError where it was moved away. */
static void* handle_at(PyObject* object) {
  PyObject* number = PyObject_CallMethodNoArgs(object, handle_method);
  void* handle = number != NULL ? PyLong_AsVoidPtr(number) : NULL;
  Py_XDECREF(number);
  if (handle == NULL && !PyErr_Occurred())
    PyErr_Format(PyExc_ValueError, "%.200s: its object was moved", Py_TYPE(object)->tp_name);
  return handle;
}

/* DLPack's table for its arrays, which have none of their own. */
static int view_tensor(PyObject* object, jf_dltensor* out) {
  const jf_tvmffi_tensor* tensor = handle_at(object);
  if (tensor != NULL) *out = tensor->tensor;
  return tensor != NULL ? 0 : -1;
}

static void delete_managed(jf_dlversioned* managed) {
  jf_tvmffi_release(managed->manager_ctx);
  jf_free(managed);
}

static int own_tensor(PyObject* object, jf_dlversioned** out) {
  jf_tvmffi_tensor* tensor = handle_at(object);
  jf_dlversioned* made = tensor != NULL ? jf_alloc(sizeof *made) : NULL;
  if (made == NULL) {
    if (tensor != NULL) PyErr_NoMemory();
    return -1;
  }
  jf_tvmffi_retain(tensor);
  *made = (jf_dlversioned){.major = JF_DLPACK_MAJOR,
                           .minor = JF_DLPACK_MINOR,
                           .manager_ctx = tensor,
                           .deleter = delete_managed,
                           .tensor = tensor->tensor};
  *out = made;
  return 0;
}

static const core_exchange_table tensors = {
    .major = JF_DLPACK_MAJOR, .minor = JF_DLPACK_MINOR, .from_object = own_tensor, .view_object = view_tensor};

/* tvm_set_classes(object, device, tensor) */
static PyObject* tvm_set_classes(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *object, *device, *tensor;
  if (!PyArg_ParseTuple(args, "OOO!", &object, &device, &PyType_Type, &tensor)) return NULL;
  if (handle_method == NULL) handle_method = PyUnicode_InternFromString("__chandle__");
  if (handle_method == NULL) return NULL;
  if (core_exchange_table_of((PyTypeObject*)tensor) == NULL) core_exchange_register((PyTypeObject*)tensor, &tensors);
  Py_XSETREF(their_device, Py_NewRef(device));
  Py_XSETREF(their_object, Py_NewRef(object));
  Py_RETURN_NONE;
}

/* 1 and a new reference, or -1 with an exception. */
static int32_t take_handle(PyObject* object, jf_tvmffi_any* out) {
  out->v_object = handle_at(object);
  if (out->v_object == NULL) return -1;
  out->type_index = out->v_object->type_index;
  jf_tvmffi_retain(out->v_object);
  return 1;
}

static int32_t take_device(PyObject* object, jf_tvmffi_any* out) {
  PyObject* type = PyObject_CallMethod(object, "dlpack_device_type", NULL);
  PyObject* index = PyObject_GetAttrString(object, "index");
  const long numbers[] = {type != NULL ? PyLong_AsLong(type) : -1, index != NULL ? PyLong_AsLong(index) : -1};
  Py_XDECREF(type);
  Py_XDECREF(index);
  if (PyErr_Occurred()) return -1;
  out->type_index = JF_TVMFFI_DEVICE;
  out->v_device = (jf_device){(int32_t)numbers[0], (int32_t)numbers[1]};
  return 1;
}

static int32_t theirs_of(const jf_object* object, jf_tvmffi_any* out) {
  PyObject* host = their_object != NULL && Py_IsInitialized() ? core_host_get(object) : NULL;
  if (host == NULL) return 0;
  PyGILState_STATE state = PyGILState_Ensure();
  int32_t found = PyObject_TypeCheck(host, (PyTypeObject*)their_object) ? take_handle(host, out) : 0;
  if (found == 0 && PyObject_TypeCheck(host, (PyTypeObject*)their_device)) found = take_device(host, out);
  if (found < 0) core_error_from_python();
  PyGILState_Release(state);
  return found;
}

static void traceback_of(jf_object* error, jf_value* out) {
  if (!Py_IsInitialized()) return;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject* before = core_error_fetch();
  PyObject* boxed = core_box_object(error);
  PyObject* text = boxed != NULL ? PyObject_GetAttrString(boxed, "traceback") : NULL;
  Py_ssize_t size = 0;
  const char* data = text != NULL && PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &size) : NULL;
  if (data != NULL && jf_out_str(out, data, (size_t)size) != 0) jf_object_release(jf_error_take());
  Py_XDECREF(text);
  Py_XDECREF(boxed);
  PyErr_Clear(); /* the error goes on without it */
  if (before != NULL) core_error_restore(before);
  PyGILState_Release(state);
}

/* What has DLPack's table, or gives itself by its method. */
static int32_t array_of(const jf_object* object, jf_object** out) {
  PyObject* host = Py_IsInitialized() ? core_host_get(object) : NULL;
  if (host == NULL) return 0;
  PyGILState_STATE state = PyGILState_Ensure();
  const int32_t found = core_ndarray_of_exporter(host, out);
  if (found < 0) core_error_from_python();
  PyGILState_Release(state);
  return found;
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

/* tvm_set_global(name, callable, override, metadata, doc): registers the callable there */
static PyObject* tvm_set_global(PyObject* module, PyObject* args) {
  (void)module;
  const char *name, *metadata, *doc;
  PyObject* callable;
  int override_;
  if (!PyArg_ParseTuple(args, "sOpss", &name, &callable, &override_, &metadata, &doc)) return NULL;
  jf_object* function = core_function_handle(callable);
  if (!function) return NULL;
  const int32_t failed = jf_tvmffi_global_set_described(name, function, metadata, doc, override_);
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
    {"tvm_set_classes", tvm_set_classes, METH_VARARGS, NULL},
    {"tvm_set_global", tvm_set_global, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int core_tvm_init(PyObject* module) {
  static const jf_tvmffi_host host = {take_exception, object_of, theirs_of, array_of, traceback_of, handle_of};
  jf_tvmffi_set_host(&host);
  return PyModule_AddFunctions(module, methods);
}
