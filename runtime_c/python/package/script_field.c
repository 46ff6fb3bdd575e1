/* Fields and methods of registered objects in scripts: what code does where the class is not, or not yet, known to be as it was compiled for.
 *
 *   code    type's version == seen? --yes--> native object, offset        (jitffi/scripts/lower/python/instances.py)
 *                `--no--> here: the interpreter's own way, after which the version is noted where a field lies at that place
 *
 * A version stands for a class with all of its bases (CPython's tp_version_tag): it is another one when anything of them is set. So what
 * is noted holds for derived classes, too, and for none that has a property, say, in the field's place.
 */
#include <string.h>

#include "borrow.h"
#include "box.h"
#include "error.h"
#include "instance.h"
#include "script.h"
#include "script_effect.h"
#include "script_object.h"
#include "sequence.h"

/* What code takes the field for beside its kind: of a slot text, bytes or others, of an object the code of its container or array; else 0. */
static int64_t shape_of(const jf_field* field) {
  enum { TEXT = 1, BYTES = 2, SEVERAL = 3 };
  static const struct {
    const char* begins;
    int32_t code;
  } containers[] = {{"list[", JF_LIST},      {"map[", JF_MAP},
                    {"set[", JF_SET},        {"tuple[", JF_TUPLE},
                    {"ndarray", JF_NDARRAY}, {"optional[ndarray]", JF_NDARRAY},
                    {"tensor[", JF_NDARRAY}, {"optional[tensor[", JF_NDARRAY}};
  if (field->kind == JF_FIELD_SLOT)
    return strcmp(field->type, "str") == 0 ? TEXT : strcmp(field->type, "bytes") == 0 ? BYTES : SEVERAL;
  for (size_t i = 0; field->kind == JF_FIELD_OBJECT && i < sizeof containers / sizeof containers[0]; i++)
    if (strncmp(field->type, containers[i].begins, strlen(containers[i].begins)) == 0) return containers[i].code;
  return 0;
}

/* Whether the field at that place is what the name stands for in the type, for who reads, or writes. */
static int is_field(PyTypeObject* type, PyObject* name, int64_t field, int writes) {
  if (writes ? type->tp_setattro != PyObject_GenericSetAttr : type->tp_getattro != PyObject_GenericGetAttr) return 0;
  PyObject* found = _PyType_Lookup(type, name);
  if (found == NULL || !Py_IS_TYPE(found, &core_member_type)) return 0;
  const core_member* member = (const core_member*)found;
  const jf_field* const there = member->field;
  const int is_fixed = (there->flags & JF_FIELD_READ_ONLY) != 0 || (member->type->flags & JF_TYPE_FROZEN) != 0;
  if (there->kind != (int32_t)(field & 0xFF) || there->offset != (int32_t)(field >> 8 & INT32_MAX)) return 0;
  if (shape_of(there) != field >> 40) return 0;
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

static void fail_beyond(void) { jf_error_set("TypeError", CORE_SCRIPT_BEYOND_FIELD); }

int32_t core_op_field(PyObject* object, PyObject* name, int64_t field, uint32_t* seen, void* out) {
  PyObject* found = PyObject_GetAttr(object, name);
  if (found == NULL) {
    core_host_operations++;
    return core_op_status(-1);
  }
  const int is_plain = note(object, name, field, 0, seen), taken = is_taken(found, (int32_t)(field & 0xFF), out);
  Py_DECREF(found);
  if (!taken) {
    fail_beyond();
    return -1;
  }
  core_host_operations += (uint64_t)!is_plain;
  return 0;
}

/* Whether the object is what such a slot gives. */
static int is_of_slot(PyObject* object, int64_t field) {
  const int64_t shape = field >> 40;
  const int is_text = PyUnicode_CheckExact(object), is_bytes = PyBytes_CheckExact(object);
  return shape == 1 ? is_text : shape == 2 ? is_bytes : is_text || is_bytes || core_is_plain(object);
}

int32_t core_op_slot_field(PyObject* object, PyObject* name, int64_t field, uint32_t* seen, jf_value* out) {
  PyObject* found = PyObject_GetAttr(object, name);
  if (found == NULL) {
    core_host_operations++;
    return core_op_status(-1);
  }
  core_host_operations += (uint64_t)!note(object, name, field, 0, seen);
  const int is_taken = is_of_slot(found, field);
  const int32_t status = is_taken ? core_op_put(found, out) : -1;
  Py_DECREF(found);
  if (!is_taken) fail_beyond();
  return status;
}

int32_t core_op_set_field(PyObject* object, PyObject* name, PyObject* value, int64_t field, uint32_t* seen) {
  core_host_operations++;
  if (PyObject_SetAttr(object, name, value) != 0) return core_op_status(-1);
  note(object, name, field, 1, seen);
  return 0;
}

/* What a name stands for in the class, or in the first one behind `owner` in its order; borrowed, NULL. */
static PyObject* look_up(PyTypeObject* type, PyObject* owner, PyObject* name) {
  if (owner == NULL) return _PyType_Lookup(type, name);
  int is_behind = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); i++) {
    PyObject* each = PyTuple_GET_ITEM(type->tp_mro, i);
    PyObject* dict =
        ((PyTypeObject*)each)->tp_dict; /* a static type of CPython's may have none, and no methods of ours */
    PyObject* found = is_behind && dict != NULL ? PyDict_GetItemWithError(dict, name) : NULL;
    if (found != NULL) return found;
    is_behind |= each == owner;
  }
  PyErr_Clear();
  return NULL;
}

