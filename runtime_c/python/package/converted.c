/* Functions whose results become other objects: ints the members of an enum. Such a Function enters another, which calls C. */
#include "function.h"
#include "parts.h"
#include "state.h"

/* `variants` of such a Function. */
enum { INNER, OBJECTS, PARTS };

/* Steals `result`: what stands for it, else itself. */
static PyObject* converted(core_function* f, PyObject* result) {
  if (result == NULL || !PyLong_CheckExact(result) || f->variants == NULL) return result;
  PyObject* found = PyDict_GetItemWithError(PyList_GET_ITEM(f->variants, OBJECTS), result);
  if (found == NULL && PyErr_Occurred()) {
    Py_DECREF(result);
    return NULL;
  }
  if (found == NULL) return result;
  Py_INCREF(found);
  Py_DECREF(result);
  return found;
}

/* Borrowed; NULL with an exception where the garbage collector has taken it. */
static core_function* inner_of(core_function* f) {
  if (f->variants != NULL) return (core_function*)PyList_GET_ITEM(f->variants, INNER);
  return (core_function*)PyErr_Format(PyExc_RuntimeError, "%U: it was released by the garbage collector", f->name);
}

static PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  core_function* f = inner_of((core_function*)self);
  if (f == NULL) return NULL;
  return converted((core_function*)self, ((_PyCFunctionFast)(void (*)(void))f->def.ml_meth)((PyObject*)f, args, given));
}

static PyObject* call_keywords(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* names) {
  core_function* f = inner_of((core_function*)self);
  if (f == NULL) return NULL;
  return converted((core_function*)self,
                   ((_PyCFunctionFastWithKeywords)(void (*)(void))f->def.ml_meth)((PyObject*)f, args, given, names));
}

/* set_converted(function, inner, objects, keywords): *objects* is a dict of what stands for ints. */
static PyObject* set_converted(PyObject* module, PyObject* args) {
  (void)module;
  core_function *f, *inner;
  PyObject* objects;
  int keywords;
  if (!PyArg_ParseTuple(args, "O!O!O!p", &core_function_type, &f, &core_function_type, &inner, &PyDict_Type, &objects,
                        &keywords))
    return NULL;
  PyObject* parts = PyList_New(PARTS);
  if (parts == NULL) return NULL;
  PyList_SET_ITEM(parts, INNER, Py_NewRef((PyObject*)inner));
  PyList_SET_ITEM(parts, OBJECTS, Py_NewRef(objects));
  Py_XSETREF(f->variants, parts);
  f->def.ml_flags = keywords ? METH_FASTCALL | METH_KEYWORDS : METH_FASTCALL;
  f->def.ml_meth = keywords ? (PyCFunction)(void (*)(void))call_keywords : (PyCFunction)(void (*)(void))call;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"set_converted", set_converted, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* Adds it to the module; -1 with an exception set on failure. */
int core_converted_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
