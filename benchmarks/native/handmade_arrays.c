/* The extension on NumPy's C API that a careful author writes: METH_FASTCALL, and each array checked for its class, element, byte
 * order, alignment, rank, strides and lengths, and for being writable where it is written. It is the limit that all are measured
 * against. Subclasses of ndarray are refused, which is less than ours does with them.
 */
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>

#include "kernels.h"

#define ARGS PyObject *self, PyObject *const *args, Py_ssize_t given

static int wrong_arity(Py_ssize_t given, int wanted) {
  if (given == wanted) return 0;
  PyErr_Format(PyExc_TypeError, "expected %d arguments, got %zd", wanted, given);
  return 1;
}

/* The array *object* is, or NULL with the exception set. */
static inline PyArrayObject* as_array(PyObject* object, int element, int rank, int flags) {
  if (!PyArray_CheckExact(object)) {
    PyErr_Format(PyExc_TypeError, "expected an array, got %s", Py_TYPE(object)->tp_name);
    return NULL;
  }
  PyArrayObject* array = (PyArrayObject*)object;
  if (PyArray_TYPE(array) != element || !PyArray_ISNOTSWAPPED(array)) {
    PyErr_SetString(PyExc_TypeError, "elements of another type");
    return NULL;
  }
  if (rank >= 0 && PyArray_NDIM(array) != rank) {
    PyErr_SetString(PyExc_ValueError, "another number of dimensions");
    return NULL;
  }
  if (!PyArray_CHKFLAGS(array, flags)) {
    PyErr_SetString(PyExc_ValueError, "read-only, misaligned or not contiguous");
    return NULL;
  }
  return array;
}

static inline int as_float(PyObject* object, float* out) {
  double number = PyFloat_CheckExact(object) ? PyFloat_AS_DOUBLE(object) : PyFloat_AsDouble(object);
  *out = (float)number;
  if (isinf(*out) && !isinf(number)) {
    PyErr_SetString(PyExc_OverflowError, "beyond a float");
    return -1;
  }
  return number == -1 && PyErr_Occurred() ? -1 : 0;
}

/* The stride of the outermost dimension in elements, or -1 with the exception set: at least *least*. */
static inline npy_intp outer_stride(PyArrayObject* array, npy_intp least, npy_intp size) {
  if (PyArray_SIZE(array) == 0 || PyArray_DIM(array, 0) < 2) return least > 1 ? least : 1;
  npy_intp stride = PyArray_STRIDE(array, 0);
  if (stride % size || stride / size < least || stride <= 0) {
    PyErr_SetString(PyExc_ValueError, "a stride that is not taken");
    return -1;
  }
  return stride / size;
}

static PyObject* py_vector(ARGS) {
  if (wrong_arity(given, 1)) return NULL;
  PyArrayObject* x = as_array(args[0], NPY_FLOAT32, 1, NPY_ARRAY_CARRAY);
  if (x == NULL) return NULL;
  return PyFloat_FromDouble(vector((uint64_t)PyArray_DIM(x, 0), PyArray_DATA(x)));
}

static PyObject* py_scaled(ARGS) {
  float a, b;
  if (wrong_arity(given, 5)) return NULL;
  if (as_float(args[0], &a) || as_float(args[2], &b)) return NULL;
  PyArrayObject* x = as_array(args[1], NPY_FLOAT32, 1, NPY_ARRAY_CARRAY_RO);
  if (x == NULL) return NULL;
  PyArrayObject* y = as_array(args[3], NPY_FLOAT32, 1, NPY_ARRAY_CARRAY_RO);
  if (y == NULL) return NULL;
  PyArrayObject* z = as_array(args[4], NPY_FLOAT32, 1, NPY_ARRAY_CARRAY);
  if (z == NULL) return NULL;
  npy_intp n = PyArray_DIM(x, 0);
  if (PyArray_DIM(y, 0) != n || PyArray_DIM(z, 0) != n) {
    PyErr_SetString(PyExc_ValueError, "lengths differ");
    return NULL;
  }
  scaled((uint64_t)n, a, PyArray_DATA(x), b, PyArray_DATA(y), PyArray_DATA(z));
  Py_RETURN_NONE;
}

static PyObject* py_matrix(ARGS) {
  if (wrong_arity(given, 1)) return NULL;
  PyArrayObject* a = as_array(args[0], NPY_FLOAT64, 2, NPY_ARRAY_ALIGNED);
  if (a == NULL) return NULL;
  npy_intp n = PyArray_DIM(a, 1);
  if (n > 1 && PyArray_STRIDE(a, 1) != sizeof(double)) {
    PyErr_SetString(PyExc_ValueError, "rows are not contiguous");
    return NULL;
  }
  npy_intp lda = outer_stride(a, n, sizeof(double));
  if (lda < 0) return NULL;
  return PyFloat_FromDouble(matrix(PyArray_DIM(a, 0), n, PyArray_DATA(a), lda));
}

static PyObject* py_pointer(ARGS) {
  if (wrong_arity(given, 1)) return NULL;
  PyArrayObject* x = as_array(args[0], NPY_FLOAT32, -1, NPY_ARRAY_BEHAVED);
  if (x == NULL) return NULL;
  if (!PyArray_CHKFLAGS(x, NPY_ARRAY_C_CONTIGUOUS) && !PyArray_CHKFLAGS(x, NPY_ARRAY_F_CONTIGUOUS)) {
    PyErr_SetString(PyExc_ValueError, "not contiguous");
    return NULL;
  }
  return PyFloat_FromDouble(pointer(PyArray_DATA(x)));
}

static PyObject* py_strided(ARGS) {
  if (wrong_arity(given, 1)) return NULL;
  PyArrayObject* x = as_array(args[0], NPY_FLOAT64, 1, NPY_ARRAY_ALIGNED);
  if (x == NULL) return NULL;
  npy_intp inc = outer_stride(x, 1, sizeof(double));
  if (inc < 0) return NULL;
  return PyFloat_FromDouble(strided((uint64_t)PyArray_DIM(x, 0), PyArray_DATA(x), inc));
}

static PyObject* py_filled(ARGS) {
  if (wrong_arity(given, 1)) return NULL;
  npy_intp n = PyLong_AsSsize_t(args[0]);
  if (n == -1 && PyErr_Occurred()) return NULL;
  PyObject* x = PyArray_SimpleNew(1, &n, NPY_FLOAT64);
  if (x != NULL) filled((uint64_t)n, PyArray_DATA((PyArrayObject*)x));
  return x;
}

#define METHOD(name) {#name, _PyCFunction_CAST(py_##name), METH_FASTCALL, NULL}
static PyMethodDef methods[] = {METHOD(vector),  METHOD(scaled), METHOD(matrix), METHOD(pointer),
                                METHOD(strided), METHOD(filled), {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "handmade_arrays", NULL, -1, methods};

PyMODINIT_FUNC PyInit_handmade_arrays(void) {
  import_array();
  return PyModule_Create(&module);
}
