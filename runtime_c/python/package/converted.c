/* Functions whose results become other objects: ints the members of an enum, and whatever a callable makes of a result.
 * Such a Function enters another, which calls C; or a callable of Python's, which does all that itself.
 */
#include "function.h"
#include "parts.h"
#include "state.h"

/* `variants` of such a Function. Of what there is none of, None. */
enum { INNER, MEMBERS, CHECK, PARTS };

/* Borrowed: the member that the int is the value of; NULL, with an exception or without: none. */
static PyObject* find_member(PyObject* members, PyObject* number) {
  return PyLong_CheckExact(number) ? PyDict_GetItemWithError(members, number) : NULL;
}

/* Steals `result`: the member that it, or the first of several, is the value of in the place of that, else itself. */
static PyObject* member_of(PyObject* members, PyObject* result) {
  if (members == Py_None) return result;
  const int is_first = PyTuple_CheckExact(result) && PyTuple_GET_SIZE(result) > 0;
  PyObject* number = is_first ? PyTuple_GET_ITEM(result, 0) : result;
  PyObject* found = Py_XNewRef(find_member(members, number));
  if (found == NULL && !PyErr_Occurred()) return result;
  if (found != NULL && is_first) { /* a tuple that the adapter has just made: nobody else has it */
    PyTuple_SET_ITEM(result, 0, found);
    Py_DECREF(number);
    return result;
  }
  Py_DECREF(result);
  return found;
}

/* Steals `result`: what the callable makes of it and of the arguments, in the order in which they were given. */
static PyObject* checked(PyObject* check, PyObject* result, PyObject* const* args, Py_ssize_t count) {
  PyObject* arguments = PyTuple_New(count);
  for (Py_ssize_t i = 0; arguments != NULL && i < count; i++) PyTuple_SET_ITEM(arguments, i, Py_NewRef(args[i]));
  PyObject* made = arguments != NULL ? PyObject_CallFunctionObjArgs(check, result, arguments, NULL) : NULL;
  Py_XDECREF(arguments);
  Py_DECREF(result);
  return made;
}

/* Steals `result`, which may be NULL. */
static PyObject* converted(core_function* f, PyObject* result, PyObject* const* args, Py_ssize_t count) {
  if (result == NULL || f->variants == NULL) return result;
  PyObject* check = Py_NewRef(PyList_GET_ITEM(f->variants, CHECK)); /* the result's end may run any code */
  PyObject* made = member_of(PyList_GET_ITEM(f->variants, MEMBERS), result);
  if (made != NULL && check != Py_None) made = checked(check, made, args, count);
  Py_DECREF(check);
  return made;
}

/* Borrowed; NULL with an exception where the garbage collector has taken it. */
static PyObject* inner_of(core_function* f) {
  if (f->variants != NULL) return PyList_GET_ITEM(f->variants, INNER);
  return PyErr_Format(PyExc_RuntimeError, "%U: it was released by the garbage collector", f->name);
}

static PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  PyObject* inner = inner_of((core_function*)self);
  if (inner == NULL) return NULL;
  const core_function* f = (core_function*)inner;
  PyObject* result = ((_PyCFunctionFast)(void (*)(void))f->def.ml_meth)(inner, args, given);
  return converted((core_function*)self, result, args, given);
}

static PyObject* call_keywords(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* names) {
  PyObject* inner = inner_of((core_function*)self);
  if (inner == NULL) return NULL;
  const core_function* f = (core_function*)inner;
  PyObject* result = ((_PyCFunctionFastWithKeywords)(void (*)(void))f->def.ml_meth)(inner, args, given, names);
  return converted((core_function*)self, result, args, given + (names ? PyTuple_GET_SIZE(names) : 0));
}

static PyObject* call_python(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* names) {
  PyObject* inner = Py_XNewRef(inner_of((core_function*)self));
  PyObject* result = inner != NULL ? PyObject_Vectorcall(inner, args, (size_t)given, names) : NULL;
  Py_XDECREF(inner);
  return result;
}

/* Gives the function its parts, which it holds, and what is called; -1 with MemoryError. */
static int give(core_function* f, PyObject* inner, PyObject* members, PyObject* check, void* call, int keywords) {
  PyObject* parts = PyList_New(PARTS);
  if (parts == NULL) return -1;
  PyList_SET_ITEM(parts, INNER, Py_NewRef(inner));
  PyList_SET_ITEM(parts, MEMBERS, Py_NewRef(members));
  PyList_SET_ITEM(parts, CHECK, Py_NewRef(check));
  Py_XSETREF(f->variants, parts);
  f->def.ml_flags = keywords ? METH_FASTCALL | METH_KEYWORDS : METH_FASTCALL;
  f->def.ml_meth = (PyCFunction)call;
  return 0;
}

/* set_converted(function, inner, members, check, keywords): *members* is a dict of what stands for ints, or None, *check* a
 * callable, or None. */
static PyObject* set_converted(PyObject* module, PyObject* args) {
  (void)module;
  core_function *f, *inner;
  PyObject *members, *check;
  int keywords;
  if (!PyArg_ParseTuple(args, "O!O!OOp", &core_function_type, &f, &core_function_type, &inner, &members, &check,
                        &keywords))
    return NULL;
  if (members != Py_None && !PyDict_Check(members)) return PyErr_Format(PyExc_TypeError, "expected a dict or None");
  void* entered = keywords ? (void*)call_keywords : (void*)call;
  if (give(f, (PyObject*)inner, members, check, entered, keywords) != 0) return NULL;
  Py_RETURN_NONE;
}

/* set_entered(function, callable): what Python calls is *callable*, with the arguments as they are. */
static PyObject* set_entered(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  PyObject* callable;
  if (!PyArg_ParseTuple(args, "O!O", &core_function_type, &f, &callable) ||
      give(f, callable, Py_None, Py_None, (void*)call_python, 1) != 0)
    return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"set_converted", set_converted, METH_VARARGS, NULL},
    {"set_entered", set_entered, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* Adds it to the module; -1 with an exception set on failure. */
int core_converted_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
