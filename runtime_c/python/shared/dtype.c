/* jitffi.DataType: DLPack's DLDataType as an immutable Python value, and what else names one.
 *
 * Names are the runtime's (dlpack.c). NumPy's dtypes and scalar classes, and with them those of ml_dtypes, are read by
 * name; neither package is imported for it. A DataType compares with all that it is made from, but hashes as its name.
 */
#include "dlpack.h"
#include "foreign.h"
#include "hooks.h"
#include "jitffi/runtime.h"
#include "unbox.h"

#include <string.h>

/* -- making ------------------------------------------------------------------------------------------------- */

enum { MADE = 64 }; /* a power of two */

/* The DataTypes of late, by value: a result is seldom one that was never seen. The GIL guards it. */
static PyObject* made[MADE];

static PyObject* new_dtype(jf_dtype value) {
  core_dtype* self = (core_dtype*)core_dtype_type.tp_alloc(&core_dtype_type, 0);
  if (self == NULL) return NULL;
  self->value = value;
  return (PyObject*)self;
}

/* New reference. NULL with an exception. */
PyObject* core_box_dtype(jf_dtype value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  PyObject** place = &made[word * UINT32_C(0x9E3779B1) >> 26];
  if (*place != NULL && memcmp(&((core_dtype*)*place)->value, &value, sizeof value) == 0) return Py_NewRef(*place);
  PyObject* self = new_dtype(value);
  if (self != NULL) Py_XSETREF(*place, Py_NewRef(self));
  return self;
}

/* -- what names one ----------------------------------------------------------------------------------------- */

static PyObject* known; /* NumPy's dtypes and classes that were converted: to their DataTypes */
enum { KNOWN = 256 };

static int from_text(PyObject* text, jf_dtype* out) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text, &size);
  if (data == NULL) {
    PyErr_Clear(); /* a lone surrogate: no name has one */
    return CORE_NO_NAME;
  }
  return jf_dtype_parse(data, (size_t)size, out) == 0 ? CORE_FOUND : CORE_NO_NAME;
}

static int from_python_class(PyObject* object, jf_dtype* out) {
  if (object == (PyObject*)&PyFloat_Type)
    *out = (jf_dtype){2, 64, 1};
  else if (object == (PyObject*)&PyLong_Type)
    *out = (jf_dtype){0, 64, 1};
  else if (object == (PyObject*)&PyBool_Type)
    *out = (jf_dtype){6, 8, 1};
  else if (object == (PyObject*)&PyComplex_Type)
    *out = (jf_dtype){5, 128, 1};
  else
    return CORE_NOT_ONE;
  return CORE_FOUND;
}

/* 1, 0, or -1 with an exception. */
static int truth_of(PyObject* object, const char* name) {
  PyObject* value = PyObject_GetAttrString(object, name);
  if (value == NULL) return -1;
  int truth = PyObject_IsTrue(value);
  Py_DECREF(value);
  return truth;
}

/* The scalar type and the lanes of a NumPy dtype of shape (lanes,). CORE_*. */
static int from_numpy_vector(PyObject* pair, jf_dtype* out) {
  PyObject* base;
  Py_ssize_t lanes;
  if (!PyArg_ParseTuple(pair, "O(n)", &base, &lanes)) {
    PyErr_Clear(); /* of more dimensions */
    return CORE_NOT_ONE;
  }
  int found = core_dtype_convert(base, out);
  if (found != CORE_FOUND) return found;
  if (lanes < 1 || lanes > UINT16_MAX || out->lanes != 1) return CORE_NOT_ONE;
  out->lanes = (uint16_t)lanes;
  return CORE_FOUND;
}

static int read_numpy(PyObject* dtype, jf_dtype* out) {
  int native = truth_of(dtype, "isnative");
  if (native <= 0) return native < 0 ? CORE_RAISED : CORE_NOT_ONE;
  PyObject* pair = PyObject_GetAttrString(dtype, "subdtype");
  if (pair == NULL) return CORE_RAISED;
  if (pair != Py_None) {
    int found = from_numpy_vector(pair, out);
    Py_DECREF(pair);
    return found;
  }
  Py_DECREF(pair);
  PyObject* name = PyObject_GetAttrString(dtype, "name");
  if (name == NULL) return CORE_RAISED;
  int found = PyUnicode_Check(name) ? from_text(name, out) : CORE_NOT_ONE;
  Py_DECREF(name);
  return found == CORE_NO_NAME ? CORE_NOT_ONE : found;
}

