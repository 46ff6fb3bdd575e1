/* Arguments that do not fit as they are, but whose class says by a value protocol what they stand for: they are asked where the
 * call would fail, once, and what they have said is kept for the call.
 *
 * Text is borrowed without anything that is released behind the call, which would cost each call that fits. So compiled code
 * that is refused one calls its function again, with what was said in the argument's place.
 */
#include "said.h"

#include "build.h"
#include "callback.h"
#include "error.h"
#include "foreign.h"
#include "function.h"
#include "raise.h"
#include "unbox.h"

#include <string.h>

/* Whether the exception that is set says that this argument does not fit, and nothing else. */
static int is_refusal(const core_state* state, int32_t index) {
  PyObject* exception = core_error_fetch();
  PyObject* where = core_where(state, index);
  PyObject* text = where != NULL ? PyObject_Str(exception) : NULL;
  const int found = text != NULL && (PyObject*)Py_TYPE(exception) == PyExc_TypeError &&
                    PyUnicode_Tailmatch(text, where, 0, PY_SSIZE_T_MAX, -1) == 1;
  PyErr_Clear();
  Py_XDECREF(where);
  Py_XDECREF(text);
  core_error_restore(exception);
  return found;
}

/* Goes on with what is said, which is stolen; NULL: nothing, or an exception. */
static int32_t unbox_said(core_state* state, int32_t index, PyObject* object, PyObject* said, core_unbox_again* again,
                          int64_t extra, void* out, jf_temps* temps) {
  if (said == NULL) return core_raise_unconverted(state, index, object);
  if (core_keep_python(temps, said) != 0 || Py_EnterRecursiveCall(" in a value protocol")) return -1;
  const int32_t status = again(state, index, said, extra, out, temps);
  Py_LeaveRecursiveCall();
  if (status == 0 || !is_refusal(state, index)) return status;
  PyErr_Clear();
  core_raise_type(state, index, object, NULL);
  return -1;
}

static PyObject* ask(const core_state* state, PyObject* object) {
  return state != NULL ? core_protocol_value(object, CORE_AS_ANY) : NULL;
}

int32_t core_unbox_said(core_state* state, int32_t index, PyObject* object, core_unbox_again* again, int64_t extra,
                        void* out, jf_temps* temps) {
  return unbox_said(state, index, object, ask(state, object), again, extra, out, temps);
}

int32_t core_unbox_said_instead(core_state* state, int32_t index, PyObject* object, core_unbox_again* again, void* out,
                                jf_temps* temps) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
  PyObject* refusal = core_error_fetch();
  PyObject* said = ask(state, object);
  if (said == NULL && !PyErr_Occurred()) {
    core_error_restore(refusal);
    return -1;
  }
  Py_DECREF(refusal);
  return unbox_said(state, index, object, said, again, 0, out, temps);
}

/* -- text ---------------------------------------------------------------------------------------------------- */

/* The text that this thread has been refused last as an argument, until whoever called for it has looked. */
static CORE_THREAD_LOCAL struct {
  core_state* state;
  PyObject* object;
  int32_t index;
} refused;

int32_t core_refuse_text_argument(core_state* state, int32_t index, PyObject* object) {
  core_raise_type(state, index, object, NULL);
  if (state == NULL || index < 0) return -1;
  refused.state = state;
  refused.object = object;
  refused.index = index;
  return -1;
}

/* New: the text of what is said, and of what that says. NULL, with an exception or without. */
static PyObject* text_of(PyObject* object, int takes_bytes) {
  jf_span span;
  PyObject* said = core_protocol_value(object, CORE_AS_ANY);
  if (said == NULL || PyUnicode_Check(said) || (takes_bytes && PyBytes_Check(said)) || core_text_span(said, &span) > 0)
    return said;
  PyObject* inner = NULL;
  if (!PyErr_Occurred() && Py_EnterRecursiveCall(" in a value protocol") == 0) {
    inner = text_of(said, takes_bytes);
    Py_LeaveRecursiveCall();
  }
  Py_DECREF(said);
  return inner;
}

