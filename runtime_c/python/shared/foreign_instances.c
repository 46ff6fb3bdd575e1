/* Objects of other copies of our classes: of the package in an emitted module, of such a module in the package or in another.
 *
 * Each has a runtime of its own, so their native objects are strangers here. They are known by their class's name and size, and read
 * through what they offer to Python: containers are copied, data types and devices come by name.
 */
#include "foreign.h"
#include "map_object.h"
#include "sequence.h"
#include "text_object.h"
#include "wrapper.h"

#include <string.h>

/* The first class in C that the object's class is derived from. */
static const PyTypeObject* static_class(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  while (type->tp_flags & Py_TPFLAGS_HEAPTYPE && type->tp_base != NULL) type = type->tp_base;
  return type;
}

static int is_other(const PyTypeObject* type, const PyTypeObject* ours) {
  if (type->tp_basicsize != ours->tp_basicsize || type == ours) return 0;
  return strcmp(core_wrapper_name(type), core_wrapper_name(ours)) == 0;
}

PyObject* core_foreign_text(PyObject* object, const PyTypeObject* ours) {
  return is_other(static_class(object), ours) ? PyObject_Str(object) : NULL;
}

/* A derived class may give anything. Passes on plain, or NULL with an exception. */
static PyObject* checked(PyObject* plain, const PyTypeObject* type) {
  if (plain == NULL || PyList_Check(plain) || PyDict_Check(plain) || PyTuple_Check(plain)) return plain;
  PyErr_Format(PyExc_TypeError, "to_python of a %s returned %s", type->tp_name, Py_TYPE(plain)->tp_name);
  Py_DECREF(plain);
  return NULL;
}

PyObject* core_foreign_plain(PyObject* object) {
  const PyTypeObject* type = static_class(object);
  PyObject* plain = core_protocol_value(object, CORE_AS_ANY);
  if (plain != NULL || PyErr_Occurred()) return plain;
  if (is_other(type, &core_list_type) || is_other(type, &core_map_type) || is_other(type, &core_tuple_type))
    plain = checked(PyObject_CallMethod(object, "to_python", NULL), type);
  if (is_other(type, &core_string_type) || is_other(type, &core_ucs4_string_type)) plain = PyObject_Str(object);
  if (is_other(type, &core_bytes_type)) plain = PyBytes_FromObject(object);
  if (plain == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  return plain;
}
