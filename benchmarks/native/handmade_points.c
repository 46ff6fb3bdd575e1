/* What a careful C programmer writes for structs: members by offset, a constructor by vectorcall, exact classes first. */
#include <Python.h>
#include <structmember.h>

#include "points.h"

typedef struct {
  PyObject_HEAD struct point value;
} point_object;

typedef struct {
  PyObject_HEAD struct pair value;
} pair_object;

static PyTypeObject point_type, pair_type;

#define MEMBER(type, name, kind) {#name, kind, offsetof(type##_object, value.name), 0, NULL}
static PyMemberDef point_members[] = {
    MEMBER(point, x, T_DOUBLE), MEMBER(point, y, T_DOUBLE), MEMBER(point, id, T_LONGLONG), {NULL}};
static PyMemberDef pair_members[] = {MEMBER(pair, x, T_DOUBLE), MEMBER(pair, y, T_DOUBLE), {NULL}};

static int wrong_arity(Py_ssize_t given, Py_ssize_t wanted) {
  if (given == wanted) return 0;
  PyErr_Format(PyExc_TypeError, "expected %zd arguments, got %zd", wanted, given);
  return 1;
}

static PyObject* point_vectorcall(PyObject* type, PyObject* const* args, size_t flags, PyObject* names) {
  if (names != NULL && PyTuple_GET_SIZE(names) != 0) return PyErr_Format(PyExc_TypeError, "no keywords");
  if (wrong_arity(PyVectorcall_NARGS(flags), 3)) return NULL;
  const double x = PyFloat_AsDouble(args[0]), y = PyFloat_AsDouble(args[1]);
  if ((x == -1.0 || y == -1.0) && PyErr_Occurred()) return NULL;
  const long long id = PyLong_AsLongLong(args[2]);
  if (id == -1 && PyErr_Occurred()) return NULL;
  point_object* made = PyObject_New(point_object, (PyTypeObject*)type);
  if (made != NULL) made->value = (struct point){x, y, id};
  return (PyObject*)made;
}

static PyObject* pair_of(struct pair value) {
  pair_object* made = PyObject_New(pair_object, &pair_type);
  if (made != NULL) made->value = value;
  return (PyObject*)made;
}

static PyObject* pair_vectorcall(PyObject* type, PyObject* const* args, size_t flags, PyObject* names) {
  (void)type;
  if (names != NULL && PyTuple_GET_SIZE(names) != 0) return PyErr_Format(PyExc_TypeError, "no keywords");
  if (wrong_arity(PyVectorcall_NARGS(flags), 2)) return NULL;
  const double x = PyFloat_AsDouble(args[0]), y = PyFloat_AsDouble(args[1]);
  return (x == -1.0 || y == -1.0) && PyErr_Occurred() ? NULL : pair_of((struct pair){x, y});
}

static PyTypeObject point_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "handmade_points.Point",
                                  .tp_basicsize = sizeof(point_object), .tp_flags = Py_TPFLAGS_DEFAULT,
                                  .tp_members = point_members, .tp_vectorcall = point_vectorcall};
static PyTypeObject pair_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "handmade_points.Pair",
                                 .tp_basicsize = sizeof(pair_object), .tp_flags = Py_TPFLAGS_DEFAULT,
                                 .tp_members = pair_members, .tp_vectorcall = pair_vectorcall};

#define ARGS PyObject *self, PyObject *const *args, Py_ssize_t given

static void* value_of(PyObject* object, PyTypeObject* type, size_t offset) {
  if (Py_TYPE(object) == type || PyObject_TypeCheck(object, type)) return (char*)object + offset;
  return PyErr_Format(PyExc_TypeError, "expected %s, got %s", type->tp_name, Py_TYPE(object)->tp_name);
}
#define POINT(object) value_of(object, &point_type, offsetof(point_object, value))
#define PAIR(object) value_of(object, &pair_type, offsetof(pair_object, value))

static PyObject* py_by_pointer(ARGS) {
  (void)self;
  const struct point* p = wrong_arity(given, 1) ? NULL : POINT(args[0]);
  return p != NULL ? PyFloat_FromDouble(by_pointer(p)) : NULL;
}

static PyObject* py_by_value(ARGS) {
  (void)self;
  const struct pair* p = wrong_arity(given, 1) ? NULL : PAIR(args[0]);
  return p != NULL ? PyFloat_FromDouble(by_value(*p)) : NULL;
}

static PyObject* py_moved(ARGS) {
  (void)self;
  const struct pair* p = wrong_arity(given, 2) ? NULL : PAIR(args[0]);
  if (p == NULL) return NULL;
  const double by = PyFloat_AsDouble(args[1]);
  return by == -1.0 && PyErr_Occurred() ? NULL : pair_of(moved(*p, by));
}

static PyObject* py_many(ARGS) {
  (void)self;
  Py_buffer buffer;
  if (wrong_arity(given, 1) || PyObject_GetBuffer(args[0], &buffer, PyBUF_C_CONTIGUOUS) != 0) return NULL;
  PyObject* result = NULL;
  if (buffer.itemsize == (Py_ssize_t)sizeof(struct point))
    result = PyFloat_FromDouble(many((uint64_t)(buffer.len / buffer.itemsize), buffer.buf));
  else
    PyErr_SetString(PyExc_TypeError, "expected an array of points");
  PyBuffer_Release(&buffer);
  return result;
}

static int int_of(PyObject* object, int* out) {
  const long value = PyLong_AsLong(object);
  if (value == -1 && PyErr_Occurred()) return -1;
  *out = (int)value;
  if (value == *out) return 0;
  PyErr_SetString(PyExc_OverflowError, "expected an int of C's");
  return -1;
}

static PyObject* py_sum_of(ARGS) {
  (void)self;
  int a, b, c;
  if (wrong_arity(given, 4) || int_of(args[1], &a) != 0 || int_of(args[2], &b) != 0 || int_of(args[3], &c) != 0)
    return NULL;
  return PyLong_FromLong(sum_of(3, a, b, c));
}

#define METHOD(name) {#name, _PyCFunction_CAST(py_##name), METH_FASTCALL, NULL}
static PyMethodDef methods[] = {METHOD(by_pointer), METHOD(by_value), METHOD(moved),
                                METHOD(many),       METHOD(sum_of),   {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "handmade_points", NULL, -1, methods};

PyMODINIT_FUNC PyInit_handmade_points(void) {
  if (PyType_Ready(&point_type) != 0 || PyType_Ready(&pair_type) != 0) return NULL;
  PyObject* made = PyModule_Create(&module);
  if (made == NULL) return NULL;
  Py_INCREF(&point_type);
  Py_INCREF(&pair_type);
  if (PyModule_AddObject(made, "Point", (PyObject*)&point_type) != 0) return NULL;
  if (PyModule_AddObject(made, "Pair", (PyObject*)&pair_type) != 0) return NULL;
  return made;
}
