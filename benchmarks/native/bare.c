/* An extension module with nothing in it but one function: what a process pays at least for native code. */
#include <Python.h>
#include <stdint.h>

static PyObject* add(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  if (given != 2) return PyErr_Format(PyExc_TypeError, "expected 2 arguments, got %zd", given);
  long long a = PyLong_AsLongLong(args[0]), b = PyLong_AsLongLong(args[1]);
  return PyErr_Occurred() ? NULL : PyLong_FromLongLong(a + b);
}

static PyMethodDef methods[] = {
    {"add", (PyCFunction)(void (*)(void))add, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "bare", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_bare(void) { return PyModule_Create(&definition); }
