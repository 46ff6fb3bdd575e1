/* The descriptors of fields: what a declaration says of one, and what is said when a value does not fit. */
#include "call.h"
#include "error.h"
#include "hooks.h"
#include "raise.h"
#include "struct.h"

#include <string.h>

/* -- messages ------------------------------------------------------------------------------------------------------------ */

PyObject* core_field_where(const core_field* field) {
  return PyUnicode_FromFormat("%U.%U: ", core_struct_info_of((PyObject*)field->owner)->key, field->name);
}

int core_field_refuse(const core_field* field, PyObject* exception, const char* detail, PyObject* got,
                      const char* note) {
  PyObject* where = core_field_where(field);
  PyObject* value = where == NULL ? NULL
                    : core_is_pointer(got)
                        ? PyUnicode_FromFormat("a Pointer of type %U", ((core_pointer*)got)->type->text)
                        : core_describe(got);
  if (value != NULL)
    PyErr_Format(exception, "%Uexpected %U%s, got %U%s%s%s", where, field->text, detail != NULL ? detail : "", value,
                 note != NULL ? " (" : "", note != NULL ? note : "", note != NULL ? ")" : "");
  Py_XDECREF(where);
  Py_XDECREF(value);
  return -1;
}

int core_struct_check_writable(const core_struct* s) {
  if (!core_struct_is_const(s)) return 0;
  PyErr_Format(PyExc_TypeError, "%U: it is behind a pointer to const, and cannot be written", core_info(s)->key);
  return -1;
}

/* -- the descriptor ------------------------------------------------------------------------------------------------------ */

static int refuse_instance(const core_field* field, PyObject* object) {
  PyErr_Format(PyExc_TypeError, "descriptor '%U' for '%.100s' objects doesn't apply to a '%.100s' object", field->name,
               field->owner->tp_name, Py_TYPE(object)->tp_name);
  return -1;
}

static PyObject* field_get(PyObject* self, PyObject* object, PyObject* class) {
  (void)class;
  const core_field* field = (core_field*)self;
  if (object == NULL) return Py_NewRef(self);
  if (!PyObject_TypeCheck(object, field->owner)) {
    refuse_instance(field, object);
    return NULL;
  }
  core_struct* s = (core_struct*)object;
  return field->get(field, s, s->data + field->offset);
}

static int field_set(PyObject* self, PyObject* object, PyObject* value) {
  const core_field* field = (core_field*)self;
  if (!PyObject_TypeCheck(object, field->owner)) return refuse_instance(field, object);
  if (value == NULL) {
    PyObject* where = core_field_where(field);
    if (where != NULL) PyErr_Format(PyExc_TypeError, "%Ufields cannot be deleted", where);
    Py_XDECREF(where);
    return -1;
  }
  core_struct* s = (core_struct*)object;
  if (core_struct_is_const(s)) return core_struct_check_writable(s);
  return field->set(field, s, s->data + field->offset, value);
}

static PyObject* field_repr(core_field* field) {
  return PyUnicode_FromFormat("<field %U: %U of %s>", field->name, field->text, field->owner->tp_name);
}

static PyObject* field_class(core_field* field, void* unused) {
  (void)unused;
  return Py_NewRef((PyObject*)field->owner);
}

static PyObject* field_doc(core_field* field, void* unused) {
  (void)unused;
  return Py_NewRef(field->text);
}

static PyObject* field_reduce(core_field* field, PyObject* unused) {
  (void)unused;
  PyObject* builtins = PyImport_ImportModule("builtins");
  PyObject* function = builtins != NULL ? PyObject_GetAttrString(builtins, "getattr") : NULL;
  Py_XDECREF(builtins);
  return function != NULL ? Py_BuildValue("N(OO)", function, (PyObject*)field->owner, field->name) : NULL;
}

static void field_dealloc(core_field* field) {
  Py_XDECREF(field->inner);
  Py_XDECREF(field->name);
  Py_XDECREF(field->text);
  Py_XDECREF(field->default_value);
  PyObject_Free(field);
}

