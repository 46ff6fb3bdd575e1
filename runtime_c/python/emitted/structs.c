/* Classes of the structs of an emitted module: made when it is imported, of constants in the object. */
#include "call.h"
#include "emitted.h"
#include "hooks.h"
#include "struct.h"

#include <marshal.h>

/* -- what a class says of its memory: Point.size, Point.dtype, Point.array(4) ---------------------------------------------- */

typedef struct {
  PyObject_HEAD PyObject* (*ask)(PyObject* class);
} about_object;

static PyObject* about_get(PyObject* self, PyObject* instance, PyObject* class) {
  return ((about_object*)self)->ask(class != NULL ? class : (PyObject*)Py_TYPE(instance));
}

static PyTypeObject about_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.StructAbout",
    .tp_basicsize = sizeof(about_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_descr_get = about_get,
};

static PyObject* ask_size(PyObject* class) { return PyLong_FromSsize_t(core_struct_info_of(class)->size); }

static PyObject* ask_dtype(PyObject* class) { return core_struct_numpy(core_struct_info_of(class)); }

static PyObject* make_array(PyObject* class, PyObject* length) {
  PyObject* numpy = PyImport_ImportModule("numpy");
  PyObject* dtype = numpy != NULL ? ask_dtype(class) : NULL;
  PyObject* made = dtype != NULL ? PyObject_CallMethod(numpy, "zeros", "OO", length, dtype) : NULL;
  Py_XDECREF(numpy);
  Py_XDECREF(dtype);
  return made;
}

static PyMethodDef array_method = {"array", make_array, METH_O,
                                   "array($type, n, /)\n--\n\nA NumPy array of n such structs, all of zeros."};

static PyObject* ask_array(PyObject* class) { return PyCFunction_NewEx(&array_method, class, NULL); }

static const struct {
  const char* name;
  PyObject* (*ask)(PyObject* class);
} abouts[] = {{"size", ask_size}, {"dtype", ask_dtype}, {"array", ask_array}};

static int add_abouts(PyObject* namespace) {
  for (size_t i = 0; i < sizeof abouts / sizeof abouts[0]; i++) {
    about_object* about = PyObject_New(about_object, &about_type);
    if (about == NULL) return -1;
    about->ask = abouts[i].ask;
    const int status = PyDict_SetItemString(namespace, abouts[i].name, (PyObject*)about);
    Py_DECREF(about);
    if (status != 0) return -1;
  }
  return 0;
}

/* -- the classes ----------------------------------------------------------------------------------------------------------- */

/* New: a field as core_field_make takes it, of one with the key of its struct, and marshal's Ellipsis for no default. */
static PyObject* field_of(PyObject* described) {
  enum { INNER = 6, DEFAULT, PARTS };
  PyObject* made = PyTuple_New(PARTS);
  for (Py_ssize_t i = 0; made != NULL && i < PARTS; i++) {
    PyObject* part = PyTuple_GetItem(described, i);
    if (part == Py_Ellipsis && i == DEFAULT) part = core_no_default;
    if (part != NULL && part != Py_None && i == INNER) {
      Py_ssize_t size;
      const char* key = PyUnicode_AsUTF8AndSize(part, &size);
      part = key != NULL ? (PyObject*)core_struct_class_of(key, (size_t)size) : NULL;
    }
    if (part != NULL)
      PyTuple_SET_ITEM(made, i, Py_NewRef(part));
    else
      Py_CLEAR(made);
  }
  return made;
}

/* New. */
static PyObject* fields_of(PyObject* described) {
  const Py_ssize_t count = PyTuple_GET_SIZE(described);
  PyObject* made = PyTuple_New(count);
  for (Py_ssize_t i = 0; made != NULL && i < count; i++) {
    PyObject* field = field_of(PyTuple_GET_ITEM(described, i));
    if (field != NULL)
      PyTuple_SET_ITEM(made, i, field);
    else
      Py_CLEAR(made);
  }
  return made;
}

static int add_class(PyObject* names, PyObject* described) {
  PyObject *name, *key, *doc, *fields;
  Py_ssize_t size, align;
  int is_union;
  if (!PyArg_ParseTuple(described, "UUUnnpO!", &name, &key, &doc, &size, &align, &is_union, &PyTuple_Type, &fields))
    return -1;
  PyObject* namespace =
      Py_BuildValue("{sssOsO}", "__module__", core_emitted_name(), "__qualname__", name, "__doc__", doc);
  PyObject* specs = namespace != NULL && add_abouts(namespace) == 0 ? fields_of(fields) : NULL;
  PyObject* class = specs != NULL ? core_struct_class_make(name, namespace, key, size, align, is_union, specs) : NULL;
  const int status = class != NULL ? PyObject_SetAttr(names, name, class) : -1;
  Py_XDECREF(namespace);
  Py_XDECREF(specs);
  Py_XDECREF(class);
  return status;
}

int core_emitted_structs(PyObject* names, const char* about, int64_t size) {
  if (core_type_ready(&about_type) != 0) return -1;
  PyObject* all = PyMarshal_ReadObjectFromString(about, (Py_ssize_t)size);
  int status = all != NULL ? 0 : -1;
  for (Py_ssize_t i = 0; status == 0 && i < PyTuple_GET_SIZE(all); i++)
    status = add_class(names, PyTuple_GET_ITEM(all, i));
  Py_XDECREF(all);
  return status;
}
