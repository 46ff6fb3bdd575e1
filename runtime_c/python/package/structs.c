/* _core.struct_class, the class of a declaration, and _core.struct_address. */
#include "parts.h"
#include "struct.h"

static PyObject* struct_class(PyObject* module, PyObject* args) {
  PyObject *name, *namespace, *key, *fields;
  Py_ssize_t size, align;
  int is_union;
  (void)module;
  if (!PyArg_ParseTuple(args, "UO!UnnpO!", &name, &PyDict_Type, &namespace, &key, &size, &align, &is_union,
                        &PyTuple_Type, &fields))
    return NULL;
  if (size >= 0 && align > 0 && (align & (align - 1)) == 0)
    return core_struct_class_make(name, namespace, key, size, align, is_union, fields);
  return PyErr_Format(PyExc_ValueError, "%U: no struct has size %zd and alignment %zd", key, size, align);
}

static PyObject* struct_address(PyObject* module, PyObject* instance) {
  (void)module;
  if (core_is_struct(instance)) return PyLong_FromVoidPtr(((core_struct*)instance)->data);
  return PyErr_Format(PyExc_TypeError, "expected an instance of a struct, got %.200s", Py_TYPE(instance)->tp_name);
}

static PyObject* struct_dtype(PyObject* module, PyObject* class) {
  (void)module;
  const core_struct_info* info = core_struct_info_of(class);
  if (info != NULL) return core_struct_numpy(info);
  return PyErr_Format(PyExc_TypeError, "expected the class of a struct, got %.200s", Py_TYPE(class)->tp_name);
}

static PyMethodDef methods[] = {
    {"struct_dtype", struct_dtype, METH_O, "struct_dtype($module, cls, /)\n--\n\nNumPy's structured dtype of it."},
    {"struct_address", struct_address, METH_O, "struct_address($module, instance, /)\n--\n\nWhere its bytes are."},
    {"struct_class", struct_class, METH_VARARGS,
     "struct_class($module, name, namespace, key, size, align, is_union, fields, /)\n--\n\n"
     "The class of a declaration, known by its key from now on; ValueError where there is one.\n\n"
     "Each field is a tuple (name, type_text, offset, bit, bits, dims, inner, default): what an element is, as text, "
     "or\n"
     "the class that is `inner`; bit and bits are -1 of what is no bit-field, the first of dims of a flexible end; a\n"
     "default that is missing is NO_DEFAULT."},
    {NULL, NULL, 0, NULL},
};

/* After core_struct_init; -1 with an exception set on failure. */
int core_structs_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
