/* keys(), values() and items() of a Map: live views and their iterators, which are a Set's, too; keys and items with the operations
 * of a set.
 *
 *   view:      PyObject head | map wrapper
 *   iterator:  PyObject head | map wrapper (NULL at the end) | native map and its version when it was made | position | pair
 *
 * Set operations are those of a Python set that is made of the view.
 */
#include "fast_paths.h"
#include "hooks.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "map_object.h"
#include "sequence.h"
#include "shape_object.h"
#include "text_object.h"
#include "wrapper.h"

typedef struct {
  PyObject_HEAD PyObject* map;
} map_view;

typedef struct {
  PyObject_HEAD PyObject* map;
  const jf_object* native; /* only compared: unshare() may have put another one into the wrapper */
  uint64_t version;
  size_t next; /* entries that were passed, as jf_map_next counts them: their numbers change with the version only */
  Py_ssize_t left;
  int reversed;
  int kind;
  PyObject* pair; /* the last one that items() gave, used again when nobody kept it */
} map_iterator;

static PyTypeObject keys_type, values_type, items_type, iterator_type;

static int kind_of(PyObject* view) {
  return Py_TYPE(view) == &keys_type ? CORE_MAP_KEYS : Py_TYPE(view) == &values_type ? CORE_MAP_VALUES : CORE_MAP_ITEMS;
}

static int is_set_view(PyObject* object) { return Py_TYPE(object) == &keys_type || Py_TYPE(object) == &items_type; }

/* -- iteration ------------------------------------------------------------------------------------------------------ */

/* NULL at the end. */
static const jf_map_entry* next_entry(map_iterator* iterator, const jf_map* map) {
  while (iterator->next < map->used) {
    const size_t number = iterator->next++;
    const jf_map_entry* entry = jf_map_at(map, iterator->reversed ? map->used - 1 - number : number);
    if (entry->key.code != NULL) return entry;
  }
  return NULL;
}

/* New references to both. What makes wrappers may run the collector, and that whatever changes the map: values that lie in
 * the map are made first, and objects are held. -1 with an exception. */
static int box_pair(const jf_map_entry* entry, PyObject** boxed) {
  const jf_item key = entry->key;
  const jf_item value = entry->value;
  jf_object* first = *key.code > 0 ? key.object : NULL;
  jf_object* second = *value.code > 0 ? value.object : NULL;
  jf_object_retain(first);
  jf_object_retain(second);
  boxed[0] = first == NULL ? fast_box(key) : NULL;
  boxed[1] = fast_box(value);
  if (first != NULL) boxed[0] = fast_box(key);
  jf_object_release(first);
  jf_object_release(second);
  if (boxed[0] != NULL && boxed[1] != NULL) return 0;
  Py_CLEAR(boxed[0]);
  Py_CLEAR(boxed[1]);
  return -1;
}

/* New: the tuple of both, which are stolen. */
static PyObject* pair_of(map_iterator* iterator, PyObject** boxed) {
  PyObject* pair = iterator->pair;
  if (pair == NULL || Py_REFCNT(pair) != 1) {
    PyObject* made = PyTuple_New(2);
    if (made == NULL) {
      Py_DECREF(boxed[0]);
      Py_DECREF(boxed[1]);
      return NULL;
    }
    PyTuple_SET_ITEM(made, 0, boxed[0]);
    PyTuple_SET_ITEM(made, 1, boxed[1]);
    Py_XSETREF(iterator->pair, Py_NewRef(made));
    return made;
  }
  PyObject* old[2] = {PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1)};
  Py_INCREF(pair); /* before the old ones go: their destructors may use the iterator */
  PyTuple_SET_ITEM(pair, 0, boxed[0]);
  PyTuple_SET_ITEM(pair, 1, boxed[1]);
#if PY_VERSION_HEX >= 0x030E0000
  ((PyTupleObject*)pair)->ob_hash = -1; /* that of the old ones, kept since 3.14 */
#endif
  if (!PyObject_GC_IsTracked(pair)) PyObject_GC_Track(pair); /* the collector leaves out those of plain values */
  Py_DECREF(old[0]);
  Py_DECREF(old[1]);
  return pair;
}

