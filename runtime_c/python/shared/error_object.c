/* jitffi.Error: an error of native code as a value.
 *
 *   Error("demo.Mine", "text", cause=...)     made here: kind, message, and what it came from
 *   Error.of(exception)                       of an exception, which `exception` gives back, the same object
 *
 * Errors are equal by kind, message and causes. A copy keeps the exception; a pickle keeps the texts alone.
 */
#include "box.h"
#include "error.h"
#include "hooks.h"
#include "host_object.h"
#include "jitffi/runtime.h"
#include "unbox.h"
#include "wrapper.h"

/* NULL with ValueError when the wrapper is empty. */
static const jf_error* error_at(PyObject* wrapper) { return (const jf_error*)core_wrapper_get(wrapper); }

static PyObject* get_kind(PyObject* self, void* closure) {
  (void)closure;
  const jf_error* error = error_at(self);
  return error != NULL ? core_error_field(error->kind) : NULL;
}

static PyObject* get_message(PyObject* self, void* closure) {
  (void)closure;
  const jf_error* error = error_at(self);
  return error != NULL ? core_error_field(error->message) : NULL;
}

static PyObject* get_cause(PyObject* self, void* closure) {
  (void)closure;
  const jf_error* error = error_at(self);
  return error != NULL ? core_box_object(error->cause) : NULL;
}

/* New: the lines of traceback.format_tb, most recent call first. NULL with an exception. */
static PyObject* format_traceback(PyObject* traceback) {
  PyObject* module = PyImport_ImportModule("traceback");
  PyObject* lines = module != NULL ? PyObject_CallMethod(module, "format_tb", "O", traceback) : NULL;
  PyObject* empty = lines != NULL ? PyUnicode_FromString("") : NULL;
  PyObject* text = empty != NULL && PyList_Reverse(lines) == 0 ? PyUnicode_Join(empty, lines) : NULL;
  Py_XDECREF(module);
  Py_XDECREF(lines);
  Py_XDECREF(empty);
  return text;
}

/* The text of the exception it came from, then the native text, which is of what it passed through since; None when there is
 * neither. */
static PyObject* get_traceback(PyObject* self, void* closure) {
  (void)closure;
  const jf_error* error = error_at(self);
  if (error == NULL) return NULL;
  PyObject* host = core_host_get(error->host);
  PyObject* traceback = host != NULL && PyExceptionInstance_Check(host) ? PyException_GetTraceback(host) : NULL;
  if (traceback == NULL && error->traceback == NULL) Py_RETURN_NONE;
  if (traceback == NULL) return core_error_field(error->traceback);
  PyObject* text = format_traceback(traceback);
  Py_DECREF(traceback);
  PyObject* more = text != NULL && error->traceback != NULL ? core_error_field(error->traceback) : NULL;
  if (more != NULL) {
    Py_SETREF(text, PyUnicode_Concat(text, more));
    Py_DECREF(more);
  }
  return text;
}

/* New: the exception that raising it would raise. */
static PyObject* get_exception(PyObject* self, void* closure) {
  (void)closure;
  jf_object* object = core_wrapper_get(self);
  if (object == NULL) return NULL;
  jf_object_retain(object); /* the class that is constructed is anybody's code */
  PyObject* exception = core_error_exception(object);
  jf_object_release(object);
  return exception;
}

