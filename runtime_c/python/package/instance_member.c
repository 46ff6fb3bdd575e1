/* The descriptors of fields of instances: how each is read, and what is said of it. */
#include <string.h>

#include "box.h"
#include "error.h"
#include "fast_paths.h"
#include "instance.h"
#include "raise.h"

static inline char* place_of(const core_wrapper* wrapper, const jf_field* field) {
  return (char*)wrapper->object + field->offset;
}

/* -- reading -- */

static PyObject* get_number(const jf_object* object, const jf_field* field) {
  jf_view view;
  jf_field_view(object, field, &view);
  return core_box_view(&view);
}

static PyObject* get(const core_wrapper* wrapper, const jf_field* field) {
  const char* at = place_of(wrapper, field);
  switch (field->kind) {
    case JF_KIND_F64: {
      double value;
      memcpy(&value, at, sizeof value);
      return PyFloat_FromDouble(value);
    }
    case JF_KIND_I64: {
      int64_t value;
      memcpy(&value, at, sizeof value);
      return PyLong_FromLongLong(value);
    }
    case JF_KIND_I32: {
      int32_t value;
      memcpy(&value, at, sizeof value);
      return PyLong_FromLong(value);
    }
    case JF_FIELD_SLOT: {
      const jf_any* slot = (const jf_any*)(const void*)at;
      return slot->type_code == JF_OBJECT || slot->type_code > 0 ? core_box_view(slot)
                                                                 : fast_box((jf_item){.slot = slot});
    }
    case JF_FIELD_OBJECT: {
      jf_object* object = *(jf_object* const*)(const void*)at;
      return object != NULL ? core_box_object(object) : Py_NewRef(Py_None);
    }
    default:
      return get_number(wrapper->object, field);
  }
}

static int refuse_instance(const core_member* member, PyObject* object) {
  PyErr_Format(PyExc_TypeError, "descriptor '%U' for '%.100s' objects doesn't apply to a '%.100s' object", member->name,
               member->owner->tp_name, Py_TYPE(object)->tp_name);
  return -1;
}

/* New: the member of the enumeration that a value stands for, or the value itself where there is none, as native code may have
 * given; steals value. */
static PyObject* as_member(const core_member* member, PyObject* value) {
  if ((PyObject*)Py_TYPE(value) == member->enumeration) return value;
  PyObject* found = PyObject_CallOneArg(member->enumeration, value);
  if (found == NULL && PyErr_ExceptionMatches(PyExc_ValueError)) {
    PyErr_Clear();
    return value;
  }
  Py_DECREF(value);
  return found;
}

static PyObject* member_get(PyObject* self, PyObject* object, PyObject* class) {
  (void)class;
  const core_member* member = (core_member*)self;
  if (object == NULL) return Py_NewRef(self);
  if (Py_TYPE(object) != member->owner && !PyObject_TypeCheck(object, member->owner)) {
    refuse_instance(member, object);
    return NULL;
  }
  const core_wrapper* wrapper = (core_wrapper*)object;
  if (core_wrapper_get(object) == NULL) return NULL;
  PyObject* value = get(wrapper, member->field);
  return member->enumeration == NULL || value == NULL || value == Py_None ? value : as_member(member, value);
}

static int fail_read_only(const core_member* member, int is_deleted) {
  PyObject* module = PyImport_ImportModule("dataclasses");
  PyObject* kind = module != NULL ? PyObject_GetAttrString(module, "FrozenInstanceError") : NULL;
  Py_XDECREF(module);
  if (kind != NULL)
    PyErr_Format(kind, "%s.%U: it is read-only%s", member->type->key, member->name,
                 is_deleted ? ", and cannot be deleted" : "");
  Py_XDECREF(kind);
  return -1;
}

/* 1: done, for numbers that need no conversion in fields that nobody guards. */
static inline int set_at_once(const core_member* member, PyObject* object, PyObject* value) {
  int64_t number;
  if (member->at_once == AT_LENGTH || value == NULL || Py_TYPE(object) != member->owner) return 0;
  const core_wrapper* wrapper = (core_wrapper*)object;
  if (wrapper->object == NULL) return 0;
  char* place = place_of(wrapper, member->field);
  if (member->at_once == JF_KIND_F64) {
    if (!PyFloat_CheckExact(value)) return 0;
    memcpy(place, &((PyFloatObject*)value)->ob_fval, sizeof(double));
    return 1;
  }
  if (!PyLong_CheckExact(value) || !fast_int(value, &number)) return 0;
  memcpy(place, &number, sizeof number);
  return 1;
}

