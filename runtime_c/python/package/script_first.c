/* The first calls of a script, made by the interpreter: code takes longer to make than a few short calls take.
 *
 *   call, no variant --short?--> the Python function --> told now and then: how many, how long
 *                       |                                  often, or long enough: code is made on another thread
 *                       `no--> Script._make_variant: code is made now
 *
 * Nobody can tell beforehand how long a call takes. These are short as far as can be told: its loops go round a number of
 * times that the lengths of the arguments and the numbers in them tell (jitffi/scripts/api/bounds.py); or they can be given
 * up when they are not (script_long.c). A script that calls itself counts all of these calls, and goes on in code when they
 * were many. Looking at the arguments takes time as well, which counts, too.
 */
#include "error.h"
#include "function.h"
#include "hooks.h"
#include "parts.h"
#include "raise.h"
#include "script.h"

#include <limits.h>
#include <math.h>

/* How deep containers are in each other, and calls of a script by itself: what goes deeper is code's. */
enum { DEEPEST = 4, DEEPEST_CALL = 50, MOST_PARAMS = 62 };

/* -- arguments --------------------------------------------------------------------------------------------------------- */

/* What an argument comes to: its items and characters, with those of its items, and the numbers in it. */
typedef struct {
  double lengths, numbers;
} size;

/* Whether the interpreter treats it as code would, whatever its size: what is none of ours. */
static int is_pythons(PyObject* object) {
  const PyTypeObject* const type = Py_TYPE(object);
  return object == Py_None || type == &PyBool_Type || type == &PyLong_Type || type == &PyFloat_Type ||
         type == &PyUnicode_Type || type == &PyBytes_Type || type == &PyList_Type || type == &PyTuple_Type ||
         type == &PyDict_Type || type == &PySet_Type || type == &PyFrozenSet_Type;
}

static int add_size(PyObject* object, double most, int depth, size* sum);

/* 0: it is of more than 64 bits. */
static int add_int(PyObject* number, size* sum) {
  int overflow;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  sum->numbers += fabs((double)value);
  return overflow == 0;
}

/* Going through one allocates, which may run finalizers, and those anything: so an argument itself may be a set, which its
 * caller keeps, and no item of a container. */
static int add_set(PyObject* set, double most, int depth, size* sum) {
  PyObject* items = PyObject_GetIter(set);
  PyObject* item;
  int fits = items != NULL;
  while (fits && (item = PyIter_Next(items)) != NULL) {
    fits = add_size(item, most, depth, sum);
    Py_DECREF(item);
  }
  Py_XDECREF(items);
  if (PyErr_Occurred()) PyErr_Clear(), fits = 0;
  return fits;
}

/* 0: it is longer than `most`, or none of Python's. No code of the user's runs. */
static int add_size(PyObject* object, double most, int depth, size* sum) {
  const PyTypeObject* const type = Py_TYPE(object);
  if (!is_pythons(object)) return 0;
  if (object == Py_None) return 1;
  if (type == &PyBool_Type) return sum->numbers++, 1;
  if (type == &PyLong_Type) return add_int(object, sum);
  if (type == &PyFloat_Type) return (sum->numbers += fabs(PyFloat_AS_DOUBLE(object))) == sum->numbers; /* no NaN */
  if (type == &PyUnicode_Type) return (sum->lengths += (double)PyUnicode_GET_LENGTH(object)) <= most;
  if (type == &PyBytes_Type) {
    sum->numbers += UCHAR_MAX;
    return (sum->lengths += (double)PyBytes_GET_SIZE(object)) <= most;
  }
  const Py_ssize_t items = type == &PyDict_Type ? PyDict_GET_SIZE(object) : PyObject_Size(object);
  if (depth == 0 || (sum->lengths += (double)items) > most) return 0;
  if (type == &PySet_Type || type == &PyFrozenSet_Type)
    return depth == DEEPEST && add_set(object, most, depth - 1, sum);
  if (type == &PyDict_Type) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &value);)
      if (!add_size(key, most, depth - 1, sum) || !add_size(value, most, depth - 1, sum)) return 0;
    return 1;
  }
  for (Py_ssize_t i = 0; i < items && i < PySequence_Fast_GET_SIZE(object); i++)
    if (!add_size(PySequence_Fast_GET_ITEM(object, i), most, depth - 1, sum)) return 0;
  return 1;
}

/* Of the rounds that `packed` counts. Defaults are small. */
static double rounds_of(PyObject* packed, const size* sizes, Py_ssize_t given, int32_t num_params, double small) {
  const int64_t* at = (const int64_t*)(void*)PyBytes_AS_STRING(packed);
  const int64_t* const end = at + PyBytes_GET_SIZE(packed) / (Py_ssize_t)sizeof *at;
  double sum = 0;
  while (at < end) {
    double product = 1;
    for (int64_t factors = *at++; factors > 0; factors--, at += 3) {
      double factor = (double)at[2];
      for (int32_t i = 0; i < num_params; i++) {
        if (at[0] >> i & 1) factor += i < given ? sizes[i].lengths : small;
        if (at[1] >> i & 1) factor += i < given ? sizes[i].numbers : small;
      }
      product *= factor;
    }
    sum += product;
  }
  return sum;
}

