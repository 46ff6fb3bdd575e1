/* Fields and methods of registered objects in scripts: what code does where the class is not, or not yet, known to be as it was compiled for.
 *
 *   code    type's version == seen? --yes--> native object, offset        (jitffi/scripts/lower/python/instances.py)
 *                `--no--> here: the interpreter's own way, after which the version is noted where a field lies at that place
 *
 * A version stands for a class with all of its bases (CPython's tp_version_tag): it is another one when anything of them is set. So what
 * is noted holds for derived classes, too, and for none that has a property, say, in the field's place.
 */
#include "box.h"
#include "error.h"
#include "instance.h"
#include "script.h"
#include "script_effect.h"
#include "script_object.h"

/* Whether the field at that place is what the name stands for in the type, for who reads, or writes. */
static int is_field(PyTypeObject* type, PyObject* name, int64_t field, int writes) {
  if (writes ? type->tp_setattro != PyObject_GenericSetAttr : type->tp_getattro != PyObject_GenericGetAttr) return 0;
  PyObject* found = _PyType_Lookup(type, name);
  if (found == NULL || !Py_IS_TYPE(found, &core_member_type)) return 0;
  const core_member* member = (const core_member*)found;
  const jf_field* const there = member->field;
  const int is_fixed = (there->flags & JF_FIELD_READ_ONLY) != 0 || (member->type->flags & JF_TYPE_FROZEN) != 0;
  if (there->kind != (int32_t)(field & 0xFF) || there->offset != (int32_t)(field >> 8)) return 0;
  return member->enumeration == NULL && !(writes && is_fixed) && PyType_IsSubtype(type, member->owner);
}

/* 0: nothing is known, as of a type that has no version. */
static uint32_t seen_as(const PyTypeObject* type) { return type->tp_version_tag != 0 ? ~type->tp_version_tag : 0; }

static int note(PyObject* object, PyObject* name, int64_t field, int writes, uint32_t* seen) {
  PyTypeObject* const type = Py_TYPE(object);
  const int is_plain = is_field(type, name, field, writes);
  *seen = is_plain ? seen_as(type) : 0;
  return is_plain;
}

/* 1: the object is what such a field gives, which is stored. */
static int is_taken(PyObject* object, int32_t kind, void* out) {
  switch (kind) {
    case JF_KIND_F32:
    case JF_KIND_F64:
      if (!PyFloat_CheckExact(object)) return 0;
      *(double*)out = PyFloat_AS_DOUBLE(object);
      return 1;
    case JF_KIND_BOOL:
      *(int64_t*)out = object == Py_True;
      return PyBool_Check(object);
    case JF_KIND_U64:
      if (!PyLong_CheckExact(object)) return 0;
      *(uint64_t*)out = PyLong_AsUnsignedLongLong(object);
      if (PyErr_Occurred() == NULL) return 1;
      PyErr_Clear();
      return 0;
    default: {
      int is_beyond = 1;
      if (PyLong_CheckExact(object)) *(int64_t*)out = PyLong_AsLongLongAndOverflow(object, &is_beyond);
      return !is_beyond;
    }
  }
}

int32_t core_op_field(PyObject* object, PyObject* name, int64_t field, uint32_t* seen, void* out) {
  PyObject* found = PyObject_GetAttr(object, name);
  if (found == NULL) {
    core_host_operations++;
    return core_op_status(-1);
  }
  const int is_plain = note(object, name, field, 0, seen), taken = is_taken(found, (int32_t)(field & 0xFF), out);
  Py_DECREF(found);
  if (!taken) {
    jf_error_set("TypeError", CORE_SCRIPT_BEYOND_FIELD);
    return -1;
  }
  core_host_operations += (uint64_t)!is_plain;
  return 0;
}

int32_t core_op_set_field(PyObject* object, PyObject* name, PyObject* value, int64_t field, uint32_t* seen) {
  core_host_operations++;
  if (PyObject_SetAttr(object, name, value) != 0) return core_op_status(-1);
  note(object, name, field, 1, seen);
  return 0;
}

int32_t core_op_is_method(PyObject* object, PyObject* name, PyObject* method, uint32_t* seen) {
  PyTypeObject* const type = Py_TYPE(object);
  *seen = 0;
  if (type->tp_getattro != PyObject_GenericGetAttr || type->tp_dictoffset != 0) return 0;
  if (PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT) || _PyType_Lookup(type, name) != method) return 0;
  *seen = seen_as(type);
  return 1;
}

PyObject* core_op_object_at(jf_object* const* place) {
  core_instance* instance = core_awake(*place);
  return instance != NULL ? Py_NewRef((PyObject*)instance) : core_op_checked(core_box_object(*place));
}

PyObject* core_op_object_field(PyObject* object, PyObject* name, int64_t field, uint32_t* seen) {
  PyObject* found = PyObject_GetAttr(object, name);
  core_host_operations += (uint64_t)(found == NULL || !note(object, name, field, 0, seen));
  return core_op_checked(found);
}
