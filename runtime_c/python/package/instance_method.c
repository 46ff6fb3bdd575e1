/* Methods of native code in Python's classes: a callable that gets the object in front of its arguments.
 *
 * As functions of Python's they are called without a bound method between: CPython's flag for such descriptors.
 */
#include <string.h>

#include "function.h"
#include "instance.h"

typedef struct {
  PyObject_HEAD PyObject* function;
  PyObject* name;
  PyObject* doc;
  vectorcallfunc call;
  core_function* native; /* borrowed from `function`, which is its builtin; NULL for other callables */
} method;

/* Of native code: its entry, as the builtin would call it. */
static PyObject* native_call(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  core_function* f = ((method*)self)->native;
  const Py_ssize_t given = PyVectorcall_NARGS(flags);
  if (f->def.ml_flags & METH_KEYWORDS)
    return ((_PyCFunctionFastWithKeywords)(void (*)(void))f->def.ml_meth)((PyObject*)f, args, given, names);
  if (names != NULL && PyTuple_GET_SIZE(names) > 0)
    return PyErr_Format(PyExc_TypeError, "%U() takes no keyword arguments", f->name);
  return ((_PyCFunctionFast)(void (*)(void))f->def.ml_meth)((PyObject*)f, args, given);
}

static PyObject* method_call(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  const method* m = (method*)self;
  const vectorcallfunc call = PyVectorcall_Function(m->function);
  return call != NULL ? call(m->function, args, flags, names) : PyObject_Vectorcall(m->function, args, flags, names);
}

static PyObject* method_get(PyObject* self, PyObject* object, PyObject* class) {
  (void)class;
  return object != NULL ? PyMethod_New(self, object) : Py_NewRef(self);
}

static void method_dealloc(PyObject* self) {
  method* m = (method*)self;
  PyObject_GC_UnTrack(self);
  Py_XDECREF(m->function);
  Py_XDECREF(m->name);
  Py_XDECREF(m->doc);
  PyObject_GC_Del(self);
}

static int method_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(((method*)self)->function);
  return 0;
}

static PyObject* method_repr(PyObject* self) {
  return PyUnicode_FromFormat("<method %U of native code>", ((method*)self)->name);
}

static PyMemberDef method_members[] = {
    {"__name__", T_OBJECT, offsetof(method, name), READONLY, NULL},
    {"__doc__", T_OBJECT, offsetof(method, doc), READONLY, NULL},
    {"__wrapped__", T_OBJECT, offsetof(method, function), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject core_method_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.ObjectMethod",
    .tp_basicsize = sizeof(method),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(method, call),
    .tp_call = PyVectorcall_Call,
    .tp_dealloc = method_dealloc,
    .tp_traverse = method_traverse,
    .tp_repr = method_repr,
    .tp_descr_get = method_get,
    .tp_members = method_members,
};

void core_be_method(core_function* f) {
  if (f->params == NULL || f->info.num_params == 0) return;
  const char* name = f->params[0].name;
  if (name != NULL && strcmp(name, jf_self) != 0) return;
  f->params[0].name = jf_self;
  f->is_method = 1;
}

/* New. Borrows all; doc may be None. */
PyObject* core_method_make(PyObject* function, PyObject* name, PyObject* doc, int is_native) {
  method* made = PyObject_GC_New(method, &core_method_type);
  if (made == NULL) return NULL;
  made->function = Py_NewRef(function);
  made->name = Py_NewRef(name);
  made->doc = Py_NewRef(doc);
  PyObject* native = core_function_get(function);
  /* A callable of Python's might be this method: its depth of recursion is counted on the way through the builtin. */
  made->native = native != NULL && ((core_function*)native)->callee != 'p' ? (core_function*)native : NULL;
  if (made->native != NULL && is_native) core_be_method(made->native);
  made->call = made->native != NULL ? native_call : method_call;
  PyObject_GC_Track(made);
  return (PyObject*)made;
}
