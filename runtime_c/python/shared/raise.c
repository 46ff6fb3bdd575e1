/* The messages of the extension: who was called, which argument, what it expected and what it got.
 *
 *   add: argument 2 'y': expected f64, got str 'abc'
 *   `---- core_where ----'        `type'  `core_describe'
 *
 * Only built-in values are shown, through the built-in types' own repr: no code of the user runs here.
 */
#include "raise.h"
#include "call.h"
#include "error.h"
#include "function.h"
#include "hooks.h"
#include "jitffi/runtime.h"
#include "pointer.h"
#include "state.h"

#include <string.h>

enum { SHOWN_CHARACTERS = 40, SHOWN_BYTES = 24, SHOWN_BITS = 128 };

/* New: "<where>" without the name when the function is unknown. NULL with an exception. */
PyObject* core_where(const core_state* state, int32_t index) {
  const jf_call_info* info = state != NULL ? state->info : NULL;
  const char* function = info != NULL && info->name != NULL ? info->name : "function";
  if (index == JF_FIELD_INDEX) return PyUnicode_FromFormat("%s: ", function);
  if (index < 0) return PyUnicode_FromFormat("%s: result: ", function);
  const char* name = info != NULL && index < info->num_params ? info->params[index].name : NULL;
  Py_ssize_t position = info != NULL ? core_position(core_function_of((core_state*)state), index) : index + 1;
  if (name == NULL && position == 0) return PyUnicode_FromFormat("%s: parameter %d: ", function, (int)index + 1);
  if (name == NULL) return PyUnicode_FromFormat("%s: argument %zd: ", function, position);
  if (position == 0) return PyUnicode_FromFormat("%s: argument '%s': ", function, name);
  return PyUnicode_FromFormat("%s: argument %zd '%s': ", function, position, name);
}

/* Borrowed, never NULL. */
const char* core_type_text(const core_state* state, int32_t index) {
  const jf_call_info* info = state != NULL ? state->info : NULL;
  const char* text = NULL;
  if (info != NULL && index < 0) text = info->result;
  if (info != NULL && index >= 0 && index < info->num_params) text = info->params[index].type;
  return text != NULL ? text : "any";
}

/* Bits of an int's absolute value; -1 with an exception. Through int itself: a subclass may define its own. */
static Py_ssize_t int_bits(PyObject* number) {
  PyObject* bits = PyObject_CallMethod((PyObject*)&PyLong_Type, "bit_length", "O", number);
  if (bits == NULL) return -1;
  Py_ssize_t count = PyLong_AsSsize_t(bits);
  Py_DECREF(bits);
  return count;
}

/* New: "<type name> <value>" with a value that the built-in type printed; steals value, which may be NULL. */
static PyObject* with_value(const char* type, PyObject* value) {
  if (value == NULL) return NULL;
  PyObject* text = PyUnicode_FromFormat("%.200s %U", type, value);
  Py_DECREF(value);
  return text;
}

/* New: the type's name, and the value of a built-in one where that is short. Printing a long int takes quadratic
 * time, so beyond SHOWN_BITS only its size is told. */
__attribute__((cold)) PyObject* core_describe(PyObject* got) {
  const char* type = Py_TYPE(got)->tp_name;
  if (got == Py_None) return PyUnicode_FromString("None");
  if (PyBool_Check(got)) return PyUnicode_FromFormat("bool %s", got == Py_True ? "True" : "False");
  if (PyFloat_Check(got)) return with_value(type, PyFloat_Type.tp_repr(got));
  if (PyLong_Check(got)) {
    Py_ssize_t bits = int_bits(got);
    if (bits < 0) return NULL;
    if (bits > SHOWN_BITS) return PyUnicode_FromFormat("%.200s of %zd bits", type, bits);
    return with_value(type, PyLong_Type.tp_repr(got));
  }
  if (PyUnicode_Check(got)) {
    Py_ssize_t length = PyUnicode_GetLength(got);
    if (length > SHOWN_CHARACTERS) return PyUnicode_FromFormat("%.200s of %zd characters", type, length);
    return with_value(type, PyUnicode_Type.tp_repr(got));
  }
  if (PyBytes_Check(got)) {
    Py_ssize_t size = PyBytes_GET_SIZE(got);
    if (size > SHOWN_BYTES) return PyUnicode_FromFormat("%.200s of %zd bytes", type, size);
    return with_value(type, PyBytes_Type.tp_repr(got));
  }
  core_function* f = (core_function*)core_function_get(got);
  if (f != NULL && f->names != NULL) { /* by what it takes and gives, which is what it is refused for */
    PyObject* signature = core_hook_signature(f);
    PyObject* text = signature != NULL ? PyUnicode_FromFormat("function %U%U", f->name, signature) : NULL;
    Py_XDECREF(signature);
    return text;
  }
  const core_struct_info* info = core_structs != NULL ? core_structs->info((PyObject*)Py_TYPE(got)) : NULL;
  return info != NULL ? Py_NewRef(core_structs->key(info)) : PyUnicode_FromFormat("%.200s", type);
}

