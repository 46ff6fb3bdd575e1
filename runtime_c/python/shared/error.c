/* Python exceptions and error objects, both ways.
 *
 *   exception  --core_error_from_python-->  jf_error {kind, message, cause, host = the exception}, the last error
 *   exception  <--core_error_raise--------  its host, traceback and all; without one, a new exception of its kind,
 *                                           called with the items of a Tuple that is host, or with the message
 *
 * An exception's traceback grows on the exception itself, so it comes back with every frame that it has passed. Its
 * text is made only when somebody asks the Error wrapper (error_object.c).
 */
#include "error.h"
#include "box.h"
#include "hooks.h"
#include "host_object.h"
#include "jitffi/emitted.h"
#include "jitffi/runtime.h"
#include "state.h"
#include "wrapper.h"

#include <string.h>

enum { MAX_CAUSES = 16 }; /* longer chains of causes are cut: they may be circular */

/* -- the exception that is set -------------------------------------------------------------------------------- */

/* New: the exception that is set, normalised, with its traceback on it, and no longer set. NULL when there is
 * none. */
PyObject* core_error_fetch(void) {
#if PY_VERSION_HEX >= 0x030C0000
  return PyErr_GetRaisedException();
#else
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (type == NULL) return NULL;
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != NULL) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return value;
#endif
}

/* Steals exception. Neither its context nor its traceback changes: frames that it leaves from now on come on top. */
void core_error_restore(PyObject* exception) {
#if PY_VERSION_HEX >= 0x030C0000
  PyErr_SetRaisedException(exception);
#else
  PyErr_Restore(Py_NewRef(Py_TYPE(exception)), exception, PyException_GetTraceback(exception));
#endif
}

/* Adds a line to what a traceback shows. Sets no exception. */
void core_error_add_note(PyObject* exception, PyObject* note) {
  PyObject* done = PyObject_CallMethod(exception, "add_note", "O", note);
  if (done == NULL) PyErr_Clear();
  Py_XDECREF(done);
}

/* -- to native -------------------------------------------------------------------------------------------------- */

/* New str without NULs and lone surrogates, which are written as escapes: PyUnicode_AsUTF8 of it is the whole
 * text. Steals text, which may be NULL. NULL with an exception. */
PyObject* core_error_text(PyObject* text) {
  Py_ssize_t size = 0;
  const char* utf8 = text != NULL ? PyUnicode_AsUTF8AndSize(text, &size) : NULL;
  if (text == NULL || (utf8 != NULL && strlen(utf8) == (size_t)size)) return text;
  PyErr_Clear();
  PyObject* bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
  PyObject* encoded = bytes != NULL ? PyUnicode_FromEncodedObject(bytes, "utf-8", "strict") : NULL;
  PyObject* nul = encoded != NULL ? PyUnicode_FromStringAndSize("\0", 1) : NULL;
  PyObject* escape = nul != NULL ? PyUnicode_FromString("\\x00") : NULL;
  PyObject* plain = escape != NULL ? PyUnicode_Replace(encoded, nul, escape, -1) : NULL;
  Py_DECREF(text);
  Py_XDECREF(bytes);
  Py_XDECREF(encoded);
  Py_XDECREF(nul);
  Py_XDECREF(escape);
  return plain;
}

/* New: "module.Name" of its class, or the name of one of `builtins`. NULL with an exception. */
static PyObject* class_text(PyObject* exception) {
  PyObject* type = (PyObject*)Py_TYPE(exception);
  PyObject* name = PyObject_GetAttrString(type, "__qualname__");
  PyObject* module = name != NULL ? PyObject_GetAttrString(type, "__module__") : NULL;
  PyObject* text = NULL;
  if (name != NULL && module == NULL) PyErr_Clear();
  if (name != NULL && !PyUnicode_Check(name)) { /* a metaclass may answer anything */
    Py_DECREF(name);
    name = PyUnicode_FromString("Exception");
  }
  if (name == NULL || module == NULL || !PyUnicode_Check(module) ||
      PyUnicode_CompareWithASCIIString(module, "builtins") == 0)
    text = Py_XNewRef(name);
  else
    text = PyUnicode_FromFormat("%U.%U", module, name);
  Py_XDECREF(name);
  Py_XDECREF(module);
  return text;
}

