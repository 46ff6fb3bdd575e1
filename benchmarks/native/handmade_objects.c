/* What a careful C programmer writes for objects of a type of their own: members by offset, a constructor by vectorcall, known
 * to the collector, since one may refer to others. */
#include <Python.h>
#include <structmember.h>

typedef struct {
  PyObject_HEAD double x;
  long long id;
  PyObject* next;
  PyObject* name;
} node_object;

static PyTypeObject node_type;

static PyMemberDef node_members[] = {{"x", T_DOUBLE, offsetof(node_object, x), 0, NULL},
                                     {"id", T_LONGLONG, offsetof(node_object, id), 0, NULL},
                                     {"next", T_OBJECT, offsetof(node_object, next), 0, NULL},
                                     {"name", T_OBJECT, offsetof(node_object, name), 0, NULL},
                                     {NULL}};

static PyObject* node_vectorcall(PyObject* type, PyObject* const* args, size_t flags, PyObject* names) {
  if (PyVectorcall_NARGS(flags) != 4 || (names != NULL && PyTuple_GET_SIZE(names) != 0))
    return PyErr_Format(PyExc_TypeError, "expected 4 arguments");
  const double x = PyFloat_AsDouble(args[0]);
  const long long id = PyLong_AsLongLong(args[1]);
  if ((x == -1.0 || id == -1) && PyErr_Occurred()) return NULL;
  if (args[2] != Py_None && Py_TYPE(args[2]) != &node_type)
    return PyErr_Format(PyExc_TypeError, "expected a Node or None, got %s", Py_TYPE(args[2])->tp_name);
  if (!PyUnicode_Check(args[3])) return PyErr_Format(PyExc_TypeError, "expected a str");
  node_object* made = PyObject_GC_New(node_object, (PyTypeObject*)type);
  if (made == NULL) return NULL;
  made->x = x;
  made->id = id;
  Py_INCREF(args[2]);
  made->next = args[2];
  Py_INCREF(args[3]);
  made->name = args[3];
  PyObject_GC_Track(made);
  return (PyObject*)made;
}

static void node_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Py_XDECREF(((node_object*)self)->next);
  Py_XDECREF(((node_object*)self)->name);
  PyObject_GC_Del(self);
}

static int node_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(((node_object*)self)->next);
  return 0;
}

static PyObject* node_twice(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyFloat_FromDouble(2 * ((node_object*)self)->x);
}

static PyMethodDef node_methods[] = {
    {"twice", node_twice, METH_NOARGS, NULL}, {"doubled", node_twice, METH_NOARGS, NULL}, {NULL}};

static PyTypeObject node_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "handmade_objects.Node",
                                 .tp_basicsize = sizeof(node_object),
                                 .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                 .tp_members = node_members,
                                 .tp_methods = node_methods,
                                 .tp_dealloc = node_dealloc,
                                 .tp_traverse = node_traverse,
                                 .tp_vectorcall = node_vectorcall};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "handmade_objects", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_handmade_objects(void) {
  if (PyType_Ready(&node_type) != 0) return NULL;
  PyObject* made = PyModule_Create(&module);
  if (made == NULL) return NULL;
  Py_INCREF(&node_type);
  if (PyModule_AddObject(made, "Node", (PyObject*)&node_type) != 0) return NULL;
  return made;
}
