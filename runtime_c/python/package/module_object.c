/* Modules as Python objects: the part of jitffi.Module that is about the native object.
 *
 *   wrapper (jitffi.Module, Python) --> jf_module --> owner: a Python object that holds library or linked code
 *
 * Names with an underscore, since what a module exports are attributes, too.
 */
#include "module_object.h"
#include "code.h"
#include "error.h"
#include "function.h"
#include "handle.h"
#include "host_object.h"
#include "jitffi/module.h"
#include "jitffi/runtime.h"
#include "parts.h"
#include "wrapper.h"

static PyTypeObject* wrapper_class; /* jitffi.api.module's, once it is loaded */

/* How a module's owner is known to be ours. Called from any thread. */
static void release_owner(void* owner) { core_decref_anywhere(owner); }

static PyObject* raise_now(void) {
  core_error_raise(NULL);
  return NULL;
}

/* New: the wrapper of a module; borrows object. */
PyObject* core_module_box(jf_object* object) {
  if (wrapper_class == NULL) {
    PyObject* module = PyImport_ImportModule("jitffi.api.module");
    Py_XDECREF(module);
    if (module == NULL) return NULL;
  }
  return core_wrapper_of(object);
}

/* New wrapper; steals object, NULL of which is the last error. */
static PyObject* take_module(jf_object* object) {
  if (object == NULL) return raise_now();
  PyObject* wrapper = core_module_box(object);
  jf_object_release(object);
  return wrapper;
}

/* -- methods ---------------------------------------------------------------------------------------------------- */

/* _take(name, with_imports): the builtin, or None where only imports could have it */
static PyObject* wrapper_take(PyObject* self, PyObject* args) {
  const char* name;
  int with_imports;
  jf_object* module = core_wrapper_get(self);
  if (module == NULL || !PyArg_ParseTuple(args, "sp", &name, &with_imports)) return NULL;
  jf_object* function = with_imports ? jf_module_get(module, name) : jf_module_get_own(module, name);
  if (function == NULL && !with_imports && jf_error_peek() == NULL) Py_RETURN_NONE;
  if (function == NULL) return raise_now();
  PyObject* boxed = core_function_box_named(function, name);
  jf_object_release(function);
  return boxed;
}

/* _exports(): [(name, signature or None)], sorted */
static PyObject* wrapper_exports(PyObject* self, PyObject* unused) {
  (void)unused;
  size_t count;
  jf_object* module = core_wrapper_get(self);
  if (module == NULL) return NULL;
  const jf_export* exports = jf_module_exports(module, &count);
  if (exports == NULL) return raise_now();
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list != NULL && i < count; i++) {
    PyObject* pair = Py_BuildValue("(sz)", exports[i].name, exports[i].signature);
    if (pair == NULL) Py_CLEAR(list);
    if (pair != NULL) PyList_SET_ITEM(list, (Py_ssize_t)i, pair);
  }
  return list;
}

static PyObject* wrapper_import(PyObject* self, PyObject* other) {
  jf_object* module = core_wrapper_get(self);
  jf_object* imported = core_wrapper_object(other);
  if (module == NULL) return NULL;
  if (jf_module_import(module, imported) != 0) return raise_now();
  Py_RETURN_NONE;
}

static PyObject* wrapper_imports(PyObject* self, PyObject* unused) {
  (void)unused;
  size_t count;
  jf_object* module = core_wrapper_get(self);
  if (module != NULL && jf_module_exports(module, &count) == NULL) return raise_now(); /* it was unloaded */
  PyObject* list = module != NULL ? PyList_New(0) : NULL;
  jf_object* imported;
  for (size_t i = 0; list != NULL && (imported = jf_module_imported(module, i)) != NULL; i++) {
    PyObject* wrapper = take_module(imported);
    if (wrapper == NULL || PyList_Append(list, wrapper) != 0) Py_CLEAR(list);
    Py_XDECREF(wrapper);
  }
  return list;
}

