/* What surrounds a call: arguments by keyword and by default, calls of Python callables, and checks of C's results. */
#include <errno.h>

#include "box.h"
#include "call.h"
#include "dlpack.h"
#include "error.h"
#include "function.h"
#include "gil.h"
#include "hooks.h"
#include "host_object.h"
#include "jitffi/emitted.h"
#include "jitffi/runtime.h"
#include "raise.h"
#include "state.h"
#include "unbox.h"

PyObject* core_no_default; /* stands in core_function.defaults where a parameter has none */

Py_ssize_t core_position(const core_function* f, Py_ssize_t index) {
  int is_filled;
  if (!f->order) return index + 1 - f->is_method;
  for (Py_ssize_t at = 0; at < core_num_positional(f); at++)
    if (core_passed(f, at, &is_filled) == index) return at + 1 - f->is_method;
  return 0;
}

int32_t core_argument_missing(core_state* state, int32_t index) {
  PyObject* where = core_where(state, index); /* "f: argument 2 'y': " */
  if (where) {
    PyObject* place = PyUnicode_Substring(where, 0, PyUnicode_GET_LENGTH(where) - 2);
    if (place) PyErr_Format(PyExc_TypeError, "%U is missing", place);
    Py_XDECREF(place);
    Py_DECREF(where);
  }
  return -1;
}

/* A default or a TypeError: what is passed at `at` was not given. NULL without an exception for what is filled in. */
static PyObject* default_of(core_function* f, Py_ssize_t at) {
  int is_filled;
  Py_ssize_t i = core_passed(f, at, &is_filled);
  if (is_filled) return NULL;
  if (f->defaults) {
    PyObject* value = PyTuple_GET_ITEM(f->defaults, i);
    if (value != core_no_default) return value;
  }
  core_argument_missing(&f->state, (int32_t)i);
  return NULL;
}

/* The name of what is passed at `at`, borrowed; None for none. */
static PyObject* name_at(const core_function* f, Py_ssize_t at) {
  int is_filled;
  return PyTuple_GET_ITEM(f->names, core_passed(f, at, &is_filled));
}

/* Where the parameter that `key` names is passed; -1 with a TypeError. */
static Py_ssize_t find_name(core_function* f, PyObject* key) {
  Py_ssize_t n = core_num_passed(f);
  for (Py_ssize_t i = 0; i < n; i++)
    if (name_at(f, i) == key) return i;
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject* name = name_at(f, i);
    if (name != Py_None && PyUnicode_Compare(name, key) == 0) return i;
    if (PyErr_Occurred()) return -1;
  }
  PyErr_Format(PyExc_TypeError, "%U: unexpected keyword argument %R", f->name, key);
  return -1;
}

/* Always NULL with a TypeError. */
static PyObject* const* given_twice(core_function* f, Py_ssize_t at) {
  int is_filled;
  PyObject* where = core_where(&f->state, (int32_t)core_passed(f, at, &is_filled));
  PyObject* place = where ? PyUnicode_Substring(where, 0, PyUnicode_GET_LENGTH(where) - 2) : NULL;
  if (place) PyErr_Format(PyExc_TypeError, "%U is given twice", place);
  Py_XDECREF(place);
  Py_XDECREF(where);
  return NULL;
}

/* Remember a call that gave all of the `n` by position, and named those of them that it named in order: the next one
 * with the same tuple needs no arranging. */
static void remember(core_function* f, PyObject* const* args, PyObject* const* out, Py_ssize_t n, Py_ssize_t given,
                     PyObject* kwnames) {
  if (!kwnames || given + PyTuple_GET_SIZE(kwnames) != n) return;
  for (Py_ssize_t i = 0; i < n; i++)
    if (args[i] != out[i]) return;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kwnames); i++)
    if (PyTuple_GET_ITEM(kwnames, i) != name_at(f, given + i)) return;
  PyObject* old = f->state.kw_names;
  f->state.kw_given = given;
  f->state.kw_names = Py_NewRef(kwnames);
  Py_XDECREF(old);
}

/* Where what is passed at `at` is arranged. */
static Py_ssize_t arranged(const core_function* f, Py_ssize_t at) {
  int is_filled;
  return core_arranged_as_in_c(f) ? core_passed(f, at, &is_filled) : at;
}

/* All that is passed, borrowed, in `out`; NULL there for what is filled in and not given. NULL with a TypeError. */
PyObject* const* core_arrange(core_state* state, PyObject* const* args, Py_ssize_t given, PyObject* kwnames,
                              PyObject** out) {
  core_function* f = core_function_of(state);
  Py_ssize_t n = core_num_passed(f);
  Py_ssize_t positional = core_num_positional(f);
  if (given > positional) {
    core_raise_arity(state, given);
    return NULL;
  }
  for (Py_ssize_t i = 0; i < n; i++) out[arranged(f, i)] = i < given ? args[i] : NULL;
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++) {
    Py_ssize_t i = find_name(f, PyTuple_GET_ITEM(kwnames, k));
    if (i < 0) return NULL;
    if (out[arranged(f, i)]) return given_twice(f, i);
    out[arranged(f, i)] = args[given + k];
  }
  if (!core_arranged_as_in_c(f)) remember(f, args, out, positional, given, kwnames);
  for (Py_ssize_t i = given; i < n; i++) {
    PyObject** place = &out[arranged(f, i)];
    if (!*place && !(*place = default_of(f, i)) && PyErr_Occurred()) return NULL;
  }
  return out;
}

