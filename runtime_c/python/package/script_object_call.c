/* Calls of Python's own callables and methods by scripts: arguments by position, by name, and with stars. */
#include "box.h"
#include "error.h"
#include "instance.h"
#include "script_effect.h"
#include "script_object.h"

#include <string.h>

/* sum, min, max and sorted: what they do with plain objects changes nothing. Each is found by its name once. */
static int only_looks(PyObject* callable) {
  static const char* const names[] = {"sum", "min", "max", "sorted"};
  static const PyMethodDef* known[sizeof names / sizeof names[0]];
  const PyMethodDef* method = ((PyCFunctionObject*)callable)->m_ml;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (known[i] == method) return 1;
    if (known[i] != NULL || strcmp(method->ml_name, names[i]) != 0) continue;
    PyObject* module = PyCFunction_GET_SELF(callable);
    if (module == NULL || !PyModule_CheckExact(module)) return 0;
    known[i] = method;
    return 1;
  }
  return 0;
}

static void count_call(PyObject* callable, PyObject** args, int64_t count, PyObject* names) {
  const int known = callable == (PyObject*)&PyList_Type || callable == (PyObject*)&PyTuple_Type ||
                    (PyCFunction_CheckExact(callable) && only_looks(callable));
  if (!known || names != NULL) core_host_operations++;
  for (int64_t i = 0; known && names == NULL && i < count; i++) core_count_effects_of(args[i], PY_SSIZE_T_MAX);
}

/* `args` has a free place in front; the last ones are those of the names, a tuple or NULL. */
PyObject* core_op_call(PyObject* callable, PyObject** args, int64_t count, PyObject* names) {
  count_call(callable, args, count, names);
  return core_op_checked(PyObject_Vectorcall(callable, args, (size_t)count | PY_VECTORCALL_ARGUMENTS_OFFSET, names));
}

/* A call of what is no such class: of objects that are made of the views. */
static PyObject* call_boxed(PyObject* callable, const jf_view* args, int64_t count, PyObject* names) {
  const Py_ssize_t all = (Py_ssize_t)count + (names != NULL ? PyTuple_GET_SIZE(names) : 0);
  PyObject* given = PyTuple_New(all);
  for (Py_ssize_t i = 0; given != NULL && i < all; i++) {
    const int is_object = args[i].type_code == CORE_PYTHON_REFERENCE;
    PyObject* each = is_object ? Py_NewRef(args[i].v_handle) : core_box_view(&args[i]);
    if (each != NULL)
      PyTuple_SET_ITEM(given, i, each);
    else
      Py_CLEAR(given);
  }
  if (given == NULL) return NULL;
  PyObject* result = PyObject_Vectorcall(callable, PySequence_Fast_ITEMS(given), (size_t)count, names);
  Py_DECREF(given);
  return result;
}

PyObject* core_op_make(PyObject* callable, const jf_view* args, int64_t count, PyObject* names) {
  core_host_operations++;
  if (!core_instance_takes_views(callable)) return core_op_checked(call_boxed(callable, args, count, names));
  return core_op_checked(core_instance_from_views(callable, args, (Py_ssize_t)count, names));
}

PyObject* core_op_new(PyObject* callable, PyObject* init) {
  static PyObject* name;
  if (Py_TYPE(callable) != &core_instance_meta) return NULL;
  if (name == NULL && (name = PyUnicode_InternFromString("__init__")) == NULL) return PyErr_Clear(), NULL;
  PyTypeObject* const type = (PyTypeObject*)callable;
  const core_class_info* info = core_class_info_of(callable);
  if (info == NULL || info->maker != NULL || type->tp_vectorcall != NULL || type->tp_new != core_instance_new)
    return NULL;
  if (_PyType_Lookup(type, name) != init) return NULL;
  PyObject* none = PyTuple_New(0);
  PyObject* made = none != NULL ? core_instance_new(type, none, NULL) : NULL;
  Py_XDECREF(none);
  core_host_operations++;
  if (made == NULL) PyErr_Clear(); /* Python says why not */
  return made;
}

int32_t core_op_made(PyObject* object) { return core_op_status(core_instance_made(Py_TYPE(object), object)); }

/* Of the first argument, which counts, the method of that name. */
PyObject* core_op_call_method(PyObject* name, PyObject** args, int64_t count, PyObject* names, core_attribute* cache) {
  const size_t flags = (size_t)count | PY_VECTORCALL_ARGUMENTS_OFFSET;
  core_host_operations++;
  PyObject* method = core_attribute_method(args[0], name, cache);
  if (method == NULL) return core_op_checked(PyObject_VectorcallMethod(name, args, flags, names));
  Py_INCREF(method);
  PyObject* result = PyObject_Vectorcall(method, args, flags, names);
  Py_DECREF(method);
  return core_op_checked(result);
}

PyObject* core_op_method(PyObject* object, PyObject* name, core_attribute* cache, PyObject** self) {
  PyObject* method = core_attribute_method(object, name, cache);
  *self = method != NULL ? object : NULL;
  if (method != NULL) return Py_NewRef(method);
  core_host_operations++;
  return core_op_checked(PyObject_GetAttr(object, name));
}

PyObject* core_op_call_found(PyObject* callable, PyObject** args, int64_t count, PyObject* names) {
  const int is_bound = args[0] == NULL;
  core_host_operations++;
  return core_op_checked(PyObject_Vectorcall(callable, args + is_bound,
                                             (size_t)(count - is_bound) | PY_VECTORCALL_ARGUMENTS_OFFSET, names));
}

