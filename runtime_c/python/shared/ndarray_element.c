/* One element of an array: memory to a Python number and back, and the formats of the struct module.
 *
 * What goes in is exact: no float into an integer, no number that does not fit. Types of less than a C number's exactness
 * (float8) are read and written by NumPy with ml_dtypes.
 */
#include "dlpack.h"
#include "foreign.h"
#include "jitffi/runtime.h"
#include "ndarray_object.h"
#include "unbox.h"

#include <math.h>
#include <string.h>

/* By bits: 8, 16, 32, 64. As NumPy has it, so that its arrays get the types that its own have. */
static const char* const INTS[] = {"b", "h", "i", sizeof(long) == 8 ? "l" : "q"};
static const char* const UINTS[] = {"B", "H", "I", sizeof(long) == 8 ? "L" : "Q"};
static const char* const FLOATS[] = {NULL, "e", "f", "d"};

static int size_of(jf_dtype dtype) {
  return dtype.bits == 8 ? 0 : dtype.bits == 16 ? 1 : dtype.bits == 32 ? 2 : dtype.bits == 64 ? 3 : -1;
}

const char* core_element_format(jf_dtype dtype) {
  const int size = size_of(dtype);
  if (dtype.code == JF_DL_COMPLEX) return dtype.bits == 64 ? "Zf" : dtype.bits == 128 ? "Zd" : NULL;
  if (size < 0) return NULL;
  switch (dtype.code) {
    case JF_DL_INT:
      return INTS[size];
    case JF_DL_UINT:
      return UINTS[size];
    case JF_DL_FLOAT:
      return FLOATS[size];
    case JF_DL_BOOL:
      return size == 0 ? "?" : NULL;
    default:
      return NULL;
  }
}

/* -- what C has no number for ------------------------------------------------------------------------------------------ */

/* New: NumPy's dtype of one lane. */
static PyObject* numpy_dtype(jf_dtype dtype) {
  PyObject* boxed = core_box_dtype((jf_dtype){dtype.code, dtype.bits, 1});
  PyObject* made = boxed != NULL ? PyObject_CallMethod(boxed, "numpy", NULL) : NULL;
  Py_XDECREF(boxed);
  return made;
}

static PyObject* get_by_numpy(jf_dtype dtype, const char* at) {
  PyObject* type = numpy_dtype(dtype);
  PyObject* numpy = type != NULL ? PyImport_ImportModule("numpy") : NULL;
  PyObject* array =
      numpy != NULL ? PyObject_CallMethod(numpy, "frombuffer", "y#O", at, (Py_ssize_t)dtype.bits / 8, type) : NULL;
  PyObject* item = array != NULL ? PySequence_GetItem(array, 0) : NULL;
  PyObject* number = item != NULL ? PyNumber_Float(item) : NULL;
  Py_XDECREF(item);
  Py_XDECREF(array);
  Py_XDECREF(numpy);
  Py_XDECREF(type);
  return number;
}

