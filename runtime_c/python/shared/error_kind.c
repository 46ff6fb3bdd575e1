/* An exception of a kind that an error names: which class that is, and what it is called with.
 *
 * The registered kinds are the interpreter's, so that emitted modules see what the package has registered: a tuple of two
 * dicts, {kind: class} and {address of the class: kind}. Addresses, since a metaclass may have any hash; the first dict
 * keeps the classes alive.
 */
#include "box.h"
#include "error.h"
#include "jitffi/abi.h"

#include <stdlib.h>
#include <string.h>

PyObject* core_error_registry(int create) {
  PyObject* state = PyInterpreterState_GetDict(PyInterpreterState_Get());
  PyObject* registry = state != NULL ? PyDict_GetItemString(state, "jitffi.errors") : NULL;
  if (registry != NULL || !create || state == NULL) return registry;
  PyObject* made = Py_BuildValue("({}{})");
  const int status = made != NULL ? PyDict_SetItemString(state, "jitffi.errors", made) : -1;
  Py_XDECREF(made);
  return status == 0 ? made : NULL;
}

/* The kinds of classes along the order that Python resolves attributes in: that of the nearest base. */
PyObject* core_error_kind_of(PyTypeObject* type) {
  PyObject* registry = core_error_registry(0);
  PyObject* bases = registry != NULL && PyDict_GET_SIZE(PyTuple_GET_ITEM(registry, 1)) > 0 ? type->tp_mro : NULL;
  PyObject* found = NULL;
  for (Py_ssize_t i = 0; found == NULL && bases != NULL && i < PyTuple_GET_SIZE(bases); i++) {
    PyObject* address = PyLong_FromVoidPtr(PyTuple_GET_ITEM(bases, i));
    if (address != NULL) found = PyDict_GetItemWithError(PyTuple_GET_ITEM(registry, 1), address);
    Py_XDECREF(address);
  }
  PyErr_Clear();
  return Py_XNewRef(found);
}

/* New: the class that is registered for a kind; NULL without an exception when there is none. */
static PyObject* registered_class(PyObject* kind) {
  PyObject* registry = core_error_registry(0);
  PyObject* found = registry != NULL ? PyDict_GetItemWithError(PyTuple_GET_ITEM(registry, 0), kind) : NULL;
  PyErr_Clear();
  return Py_XNewRef(found);
}

/* New: a built-in exception class of that name; NULL without an exception when there is none. */
static PyObject* builtin_class(PyObject* kind) {
  PyObject* builtins = PyDict_GetItemString(PyImport_GetModuleDict(), "builtins"); /* no import: errors are frequent */
  PyObject* found = builtins != NULL ? PyObject_GetAttr(builtins, kind) : NULL;
  PyErr_Clear();
  if (found != NULL && !PyExceptionClass_Check(found)) Py_CLEAR(found);
  return found;
}

/* The kinds that tell which part of which text is at fault, which a message does not: their base takes a message. */
static PyObject* class_of_kind(PyObject* kind) {
  PyObject* found = registered_class(kind);
  if (found != NULL) return found;
  found = builtin_class(kind);
  const int is_unicode = found == PyExc_UnicodeEncodeError || found == PyExc_UnicodeDecodeError;
  if (is_unicode) Py_SETREF(found, Py_NewRef(PyExc_UnicodeError));
  return found;
}

PyObject* core_error_class(PyObject* kind) {
  PyObject* found = registered_class(kind);
  if (found == NULL) found = builtin_class(kind);
  return found != NULL ? found : Py_NewRef(PyExc_RuntimeError);
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

/* New: OSError(number, text) for a message as its str() is, "[Errno number] text"; NULL without an exception for another one. */
static PyObject* of_errno(PyObject* class, PyObject* message) {
  static const char BEGIN[] = "[Errno ";
  const char* text = PyUnicode_AsUTF8(message);
  if (text == NULL || strncmp(text, BEGIN, sizeof BEGIN - 1) != 0) return PyErr_Clear(), NULL;
  char* end;
  const long number = strtol(text + sizeof BEGIN - 1, &end, 10);
  if (strncmp(end, "] ", 2) != 0) return NULL;
  PyObject* made = PyObject_CallFunction(class, "ls", number, end + 2);
  PyErr_Clear();
  return made;
}

/* New: class(message), but KeyError(key). NULL with an exception. */
static PyObject* instance_of(PyObject* class, PyObject* message) {
  if (class == PyExc_OSError) {
    PyObject* made = of_errno(class, message);
    if (made != NULL) return made;
  }
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
  const int32_t code = *item.code;
  const int is_container = code == JF_LIST || code == JF_MAP || code == JF_SET || code == JF_TUPLE;
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
  PyObject* class = registered_class(kind);
  if (class == NULL) class = builtin_class(kind);
  PyObject* args = class != NULL ? args_of(items) : NULL;
  PyObject* made = args != NULL ? PyObject_CallObject(class, args) : NULL;
  PyErr_Clear();
  Py_XDECREF(args);
  Py_XDECREF(class);
  return made;
}

/* New: RuntimeError("kind: message"), which names a class that is registered for the kind (borrowed, may be NULL) and has not
 * taken the message. */
static PyObject* stand_in(PyObject* kind, PyObject* message, PyObject* refused) {
  PyObject* name = refused != NULL ? PyObject_GetAttrString(refused, "__qualname__") : NULL;
  PyErr_Clear();
  PyObject* text = refused == NULL ? PyUnicode_FromFormat("%U: %U", kind, message)
                   : name != NULL  ? PyUnicode_FromFormat("%U: %U (%S takes no message alone)", kind, message, name)
                                   : PyUnicode_FromFormat("%U: %U (its class takes no message alone)", kind, message);
  Py_XDECREF(name);
  return text != NULL ? PyObject_CallFunction(PyExc_RuntimeError, "N", text) : NULL;
}

/* New: kind(message), or kind called with the items of a Tuple that is `host` (borrowed, may be NULL); RuntimeError where there is
 * no such class or it wants other arguments. NULL with an exception. */
PyObject* core_error_instance(PyObject* kind, PyObject* message, jf_object* host) {
  PyObject* made = host != NULL && host->type_code == JF_TUPLE ? instance_with(kind, host) : NULL;
  PyObject* class = made == NULL ? class_of_kind(kind) : NULL;
  if (class != NULL) made = instance_of(class, message);
  PyErr_Clear();
  if (made != NULL && !PyExceptionInstance_Check(made)) Py_CLEAR(made);
  if (made == NULL) {
    PyObject* refused = registered_class(kind);
    made = stand_in(kind, message, refused);
    Py_XDECREF(refused);
  }
  Py_XDECREF(class);
  return made;
}
