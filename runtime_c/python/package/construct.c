/* Making Functions from what Python's `make` knows, and equipping them with the entries that were compiled. */
#include "call.h"
#include "code.h"
#include "error.h"
#include "function.h"
#include "function_at.h"
#include "gil.h"
#include "handle.h"
#include "hooks.h"
#include "jitffi/runtime.h"
#include "module_object.h"
#include "parts.h"
#include "state.h"
#include "trace.h"
#include "unbox.h"
#include "wide.h"
#include "wrapper.h"

static void* address_of(PyObject* number) {
  void* address = PyLong_AsVoidPtr(number);
  return address;
}

static PyObject* or_null(PyObject* object) { return object == Py_None ? NULL : Py_NewRef(object); }

static int set_target(core_function* f, PyObject* target, PyObject* self_handle) {
  if (f->callee == 'p') {
    f->callable = or_null(target);
    f->state.target = f->callable;
    return 0;
  }
  f->state.target = address_of(target);
  if (PyErr_Occurred()) return -1;
  if (f->callee == 'c') {
    f->native = f->state.target;
    return 0;
  }
  jf_function* self = address_of(self_handle);
  if (PyErr_Occurred()) return -1;
  if (f->callee == 't') {
    /* It is whatever the convention's function wants, which the owner keeps. */
  } else if (self) {
    jf_object_retain(&self->header);
  } else {
    self = (jf_function*)jf_function_new((jf_packed_call)f->state.target, NULL, NULL, NULL);
    const char* name = self ? jf_intern(f->info.name) : NULL; /* it may outlive the Function */
    if (!name) {
      jf_object_release((jf_object*)self);
      core_error_raise(&f->state);
      return -1;
    }
    jf_function_set_name(&self->header, name);
  }
  f->state.self = self;
  return 0;
}

/* new_function(cls, name, doc, names, types, types_text, defaults, order, callee, target, self_handle, owner, on_error,
 * keep_callbacks): a Function without entries. */
PyObject* core_new_function(PyObject* module, PyObject* args) {
  (void)module;
  PyTypeObject* type;
  PyObject *name, *doc, *names, *types, *types_text, *defaults, *order, *target, *self_handle, *owner, *on_error;
  const char* callee;
  int keep;
  if (!PyArg_ParseTuple(args, "O!UOOOOOOsOOOOp", &PyType_Type, &type, &name, &doc, &names, &types, &types_text,
                        &defaults, &order, &callee, &target, &self_handle, &owner, &on_error, &keep))
    return NULL;
  core_function* f = (core_function*)type->tp_alloc(type, 0);
  if (!f) return NULL;
  f->vectorcall = core_function_vectorcall;
  f->callee = strcmp(callee, "packed") == 0          ? 'k'
              : strcmp(callee, "packed_legacy") == 0 ? 'l'
                                                     : callee[0]; /* tvm_ffi: 't' */
  f->keep_callbacks = (char)keep;
  f->name = Py_NewRef(name);
  f->doc = or_null(doc);
  f->names = or_null(names);
  f->types = or_null(types);
  f->defaults = or_null(defaults);
  f->order = or_null(order);
  f->owner = Py_NewRef(owner);
  f->state.table = &core_the_table;
  f->state.kw_given = -1; /* no call without arguments equals the last one before there was one */
  f->def.ml_flags = METH_FASTCALL;
  f->def.ml_meth = (PyCFunction)(void (*)(void))core_dynamic_call;
  f->codes = PyList_New(0);
  if (!f->codes || core_unbox_wide(NULL, 0, on_error, JF_KIND_U128, f->state.on_error) < 0 ||
      core_function_set_info(f) < 0 || set_target(f, target, self_handle) < 0)
    goto fail;
  f->def.ml_name = f->info.name;
  if (f->doc) f->def.ml_doc = PyBytes_AsString(f->doc);
  if (types_text != Py_None) {
    const char* text = PyUnicode_AsUTF8(types_text);
    if (!text) goto fail;
    f->state.types = jf_intern(text);
    if (!f->state.types) {
      core_error_raise(&f->state);
      goto fail;
    }
  }
  return (PyObject*)f;
fail:
  Py_DECREF(f);
  return NULL;
}

/* -- entries ------------------------------------------------------------------------------------------------ */

static int keep_code(core_function* f, PyObject* code, void** address) {
  PyObject* base = PyObject_GetAttrString(code, "address");
  if (!base) return -1;
  *address = address_of(base);
  Py_DECREF(base);
  return PyErr_Occurred() || PyList_Append(f->codes, code) < 0 ? -1 : 0;
}

/* set_python_entry(function, code, keywords) */
static PyObject* set_python_entry(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  PyObject* code;
  int keywords;
  void* address;
  if (!PyArg_ParseTuple(args, "O!Op", &core_function_type, &f, &code, &keywords)) return NULL;
  if (keep_code(f, code, &address) < 0) return NULL;
  f->def.ml_flags = keywords ? METH_FASTCALL | METH_KEYWORDS : METH_FASTCALL;
  __atomic_store_n(&f->def.ml_meth, core_trace_entry(f, (PyCFunction)address), __ATOMIC_RELEASE);
  Py_RETURN_NONE;
}