static PyGetSetDef error_getset[] = {
    {"kind", get_kind, NULL, "The exception's class: a built-in name, a registered kind, or module.Name.", NULL},
    {"message", get_message, NULL, "What it says.", NULL},
    {"traceback", get_traceback, NULL, "Text, most recent call first, or None.", NULL},
    {"backtrace", get_traceback, NULL, "The same, under tvm-ffi's name.", NULL},
    {"cause", get_cause, NULL, "The error that it came from, or None.", NULL},
    {"exception", get_exception, NULL,
     "The exception, to be raised: the one that it came from, else a new one of its kind.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* -- construction ------------------------------------------------------------------------------------------------ */

/* The error object that an Error or an exception stands for, new; NULL with an exception. */
static jf_object* object_from(PyObject* given, const char* where) {
  if (PyExceptionInstance_Check(given)) return core_error_object_of(given);
  if (!PyObject_TypeCheck(given, &core_error_type)) {
    PyErr_Format(PyExc_TypeError, "%s: expected an exception or an Error, got %.200s", where, Py_TYPE(given)->tp_name);
    return NULL;
  }
  jf_object* object = core_wrapper_get(given);
  jf_object_retain(object);
  return object;
}

/* New: text for C; NULL with an exception. */
static PyObject* plain(PyObject* text) { return core_error_text(Py_NewRef(text)); }

static PyObject* error_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"kind", "message", "traceback", "cause", NULL};
  PyObject *kind, *message, *lines = Py_None, *cause = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "UU|OO:Error", names, &kind, &message, &lines, &cause)) return NULL;
  if (lines != Py_None && !PyUnicode_Check(lines))
    return PyErr_Format(PyExc_TypeError, "Error(): traceback: expected str or None, got %.200s",
                        Py_TYPE(lines)->tp_name);
  jf_object* below = cause != Py_None ? object_from(cause, "Error(): cause") : NULL;
  if (cause != Py_None && below == NULL) return NULL;
  kind = plain(kind);
  message = kind != NULL ? plain(message) : NULL;
  lines = message == NULL ? NULL : lines != Py_None ? plain(lines) : Py_NewRef(Py_None);
  jf_object* made = NULL;
  if (lines != NULL) {
    made = jf_error_new(PyUnicode_AsUTF8(kind), PyUnicode_AsUTF8(message),
                        lines != Py_None ? PyUnicode_AsUTF8(lines) : NULL, below, NULL);
    if (made == NULL) PyErr_NoMemory();
  }
  jf_object_release(below);
  Py_XDECREF(kind);
  Py_XDECREF(message);
  Py_XDECREF(lines);
  return made != NULL ? core_wrapper_make(type, made) : NULL;
}

/* Subclasses may have a constructor of their own, which is not asked. An Error of that class is itself. */
static PyObject* error_of(PyObject* type, PyObject* given) {
  if (PyObject_TypeCheck(given, (PyTypeObject*)type)) return Py_NewRef(given);
  if (!PyExceptionInstance_Check(given))
    return PyErr_Format(PyExc_TypeError, "Error.of: expected an exception, got %.200s", Py_TYPE(given)->tp_name);
  jf_object* made = core_error_object_of(given);
  return made != NULL ? core_wrapper_make((PyTypeObject*)type, made) : NULL;
}

/* -- as a value ----------------------------------------------------------------------------------------------------- */

static PyObject* error_compare(PyObject* self, PyObject* other, int operation) {
  if (!PyObject_TypeCheck(other, &core_error_type) || (operation != Py_EQ && operation != Py_NE))
    Py_RETURN_NOTIMPLEMENTED;
  jf_object* left = core_wrapper_get(self);
  jf_object* right = left != NULL ? core_wrapper_get(other) : NULL;
  if (right == NULL) return NULL;
  jf_view first, second;
  core_view_of_object(left, &first);
  core_view_of_object(right, &second);
  const int32_t same = jf_any_equal(&first, &second);
  if (same >= 0) return PyBool_FromLong(same == (operation == Py_EQ));
  core_error_raise(NULL);
  return NULL;
}

static Py_hash_t error_hash(PyObject* self) {
  PyObject* kind = get_kind(self, NULL);
  PyObject* message = kind != NULL ? get_message(self, NULL) : NULL;
  PyObject* both = message != NULL ? PyTuple_Pack(2, kind, message) : NULL;
  const Py_hash_t hash = both != NULL ? PyObject_Hash(both) : -1;
  Py_XDECREF(kind);
  Py_XDECREF(message);
  Py_XDECREF(both);
  return hash;
}

static PyObject* error_repr(PyObject* self) {
  const char* name = core_wrapper_name(Py_TYPE(self));
  if (((core_wrapper*)self)->object == NULL) return PyUnicode_FromFormat("<%s that was moved>", name);
  PyObject* kind = get_kind(self, NULL);
  PyObject* message = kind != NULL ? get_message(self, NULL) : NULL;
  PyObject* text = message != NULL ? PyUnicode_FromFormat("%s(%R, %R)", name, kind, message) : NULL;
  Py_XDECREF(kind);
  Py_XDECREF(message);
  return text;
}