static PyObject* wrapper_clear_imports(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* module = core_wrapper_get(self);
  size_t count;
  if (module == NULL) return NULL;
  if (jf_module_exports(module, &count) == NULL) return raise_now();
  jf_module_clear_imports(module);
  Py_RETURN_NONE;
}

static PyObject* wrapper_unload(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* module = core_wrapper_get(self);
  if (module == NULL || jf_module_unload(module) != 0) return module != NULL ? raise_now() : NULL;
  Py_RETURN_NONE;
}

static PyObject* get_loaded(PyObject* self, void* closure) {
  (void)closure;
  return PyBool_FromLong(jf_module_is_loaded(core_wrapper_object(self)));
}

static PyObject* get_name(PyObject* self, void* closure) {
  (void)closure;
  jf_object* module = core_wrapper_get(self);
  if (module == NULL) return NULL;
  const char* name = jf_module_name(module);
  return PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "surrogateescape");
}

/* The Python object that holds the code, or None. */
static PyObject* get_owner(PyObject* self, void* closure) {
  (void)closure;
  PyObject* owner = jf_module_owner(core_wrapper_object(self), release_owner);
  return Py_NewRef(owner != NULL ? owner : Py_None);
}

static PyMethodDef methods[] = {
    {"_take", wrapper_take, METH_VARARGS, NULL},
    {"_exports", wrapper_exports, METH_NOARGS, NULL},
    {"_import", wrapper_import, METH_O, NULL},
    {"_imports", wrapper_imports, METH_NOARGS, NULL},
    {"_clear_imports", wrapper_clear_imports, METH_NOARGS, NULL},
    {"_unload", wrapper_unload, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getset[] = {
    {"name", get_name, NULL, "What the module is called in messages.", NULL},
    {"_loaded", get_loaded, NULL, NULL, NULL},
    {"_owner", get_owner, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject module_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi._core.Module",
    .tp_base = &core_object_type,
    .tp_basicsize = sizeof(core_open_wrapper),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = core_wrapper_dealloc,
    .tp_methods = methods,
    .tp_getset = getset,
};

/* -- making ------------------------------------------------------------------------------------------------------- */

/* set_module_class(class): wrappers are of it from now on */
static PyObject* set_module_class(PyObject* module, PyObject* class) {
  (void)module;
  if (!PyType_Check(class) || !PyType_IsSubtype((PyTypeObject*)class, &module_type))
    return PyErr_Format(PyExc_TypeError, "expected a class of modules");
  if (core_wrapper_class(JF_MODULE, (PyTypeObject*)class) != 0) return NULL;
  wrapper_class = (PyTypeObject*)class;
  Py_RETURN_NONE;
}

/* The module owns a reference to `owner`, or, where there is none, the exception is set. */
static PyObject* owned_module(jf_object* made, PyObject* owner) {
  if (made != NULL) Py_INCREF(owner);
  return take_module(made);
}

/* module_new(name, [(name, address, signature or None)], owner, memory, size) */
static PyObject* module_new(PyObject* module, PyObject* args) {
  (void)module;
  const char* name;
  PyObject *list, *owner;
  unsigned long long memory, size;
  if (!PyArg_ParseTuple(args, "sO!OKK", &name, &PyList_Type, &list, &owner, &memory, &size)) return NULL;
  const Py_ssize_t count = PyList_GET_SIZE(list);
  jf_export* exports = PyMem_Calloc((size_t)count + 1, sizeof *exports);
  if (exports == NULL) return PyErr_NoMemory();
  PyObject* made = NULL;
  for (Py_ssize_t i = 0; i < count; i++) {
    unsigned long long address;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "sKz", &exports[i].name, &address, &exports[i].signature))
      goto done;
    exports[i].call = (jf_packed_call)(uintptr_t)address;
  }
  jf_object* native = jf_module_new(name, exports, (size_t)count, owner, release_owner);
  if (native != NULL) jf_module_set_memory(native, (const void*)(uintptr_t)memory, (size_t)size);
  made = owned_module(native, owner);
done:
  PyMem_Free(exports);
  return made;
}

/* module_of_library(library, file, owner) */
static PyObject* module_of_library(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *library, *file, *owner;
  if (!PyArg_ParseTuple(args, "OO&O", &library, PyUnicode_FSConverter, &file, &owner)) return NULL;
  void* handle = core_library_handle(library);
  PyObject* made =
      handle != NULL ? owned_module(jf_module_of_library(handle, PyBytes_AS_STRING(file), owner, release_owner), owner)
                     : NULL;
  Py_DECREF(file);
  return made;
}

static PyObject* check_library(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* path;
  if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
  const int32_t status = jf_module_check_library(PyBytes_AS_STRING(path));
  Py_DECREF(path);
  if (status != 0) return raise_now();
  Py_RETURN_NONE;
}

static PyObject* check_abi(PyObject* module, PyObject* args) {
  (void)module;
  const char* file;
  unsigned int version;
  if (!PyArg_ParseTuple(args, "sI", &file, &version)) return NULL;
  if (jf_module_check_abi(file, version) != 0) return raise_now();
  Py_RETURN_NONE;
}

static PyObject* system_library(PyObject* module, PyObject* args) {
  (void)module;
  const char* prefix;
  if (!PyArg_ParseTuple(args, "s", &prefix)) return NULL;
  return take_module(jf_system_library(prefix));
}

/* module_of(function): the module that a Function was taken from, or None */
static PyObject* module_of(PyObject* unused, PyObject* function) {
  (void)unused;
  core_function* f = (core_function*)core_function_get(function);
  if (f != NULL && f->callee == 't') f = (core_function*)core_function_get(f->owner);
  jf_object* home = f != NULL && f->state.self != NULL ? jf_module_of(&f->state.self->header) : NULL;
  if (home == NULL) Py_RETURN_NONE;
  return core_module_box(home);
}

/* Lets the code of a module, or of the one that a function was taken from, stay for ever: it can be closed all the same, and is
 * not unmapped then. Its destructors run at the end of the process. */
void core_module_keep(jf_object* object) {
  jf_object* home = object != NULL ? jf_module_of(object) : NULL;
  PyObject* owner = object != NULL ? jf_module_owner(home != NULL ? home : object, release_owner) : NULL;
  if (owner == NULL) return; /* a module of native code's own: what is in use, is */
  Py_INCREF(owner);
  jf_module_keep(object);
}

/* module_hold(address of a function object): what keeps the module that its code is in; None where it is in none, or the
 * function object does so itself */
static PyObject* module_hold(PyObject* unused, PyObject* address) {
  (void)unused;
  const jf_function* function = PyLong_AsVoidPtr(address);
  if (function == NULL && PyErr_Occurred()) return NULL;
  if (function == NULL || jf_module_of(&function->header) != NULL) Py_RETURN_NONE;
  void* code;
  memcpy(&code, &function->call, sizeof code);
  jf_object* holder = jf_module_hold(code);
  if (holder == NULL) Py_RETURN_NONE;
  PyObject* wrapper = core_wrapper_of(holder);
  jf_object_release(holder);
  return wrapper;
}

static PyMethodDef functions[] = {
    {"set_module_class", set_module_class, METH_O, NULL},
    {"module_new", module_new, METH_VARARGS, NULL},
    {"module_of_library", module_of_library, METH_VARARGS, NULL},
    {"module_of", module_of, METH_O, NULL},
    {"module_hold", module_hold, METH_O, NULL},
    {"check_library", check_library, METH_VARARGS, NULL},
    {"check_abi", check_abi, METH_VARARGS, NULL},
    {"system_library", system_library, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* 0, or -1 with an exception. */
int core_module_init(PyObject* module) {
  if (PyType_Ready(&module_type) != 0 || PyModule_AddFunctions(module, functions) != 0) return -1;
  return PyModule_AddObjectRef(module, "Module", (PyObject*)&module_type);
}