static int is_short(const core_first* first, PyObject* const* args, Py_ssize_t given, int32_t num_params) {
  PyObject* const rounds = first->rounds;
  size sizes[MOST_PARAMS];
  if (rounds != NULL && num_params > MOST_PARAMS) return 0;
  for (Py_ssize_t i = 0; i < given && rounds != NULL; i++) {
    sizes[i] = (size){0, 0};
    if (!add_size(args[i], first->most, DEEPEST, &sizes[i])) return 0;
  }
  return rounds == NULL || rounds_of(rounds, sizes, given, num_params, first->small) <= first->most;
}

/* The interpreter makes it: SHORT, or LONG, which may be given up; else 0, or less with an exception. */
enum { SHORT = 1, LONG };

static int kind_of(core_first* first, PyObject* const* args, Py_ssize_t given, int32_t num_params) {
  int found = SHORT;
  for (Py_ssize_t i = 0; i < given && found; i++) found = is_pythons(args[i]);
  if (found && !is_short(first, args, given, num_params)) found = core_long_may_be(first, args, given) * LONG;
  return found;
}

/* -- calls ------------------------------------------------------------------------------------------------------------- */

/* Asks Python; 0, or -1 with an exception. */
static int ask(core_function* f, core_first* first) {
  PyObject* found = core_hook_first_calls(f);
  PyObject *rounds, *function, *told, *look;
  long long most, small, often, enough, longest;
  if (found == NULL) return -1;
  const int was_asked = first->is_asked; /* by another thread, meanwhile */
  first->is_asked = 1;
  if (!was_asked && found != Py_None &&
      PyArg_ParseTuple(found, "OLLOOLLLO", &rounds, &most, &small, &function, &told, &often, &enough, &longest,
                       &look)) {
    first->rounds = rounds != Py_None ? Py_NewRef(rounds) : NULL;
    first->most = (double)most;
    first->small = (double)small;
    first->is_open = 1;
    first->function = Py_NewRef(function);
    first->told = Py_NewRef(told);
    first->often = often;
    first->enough = enough;
    first->longest = longest;
    first->look = Py_NewRef(look);
  }
  Py_DECREF(found);
  return PyErr_Occurred() != NULL ? -1 : 0;
}

void core_first_free(core_first* first) {
  Py_XDECREF(first->rounds);
  Py_XDECREF(first->function);
  Py_XDECREF(first->told);
  Py_XDECREF(first->look);
  Py_XDECREF(first->codes);
  Py_XDECREF(first->watch);
}

int core_first_begins(core_function* f, core_tags type_tags, PyObject* const* args, Py_ssize_t given) {
  core_script* script = f->script;
  core_first* first = &script->first;
  if (script->strict || script->nogil || !script->returns_python || script->used != NULL) return 0;
  if (first->running > 0 && (first->running >= DEEPEST_CALL || core_script_now() - first->start > first->longest))
    return 0;
  if (!first->is_asked && ask(f, first) != 0) return -1;
  if (!first->is_open) return 0;
  const int64_t start = core_script_now();
  const int found = kind_of(first, args, given, script->num_params);
  if (first->running == 0) first->spent += core_script_now() - start;
  if (found < 0) return -1;
  if (!found || !first->is_open) return 0;
  first->beginning_tags = type_tags;
  first->is_long = found == LONG;
  first->beginning = PyThreadState_Get();
  return 1;
}

int core_first_has_begun(const core_script* script) { return script->first.beginning == PyThreadState_Get(); }

/* Takes the result, NULL for the exception that is set. */
static PyObject* tell(core_function* f, core_tags type_tags, PyObject* result) {
  core_first* first = &f->script->first;
  PyObject* raised = result == NULL ? core_error_fetch() : NULL;
  PyObject* more =
      PyObject_CallFunction(first->told, "OKKLL", f, (unsigned long long)type_tags.kinds,
                            (unsigned long long)type_tags.ranks, (long long)first->calls, (long long)first->spent);
  first->type_tags = type_tags;
  if (more != Py_True) first->is_open = 0;
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
  if (first->running++ == 0) first->start = core_script_now();
  const int is_watched = first->is_long && core_long_begin(first);
  PyObject* result = PyObject_Vectorcall(first->function, args, (size_t)given, kwnames);
  if (--first->running == 0) first->spent += core_script_now() - first->start;
  if (is_watched && core_long_end(result)) {
    first->is_open = 0;
    return core_script_call(self, args, given, kwnames);
  }
  if (!first->is_open) return result;
  const int is_new =
      first->calls++ == 0 || tags.kinds != first->type_tags.kinds || tags.ranks != first->type_tags.ranks;
  if (is_new || first->calls >= first->often || first->spent >= first->enough) result = tell(f, tags, result);
  return result;
}