static PyObject* fail_changed(map_iterator* iterator) {
  iterator->version = UINT64_MAX; /* and it stays so */
  PyErr_SetString(PyExc_RuntimeError, iterator->map != NULL && core_is_set(iterator->map)
                                          ? "Set changed size during iteration"
                                          : "Map changed during iteration");
  return NULL;
}

static PyObject* iterator_next(PyObject* self) {
  map_iterator* iterator = (map_iterator*)self;
  if (iterator->map == NULL) return NULL;
  jf_object* map = core_wrapper_get(iterator->map);
  if (map == NULL) return NULL;
  if (map != iterator->native || ((const jf_map*)(const void*)map)->version != iterator->version)
    return fail_changed(iterator);
  const jf_map_entry* entry = next_entry(iterator, (const jf_map*)(const void*)map);
  if (entry == NULL) {
    Py_CLEAR(iterator->map);
    return NULL;
  }
  if (iterator->left > 0) iterator->left--;
  if (iterator->kind != CORE_MAP_ITEMS) return fast_box(iterator->kind == CORE_MAP_KEYS ? entry->key : entry->value);
  PyObject* boxed[2];
  return box_pair(entry, boxed) == 0 ? pair_of(iterator, boxed) : NULL;
}

static PyObject* iterator_hint(PyObject* self, PyObject* unused) {
  (void)unused;
  const map_iterator* iterator = (map_iterator*)self;
  return PyLong_FromSsize_t(iterator->map != NULL ? iterator->left : 0);
}

static int iterator_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(((map_iterator*)self)->map);
  Py_VISIT(((map_iterator*)self)->pair);
  return 0;
}

static int iterator_clear(PyObject* self) {
  Py_CLEAR(((map_iterator*)self)->map);
  Py_CLEAR(((map_iterator*)self)->pair);
  return 0;
}

static void iterator_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  (void)iterator_clear(self);
  PyObject_GC_Del(self);
}

/* As dict's: what is to come, as a list. The iterator itself stays where it is. */
static PyObject* iterator_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  map_iterator* iterator = (map_iterator*)self;
  PyObject* rest = PyList_New(0);
  if (iterator->map != NULL && rest != NULL) {
    Py_DECREF(rest);
    map_iterator* copy = PyObject_GC_New(map_iterator, &iterator_type);
    if (copy == NULL) return NULL;
    memcpy(&copy->map, &iterator->map, sizeof *copy - offsetof(map_iterator, map));
    Py_XINCREF(copy->map); /* making it may have run what ended the iterator */
    copy->pair = NULL;
    PyObject_GC_Track(copy);
    rest = PySequence_List((PyObject*)copy);
    Py_DECREF(copy);
  }
  PyObject* builtins = rest != NULL ? PyImport_ImportModule("builtins") : NULL;
  PyObject* make = builtins != NULL ? PyObject_GetAttrString(builtins, "iter") : NULL;
  Py_XDECREF(builtins);
  if (make != NULL) return Py_BuildValue("N(N)", make, rest);
  Py_XDECREF(rest);
  return NULL;
}

static PyMethodDef iterator_methods[] = {
    {"__length_hint__", iterator_hint, METH_NOARGS, NULL},
    {"__reduce__", iterator_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject iterator_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi._core.MapIterator",
    .tp_basicsize = sizeof(map_iterator),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = iterator_dealloc,
    .tp_traverse = iterator_traverse,
    .tp_clear = iterator_clear,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = iterator_next,
    .tp_methods = iterator_methods,
};

/* Borrows the wrapper. */
PyObject* core_map_iterate(PyObject* map, int kind, int reversed) {
  map_iterator* made = PyObject_GC_New(map_iterator, &iterator_type);
  if (made == NULL) return NULL;
  jf_object* native = core_wrapper_get(map); /* after the collector, which may have moved it */
  if (native == NULL) {
    PyObject_GC_Del(made);
    return NULL;
  }
  made->map = Py_NewRef(map);
  made->native = native;
  made->version = ((const jf_map*)(const void*)native)->version;
  made->next = 0;
  made->reversed = reversed;
  made->left = (Py_ssize_t)jf_map_size(native);
  made->kind = kind;
  made->pair = NULL;
  PyObject_GC_Track(made);
  return (PyObject*)made;
}

/* -- views ----------------------------------------------------------------------------------------------------------- */

static PyObject* map_of(PyObject* view) { return ((map_view*)view)->map; }

static int view_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(map_of(self));
  return 0;
}