/* Raises `exception` with "<where>expected <type><detail>, got <value><note>"; detail and note may be NULL. */
static void fail(const core_state* state, int32_t index, PyObject* exception, const char* detail, PyObject* got,
                 const char* note) {
  PyObject* where = core_where(state, index);
  PyObject* value = where != NULL ? core_describe(got) : NULL;
  if (value != NULL) {
    PyErr_Format(exception, "%Uexpected %s%s, got %U%s%s%s", where, core_type_text(state, index),
                 detail != NULL ? detail : "", value, note != NULL ? " (" : "", note != NULL ? note : "",
                 note != NULL ? ")" : "");
  }
  Py_XDECREF(where);
  Py_XDECREF(value);
}

/* Borrows got. */
void core_raise_type(const core_state* state, int32_t index, PyObject* got, const char* note) {
  fail(state, index, PyExc_TypeError, NULL, got, note);
}

/* Borrows exception and got; detail may be NULL. */
void core_raise_value(const core_state* state, int32_t index, PyObject* exception, const char* detail, PyObject* got) {
  fail(state, index, exception, detail, got, NULL);
}

/* How many of the first `most` arguments have to be given. */
static int required_of(const core_function* f, int most) {
  int required = most, is_filled;
  if (!f->defaults) return most;
  while (required > 0 && PyTuple_GET_ITEM(f->defaults, core_passed(f, required - 1, &is_filled)) != core_no_default)
    required--;
  return required;
}

/* TypeError: how many arguments there should be, and the first that is missing. */
__attribute__((cold)) void core_raise_arity(const core_state* state, Py_ssize_t given) {
  const jf_call_info* info = state->info;
  const core_function* f = core_function_of((core_state*)state);
  int most = (int)core_num_positional(f);
  int required = required_of(f, most) - f->is_method;
  char expected[64];
  if (given < f->is_method) {
    PyErr_Format(PyExc_TypeError, "unbound method %s() needs an argument", info->name);
    return;
  }
  most -= f->is_method;
  given -= f->is_method;
  if (most == 0)
    PyOS_snprintf(expected, sizeof expected, "no arguments");
  else if (required == most)
    PyOS_snprintf(expected, sizeof expected, "%d argument%s", most, most == 1 ? "" : "s");
  else
    PyOS_snprintf(expected, sizeof expected, "%d to %d arguments", required, most);
  if (given >= required) {
    PyErr_Format(PyExc_TypeError, "%s: expected %s, got %zd", info->name, expected, given);
    return;
  }
  int is_filled;
  const char* name = info->params[core_passed(f, given + f->is_method, &is_filled)].name;
  PyErr_Format(PyExc_TypeError,
               name != NULL ? "%s: expected %s, got %zd (missing argument %zd '%s')"
                            : "%s: expected %s, got %zd (missing argument %zd)",
               info->name, expected, given, given + 1, name);
}

/* 1 if the message is all there is to such an exception: exact built-in classes that print their one argument. */
static int message_is_all(PyObject* exception) {
  PyTypeObject* type = Py_TYPE(exception);
  return type == (PyTypeObject*)PyExc_TypeError || type == (PyTypeObject*)PyExc_ValueError ||
         type == (PyTypeObject*)PyExc_OverflowError || type == (PyTypeObject*)PyExc_BufferError ||
         type == (PyTypeObject*)PyExc_RuntimeError;
}

