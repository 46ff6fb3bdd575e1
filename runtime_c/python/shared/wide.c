/* Numbers that no word of 64 bits holds, between Python's objects and their bytes.
 *
 * A long double is Python's float: it is rounded on the way to Python, and beyond a float's range an OverflowError. Bytes
 * may lie anywhere, and are copied.
 */
#include "wide.h"
#include "error.h"
#include "foreign.h"
#include "raise.h"
#include "unbox.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(long double) <= CORE_WIDE_MOST, "room for a long double");

int32_t core_wide_size(int32_t kind) {
  if (kind == JF_KIND_LONGDOUBLE) return (int32_t)sizeof(long double);
  return kind == JF_KIND_C64 ? (int32_t)sizeof(float[2]) : CORE_WIDE_MOST;
}

/* -- integers of 128 bits: the lower word comes first -------------------------------------------------------------------- */

static const char* range_of(int32_t kind) {
  return kind == JF_KIND_I128 ? " (-170141183460469231731687303715884105728 to 170141183460469231731687303715884105727)"
                              : " (0 to 340282366920938463463374607431768211455)";
}

/* number >> 64, or a PyLong of the high word << 64: as int does it, whatever a derived class has in its place. */
static PyObject* shifted(PyObject* number, binaryfunc shift) {
  PyObject* bits = number != NULL ? PyLong_FromLong(64) : NULL;
  PyObject* made = bits != NULL ? shift(number, bits) : NULL;
  Py_XDECREF(bits);
  return made;
}

/* 1: it fits; 0; -1 with an exception. */
static int words_of(PyObject* number, int32_t kind, uint64_t words[2]) {
  int overflow = 0;
  PyObject* high = shifted(number, PyLong_Type.tp_as_number->nb_rshift);
  if (high == NULL) return -1;
  words[0] = PyLong_AsUnsignedLongLongMask(number);
  words[1] = (uint64_t)PyLong_AsLongLongAndOverflow(high, &overflow);
  int fits = overflow == 0 && (kind == JF_KIND_I128 || (int64_t)words[1] >= 0);
  if (overflow > 0 && kind == JF_KIND_U128) {
    words[1] = PyLong_AsUnsignedLongLong(high);
    fits = !PyErr_Occurred();
    PyErr_Clear();
  }
  Py_DECREF(high);
  return fits;
}

static int32_t unbox_integer(core_state* state, int32_t index, PyObject* object, int32_t kind, void* out) {
  uint64_t words[2];
  PyObject* number = core_as_int(object);
  if (number == NULL && !PyErr_Occurred()) number = core_number_said(object, CORE_AS_INT);
  if (number == NULL) return core_raise_unconverted(state, index, object);
  const int fits = words_of(number, kind, words);
  if (fits == 0) core_raise_value(state, index, PyExc_OverflowError, range_of(kind), number);
  Py_DECREF(number);
  memcpy(out, words, sizeof words);
  return fits > 0 ? 0 : -1;
}

static PyObject* read_integer(int32_t kind, const char* at) {
  uint64_t words[2];
  memcpy(words, at, sizeof words);
  const int64_t high = (int64_t)words[1];
  if (high == 0) return PyLong_FromUnsignedLongLong(words[0]);
  const int is_signed = kind == JF_KIND_I128;
  PyObject* upper = is_signed ? PyLong_FromLongLong(high) : PyLong_FromUnsignedLongLong(words[1]);
  PyObject* lower = PyLong_FromUnsignedLongLong(words[0]);
  PyObject* moved = shifted(upper, PyLong_Type.tp_as_number->nb_lshift);
  PyObject* made = moved != NULL && lower != NULL ? PyNumber_Or(moved, lower) : NULL;
  Py_XDECREF(upper);
  Py_XDECREF(lower);
  Py_XDECREF(moved);
  return made;
}

/* -- long double ----------------------------------------------------------------------------------------------------------- */

static int32_t unbox_long_double(core_state* state, int32_t index, PyObject* object, void* out) {
  double value;
  if (core_unbox_scalar(state, index, object, JF_KIND_F64, &value) != 0) return -1;
  const long double wide = value;
  memset(out, 0, sizeof wide); /* not all bytes need be its own */
  memcpy(out, &wide, sizeof wide);
  return 0;
}

