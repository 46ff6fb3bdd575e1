/* Functions of an emitted module, filled from their constants. */
#include "function.h"
#include "call.h"
#include "emitted.h"
#include "error.h"
#include "jitffi/runtime.h"
#include "state.h"

#include <marshal.h>
#include <string.h>

struct core_table {
  char nothing;
};
core_table core_the_table; /* emitted code reads none */

static PyObject* or_null(PyObject* object) { return object == Py_None ? NULL : Py_NewRef(object); }

/* Borrowed items of `about`. A default that is missing is marshal's Ellipsis. -1 with an exception. */
static int fill(core_function* f, PyObject* about) {
  PyObject *name, *doc, *names, *types, *text, *defaults, *order, *signature;
  if (!PyArg_ParseTuple(about, "OOOOOOOO", &name, &doc, &names, &types, &text, &defaults, &signature, &order))
    return -1;
  f->name = Py_NewRef(name);
  f->doc = or_null(doc);
  f->names = Py_NewRef(names);
  f->types = Py_NewRef(types);
  f->order = or_null(order);
  if (defaults != Py_None) {
    Py_ssize_t n = PyTuple_GET_SIZE(defaults);
    if (!(f->defaults = PyTuple_New(n))) return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
      PyObject* value = PyTuple_GET_ITEM(defaults, i);
      PyTuple_SET_ITEM(f->defaults, i, Py_NewRef(value == Py_Ellipsis ? core_no_default : value));
    }
  }
  if (core_function_set_info(f) < 0) return -1;
  const char* types_text = PyUnicode_AsUTF8(text);
  if (!types_text) return -1;
  f->state.types = jf_intern(types_text);
  if (!f->state.types) core_error_raise(&f->state);
  return f->state.types ? 0 : -1;
}

core_function* core_emitted_function(const core_emitted* emitted) {
  core_storage* storage = emitted->storage;
  core_function* f = &storage->function;
  if (storage->emitted) return f;
  memset(f, 0, sizeof *f);
  Py_SET_REFCNT((PyObject*)f, 1);
  Py_SET_TYPE((PyObject*)f, &core_function_type);
  f->vectorcall = core_function_vectorcall;
  f->state.kw_given = -1;
  PyObject* about = PyMarshal_ReadObjectFromString(emitted->about, (Py_ssize_t)emitted->about_size);
  int status = about ? fill(f, about) : -1;
  Py_XDECREF(about);
  if (status < 0) return NULL;
  f->callee = emitted->body ? 'p' : 'c';
  f->state.target = emitted->body ? NULL : emitted->target;
  f->native = emitted->target;
  f->c_body = emitted->body;
  f->result_class = emitted->result_class;
  f->def = (PyMethodDef){f->info.name, (PyCFunction)emitted->entry, emitted->flags,
                         f->doc ? PyBytes_AsString(f->doc) : NULL};
  storage->emitted = emitted;
  /* All at once, while the module is imported: later a finaliser could come in between. */
  for (int32_t i = 0; i <= f->info.num_params && emitted->callbacks; i++)
    if (emitted->callbacks[i] && !core_emitted_function(emitted->callbacks[i])) return NULL;
  return f;
}
