/* jitffi.Device: DLPack's DLDevice as an immutable Python value; and data types and devices as arguments.
 *
 * Names are the runtime's (dlpack.c). A Device compares with its canonical text, and hashes as that.
 */
#include "dlpack.h"
#include "foreign.h"
#include "hooks.h"
#include "jitffi/runtime.h"
#include "raise.h"
#include "state.h"
#include "unbox.h"

#include <string.h>

/* -- making ------------------------------------------------------------------------------------------------- */

enum { MADE = 16 }; /* a power of two */

/* The Devices of late, by value. The GIL guards it. */
static PyObject* made[MADE];

/* New reference. NULL with an exception. */
PyObject* core_box_device(jf_device value) {
  PyObject** place = &made[((uint32_t)value.device_type * 5 + (uint32_t)value.device_id) % MADE];
  if (*place != NULL && memcmp(&((core_device*)*place)->value, &value, sizeof value) == 0) return Py_NewRef(*place);
  core_device* self = (core_device*)core_device_type.tp_alloc(&core_device_type, 0);
  if (self == NULL) return NULL;
  self->value = value;
  Py_XSETREF(*place, Py_NewRef((PyObject*)self));
  return (PyObject*)self;
}

/* What *object* says of a device: CORE_FOUND and *out, CORE_NOT_ONE, CORE_NO_NAME for text that names none, or
 * CORE_RAISED with an exception. */
int core_device_convert(PyObject* object, jf_device* out) {
  if (core_is_device(object)) {
    *out = ((core_device*)object)->value;
    return CORE_FOUND;
  }
  if (!PyUnicode_Check(object)) {
    PyObject* name = core_foreign_text(object, &core_device_type);
    if (name == NULL) return PyErr_Occurred() ? CORE_RAISED : CORE_NOT_ONE;
    int found = core_device_convert(name, out);
    Py_DECREF(name);
    return found;
  }
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(object, &size);
  if (data == NULL) PyErr_Clear(); /* a lone surrogate: no name has one */
  return data != NULL && jf_device_parse(data, (size_t)size, out) == 0 ? CORE_FOUND : CORE_NO_NAME;
}

/* -- arguments ---------------------------------------------------------------------------------------------- */

/* Borrows object, which *given* may have said that it is. `kind` is JF_KIND_DTYPE or JF_KIND_DEVICE; *word is the value as it lies in
 * memory, zero-extended. -1 with TypeError, or ValueError for text that names none. */
static int32_t unbox_given(core_state* state, int32_t index, PyObject* object, PyObject* given, int32_t kind,
                           int64_t* word) {
  jf_dtype dtype;
  jf_device device;
  *word = 0;
  int found = kind == JF_KIND_DTYPE ? core_dtype_convert(object, &dtype) : core_device_convert(object, &device);
  if (found == CORE_FOUND) {
    if (kind == JF_KIND_DTYPE)
      memcpy(word, &dtype, sizeof dtype);
    else
      memcpy(word, &device, sizeof device);
    return 0;
  }
  if (found == CORE_NOT_ONE) {
    PyObject* said = core_protocol_value(object, CORE_AS_ANY);
    int32_t status = -1;
    if (said != NULL && Py_EnterRecursiveCall(" in a value protocol") == 0) {
      status = unbox_given(state, index, said, given, kind, word);
      Py_LeaveRecursiveCall();
    }
    Py_XDECREF(said);
    if (said != NULL || PyErr_Occurred()) return status;
  }
  if (found == CORE_NO_NAME) core_raise_value(state, index, PyExc_ValueError, NULL, object);
  if (found == CORE_NOT_ONE) core_raise_type(state, index, given, NULL);
  return -1;
}

static int32_t unbox_dlpack(core_state* state, int32_t index, PyObject* object, int32_t kind, int64_t* word) {
  return unbox_given(state, index, object, object, kind, word);
}

/* -- the class ---------------------------------------------------------------------------------------------- */

/* The canonical text, borrowed; NULL with an exception. */
static PyObject* text_of(core_device* self) {
  char text[JF_DEVICE_SIZE];
  if (self->text == NULL) {
    size_t size = jf_device_format(self->value, text, sizeof text);
    self->text = PyUnicode_FromStringAndSize(text, (Py_ssize_t)size);
  }
  return self->text;
}

/* 0, or -1 with TypeError or OverflowError. */
static int read_number(PyObject* value, const char* name, int32_t* out) {
  int overflow = 0;
  PyObject* number = PyBool_Check(value) ? NULL : core_as_int(value);
  if (number == NULL) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "Device: %s: expected int, got %.200s", name, Py_TYPE(value)->tp_name);
    return -1;
  }
  long long wide = PyLong_AsLongLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  if (wide == -1 && PyErr_Occurred()) return -1;
  *out = (int32_t)wide;
  if (overflow == 0 && wide >= INT32_MIN && wide <= INT32_MAX) return 0;
  PyErr_Format(PyExc_OverflowError, "Device: %s: expected -2147483648 to 2147483647", name);
  return -1;
}