/* No tp_clear: a view never changes, the cycle is broken at the map. */
static void view_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Py_DECREF(map_of(self));
  PyObject_GC_Del(self);
}

static Py_ssize_t view_length(PyObject* self) { return PyMapping_Size(map_of(self)); }

static PyObject* view_iter(PyObject* self) { return core_map_iterate(map_of(self), kind_of(self), 0); }

static PyObject* view_reversed(PyObject* self, PyObject* unused) {
  (void)unused;
  return core_map_iterate(map_of(self), kind_of(self), 1);
}

static PyObject* view_repr(PyObject* self) {
  int status = Py_ReprEnter(self);
  if (status != 0) return status > 0 ? PyUnicode_FromString("...") : NULL;
  PyObject* items = PySequence_List(self);
  PyObject* text = items != NULL ? PyUnicode_FromFormat("%s(%R)", core_wrapper_name(Py_TYPE(self)), items) : NULL;
  Py_XDECREF(items);
  Py_ReprLeave(self);
  return text;
}

static int keys_contain(PyObject* self, PyObject* key) { return PySequence_Contains(map_of(self), key); }

static int items_contain(PyObject* self, PyObject* pair) {
  const int is_python = PyTuple_Check(pair);
  if (!is_python && !PyObject_TypeCheck(pair, &core_tuple_type) && !PyObject_TypeCheck(pair, &core_shape_type))
    return 0;
  PyObject* items = is_python ? Py_NewRef(pair) : PySequence_Tuple(pair);
  if (items == NULL) return -1;
  int equal = 0;
  PyObject* value = PyTuple_GET_SIZE(items) == 2 ? core_map_find(map_of(self), PyTuple_GET_ITEM(items, 0)) : NULL;
  if (value != NULL)
    equal = core_map_same_value(value, PyTuple_GET_ITEM(items, 1));
  else if (PyErr_Occurred())
    equal = -1;
  Py_XDECREF(value);
  Py_DECREF(items);
  return equal;
}

static PyObject* view_mapping(PyObject* self, void* closure) {
  (void)closure;
  return PyDictProxy_New(map_of(self));
}

/* -- as sets ---------------------------------------------------------------------------------------------------------- */

/* New set of left, changed by its method with right. Filling a set runs the keys' code, so a view is read before. */
static PyObject* set_operation(PyObject* left, PyObject* right, const char* method) {
  PyObject* items = is_set_view(left) ? PySequence_List(left) : Py_NewRef(left);
  PyObject* set = items != NULL ? PySet_New(items) : NULL;
  Py_XDECREF(items);
  PyObject* done = set != NULL ? PyObject_CallMethod(set, method, "O", right) : NULL;
  if (done == NULL) Py_CLEAR(set);
  Py_XDECREF(done);
  return set;
}

static PyObject* view_and(PyObject* left, PyObject* right) { return set_operation(left, right, "intersection_update"); }

static PyObject* view_or(PyObject* left, PyObject* right) { return set_operation(left, right, "update"); }

static PyObject* view_subtract(PyObject* left, PyObject* right) {
  return set_operation(left, right, "difference_update");
}

static PyObject* view_xor(PyObject* left, PyObject* right) {
  return set_operation(left, right, "symmetric_difference_update");
}

/* Whether all items of one are in the other: 1, 0, -1. */
static int all_in(PyObject* items, PyObject* whole) {
  PyObject* iterator = PyObject_GetIter(items);
  if (iterator == NULL) return -1;
  int status = 1;
  PyObject* item;
  while (status > 0 && (item = PyIter_Next(iterator)) != NULL) {
    status = PySequence_Contains(whole, item);
    Py_DECREF(item);
  }
  Py_DECREF(iterator);
  return PyErr_Occurred() ? -1 : status;
}