/* The same for a packed call: `out` gets the given views and the defaults; NULL with the last error set. Borrowed. */
const jf_view* core_arrange_packed(core_state* state, int32_t given, const jf_view* args, jf_view* out) {
  return jf_arrange(state->info, core_function_of(state)->packed_defaults, given, args, out);
}

void core_decref(PyObject* object) { Py_DECREF(object); }

/* Drops the references in an array and clears it; NULL entries are allowed. */
void core_decref_array(PyObject** objects, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; i++) Py_CLEAR(objects[i]);
}

/* What PyObject_Vectorcall would call in the end (PEP 590). It would also check for callables that return NULL and set nothing; here
 * who reports the error does. */
static inline vectorcallfunc vectorcall_of(PyObject* callable) {
  PyTypeObject* type = Py_TYPE(callable);
  vectorcallfunc call = NULL;
  if (type->tp_flags & Py_TPFLAGS_HAVE_VECTORCALL)
    memcpy(&call, (char*)callable + type->tp_vectorcall_offset, sizeof call);
  return call ? call : PyObject_Vectorcall;
}

/* Calls the callable with args[0..count), which it takes over; args[-1] is free for vectorcall's use. New reference. */
PyObject* core_call_python(core_state* state, PyObject** args, Py_ssize_t count) {
  PyObject* callable = state->target;
  PyObject* result;
  if (callable) {
    result = vectorcall_of(callable)(callable, args, (size_t)count | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
  } else {
    PyErr_Format(PyExc_RuntimeError, "%s: its callable was released by the garbage collector", state->info->name);
    result = NULL;
  }
  while (count > 0) {
    PyObject* arg = args[--count];
    args[count] = NULL;
    Py_DECREF(arg);
  }
  return result;
}

/* The same with the Python entry of another object file. Its `self` is not read. */
PyObject* core_call_entry(_PyCFunctionFastWithKeywords entry, PyObject** args, Py_ssize_t count) {
  PyObject* result = entry(NULL, args, count, NULL);
  core_decref_array(args, count);
  return result;
}

/* Boxes an object that the caller owns, and releases it. */
PyObject* core_take_object(jf_object* object) {
  PyObject* result = core_box_object(object);
  jf_object_release(object);
  return result;
}

/* An OSError from errno as the last error; always -1. Any thread. */
int32_t core_errno_failed(core_state* state) {
  int code = errno;
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject* text = PyUnicode_DecodeLocale(strerror(code), "surrogateescape");
  PyObject* error = text ? PyObject_CallFunction(PyExc_OSError, "iO", code, text) : NULL;
  if (error) {
    PyErr_SetObject((PyObject*)Py_TYPE(error), error);
    Py_DECREF(error);
  }
  Py_XDECREF(text);
  core_error_from_python();
  PyGILState_Release(gil);
  (void)state;
  return -1;
}

int32_t core_null_result(core_state* state, int32_t nullable) { return jf_null_result(state->info, nullable); }

int32_t core_fail_null(core_state* state, int32_t index) { return jf_fail_null(state->info, index); }

int32_t core_check_out(core_state* state, jf_value* out, int32_t reserved) {
  (void)reserved;
  return jf_check_out(state->info, out);
}

core_scalar core_scalar_of_object(core_state* state, int32_t index, PyObject* object, int32_t kind) {
  core_scalar result = {0, 0};
  result.status = core_unbox_scalar(state, index, object, kind, &result.value);
  return result;
}

/* NumPy's dtypes cross as Python objects where nobody says what they stand for; without the GIL they stay closed. */
static int is_numpy_dtype(const jf_view* view, int64_t* out) {
  PyObject* object = view->type_code == JF_OBJECT ? core_host_get(view->v_object) : NULL;
  jf_dtype dtype;
  if (object == NULL || !core_has_gil()) return 0;
  int found = core_dtype_convert(object, &dtype);
  if (found == CORE_RAISED) PyErr_Clear();
  if (found == CORE_FOUND) memcpy(out, &dtype, sizeof dtype);
  return found == CORE_FOUND;
}

core_scalar core_scalar_of_slot(const jf_call_info* info, int32_t index, const jf_view* view, int32_t kind) {
  core_scalar result = {0, 0};
  if (kind == JF_KIND_DTYPE && is_numpy_dtype(view, &result.value)) return result;
  result.status = jf_lift_scalar(info, index, view, kind, &result.value);
  return result;
}

static PyObject* no_default_repr(PyObject* self) {
  (void)self;
  return PyUnicode_FromString("NO_DEFAULT");
}

static PyTypeObject no_default_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi._core.NoDefault",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_repr = no_default_repr,
};

/* Adds NO_DEFAULT to the module; -1 with an exception set on failure. */
int core_call_init(PyObject* module) {
  if (core_type_ready(&no_default_type) < 0) return -1;
  core_no_default = PyObject_New(PyObject, &no_default_type);
  if (!core_no_default) return -1;
  return PyModule_AddObject(module, "NO_DEFAULT", Py_NewRef(core_no_default));
}
