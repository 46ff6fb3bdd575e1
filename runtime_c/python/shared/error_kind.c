/* An exception of a kind that an error names: which class that is, and what it is called with. */
#include "box.h"
#include "error.h"
#include "jitffi/abi.h"

/* New: a built-in exception class of that name; NULL without an exception when there is none. */
static PyObject* builtin_class(PyObject* kind) {
  PyObject* builtins = PyImport_ImportModule("builtins");
  PyObject* found = builtins != NULL ? PyObject_GetAttr(builtins, kind) : NULL;
  PyErr_Clear();
  Py_XDECREF(builtins);
  if (found != NULL && !PyExceptionClass_Check(found)) Py_CLEAR(found);
  return found;
}

/* The kinds that tell which part of which text is at fault, which a message does not: their base takes a message. */
static PyObject* class_of_kind(PyObject* kind) {
  PyObject* found = builtin_class(kind);
  const int is_unicode = found == PyExc_UnicodeEncodeError || found == PyExc_UnicodeDecodeError;
  if (is_unicode) Py_SETREF(found, Py_NewRef(PyExc_UnicodeError));
  return found;
}

/* New: what the message of a KeyError, which is its key's repr, is the repr of; NULL, without an exception, where it is of
 * nothing that can be read. */
static PyObject* key_of(PyObject* message) {
  PyObject* ast = PyImport_ImportModule("ast");
  PyObject* key = ast != NULL ? PyObject_CallMethod(ast, "literal_eval", "O", message) : NULL;
  PyErr_Clear();
  if (key == NULL) key = PyFloat_FromString(message); /* of an infinity, or NaN */
  PyObject* back = key != NULL ? PyObject_Repr(key) : NULL;
  if (back == NULL || PyUnicode_Compare(back, message) != 0) Py_CLEAR(key);
  PyErr_Clear();
  Py_XDECREF(back);
  Py_XDECREF(ast);
  return key;
}

/* New: class(message), but KeyError(key). NULL with an exception. */
static PyObject* instance_of(PyObject* class, PyObject* message) {
  if (class != PyExc_KeyError) return PyObject_CallOneArg(class, message);
  if (PyUnicode_GetLength(message) == 0) return PyObject_CallNoArgs(class);
  PyObject* key = key_of(message);
  PyObject* args = PyTuple_Pack(1, key != NULL ? key : message);
  PyObject* made = args != NULL ? PyObject_CallObject(class, args) : NULL;
  Py_XDECREF(args);
  Py_XDECREF(key);
  return made;
}

PyObject* (*core_container_arg)(jf_object*);

/* New: an item as Python's own. */
static PyObject* arg_of(jf_item item) {
  const int is_container = *item.code == JF_LIST || *item.code == JF_MAP || *item.code == JF_TUPLE;
  return is_container && core_container_arg != NULL ? core_container_arg(item.object) : core_box_item(item);
}

/* New: the items of a Tuple. */
static PyObject* args_of(const jf_object* object) {
  const jf_tuple* items = (const jf_tuple*)object;
  PyObject* args = PyTuple_New((Py_ssize_t)items->size);
  for (size_t i = 0; args != NULL && i < items->size; ++i) {
    PyObject* item = arg_of(items->items[i]);
    if (item == NULL)
      Py_CLEAR(args);
    else
      PyTuple_SET_ITEM(args, (Py_ssize_t)i, item);
  }
  return args;
}

/* New: the class of that kind called with the items of a Tuple. NULL without an exception where that cannot be. */
static PyObject* instance_with(PyObject* kind, jf_object* items) {
  PyObject* class = builtin_class(kind);
  PyObject* args = class != NULL ? args_of(items) : NULL;
  PyObject* made = args != NULL ? PyObject_CallObject(class, args) : NULL;
  PyErr_Clear();
  Py_XDECREF(args);
  Py_XDECREF(class);
  return made;
}

/* New: kind(message), or kind called with the items of a Tuple that is `host` (borrowed, may be NULL); RuntimeError where there is
 * no such class or it wants other arguments. NULL with an exception. */
PyObject* core_error_instance(PyObject* kind, PyObject* message, jf_object* host) {
  PyObject* made = host != NULL && host->type_code == JF_TUPLE ? instance_with(kind, host) : NULL;
  PyObject* class = made == NULL ? class_of_kind(kind) : NULL;
  if (class != NULL) made = instance_of(class, message);
  PyErr_Clear();
  Py_XDECREF(class);
  if (made != NULL && !PyExceptionInstance_Check(made)) Py_CLEAR(made);
  if (made == NULL)
    made = PyObject_CallFunction(PyExc_RuntimeError, "N", PyUnicode_FromFormat("%U: %U", kind, message));
  return made;
}
