/* Function: the owner of a state, and what the exact builtin that users call has as its `__self__`.
 *
 * A builtin finds its code in the PyMethodDef inside the Function, so better code replaces worse by one store; the worse stays
 * until the Function dies, since a call may be in it. Python's class derives from this one and adds what needs a compiler.
 */
#include "function.h"
#include "callback.h"
#include "function_at.h"
#include "hooks.h"
#include "jitffi/runtime.h"
#include "state.h"

PyObject* core_function_get(PyObject* object) {
  if (!PyCFunction_CheckExact(object)) return PyObject_TypeCheck(object, &core_function_type) ? object : NULL;
  PyObject* self = PyCFunction_GET_SELF(object);
  if (!self || !PyObject_TypeCheck(self, &core_function_type)) return NULL;
  /* A method that a Function has from object, __sizeof__ say, is bound to it, too. */
  return ((PyCFunctionObject*)object)->m_ml == &((core_function*)self)->def ? self : NULL;
}

void* core_function_native(core_function* function) {
  if (!function->native) {
    if (core_hook_native(function) < 0) return NULL;
    if (!function->native) PyErr_SetString(PyExc_SystemError, "jitffi: a C entry was not made");
  }
  return function->native;
}

/* Calls the Function as its builtin would be called, which has its depth of recursion counted, too. */
PyObject* core_function_vectorcall(PyObject* self, PyObject* const* args, size_t flags, PyObject* kwnames) {
  core_function* f = (core_function*)self;
  Py_ssize_t given = PyVectorcall_NARGS(flags);
  PyObject* result;
  if (Py_EnterRecursiveCall(" while calling a Function")) return NULL;
  if (f->def.ml_flags & METH_KEYWORDS)
    result = ((_PyCFunctionFastWithKeywords)(void (*)(void))f->def.ml_meth)(self, args, given, kwnames);
  else if (kwnames && PyTuple_GET_SIZE(kwnames))
    result = PyErr_Format(PyExc_TypeError, "%U takes no keyword arguments", f->name);
  else
    result = ((_PyCFunctionFast)(void (*)(void))f->def.ml_meth)(self, args, given);
  Py_LeaveRecursiveCall();
  return result;
}

/* For callables and for packed callees. */
static core_function* dead_functions[2];

core_state* core_function_dead_state(char callee) { return &dead_functions[callee == 'k']->state; }

/* -- the type ------------------------------------------------------------------------------------------------ */

static int function_traverse(PyObject* self, visitproc visit, void* arg) {
  core_function* f = (core_function*)self;
  Py_VISIT(f->callable);
  Py_VISIT(f->owner);
  Py_VISIT(f->defaults);
  Py_VISIT(f->order);
  Py_VISIT(f->codes);
  Py_VISIT(f->templates);
  Py_VISIT(f->kept);
  Py_VISIT(f->variants);
  Py_VISIT(f->dict);
  /* Our handle holds a reference to us; while nobody else has one to it, the cycle is ours to show. */
  if (f->handle && __atomic_load_n(&f->handle->ref_count, __ATOMIC_RELAXED) == 1) Py_VISIT(self);
  return 0;
}

static int function_clear(PyObject* self) {
  core_function* f = (core_function*)self;
  if (f->callee == 'p') f->state.target = NULL;
  jf_object* handle = f->handle;
  f->handle = NULL;
  jf_object_release(handle);
  Py_CLEAR(f->callable);
  Py_CLEAR(f->templates);
  Py_CLEAR(f->kept);
  Py_CLEAR(f->variants);
  Py_CLEAR(f->dict);
  return 0;
}

