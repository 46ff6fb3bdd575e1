/* Operations on containers of Python's own that may have run code of somebody's class. */
#include "script_effect.h"

static int are_plain(PyObject* const* items, Py_ssize_t size, int depth);

/* A tuple of plain objects is as good as they are. */
static int is_plain_item(PyObject* object, int depth) {
  if (core_is_plain(object)) return 1;
  return depth > 0 && PyTuple_CheckExact(object) &&
         are_plain(PySequence_Fast_ITEMS(object), PyTuple_GET_SIZE(object), depth - 1);
}

static int are_plain(PyObject* const* items, Py_ssize_t size, int depth) {
  for (Py_ssize_t i = 0; i < size; i++)
    if (!is_plain_item(items[i], depth)) return 0;
  return 1;
}

static int has_plain_items(PyObject* dict) {
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);)
    if (!is_plain_item(key, 1) || !is_plain_item(value, 1)) return 0;
  return 1;
}

void core_count_effects_of(PyObject* container, Py_ssize_t most) {
  int plain = core_is_plain(container);
  if (PyList_CheckExact(container) || PyTuple_CheckExact(container))
    plain = Py_SIZE(container) <= most && are_plain(PySequence_Fast_ITEMS(container), Py_SIZE(container), 2);
  else if (PyDict_CheckExact(container))
    plain = PyDict_GET_SIZE(container) <= most && has_plain_items(container);
  core_host_operations += (uint64_t)!plain;
}

void core_count_unless_own(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  const int own = type == &PyList_Type || type == &PyTuple_Type || type == &PyDict_Type || type == &PySet_Type ||
                  type == &PyFrozenSet_Type || type == &PyRange_Type || core_is_plain(object);
  core_host_operations += (uint64_t)!own;
}
