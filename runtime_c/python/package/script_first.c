/* The first calls of a script, made by the interpreter: code takes longer to make than a few short calls take.
 *
 *   call, no variant --short?--> the Python function --> told now and then: how many, how long
 *                       |                                  often, or long enough: code is made on another thread
 *                       `no--> Script._make_variant: code is made now
 *
 * Nobody can tell beforehand how long a call takes. These are short as far as can be told: the numbers and lengths of
 * the arguments come to little together, which is the less, the deeper loops are in each other
 * (jitffi/scripts/api/rounds.py). A script that calls itself is compiled then.
 */
#include "error.h"
#include "function.h"
#include "hooks.h"
#include "parts.h"
#include "raise.h"
#include "script.h"

#include <math.h>
#include <time.h>

enum { DEEPEST = 4 };

/* -- arguments --------------------------------------------------------------------------------------------------------- */

static int64_t room_after(PyObject* object, int64_t room, int depth);

/* An int or a float as a count of rounds. */
static int64_t room_after_number(PyObject* number, int64_t room) {
  if (PyFloat_CheckExact(number)) {
    const double value = fabs(PyFloat_AS_DOUBLE(number));
    return value <= (double)room ? room - (int64_t)value - 1 : -1;
  }
  int overflow;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  return overflow == 0 && value >= -room && value <= room ? room - (value < 0 ? -value : value) - 1 : -1;
}

static int64_t room_after_set(PyObject* set, int64_t room, int depth) {
  PyObject* items = PyObject_GetIter(set);
  PyObject* item;
  while (room >= 0 && items != NULL && (item = PyIter_Next(items)) != NULL) {
    room = room_after(item, room, depth);
    Py_DECREF(item);
  }
  Py_XDECREF(items);
  if (PyErr_Occurred()) PyErr_Clear(), room = -1;
  return room;
}

/* What is left of the room for numbers and lengths; negative: too much, or nobody knows how much. No code of the user's
 * runs. */
static int64_t room_after(PyObject* object, int64_t room, int depth) {
  const PyTypeObject* const type = Py_TYPE(object);
  if (object == Py_None || type == &PyBool_Type) return room - 1;
  if (type == &PyLong_Type || type == &PyFloat_Type) return room_after_number(object, room);
  if (type == &PyUnicode_Type) return room - PyUnicode_GET_LENGTH(object) - 1;
  if (type == &PyBytes_Type) return room - PyBytes_GET_SIZE(object) - 1;
  if (depth == 0) return -1;
  if (type == &PyList_Type || type == &PyTuple_Type) {
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
    for (Py_ssize_t i = 0; i < size && room >= 0; i++)
      room = room_after(PySequence_Fast_GET_ITEM(object, i), room - 1, depth - 1);
    return room - 1;
  }
  if (type == &PySet_Type || type == &PyFrozenSet_Type) return room_after_set(object, room - 1, depth - 1);
  if (type != &PyDict_Type) return -1;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; room >= 0 && PyDict_Next(object, &at, &key, &value);) {
    room = room_after(key, room - 1, depth - 1);
    if (room >= 0) room = room_after(value, room, depth - 1);
  }
  return room - 1;
}

/* Whether the interpreter treats it as code would, whatever its size: what is none of ours. */
static int is_pythons(PyObject* object) {
  const PyTypeObject* const type = Py_TYPE(object);
  return object == Py_None || type == &PyBool_Type || type == &PyLong_Type || type == &PyFloat_Type ||
         type == &PyUnicode_Type || type == &PyBytes_Type || type == &PyList_Type || type == &PyTuple_Type ||
         type == &PyDict_Type || type == &PySet_Type || type == &PyFrozenSet_Type;
}

static int is_short(const core_first* first, PyObject* const* args, Py_ssize_t given) {
  int64_t room = first->most;
  for (Py_ssize_t i = 0; i < given; i++) {
    PyObject* class = PyTuple_GET_ITEM(first->classes, i);
    if (class != Py_None && (PyObject*)Py_TYPE(args[i]) != class) return 0;
    if (!is_pythons(args[i])) return 0;
    if (first->most >= 0 && (room = room_after(args[i], room, DEEPEST)) < 0) return 0;
  }
  return 1;
}

/* -- calls ------------------------------------------------------------------------------------------------------------- */