/* A new object of the same fields, the exception among them. */
static PyObject* error_copy(PyObject* self, PyObject* memo) {
  const jf_error* error = error_at(self);
  if (error == NULL) return NULL;
  jf_object* made = jf_error_new(error->kind->data, error->message->data,
                                 error->traceback != NULL ? error->traceback->data : NULL, error->cause, error->host);
  if (made == NULL) return PyErr_NoMemory();
  return core_wrapper_attributes(self, core_wrapper_make(Py_TYPE(self), made), memo);
}

static PyObject* error_copy_same(PyObject* self, PyObject* unused) {
  (void)unused;
  return error_copy(self, NULL);
}

/* copyreg.__newobj__(class, kind, message, traceback, cause), and the attributes of a subclass. */
static PyObject* error_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  PyObject* copyreg = PyImport_ImportModule("copyreg");
  PyObject* maker = copyreg != NULL ? PyObject_GetAttrString(copyreg, "__newobj__") : NULL;
  PyObject* kind = maker != NULL ? get_kind(self, NULL) : NULL;
  PyObject* message = kind != NULL ? get_message(self, NULL) : NULL;
  PyObject* lines = message != NULL ? get_traceback(self, NULL) : NULL;
  PyObject* cause = lines != NULL ? get_cause(self, NULL) : NULL;
  PyObject* state = cause != NULL ? PyObject_GetAttrString(self, "__dict__") : NULL;
  PyObject* made = NULL;
  if (cause != NULL && state == NULL) PyErr_Clear();
  if (cause != NULL)
    made =
        Py_BuildValue("O(OOOOO)O", maker, Py_TYPE(self), kind, message, lines, cause, state != NULL ? state : Py_None);
  Py_XDECREF(copyreg);
  Py_XDECREF(maker);
  Py_XDECREF(kind);
  Py_XDECREF(message);
  Py_XDECREF(lines);
  Py_XDECREF(cause);
  Py_XDECREF(state);
  return made;
}

static PyMethodDef error_methods[] = {
    {"of", error_of, METH_O | METH_CLASS,
     "of($type, exception, /)\n--\n\nThe error of an exception, whose `exception` is that very one."},
    {"__copy__", error_copy_same, METH_NOARGS, NULL},
    {"__deepcopy__", error_copy, METH_O, NULL},
    {"__reduce__", error_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyTypeObject core_error_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.Error",
    .tp_doc =
        "Error(kind, message, traceback=None, cause=None)\n--\n\n"
        "An error of native code as a value; where one is raised it is a Python exception, `exception`.\n\n"
        "kind is a built-in exception's name or what register_error knows; cause is an exception or an Error.\n"
        "Errors are equal by kind, message and causes. Texts have NULs and lone surrogates as escapes. TypeError for\n"
        "other types.\n\n"
        ">>> import jitffi\n>>> error = jitffi.Error('ValueError', 'no such word')\n"
        ">>> error.kind, error.message, error.cause\n('ValueError', 'no such word', None)\n"
        ">>> raise error.exception\nTraceback (most recent call last):\nValueError: no such word\n"
        ">>> jitffi.Error.of(KeyError('word'))\nError('KeyError', \"'word'\")",
    .tp_base = &core_object_type,
    .tp_basicsize = sizeof(core_open_wrapper),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_new = error_new,
    .tp_dealloc = core_wrapper_dealloc,
    .tp_traverse = core_wrapper_traverse,
    .tp_clear = core_wrapper_clear,
    .tp_repr = error_repr,
    .tp_hash = error_hash,
    .tp_richcompare = error_compare,
    .tp_getset = error_getset,
    .tp_methods = error_methods,
    .tp_free = PyObject_GC_Del,
};

/* After core_object_init. 0, or -1 with an exception. */
int core_error_init(PyObject* module) {
  if (core_type_ready(&core_error_type) != 0 || core_wrapper_class(JF_ERROR, &core_error_type) != 0) return -1;
  return PyModule_AddObjectRef(module, "Error", (PyObject*)&core_error_type);
}
