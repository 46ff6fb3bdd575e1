/* Functions and errors between tvm-ffi and us: a function object of ours whose call is one of its functions, and the other way.
 *
 *   jf_function | captures --> its Function       called through the address in it, its safe_call
 *   its Function | self --> jf_function           made by TVMFFIFunctionCreate
 */
#include "tvm_ffi.h"

#include <string.h>

#include "error.h"
#include "handle.h"
#include "interpreter.h"
#include "parts.h"

enum { FEW = 8 }; /* arguments that take no memory but the stack's */

tvm_runtime core_tvm;

/* -- errors ----------------------------------------------------------------------------------------------- */

static char* copy(jf_span text) {
  char* made = PyMem_RawMalloc(text.size + 1);
  if (!made) return NULL;
  if (text.size) memcpy(made, text.data, text.size);
  made[text.size] = 0;
  return made;
}

jf_object* core_tvm_error_of(const tvm_object* from) {
  const tvm_error* error = (const tvm_error*)from;
  char *kind = copy(error->kind), *message = copy(error->message), *backtrace = copy(error->backtrace);
  jf_object* made = kind && message && backtrace ? jf_error_new(kind, message, backtrace, NULL, NULL) : NULL;
  PyMem_RawFree(kind);
  PyMem_RawFree(message);
  PyMem_RawFree(backtrace);
  return made;
}

int core_tvm_failed(int status) {
  if (status == 0) return 0;
  void* error = NULL;
  core_tvm.error_take(&error);
  const jf_span kind = error ? ((tvm_error*)error)->kind : (jf_span){"", 0};
  static const char in_python[] = "EnvErrorAlreadySet"; /* the exception is the interpreter's */
  const int is_python = !error || (kind.size == sizeof in_python - 1 && !memcmp(kind.data, in_python, kind.size));
  if (is_python && PyGILState_Check() && PyErr_Occurred())
    core_error_from_python();
  else if (error)
    jf_error_set_object(core_tvm_error_of(error));
  else
    jf_error_set("RuntimeError", "a function of tvm-ffi failed without an error");
  if (error) core_tvm.release(error);
  return -1;
}

static jf_span text_of(const jf_str* text) { return text ? (jf_span){text->data, text->size} : (jf_span){"", 0}; }

void* core_tvm_error_new(const jf_object* object) {
  const jf_error* error = (const jf_error*)object;
  jf_span kind = text_of(error->kind), message = text_of(error->message), traceback = text_of(error->traceback);
  void* made = NULL;
  return core_tvm_failed(core_tvm.error_new(&kind, &message, &traceback, &made)) ? NULL : made;
}

/* Our last error becomes its raised one. */
static int raise_there(void) {
  jf_object* error = jf_error_take();
  void* made = error ? core_tvm_error_new(error) : NULL;
  if (error) jf_object_release(error);
  if (made) {
    core_tvm.error_set(made);
    core_tvm.release(made);
  }
  return -1;
}

/* -- its functions as ours -------------------------------------------------------------------------------- */

static void let_go(void* function) { core_tvm.release(function); }

static int32_t call_theirs(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  void* theirs = *(void**)(self + 1);
  tvm_any few[FEW], *items = few, result = {0};
  if (num_args > FEW) {
    items = PyMem_RawMalloc((size_t)num_args * sizeof *items);
    if (!items) {
      jf_error_set_object(NULL);
      return -1;
    }
  }
  int32_t made = 0;
  while (made < num_args && core_tvm_from_view(&args[made], &items[made], 0) == 0) made++;
  int status = -1;
  if (made == num_args) status = core_tvm_failed(((tvm_function*)theirs)->call(theirs, items, num_args, &result));
  while (made > 0) core_tvm_release(&items[--made]);
  if (items != few) PyMem_RawFree(items);
  if (status == 0) {
    status = core_tvm_to_value(&result, out, 0);
    core_tvm_release(&result);
  }
  return status;
}

jf_object* core_tvm_wrap(void* function) {
  core_tvm.retain(function);
  jf_object* made = jf_function_new(call_theirs, function, let_go, NULL);
  if (!made) core_tvm.release(function);
  return made;
}

/* -- our functions as its --------------------------------------------------------------------------------- */

/* An argument as a view: longer text stays where it is. */
static int argument(const tvm_any* any, jf_value* out) {
  out->type_code = JF_NULL;
  out->small_len = 0;
  out->v_int64 = 0;
  if (any->type_index == TVM_STR || any->type_index == TVM_BYTES) {
    out->type_code = any->type_index == TVM_STR ? JF_STR_VIEW : JF_BYTE_ARRAY;
    out->v_span = &((tvm_text*)any->v_object)->text;
    return 0;
  }
  return core_tvm_to_value(any, out, 0);
}

