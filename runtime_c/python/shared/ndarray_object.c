/* jitffi.NDArray: an array in native memory, on whatever device, and what it says of itself.
 *
 * Nothing of it ever changes but its elements; what runs Python code reads what it needs of the native object before or after, for a
 * call may take the object out of its wrapper.
 */
#include "ndarray_object.h"
#include "array.h"
#include "dlpack.h"
#include "error.h"
#include "hooks.h"
#include "jitffi/runtime.h"
#include "unbox.h"
#include "wrapper.h"

#include <string.h>

const jf_ndarray* core_ndarray_view(PyObject* object) {
  jf_object* native = core_wrapper_object(object);
  return native != NULL && jf_type_is_a(native->type_code, JF_NDARRAY) ? (const jf_ndarray*)native : NULL;
}

jf_ndarray* core_ndarray_get(PyObject* self) { return (jf_ndarray*)core_wrapper_get(self); }

jf_ndarray* core_ndarray_memory(PyObject* self) {
  jf_ndarray* array = core_ndarray_get(self);
  char name[JF_DEVICE_SIZE];
  if (array == NULL) return NULL;
  if (array->tensor.device.device_type != JF_CPU) {
    jf_device_format(array->tensor.device, name, sizeof name);
    PyErr_Format(PyExc_BufferError, "NDArray: its elements are on %s, and are read on the CPU alone", name);
    return NULL;
  }
  if (jf_dltensor_itemsize(&array->tensor, array->flags) != 0) return array;
  jf_dtype_format(array->tensor.dtype, name, sizeof name);
  PyErr_Format(PyExc_BufferError, "NDArray: elements of %s share bytes, and cannot be reached one by one", name);
  return NULL;
}

PyObject* core_ndarray_box(jf_object* array) {
  if (array == NULL) return core_error_raise(NULL), NULL;
  return core_wrapper_make(&core_ndarray_type, array);
}

/* -- shapes ---------------------------------------------------------------------------------------------------------- */

/* 0, or -1 with TypeError or OverflowError. */
static int read_dimension(PyObject* object, const char* what, int64_t* out) {
  PyObject* number = PyBool_Check(object) ? NULL : core_as_int(object);
  int overflow = 0;
  if (number == NULL) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "%s: expected ints, got %.200s", what, Py_TYPE(object)->tp_name);
    return -1;
  }
  *out = PyLong_AsLongLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  if (overflow != 0) PyErr_Format(PyExc_OverflowError, "%s: an int is beyond 64 bits", what);
  return overflow != 0 ? -1 : 0;
}

int core_ndarray_shape(PyObject* object, const char* what, int64_t* shape) {
  if (PyIndex_Check(object)) return read_dimension(object, what, shape) == 0 ? 1 : -1;
  PyObject* items = PySequence_Tuple(object); /* a copy: __index__ may change a list */
  if (items == NULL) return -1;
  const Py_ssize_t count = PyTuple_GET_SIZE(items);
  int status = count <= JF_NDARRAY_DIMS ? (int)count : -1;
  if (status < 0)
    PyErr_Format(PyExc_ValueError, "%s: an array has up to %d dimensions, not %zd", what, (int)JF_NDARRAY_DIMS, count);
  for (Py_ssize_t i = 0; status >= 0 && i < count; i++)
    if (read_dimension(PyTuple_GET_ITEM(items, i), what, &shape[i]) != 0) status = -1;
  Py_DECREF(items);
  return status;
}

PyObject* core_ndarray_tuple(const int64_t* numbers, int32_t count) {
  int64_t copy[JF_NDARRAY_DIMS]; /* making the tuple can run the collector, and that whatever empties the wrapper */
  memcpy(copy, numbers, (size_t)count * sizeof *copy);
  PyObject* made = PyTuple_New(count);
  for (int32_t i = 0; made != NULL && i < count; i++) {
    PyObject* item = PyLong_FromLongLong(copy[i]);
    if (item == NULL)
      Py_CLEAR(made);
    else
      PyTuple_SET_ITEM(made, i, item);
  }
  return made;
}

/* -- what it says of itself ------------------------------------------------------------------------------------------- */

#define GETTER(name, expression)                              \
  static PyObject* get_##name(PyObject* self, void* unused) { \
    (void)unused;                                             \
    const jf_ndarray* array = core_ndarray_get(self);         \
    return array != NULL ? (expression) : NULL;               \
  }
