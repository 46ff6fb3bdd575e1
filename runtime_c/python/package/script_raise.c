/* Exceptions of scripts that are objects of Python's: raised, caught by classes of any kind, and `with`. */
#include "effect.h"
#include "error.h"
#include "host_object.h"
#include "script_object.h"

static int32_t failed(void) {
  core_error_from_python();
  return -1;
}

/* New: an exception, of a class one that is made; `what` it is for where it is neither. NULL with an exception. */
static PyObject* instance_of(PyObject* given, const char* what) {
  if (PyExceptionInstance_Check(given)) return Py_NewRef(given);
  if (!PyExceptionClass_Check(given)) return PyErr_Format(PyExc_TypeError, "%s must derive from BaseException", what);
  PyObject* made = PyObject_CallNoArgs(given);
  if (made != NULL && !PyExceptionInstance_Check(made)) {
    PyErr_Format(PyExc_TypeError, "calling %R should have returned an instance of BaseException, not %R", given,
                 Py_TYPE(made));
    Py_CLEAR(made);
  }
  return made;
}

int32_t core_op_raise(PyObject* exception, PyObject* cause) {
  core_count_effect(exception); /* its class may make it */
  core_show_handled();
  PyObject* raised = instance_of(exception, "exceptions");
  PyObject* reason =
      raised != NULL && cause != NULL && cause != Py_None ? instance_of(cause, "exception causes") : NULL;
  if (raised != NULL && !PyErr_Occurred()) {
    if (cause != NULL) PyException_SetCause(raised, Py_XNewRef(reason));
    PyErr_SetObject((PyObject*)Py_TYPE(raised), raised);
  }
  Py_XDECREF(reason);
  Py_XDECREF(raised);
  return failed();
}

/* New: what the except clause is handling. NULL with an exception. */
static PyObject* caught_by(jf_handled* handled) {
  core_show_handled();
  return core_error_settled(jf_handled_error(handled));
}

/* The same of the innermost clause. */
static PyObject* caught(void) { return caught_by(jf_handled_innermost()); }

PyObject* core_op_caught(void) {
  PyObject* exception = caught();
  if (exception == NULL) (void)failed();
  return exception;
}

/* Whether instances of the class are formatted as all objects are. */
static int is_formatted_by_object(PyTypeObject* class) {
  if (!PyType_HasFeature(class, Py_TPFLAGS_HEAPTYPE)) return 1; /* no built-in exception has a __format__ of its own */
  PyObject* name = PyUnicode_InternFromString("__format__");
  const int found = name != NULL && _PyType_Lookup(class, name) == _PyType_Lookup(&PyBaseObject_Type, name);
  Py_XDECREF(name);
  return found;
}

/* 1 where the exception of that error, made of its kind and message, is a text of that and nothing more; 0 without an
 * exception. */
static int is_message(const jf_error* error, int is_formatted) {
  const int has_message = error->header.type_code == JF_ERROR && error->host == NULL && error->message != NULL;
  PyObject* kind = has_message ? core_error_field(error->kind) : NULL;
  PyTypeObject* class = kind != NULL ? (PyTypeObject*)core_error_class(kind) : NULL;
  const PyTypeObject* base = (PyTypeObject*)PyExc_BaseException;
  const int found = class != NULL && class->tp_str == base->tp_str && class->tp_init == base->tp_init &&
                    class->tp_new == base->tp_new && (!is_formatted || is_formatted_by_object(class));
  PyErr_Clear();
  Py_XDECREF(kind);
  Py_XDECREF((PyObject*)class);
  return found;
}

int32_t core_op_told(jf_handled* handled, int32_t is_formatted, jf_value* out) {
  const jf_error* error = (const jf_error*)(handled->error != NULL ? handled->error : jf_handled_error(handled));
  if (is_message(error, is_formatted)) {
    jf_object_retain((jf_object*)error->message);
    *out = (jf_value){JF_OBJECT, 0, {.v_object = (jf_object*)error->message}};
    return 0;
  }
  PyObject* exception = caught_by(handled);
  if (exception != NULL) core_count_effect(exception);
  PyObject* text = NULL;
  if (exception != NULL) text = is_formatted ? PyObject_Format(exception, NULL) : PyObject_Str(exception);
  Py_ssize_t size = 0;
  const char* utf8 = text != NULL ? PyUnicode_AsUTF8AndSize(text, &size) : NULL;
  const int32_t status = utf8 != NULL ? jf_out_str(out, utf8, (size_t)size) : failed();
  Py_XDECREF(text);
  Py_XDECREF(exception);
  return status;
}

