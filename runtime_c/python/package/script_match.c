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

/* Whether the name is among the first so many. */
static int is_among(PyObject* names, Py_ssize_t count, PyObject* name) {
  for (Py_ssize_t i = 0; i < count; i++)
    if (PyUnicode_Compare(PyTuple_GET_ITEM(names, i), name) == 0) return 1;
  return 0;
}

/* What is at that place of the parts, the attribute: 1, 0 where there is none, -1 with an exception. */
static int set_part(PyObject* parts, Py_ssize_t at, PyObject* subject, PyObject* name) {
  PyObject* found = PyObject_GetAttr(subject, name);
  if (found != NULL) {
    PyList_SET_ITEM(parts, at, found);
    return 1;
  }
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
  PyErr_Clear();
  return 0;
}

static int fail_again(PyObject* cls, PyObject* name) {
  PyErr_Format(PyExc_TypeError, "%s() got multiple sub-patterns for attribute %R", ((PyTypeObject*)cls)->tp_name, name);
  return -1;
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

/* The first parts, by the names in `by_position`. */
static int set_positional(PyObject* parts, PyObject* subject, PyObject* cls, Py_ssize_t count, PyObject* by_position) {
  int status = 1;
  for (Py_ssize_t i = 0; status > 0 && i < count; i++) {
    PyObject* name = PyTuple_GET_ITEM(by_position, i);
    if (!PyUnicode_CheckExact(name)) {
      PyErr_Format(PyExc_TypeError, "__match_args__ elements must be strings (got %s)", Py_TYPE(name)->tp_name);
      return -1;
    }
    status = is_among(by_position, i, name) ? fail_again(cls, name) : set_part(parts, i, subject, name);
  }
  return status;
}

static int set_parts(PyObject* parts, PyObject* subject, PyObject* cls, Py_ssize_t count, PyObject* names) {
  PyObject* by_position = count > 0 ? names_of(cls, count) : NULL;
  int status = 1;
  Py_ssize_t known = count;
  if (by_position != NULL) {
    status = set_positional(parts, subject, cls, count, by_position);
  } else if (count > 0) {
    if (PyErr_Occurred()) return -1;
    PyList_SET_ITEM(parts, 0, Py_NewRef(subject));
    known = 0;
  }
  for (Py_ssize_t i = 0; status > 0 && names != NULL && i < PyTuple_GET_SIZE(names); i++) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    status = is_among(by_position, known, name) ? fail_again(cls, name) : set_part(parts, count + i, subject, name);
  }
  Py_XDECREF(by_position);
  return status;
}

/* New: a list of what the sub-patterns are tried on, or None where the class does not fit. */
PyObject* core_op_match_class(PyObject* subject, PyObject* cls, int64_t count, PyObject* names) {
  core_host_operations++;
  if (!PyType_Check(cls)) {
    PyErr_SetString(PyExc_TypeError, NO_CLASS);
    return core_op_checked(NULL);
  }
  int status = PyObject_IsInstance(subject, cls);
  PyObject* parts = NULL;
  if (status > 0) {
    parts = PyList_New((Py_ssize_t)count + (names != NULL ? PyTuple_GET_SIZE(names) : 0));
    if (parts != NULL) PyObject_GC_UnTrack(parts); /* nobody sees it before all of them are there */
    status = parts != NULL ? set_parts(parts, subject, cls, (Py_ssize_t)count, names) : -1;
  }
  if (status > 0) {
    PyObject_GC_Track(parts);
    return parts;
  }
  Py_XDECREF(parts);
  return status == 0 ? Py_NewRef(Py_None) : core_op_checked(NULL);
}