int32_t core_op_is_method(PyObject* object, PyObject* owner, PyObject* name, PyObject* method, int32_t role,
                          uint32_t* seen) {
  enum { SETS = 1, OF_CLASS = 2 };
  PyTypeObject* const type = Py_TYPE(object);
  *seen = 0;
  if (role == OF_CLASS) {
    if (!PyType_Check(object) || type->tp_getattro != PyType_Type.tp_getattro) return 0;
    return _PyType_Lookup(type, name) == NULL && look_up((PyTypeObject*)object, owner, name) == method;
  }
  if (role == SETS && type->tp_setattro != PyObject_GenericSetAttr) return 0;
  if (type->tp_getattro != PyObject_GenericGetAttr || type->tp_dictoffset != 0) return 0;
  if (PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT) || look_up(type, owner, name) != method) return 0;
  *seen = seen_as(type);
  return 1;
}

PyObject* core_op_object_at(jf_object* const* place) {
  PyObject* instance = core_instance_around(*place);
  return instance != NULL ? instance : core_op_checked(core_box_object(*place));
}

PyObject* core_op_object_field(PyObject* object, PyObject* name, int64_t field, uint32_t* seen) {
  PyObject* found = PyObject_GetAttr(object, name);
  core_host_operations += (uint64_t)(found == NULL || !note(object, name, field, 0, seen));
  return core_op_checked(found);
}

/* Whether Python's object for a container is of a class that is derived from the container's own. */
static int is_derived(jf_object* object) {
  const core_wrapper* wrapper = core_derived.have_objects ? core_wrapper_known(object) : NULL;
  return wrapper != NULL && Py_TYPE(wrapper) != core_wrapper_class_known(object->type_code);
}

jf_object* core_op_container_at(jf_object* const* place, int32_t code) {
  jf_object* object = *place;
  if (object != NULL && object->type_code == code && !is_derived(object)) return object;
  fail_beyond();
  return NULL;
}

jf_object* core_op_array_at(jf_object* const* place, int32_t kind) {
  jf_object* object = *place;
  if (object == NULL || object->type_code != JF_NDARRAY || is_derived(object)) return NULL;
  return core_array_kind(object) == (uint32_t)kind ? object : NULL;
}

jf_object* core_op_array_field(PyObject* object, PyObject* name, int64_t field, int32_t kind, uint32_t* seen) {
  PyObject* found = PyObject_GetAttr(object, name);
  const int is_plain = found != NULL && note(object, name, field, 0, seen);
  core_host_operations += (uint64_t)!is_plain;
  if (found == NULL) return (jf_object*)core_op_checked(NULL);
  jf_object* array = Py_TYPE(found) == core_wrapper_class_known(JF_NDARRAY) ? core_wrapper_object(found) : NULL;
  const uint32_t is = array != NULL ? core_array_kind(array) : CORE_ARRAYS_DIFFER;
  if (is == (uint32_t)kind)
    jf_object_retain(array);
  else if (is_plain && found != Py_None)
    core_member_note_arrays((core_member*)_PyType_Lookup(Py_TYPE(object), name), is);
  Py_DECREF(found);
  if (is == (uint32_t)kind) return array;
  fail_beyond();
  return NULL;
}

