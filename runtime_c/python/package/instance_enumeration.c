/* Classes of enumerations as what holds their members: `for each in Unit`, `len(Unit)`; other classes are no containers. */
#include "instance.h"

static PyObject* members_of(PyObject* class) {
  PyObject* name = PyUnicode_InternFromString("__jitffi_members__");
  PyObject* found = name != NULL ? _PyType_Lookup((PyTypeObject*)class, name) : NULL; /* borrowed */
  Py_XDECREF(name);
  if (found == NULL && !PyErr_Occurred())
    PyErr_Format(PyExc_TypeError, "class '%.200s' is no enumeration: it has no members",
                 ((PyTypeObject*)class)->tp_name);
  return found;
}

PyObject* core_enumeration_iter(PyObject* class) {
  PyObject* members = members_of(class);
  return members != NULL ? PyObject_GetIter(members) : NULL;
}

Py_ssize_t core_enumeration_length(PyObject* class) {
  PyObject* members = members_of(class);
  return members != NULL ? PyObject_Size(members) : -1;
}