static int set_by_numpy(jf_dtype dtype, char* at, PyObject* value) {
  PyObject* type = numpy_dtype(dtype);
  PyObject* numpy = type != NULL ? PyImport_ImportModule("numpy") : NULL;
  PyObject* array = numpy != NULL ? PyObject_CallMethod(numpy, "array", "OO", value, type) : NULL;
  PyObject* bytes = array != NULL ? PyObject_CallMethod(array, "tobytes", NULL) : NULL;
  const int fits = bytes != NULL && PyBytes_Check(bytes) && PyBytes_GET_SIZE(bytes) == dtype.bits / 8;
  if (fits) memcpy(at, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
  if (!fits && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "NDArray: expected a number");
  Py_XDECREF(bytes);
  Py_XDECREF(array);
  Py_XDECREF(numpy);
  Py_XDECREF(type);
  return fits ? 0 : -1;
}

/* Opaque handles are read as integers, which end at 64 bits; lanes may share bytes. 0, or -1 with TypeError. */
static int check_lane(jf_dtype dtype) {
  char name[JF_DTYPE_SIZE];
  if (dtype.bits % 8 == 0 && (dtype.code != JF_DL_HANDLE || dtype.bits <= 64)) return 0;
  jf_dtype_format(dtype, name, sizeof name);
  PyErr_Format(PyExc_TypeError, "NDArray: no Python value is an element of %s", name);
  return -1;
}

/* -- reading ----------------------------------------------------------------------------------------------------------- */

#define READ(type, name) \
  type name;             \
  memcpy(&name, at, sizeof name)

static PyObject* get_integer(jf_dtype dtype, const char* at) {
  int64_t value = 0;
  memcpy(&value, at, dtype.bits / 8); /* little-endian */
  if (dtype.code != JF_DL_INT) return PyLong_FromUnsignedLongLong((unsigned long long)value);
  const int unused = 64 - dtype.bits;
  return PyLong_FromLongLong((int64_t)((uint64_t)value << unused) >> unused);
}

static PyObject* get_float(int bits, const char* at) {
  READ(uint16_t, half);
  if (bits == 16) return PyFloat_FromDouble(jf_f64_from_f16(half));
  if (bits == 32) {
    READ(float, single);
    return PyFloat_FromDouble(single);
  }
  READ(double, whole);
  return PyFloat_FromDouble(whole);
}

static PyObject* get_complex(int bits, const char* at) {
  if (bits == 64) {
    float parts[2];
    memcpy(parts, at, sizeof parts);
    return PyComplex_FromDoubles(parts[0], parts[1]);
  }
  double parts[2];
  memcpy(parts, at, sizeof parts);
  return PyComplex_FromDoubles(parts[0], parts[1]);
}

static int is_bfloat16(jf_dtype dtype) { return dtype.code == JF_DL_BFLOAT && dtype.bits == 16; }

static PyObject* get_lane(jf_dtype dtype, const char* at) {
  if (is_bfloat16(dtype)) {
    READ(uint16_t, half);
    return PyFloat_FromDouble(jf_f64_from_bf16(half));
  }
  if (core_element_format(dtype) == NULL && dtype.code != JF_DL_HANDLE) return get_by_numpy(dtype, at);
  switch (dtype.code) {
    case JF_DL_BOOL:
      return PyBool_FromLong(*at != 0);
    case JF_DL_FLOAT:
      return get_float(dtype.bits, at);
    case JF_DL_COMPLEX:
      return get_complex(dtype.bits, at);
    default:
      return get_integer(dtype, at);
  }
}

PyObject* core_element_get(jf_dtype dtype, const char* at) {
  if (check_lane(dtype) != 0) return NULL;
  if (dtype.lanes == 1) return get_lane(dtype, at);
  PyObject* lanes = PyTuple_New(dtype.lanes);
  for (int i = 0; lanes != NULL && i < dtype.lanes; i++) {
    PyObject* lane = get_lane(dtype, at + i * (dtype.bits / 8));
    if (lane == NULL)
      Py_CLEAR(lanes);
    else
      PyTuple_SET_ITEM(lanes, i, lane);
  }
  return lanes;
}

/* -- writing ----------------------------------------------------------------------------------------------------------- */

static int fail(PyObject* exception, jf_dtype dtype, PyObject* value) {
  char name[JF_DTYPE_SIZE];
  jf_dtype_format(dtype, name, sizeof name);
  if (!PyErr_Occurred()) {
    if (exception == PyExc_OverflowError)
      PyErr_Format(exception, "NDArray: expected %s, got %.200R", name, value);
    else
      PyErr_Format(exception, "NDArray: expected %s, got %.200s", name, Py_TYPE(value)->tp_name);
  }
  return -1;
}

static int set_integer(jf_dtype dtype, char* at, PyObject* value) {
  PyObject* number = core_as_int(value);
  if (number == NULL) return fail(PyExc_TypeError, dtype, value);
  int overflow = 0;
  int64_t bits = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow > 0 && dtype.code != JF_DL_INT) {
    bits = (int64_t)PyLong_AsUnsignedLongLong(number);
    overflow = PyErr_Occurred() != NULL;
    PyErr_Clear();
    if (dtype.bits < 64) overflow = 1;
  } else if (overflow == 0 && dtype.code != JF_DL_INT) {
    overflow = bits < 0 || (dtype.bits < 64 && bits >> dtype.bits != 0);
  } else if (overflow == 0 && dtype.bits < 64) {
    const int64_t most = ((int64_t)1 << (dtype.bits - 1)) - 1;
    overflow = bits > most || bits < -most - 1;
  }
  Py_DECREF(number);
  if (overflow != 0) return fail(PyExc_OverflowError, dtype, value);
  memcpy(at, &bits, dtype.bits / 8);
  return 0;
}

