/* Patterns of `match` in scripts, of what can be any object: which classes are sequences and mappings, and class patterns. */
#include "effect.h"
#include "error.h"
#include "script_object.h"

int32_t core_op_fits(PyObject* object, int32_t is_mapping) {
  return PyType_HasFeature(Py_TYPE(object), is_mapping ? Py_TPFLAGS_MAPPING : Py_TPFLAGS_SEQUENCE);
}

/* In the words of this interpreter. */
#if PY_VERSION_HEX >= 0x030F0000
static const char NO_CLASS[] = "class pattern must refer to a class";
#elif PY_VERSION_HEX >= 0x030C0000
static const char NO_CLASS[] = "called match pattern must be a class";
#else
static const char NO_CLASS[] = "called match pattern must be a type";
#endif

/* Append the attribute to `parts`: 1, 0 where there is none, -1 with an exception. */
static int add_part(PyObject* subject, PyObject* cls, PyObject* name, PyObject* seen, PyObject* parts) {
  const int again = PySet_Contains(seen, name);
  if (again > 0)
    PyErr_Format(PyExc_TypeError, "%s() got multiple sub-patterns for attribute %R", ((PyTypeObject*)cls)->tp_name,
                 name);
  if (again != 0 || PySet_Add(seen, name) != 0) return -1;
  PyObject* found = PyObject_GetAttr(subject, name);
  if (found == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
  }
  const int status = PyList_Append(parts, found);
  Py_DECREF(found);
  return status == 0 ? 1 : -1;
}

/* New: the names of a class's attributes by position; NULL where the one part is the subject itself, or with an exception. */
static PyObject* names_of(PyObject* cls, Py_ssize_t positional) {
  PyTypeObject* const type = (PyTypeObject*)cls;
  PyObject* names = PyObject_GetAttrString(cls, "__match_args__");
  if (names == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return NULL;
    PyErr_Clear();
    const int is_itself = PyType_HasFeature(type, _Py_TPFLAGS_MATCH_SELF);
    if (is_itself && positional == 1) return NULL;
    names = is_itself ? NULL : PyTuple_New(0);
    if (!is_itself && names == NULL) return NULL;
  } else if (!PyTuple_CheckExact(names)) {
    PyErr_Format(PyExc_TypeError, "%s.__match_args__ must be a tuple (got %s)", type->tp_name, Py_TYPE(names)->tp_name);
    Py_DECREF(names);
    return NULL;
  }
  const Py_ssize_t allowed = names == NULL ? 1 : PyTuple_GET_SIZE(names);
  if (positional <= allowed) return names;
  PyErr_Format(PyExc_TypeError, "%s() accepts %zd positional sub-pattern%s (%zd given)", type->tp_name, allowed,
               allowed == 1 ? "" : "s", positional);
  Py_XDECREF(names);
  return NULL;
}

static int add_positional(PyObject* subject, PyObject* cls, Py_ssize_t count, PyObject* seen, PyObject* parts) {
  PyObject* names = names_of(cls, count);
  if (names == NULL) return PyErr_Occurred() || PyList_Append(parts, subject) != 0 ? -1 : 1;
  int status = 1;
  for (Py_ssize_t i = 0; status > 0 && i < count; i++) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    if (PyUnicode_CheckExact(name)) {
      status = add_part(subject, cls, name, seen, parts);
    } else {
      PyErr_Format(PyExc_TypeError, "__match_args__ elements must be strings (got %s)", Py_TYPE(name)->tp_name);
      status = -1;
    }
  }
  Py_DECREF(names);
  return status;
}

static int add_parts(PyObject* subject, PyObject* cls, Py_ssize_t count, PyObject* names, PyObject* parts) {
  if (!PyType_Check(cls)) {
    PyErr_SetString(PyExc_TypeError, NO_CLASS);
    return -1;
  }
  int status = PyObject_IsInstance(subject, cls);
  PyObject* seen = status > 0 ? PySet_New(NULL) : NULL;
  if (seen == NULL) return status > 0 ? -1 : status;
  if (count > 0) status = add_positional(subject, cls, count, seen, parts);
  for (Py_ssize_t i = 0; status > 0 && names != NULL && i < PyTuple_GET_SIZE(names); i++)
    status = add_part(subject, cls, PyTuple_GET_ITEM(names, i), seen, parts);
  Py_DECREF(seen);
  return status;
}

/* New: a list of what the sub-patterns are tried on, or None where the class does not fit. */
PyObject* core_op_match_class(PyObject* subject, PyObject* cls, int64_t count, PyObject* names) {
  core_host_operations++;
  PyObject* parts = PyList_New(0);
  const int status = parts != NULL ? add_parts(subject, cls, (Py_ssize_t)count, names, parts) : -1;
  if (status > 0) return parts;
  Py_XDECREF(parts);
  return status == 0 ? Py_NewRef(Py_None) : core_op_checked(NULL);
}
