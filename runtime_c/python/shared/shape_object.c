/* jitffi.Shape: an immutable tuple of 64-bit integers over a heap shape.
 *
 * It equals the tuple of the same ints and has its hash; slices, sums and products are tuples.
 */
#include "shape_object.h"
#include "error.h"
#include "hooks.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "sequence.h"
#include "text_object.h"
#include "unbox.h"
#include "wrapper.h"

static const jf_shape* shape_get(PyObject* self) { return (const jf_shape*)(const void*)core_wrapper_get(self); }

static int is_shape(PyObject* object) { return PyObject_TypeCheck(object, &core_shape_type); }

/* New tuple of shape[start], shape[start + step], ... Making it can run the collector, and that whatever empties the wrapper. */
static PyObject* tuple_of(const jf_shape* shape, Py_ssize_t start, Py_ssize_t step, Py_ssize_t count) {
  jf_object* held = (jf_object*)(uintptr_t)shape;
  jf_object_retain(held);
  PyObject* made = PyTuple_New(count);
  for (Py_ssize_t i = 0; made != NULL && i < count; i++) {
    PyObject* item = PyLong_FromLongLong(shape->data[start + i * step]);
    if (item == NULL)
      Py_CLEAR(made);
    else
      PyTuple_SET_ITEM(made, i, item);
  }
  jf_object_release(held);
  return made;
}

/* New tuple; NULL with an exception. */
static PyObject* as_tuple(PyObject* self) {
  const jf_shape* shape = shape_get(self);
  return shape != NULL ? tuple_of(shape, 0, 1, (Py_ssize_t)shape->size) : NULL;
}

/* -- construction -------------------------------------------------------------------------------------------------- */

/* 0, or -1 with TypeError or OverflowError that tell the place. */
static int read_dimension(PyObject* object, Py_ssize_t index, int64_t* out) {
  PyObject* number = PyFloat_Check(object) ? NULL : core_as_int(object);
  if (number == NULL) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "Shape(): dimension %zd: expected int, got %.200s", index,
                   Py_TYPE(object)->tp_name);
    return -1;
  }
  int overflow = 0;
  *out = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0)
    PyErr_Format(PyExc_OverflowError,
                 "Shape(): dimension %zd: expected int (-9223372036854775808 to 9223372036854775807), got one beyond",
                 index);
  Py_DECREF(number);
  return overflow != 0 ? -1 : 0;
}

static PyObject* shape_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* dims = NULL;
  if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0)
    return PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", core_wrapper_name(type));
  if (!PyArg_UnpackTuple(args, core_wrapper_name(type), 0, 1, &dims)) return NULL;
  if (dims != NULL && Py_TYPE(dims) == type) return Py_NewRef(dims);
  if (dims != NULL && !core_ends(dims))
    return PyErr_Format(PyExc_TypeError, "%s: expected a sequence of ints, got %.200s", core_wrapper_name(type),
                        Py_TYPE(dims)->tp_name);
  PyObject* items = dims != NULL ? PySequence_Tuple(dims) : PyTuple_New(0); /* a copy: __index__ may change a list */
  if (items == NULL) return NULL;
  Py_ssize_t count = PyTuple_GET_SIZE(items);
  int64_t* data = PyMem_New(int64_t, count > 0 ? count : 1);
  int status = data != NULL ? 0 : -1;
  if (data == NULL) PyErr_NoMemory();
  for (Py_ssize_t i = 0; status == 0 && i < count; i++)
    status = read_dimension(PyTuple_GET_ITEM(items, i), i, &data[i]);
  jf_object* made = status == 0 ? jf_shape_new(data, (size_t)count) : NULL;
  if (status == 0 && made == NULL) core_error_raise(NULL);
  PyMem_Free(data);
  Py_DECREF(items);
  return made != NULL ? core_wrapper_make(type, made) : NULL;
}

/* -- as a tuple ------------------------------------------------------------------------------------------------------ */

static Py_ssize_t shape_length(PyObject* self) {
  const jf_shape* shape = shape_get(self);
  return shape != NULL ? (Py_ssize_t)shape->size : -1;
}

