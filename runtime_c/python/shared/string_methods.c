/* The methods of str on String and UCS4String: Python's own, called on a str that is made for the call.
 *
 * They give what str's give, str and list. Strings among the arguments count as str, Bytes as bytes.
 */
#include "text_object.h"

enum { MOST_ON_STACK = 8 };

/* -- arguments ---------------------------------------------------------------------------------------------- */

static int is_wrapped(PyObject* object) {
  return core_is_text_object(object) || PyObject_TypeCheck(object, &core_bytes_type);
}

/* New: the str or bytes of a wrapper, the tuple with those for wrappers in it, else the object itself. NULL with an exception. */
static PyObject* unwrapped(PyObject* object) {
  if (is_wrapped(object)) return core_text_python(object);
  if (!PyTuple_CheckExact(object)) return Py_NewRef(object);
  Py_ssize_t size = PyTuple_GET_SIZE(object);
  Py_ssize_t first = 0;
  while (first < size && !is_wrapped(PyTuple_GET_ITEM(object, first))) first++;
  if (first == size) return Py_NewRef(object);
  PyObject* made = PyTuple_New(size);
  for (Py_ssize_t i = 0; made != NULL && i < size; i++) {
    PyObject* item = PyTuple_GET_ITEM(object, i);
    item = is_wrapped(item) ? core_text_python(item) : Py_NewRef(item);
    if (item == NULL)
      Py_CLEAR(made);
    else
      PyTuple_SET_ITEM(made, i, item);
  }
  return made;
}

static void drop_all(PyObject** objects, Py_ssize_t count) {
  while (count > 0) Py_DECREF(objects[--count]);
}

static PyObject* call_with(PyObject* name, PyObject** all, int unwrap, PyObject* const* args, Py_ssize_t given,
                           PyObject* kwnames) {
  Py_ssize_t count = given + (kwnames != NULL ? PyTuple_GET_SIZE(kwnames) : 0);
  for (Py_ssize_t i = 0; i < count; i++) {
    all[i + 1] = unwrap ? unwrapped(args[i]) : Py_NewRef(args[i]);
    if (all[i + 1] == NULL) {
      drop_all(all + 1, i);
      return NULL;
    }
  }
  PyObject* result = PyObject_VectorcallMethod(name, all, (size_t)(given + 1), kwnames);
  drop_all(all + 1, count);
  return result;
}

/* New. *interned is kept for good. */
PyObject* core_text_delegate(PyObject* self, PyObject** interned, const char* name, int unwrap, PyObject* const* args,
                             Py_ssize_t given, PyObject* kwnames) {
  PyObject* small[MOST_ON_STACK];
  Py_ssize_t count = 1 + given + (kwnames != NULL ? PyTuple_GET_SIZE(kwnames) : 0);
  if (*interned == NULL && (*interned = PyUnicode_InternFromString(name)) == NULL) return NULL;
  PyObject** all = count <= MOST_ON_STACK ? small : PyMem_New(PyObject*, count);
  if (all == NULL) return PyErr_NoMemory();
  PyObject* result = NULL;
  all[0] = core_text_python(self);
  if (all[0] != NULL) {
    PyObject* text = all[0]; /* the callee may use the array's first place */
    result = call_with(*interned, all, unwrap, args, given, kwnames);
    Py_DECREF(text);
  }
  if (all != small) PyMem_Free(all);
  return result;
}

/* -- the methods that are not called as they are ---------------------------------------------------------------- */

/* New list with a str for each String. Steals items; NULL with an exception. */
static PyObject* unwrapped_items(PyObject* items) {
  Py_ssize_t first = 0;
  Py_ssize_t size = PySequence_Fast_GET_SIZE(items);
  while (first < size && !core_is_text_object(PySequence_Fast_GET_ITEM(items, first))) first++;
  if (first == size) return items;
  PyObject* made = PySequence_List(items);
  Py_DECREF(items);
  for (Py_ssize_t i = first; made != NULL && i < PyList_GET_SIZE(made); i++) {
    PyObject* item = PyList_GET_ITEM(made, i);
    if (!core_is_text_object(item)) continue;
    PyObject* text = core_text_python(item);
    if (text == NULL || PyList_SetItem(made, i, text) != 0) Py_CLEAR(made);
  }
  return made;
}

/* join(iterable): the items may be Strings, wherever they come from. */
static PyObject* text_join(PyObject* self, PyObject* iterable) {
  PyObject* items = PySequence_Fast(iterable, "can only join an iterable");
  if (items != NULL) items = unwrapped_items(items);
  PyObject* separator = items != NULL ? core_text_python(self) : NULL;
  PyObject* joined = separator != NULL ? PyUnicode_Join(separator, items) : NULL;
  Py_XDECREF(separator);
  Py_XDECREF(items);
  return joined;
}

static PyObject* text_maketrans(PyObject* unused, PyObject* args) {
  (void)unused;
  PyObject* method = PyObject_GetAttrString((PyObject*)&PyUnicode_Type, "maketrans");
  PyObject* plain = method != NULL ? unwrapped(args) : NULL;
  PyObject* table = plain != NULL ? PyObject_Call(method, plain, NULL) : NULL;
  Py_XDECREF(method);
  Py_XDECREF(plain);
  return table;
}

/* New: (class, (text,)). */
PyObject* core_text_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  PyObject* text = core_text_python(self);
  return text != NULL ? Py_BuildValue("(O(N))", Py_TYPE(self), text) : NULL;
}

/* What copies of something immutable are. */
PyObject* core_text_self(PyObject* self, PyObject* unused) {
  (void)unused;
  return Py_NewRef(self);
}

/* New. */
PyObject* core_text_to_python(PyObject* self, PyObject* unused) {
  (void)unused;
  return core_text_python(self);
}

/* -- the others -------------------------------------------------------------------------------------------------- */

#define METHODS(_) CORE_TEXT_METHODS(_) _(casefold) _(encode) _(isdecimal) _(isidentifier) _(isnumeric) _(isprintable)

#define DEFINE(method) CORE_TEXT_DELEGATE(text, method, 1)
#define ROW(method) \
  {#method, (PyCFunction)(void (*)(void))text_##method, METH_FASTCALL | METH_KEYWORDS, "As str." #method "."},
METHODS(DEFINE)
CORE_TEXT_DELEGATE(text, format, 0) /* what fills the fields formats itself */
CORE_TEXT_DELEGATE(text, format_map, 0)
CORE_TEXT_DELEGATE(text, __format__, 1)

PyMethodDef core_text_methods[] = {
    METHODS(ROW) ROW(format) ROW(format_map)
        ROW(__format__){"join", text_join, METH_O, "As str.join; the items may be Strings."},
    {"maketrans", text_maketrans, METH_VARARGS | METH_STATIC, "As str.maketrans."},
    {"to_python", core_text_to_python, METH_NOARGS, "The text as a str."},
    {"__reduce__", core_text_reduce, METH_NOARGS, NULL},
    {"__copy__", core_text_self, METH_NOARGS, NULL},
    {"__deepcopy__", core_text_self, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