static PyMemberDef field_members[] = {
    {"__name__", T_OBJECT, offsetof(core_field, name), READONLY, NULL},
    {"type", T_OBJECT, offsetof(core_field, text), READONLY, "The text of its type."},
    {"offset", T_PYSSIZET, offsetof(core_field, offset), READONLY, "Bytes from the start of the struct."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef field_getset[] = {
    {"__objclass__", (getter)field_class, NULL, NULL, NULL},
    {"__doc__", (getter)field_doc, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef field_methods[] = {
    {"__reduce__", (PyCFunction)field_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* Not the collector's business: its class is never freed. */
PyTypeObject core_field_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.Field",
    .tp_basicsize = sizeof(core_field),
    .tp_itemsize = sizeof(Py_ssize_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)field_dealloc,
    .tp_repr = (reprfunc)field_repr,
    .tp_descr_get = field_get,
    .tp_descr_set = field_set,
    .tp_members = field_members,
    .tp_getset = field_getset,
    .tp_methods = field_methods,
};

/* The class of fields whose own is not yet made: code of the user sees them in a __set_name__. It has no instances. */
static PyTypeObject unmade = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "an unfinished class",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

int core_field_init(void) { return core_type_ready(&core_field_type) != 0 || core_type_ready(&unmade) != 0 ? -1 : 0; }

int core_field_has_addresses(const core_field* field) {
  if (field->inner != NULL) return core_struct_info_of((PyObject*)field->inner)->has_addresses;
  return field->to->kind == CORE_TO_TEXT || field->to->kind == CORE_TO_POINTER || field->to->kind == CORE_TO_FUNCTION;
}

/* -- making ------------------------------------------------------------------------------------------------------------- */

/* What is in optional[...], since a pointer that stands somewhere may always be NULL. */
static void strip_optional(const char** text, size_t* size) {
  while (*size > 10 && strncmp(*text, "optional[", 9) == 0) {
    *text += 9;
    *size -= 10;
  }
}

/* The type of an element. */
static int set_type(core_field* field, PyObject* key, PyObject* type_text, PyObject* inner) {
  if (inner != Py_None) {
    const core_struct_info* info = core_struct_info_of(inner);
    if (info == NULL) {
      PyErr_Format(PyExc_TypeError, "%U.%U: expected the class of a struct", key, field->name);
      return -1;
    }
    field->inner = (PyTypeObject*)Py_NewRef(inner);
    field->item_size = info->size;
    return 0;
  }
  Py_ssize_t length;
  const char* text = PyUnicode_AsUTF8AndSize(type_text, &length);
  if (text == NULL) return -1;
  size_t size = (size_t)length;
  strip_optional(&text, &size);
  char* pointer = PyMem_Malloc(size + sizeof "ptr[]");
  if (pointer == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  const int written = PyOS_snprintf(pointer, size + sizeof "ptr[]", "ptr[%.*s]", (int)size, text);
  field->to = core_pointee_of(pointer, (size_t)written, 1);
  PyMem_Free(pointer);
  if (field->to != NULL && field->to->size > 0) {
    field->item_size = field->to->size;
    return 0;
  }
  if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%U.%U: no field is of type %U", key, field->name, type_text);
  return -1;
}

/* "f32", "u32:3", "f32[4, 4]", "u8[]"; new. */
static PyObject* text_of(const core_field* field) {
  PyObject* text = field->inner != NULL ? Py_NewRef(core_struct_info_of((PyObject*)field->inner)->key)
                                        : Py_NewRef(field->to->item_text);
  if (field->bits != 0) Py_SETREF(text, PyUnicode_FromFormat("%U:%d", text, (int)field->bits));
  for (int i = 0; i < field->num_dims && text != NULL; i++) {
    const char* after = i + 1 == field->num_dims ? "]" : "";
    if (i == 0 && field->is_flexible)
      Py_SETREF(text, PyUnicode_FromFormat("%U[%s", text, after));
    else
      Py_SETREF(text, PyUnicode_FromFormat("%U%s%zd%s", text, i == 0 ? "[" : ", ", field->dims[i], after));
  }
  return text;
}

/* The lengths, and how many elements that are. */
static int set_dims(core_field* field, PyObject* dims) {
  field->count = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(dims); i++) {
    const Py_ssize_t length = PyLong_AsSsize_t(PyTuple_GET_ITEM(dims, i));
    if (length == -1 && PyErr_Occurred()) return -1;
    field->is_flexible |= i == 0 && length < 0;
    field->dims[i] = length < 0 ? 0 : length;
    if (length >= 0) field->count *= length;
  }
  return 0;
}

core_field* core_field_make(PyObject* key, PyObject* spec) {
  PyObject *name, *type_text, *dims, *inner, *default_value;
  Py_ssize_t offset;
  int bit, bits;
  if (!PyArg_ParseTuple(spec, "UUniiO!OO", &name, &type_text, &offset, &bit, &bits, &PyTuple_Type, &dims, &inner,
                        &default_value))
    return NULL;
  if (PyTuple_GET_SIZE(dims) > JF_NDARRAY_DIMS) {
    PyErr_Format(PyExc_ValueError, "%U.%U: an array has at most %d dimensions", key, name, JF_NDARRAY_DIMS);
    return NULL;
  }
  core_field* field = PyObject_NewVar(core_field, &core_field_type, PyTuple_GET_SIZE(dims));
  if (field == NULL) return NULL;
  memset(&field->get, 0, sizeof *field - offsetof(core_field, get));
  field->owner = &unmade;
  field->name = Py_NewRef(name);
  PyUnicode_InternInPlace(&field->name);
  field->num_dims = (uint8_t)PyTuple_GET_SIZE(dims);
  field->offset = bits > 0 ? offset + bit / 8 : offset;
  field->bit = (uint8_t)(bits > 0 ? bit % 8 : 0);
  field->bits = (uint8_t)(bits > 0 ? bits : 0);
  if (set_dims(field, dims) == 0 && set_type(field, key, type_text, inner) == 0 && core_field_choose(field) == 0 &&
      (field->text = text_of(field)) != NULL) {
    if (field->num_dims > 0) core_field_choose_array(field);
    field->default_value = default_value != core_no_default ? Py_NewRef(default_value) : NULL;
    return field;
  }
  Py_DECREF(field);
  return NULL;
}