/* Borrowed from text, a core_error_text or NULL, whose exception is dropped. */
static const char* utf8_of(PyObject* text, const char* otherwise) {
  const char* utf8 = text != NULL ? PyUnicode_AsUTF8(text) : NULL;
  if (utf8 == NULL) PyErr_Clear();
  return utf8 != NULL ? utf8 : otherwise;
}

/* The name of a built-in class, which is the kind of its exceptions; NULL for others. */
static const char* built_in_kind(PyTypeObject* class) {
  const int is_other = PyType_HasFeature(class, Py_TPFLAGS_HEAPTYPE) || strchr(class->tp_name, '.') != NULL;
  return is_other ? NULL : class->tp_name;
}

/* What the class, or the nearest of its bases, is registered as; else its name. Borrowed from *text, which is new, or NULL. */
static const char* kind_of(PyObject* exception, PyObject** text) {
  PyObject* registered = core_error_kind_of(Py_TYPE(exception));
  const char* built_in = registered == NULL ? built_in_kind(Py_TYPE(exception)) : NULL;
  *text = NULL;
  if (built_in != NULL) return built_in;
  *text = core_error_text(registered != NULL ? registered : class_text(exception));
  return utf8_of(*text, "Exception");
}

/* New error; NULL when out of memory. Whatever a __str__ raises is dropped. */
static jf_object* error_of(PyObject* exception, int causes_left) {
  PyObject* kind;
  const char* kind_utf8 = kind_of(exception, &kind);
  PyObject* message = core_error_text(PyObject_Str(exception));
  const char* message_utf8 = utf8_of(message, "(its str() failed)");
  jf_object* host = core_host_new(exception);
  if (host == NULL) PyErr_Clear();
  PyObject* python_cause = causes_left > 0 ? PyException_GetCause(exception) : NULL;
  jf_object* cause = python_cause != NULL ? error_of(python_cause, causes_left - 1) : NULL;
  jf_object* error = jf_error_new(kind_utf8, message_utf8, NULL, cause, host);
  jf_object_release(cause);
  jf_object_release(host);
  Py_XDECREF(python_cause);
  Py_XDECREF(message);
  Py_XDECREF(kind);
  return error;
}

/* Clears the exception. */
jf_object* core_error_object_of(PyObject* exception) {
  jf_object* made = error_of(exception, MAX_CAUSES);
  if (made == NULL) PyErr_NoMemory();
  return made;
}

void core_error_from_python(void) {
  PyObject* exception = core_error_fetch();
  if (exception == NULL) {
    jf_error_set("RuntimeError", "a Python function failed without an exception");
    return;
  }
  jf_error_set_object(error_of(exception, MAX_CAUSES)); /* NULL stands for MemoryError */
  Py_DECREF(exception);
}

/* -- to Python -------------------------------------------------------------------------------------------------- */

/* New; never fails for its content. */
PyObject* core_error_field(const jf_str* text) {
  if (text == NULL) return PyUnicode_FromString("");
  return PyUnicode_DecodeUTF8(text->data, (Py_ssize_t)text->size, "replace");
}

/* New exception of the error's kind and message; NULL with an exception. */
static PyObject* exception_of_kind(const jf_error* error) {
  /* What lies in no memory of its own is that there is none: CPython's says nothing. */
  if (error->header.deleter == NULL && strcmp(error->kind->data, "MemoryError") == 0)
    return PyObject_CallNoArgs(PyExc_MemoryError);
  PyObject* kind = core_error_field(error->kind);
  PyObject* message = kind != NULL ? core_error_field(error->message) : NULL;
  PyObject* made = message != NULL ? core_error_instance(kind, message, jf_error_args(&error->header)) : NULL;
  Py_XDECREF(kind);
  Py_XDECREF(message);
  return made;
}

static PyObject* exception_with_entries(const jf_object* object, int causes_left);