static PyObject* shape_item(PyObject* self, Py_ssize_t index) {
  const jf_shape* shape = shape_get(self);
  if (shape == NULL) return NULL;
  if (index >= 0 && (size_t)index < shape->size) return PyLong_FromLongLong(shape->data[index]);
  PyErr_SetString(PyExc_IndexError, "Shape index out of range");
  return NULL;
}

static PyObject* shape_subscript(PyObject* self, PyObject* key) {
  Py_ssize_t start = 0;
  Py_ssize_t stop = 0;
  Py_ssize_t step = 0;
  if (PySlice_Check(key) && PySlice_Unpack(key, &start, &stop, &step) != 0) return NULL; /* may run __index__ */
  if (PyIndex_Check(key)) {
    start = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (start == -1 && PyErr_Occurred()) return NULL;
  } else if (!PySlice_Check(key)) {
    return PyErr_Format(PyExc_TypeError, "Shape indices must be integers or slices, not %.200s", Py_TYPE(key)->tp_name);
  }
  const jf_shape* shape = shape_get(self);
  if (shape == NULL) return NULL;
  if (!PySlice_Check(key)) return shape_item(self, start < 0 ? start + (Py_ssize_t)shape->size : start);
  Py_ssize_t count = PySlice_AdjustIndices((Py_ssize_t)shape->size, &start, &stop, step);
  return tuple_of(shape, start, step, count);
}

/* New: the tuple that a Shape or Tuple is compared as; a tuple itself. */
static PyObject* any_tuple(PyObject* object) {
  if (is_shape(object)) return as_tuple(object);
  if (PyTuple_Check(object)) return Py_NewRef(object);
  const jf_object* items = core_wrapper_get(object);
  return items != NULL ? core_items_tuple(items) : NULL;
}

/* What a tuple does with `other`: its own, on a tuple made for it. */
static PyObject* shape_compare(PyObject* self, PyObject* other, int operation) {
  if (!PyTuple_Check(other) && !is_shape(other) && !PyObject_TypeCheck(other, &core_tuple_type))
    Py_RETURN_NOTIMPLEMENTED;
  PyObject* first = as_tuple(self);
  PyObject* second = first != NULL ? any_tuple(other) : NULL;
  PyObject* result = second != NULL ? PyObject_RichCompare(first, second, operation) : NULL;
  Py_XDECREF(first);
  Py_XDECREF(second);
  return result;
}

static Py_hash_t shape_hash(PyObject* self) {
  PyObject* tuple = as_tuple(self);
  Py_hash_t hash = tuple != NULL ? PyObject_Hash(tuple) : -1;
  Py_XDECREF(tuple);
  return hash;
}

static PyObject* shape_repr(PyObject* self) {
  PyObject* tuple = as_tuple(self);
  PyObject* text = tuple != NULL ? PyUnicode_FromFormat("Shape(%R)", tuple) : NULL;
  Py_XDECREF(tuple);
  return text;
}

static PyObject* shape_iter(PyObject* self) {
  PyObject* tuple = as_tuple(self);
  PyObject* iterator = tuple != NULL ? PyObject_GetIter(tuple) : NULL;
  Py_XDECREF(tuple);
  return iterator;
}

static int shape_contains(PyObject* self, PyObject* item) {
  PyObject* tuple = as_tuple(self);
  int found = tuple != NULL ? PySequence_Contains(tuple, item) : -1;
  Py_XDECREF(tuple);
  return found;
}

static PyObject* shape_repeat(PyObject* self, Py_ssize_t times) {
  PyObject* tuple = as_tuple(self);
  PyObject* result = tuple != NULL ? PySequence_Repeat(tuple, times) : NULL;
  Py_XDECREF(tuple);
  return result;
}

/* Either side may be ours, the other one is a tuple. */
static PyObject* shape_add(PyObject* left, PyObject* right) {
  if (!(is_shape(left) || PyTuple_Check(left)) || !(is_shape(right) || PyTuple_Check(right))) Py_RETURN_NOTIMPLEMENTED;
  PyObject* first = is_shape(left) ? as_tuple(left) : Py_NewRef(left);
  PyObject* second = first == NULL ? NULL : is_shape(right) ? as_tuple(right) : Py_NewRef(right);
  PyObject* sum = second != NULL ? PySequence_Concat(first, second) : NULL;
  Py_XDECREF(first);
  Py_XDECREF(second);
  return sum;
}

