/* Arguments of a call as the parameters stand: by position, by name, defaults, and what `*args` and `**kwargs` get.
 *
 *   names   positional...  keyword only...  args  kwargs
 *   values                 of all but the first `num_required`: defaults, `missing` where there is none
 *
 * Messages are CPython's (initialize_locals of Python/ceval.c), in its order.
 */
#include "function.h"
#include "script.h"

#include <stdarg.h>

/* Of parameters that callers know by name. */
static int32_t num_named(const core_script* s) {
  return s->num_params - (s->stars & CORE_STAR_ARGS ? 1 : 0) - (s->stars & CORE_STAR_KWARGS ? 1 : 0);
}

/* -- errors: TypeError in Python's own words; always -1 -------------------------------------------------------------- */

/* `format` is what is said behind the function's name: the qualified one, which Python may have set. */
static int fail(const core_function* f, const char* format, ...) {
  PyObject* name = PyObject_GetAttrString((PyObject*)(uintptr_t)f, "__qualname__");
  if (name == NULL || !PyUnicode_Check(name)) {
    PyErr_Clear();
    Py_XSETREF(name, Py_NewRef(f->name));
  }
  va_list args;
  va_start(args, format);
  PyObject* words = PyUnicode_FromFormatV(format, args);
  va_end(args);
  if (words != NULL) PyErr_Format(PyExc_TypeError, "%U() %U", name, words);
  Py_DECREF(name);
  Py_XDECREF(words);
  return -1;
}

static int fail_count(const core_function* f, Py_ssize_t given, PyObject* const* out) {
  const core_script* s = f->script;
  const int32_t most = s->num_by_position, least = s->num_required < most ? s->num_required : most;
  Py_ssize_t by_name = 0;
  for (int32_t i = most; i < num_named(s); i++) by_name += out[i] != NULL;
  PyObject* count = least < most ? PyUnicode_FromFormat("from %d to %d", (int)least, (int)most)
                                 : PyUnicode_FromFormat("%d", (int)most);
  if (count == NULL) return -1;
  const char* plural = least == most && most == 1 ? "" : "s";
  if (by_name > 0)
    fail(f, "takes %U positional argument%s but %zd positional argument%s (and %zd keyword-only argument%s) were given",
         count, plural, given, given == 1 ? "" : "s", by_name, by_name == 1 ? "" : "s");
  else
    fail(f, "takes %U positional argument%s but %zd %s given", count, plural, given, given == 1 ? "was" : "were");
  Py_DECREF(count);
  return -1;
}

/* New: a list of the names from first to end whose argument is missing, as Python shows them. */
static PyObject* missing_names(const core_script* s, PyObject* const* found, int32_t first, int32_t end) {
  PyObject* names = PyList_New(0);
  for (int32_t i = first; names != NULL && i < end; i++) {
    if (found[i] != NULL) continue;
    PyObject* name = PyObject_Repr(PyTuple_GET_ITEM(s->names, i));
    if (name == NULL || PyList_Append(names, name) != 0) Py_CLEAR(names);
    Py_XDECREF(name);
  }
  return names;
}

static int fail_missing(const core_function* f, PyObject* const* found, int32_t first, int32_t end, const char* kind) {
  PyObject* names = missing_names(f->script, found, first, end);
  PyObject* last = names != NULL ? Py_NewRef(PyList_GET_ITEM(names, PyList_GET_SIZE(names) - 1)) : NULL;
  const Py_ssize_t count = names != NULL ? PyList_GET_SIZE(names) : 0;
  PyObject* comma = last != NULL ? PyUnicode_FromString(", ") : NULL;
  PyObject* before = NULL;
  if (comma != NULL && PyList_SetSlice(names, count - 1, count, NULL) == 0) before = PyUnicode_Join(comma, names);
  if (before != NULL)
    fail(f, "missing %zd required %s argument%s: %U%s%U", count, kind, count == 1 ? "" : "s", before,
         count == 1   ? ""
         : count == 2 ? " and "
                      : ", and ",
         last);
  Py_XDECREF(names);
  Py_XDECREF(last);
  Py_XDECREF(comma);
  Py_XDECREF(before);
  return -1;
}

