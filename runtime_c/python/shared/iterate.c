/* Iterators of List and Tuple: by position, so that they see what happens to a list meanwhile as Python's do. */
#include "fast_paths.h"
#include "hooks.h"
#include "jitffi/abi.h"
#include "sequence.h"
#include "wrapper.h"

typedef struct {
  PyObject_HEAD PyObject* wrapper; /* NULL: exhausted */
  Py_ssize_t next;
} iterator;

static void iterator_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Py_XDECREF(((iterator*)self)->wrapper);
  PyObject_GC_Del(self);
}

static int iterator_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(((iterator*)self)->wrapper);
  return 0;
}

static PyObject* iterator_next(PyObject* self) {
  iterator* it = (iterator*)self;
  if (it->wrapper == NULL) return NULL;
  const jf_list* list = (const jf_list*)((core_wrapper*)it->wrapper)->object;
  if (list == NULL) return (void)core_wrapper_get(it->wrapper), NULL;
  if ((size_t)it->next < list->size) return fast_box(list->items[it->next++]);
  Py_CLEAR(it->wrapper);
  return NULL;
}

static PyObject* reversed_next(PyObject* self) {
  iterator* it = (iterator*)self;
  if (it->wrapper == NULL) return NULL;
  const jf_list* list = (const jf_list*)((core_wrapper*)it->wrapper)->object;
  if (list == NULL) return (void)core_wrapper_get(it->wrapper), NULL;
  if (it->next >= 0 && (size_t)it->next < list->size) return fast_box(list->items[it->next--]);
  Py_CLEAR(it->wrapper);
  return NULL;
}

static PyTypeObject iterator_type, reversed_type;

/* How many there are to come, by what the list's size is now. */
static Py_ssize_t left(const iterator* it) {
  const jf_list* list = it->wrapper != NULL ? (const jf_list*)((core_wrapper*)it->wrapper)->object : NULL;
  if (list == NULL) return 0;
  const Py_ssize_t size = (Py_ssize_t)list->size;
  if (Py_TYPE(it) == &reversed_type) return it->next < size ? it->next + 1 : 0;
  return it->next < size ? size - it->next : 0;
}

static PyObject* length_hint(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyLong_FromSsize_t(left((iterator*)self));
}

static PyObject* reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  const iterator* it = (const iterator*)self;
  PyObject* builtins = PyImport_ImportModule("builtins");
  PyObject* make =
      builtins != NULL ? PyObject_GetAttrString(builtins, Py_TYPE(self) == &reversed_type ? "reversed" : "iter") : NULL;
  Py_XDECREF(builtins);
  if (make == NULL) return NULL;
  if (it->wrapper == NULL) return Py_BuildValue("N([])", make);
  return Py_BuildValue("N(O)n", make, it->wrapper, it->next);
}

static PyObject* set_state(PyObject* self, PyObject* state) {
  iterator* it = (iterator*)self;
  Py_ssize_t next = PyLong_AsSsize_t(state);
  if (next == -1 && PyErr_Occurred()) return NULL;
  const int is_reversed = Py_TYPE(self) == &reversed_type;
  const jf_list* list = it->wrapper != NULL ? (const jf_list*)((core_wrapper*)it->wrapper)->object : NULL;
  if (is_reversed && list != NULL && next >= (Py_ssize_t)list->size) next = (Py_ssize_t)list->size - 1;
  const Py_ssize_t least = is_reversed ? -1 : 0;
  it->next = next < least ? least : next;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"__length_hint__", length_hint, METH_NOARGS, "How many are to come."},
    {"__reduce__", reduce, METH_NOARGS, "For pickle and copy."},
    {"__setstate__", set_state, METH_O, "For pickle and copy."},
    {NULL, NULL, 0, NULL},
};

#define ITERATOR_TYPE(name, next)                                                              \
  {                                                                                            \
      PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi._core." name,                           \
      .tp_basicsize = sizeof(iterator),                                                        \
      .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, \
      .tp_dealloc = iterator_dealloc,                                                          \
      .tp_traverse = iterator_traverse,                                                        \
      .tp_iter = PyObject_SelfIter,                                                            \
      .tp_iternext = (next),                                                                   \
      .tp_methods = methods,                                                                   \
  }

static PyTypeObject iterator_type = ITERATOR_TYPE("Iterator", iterator_next);
static PyTypeObject reversed_type = ITERATOR_TYPE("ReverseIterator", reversed_next);

/* New; wrapper is a List or a Tuple. NULL with an exception. */
PyObject* core_iterate(PyObject* wrapper, int backwards) {
  iterator* made = PyObject_GC_New(iterator, backwards ? &reversed_type : &iterator_type);
  if (made == NULL) return NULL;
  const jf_list* list = (const jf_list*)core_wrapper_get(wrapper); /* after the collector, which may have moved it */
  if (list == NULL) {
    PyObject_GC_Del(made);
    return NULL;
  }
  made->wrapper = Py_NewRef(wrapper);
  made->next = backwards ? (Py_ssize_t)list->size - 1 : 0;
  PyObject_GC_Track(made);
  return (PyObject*)made;
}

/* 0, or -1 with an exception. */
int core_iterate_init(PyObject* module) {
  (void)module;
  return core_type_ready(&iterator_type) != 0 || core_type_ready(&reversed_type) != 0 ? -1 : 0;
}
