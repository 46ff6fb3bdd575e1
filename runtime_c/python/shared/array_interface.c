/* Arrays by __array_interface__ (NumPy reference, "The array interface protocol", version 3): a dict with the address of the
 * memory or an object that exports it, and the type, shape and strides of what lies there.
 */
#include "array.h"
#include "foreign.h"
#include "unbox.h"

#include <string.h>

/* -1 with TypeError. */
static int fail(const char* what) {
  PyErr_Format(PyExc_TypeError, "__array_interface__ has no %s that an array has", what);
  return -1;
}

/* The dict's value, or NULL where there is none or it is None: kept in temps, since code that runs meanwhile may change the dict.
 * 0, or -1 with an exception. */
static int get(PyObject* dict, const char* name, PyObject** out, jf_temps* temps) {
  PyObject* key = PyUnicode_FromString(name);
  *out = key != NULL ? PyDict_GetItemWithError(dict, key) : NULL;
  Py_XDECREF(key);
  if (*out == Py_None) *out = NULL;
  if (*out == NULL) return PyErr_Occurred() ? -1 : 0;
  return core_keep_python(temps, Py_NewRef(*out));
}

/* 1; -1 with an exception. */
static int read_integer(PyObject* object, int64_t* out, const char* what) {
  PyObject* number = core_as_int(object);
  if (number == NULL) return PyErr_Occurred() ? -1 : fail(what);
  *out = PyLong_AsLongLong(number);
  Py_DECREF(number);
  return *out == -1 && PyErr_Occurred() ? -1 : 1;
}

/* The same of a tuple of integers. */
static int read_tuple(PyObject* tuple, int64_t* out, int32_t* count, const char* what) {
  if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) > JF_MAX_RANK) return fail(what);
  *count = (int32_t)PyTuple_GET_SIZE(tuple);
  for (int32_t i = 0; i < *count; i++)
    if (read_integer(PyTuple_GET_ITEM(tuple, i), &out[i], what) < 0) return -1;
  return 1;
}

/* "<f4": byte order, kind, bytes. */
static int read_type(PyObject* text, core_array* out) {
  static const char kinds[] = "iufcb";
  static const uint8_t codes[] = {JF_DL_INT, JF_DL_UINT, JF_DL_FLOAT, JF_DL_COMPLEX, JF_DL_BOOL};
  const char* type = text != NULL && PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : NULL;
  if (type == NULL || type[0] == 0 || type[1] == 0) return PyErr_Occurred() ? -1 : fail("type");
  char* end;
  const long long bytes = strtoll(type + 2, &end, 10);
  const char* kind = strchr(kinds, type[1]);
  out->array.item_size = bytes > 0 && *end == 0 ? bytes : 0;
  if (kind != NULL && bytes > 0 && bytes <= 16 && *end == 0) {
    out->array.dtype = (jf_dtype){codes[kind - kinds], (uint8_t)(8 * bytes), 1};
    if (*type == '>' && bytes > 1) out->array.flags |= JF_ARRAY_SWAPPED;
  } else {
    out->format = type; /* of a str that the dict has, which is kept */
    if (type[1] == 'O') out->array.flags |= JF_ARRAY_OPAQUE;
  }
  return 1;
}

static int read_address(PyObject* pair, core_array* out) {
  PyObject* number = PyTuple_GET_SIZE(pair) == 2 ? core_as_int(PyTuple_GET_ITEM(pair, 0)) : NULL; /* also above 2**63 */
  if (number == NULL) return PyErr_Occurred() ? -1 : fail("address");
  out->array.data = PyLong_AsVoidPtr(number);
  Py_DECREF(number);
  const int read_only = PyErr_Occurred() ? -1 : PyObject_IsTrue(PyTuple_GET_ITEM(pair, 1));
  if (read_only > 0) out->array.flags |= JF_ARRAY_READ_ONLY;
  return read_only < 0 ? -1 : 1;
}

/* Bytes from the first to behind the last of the array's; -1: more than there can be, or before the first. */
static int64_t extent(const jf_array* array) {
  int64_t end = array->item_size;
  for (int32_t i = 0; i < array->ndim; i++) {
    int64_t way;
    if (array->shape[i] == 0) return 0;
    if (array->shape[i] < 0 || array->strides[i] < 0 ||
        __builtin_mul_overflow(array->shape[i] - 1, array->strides[i], &way) || __builtin_add_overflow(end, way, &end))
      return -1;
  }
  return end;
}

/* The array is read but for its memory, which the exporter keeps. */
static int read_exporter(PyObject* exporter, int64_t offset, core_array* out, jf_temps* temps) {
  const Py_buffer* buffer = core_keep_view(temps, exporter, PyBUF_SIMPLE);
  if (buffer == NULL) return -1;
  const int64_t end = extent(&out->array);
  if (offset < 0 || end < 0 || offset > buffer->len || end > buffer->len - offset) return fail("memory");
  out->array.data = (char*)buffer->buf + offset;
  if (buffer->readonly) out->array.flags |= JF_ARRAY_READ_ONLY;
  return 1;
}

enum { TYPE, SHAPE, STRIDES, DATA, OFFSET, MASK, KEYS };
static const char* const keys[] = {"typestr", "shape", "strides", "data", "offset", "mask"};

static int read_items(PyObject* const* items, core_array* out, jf_temps* temps) {
  jf_array* array = &out->array;
  int32_t count = 0;
  int64_t offset = 0;
  core_array_init(out, NULL);
  if (items[MASK] != NULL) {
    PyErr_SetString(PyExc_TypeError, "__array_interface__ has a mask");
    return -1;
  }
  int status = read_type(items[TYPE], out);
  if (status > 0)
    status = items[SHAPE] != NULL ? read_tuple(items[SHAPE], out->shape, &array->ndim, "shape") : fail("shape");
  if (status < 0) return -1;
  if (items[STRIDES] == NULL)
    jf_array_contiguous_strides(array->ndim, out->shape, array->item_size, out->strides);
  else if (read_tuple(items[STRIDES], out->strides, &count, "strides") < 0 || count != array->ndim)
    return PyErr_Occurred() ? -1 : fail("strides");
  if (PyTuple_Check(items[DATA])) return read_address(items[DATA], out);
  if (items[OFFSET] != NULL && read_integer(items[OFFSET], &offset, "offset") < 0) return -1;
  return read_exporter(items[DATA], offset, out, temps);
}

int core_read_interface(PyObject* object, core_array* out, jf_temps* temps) {
  PyObject* dict = PyObject_GetAttrString(object, "__array_interface__");
  if (dict == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
  }
  if (core_keep_python(temps, dict) != 0) return -1; /* it may own the memory */
  if (!PyDict_Check(dict)) return 0;
  PyObject* items[KEYS];
  for (int i = 0; i < KEYS; i++)
    if (get(dict, keys[i], &items[i], temps) != 0) return -1;
  return items[DATA] != NULL ? read_items(items, out, temps)
                             : 0; /* without: its own buffer, which has been asked for */
}