static int call_ours(void* self, const tvm_any* args, int32_t num_args, tvm_any* result) {
  jf_value few[FEW], *items = few;
  if (num_args > FEW) {
    items = PyMem_RawMalloc((size_t)num_args * sizeof *items);
    if (!items) {
      jf_error_set_object(NULL);
      return raise_there();
    }
  }
  int32_t made = 0;
  while (made < num_args && argument(&args[made], &items[made]) == 0) made++;
  int status = -1;
  jf_value out = {.type_code = JF_NULL};
  if (made == num_args) status = jf_function_call(self, num_args, items, &out);
  while (made > 0) jf_any_release(&items[--made]);
  if (items != few) PyMem_RawFree(items);
  if (status == 0) {
    status = core_tvm_from_view(&out, result, 0);
    jf_any_release(&out);
  }
  return status == 0 ? 0 : raise_there();
}

static void release_ours(void* function) { jf_object_release(function); }

void* core_tvm_export(jf_object* function) {
  void* made = jf_function_captures(function, let_go);
  if (made) {
    core_tvm.retain(made);
    return made;
  }
  jf_object_retain(function);
  if (core_tvm_failed(core_tvm.function_new(function, call_ours, release_ours, &made))) {
    jf_object_release(function);
    return NULL;
  }
  return made;
}

/* -- for Python ------------------------------------------------------------------------------------------- */

static PyObject* raise_now(void) {
  core_error_raise(NULL);
  return NULL;
}

static int global(const char* name, void** out) {
  jf_span text = {name, strlen(name)};
  if (core_tvm_failed(core_tvm.function_get(&text, out))) return -1;
  if (!*out) jf_error_format("ImportError", "tvm-ffi has no function %s", name);
  return *out ? 0 : -1;
}

/* tvm_open(addresses): makes its functions known, in the order of tvm_runtime's members. */
static PyObject* tvm_open(PyObject* module, PyObject* addresses) {
  (void)module;
  const Py_ssize_t count = offsetof(tvm_runtime, array) / sizeof(void*);
  void* known[offsetof(tvm_runtime, array) / sizeof(void*)];
  if (core_tvm.opened) Py_RETURN_NONE;
  if (!PyTuple_Check(addresses) || PyTuple_GET_SIZE(addresses) != count)
    return PyErr_Format(PyExc_TypeError, "expected a tuple of %zd addresses", count);
  for (Py_ssize_t i = 0; i < count; i++) {
    known[i] = PyLong_AsVoidPtr(PyTuple_GET_ITEM(addresses, i));
    if (!known[i]) return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "expected an address, got NULL");
  }
  memcpy(&core_tvm, known, sizeof known);
  core_tvm.object_code = jf_type_register("tvm_ffi.Object", JF_ROOT);
  if (core_tvm.object_code == 0 || global("ffi.Array", &core_tvm.array) || global("ffi.Map", &core_tvm.map) ||
      global("ffi.Shape", &core_tvm.shape) || global("ffi.MapForwardIterFunctor", &core_tvm.map_iterator) ||
      global("ffi.DictForwardIterFunctor", &core_tvm.dict_iterator))
    return raise_now();
  core_tvm.opened = 1;
  Py_RETURN_NONE;
}

static int is_open(void) {
  if (!core_tvm.opened) PyErr_SetString(PyExc_RuntimeError, "tvm-ffi is not open");
  return core_tvm.opened;
}

/* tvm_wrap(address, name): the Function for the tvm_ffi.Function at an address, which is retained */
static PyObject* tvm_wrap(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* number;
  const char* name;
  if (!PyArg_ParseTuple(args, "O!s", &PyLong_Type, &number, &name) || !is_open()) return NULL;
  void* address = PyLong_AsVoidPtr(number);
  if (!address) return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "NULL is no function");
  if (((tvm_object*)address)->type_index != TVM_FUNCTION)
    return PyErr_Format(PyExc_TypeError, "expected a tvm_ffi.Function");
  jf_object* function = core_tvm_wrap(address);
  if (!function) return raise_now();
  PyObject* made = core_function_box_named(function, name);
  jf_object_release(function);
  return made;
}

/* tvm_set_global(name, callable, override): registers the callable there */
static PyObject* tvm_set_global(PyObject* module, PyObject* args) {
  (void)module;
  jf_span name;
  Py_ssize_t size;
  PyObject* callable;
  int override_;
  if (!PyArg_ParseTuple(args, "s#Op", &name.data, &size, &callable, &override_) || !is_open()) return NULL;
  name.size = (size_t)size;
  jf_object* function = core_function_handle(callable);
  if (!function) return NULL;
  void* theirs = core_tvm_export(function);
  jf_object_release(function);
  if (!theirs) return raise_now();
  int failed = core_tvm_failed(core_tvm.function_set(&name, theirs, override_));
  core_tvm.release(theirs);
  if (failed) return raise_now();
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"tvm_open", tvm_open, METH_O, NULL},
    {"tvm_wrap", tvm_wrap, METH_VARARGS, NULL},
    {"tvm_set_global", tvm_set_global, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int core_tvm_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