GETTER(shape, core_ndarray_tuple(array->tensor.shape, array->tensor.ndim))
GETTER(strides, core_ndarray_tuple(array->tensor.strides, array->tensor.ndim))
GETTER(dtype, core_box_dtype(array->tensor.dtype))
GETTER(device, core_box_device(array->tensor.device))
GETTER(ndim, PyLong_FromLong(array->tensor.ndim))
GETTER(size, PyLong_FromLongLong(jf_dltensor_items(&array->tensor)))
GETTER(nbytes, PyLong_FromSize_t(core_ndarray_bytes(array)))
GETTER(address, PyLong_FromVoidPtr(core_ndarray_data(array)))
GETTER(readonly, PyBool_FromLong(core_ndarray_is_readonly(array)))

#define METHOD(name, expression)                                      \
  static PyObject* ndarray_##name(PyObject* self, PyObject* unused) { \
    (void)unused;                                                     \
    const jf_ndarray* array = core_ndarray_get(self);                 \
    return array != NULL ? (expression) : NULL;                       \
  }
METHOD(is_contiguous, PyBool_FromLong(jf_dltensor_is_contiguous(&array->tensor)))
METHOD(numel, PyLong_FromLongLong(jf_dltensor_items(&array->tensor)))
METHOD(data_ptr, PyLong_FromVoidPtr(core_ndarray_data(array)))

PyObject* core_ndarray_describe(const jf_ndarray* array) {
  char dtype[JF_DTYPE_SIZE];
  jf_dtype_format(array->tensor.dtype, dtype, sizeof dtype);
  PyObject* text = PyUnicode_FromFormat("%s%s[", core_ndarray_is_readonly(array) ? "read-only " : "", dtype);
  for (int32_t i = 0; text != NULL && i < array->tensor.ndim; i++)
    Py_SETREF(text, PyUnicode_FromFormat("%U%s%lld", text, i > 0 ? ", " : "", (long long)array->tensor.shape[i]));
  if (text != NULL) Py_SETREF(text, PyUnicode_FromFormat("%U]", text));
  return text;
}

enum { SHOWN = 24 }; /* elements, at most, that a repr has */

/* The elements and the data type where there are a few, else the shape and where they are. */
static PyObject* ndarray_repr(PyObject* self) {
  const jf_ndarray* array = (const jf_ndarray*)((core_wrapper*)self)->object;
  char device[JF_DEVICE_SIZE], dtype[JF_DTYPE_SIZE];
  if (array == NULL) return PyUnicode_FromString("<NDArray: was moved>");
  const int is_here = array->tensor.device.device_type == JF_CPU;
  jf_device_format(array->tensor.device, device, sizeof device);
  jf_dtype_format(array->tensor.dtype, dtype, sizeof dtype);
  if (is_here && jf_dltensor_items(&array->tensor) <= SHOWN && core_element_format(array->tensor.dtype) != NULL) {
    PyObject* items = core_ndarray_tolist(self, NULL);
    PyObject* text = items != NULL ? PyUnicode_FromFormat("NDArray(%R, '%s')", items, dtype) : NULL;
    Py_XDECREF(items);
    return text;
  }
  PyObject* what = core_ndarray_describe(array);
  PyObject* text =
      what == NULL ? NULL : PyUnicode_FromFormat(is_here ? "<NDArray %U>" : "<NDArray %U on %s>", what, device);
  Py_XDECREF(what);
  return text;
}