jf_object* core_op_container_field(PyObject* object, PyObject* name, int64_t field, uint32_t* seen) {
  PyObject* found = PyObject_GetAttr(object, name);
  core_host_operations += (uint64_t)(found == NULL || !note(object, name, field, 0, seen));
  if (found == NULL) return (jf_object*)core_op_checked(NULL);
  const int is_taken = Py_TYPE(found) == core_wrapper_class_known((int32_t)(field >> 40));
  jf_object* container = is_taken ? core_wrapper_object(found) : NULL;
  if (container != NULL)
    jf_object_retain(container);
  else
    fail_beyond();
  Py_DECREF(found);
  return container;
}

int32_t core_op_array_outside(int64_t index, int64_t size, int32_t axis) {
  jf_error_format("IndexError", "index %lld is out of bounds for dimension %d with %lld elements", (long long)index,
                  (int)axis, (long long)size);
  return -1;
}

int32_t core_op_array_beyond(int64_t whole, double number, const char* element) {
  PyObject* value = whole != 0 ? PyLong_FromLongLong(whole) : PyFloat_FromDouble(number);
  if (value != NULL) PyErr_Format(PyExc_OverflowError, "NDArray: expected %s, got %R", element, value);
  Py_XDECREF(value);
  return core_op_status(-1);
}

/* The int that an index of Python's is, for what has that role. Of more than 64 bits it is an error, or a bound the nearest one. */
static int32_t put_index(PyObject* object, int32_t role, jf_value* out) {
  core_host_operations++;
  PyObject* number = PyNumber_Index(object);
  if (number == NULL) return core_op_status(-1);
  const Py_ssize_t at =
      role == 4 ? PyLong_AsSsize_t(number) : PyNumber_AsSsize_t(number, role == 2 ? PyExc_IndexError : NULL);
  Py_DECREF(number);
  if (at == -1 && PyErr_Occurred() != NULL) return core_op_status(-1);
  const jf_view index = {.type_code = JF_INT, .v_int64 = at};
  return jf_any_retain(&index, out);
}

static int is_hashed_as(const PyTypeObject* type, const PyTypeObject* base) {
  return type->tp_hash == base->tp_hash && type->tp_richcompare == base->tp_richcompare;
}

/* What an instance of a class derived from str or bytes, or any buffer where bytes are asked for, is to native code. New; NULL
 * without an exception: nothing, with one: it cannot be had. */
static PyObject* text_in(PyObject* object, int32_t role) {
  PyTypeObject* const type = Py_TYPE(object);
  if (role == 6) return PyObject_CheckBuffer(object) ? PyBytes_FromObject(object) : NULL;
  if (PyUnicode_Check(object) && (role == 5 || is_hashed_as(type, &PyUnicode_Type)))
    return PyUnicode_FromObject(object);
  if (PyBytes_Check(object) && role == 7 && is_hashed_as(type, &PyBytes_Type))
    return PyBytes_FromStringAndSize(PyBytes_AS_STRING(object), PyBytes_GET_SIZE(object));
  return NULL;
}

/* Takes the object, NULL with an exception. */
static int32_t put_text(PyObject* object, const jf_view* value, int32_t role, jf_value* out) {
  PyObject* text = object != NULL ? text_in(object, role) : NULL;
  int32_t status;
  Py_XDECREF(object);
  if (text == NULL) return PyErr_Occurred() != NULL ? core_op_status(-1) : jf_any_retain(value, out);
  if (core_is_beyond_text(text) && role == 5)
    jf_error_set("ValueError", CORE_SCRIPT_BEYOND_TEXT), status = -1;
  else
    status = core_op_put(text, out);
  Py_DECREF(text);
  return status;
}

int32_t core_op_contained(const jf_view* value, int32_t role, jf_value* out) {
  const int is_sought = role != 0;
  PyObject* object = core_box_view(value);
  core_borrowed borrowed;
  if (role >= 5) return put_text(object, value, role, out);
  if (object != NULL && role >= 2 && PyIndex_Check(object)) {
    const int32_t status = put_index(object, role, out);
    Py_DECREF(object);
    return status;
  }
  int status = object != NULL ? core_borrow(object, &borrowed) : -1;
  if (status == 0) {
    status = jf_any_retain(&borrowed.view, out);
    core_borrowed_done(&borrowed);
  } else {
    const int is_left = object != NULL && is_sought && core_not_a_value() == 0;
    status = is_left ? jf_any_retain(value, out) : core_op_status(-1);
  }
  Py_XDECREF(object);
  return status;
}

PyObject* core_op_object_item(const jf_any* slot) {
  const jf_item item = {.slot = slot};
  PyObject* instance = *item.code >= JF_FIRST_DYNAMIC ? core_instance_around(item.object) : NULL;
  return instance != NULL ? instance : core_op_checked(core_box_item(item));
}
