/* A first call that goes on for longer than code takes to make: it is given up, and code makes it again.
 *
 *   the interpreter is at it ----------------------------------------------> result
 *       ^ a thread looks now and then (jitffi/scripts/api/first_calls.py)
 *       `-- has it gone on for too long? then an exception ends it, and the same arguments go to code
 *
 * Only what changes nothing but its own is called so (jitffi/scripts/api/repeats.py): one call at a time, on the main
 * thread, as that alone makes pending calls. A pending call comes between any two instructions of Python, those of a
 * signal handler and of a finalizer too, and in functions of the library, which may be half-way through something. The
 * exception is raised where all frames are the script's own and those of functions that it calls; else the thread asks
 * again.
 */
#include "parts.h"
#include "script.h"

#include <time.h>

/* So many items are looked at, and so deep. */
enum { MOST_ITEMS = 1000000, DEEPEST = 8 };

static PyObject* given_up; /* the class of the exception */

/* The call that is watched. Under the GIL. */
static struct {
  PyObject* codes;  /* of the frames that it may end in; NULL: there is no such call */
  PyObject* caller; /* the frame that has made it */
  int64_t start, enough;
  int is_asked; /* a pending call is under way */
} watched;

int64_t core_script_now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

/* -- arguments --------------------------------------------------------------------------------------------------------- */

static int is_immutable(PyObject* object, int depth, int64_t* seen) {
  const PyTypeObject* const type = Py_TYPE(object);
  if (type == &PyTuple_Type) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); i++)
      if (depth == 0 || ++*seen > MOST_ITEMS || !is_immutable(PyTuple_GET_ITEM(object, i), depth - 1, seen)) return 0;
    return 1;
  }
  return object == Py_None || type == &PyBool_Type || type == &PyLong_Type || type == &PyFloat_Type ||
         type == &PyUnicode_Type || type == &PyBytes_Type;
}

static int is_item(PyObject* object, int64_t* seen) {
  return ++*seen <= MOST_ITEMS && is_immutable(object, DEEPEST, seen);
}

static int is_set_flat(PyObject* set, int64_t* seen) {
  PyObject* iterator = PyObject_GetIter(set);
  PyObject* item;
  int found = iterator != NULL;
  while (found && (item = PyIter_Next(iterator)) != NULL) {
    found = is_item(item, seen);
    Py_DECREF(item);
  }
  Py_XDECREF(iterator);
  if (PyErr_Occurred()) PyErr_Clear(), found = 0;
  return found;
}

/* Whether nothing in it can be changed; it can itself. */
static int is_flat(PyObject* object, int64_t* seen) {
  if (PyAnySet_CheckExact(object)) return is_set_flat(object, seen);
  if (PyDict_CheckExact(object)) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &value);)
      if (!is_item(key, seen) || !is_item(value, seen)) return 0;
    return 1;
  }
  if (!PyList_CheckExact(object)) return is_immutable(object, DEEPEST, seen);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); i++)
    if (!is_item(PyList_GET_ITEM(object, i), seen)) return 0;
  return 1;
}

/* -- frames ------------------------------------------------------------------------------------------------------------ */

static int is_among(PyObject* codes, PyObject* code) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(codes); i++)
    if (PyTuple_GET_ITEM(codes, i) == code) return 1;
  return 0;
}

/* Whether the frames above the caller's, the running one first, are all of the call. */
static int is_in_call(void) {
  PyFrameObject* frame = PyEval_GetFrame();
  int found = frame != NULL && (PyObject*)frame != watched.caller;
  Py_XINCREF(frame);
  while (frame != NULL && (PyObject*)frame != watched.caller) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    PyFrameObject* back = is_among(watched.codes, (PyObject*)code) ? PyFrame_GetBack(frame) : NULL;
    Py_DECREF(code);
    Py_DECREF(frame);
    frame = back;
  }
  found = found && frame != NULL;
  Py_XDECREF(frame);
  return found;
}

static int is_too_long(void) { return watched.codes != NULL && core_script_now() - watched.start > watched.enough; }

static int end_call(void* unused) {
  (void)unused;
  watched.is_asked = 0;
  if (!is_too_long() || !is_in_call()) return 0;
  PyErr_SetNone(given_up);
  return -1;
}

/* -- calls ------------------------------------------------------------------------------------------------------------- */

/* Asks Python; 0, or -1 with an exception: Ctrl-C, say, and it is asked again. */
static int look(core_first* first) {
  PyObject *codes, *watch;
  unsigned long long kept;
  long long enough;
  PyObject* asked = Py_NewRef(first->look); /* which another thread may let go meanwhile */
  PyObject* found = PyObject_CallOneArg(asked, first->function);
  Py_DECREF(asked);
  if (found != NULL && found != Py_None && first->codes == NULL &&
      PyArg_ParseTuple(found, "O!KLO", &PyTuple_Type, &codes, &kept, &enough, &watch)) {
    first->kept = kept;
    first->enough_at_once = enough;
    first->watch = Py_NewRef(watch);
    first->codes = Py_NewRef(codes);
  }
  if (found != NULL) Py_CLEAR(first->look);
  Py_XDECREF(found);
  return PyErr_Occurred() != NULL ? -1 : 0;
}

int core_long_may_be(core_first* first, PyObject* const* args, Py_ssize_t given) {
  if (first->look != NULL && look(first) != 0) return -1;
  if (first->codes == NULL) return 0;
  if (watched.codes != NULL) /* of that call it is a part */
    return core_is_main_thread() && is_among(watched.codes, PyFunction_GET_CODE(first->function)) && is_in_call();
  if (!core_is_main_thread() || PyEval_GetFrame() == NULL) return 0;
  int64_t seen = 0;
  for (Py_ssize_t i = 0; i < given; i++)
    if (first->kept >> i & 1 ? !is_immutable(args[i], DEEPEST, &seen) : !is_flat(args[i], &seen)) return 0;
  PyObject* is_there = PyObject_CallNoArgs(first->watch);
  const int found = is_there != NULL ? is_there == Py_True : -1;
  Py_XDECREF(is_there);
  return found;
}

int core_long_begin(const core_first* first) {
  if (watched.codes != NULL) return 0;
  watched.codes = Py_NewRef(first->codes);
  watched.caller = Py_NewRef((PyObject*)PyEval_GetFrame());
  watched.start = core_script_now();
  watched.enough = first->enough_at_once;
  return 1;
}

int core_long_end(PyObject* result) {
  Py_CLEAR(watched.codes);
  Py_CLEAR(watched.caller);
  if (result != NULL || !PyErr_ExceptionMatches(given_up)) return 0;
  PyErr_Clear();
  return 1;
}

/* script_look_at_long(): whether there is such a call; one that has gone on for too long is asked to end. */
static PyObject* script_look_at_long(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  if (is_too_long() && !watched.is_asked) watched.is_asked = Py_AddPendingCall(end_call, NULL) == 0;
  return PyBool_FromLong(watched.codes != NULL);
}

static PyMethodDef methods[] = {
    {"script_look_at_long", script_look_at_long, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int core_script_long_init(PyObject* module) {
  given_up = PyErr_NewException("jitffi._core.GivenUp", PyExc_BaseException, NULL);
  return given_up == NULL ? -1 : PyModule_AddFunctions(module, methods);
}
