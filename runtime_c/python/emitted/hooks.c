/* What Functions of an emitted module ask, answered with what was compiled beforehand.
 *
 * What a callable is wrapped in for a parameter of type func[...], and what a C function becomes that comes as one, is part of the
 * object. Callables without a signature, and function objects of native code, are called with whatever they are given.
 */
#include "hooks.h"
#include "box.h"
#include "emitted.h"
#include "error.h"
#include "function.h"
#include "gil.h"
#include "handle.h"
#include "jitffi/runtime.h"
#include "unbox.h"

#include <marshal.h>

static core_storage* storage_of(core_function* function) {
  if (function->copy) function = (core_function*)function->owner;
  return (core_storage*)((char*)function - offsetof(core_storage, function));
}

PyObject* core_hook_template(core_function* function, int32_t index) {
  const core_emitted* emitted = storage_of(function)->emitted;
  const core_emitted* callback = emitted->callbacks[index < 0 ? function->info.num_params : index];
  return Py_NewRef((PyObject*)&callback->storage->function);
}

/* New builtin of `function`, which is given to it. */
static PyObject* builtin_of(core_function* function) {
  PyObject* name = function ? PyUnicode_FromString(core_emitted_name()) : NULL;
  PyObject* builtin = name ? PyCFunction_NewEx(&function->def, (PyObject*)function, name) : NULL;
  Py_XDECREF(name);
  Py_XDECREF(function);
  return builtin;
}

static core_function* new_function(char callee) {
  core_function* f = (core_function*)core_function_type.tp_alloc(&core_function_type, 0);
  if (!f) return NULL;
  f->vectorcall = core_function_vectorcall;
  f->callee = callee;
  f->state.kw_given = -1;
  f->state.info = &f->info;
  return f;
}

PyObject* core_hook_boxed(core_function* owner, int32_t index, void* address) {
  core_function* template = core_function_template(owner, index);
  core_function* f = template ? new_function('c') : NULL;
  if (!f) return NULL;
  f->info = template->info; /* its params are the template's, which stays */
  f->state.types = template->state.types;
  f->state.target = f->native = address;
  f->name = Py_NewRef(template->name);
  f->names = Py_NewRef(template->names);
  f->types = Py_NewRef(template->types);
  f->defaults = Py_XNewRef(template->defaults);
  f->order = Py_XNewRef(template->order);
  f->owner = Py_NewRef((PyObject*)template);
  f->copy = 1;
  f->def = template->def;
  return builtin_of(f);
}

/* They are there from the start, or not at all. */
int core_hook_native(core_function* function) {
  PyErr_Format(PyExc_SystemError, "%U has no C function", function->name);
  return -1;
}

/* A packed call of a C function that was boxed: as Python calls it. */
static int32_t call_boxed(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  core_function* f = core_function_made_by(&self->header);
  if (!f) {
    jf_error_set("TypeError", "a function was called with another function's object as its self");
    return -1;
  }
  void* token = core_enter_python(&f->state, NULL);
  if (!token) return -1;
  PyObject* objects = PyTuple_New(count);
  for (int32_t i = 0; i < count && objects; i++) {
    PyObject* object = core_box_view(&args[i]);
    if (object)
      PyTuple_SET_ITEM(objects, i, object);
    else
      Py_CLEAR(objects);
  }
  PyObject* result = objects ? PyObject_CallObject((PyObject*)f, objects) : NULL;
  Py_XDECREF(objects);
  int32_t status = result ? core_unbox_any_out(&f->state, result, out) : -1;
  if (status != 0) core_error_from_python();
  core_leave_python(&f->state, token, result);
  return status;
}

int core_hook_packed(core_function* function) {
  function->packed = function->names ? call_boxed : core_dynamic_entry;
  return 0;
}

PyObject* core_hook_signature(core_function* function) {
  const core_emitted* emitted = storage_of(function)->emitted;
  PyObject* about = PyMarshal_ReadObjectFromString(emitted->about, (Py_ssize_t)emitted->about_size);
  PyObject* signature = about ? Py_XNewRef(PyTuple_GetItem(about, 6)) : NULL;
  Py_XDECREF(about);
  return signature;
}

PyObject* core_hook_builtin(core_function* function) {
  Py_INCREF(function);
  return builtin_of(function);
}

/* A new Function without a signature; it takes over `name`, which may be NULL with an exception. */
static core_function* new_dynamic(char callee, PyObject* name) {
  core_function* f = name ? new_function(callee) : NULL;
  if (!f) {
    Py_XDECREF(name);
    return NULL;
  }
  f->name = name;
  f->info.name = PyUnicode_AsUTF8(name);
  f->info.num_params = -1; /* any number */
  f->def = (PyMethodDef){f->info.name, (PyCFunction)(void (*)(void))core_dynamic_call, METH_FASTCALL, NULL};
  if (!f->info.name) Py_CLEAR(f);
  return f;
}

PyObject* core_hook_convert(PyObject* callable) {
  PyObject* name = PyObject_GetAttrString(callable, "__name__");
  if (!name) PyErr_Clear();
  if (!name || !PyUnicode_Check(name)) Py_XSETREF(name, PyUnicode_FromString(Py_TYPE(callable)->tp_name));
  core_function* f = new_dynamic('p', name);
  if (!f) return NULL;
  f->callable = Py_NewRef(callable);
  f->state.target = callable;
  f->packed = core_dynamic_entry;
  return (PyObject*)f;
}

PyObject* core_hook_function(jf_object* function, const char* name) {
  core_function* f = new_dynamic('k', PyUnicode_FromString(name));
  if (!f) return NULL;
  jf_object_retain(function);
  f->state.self = (jf_function*)function;
  f->state.target = (void*)f->state.self->call;
  return builtin_of(f);
}

PyObject* core_hook_type(PyObject* spec) {
  if (PyUnicode_Check(spec)) return Py_NewRef(spec);
  return PyErr_Format(PyExc_TypeError, "expected the text of a type, got %.200s", Py_TYPE(spec)->tp_name);
}

PyObject* core_hook_types(PyObject* text) {
  return PyErr_Format(PyExc_TypeError, "the types of %U cannot be told here", text);
}

/* Their code would have to be made. */
PyObject* core_hook_function_at(PyObject* type_text, PyObject* name, void* address, PyObject* kept) {
  return PyErr_Format(PyExc_TypeError, "%U: a C function of type %U, at %p, cannot be called from here", name,
                      type_text, address);
}

PyObject* core_hook_callback(PyObject* type_text, PyObject* name, PyObject* callable) {
  return PyErr_Format(PyExc_TypeError, "%U: no %U can be made of the %.200s here", name, type_text,
                      Py_TYPE(callable)->tp_name);
}

PyObject* core_hook_struct(PyObject* key) {
  return PyErr_Format(PyExc_TypeError, "there is no struct %U in this module", key);
}

PyObject* core_hook_typed(const jf_pattern* pattern) {
  return PyErr_Format(PyExc_TypeError, "no %s can be made in this module", pattern->name);
}

void core_hook_freed(core_function* function) { (void)function; }