static PyObject* view_compare(PyObject* self, PyObject* other, int operation) {
  if (!PyAnySet_Check(other) && !PyDictViewSet_Check(other) && !is_set_view(other) && !core_is_set(other))
    Py_RETURN_NOTIMPLEMENTED;
  Py_ssize_t mine = view_length(self);
  Py_ssize_t theirs = mine >= 0 ? PyObject_Size(other) : -1;
  if (theirs < 0) return NULL;
  int result = 0;
  switch (operation) {
    case Py_EQ:
    case Py_NE:
      result = mine == theirs ? all_in(other, self) : 0; /* ours knows a NaN again */
      if (operation == Py_NE && result >= 0) result = !result;
      break;
    case Py_LT:
    case Py_LE:
      result = mine < theirs + (operation == Py_LE) ? all_in(self, other) : 0;
      break;
    default:
      result = mine + (operation == Py_GE) > theirs ? all_in(other, self) : 0;
      break;
  }
  return result >= 0 ? PyBool_FromLong(result) : NULL;
}

static PyObject* view_isdisjoint(PyObject* self, PyObject* other) {
  PyObject* iterator = PyObject_GetIter(other);
  if (iterator == NULL) return NULL;
  int found = 0;
  PyObject* item;
  while (found == 0 && (item = PyIter_Next(iterator)) != NULL) {
    found = PySequence_Contains(self, item);
    Py_DECREF(item);
  }
  Py_DECREF(iterator);
  return found < 0 || PyErr_Occurred() ? NULL : PyBool_FromLong(!found);
}

/* -- the classes -------------------------------------------------------------------------------------------------------- */

static PyMethodDef values_methods[] = {
    {"__reversed__", view_reversed, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyMethodDef set_methods[] = {
    {"__reversed__", view_reversed, METH_NOARGS, NULL},
    {"isdisjoint", view_isdisjoint, METH_O, "Whether it has nothing in common with an iterable."},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef view_getset[] = {
    {"mapping", view_mapping, NULL, "The Map, read-only.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyNumberMethods set_number = {
    .nb_and = view_and, .nb_or = view_or, .nb_xor = view_xor, .nb_subtract = view_subtract};
static PySequenceMethods keys_sequence = {.sq_length = view_length, .sq_contains = keys_contain};
static PySequenceMethods items_sequence = {.sq_length = view_length, .sq_contains = items_contain};
static PySequenceMethods values_sequence = {.sq_length = view_length};

#define VIEW(name)                                                                                                     \
  PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi._core." name, .tp_basicsize = sizeof(map_view),                     \
                              .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, \
                              .tp_dealloc = view_dealloc, .tp_traverse = view_traverse, .tp_iter = view_iter,          \
                              .tp_repr = view_repr, .tp_getset = view_getset

static PyTypeObject keys_type = {
    VIEW("MapKeys"),
    .tp_as_sequence = &keys_sequence,
    .tp_as_number = &set_number,
    .tp_richcompare = view_compare,
    .tp_methods = set_methods,
};
static PyTypeObject items_type = {
    VIEW("MapItems"),
    .tp_as_sequence = &items_sequence,
    .tp_as_number = &set_number,
    .tp_richcompare = view_compare,
    .tp_methods = set_methods,
};
static PyTypeObject values_type = {
    VIEW("MapValues"),
    .tp_as_sequence = &values_sequence,
    .tp_methods = values_methods,
};

/* Borrows the wrapper, which stays alive as long as the view. */
PyObject* core_map_view(PyObject* map, int kind) {
  static PyTypeObject* const types[] = {&keys_type, &values_type, &items_type};
  map_view* made = PyObject_GC_New(map_view, types[kind]);
  if (made == NULL) return NULL;
  made->map = Py_NewRef(map);
  PyObject_GC_Track(made);
  return (PyObject*)made;
}

/* 0, or -1 with an exception. */
int core_map_views_init(PyObject* module) {
  (void)module;
  if (core_type_ready(&iterator_type) != 0) return -1;
  if (core_type_ready(&keys_type) != 0 || core_register_abc("KeysView", &keys_type) != 0) return -1;
  if (core_type_ready(&values_type) != 0 || core_register_abc("ValuesView", &values_type) != 0) return -1;
  return core_type_ready(&items_type) != 0 || core_register_abc("ItemsView", &items_type) != 0 ? -1 : 0;
}