/* Asks Python; 0, or -1 with an exception. */
static int ask(core_function* f, core_first* first) {
  PyObject* found = core_hook_first_calls(f);
  PyObject *most, *classes, *function, *told;
  long long often, enough;
  if (found == NULL) return -1;
  const int was_asked = first->is_asked; /* by another thread, meanwhile */
  first->is_asked = 1;
  if (!was_asked && found != Py_None &&
      PyArg_ParseTuple(found, "OOOOLL", &most, &classes, &function, &told, &often, &enough)) {
    first->most = most != Py_None ? PyLong_AsLongLong(most) : -1;
    first->classes = Py_NewRef(classes);
    first->function = Py_NewRef(function);
    first->told = Py_NewRef(told);
    first->often = often;
    first->enough = enough;
  }
  Py_DECREF(found);
  return PyErr_Occurred() != NULL ? -1 : 0;
}

void core_first_free(core_first* first) {
  Py_XDECREF(first->classes);
  Py_XDECREF(first->function);
  Py_XDECREF(first->told);
}

int core_first_begins(core_function* f, core_tags type_tags, PyObject* const* args, Py_ssize_t given) {
  core_script* script = f->script;
  core_first* first = &script->first;
  if (script->strict || script->nogil || !script->returns_python || script->used != NULL || first->is_running) return 0;
  if (!first->is_asked && ask(f, first) != 0) return -1;
  if (first->classes == NULL || !is_short(first, args, given)) return 0;
  first->beginning_tags = type_tags;
  first->is_running = 1;
  first->beginning = PyThreadState_Get();
  return 1;
}

int core_first_has_begun(const core_script* script) { return script->first.beginning == PyThreadState_Get(); }

static int64_t now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

/* Whether an int is none of code's, which leaves the call to the interpreter then. */
static int is_beyond(PyObject* number) {
  int overflow;
  PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow <= 0) return overflow < 0;
  PyLong_AsUnsignedLongLong(number);
  const int is_large = PyErr_Occurred() != NULL;
  PyErr_Clear();
  return is_large;
}

/* What code would make of the result, where the annotation names its class; takes it. NULL with an exception. */
static PyObject* checked(core_function* f, PyObject* classes, PyObject* result) {
  PyObject* class = PyTuple_GET_ITEM(classes, f->script->num_params);
  if (class == Py_None || (PyObject*)Py_TYPE(result) == class) return result;
  const int is_container = class == (PyObject*)&PyList_Type || class == (PyObject*)&PyDict_Type;
  if (is_container && PyType_IsSubtype(Py_TYPE(result), (PyTypeObject*)class)) return result;
  const int is_int = PyLong_CheckExact(result) || PyBool_Check(result);
  PyObject* made = NULL;
  if (is_int && class == (PyObject*)&PyFloat_Type) {
    made = is_beyond(result) ? Py_NewRef(result) : PyNumber_Float(result);
  } else if (PyBool_Check(result) && class == (PyObject*)&PyLong_Type) {
    made = PyNumber_Long(result);
  } else {
    PyObject* got = core_describe(result);
    PyObject* expected = PyTuple_GET_ITEM(classes, f->script->num_params + 1);
    if (got != NULL) PyErr_Format(PyExc_TypeError, "%U: 'result': expected %U, got %U", f->name, expected, got);
    Py_XDECREF(got);
  }
  Py_DECREF(result);
  return made;
}

/* Takes the result, NULL for the exception that is set. */
static PyObject* tell(core_function* f, core_tags type_tags, PyObject* result) {
  core_first* first = &f->script->first;
  PyObject* raised = result == NULL ? core_error_fetch() : NULL;
  PyObject* more =
      PyObject_CallFunction(first->told, "OKKLL", f, (unsigned long long)type_tags.kinds,
                            (unsigned long long)type_tags.ranks, (long long)first->calls, (long long)first->spent);
  first->type_tags = type_tags;
  if (more != Py_True) Py_CLEAR(first->classes);
  if (more == NULL) { /* Ctrl-C, say */
    Py_XDECREF(raised);
    Py_CLEAR(result);
  } else if (raised != NULL) {
    core_error_restore(raised);
  }
  Py_XDECREF(more);
  return result;
}

PyObject* core_first_call(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
  core_function* f = (core_function*)self;
  core_first* first = &f->script->first;
  const core_tags tags = first->beginning_tags;
  first->beginning = NULL;
  const int64_t start = now();
  PyObject* result = PyObject_Vectorcall(first->function, args, (size_t)given, kwnames);
  first->spent += now() - start;
  first->is_running = 0;
  PyObject* classes = first->classes;
  if (classes == NULL) return result;
  Py_INCREF(classes);
  const int is_new =
      first->calls++ == 0 || tags.kinds != first->type_tags.kinds || tags.ranks != first->type_tags.ranks;
  if (is_new || first->calls >= first->often || first->spent >= first->enough) result = tell(f, tags, result);
  if (result != NULL) result = checked(f, classes, result);
  Py_DECREF(classes);
  return result;
}