/* -- with stars ------------------------------------------------------------------------------------------------------- */

enum { POSITIONAL, STAR, NAMED, DOUBLE_STAR };

/* New: what CPython calls it in messages, "module.name()"; NULL with an exception. */
static PyObject* shown(PyObject* callable) {
  PyObject* name = PyObject_GetAttrString(callable, "__qualname__");
  if (name == NULL) {
    PyErr_Clear();
    return PyObject_Str(callable);
  }
  PyObject* module = PyObject_GetAttrString(callable, "__module__");
  if (module == NULL) PyErr_Clear();
  const int is_plain = module == NULL || module == Py_None ||
                       (PyUnicode_Check(module) && PyUnicode_CompareWithASCIIString(module, "builtins") == 0);
  PyObject* found = is_plain ? PyUnicode_FromFormat("%S()", name) : PyUnicode_FromFormat("%S.%S()", module, name);
  Py_DECREF(name);
  Py_XDECREF(module);
  return found;
}

/* TypeError; always -1. */
static int fail(PyObject* callable, const char* format, PyObject* what) {
  PyErr_Clear();
  PyObject* name = shown(callable);
  if (name != NULL) PyErr_Format(PyExc_TypeError, format, name, what);
  Py_XDECREF(name);
  return -1;
}

/* From CPython 3.15 on the callable has no part in it, and before where stars stand beside others. */
static int fail_type(PyObject* callable, const char* what, PyObject* value) {
  if (callable == NULL || PY_VERSION_HEX >= 0x030F0000) {
    PyErr_Format(PyExc_TypeError, "Value after %s, not %.200s", what, Py_TYPE(value)->tp_name);
    return -1;
  }
  const char* format = what[1] == '*' ? "%U argument after ** must be a mapping, not %U"
                                      : "%U argument after * must be an iterable, not %U";
  PyObject* type = PyUnicode_FromString(Py_TYPE(value)->tp_name);
  if (type != NULL) fail(callable, format, type);
  Py_XDECREF(type);
  return -1;
}

/* Without a callable where there are other arguments by position. */
static int add_star(PyObject* list, PyObject* iterable, PyObject* callable) {
  PyObject* found = PySequence_List(iterable);
  if (found == NULL) {
    const int is_iterable = Py_TYPE(iterable)->tp_iter != NULL || PySequence_Check(iterable);
    if (is_iterable || !PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
    return fail_type(callable, "* must be an iterable", iterable);
  }
  const int status = PyList_SetSlice(list, PyList_GET_SIZE(list), PyList_GET_SIZE(list), found);
  Py_DECREF(found);
  return status;
}

static int add_named(PyObject* dict, PyObject* name, PyObject* value, PyObject* callable) {
  const int there = PyDict_Contains(dict, name);
  if (there == 0) return PyDict_SetItem(dict, name, value);
  return there < 0 ? -1 : fail(callable, "%U got multiple values for keyword argument '%S'", name);
}

static int add_double_star(PyObject* dict, PyObject* mapping, PyObject* callable) {
  PyObject* items = PyObject_HasAttrString(mapping, "keys") ? PyMapping_Items(mapping) : NULL;
  if (items == NULL) {
    if (PyErr_Occurred()) return -1;
    return fail_type(callable, "** must be a mapping", mapping);
  }
  int status = 0;
  for (Py_ssize_t i = 0; status == 0 && i < PyList_GET_SIZE(items); i++) {
    PyObject* pair = PyList_GET_ITEM(items, i);
    status = add_named(dict, PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1), callable);
  }
  Py_DECREF(items);
  return status;
}

/* The arguments as they are written: of which kind each is, a byte; the names of those that have one, in order. */
PyObject* core_op_call_spread(PyObject* callable, PyObject* const* parts, int64_t count, const char* kinds,
                              PyObject* names) {
  core_host_operations++;
  PyObject* list = PyList_New(0);
  PyObject* dict = list != NULL ? PyDict_New() : NULL;
  PyObject* result = NULL;
  Py_ssize_t name = 0;
  int64_t by_position = 0;
  PyObject* all = NULL; /* of the arguments by position, which CPython looks at last */
  for (int64_t i = 0; i < count; i++) by_position += kinds[i] == POSITIONAL || kinds[i] == STAR;
  int status = dict != NULL ? 0 : -1;
  for (int64_t i = 0; status == 0 && i < count; i++) {
    switch (kinds[i]) {
      case POSITIONAL:
        status = PyList_Append(list, parts[i]);
        break;
      case STAR:
        if (by_position == 1)
          all = parts[i];
        else
          status = add_star(list, parts[i], NULL);
        break;
      case NAMED:
        status = add_named(dict, PyTuple_GET_ITEM(names, name++), parts[i], callable);
        break;
      default:
        status = add_double_star(dict, parts[i], callable);
    }
  }
  if (status == 0 && all != NULL) status = add_star(list, all, callable);
  PyObject* args = status == 0 ? PyList_AsTuple(list) : NULL;
  if (args != NULL) result = PyObject_Call(callable, args, PyDict_GET_SIZE(dict) > 0 ? dict : NULL);
  Py_XDECREF(args);
  Py_XDECREF(list);
  Py_XDECREF(dict);
  return core_op_checked(result);
}
