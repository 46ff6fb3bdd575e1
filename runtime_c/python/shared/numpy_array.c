/* NumPy's arrays, read from their fields. Where these are is looked at once, in an array that is known; if it is not as
 * expected, arrays are read through the buffer protocol like all others.
 *
 * NumPy is never imported here: the first array that comes says that it is there.
 */
#include "numpy_array.h"

#include <string.h>

core_numpy_types core_numpy;

/* The start of PyArray_Descr (numpy/ndarraytypes.h, npy_2_compat.h): the same in 1.x and 2.x. */
typedef struct {
  PyObject header;
  PyTypeObject* type;
  char kind, letter, byte_order, former_flags;
  int type_num;
} numpy_descr;

/* By NPY_TYPES, which are part of NumPy's ABI: those that are elements. */
static const struct {
  uint8_t code;
  uint8_t bytes;
} numbers[] = {
    [0] = {JF_DL_BOOL, 1},
    [1] = {JF_DL_INT, 1},
    [2] = {JF_DL_UINT, 1},
    [3] = {JF_DL_INT, 2},
    [4] = {JF_DL_UINT, 2},
    [5] = {JF_DL_INT, 4},
    [6] = {JF_DL_UINT, 4},
    [7] = {JF_DL_INT, sizeof(long)},
    [8] = {JF_DL_UINT, sizeof(long)},
    [9] = {JF_DL_INT, 8},
    [10] = {JF_DL_UINT, 8},
    [11] = {JF_DL_FLOAT, 4},
    [12] = {JF_DL_FLOAT, 8},
    [14] = {JF_DL_COMPLEX, 8},
    [15] = {JF_DL_COMPLEX, 16},
    [23] = {JF_DL_FLOAT, 2},
};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

#define TEXT(name, text) text,
static const char* const names[] = {CORE_NUMPY_ELEMENTS(TEXT)};

/* -- the first array -- */

static enum { UNKNOWN, FOUND, UNUSABLE } state;

static int is_swapped(const PyObject* descr) { return ((const numpy_descr*)(const void*)descr)->byte_order == '>'; }

/* The fields of an array of float32[2, 3] that was made for this, after NumPy has said what is in them. */
static int fields_fit(PyObject* probe, PyObject* descr) {
  const core_ndarray* array = (const core_ndarray*)(const void*)probe;
  const numpy_descr* float32 = (const numpy_descr*)(const void*)descr;
  PyObject* ctypes = PyObject_GetAttrString(probe, "__array_interface__");
  PyObject* data = ctypes != NULL && PyDict_Check(ctypes) ? PyDict_GetItemString(ctypes, "data") : NULL;
  PyObject* address = data != NULL && PyTuple_Check(data) ? PyTuple_GetItem(data, 0) : NULL;
  const int fits = address != NULL && PyLong_AsVoidPtr(address) == array->data && array->nd == 2 &&
                   array->dimensions[0] == 2 && array->dimensions[1] == 3 && array->strides[0] == 12 &&
                   array->strides[1] == 4 && array->descr == descr &&
                   (array->flags & (CORE_NDARRAY_C | CORE_NDARRAY_F | CORE_NDARRAY_ALIGNED | CORE_NDARRAY_WRITEABLE)) ==
                       (CORE_NDARRAY_C | CORE_NDARRAY_ALIGNED | CORE_NDARRAY_WRITEABLE) &&
                   float32->kind == 'f' && float32->byte_order == '=' && float32->type_num == 11;
  Py_XDECREF(ctypes);
  return fits;
}

static int probe(PyTypeObject* ndarray, PyObject* descr) {
  PyObject* array = PyObject_CallFunction((PyObject*)ndarray, "(ii)O", 2, 3, descr);
  const int fits = array != NULL && Py_TYPE(array) == ndarray && fields_fit(array, descr);
  Py_XDECREF(array);
  return fits;
}

/* `ndarray` is the class that calls itself so: it is the one if NumPy says the same. */
static void load(PyTypeObject* ndarray) {
  PyObject* key = PyUnicode_FromString("numpy");
  PyObject* numpy = key != NULL ? PyImport_GetModule(key) : NULL;
  PyObject* own = numpy != NULL ? PyObject_GetAttrString(numpy, "ndarray") : NULL;
  PyObject* dtype = own == (PyObject*)ndarray ? PyObject_GetAttrString(numpy, "dtype") : NULL;
  if (dtype != NULL) {
    core_numpy_types found = {NULL, {NULL}};
    for (int i = 0; i <= CORE_NUMPY_c128; i++) found.descr[i] = PyObject_CallFunction(dtype, "s", names[i]);
    state = found.descr[CORE_NUMPY_f32] != NULL && probe(ndarray, found.descr[CORE_NUMPY_f32]) ? FOUND : UNUSABLE;
    if (state == FOUND) {
      core_numpy = found;
      core_numpy.ndarray = (PyTypeObject*)Py_NewRef((PyObject*)ndarray);
    }
  }
  PyErr_Clear();
  Py_XDECREF(dtype);
  Py_XDECREF(own);
  Py_XDECREF(numpy);
  Py_XDECREF(key);
}