/* Of a NumPy dtype or scalar class; what others are is CORE_NOT_ONE. */
static int from_numpy(PyObject* object, jf_dtype* out) {
  PyObject* found = known != NULL ? PyDict_GetItemWithError(known, object) : NULL;
  if (found != NULL) {
    *out = ((core_dtype*)found)->value;
    return CORE_FOUND;
  }
  if (PyErr_Occurred()) return CORE_RAISED;
  PyObject* dtype = core_numpy_dtype(object);
  if (dtype == NULL) return PyErr_Occurred() ? CORE_RAISED : CORE_NOT_ONE;
  int status = read_numpy(dtype, out);
  Py_DECREF(dtype);
  if (status != CORE_FOUND) return status;
  PyObject* self = core_box_dtype(*out);
  if (known == NULL) known = PyDict_New();
  if (known != NULL && PyDict_GET_SIZE(known) >= KNOWN) PyDict_Clear(known);
  if (self == NULL || known == NULL || PyDict_SetItem(known, object, self) != 0) PyErr_Clear(); /* then next time */
  Py_XDECREF(self);
  return CORE_FOUND;
}

/* What *object* says of a data type: CORE_FOUND and *out, CORE_NOT_ONE, CORE_NO_NAME for text that names none, or
 * CORE_RAISED with an exception. */
int core_dtype_convert(PyObject* object, jf_dtype* out) {
  if (core_is_dtype(object)) {
    *out = ((core_dtype*)object)->value;
    return CORE_FOUND;
  }
  if (PyUnicode_Check(object)) return from_text(object, out);
  if (PyType_Check(object) && from_python_class(object, out) == CORE_FOUND) return CORE_FOUND;
  if (core_is_numpy_dtype(object)) return from_numpy(object, out);
  PyObject* name = core_foreign_text(object, &core_dtype_type);
  if (name == NULL) return PyErr_Occurred() ? CORE_RAISED : CORE_NOT_ONE;
  int found = from_text(name, out);
  Py_DECREF(name);
  return found;
}

/* -- the class ---------------------------------------------------------------------------------------------- */

/* The canonical name, borrowed; NULL with an exception. */
static PyObject* text_of(core_dtype* self) {
  char text[JF_DTYPE_SIZE];
  if (self->text == NULL) {
    size_t size = jf_dtype_format(self->value, text, sizeof text);
    self->text = PyUnicode_FromStringAndSize(text, (Py_ssize_t)size);
  }
  return self->text;
}

/* 0, or -1 with TypeError or OverflowError. */
static int read_field(PyObject* value, const char* name, long most, long* out) {
  int overflow = 0;
  PyObject* number = PyBool_Check(value) ? NULL : core_as_int(value);
  if (number == NULL) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "DataType: %s: expected int, got %.200s", name, Py_TYPE(value)->tp_name);
    return -1;
  }
  *out = PyLong_AsLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  if (*out == -1 && PyErr_Occurred()) return -1;
  if (overflow == 0 && *out >= 0 && *out <= most) return 0;
  PyErr_Format(PyExc_OverflowError, "DataType: %s: expected 0 to %ld", name, most);
  return -1;
}

static PyObject* made_of(PyTypeObject* type, jf_dtype value) {
  if (type == &core_dtype_type) return core_box_dtype(value);
  core_dtype* self = (core_dtype*)type->tp_alloc(type, 0);
  if (self != NULL) self->value = value;
  return (PyObject*)self;
}

static PyObject* dtype_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"code", "bits", "lanes", NULL};
  PyObject *first, *bits = NULL, *lanes = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO:DataType", names, &first, &bits, &lanes)) return NULL;
  jf_dtype value;
  if (bits != NULL) {
    long fields[3] = {0, 0, 1};
    if (read_field(first, "code", UINT8_MAX, &fields[0]) != 0 || read_field(bits, "bits", UINT8_MAX, &fields[1]) != 0)
      return NULL;
    if (lanes != NULL && read_field(lanes, "lanes", UINT16_MAX, &fields[2]) != 0) return NULL;
    return made_of(type, (jf_dtype){(uint8_t)fields[0], (uint8_t)fields[1], (uint16_t)fields[2]});
  }
  if (Py_TYPE(first) == type && lanes == NULL) return Py_NewRef(first);
  int found = core_dtype_convert(first, &value);
  if (found == CORE_FOUND && lanes != NULL) {
    long count;
    if (read_field(lanes, "lanes", UINT16_MAX, &count) != 0) return NULL;
    value.lanes = (uint16_t)count;
  }
  if (found == CORE_FOUND) return made_of(type, value);
  if (found == CORE_NO_NAME) PyErr_Format(PyExc_ValueError, "no data type is called %.200R", first);
  if (found == CORE_NOT_ONE)
    PyErr_Format(PyExc_TypeError, "DataType: expected a name, a NumPy dtype, or code and bits, got %.200s",
                 Py_TYPE(first)->tp_name);
  return NULL;
}