static int make_packed_defaults(core_function* f) {
  if (!f->defaults || f->packed_defaults) return 0;
  Py_ssize_t n = PyTuple_GET_SIZE(f->defaults);
  jf_any* views = PyMem_Calloc(n ? (size_t)n : 1, sizeof *views);
  if (!views) {
    PyErr_NoMemory();
    return -1;
  }
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject* value = PyTuple_GET_ITEM(f->defaults, i);
    jf_out_init(&views[i], 8);
    if (value != core_no_default && core_unbox_any(&f->state, (int32_t)i, value, &views[i], &f->default_temps) < 0) {
      PyMem_Free(views);
      return -1;
    }
  }
  f->packed_defaults = views;
  return 0;
}

/* What a Function's builtin enters until it has code: Python's class makes it, and the call goes there. */
static int make_python_entry(core_function* f) {
  PyCFunction before = f->def.ml_meth;
  if (core_hook_python(f) < 0) return -1;
  if (f->def.ml_meth != before) return 0;
  PyErr_SetString(PyExc_SystemError,
                  "jitffi: a Python entry was not made"); /* else the call would come here for ever */
  return -1;
}

static PyObject* first_call(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  core_function* f = (core_function*)self;
  if (make_python_entry(f) < 0) return NULL;
  return ((_PyCFunctionFast)(void (*)(void))f->def.ml_meth)(self, args, given);
}

static PyObject* first_call_keywords(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
  core_function* f = (core_function*)self;
  if (make_python_entry(f) < 0) return NULL;
  return ((_PyCFunctionFastWithKeywords)(void (*)(void))f->def.ml_meth)(self, args, given, kwnames);
}

/* set_first_call(function, keywords): no code yet, the first call makes it */
static PyObject* set_first_call(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  int keywords;
  if (!PyArg_ParseTuple(args, "O!p", &core_function_type, &f, &keywords)) return NULL;
  f->def.ml_flags = keywords ? METH_FASTCALL | METH_KEYWORDS : METH_FASTCALL;
  f->def.ml_meth =
      keywords ? (PyCFunction)(void (*)(void))first_call_keywords : (PyCFunction)(void (*)(void))first_call;
  Py_RETURN_NONE;
}

/* The packed entry until there is code for it: the first call lets it be made. Calls through the same object go to the code from then
 * on, those of who has kept the address of this one come by. */
static int32_t first_packed_call(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  core_function* f = core_function_made_by(&self->header);
  core_function* origin = f && f->copy ? (core_function*)f->owner : f;
  jf_packed_call call = origin ? __atomic_load_n(&origin->packed, __ATOMIC_ACQUIRE) : NULL;
  if (call == first_packed_call) {
    void* token = core_enter_python(&f->state, NULL);
    if (token != NULL && origin->packed == first_packed_call && core_hook_packed_code(origin) < 0)
      core_error_from_python();
    else if (token != NULL && origin->packed == first_packed_call)
      jf_error_set("SystemError", "jitffi: a packed entry was not made");
    call = origin->packed;
    if (token != NULL) core_leave_python(&f->state, token, NULL);
  } else if (call == NULL) {
    jf_error_set("TypeError", "a Function was called with another function's object as its self");
  }
  if (call == NULL || call == first_packed_call) { /* the error is set */
    jf_out_init(out, 0);
    return -1;
  }
  __atomic_store_n(&self->call, call, __ATOMIC_RELEASE);
  return call(self, count, args, out);
}

/* set_first_packed_call(function): no code yet, the first call makes it */
static PyObject* set_first_packed_call(PyObject* module, PyObject* function) {
  (void)module;
  ((core_function*)function)->packed = first_packed_call;
  Py_RETURN_NONE;
}

/* set_packed_entry(function, code or None): None for a function without a signature */
static PyObject* set_packed_entry(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  PyObject* code;
  void* address = (void*)core_dynamic_entry;
  if (!PyArg_ParseTuple(args, "O!O", &core_function_type, &f, &code)) return NULL;
  if (code != Py_None && (keep_code(f, code, &address) < 0 || make_packed_defaults(f) < 0)) return NULL;
  __atomic_store_n(&f->packed, (jf_packed_call)address, __ATOMIC_RELEASE);
  Py_RETURN_NONE;
}

/* set_c_entry(function, code, result_class, closure): without a closure only for copies. A closure that is there enters the new
 * code from now on; a call that is in the old one stays there, which is why C entries are never unmapped. */