/* As NumPy's arrays compare: element by element, by NumPy. */
static PyObject* ndarray_compare(PyObject* self, PyObject* other, int operation) {
  if (operation != Py_EQ && operation != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  PyObject* left = core_ndarray_numpy(self, NULL);
  PyObject* right = left == NULL                                    ? NULL
                    : PyObject_TypeCheck(other, &core_ndarray_type) ? core_ndarray_numpy(other, NULL)
                                                                    : Py_NewRef(other);
  PyObject* result = right != NULL ? PyObject_RichCompare(left, right, operation) : NULL;
  Py_XDECREF(left);
  Py_XDECREF(right);
  return result;
}

static Py_ssize_t ndarray_length(PyObject* self) {
  const jf_ndarray* array = core_ndarray_get(self);
  if (array == NULL) return -1;
  if (array->tensor.ndim > 0) return (Py_ssize_t)array->tensor.shape[0];
  PyErr_SetString(PyExc_TypeError, "len() of an NDArray without dimensions");
  return -1;
}

static PyObject* ndarray_iter(PyObject* self) { return ndarray_length(self) >= 0 ? PySeqIter_New(self) : NULL; }

/* Of one element: what it says. Others would have to answer for all of theirs. */
static int ndarray_bool(PyObject* self) {
  PyObject* item = core_ndarray_only_item(self, NULL);
  const int truth = item != NULL ? PyObject_IsTrue(item) : -1;
  Py_XDECREF(item);
  return truth;
}

/* The same of int(), which would read the digits that a buffer has. */
static PyObject* ndarray_int(PyObject* self) {
  PyObject* item = core_ndarray_only_item(self, NULL);
  PyObject* number = item != NULL ? PyNumber_Long(item) : NULL;
  Py_XDECREF(item);
  return number;
}

static PyGetSetDef ndarray_getset[] = {
    {"shape", get_shape, NULL, "The length of each dimension.", NULL},
    {"strides", get_strides, NULL, "For each dimension, how many elements further the next one of it is.", NULL},
    {"dtype", get_dtype, NULL, "The elements' data type, a DataType.", NULL},
    {"device", get_device, NULL, "Where the elements are, a Device.", NULL},
    {"ndim", get_ndim, NULL, "How many dimensions there are.", NULL},
    {"size", get_size, NULL, "How many elements there are.", NULL},
    {"nbytes", get_nbytes, NULL, "How many bytes the elements take.", NULL},
    {"address", get_address, NULL, "The address of the first element, on its device; good while the memory lives.",
     NULL},
    {"readonly", get_readonly, NULL, "Whether the elements cannot be written.", NULL},
    {"T", core_ndarray_get_transposed, NULL, "The array with its dimensions in reverse order, without a copy.", NULL},
    {"__array_interface__", core_ndarray_get_interface, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

#define CALL(function) ((PyCFunction)(void (*)(void))(function))
static PyMethodDef ndarray_methods[] = {
    {"empty", CALL(core_ndarray_empty), METH_CLASS | METH_VARARGS | METH_KEYWORDS,
     "empty($type, shape, dtype, device='cpu', alignment=64)\n--\n\n"
     "A new array in C order, whose elements are whatever the memory held. Its first element's address is a multiple "
     "of\n"
     "*alignment*, a power of two."},
    {"zeros", CALL(core_ndarray_zeros), METH_CLASS | METH_VARARGS | METH_KEYWORDS,
     "zeros($type, shape, dtype, device='cpu', alignment=64)\n--\n\nAs empty, with all elements zero."},
    {"_restore", core_ndarray_restore, METH_CLASS | METH_VARARGS, NULL},
    {"is_contiguous", ndarray_is_contiguous, METH_NOARGS,
     "is_contiguous($self, /)\n--\n\nWhether the elements lie in C order without gaps; no elements always do."},
    {"numel", ndarray_numel, METH_NOARGS, "numel($self, /)\n--\n\nHow many elements there are, as size."},
    {"data_ptr", ndarray_data_ptr, METH_NOARGS,
     "data_ptr($self, /)\n--\n\nThe address of the first element, as address."},
    {"copy", core_ndarray_copy, METH_NOARGS,
     "copy($self, /)\n--\n\nThe elements in C order, in new memory that can be written."},
    {"reshape", core_ndarray_reshape, METH_VARARGS,
     "reshape($self, /, *shape)\n--\n\n"
     "The same elements in another shape, without a copy; -1 stands for the length that follows from the others.\n"
     "ValueError where it would take a copy."},
    {"transpose", core_ndarray_transpose, METH_VARARGS,
     "transpose($self, /, *axes)\n--\n\nThe dimensions in that order, or reversed, without a copy."},
    {"item", core_ndarray_only_item, METH_NOARGS, "item($self, /)\n--\n\nThe one element, as a Python number."},
    {"tolist", core_ndarray_tolist, METH_NOARGS,
     "tolist($self, /)\n--\n\nThe elements as nested lists of Python numbers."},
    {"numpy", core_ndarray_numpy, METH_NOARGS,
     "numpy($self, /)\n--\n\n"
     "A NumPy array of the same memory, read-only where this one is. Lanes are its last dimension. BufferError where "
     "the\n"
     "elements are on another device, TypeError where NumPy has no such data type."},
    {"to_python", core_ndarray_numpy, METH_NOARGS, "to_python($self, /)\n--\n\nAs numpy()."},
    {"__array__", CALL(core_ndarray_array), METH_VARARGS | METH_KEYWORDS, NULL},
    {"__dlpack__", CALL(core_ndarray_dlpack), METH_VARARGS | METH_KEYWORDS,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "A capsule of DLPack's, of version 1 where max_version allows it."},
    {"__dlpack_device__", core_ndarray_dlpack_device, METH_NOARGS, NULL},
    {"__copy__", core_ndarray_copy, METH_NOARGS, NULL},
    {"__deepcopy__", core_ndarray_copy, METH_O, NULL},
    {"__reduce__", core_ndarray_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyNumberMethods ndarray_number = {.nb_bool = ndarray_bool, .nb_int = ndarray_int};
static PySequenceMethods ndarray_sequence = {.sq_length = ndarray_length, .sq_item = core_ndarray_item};
static PyMappingMethods ndarray_mapping = {
    .mp_length = ndarray_length, .mp_subscript = core_ndarray_subscript, .mp_ass_subscript = core_ndarray_assign};

PyDoc_STRVAR(
    ndarray_doc,
    "An array in native memory, on whatever device, as DLPack describes one.\n\n"
    "Made by NDArray.empty, NDArray.zeros, from_dlpack and native code. Slices, reshape and transpose are views of the "
    "same\n"
    "memory, which lives as long as any of them; a full index gives a Python number. == and != compare element by\n"
    "element, as NumPy does, and give a NumPy array; an array hashes as itself. NDArray(array), and a class derived "
    "from\n"
    "it, make one on the memory of an array of ours or NumPy's; TypeError for others. Pickles have the elements, "
    "strides\n"
    "count elements.\n\n"
    ">>> import jitffi\n"
    ">>> a = jitffi.NDArray.zeros((2, 3), 'int32')\n"
    ">>> a[0, 1:] = 7\n"
    ">>> a, a.T[2, 0], a[:, ::2].strides\n"
    "(NDArray([[0, 7, 7], [0, 0, 0]], 'int32'), 7, (3, 2))");

/* For classes that Python code derives: an object of theirs on the memory of an array, or of NumPy's. */
static PyObject* ndarray_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  PyObject* source;
  (void)keywords;
  if (!PyArg_ParseTuple(args, "O:NDArray", &source)) return NULL;
  jf_object* made = NULL;
  if (PyObject_TypeCheck(source, &core_ndarray_type)) {
    jf_object* object = core_wrapper_get(source);
    if (object == NULL) return NULL;
    const jf_ndarray* array = (const jf_ndarray*)(const void*)object;
    made = jf_ndarray_view(object, array->tensor.ndim, array->tensor.shape, array->tensor.strides, 0);
    if (made == NULL) core_error_raise(NULL);
  } else {
    made = core_ndarray_of_numpy(source);
  }
  if (made != NULL) return core_wrapper_make(type, made);
  if (!PyErr_Occurred())
    PyErr_Format(PyExc_TypeError, "NDArray: expected an array, got %.200s", Py_TYPE(source)->tp_name);
  return NULL;
}

static Py_hash_t ndarray_hash(PyObject* self) { return core_object_type.tp_hash(self); }

PyTypeObject core_ndarray_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.NDArray",
    .tp_doc = ndarray_doc,
    .tp_basicsize = sizeof(core_open_wrapper),
    .tp_base = &core_object_type,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = ndarray_new,
    .tp_dealloc = core_wrapper_dealloc,
    .tp_hash = ndarray_hash,
    .tp_repr = ndarray_repr,
    .tp_richcompare = ndarray_compare,
    .tp_iter = ndarray_iter,
    .tp_as_number = &ndarray_number,
    .tp_as_sequence = &ndarray_sequence,
    .tp_as_mapping = &ndarray_mapping,
    .tp_as_buffer = &core_ndarray_buffer,
    .tp_getset = ndarray_getset,
    .tp_methods = ndarray_methods,
};

/* 0, or -1 with an exception. */
int core_ndarray_init(PyObject* module) {
  if (core_type_ready(&core_ndarray_type) != 0 || core_wrapper_class(JF_NDARRAY, &core_ndarray_type) != 0) return -1;
  if (core_ndarray_exchange_init() != 0) return -1;
  core_numpy_object = core_ndarray_of_numpy;
  core_exporter_object = core_ndarray_of_exporter;
  core_ndarray_reader = core_read_ndarray;
  return PyModule_AddObjectRef(module, "NDArray", (PyObject*)&core_ndarray_type);
}