/* "<where>" goes before the message, in the exception's own args. 1 done, 0 not such an exception or out of
 * memory. */
static int prefix_message(PyObject* exception, PyObject* where) {
  if (!message_is_all(exception)) return 0;
  PyObject* args = PyObject_GetAttrString(exception, "args");
  PyObject* changed = NULL;
  int done = 0;
  if (args != NULL && PyTuple_CheckExact(args) && PyTuple_GET_SIZE(args) == 1 &&
      PyUnicode_CheckExact(PyTuple_GET_ITEM(args, 0)))
    changed = Py_BuildValue("(N)", PyUnicode_Concat(where, PyTuple_GET_ITEM(args, 0)));
  if (changed != NULL) done = PyObject_SetAttrString(exception, "args", changed) == 0;
  Py_XDECREF(args);
  Py_XDECREF(changed);
  return done;
}

/* Borrows exception, which is not set; steals where, which may be NULL. */
static void add_place(PyObject* where, PyObject* exception) {
  if (where != NULL && !prefix_message(exception, where)) {
    PyErr_Clear();
    /* MemoryError instances are reused by the interpreter: a note would turn up on the next one. */
    if (!PyErr_GivenExceptionMatches(exception, PyExc_MemoryError)) {
      PyObject* note = PyUnicode_Substring(where, 0, PyUnicode_GetLength(where) - 2); /* without ": " */
      if (note != NULL) core_error_add_note(exception, note);
      Py_XDECREF(note);
    }
  }
  PyErr_Clear();
  Py_XDECREF(where);
}

static void add_context(const core_state* state, int32_t index, PyObject* exception) {
  add_place(core_where(state, index), exception);
}

/* Keeps the exception as the very object it is; without one set it does nothing. */
void core_raise_context(const core_state* state, int32_t index) {
  PyObject* exception = core_error_fetch();
  if (exception == NULL) return;
  add_context(state, index, exception);
  core_error_restore(exception);
}

/* What Python code has raised has a traceback, and says itself where it comes from. */
void core_raise_conversion(const core_state* state, int32_t index) {
  PyObject* exception = core_error_fetch();
  if (exception == NULL) return;
  PyObject* traceback = PyException_GetTraceback(exception);
  if (traceback == NULL) add_context(state, index, exception);
  Py_XDECREF(traceback);
  core_error_restore(exception);
}

int32_t core_raise_unconverted(const core_state* state, int32_t index, PyObject* object) {
  if (PyErr_Occurred())
    core_raise_conversion(state, index);
  else
    core_raise_type(state, index, object, NULL);
  return -1;
}

/* Steals place. */
void core_raise_place(PyObject* place) {
  PyObject* exception = core_error_fetch();
  if (exception == NULL) {
    Py_XDECREF(place);
    return;
  }
  PyObject* traceback = PyException_GetTraceback(exception);
  const int is_deep = PyErr_GivenExceptionMatches(exception, PyExc_RecursionError); /* a thousand places tell nothing */
  if (traceback == NULL && !is_deep)
    add_place(place, exception);
  else
    Py_XDECREF(place);
  Py_XDECREF(traceback);
  core_error_restore(exception);
}

/* Steals where. */
void core_raise_elsewhere(PyObject* where, PyObject* expected) {
  static const char WHERE[] = "function: argument 1: ", EXPECTED[] = "expected any";
  if (where == NULL) return;
  PyObject* exception = core_error_fetch();
  PyObject* text = exception != NULL ? PyObject_Str(exception) : NULL;
  const char* rest = text != NULL ? PyUnicode_AsUTF8(text) : NULL;
  PyErr_Clear();
  if (rest == NULL || strncmp(rest, WHERE, sizeof WHERE - 1) != 0) {
    if (exception != NULL) core_error_restore(exception);
  } else {
    rest += sizeof WHERE - 1;
    const int is_ours = strncmp(rest, EXPECTED, sizeof EXPECTED - 1) == 0;
    if (is_ours) rest += sizeof EXPECTED - 1;
    PyErr_Format((PyObject*)Py_TYPE(exception), is_ours ? "%Uexpected %U%s" : "%U%.0U%s", where, expected, rest);
    Py_DECREF(exception);
  }
  Py_XDECREF(text);
  Py_DECREF(where);
}