static PyObject* set_c_entry(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  PyObject* code;
  int result_class, closure;
  if (!PyArg_ParseTuple(args, "O!Oip", &core_function_type, &f, &code, &result_class, &closure)) return NULL;
  void* address;
  if (keep_code(f, code, &address) < 0) return NULL;
  f->c_body = address;
  f->result_class = result_class;
  if (f->closure) __atomic_store_n(&f->closure->body, address, __ATOMIC_RELEASE);
  if (closure && !f->closure) {
    if (core_function_close(f, address, result_class) != 0) return NULL;
  }
  Py_RETURN_NONE;
}

/* function_of(object): the Function behind a Function or one of our builtins, or None */
static PyObject* function_of(PyObject* module, PyObject* object) {
  (void)module;
  PyObject* found = core_function_get(object);
  return Py_NewRef(found ? found : Py_None);
}

/* builtin(function): the one that is alive, else a new one */
static PyObject* builtin(PyObject* module, PyObject* function) {
  (void)module;
  if (!PyObject_TypeCheck(function, &core_function_type)) {
    PyErr_SetString(PyExc_TypeError, "expected a Function");
    return NULL;
  }
  core_function* f = (core_function*)function;
  if (f->builtin) {
#if PY_VERSION_HEX >= 0x030D0000
    PyObject* alive;
    if (PyWeakref_GetRef(f->builtin, &alive) != 0) return alive; /* NULL with an exception when it is -1 */
#else
    PyObject* alive = PyWeakref_GET_OBJECT(f->builtin);
    if (alive != Py_None) return Py_NewRef(alive);
#endif
    Py_CLEAR(f->builtin);
  }
  PyObject* module_name = PyUnicode_InternFromString("jitffi");
  PyObject* made = module_name ? PyCFunction_NewEx(&f->def, function, module_name) : NULL;
  Py_XDECREF(module_name);
  if (made && !(f->builtin = PyWeakref_NewRef(made, NULL))) Py_CLEAR(made);
  return made;
}

/* Of a C function's owner: what has neither library nor image is the business of who gave it. */
static void keep_library(PyObject* owner) {
  PyObject* library = PyObject_GetAttrString(owner, "_library");
  if (library && !core_is_image(library) && !core_library_handle(library)) Py_CLEAR(library);
  PyErr_Clear(); /* the reference stays */
}

static void keep_callee_of(core_function* f) {
  if (f->callee == 'p' || f->kept_for_ever) return;
  f->kept_for_ever = 1;
  if (f->callee == 'k') Py_INCREF(f);
  if (f->state.self && f->callee != 't') core_module_keep(&f->state.self->header);
  core_function* owner = f->owner ? (core_function*)core_function_get(f->owner) : NULL;
  if (owner)
    keep_callee_of(owner);
  else if (f->owner && PyObject_TypeCheck(f->owner, &core_object_type))
    core_module_keep(core_wrapper_object(f->owner));
  else if (f->owner)
    keep_library(f->owner);
}

/* keep_callee(function): native code has its address from now on. That code may be running when the last Function of it
 * goes, and nothing tells when it is left, so what keeps it mapped stays for ever: a packed callee's Function, whose state
 * its C entry goes on to use; a C function is its own C entry, and who calls a packed entry holds the function object.
 * A Python callable is held while it runs. */
static PyObject* keep_callee(PyObject* module, PyObject* function) {
  (void)module;
  if (!PyObject_TypeCheck(function, &core_function_type)) return PyErr_Format(PyExc_TypeError, "expected a Function");
  keep_callee_of((core_function*)function);
  Py_RETURN_NONE;
}

/* set_releases(function, addresses, nogil): what frees values of types owned[...], one a parameter and the result's last, 0 for
 * others, and whether without the interpreter's lock. Before the first call. */
static PyObject* set_releases(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  PyObject* addresses;
  int nogil;
  if (!PyArg_ParseTuple(args, "O!O!p", &core_function_type, &f, &PyTuple_Type, &addresses, &nogil)) return NULL;
  const Py_ssize_t count = PyTuple_GET_SIZE(addresses);
  void** releases = PyMem_Calloc((size_t)count, sizeof *releases);
  if (!releases) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++) releases[i] = address_of(PyTuple_GET_ITEM(addresses, i));
  if (PyErr_Occurred()) {
    PyMem_Free(releases);
    return NULL;
  }
  f->state.releases = releases;
  f->frees_without_gil = (char)nogil;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"keep_callee", keep_callee, METH_O, NULL},
    {"set_releases", set_releases, METH_VARARGS, NULL},
    {"new_function", core_new_function, METH_VARARGS, NULL},
    {"set_python_entry", set_python_entry, METH_VARARGS, NULL},
    {"set_first_call", set_first_call, METH_VARARGS, NULL},
    {"set_packed_entry", set_packed_entry, METH_VARARGS, NULL},
    {"set_first_packed_call", set_first_packed_call, METH_O, NULL},
    {"set_c_entry", set_c_entry, METH_VARARGS, NULL},
    {"function_of", function_of, METH_O, NULL},
    {"builtin", builtin, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

/* Adds the functions that make and equip a Function; -1 with an exception set on failure. */
int core_construct_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