static PyObject* read_long_double(const char* at) {
  long double value;
  memcpy(&value, at, sizeof value);
  const double rounded = (double)value;
  if (!isinf(rounded) || isinf(value)) return PyFloat_FromDouble(rounded);
  char text[64];
  PyOS_snprintf(text, sizeof text, "%.6Lg", value);
  return PyErr_Format(PyExc_OverflowError, "longdouble %s is beyond the range of float", text);
}

/* -- complex numbers --------------------------------------------------------------------------------------------------------- */

/* Numbers of NumPy's have a __complex__, and so do all that are meant to be complex; text has none. */
static int has_complex(PyObject* object) {
  return PyObject_HasAttrString((PyObject*)Py_TYPE(object), "__complex__") && !PyType_Check(object);
}

static int32_t unbox_complex(core_state* state, int32_t index, PyObject* object, int32_t kind, void* out);

/* The same for what an object says by a value protocol; 1: it says nothing. */
static int32_t unbox_complex_said(core_state* state, int32_t index, PyObject* object, int32_t kind, void* out) {
  if (core_is_number(object)) return 1;
  PyObject* said = core_protocol_value(object, CORE_AS_FLOAT);
  if (said == NULL) return PyErr_Occurred() ? -1 : 1;
  int32_t status = -1;
  if (Py_EnterRecursiveCall(" in a value protocol") == 0) {
    status = unbox_complex(state, index, said, kind, out);
    Py_LeaveRecursiveCall();
  }
  Py_DECREF(said);
  return status;
}

static int32_t unbox_complex(core_state* state, int32_t index, PyObject* object, int32_t kind, void* out) {
  Py_complex number = {0, 0};
  int32_t status = 1;
  if (PyComplex_Check(object) || has_complex(object)) {
    number = PyComplex_AsCComplex(object);
    if (number.real == -1.0 && PyErr_Occurred()) {
      core_raise_conversion(state, index);
      return -1;
    }
  } else if ((status = unbox_complex_said(state, index, object, kind, out)) != 1) {
    return status;
  } else if (core_unbox_scalar(state, index, object, JF_KIND_F64, &number.real) != 0) {
    return -1;
  }
  if (kind == JF_KIND_C128) {
    memcpy(out, &number, sizeof number);
    return 0;
  }
  const float parts[2] = {(float)number.real, (float)number.imag};
  memcpy(out, parts, sizeof parts);
  if ((!isinf(parts[0]) || isinf(number.real)) && (!isinf(parts[1]) || isinf(number.imag))) return 0;
  core_raise_value(state, index, PyExc_OverflowError, " (parts from -3.4028235e+38 to 3.4028235e+38)", object);
  return -1;
}

static PyObject* read_complex(int32_t kind, const char* at) {
  double parts[2];
  float narrow[2];
  if (kind == JF_KIND_C128) {
    memcpy(parts, at, sizeof parts);
    return PyComplex_FromDoubles(parts[0], parts[1]);
  }
  memcpy(narrow, at, sizeof narrow);
  return PyComplex_FromDoubles((double)narrow[0], (double)narrow[1]);
}

/* -- all ----------------------------------------------------------------------------------------------------------------------- */

int32_t core_unbox_wide(core_state* state, int32_t index, PyObject* object, int32_t kind, void* out) {
  switch (kind) {
    case JF_KIND_LONGDOUBLE:
      return unbox_long_double(state, index, object, out);
    case JF_KIND_I128:
    case JF_KIND_U128:
      return unbox_integer(state, index, object, kind, out);
    default:
      return unbox_complex(state, index, object, kind, out);
  }
}

PyObject* core_wide_read(int32_t kind, const char* at) {
  switch (kind) {
    case JF_KIND_LONGDOUBLE:
      return read_long_double(at);
    case JF_KIND_I128:
    case JF_KIND_U128:
      return read_integer(kind, at);
    default:
      return read_complex(kind, at);
  }
}

PyObject* core_box_wide(core_state* state, int32_t index, int32_t kind, const void* at) {
  PyObject* made = core_wide_read(kind, at);
  if (made == NULL) core_raise_context(state, index);
  return made;
}
