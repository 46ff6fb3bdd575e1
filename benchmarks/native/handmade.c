/* The extension that a careful author writes by hand: METH_FASTCALL throughout, arguments checked, exact ints, floats and None
 * on an inlined path, everything else through the API. It is the limit that all are measured against.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "plain.h"

#define ARGS PyObject *self, PyObject *const *args, Py_ssize_t given

static int wrong_arity(Py_ssize_t given, int wanted) {
  if (given == wanted) return 0;
  PyErr_Format(PyExc_TypeError, "expected %d arguments, got %zd", wanted, given);
  return 1;
}

/* An int of one or two digits is read in place. */
static inline int as_i64(PyObject* object, int64_t* out) {
  if (PyLong_CheckExact(object)) {
#if PY_VERSION_HEX >= 0x030C0000
    const PyLongObject* number = (PyLongObject*)object;
    if (PyUnstable_Long_IsCompact(number)) {
      *out = PyUnstable_Long_CompactValue(number);
      return 0;
    }
    if (number->long_value.lv_tag >> _PyLong_NON_SIZE_BITS == 2) {
      const digit* digits = number->long_value.ob_digit;
      const int64_t size = (int64_t)digits[0] | (int64_t)digits[1] << PyLong_SHIFT;
      *out = number->long_value.lv_tag & _PyLong_SIGN_MASK ? -size : size;
      return 0;
    }
#else
    const digit* digits = ((PyLongObject*)object)->ob_digit;
    switch (Py_SIZE(object)) {
      case 0:
        *out = 0;
        return 0;
      case 1:
        *out = digits[0];
        return 0;
      case -1:
        *out = -(int64_t)digits[0];
        return 0;
      case 2:
        *out = (int64_t)digits[0] | (int64_t)digits[1] << PyLong_SHIFT;
        return 0;
      case -2:
        *out = -((int64_t)digits[0] | (int64_t)digits[1] << PyLong_SHIFT);
        return 0;
    }
#endif
  }
  *out = PyLong_AsLongLong(object);
  return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

static inline int as_f64(PyObject* object, double* out) {
  if (PyFloat_CheckExact(object)) {
    *out = PyFloat_AS_DOUBLE(object);
    return 0;
  }
  *out = PyFloat_AsDouble(object);
  return *out == -1.0 && PyErr_Occurred() ? -1 : 0;
}

static inline const char* as_text(PyObject* object, Py_ssize_t* size) {
  if (PyUnicode_Check(object)) return PyUnicode_AsUTF8AndSize(object, size);
  PyErr_Format(PyExc_TypeError, "expected str, got %s", Py_TYPE(object)->tp_name);
  return NULL;
}

static PyObject* py_noop(ARGS) {
  if (wrong_arity(given, 0)) return NULL;
  noop();
  Py_RETURN_NONE;
}

static PyObject* py_add_i64(ARGS) {
  int64_t a, b;
  if (wrong_arity(given, 2) || as_i64(args[0], &a) || as_i64(args[1], &b)) return NULL;
  return PyLong_FromLongLong(add_i64(a, b));
}

static PyObject* py_add_f64(ARGS) {
  double a, b;
  if (wrong_arity(given, 2) || as_f64(args[0], &a) || as_f64(args[1], &b)) return NULL;
  return PyFloat_FromDouble(add_f64(a, b));
}

static PyObject* py_sum8(ARGS) {
  double v[8];
  if (wrong_arity(given, 8)) return NULL;
  for (int i = 0; i < 8; i++)
    if (as_f64(args[i], &v[i])) return NULL;
  return PyFloat_FromDouble(sum8(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]));
}

static PyObject* py_str_len(ARGS) {
  Py_ssize_t size;
  if (wrong_arity(given, 1)) return NULL;
  const char* data = as_text(args[0], &size);
  return data ? PyLong_FromLongLong(str_len(data, (size_t)size)) : NULL;
}

static PyObject* py_bytes_len(ARGS) {
  if (wrong_arity(given, 1)) return NULL;
  if (!PyBytes_Check(args[0])) return PyErr_Format(PyExc_TypeError, "expected bytes");
  return PyLong_FromLongLong(bytes_len(PyBytes_AS_STRING(args[0]), (size_t)PyBytes_GET_SIZE(args[0])));
}

static PyObject* py_str_id(ARGS) {
  Py_ssize_t size;
  if (wrong_arity(given, 1)) return NULL;
  const char* data = as_text(args[0], &size);
  if (!data) return NULL;
  out_slot out;
  out_init(&out);
  if (str_id(data, (size_t)size, &out.slot)) return PyErr_Format(PyExc_ValueError, "text too long");
  size_t length;
  const char* text = out_text(&out, &length);
  if (!text) return PyErr_Format(PyExc_TypeError, "expected str from native code");
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, NULL);
}