/* Those that are positional only among the names of a call; 0: there is none. */
static int fail_positional_only(const core_function* f, PyObject* kwnames) {
  const core_script* s = f->script;
  PyObject* found = NULL;
  for (int32_t i = 0; i < s->num_positional; i++) {
    PyObject* name = PyTuple_GET_ITEM(s->names, i);
    const int is_given = PySequence_Contains(kwnames, name);
    if (is_given < 0) goto fail;
    if (!is_given) continue;
    PyObject* both = found == NULL ? Py_NewRef(name) : PyUnicode_FromFormat("%U, %U", found, name);
    Py_XSETREF(found, both);
    if (found == NULL) return -1;
  }
  if (found == NULL) return 0;
  fail(f, "got some positional-only arguments passed as keyword arguments: '%U'", found);
fail:
  Py_XDECREF(found);
  return -1;
}

/* -- by name ------------------------------------------------------------------------------------------------------- */

/* The number of a parameter of that name; -1: there is none, -2 with an exception. */
static int32_t find_name(const core_script* s, PyObject* key) {
  const int32_t end = num_named(s);
  for (int32_t i = s->num_positional; i < end; i++)
    if (PyTuple_GET_ITEM(s->names, i) == key) return i;
  for (int32_t i = s->num_positional; i < end; i++) {
    const int is_equal = PyObject_RichCompareBool(PyTuple_GET_ITEM(s->names, i), key, Py_EQ);
    if (is_equal != 0) return is_equal < 0 ? -2 : i;
  }
  return -1;
}

/* What is given by name; *more: a new dict of what has no parameter, NULL where there is none. */
static int take_names(const core_function* f, PyObject* const* values, PyObject* kwnames, PyObject** out,
                      PyObject** more) {
  const core_script* s = f->script;
  for (Py_ssize_t k = 0; kwnames != NULL && k < PyTuple_GET_SIZE(kwnames); k++) {
    PyObject* key = PyTuple_GET_ITEM(kwnames, k);
    const int32_t i = find_name(s, key);
    if (i == -2) return -1;
    if (i >= 0 && out[i] != NULL) return fail(f, "got multiple values for argument '%S'", key);
    if (i >= 0) {
      out[i] = values[k];
    } else if (s->stars & CORE_STAR_KWARGS) {
      if (*more == NULL && (*more = PyDict_New()) == NULL) return -1;
      if (PyDict_SetItem(*more, key, values[k]) != 0) return -1;
    } else {
      if (s->num_positional > 0 && fail_positional_only(f, kwnames) != 0) return -1;
      return fail(f, "got an unexpected keyword argument '%S'", key);
    }
  }
  return 0;
}

/* Defaults of what was not given. */
static int fill(const core_function* f, PyObject** out) {
  const core_script* s = f->script;
  const int32_t end = num_named(s), first = s->num_required < s->num_by_position ? s->num_required : s->num_by_position;
  for (int32_t i = 0; i < first; i++)
    if (out[i] == NULL) return fail_missing(f, out, 0, first, "positional");
  for (int32_t i = first; i < end; i++)
    if (out[i] == NULL) {
      PyObject* value = PyTuple_GET_ITEM(s->values, i - s->num_required);
      if (value != s->missing) out[i] = value;
    }
  for (int32_t i = s->num_by_position; i < end; i++)
    if (out[i] == NULL) return fail_missing(f, out, s->num_by_position, end, "keyword-only");
  return 0;
}

int core_script_arrange(const core_function* f, PyObject* const* args, Py_ssize_t given, PyObject* kwnames,
                        PyObject** out) {
  const core_script* s = f->script;
  const Py_ssize_t plain = given < s->num_by_position ? given : s->num_by_position;
  PyObject* more = NULL;
  for (Py_ssize_t i = 0; i < s->num_params; i++) out[i] = i < plain ? args[i] : NULL;
  if (take_names(f, args + given, kwnames, out, &more) != 0) goto fail;
  if (given > plain && !(s->stars & CORE_STAR_ARGS)) {
    fail_count(f, given, out);
    goto fail;
  }
  if (fill(f, out) != 0) goto fail;
  if (s->stars & CORE_STAR_KWARGS && more == NULL && (more = PyDict_New()) == NULL) goto fail;
  if (s->stars & CORE_STAR_ARGS) {
    PyObject* rest = PyTuple_New(given - plain);
    if (rest == NULL) goto fail;
    for (Py_ssize_t i = plain; i < given; i++) PyTuple_SET_ITEM(rest, i - plain, Py_NewRef(args[i]));
    out[num_named(s)] = rest;
  }
  if (more != NULL) out[s->num_params - 1] = more;
  return 0;
fail:
  Py_XDECREF(more);
  return -1;
}

void core_script_disarrange(const core_script* s, PyObject** out) {
  for (int32_t i = num_named(s); i < s->num_params; i++) Py_DECREF(out[i]);
}