/* -- methods ------------------------------------------------------------------------------------------------------------ */

static PyObject* shape_count(PyObject* self, PyObject* item) {
  PyObject* tuple = as_tuple(self);
  Py_ssize_t count = tuple != NULL ? PySequence_Count(tuple, item) : -1;
  Py_XDECREF(tuple);
  return count >= 0 ? PyLong_FromSsize_t(count) : NULL;
}

static PyObject* shape_index(PyObject* self, PyObject* args) {
  PyObject* tuple = as_tuple(self);
  PyObject* method = tuple != NULL ? PyObject_GetAttrString(tuple, "index") : NULL;
  PyObject* index = method != NULL ? PyObject_Call(method, args, NULL) : NULL;
  Py_XDECREF(method);
  Py_XDECREF(tuple);
  return index;
}

static PyObject* shape_to_python(PyObject* self, PyObject* unused) {
  (void)unused;
  return as_tuple(self);
}

static PyObject* shape_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  PyObject* tuple = as_tuple(self);
  return tuple != NULL ? Py_BuildValue("(O(N))", Py_TYPE(self), tuple) : NULL;
}

static PyObject* shape_self(PyObject* self, PyObject* unused) {
  (void)unused;
  return Py_NewRef(self);
}

static PyMethodDef shape_methods[] = {
    {"count", shape_count, METH_O, "As tuple.count."},
    {"index", shape_index, METH_VARARGS, "As tuple.index."},
    {"to_python", shape_to_python, METH_NOARGS, "The dimensions as a tuple."},
    {"__reduce__", shape_reduce, METH_NOARGS, NULL},
    {"__copy__", shape_self, METH_NOARGS, NULL},
    {"__deepcopy__", shape_self, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(shape_doc,
             "Shape(dimensions=(), /)\n--\n\n"
             "An immutable tuple of 64-bit integers in a native object.\n\n"
             "It equals the tuple of the same ints and has its hash; slices are tuples. What is beyond 64 bits is an\n"
             "OverflowError.\n\n"
             ">>> import jitffi\n"
             ">>> s = jitffi.Shape((2, 3))\n"
             ">>> s, s == (2, 3), s[-1], s[:1], s + (4,), {(2, 3): 'a'}[s]\n"
             "(Shape((2, 3)), True, 3, (2,), (2, 3, 4), 'a')");

static PyNumberMethods shape_number = {.nb_add = shape_add};
static PySequenceMethods shape_sequence = {
    .sq_length = shape_length, .sq_item = shape_item, .sq_repeat = shape_repeat, .sq_contains = shape_contains};
static PyMappingMethods shape_mapping = {.mp_length = shape_length, .mp_subscript = shape_subscript};

PyTypeObject core_shape_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.Shape",
    .tp_doc = shape_doc,
    .tp_basicsize = sizeof(core_wrapper),
    .tp_base = &core_object_type,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_SEQUENCE | CORE_MATCH_SELF,
    .tp_new = shape_new,
    .tp_dealloc = core_wrapper_dealloc,
    .tp_hash = shape_hash,
    .tp_repr = shape_repr,
    .tp_richcompare = shape_compare,
    .tp_iter = shape_iter,
    .tp_as_number = &shape_number,
    .tp_as_sequence = &shape_sequence,
    .tp_as_mapping = &shape_mapping,
    .tp_methods = shape_methods,
};

/* After core_object_init. 0, or -1 with an exception. */
static jf_object* shape_from(PyObject* object) {
  PyObject* made = PyObject_CallOneArg((PyObject*)&core_shape_type, object);
  jf_object* shape = made != NULL ? core_wrapper_get(made) : NULL;
  jf_object_retain(shape);
  Py_XDECREF(made);
  return shape;
}

int core_shape_init(PyObject* module) {
  core_shape_from = shape_from;
  if (core_type_ready(&core_shape_type) != 0 || core_wrapper_class(JF_SHAPE, &core_shape_type) != 0) return -1;
  if (core_register_abc("Sequence", &core_shape_type) != 0) return -1;
  return PyModule_AddObjectRef(module, "Shape", (PyObject*)&core_shape_type);
}