static PyObject* py_cstr_id(ARGS) {
  Py_ssize_t size;
  if (wrong_arity(given, 1)) return NULL;
  const char* data = as_text(args[0], &size);
  return data ? PyUnicode_FromString(cstr_id(data)) : NULL;
}

static PyObject* py_opt(ARGS) {
  int64_t value;
  if (wrong_arity(given, 1)) return NULL;
  if (args[0] == Py_None) return PyLong_FromLongLong(opt(NULL));
  if (as_i64(args[0], &value)) return NULL;
  return PyLong_FromLongLong(opt(&value));
}

/* Keywords by identity first: call sites intern them. */
static PyObject* kw_names[3];
static int which_keyword(PyObject* key) {
  for (int i = 0; i < 3; i++)
    if (key == kw_names[i]) return i;
  for (int i = 0; i < 3; i++)
    if (PyUnicode_Compare(key, kw_names[i]) == 0) return i;
  return -1;
}

static PyObject* py_kw3(ARGS, PyObject* kwnames) {
  PyObject* values[3] = {NULL, NULL, NULL};
  Py_ssize_t named = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  if (wrong_arity(given + named, 3)) return NULL;
  for (Py_ssize_t i = 0; i < given; i++) values[i] = args[i];
  for (Py_ssize_t i = 0; i < named; i++) {
    PyObject* key = PyTuple_GET_ITEM(kwnames, i);
    int at = which_keyword(key);
    if (at < 0 || values[at]) return PyErr_Format(PyExc_TypeError, "unexpected keyword %R", key);
    values[at] = args[given + i];
  }
  int64_t a, b, c;
  if (as_i64(values[0], &a) || as_i64(values[1], &b) || as_i64(values[2], &c)) return NULL;
  return PyLong_FromLongLong(kw3(a, b, c));
}

/* -- callbacks ------------------------------------------------------------------------------------------------- */

static inline int call_back(PyObject* callable, int64_t value, int64_t* out) {
  PyObject* argument = PyLong_FromLongLong(value);
  if (!argument) return -1;
  PyObject* stack[2] = {NULL, argument};
  PyObject* result = PyObject_Vectorcall(callable, stack + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
  Py_DECREF(argument);
  if (!result) return -1;
  int failed = as_i64(result, out);
  Py_DECREF(result);
  return failed;
}

/* The loop is the extension's own: nothing stands between it and the call. */
static PyObject* py_loop_own(ARGS) {
  int64_t n, sum = 0, one;
  if (wrong_arity(given, 2) || as_i64(args[1], &n)) return NULL;
  for (int64_t i = 0; i < n; i++) {
    if (call_back(args[0], 1000 + i, &one)) return NULL;
    sum += one;
  }
  return PyLong_FromLongLong(sum);
}

/* The loop is the library's, which calls a C function pointer. A plain one has no state of its own and no way to fail, so the
 * callable is static and an error waits until the loop is over. */
static PyObject* current;
static int64_t trampoline(int64_t value) {
  int64_t result;
  if (PyErr_Occurred() || call_back(current, value, &result)) return 0;
  return result;
}
static PyObject* py_loop_library(ARGS) {
  int64_t n;
  if (wrong_arity(given, 2) || as_i64(args[1], &n)) return NULL;
  PyObject* before = current;
  current = args[0];
  int64_t sum = loop_callback(trampoline, n);
  current = before;
  return PyErr_Occurred() ? NULL : PyLong_FromLongLong(sum);
}

#define FASTCALL(name) {#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL, NULL}
static PyMethodDef methods[] = {
    FASTCALL(noop),        FASTCALL(add_i64),
    FASTCALL(add_f64),     FASTCALL(sum8),
    FASTCALL(str_len),     FASTCALL(bytes_len),
    FASTCALL(str_id),      FASTCALL(cstr_id),
    FASTCALL(opt),         {"kw3", (PyCFunction)(void (*)(void))py_kw3, METH_FASTCALL | METH_KEYWORDS, NULL},
    FASTCALL(loop_own),    FASTCALL(loop_library),
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "handmade", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_handmade(void) {
  static const char* const names[3] = {"a", "b", "c"};
  for (int i = 0; i < 3; i++)
    if (!(kw_names[i] = PyUnicode_InternFromString(names[i]))) return NULL;
  return PyModule_Create(&definition);
}