static void function_dealloc(PyObject* self) {
  core_function* f = (core_function*)self;
  PyObject_GC_UnTrack(self);
  Py_TRASHCAN_BEGIN(self, function_dealloc) if (f->weakrefs) PyObject_ClearWeakRefs(self);
  Py_CLEAR(f->asleep);
  if (f->closure && !f->owner && f->copy) jf_closure_wake(f->closure, &f->state, f->c_body, f->result_class);
  if (f->closure) jf_closure_kill(f->closure, core_function_dead_state(f->callee));
  function_clear(self);
  if (f->state.self && f->callee != 't') jf_object_release(&f->state.self->header);
  jf_temps_release(&f->default_temps);
  if (f->passed) core_forget_passed(f);
  core_kept_texts_free(f->kept_texts);
  core_hook_freed(f);
  PyMem_Free(f->traced);
  PyMem_Free(f->packed_defaults);
  PyMem_Free(f->params);
  if (!f->copy) PyMem_Free(f->state.releases);
  if (!f->copy) PyMem_Free(f->state.classes);
  Py_XDECREF(f->state.kw_names);
  Py_XDECREF(f->builtin);
  Py_XDECREF(f->text);
  Py_XDECREF(f->doc);
  Py_XDECREF(f->names);
  Py_XDECREF(f->types);
  Py_XDECREF(f->defaults);
  Py_XDECREF(f->order);
  Py_XDECREF(f->codes);
  Py_XDECREF(f->plan);
  Py_XDECREF(f->c_plan);
  Py_XDECREF(f->name);
  Py_XDECREF(f->owner);         /* last: it may be the library, or whose info this shares */
  Py_TYPE(self)->tp_free(self); /* Python's class of it counts itself: subtype_dealloc */
  Py_TRASHCAN_END
}

/* -- what a call finds that native code makes on another thread while the Function dies ------------------------------------ */

static int32_t dead_call(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  (void)self, (void)count, (void)args;
  jf_out_init(out, 0);
  jf_error_set("RuntimeError", "a native function pointer was called while its Function was released");
  return -1;
}

static jf_function dead_handle = {.header = {JF_FUNCTION, 1, NULL}, .call = dead_call};

/* A Function that fails whatever it is given; made once, and there for ever. */
static core_function* make_dead(char callee) {
  core_function* f = (core_function*)core_function_type.tp_alloc(&core_function_type, 0);
  if (!f) return NULL;
  f->vectorcall = core_function_vectorcall;
  f->callee = callee;
  f->info.name = "callback";
  f->info.result = "void";
  f->state.info = &f->info;
  f->state.table = &core_the_table;
  f->state.kw_given = -1;
  if (callee == 'k') {
    f->state.target = (void*)dead_call;
    f->state.self = &dead_handle;
  }
  f->name = PyUnicode_FromString(f->info.name);
  f->codes = PyList_New(0);
  if (!f->name || !f->codes) Py_CLEAR(f);
  return f;
}

static PyObject* get_native(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromVoidPtr(((core_function*)self)->native);
}

static PyObject* get_packed(PyObject* self, void* closure) {
  (void)closure;
  core_function* f = (core_function*)self;
  return PyLong_FromVoidPtr(f->callee == 'k' && !f->packed ? f->state.target : (void*)f->packed);
}

static PyObject* get_name(PyObject* self, void* closure) {
  (void)closure;
  return Py_NewRef(((core_function*)self)->name);
}

static PyObject* get_callable(PyObject* self, void* closure) {
  (void)closure;
  PyObject* callable = ((core_function*)self)->callable;
  return Py_NewRef(callable ? callable : Py_None);
}

static PyGetSetDef getset[] = {
    {"_native", get_native, NULL, NULL, NULL},
    {"_packed", get_packed, NULL, NULL, NULL},
    {"_callable", get_callable, NULL, NULL, NULL},
    {"__name__", get_name, NULL, NULL, NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject core_function_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi._core.Function",
    .tp_basicsize = sizeof(core_function),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(core_function, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_traverse = function_traverse,
    .tp_clear = function_clear,
    .tp_dealloc = function_dealloc,
    .tp_weaklistoffset = offsetof(core_function, weakrefs),
    .tp_dictoffset = offsetof(core_function, dict),
    .tp_getset = getset,
};

/* Adds Function to the module; -1 with an exception set on failure. */
int core_function_init(PyObject* module) {
  if (core_type_ready(&core_function_type) < 0) return -1;
  if (!(dead_functions[0] = make_dead('p')) || !(dead_functions[1] = make_dead('k'))) return -1;
  return PyModule_AddObject(module, "Function", Py_NewRef((PyObject*)&core_function_type));
}
