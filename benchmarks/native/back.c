/* Plain C values to Python objects, by the loop that a careful author writes for just this kind of value: the limit of every
 * way back from a container. hold(list or dict) copies the values into C memory, in a capsule that the other functions
 * take.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum { SHORT = 16 };
enum kind { INTEGER, REAL, TEXT };
typedef struct {
  int32_t kind;
  int32_t length;
  union {
    int64_t integer;
    double real;
    char text[SHORT]; /* ASCII */
    char* longer;     /* beyond that: in memory of its own, as a std::string's */
  };
} value;

typedef struct {
  Py_ssize_t size;
  value* keys; /* of a dict */
  value* values;
} held;

static const char* const CAPSULE = "held values";

static void release(held* all) {
  if (all == NULL) return;
  for (Py_ssize_t i = 0; all->values != NULL && i < all->size; i++)
    if (all->values[i].length > SHORT) PyMem_Free(all->values[i].longer);
  PyMem_Free(all->keys);
  PyMem_Free(all->values);
  PyMem_Free(all);
}

static void release_capsule(PyObject* capsule) { release(PyCapsule_GetPointer(capsule, CAPSULE)); }

static int take(PyObject* object, value* out) {
  if (PyLong_CheckExact(object)) {
    out->kind = INTEGER;
    out->integer = PyLong_AsLongLong(object);
    return PyErr_Occurred() ? -1 : 0;
  }
  if (PyFloat_CheckExact(object)) {
    out->kind = REAL;
    out->real = PyFloat_AS_DOUBLE(object);
    return 0;
  }
  Py_ssize_t size;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == NULL) return -1;
  if (size > INT32_MAX || !PyUnicode_IS_ASCII(object)) {
    PyErr_SetString(PyExc_ValueError, "only ASCII text");
    return -1;
  }
  char* place = size > SHORT ? PyMem_Malloc((size_t)size) : out->text;
  if (place == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  memcpy(place, text, (size_t)size);
  if (size > SHORT) out->longer = place;
  out->kind = TEXT;
  out->length = (int32_t)size;
  return 0;
}

static int take_all(PyObject* container, held* all) {
  if (PyList_CheckExact(container)) {
    for (Py_ssize_t i = 0; i < all->size; i++)
      if (take(PyList_GET_ITEM(container, i), &all->values[i])) return -1;
    return 0;
  }
  PyObject *key, *item;
  Py_ssize_t at = 0;
  for (Py_ssize_t i = 0; PyDict_Next(container, &at, &key, &item); i++)
    if (take(key, &all->keys[i]) || take(item, &all->values[i])) return -1;
  return 0; /* keys are short */
}

static PyObject* hold(PyObject* self, PyObject* container) {
  (void)self;
  if (!PyList_CheckExact(container) && !PyDict_CheckExact(container)) {
    PyErr_Format(PyExc_TypeError, "expected list or dict, got %s", Py_TYPE(container)->tp_name);
    return NULL;
  }
  held* all = PyMem_Calloc(1, sizeof(held));
  if (all == NULL) return PyErr_NoMemory();
  all->size = PyObject_Size(container);
  all->keys = PyMem_Calloc((size_t)all->size, sizeof(value));
  all->values = PyMem_Calloc((size_t)all->size, sizeof(value));
  if (all->keys == NULL || all->values == NULL) {
    release(all);
    return PyErr_NoMemory();
  }
  PyObject* capsule = take_all(container, all) ? NULL : PyCapsule_New(all, CAPSULE, release_capsule);
  if (capsule == NULL) release(all);
  return capsule;
}

static inline PyObject* integer(const value* from) { return PyLong_FromLongLong(from->integer); }

static inline PyObject* text(const value* from) {
  PyObject* made = PyUnicode_New(from->length, 127);
  const char* data = from->length > SHORT ? from->longer : from->text;
  if (made != NULL) memcpy(PyUnicode_1BYTE_DATA(made), data, (size_t)from->length);
  return made;
}

static inline PyObject* any(const value* from) {
  switch (from->kind) {
    case INTEGER:
      return integer(from);
    case REAL:
      return PyFloat_FromDouble(from->real);
    default:
      return text(from);
  }
}

/* `one` is a constant wherever this is called, so each has a loop of its own. */
static inline PyObject* list_of(PyObject* capsule, PyObject* (*one)(const value*)) {
  const held* all = PyCapsule_GetPointer(capsule, CAPSULE);
  PyObject* list = all == NULL ? NULL : PyList_New(all->size);
  for (Py_ssize_t i = 0; list != NULL && i < all->size; i++) {
    PyObject* made = one(&all->values[i]);
    if (made == NULL) {
      Py_CLEAR(list);
      break;
    }
    PyList_SET_ITEM(list, i, made);
  }
  return list;
}

static PyObject* ints(PyObject* self, PyObject* capsule) { return (void)self, list_of(capsule, integer); }
static PyObject* texts(PyObject* self, PyObject* capsule) { return (void)self, list_of(capsule, text); }
static PyObject* mixed(PyObject* self, PyObject* capsule) { return (void)self, list_of(capsule, any); }

/* A dict of text to ints. */
static PyObject* dict(PyObject* self, PyObject* capsule) {
  (void)self;
  const held* all = PyCapsule_GetPointer(capsule, CAPSULE);
  PyObject* made = all == NULL ? NULL : PyDict_New();
  for (Py_ssize_t i = 0; made != NULL && i < all->size; i++) {
    PyObject *key = text(&all->keys[i]), *item = integer(&all->values[i]);
    if (key == NULL || item == NULL || PyDict_SetItem(made, key, item)) Py_CLEAR(made);
    Py_XDECREF(key);
    Py_XDECREF(item);
  }
  return made;
}

static PyMethodDef methods[] = {
    {"hold", hold, METH_O, NULL},   {"ints", ints, METH_O, NULL}, {"texts", texts, METH_O, NULL},
    {"mixed", mixed, METH_O, NULL}, {"dict", dict, METH_O, NULL}, {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "back", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_back(void) { return PyModule_Create(&definition); }