static void dtype_dealloc(core_dtype* self) {
  Py_XDECREF(self->text);
  Py_TYPE(self)->tp_free(self);
}

static PyObject* dtype_str(core_dtype* self) { return Py_XNewRef(text_of(self)); }

static PyObject* dtype_repr(core_dtype* self) {
  PyObject* text = text_of(self);
  return text != NULL ? PyUnicode_FromFormat("DataType(%R)", text) : NULL;
}

static Py_hash_t dtype_hash(core_dtype* self) {
  PyObject* text = text_of(self);
  return text != NULL ? PyObject_Hash(text) : -1;
}

/* Which of two comes first: by code, bits, lanes. */
static uint32_t order_of(jf_dtype value) {
  return (uint32_t)value.code << 24 | (uint32_t)value.bits << 16 | value.lanes;
}

/* With text only the canonical name: what is equal to it then has its hash. */
static PyObject* dtype_compare(core_dtype* self, PyObject* other, int op) {
  if (core_is_dtype(other)) {
    const uint32_t left = order_of(self->value), right = order_of(((core_dtype*)other)->value);
    Py_RETURN_RICHCOMPARE(left, right, op);
  }
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  if (PyUnicode_Check(other)) {
    PyObject* text = text_of(self);
    return text != NULL ? PyUnicode_RichCompare(text, other, op) : NULL;
  }
  jf_dtype value;
  int found = core_dtype_convert(other, &value);
  if (found == CORE_RAISED) return NULL;
  if (found != CORE_FOUND) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((memcmp(&value, &self->value, sizeof value) == 0) == (op == Py_EQ));
}

static PyObject* dtype_reduce(core_dtype* self, PyObject* unused) {
  (void)unused;
  PyObject* text = text_of(self);
  return text != NULL ? Py_BuildValue("(O(O))", Py_TYPE(self), text) : NULL;
}

static PyObject* dtype_itemsize(core_dtype* self, void* unused) {
  (void)unused;
  return PyLong_FromLong(((long)self->value.bits * self->value.lanes + 7) / 8);
}

/* New NumPy dtype of one lane; NULL with TypeError where there is none. */
static PyObject* numpy_scalar(PyObject* numpy, const char* name) {
  PyObject* dtype = PyObject_CallMethod(numpy, "dtype", "s", name);
  if (dtype != NULL || !PyErr_ExceptionMatches(PyExc_TypeError)) return dtype;
  PyErr_Clear();
  PyObject* package = PyImport_ImportModule("ml_dtypes");
  if (package == NULL && !PyErr_ExceptionMatches(PyExc_ImportError)) return NULL;
  PyErr_Clear();
  PyObject* class = package != NULL ? PyObject_GetAttrString(package, name) : NULL;
  PyErr_Clear();
  if (class != NULL)
    dtype = PyObject_CallMethod(numpy, "dtype", "O", class);
  else
    PyErr_Format(PyExc_TypeError, "NumPy%s has no dtype for '%s'", package != NULL ? " with ml_dtypes" : "", name);
  Py_XDECREF(package);
  Py_XDECREF(class);
  return dtype;
}

PyObject* core_dtype_numpy(jf_dtype value) {
  char name[JF_DTYPE_SIZE];
  const jf_dtype scalar = {value.code, value.bits, 1};
  if (scalar.bits == 0) {
    jf_dtype_format(value, name, sizeof name);
    return PyErr_Format(PyExc_TypeError, "NumPy has no dtype for '%s'", name);
  }
  jf_dtype_format(scalar, name, sizeof name);
  PyObject* numpy = PyImport_ImportModule("numpy");
  PyObject* dtype = numpy != NULL ? numpy_scalar(numpy, name) : NULL;
  if (dtype != NULL && value.lanes != 1)
    Py_SETREF(dtype, PyObject_CallMethod(numpy, "dtype", "((O(i)))", dtype, (int)value.lanes));
  Py_XDECREF(numpy);
  return dtype;
}

static PyObject* dtype_numpy(core_dtype* self, PyObject* unused) {
  (void)unused;
  return core_dtype_numpy(self->value);
}

static PyObject* dtype_get_numpy(core_dtype* self, void* unused) {
  (void)unused;
  return dtype_numpy(self, NULL);
}