static int member_set(PyObject* self, PyObject* object, PyObject* value) {
  core_member* member = (core_member*)self;
  if (set_at_once(member, object, value)) return 0;
  if (Py_TYPE(object) != member->owner && !PyObject_TypeCheck(object, member->owner))
    return refuse_instance(member, object);
  core_wrapper* wrapper = (core_wrapper*)object;
  const int is_fixed =
      ((member->field->flags & JF_FIELD_READ_ONLY) != 0 || (member->type->flags & JF_TYPE_FROZEN) != 0);
  if (is_fixed && wrapper->is_made) return fail_read_only(member, value == NULL);
  if (value == NULL) {
    PyErr_Format(PyExc_AttributeError, "%s.%U: fields cannot be deleted", member->type->key, member->name);
    return -1;
  }
  return core_wrapper_get(object) != NULL ? core_member_set(member, wrapper, value) : -1;
}

/* -- the descriptor -- */

static PyObject* member_repr(core_member* member) {
  return PyUnicode_FromFormat("<field %U: %s of %s>", member->name, member->field->type, member->owner->tp_name);
}

static PyObject* member_class(core_member* member, void* unused) {
  (void)unused;
  return Py_NewRef((PyObject*)member->owner);
}

static PyObject* text_or_none(const char* text) {
  return text != NULL ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
}

static PyObject* member_doc(core_member* member, void* unused) {
  (void)unused;
  return text_or_none(member->field->doc);
}

static PyObject* member_text(core_member* member, void* unused) {
  (void)unused;
  return text_or_none(member->field->type);
}

static PyObject* member_offset(core_member* member, void* unused) {
  (void)unused;
  return PyLong_FromLong(member->field->offset);
}

static PyObject* member_flags(core_member* member, void* unused) {
  (void)unused;
  return PyLong_FromUnsignedLong(member->field->flags);
}

static PyObject* member_set_always(core_member* member, PyObject* args) {
  PyObject *object, *value;
  if (!PyArg_ParseTuple(args, "OO", &object, &value)) return NULL;
  if (!PyObject_TypeCheck(object, member->owner)) {
    refuse_instance(member, object);
    return NULL;
  }
  if (core_wrapper_get(object) == NULL || core_member_set(member, (core_wrapper*)object, value) != 0) return NULL;
  Py_RETURN_NONE;
}

static void member_dealloc(core_member* member) {
  Py_XDECREF(member->name);
  Py_XDECREF(member->default_value);
  Py_XDECREF(member->enumeration);
  PyObject_Free(member);
}

static PyMemberDef member_members[] = {
    {"__name__", T_OBJECT, offsetof(core_member, name), READONLY, NULL},
    {"default_value", T_OBJECT_EX, offsetof(core_member, default_value), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef member_getset[] = {
    {"__objclass__", (getter)member_class, NULL, NULL, NULL},
    {"__doc__", (getter)member_doc, NULL, NULL, NULL},
    {"type", (getter)member_text, NULL, "The text of its type.", NULL},
    {"offset", (getter)member_offset, NULL, "Bytes from the start of the native object.", NULL},
    {"flags", (getter)member_flags, NULL, "JF_FIELD_* of jitffi/types.h.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef member_methods[] = {
    {"set", (PyCFunction)member_set_always, METH_VARARGS,
     "set($self, instance, value, /)\n--\n\nSet the field of an instance, a read-only one, too, as a copy or a cache "
     "needs it."},
    {NULL, NULL, 0, NULL},
};

/* Not the collector's business: its class is never freed. */
PyTypeObject core_member_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.ObjectField",
    .tp_basicsize = sizeof(core_member),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)member_dealloc,
    .tp_repr = (reprfunc)member_repr,
    .tp_descr_get = member_get,
    .tp_descr_set = member_set,
    .tp_members = member_members,
    .tp_getset = member_getset,
    .tp_methods = member_methods,
};

int core_member_init(void) { return PyType_Ready(&core_member_type); }

/* New. Borrows value, a default or a factory; NULL: there is none. */
core_member* core_member_make(PyTypeObject* owner, const jf_type_info* type, const jf_field* field, PyObject* value) {
  core_member* member = PyObject_New(core_member, &core_member_type);
  if (member == NULL) return NULL;
  memset(&member->type, 0, sizeof *member - offsetof(core_member, type));
  member->type = type;
  member->field = field;
  member->owner = owner;
  member->default_value = Py_XNewRef(value);
  member->state.info = &type->errors[field - type->fields];
  if (field->kind == JF_FIELD_SLOT) {
    if (strcmp(field->type, "str") == 0) member->text = JF_STR;
    if (strcmp(field->type, "bytes") == 0) member->text = JF_BYTES;
    if (strcmp(field->type, "any") == 0) member->text = JF_ROOT;
  }
  member->name = PyUnicode_InternFromString(field->name);
  if (member->name != NULL) return member;
  Py_DECREF(member);
  return NULL;
}
