/* jitffi.Bytes: immutable bytes over a heap bytes object, which exports its memory.
 *
 * It equals the bytes of the same content and has their hash. The methods are those of bytes, called on a bytes object that
 * is made for the call.
 */
#include <string.h>

#include "hooks.h"
#include "jitffi/runtime.h"
#include "text_object.h"
#include "unbox.h"
#include "wrapper.h"

/* -- construction ------------------------------------------------------------------------------------------------ */

static PyObject* bytes_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* source = NULL;
  if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0)
    return PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", core_wrapper_name(type));
  if (!PyArg_UnpackTuple(args, core_wrapper_name(type), 0, 1, &source)) return NULL;
  if (source == NULL) return core_text_wrap(type, jf_bytes_new("", 0));
  if (Py_TYPE(source) == type) return Py_NewRef(source);
  if (!PyObject_CheckBuffer(source))
    return PyErr_Format(PyExc_TypeError, "%s() argument must be a bytes-like object, not %.200s",
                        core_wrapper_name(type), Py_TYPE(source)->tp_name);
  Py_buffer buffer;
  if (PyObject_GetBuffer(source, &buffer, PyBUF_FULL_RO) != 0) return NULL;
  char* out = NULL;
  jf_object* made = jf_str_alloc(JF_BYTES, (size_t)buffer.len, &out);
  if (made != NULL && PyBuffer_ToContiguous(out, &buffer, buffer.len, 'C') != 0) {
    jf_object_release(made);
    PyBuffer_Release(&buffer);
    return NULL;
  }
  PyBuffer_Release(&buffer);
  return core_text_wrap(type, made);
}

/* The bytes of a Bytes, good while the wrapper lives: 1; 0: it is none; -1: exception. */
static int bytes_span(PyObject* object, jf_span* out) {
  if (!PyObject_TypeCheck(object, &core_bytes_type)) return 0;
  const jf_str* bytes = core_text_get(object);
  if (bytes == NULL) return -1;
  out->data = bytes->data;
  out->size = bytes->size;
  return 1;
}

static int bytes_buffer(PyObject* self, Py_buffer* view, int flags) {
  const jf_str* bytes = core_text_get(self);
  if (bytes == NULL) {
    view->obj = NULL;
    return -1;
  }
  /* The memory stays where it is as long as the wrapper, which the view keeps, refers to it. */
  return PyBuffer_FillInfo(view, self, (void*)bytes->data, (Py_ssize_t)bytes->size, 1, flags);
}

/* -- comparison ---------------------------------------------------------------------------------------------------- */

/* Like bytes with bytes only: bytearray, memoryview and their like compare with us through the buffer. */
static PyObject* bytes_compare(PyObject* self, PyObject* other, int operation) {
  jf_span second;
  const jf_str* first = core_text_get(self);
  if (first == NULL) return NULL;
  int status = bytes_span(other, &second);
  if (status < 0) return NULL;
  if (status == 0 && !PyBytes_Check(other)) Py_RETURN_NOTIMPLEMENTED;
  if (status == 0) {
    second.data = PyBytes_AS_STRING(other);
    second.size = (size_t)PyBytes_GET_SIZE(other);
  }
  int sign = memcmp(first->data, second.data, first->size < second.size ? first->size : second.size);
  if (sign == 0) sign = (first->size > second.size) - (first->size < second.size);
  Py_RETURN_RICHCOMPARE(sign, 0, operation);
}

/* -- as a sequence ---------------------------------------------------------------------------------------------------- */

static Py_ssize_t bytes_length(PyObject* self) {
  const jf_str* bytes = core_text_get(self);
  return bytes != NULL ? (Py_ssize_t)bytes->size : -1;
}

static PyObject* bytes_item(PyObject* self, Py_ssize_t index) {
  const jf_str* bytes = core_text_get(self);
  if (bytes == NULL) return NULL;
  if (index >= 0 && (size_t)index < bytes->size) return PyLong_FromLong((unsigned char)bytes->data[index]);
  return PyErr_Format(PyExc_IndexError, "%s index out of range", core_wrapper_name(Py_TYPE(self)));
}

static PyObject* bytes_slice(PyObject* self, PyObject* slice) {
  Py_ssize_t start = 0;
  Py_ssize_t stop = 0;
  Py_ssize_t step = 0;
  if (PySlice_Unpack(slice, &start, &stop, &step) != 0) return NULL; /* may run __index__ */
  const jf_str* bytes = core_text_get(self);
  if (bytes == NULL) return NULL;
  Py_ssize_t count = PySlice_AdjustIndices((Py_ssize_t)bytes->size, &start, &stop, step);
  PyObject* made = PyBytes_FromStringAndSize(step == 1 ? bytes->data + start : NULL, count);
  if (made == NULL || step == 1) return made;
  char* out = PyBytes_AS_STRING(made);
  for (Py_ssize_t i = 0; i < count; i++) out[i] = bytes->data[start + i * step];
  return made;
}

static PyObject* bytes_subscript(PyObject* self, PyObject* key) {
  if (PySlice_Check(key)) return bytes_slice(self, key);
  if (!PyIndex_Check(key))
    return PyErr_Format(PyExc_TypeError, "%s indices must be integers or slices, not %.200s",
                        core_wrapper_name(Py_TYPE(self)), Py_TYPE(key)->tp_name);
  Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (index == -1 && PyErr_Occurred()) return NULL;
  if (index < 0) {
    Py_ssize_t length = bytes_length(self);
    if (length < 0) return NULL;
    index += length;
  }
  return bytes_item(self, index);
}

static int bytes_contains(PyObject* self, PyObject* part) {
  PyObject* plain = core_text_python(self);
  int found = plain != NULL ? PySequence_Contains(plain, part) : -1;
  Py_XDECREF(plain);
  return found;
}

