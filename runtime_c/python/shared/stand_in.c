/* Python's own values that stand for objects of a type: ints for a shape, a dict for a FrozenMap. */
#include <string.h>

#include "error.h"
#include "unbox.h"
#include "wrapper.h"

/* New: the member of an IntEnum or a StrEnum of that value, which its class keeps. NULL, with an exception or without. */
static jf_object* member_of_value(int32_t code, PyObject* value) {
  const char* kind = PyLong_CheckExact(value)      ? "jitffi.IntEnum"
                     : PyUnicode_CheckExact(value) ? "jitffi.StrEnum"
                                                   : NULL;
  const int32_t above = kind != NULL ? jf_type_code(kind) : 0;
  PyTypeObject* class = above > 0 && jf_type_is_a(code, above) ? core_wrapper_class_known(code) : NULL;
  PyObject* values = class != NULL ? PyObject_GetAttrString((PyObject*)class, "__jitffi_values__") : NULL;
  PyObject* member = values != NULL && PyDict_Check(values) ? PyDict_GetItemWithError(values, value) : NULL;
  jf_object* native = member != NULL ? core_wrapper_object(member) : NULL;
  if (native != NULL && !jf_type_is_a(native->type_code, code)) native = NULL; /* somebody has changed the dict */
  jf_object_retain(native);
  if (values == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  Py_XDECREF(values);
  return native;
}

int (*core_exporter_object)(PyObject* object, jf_object** out);

/* NULL, with an exception or without. */
static jf_object* array_of(PyObject* object) {
  jf_object* made = core_numpy_object != NULL ? core_numpy_object(object) : NULL;
  if (made == NULL && !PyErr_Occurred() && core_exporter_object != NULL && !PyType_Check(object))
    core_exporter_object(object, &made);
  return made;
}

/* New. NULL, with an exception or without. */
static jf_object* shape_of(PyObject* object) {
  const jf_object* native = core_wrapper_object(object);
  const int is_native =
      native != NULL && (jf_type_is_a(native->type_code, JF_TUPLE) || jf_type_is_a(native->type_code, JF_LIST));
  const int has_items = PyTuple_Check(object) || PyList_Check(object) || is_native;
  return has_items && core_shape_from != NULL ? core_shape_from(object) : NULL;
}

int core_is_mapping(PyObject* object) {
  const jf_object* native = core_wrapper_object(object);
  if (PyDict_Check(object) || native != NULL) return native == NULL || jf_type_is_a(native->type_code, JF_MAP);
  return !PyType_Check(object) && PyMapping_Check(object) && PyObject_HasAttrString(object, "keys");
}

/* New. NULL with an exception, or without one where there is no package whose class it is. */
static jf_object* frozen_map_of(PyObject* mapping) {
  PyObject* package = core_class_for != NULL ? PyImport_ImportModule("jitffi") : NULL;
  PyObject* made = package != NULL ? PyObject_CallMethod(package, "FrozenMap", "(O)", mapping) : NULL;
  jf_object* native = made != NULL ? core_wrapper_object(made) : NULL;
  jf_object_retain(native);
  Py_XDECREF(package);
  Py_XDECREF(made);
  return native;
}

jf_object* core_stand_in(const char* key, PyObject* object) {
  const int32_t code = jf_type_code(key);
  if (code == JF_ERROR) return PyExceptionInstance_Check(object) ? core_error_object_of(object) : NULL;
  if (code == JF_NDARRAY) return array_of(object);
  if (code == JF_SHAPE) return shape_of(object);
  if (strcmp(key, "jitffi.FrozenMap") == 0) return core_is_mapping(object) ? frozen_map_of(object) : NULL;
  return member_of_value(code, object);
}