/* 0, or -1 with an exception: ValueError for text that names no device, or has an index where another is given. */
static int read_type(PyObject* type, int has_index, jf_device* out) {
  int found = core_device_convert(type, out);
  if (found == CORE_FOUND && PyUnicode_Check(type) && has_index &&
      PyUnicode_FindChar(type, ':', 0, PyUnicode_GetLength(type), 1) >= 0) {
    PyErr_Format(PyExc_ValueError, "Device: %.200R has an index, and another is given", type);
    return -1;
  }
  if (found == CORE_FOUND) return 0;
  if (found == CORE_NO_NAME) PyErr_Format(PyExc_ValueError, "no device is called %.200R", type);
  if (found == CORE_NO_NAME || found == CORE_RAISED) return -1;
  if (PyBool_Check(type) || !PyIndex_Check(type)) {
    PyErr_Format(PyExc_TypeError, "Device: expected a name such as 'cuda:1' or DLPack's number, got %.200s",
                 Py_TYPE(type)->tp_name);
    return -1;
  }
  *out = (jf_device){0, 0};
  return read_number(type, "type", &out->device_type);
}

static PyObject* device_new(PyTypeObject* class, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"type", "index", NULL};
  PyObject *type, *index = NULL;
  jf_device value;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:Device", names, &type, &index)) return NULL;
  if (index == Py_None) index = NULL;
  if (read_type(type, index != NULL, &value) != 0) return NULL;
  if (index != NULL && read_number(index, "index", &value.device_id) != 0) return NULL;
  if (class == &core_device_type) return core_box_device(value);
  core_device* self = (core_device*)class->tp_alloc(class, 0);
  if (self != NULL) self->value = value;
  return (PyObject*)self;
}

static void device_dealloc(core_device* self) {
  Py_XDECREF(self->text);
  Py_TYPE(self)->tp_free(self);
}

static PyObject* device_str(core_device* self) { return Py_XNewRef(text_of(self)); }

static PyObject* device_repr(core_device* self) {
  PyObject* text = text_of(self);
  return text != NULL ? PyUnicode_FromFormat("Device(%R)", text) : NULL;
}

static Py_hash_t device_hash(core_device* self) {
  PyObject* text = text_of(self);
  return text != NULL ? PyObject_Hash(text) : -1;
}

/* Which of two comes first: by the number of the type, then by the index. */
static int64_t order_of(jf_device value) {
  return value.device_type * (INT64_C(1) << 32) + ((int64_t)value.device_id - INT32_MIN);
}

static PyObject* device_compare(core_device* self, PyObject* other, int op) {
  if (core_is_device(other)) {
    const int64_t left = order_of(self->value), right = order_of(((core_device*)other)->value);
    Py_RETURN_RICHCOMPARE(left, right, op);
  }
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  if (PyUnicode_Check(other)) {
    PyObject* text = text_of(self);
    return text != NULL ? PyUnicode_RichCompare(text, other, op) : NULL;
  }
  Py_RETURN_NOTIMPLEMENTED;
}

static PyObject* device_reduce(core_device* self, PyObject* unused) {
  (void)unused;
  PyObject* text = text_of(self);
  return text != NULL ? Py_BuildValue("(O(O))", Py_TYPE(self), text) : NULL;
}

/* "cuda"; of a number without a name what leads back to it. */
static PyObject* device_get_type(core_device* self, void* unused) {
  (void)unused;
  const char* name = jf_device_name(self->value.device_type);
  return name != NULL ? PyUnicode_FromString(name) : PyUnicode_FromFormat("device%d", (int)self->value.device_type);
}

static PyObject* device_dlpack_type(core_device* self, PyObject* unused) {
  (void)unused;
  return PyLong_FromLong(self->value.device_type);
}

static PyMemberDef device_members[] = {
    {"index", T_INT, offsetof(core_device, value) + offsetof(jf_device, device_id), READONLY,
     "Which device of its type."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef device_getset[] = {
    {"type", (getter)device_get_type, NULL, "The type's name.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef device_methods[] = {
    {"dlpack_device_type", (PyCFunction)device_dlpack_type, METH_NOARGS, "DLPack's number of the type."},
    {"__reduce__", (PyCFunction)device_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyTypeObject core_device_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.Device",
    .tp_doc =
        "Device(name) or Device(type, index=0): DLPack's device, as a value.\n\n"
        "The type is a name or DLPack's number. ValueError for a name that is none.\n\n"
        ">>> import jitffi\n"
        ">>> jitffi.Device('cuda', 1), jitffi.Device('cpu').index\n(Device('cuda:1'), 0)",
    .tp_basicsize = sizeof(core_device),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = device_new,
    .tp_dealloc = (destructor)device_dealloc,
    .tp_str = (reprfunc)device_str,
    .tp_repr = (reprfunc)device_repr,
    .tp_hash = (hashfunc)device_hash,
    .tp_richcompare = (richcmpfunc)device_compare,
    .tp_members = device_members,
    .tp_getset = device_getset,
    .tp_methods = device_methods,
};

/* 0, or -1 with an exception. */
int core_device_init(PyObject* module) {
  if (core_type_ready(&core_device_type) != 0) return -1;
  core_unbox_dlpack = unbox_dlpack;
  return PyModule_AddObjectRef(module, "Device", (PyObject*)&core_device_type);
}