static int are_classes(PyObject* classes) {
  if (!PyTuple_Check(classes)) return PyExceptionClass_Check(classes);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(classes); i++)
    if (!PyExceptionClass_Check(PyTuple_GET_ITEM(classes, i))) return 0;
  return 1;
}

int32_t core_op_catches(PyObject* classes) {
  if (!are_classes(classes)) {
    core_show_handled();
    PyErr_SetString(PyExc_TypeError, "catching classes that do not inherit from BaseException is not allowed");
    return failed();
  }
  const jf_error* error = (const jf_error*)jf_handled_error(jf_handled_innermost());
  PyObject* exception = Py_XNewRef(core_host_get(error->host));
  if (exception == NULL) {
    PyObject* kind = core_error_field(error->kind);
    exception = kind != NULL ? core_error_class(kind) : NULL;
    Py_XDECREF(kind);
  }
  if (exception == NULL) return failed();
  const int32_t found = PyErr_GivenExceptionMatches(exception, classes);
  Py_DECREF(exception);
  return found;
}

/* New: the method of that name that the class of the manager has, bound to it; NULL without an exception where there is
 * none. */
static PyObject* special(PyObject* manager, const char* name) {
  PyObject* text = PyUnicode_InternFromString(name);
  PyObject* found = text != NULL ? _PyType_Lookup(Py_TYPE(manager), text) : NULL;
  Py_XDECREF(text);
  if (found == NULL) return NULL;
  descrgetfunc bind = Py_TYPE(found)->tp_descr_get;
  return bind != NULL ? bind(found, manager, (PyObject*)Py_TYPE(manager)) : Py_NewRef(found);
}

/* TypeError, in the words of this CPython; 3.14 looks for __exit__ first. */
static __attribute__((cold)) void raise_no_manager(PyObject* manager, int has_enter) {
  static const char WORDS[] = "'%.200s' object does not support the context manager protocol%s%s";
  const char* const name = Py_TYPE(manager)->tp_name;
#if PY_VERSION_HEX >= 0x030E0000
  (void)has_enter;
  PyObject* enters = special(manager, "__aenter__");
  PyObject* leaves = enters != NULL ? special(manager, "__aexit__") : NULL;
  PyObject* exit = PyErr_Occurred() == NULL ? special(manager, "__exit__") : NULL;
  if (PyErr_Occurred() == NULL)
    PyErr_Format(
        PyExc_TypeError, WORDS, name, exit != NULL ? " (missed __enter__ method)" : " (missed __exit__ method)",
        leaves == NULL ? ""
                       : " but it supports the asynchronous context manager protocol. Did you mean to use 'async "
                         "with'?");
  Py_XDECREF(exit);
  Py_XDECREF(leaves);
  Py_XDECREF(enters);
#else
  PyErr_Format(PyExc_TypeError, WORDS, name, has_enter ? " (missed __exit__ method)" : "", "");
#endif
}

PyObject* core_op_enter(PyObject* manager, PyObject** exit) {
  core_count_effect(manager);
  core_show_handled();
  PyObject* enter = special(manager, "__enter__");
  PyObject* leave = enter != NULL ? special(manager, "__exit__") : NULL;
  PyObject* entered = NULL;
  if (leave != NULL)
    entered = PyObject_CallNoArgs(enter);
  else if (!PyErr_Occurred())
    raise_no_manager(manager, enter != NULL);
  Py_XDECREF(enter);
  if (entered == NULL) {
    Py_XDECREF(leave);
    (void)failed();
    return NULL;
  }
  *exit = leave;
  return entered;
}

int32_t core_op_exit(PyObject* exit, int32_t has_failed) {
  core_count_effect(exit);
  core_show_handled();
  PyObject* exception = has_failed ? caught() : Py_NewRef(Py_None);
  if (exception == NULL) return failed();
  PyObject* traceback = has_failed ? PyException_GetTraceback(exception) : NULL;
  PyObject* args[] = {NULL, has_failed ? (PyObject*)Py_TYPE(exception) : Py_None, exception,
                      traceback != NULL ? traceback : Py_None};
  PyObject* result = PyObject_Vectorcall(exit, args + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
  const int status = result == NULL ? -1 : has_failed ? PyObject_IsTrue(result) : 0;
  Py_XDECREF(result);
  Py_XDECREF(traceback);
  Py_DECREF(exception);
  return status < 0 ? failed() : status;
}