/* New: what stands for the object whose refusal is set, and is no exception any more then. NULL: an exception stays set. */
static PyObject* said_instead(const core_state* state, int32_t index, PyObject* object) {
  PyObject* refusal = core_error_fetch();
  PyObject* said = text_of(object, strstr(core_type_text(state, index), "cstr") != NULL);
  if (said == NULL && !PyErr_Occurred()) {
    core_error_restore(refusal);
    return NULL;
  }
  Py_XDECREF(refusal);
  if (said == NULL) core_raise_conversion(state, index);
  return said;
}

/* The object that was refused as an argument of that function, whose exception is set, and its index; NULL. */
static PyObject* take_refused(const core_state* state, int32_t* index) {
  PyObject* object = refused.object;
  refused.object = NULL;
  *index = refused.index;
  return refused.state == state ? object : NULL;
}

/* The same of a value that was asked for here, an argument or the result: what temps keep of it. */
static PyObject* kept_instead(const core_state* state, int32_t index, PyObject* object, jf_temps* temps) {
  int32_t noted;
  if (index >= 0 ? take_refused(state, &noted) == NULL : state == NULL || !is_refusal(state, index)) return NULL;
  PyObject* said = said_instead(state, index, object);
  return said != NULL && core_keep_python(temps, said) == 0 ? said : NULL;
}

int32_t core_unbox_str_kept(core_state* state, int32_t index, PyObject* object, jf_span* out, jf_temps* temps) {
  if (core_unbox_str(state, index, object, out) == 0) return 0;
  PyObject* said = kept_instead(state, index, object, temps);
  const int32_t status = said != NULL ? core_unbox_str(state, index, said, out) : -1;
  refused.object = NULL;
  return status;
}

int32_t core_unbox_cstr_kept(core_state* state, int32_t index, PyObject* object, const char** out, jf_temps* temps) {
  if (core_unbox_cstr(state, index, object, out) == 0) return 0;
  if (index < 0) return -1; /* it has been asked: what a callable returns is kept for longer than temps are */
  PyObject* said = kept_instead(state, index, object, temps);
  const int32_t status = said != NULL ? core_unbox_cstr(state, index, said, out) : -1;
  refused.object = NULL;
  return status;
}

int32_t core_unbox_cstr_result_said(core_state* state, PyObject* object, const char** out) {
  const char* text;
  if (state == NULL || !is_refusal(state, -1)) return -1;
  PyObject* said = said_instead(state, -1, object);
  int32_t status = said != NULL ? core_unbox_cstr(state, -1, said, &text) : -1;
  if (status == 0 && (*out = core_keep_cstr(state, text, -1)) == NULL) {
    core_error_raise(NULL);
    status = -1;
  }
  Py_XDECREF(said);
  return status;
}

/* Whether what a call gives at `at` is for that parameter: an object may be given for several. */
static int is_parameter(const core_function* f, int32_t index, Py_ssize_t at, Py_ssize_t given, PyObject* names) {
  int is_filled;
  if (at < given) return core_passed(f, at, &is_filled) == index;
  return PyUnicode_Compare(PyTuple_GET_ITEM(names, at - given), PyTuple_GET_ITEM(f->names, index)) == 0;
}

PyObject* core_call_again(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* names) {
  const core_function* f = (core_function*)self;
  const core_state* state = &f->state;
  int32_t index;
  PyObject* object = take_refused(state, &index);
  PyObject* said = object != NULL ? said_instead(state, index, object) : NULL;
  if (said == NULL) return NULL;
  const Py_ssize_t count = given + (names != NULL ? PyTuple_GET_SIZE(names) : 0);
  PyObject** instead = PyMem_Malloc((size_t)count * sizeof *instead);
  PyObject* result = NULL;
  int is_given = 0;
  if (instead == NULL) PyErr_NoMemory();
  for (Py_ssize_t i = 0; instead != NULL && i < count; i++) {
    const int is_it = args[i] == object && is_parameter(f, index, i, given, names);
    instead[i] = is_it ? said : args[i];
    is_given |= is_it;
  }
  if (is_given)
    result = core_function_vectorcall(self, instead, (size_t)given, names);
  else if (instead != NULL)
    core_raise_type(state, index, object, NULL); /* a default, which is no value of its type */
  PyMem_Free(instead);
  Py_DECREF(said);
  return result;
}