/* *overflow: a finite number that the type has no place for. */
static void put_float(jf_dtype dtype, double value, char* at, int32_t* overflow) {
  if (dtype.bits == 16) {
    const uint16_t half =
        dtype.code == JF_DL_BFLOAT ? jf_bf16_from_f64(value, overflow) : jf_f16_from_f64(value, overflow);
    memcpy(at, &half, sizeof half);
  } else if (dtype.bits == 32) {
    const float single = (float)value;
    if (isinf(single) && !isinf(value)) *overflow = 1;
    memcpy(at, &single, sizeof single);
  } else {
    memcpy(at, &value, sizeof value);
  }
}

static int set_float(jf_dtype dtype, char* at, PyObject* value) {
  int32_t overflow = 0;
  char bytes[sizeof(double)];
  if (!core_is_number(value)) return fail(PyExc_TypeError, dtype, value);
  const double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred()) return -1;
  put_float(dtype, number, bytes, &overflow);
  if (overflow) return fail(PyExc_OverflowError, dtype, value);
  memcpy(at, bytes, dtype.bits / 8);
  return 0;
}

static int set_complex(jf_dtype dtype, char* at, PyObject* value) {
  const jf_dtype part = {JF_DL_FLOAT, dtype.bits / 2, 1};
  int32_t overflow = 0;
  char bytes[2 * sizeof(double)];
  if (!PyComplex_Check(value) && core_numpy_kind(value) != CORE_NUMPY_COMPLEX && !core_is_number(value))
    return fail(PyExc_TypeError, dtype, value);
  const Py_complex number = PyComplex_AsCComplex(value);
  if (number.real == -1.0 && PyErr_Occurred()) return -1;
  put_float(part, number.real, bytes, &overflow);
  put_float(part, number.imag, bytes + part.bits / 8, &overflow);
  if (overflow) return fail(PyExc_OverflowError, dtype, value);
  memcpy(at, bytes, dtype.bits / 8);
  return 0;
}

static int set_bool(jf_dtype dtype, char* at, PyObject* value) {
  if (!PyBool_Check(value) && core_numpy_kind(value) != CORE_NUMPY_BOOL) return fail(PyExc_TypeError, dtype, value);
  const int truth = PyObject_IsTrue(value);
  if (truth < 0) return -1;
  *at = (char)truth;
  return 0;
}

static int set_lane(jf_dtype dtype, char* at, PyObject* value) {
  if (is_bfloat16(dtype)) return set_float(dtype, at, value);
  if (core_element_format(dtype) == NULL && dtype.code != JF_DL_HANDLE)
    return core_is_number(value) ? set_by_numpy(dtype, at, value) : fail(PyExc_TypeError, dtype, value);
  switch (dtype.code) {
    case JF_DL_BOOL:
      return set_bool(dtype, at, value);
    case JF_DL_FLOAT:
      return set_float(dtype, at, value);
    case JF_DL_COMPLEX:
      return set_complex(dtype, at, value);
    default:
      return set_integer(dtype, at, value);
  }
}

int core_element_set(jf_dtype dtype, char* at, PyObject* value) {
  if (check_lane(dtype) != 0) return -1;
  if (dtype.lanes == 1) return set_lane(dtype, at, value);
  PyObject* lanes = PyTuple_Check(value) || PyList_Check(value) ? PySequence_Tuple(value) : NULL;
  if (lanes == NULL || PyTuple_GET_SIZE(lanes) != dtype.lanes) {
    Py_XDECREF(lanes);
    return fail(PyExc_TypeError, dtype, value);
  }
  int status = 0;
  for (int i = 0; status == 0 && i < dtype.lanes; i++)
    status = set_lane((jf_dtype){dtype.code, dtype.bits, 1}, at + i * (dtype.bits / 8), PyTuple_GET_ITEM(lanes, i));
  Py_DECREF(lanes);
  return status;
}