static PyObject* dtype_with_lanes(core_dtype* self, PyObject* lanes) {
  long count;
  if (read_field(lanes, "lanes", UINT16_MAX, &count) != 0) return NULL;
  return core_box_dtype((jf_dtype){self->value.code, self->value.bits, (uint16_t)count});
}

static PyObject* dtype_from_dlpack(PyObject* type, PyObject* fields) {
  if (PyTuple_CheckExact(fields) && PyTuple_GET_SIZE(fields) == 3) return PyObject_CallObject(type, fields);
  return PyErr_Format(PyExc_TypeError, "DataType: expected a tuple of code, bits and lanes, got %.200s",
                      Py_TYPE(fields)->tp_name);
}

/* By DLDataTypeCode: int and uint are integers; float, bfloat and those below a byte's width are floats. */
enum { INTEGERS = 1U << 0 | 1U << 1, FLOATS = 1U << 2 | 1U << 4 | 0x7FFU << 7, HANDLES = 1U << 3, BOOLS = 1U << 6 };

static PyObject* dtype_is(core_dtype* self, void* codes) {
  const uint8_t code = self->value.code;
  return PyBool_FromLong(code < 32 && ((uintptr_t)codes >> code & 1) && self->value.bits != 0);
}

#define FIELD(name, type, field, doc) \
  {name, type, offsetof(core_dtype, value) + offsetof(jf_dtype, field), READONLY, doc}
static PyMemberDef dtype_members[] = {
    FIELD("code", T_UBYTE, code, "DLPack's DLDataTypeCode."),
    FIELD("type_code", T_UBYTE, code, "The same, by its longer name."),
    FIELD("bits", T_UBYTE, bits, "Bits of one lane."),
    FIELD("lanes", T_USHORT, lanes, "How many there are beside each other; 1 but for vectors."),
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef dtype_getset[] = {
    {"itemsize", (getter)dtype_itemsize, NULL, "Bytes of one element, all lanes.", NULL},
    {"is_bool", (getter)dtype_is, NULL, "Whether the lanes are truth values.", (void*)(uintptr_t)BOOLS},
    {"is_integer", (getter)dtype_is, NULL, "Whether the lanes are integers, signed or not.",
     (void*)(uintptr_t)INTEGERS},
    {"is_float", (getter)dtype_is, NULL, "Whether the lanes are floating-point numbers, of whatever format.",
     (void*)(uintptr_t)FLOATS},
    {"is_handle", (getter)dtype_is, NULL, "Whether the lanes are addresses.", (void*)(uintptr_t)HANDLES},
    {"dtype", (getter)dtype_get_numpy, NULL, "The NumPy dtype: what numpy.dtype() asks for.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef dtype_methods[] = {
    {"numpy", (PyCFunction)dtype_numpy, METH_NOARGS, "The NumPy dtype; TypeError where there is none."},
    {"to_numpy", (PyCFunction)dtype_numpy, METH_NOARGS, "The NumPy dtype; TypeError where there is none."},
    {"with_lanes", (PyCFunction)dtype_with_lanes, METH_O,
     "with_lanes($self, lanes, /)\n--\n\nThe data type of so many of these beside each other."},
    {"from_dlpack_data_type", dtype_from_dlpack, METH_O | METH_CLASS,
     "from_dlpack_data_type($type, fields, /)\n--\n\nThe data type of a tuple: DLPack's code, the bits, the lanes."},
    {"__reduce__", (PyCFunction)dtype_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyTypeObject core_dtype_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.DataType",
    .tp_doc =
        "DataType(name) or DataType(code, bits, lanes=1): DLPack's data type, as a value.\n\n"
        "A name of DLPack's or of NumPy's, a dtype or a class of NumPy's will do. ValueError for a name that is none,\n"
        "TypeError for any other object.\n\n"
        ">>> import jitffi\n"
        ">>> str(jitffi.DataType('float32x4')), jitffi.DataType('bfloat16').bits\n('float32x4', 16)",
    .tp_basicsize = sizeof(core_dtype),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = dtype_new,
    .tp_dealloc = (destructor)dtype_dealloc,
    .tp_str = (reprfunc)dtype_str,
    .tp_repr = (reprfunc)dtype_repr,
    .tp_hash = (hashfunc)dtype_hash,
    .tp_richcompare = (richcmpfunc)dtype_compare,
    .tp_members = dtype_members,
    .tp_getset = dtype_getset,
    .tp_methods = dtype_methods,
};

/* 0, or -1 with an exception. */
int core_dtype_init(PyObject* module) {
  if (core_type_ready(&core_dtype_type) != 0) return -1;
  return PyModule_AddObjectRef(module, "DataType", (PyObject*)&core_dtype_type);
}