/* New: the exception for an error, borrowed; the one it came from where it came from one. NULL with an exception. */
static PyObject* exception_of(const jf_object* object, int causes_left) {
  if (!jf_type_is_a(object->type_code, JF_ERROR))
    return PyObject_CallFunction(
        PyExc_RuntimeError, "N",
        PyUnicode_FromFormat("an object of type '%s' stands where an error should", jf_type_key(object->type_code)));
  const jf_error* error = (const jf_error*)object;
  PyObject* host = core_host_get(error->host);
  if (host != NULL && PyExceptionInstance_Check(host)) return Py_NewRef(host);
  PyObject* made = exception_of_kind(error);
  if (made == NULL) return NULL;
  const jf_str* lines = error->traceback;
  PyObject* note = lines != NULL ? core_traceback_rest(lines->data, lines->size) : NULL;
  if (note != NULL) core_error_add_note(made, note);
  Py_XDECREF(note);
  PyObject* cause =
      error->cause != NULL && causes_left > 0 ? exception_with_entries(error->cause, causes_left - 1) : NULL;
  PyErr_Clear();
  if (cause != NULL) PyException_SetCause(made, cause); /* steals */
  jf_object* context = causes_left > 0 ? jf_error_context(object) : NULL;
  PyObject* before = context != NULL ? core_error_settled(context) : NULL;
  PyErr_Clear();
  if (before != NULL) PyException_SetContext(made, before); /* steals */
  return made;
}

PyObject* core_error_new_exception(const jf_object* object) { return exception_of(object, MAX_CAUSES); }

/* The same, with entries for the lines of its traceback where it is a new one. */
static PyObject* exception_with_entries(const jf_object* object, int causes_left) {
  PyObject* exception = exception_of(object, causes_left);
  const jf_error* error = (const jf_error*)object;
  if (exception == NULL || !jf_type_is_a(object->type_code, JF_ERROR) || exception == core_host_get(error->host) ||
      error->traceback == NULL)
    return exception;
  core_error_restore(exception);
  core_traceback_add(error->traceback->data, error->traceback->size);
  return core_error_fetch();
}

/* New: the exception that raising it would raise. */
PyObject* core_error_exception(const jf_object* object) { return exception_with_entries(object, MAX_CAUSES); }

/* Steals error; NULL is one that there was no memory for, as in jf_error_set_object. */
void core_error_raise_object(jf_object* error) {
  if (error == NULL) {
    PyErr_NoMemory();
    return;
  }
  const jf_error* fields = (const jf_error*)error;
  const int is_error = jf_type_is_a(error->type_code, JF_ERROR);
  const int has_context = is_error && (core_host_get(fields->host) != NULL || jf_error_context(error) != NULL);
  PyObject* exception = exception_of(error, MAX_CAUSES);
  if (exception != NULL && has_context) {
    core_error_restore(exception);
  } else if (exception != NULL) {
    PyErr_SetObject((PyObject*)Py_TYPE(exception),
                    exception); /* as `raise` does: with the context of a running handler */
    Py_DECREF(exception);
  }
  if (is_error && fields->traceback != NULL && exception != NULL)
    core_traceback_add(fields->traceback->data, fields->traceback->size);
  jf_object_release(error);
}

/* state may be NULL. */
void core_error_raise(const core_state* state) {
  jf_object* lines = jf_error_take_lines();
  jf_object* error = jf_error_take();
  if (error != NULL) {
    core_error_raise_object(error);
    if (lines != NULL) core_traceback_add(((const jf_str*)lines)->data, ((const jf_str*)lines)->size);
    jf_object_release(lines);
    return;
  }
  const char* name =
      state != NULL && state->info != NULL && state->info->name != NULL ? state->info->name : "native function";
  PyErr_Format(PyExc_RuntimeError, "%s failed without an error", name);
}

/* The same for the call of a native function that has failed: the exception has passed through it. */
void core_error_raise_call(const core_state* state) {
  if (state != NULL && state->info != NULL) jf_error_leave_call(state->info);
  core_error_raise(state);
}