static int is_ndarray(PyTypeObject* type) {
  if (state == FOUND) return type == core_numpy.ndarray || PyType_IsSubtype(type, core_numpy.ndarray);
  if (state == UNUSABLE) return 0;
  while (type != NULL && strcmp(type->tp_name, "numpy.ndarray") != 0) type = type->tp_base;
  if (type == NULL) return 0;
  load(type);
  return state == FOUND;
}

/* -- dtypes -- */

/* The last dtype that had to be asked, which is kept, and what it has said. */
static struct {
  PyObject* descr;
  int64_t item_size;
  int is_opaque;
} asked;

/* A dtype that another package has added (ml_dtypes): known by its name, and from then on by itself. */
static void read_added(PyObject* descr, jf_array* out) {
  for (int i = CORE_NUMPY_bf16; i < CORE_NUMPY_COUNT; i++)
    if (descr == core_numpy.descr[i]) {
      jf_dtype_parse(names[i], strlen(names[i]), &out->dtype);
      out->item_size = out->dtype.bits / 8;
      return;
    }
  if (descr == asked.descr) {
    out->item_size = asked.item_size;
    if (asked.is_opaque) out->flags |= JF_ARRAY_OPAQUE;
    return;
  }
  PyObject* name = PyObject_GetAttrString(descr, "name");
  PyObject* size = name != NULL ? PyObject_GetAttrString(descr, "itemsize") : NULL;
  PyObject* has_objects = size != NULL ? PyObject_GetAttrString(descr, "hasobject") : NULL;
  const char* text = has_objects != NULL && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
  out->item_size = text != NULL ? PyLong_AsLongLong(size) : 0;
  const int is_opaque = text == NULL || has_objects != Py_False;
  if (is_opaque) out->flags |= JF_ARRAY_OPAQUE;
  for (int i = CORE_NUMPY_bf16; i < CORE_NUMPY_COUNT && text != NULL; i++)
    if (strcmp(text, names[i]) == 0 && jf_dtype_parse(text, strlen(text), &out->dtype) == 0) {
      if (out->dtype.bits != 8 * out->item_size)
        out->dtype.lanes = 0;
      else if (core_numpy.descr[i] == NULL && !is_swapped(descr))
        core_numpy.descr[i] = Py_NewRef(descr);
    }
  if (out->dtype.lanes == 0 && text != NULL && !PyErr_Occurred()) {
    asked.item_size = out->item_size;
    asked.is_opaque = is_opaque;
    Py_XSETREF(asked.descr, Py_NewRef(descr));
  }
  PyErr_Clear();
  Py_XDECREF(name);
  Py_XDECREF(size);
  Py_XDECREF(has_objects);
}

static void read_dtype(PyObject* descr, core_array* out) {
  const numpy_descr* fields = (const numpy_descr*)(const void*)descr;
  jf_array* array = &out->array;
  if (fields->type_num >= 0 && fields->type_num < NUMBERS && numbers[fields->type_num].bytes) {
    const uint8_t bytes = numbers[fields->type_num].bytes;
    array->dtype = (jf_dtype){numbers[fields->type_num].code, (uint8_t)(8 * bytes), 1};
    array->item_size = bytes;
  } else {
    read_added(descr, array);
    if (array->dtype.lanes == 0) out->descr = descr;
  }
  if (is_swapped(descr)) array->flags |= JF_ARRAY_SWAPPED;
}

int core_numpy_read(PyObject* object, core_array* out) {
  PyTypeObject* type = Py_TYPE(object);
  if (!is_ndarray(type)) return 0;
  if (type != core_numpy.ndarray && (type->tp_as_buffer == NULL || type->tp_as_buffer->bf_getbuffer !=
                                                                       core_numpy.ndarray->tp_as_buffer->bf_getbuffer))
    return 0;
  const core_ndarray* fields = (const core_ndarray*)(const void*)object;
  core_array_init(out, fields->data);
  out->array.ndim = fields->nd;
  out->array.shape = fields->dimensions;
  out->array.strides = fields->strides;
  if (!(fields->flags & CORE_NDARRAY_WRITEABLE)) out->array.flags = JF_ARRAY_READ_ONLY;
  read_dtype(fields->descr, out);
  return 1;
}

int core_is_numpy_scalar(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  while (type != NULL && strcmp(type->tp_name, "numpy.generic") != 0) type = type->tp_base;
  return type != NULL;
}