static PyObject* bytes_iter(PyObject* self) {
  PyObject* plain = core_text_python(self);
  PyObject* iterator = plain != NULL ? PyObject_GetIter(plain) : NULL;
  Py_XDECREF(plain);
  return iterator;
}

static PyObject* bytes_concat(PyObject* self, PyObject* other) {
  PyObject* plain = core_text_python(self);
  PyObject* sum = plain != NULL ? PySequence_Concat(plain, other) : NULL;
  Py_XDECREF(plain);
  return sum;
}

static PyObject* bytes_repeat(PyObject* self, Py_ssize_t times) {
  PyObject* plain = core_text_python(self);
  PyObject* result = plain != NULL ? PySequence_Repeat(plain, times) : NULL;
  Py_XDECREF(plain);
  return result;
}

static PyObject* bytes_remainder(PyObject* left, PyObject* right) {
  if (!PyObject_TypeCheck(left, &core_bytes_type)) Py_RETURN_NOTIMPLEMENTED;
  PyObject* plain = core_text_python(left);
  PyObject* result = plain != NULL ? PyNumber_Remainder(plain, right) : NULL;
  Py_XDECREF(plain);
  return result;
}

/* -- methods ------------------------------------------------------------------------------------------------------------- */

#define METHODS(_) CORE_TEXT_METHODS(_) _(decode) _(hex) _(join)

#define DEFINE(method) CORE_TEXT_DELEGATE(bytes, method, 1)
#define ROW(method) \
  {#method, (PyCFunction)(void (*)(void))bytes_##method, METH_FASTCALL | METH_KEYWORDS, "As bytes." #method "."},
METHODS(DEFINE)

static PyObject* bytes_maketrans(PyObject* unused, PyObject* args) {
  (void)unused;
  PyObject* method = PyObject_GetAttrString((PyObject*)&PyBytes_Type, "maketrans");
  PyObject* table = method != NULL ? PyObject_Call(method, args, NULL) : NULL;
  Py_XDECREF(method);
  return table;
}

static PyObject* bytes_fromhex(PyObject* type, PyObject* text) {
  PyObject* plain = PyObject_CallMethod((PyObject*)&PyBytes_Type, "fromhex", "O", text);
  PyObject* made = plain != NULL ? PyObject_CallOneArg(type, plain) : NULL;
  Py_XDECREF(plain);
  return made;
}

static PyMethodDef bytes_methods[] = {
    METHODS(ROW){"maketrans", bytes_maketrans, METH_VARARGS | METH_STATIC, "As bytes.maketrans."},
    {"fromhex", bytes_fromhex, METH_O | METH_CLASS, "As bytes.fromhex; gives a Bytes."},
    {"to_python", core_text_to_python, METH_NOARGS, "The content as bytes."},
    {"__bytes__", core_text_to_python, METH_NOARGS, NULL},
    {"__reduce__", core_text_reduce, METH_NOARGS, NULL},
    {"__copy__", core_text_self, METH_NOARGS, NULL},
    {"__deepcopy__", core_text_self, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

/* -- the class ------------------------------------------------------------------------------------------------------------ */

PyDoc_STRVAR(bytes_doc,
             "Bytes(source=b'', /)\n--\n\n"
             "Immutable bytes in a native object, which shares its memory: memoryview(b) copies nothing.\n\n"
             "It equals the bytes of the same content, has their hash, and does what bytes do: what comes out of its\n"
             "methods and slices are Python's own bytes. Native code that takes bytes, ptr or any is given\n"
             "the object's own memory. The source is anything with a buffer.\n\n"
             ">>> import jitffi\n"
             ">>> b = jitffi.Bytes(b'abc')\n"
             ">>> b, len(b), b[0], b[1:], b == b'abc', {b'abc': 1}[b]\n"
             "(Bytes(b'abc'), 3, 97, b'bc', True, 1)\n"
             ">>> b.hex(), b + b'!', bytes(memoryview(b)[::-1])\n"
             "('616263', b'abc!', b'cba')");

static PyNumberMethods bytes_number = {.nb_remainder = bytes_remainder};
static PySequenceMethods bytes_sequence = {.sq_length = bytes_length,
                                           .sq_item = bytes_item,
                                           .sq_concat = bytes_concat,
                                           .sq_repeat = bytes_repeat,
                                           .sq_contains = bytes_contains};
static PyMappingMethods bytes_mapping = {.mp_length = bytes_length, .mp_subscript = bytes_subscript};
static PyBufferProcs bytes_exports = {.bf_getbuffer = bytes_buffer};

PyTypeObject core_bytes_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.Bytes",
    .tp_doc = bytes_doc,
    .tp_basicsize = sizeof(core_text_object),
    .tp_base = &core_object_type,
    .tp_flags = Py_TPFLAGS_DEFAULT | CORE_MATCH_SELF,
    .tp_new = bytes_new,
    .tp_dealloc = core_text_dealloc,
    .tp_hash = core_text_hash,
    .tp_repr = core_text_repr,
    .tp_richcompare = bytes_compare,
    .tp_iter = bytes_iter,
    .tp_as_number = &bytes_number,
    .tp_as_sequence = &bytes_sequence,
    .tp_as_mapping = &bytes_mapping,
    .tp_as_buffer = &bytes_exports,
    .tp_methods = bytes_methods,
};

/* After core_object_init. 0, or -1 with an exception. */
int core_bytes_init(PyObject* module) {
  core_bytes_span = bytes_span;
  if (core_type_ready(&core_bytes_type) != 0 || core_register_abc("Sequence", &core_bytes_type) != 0) return -1;
  return PyModule_AddObjectRef(module, "Bytes", (PyObject*)&core_bytes_type);
}
