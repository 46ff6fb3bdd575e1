/* The methods of jitffi.List: Python's list's own, and to_python, to_numpy and unshare. */
#include "borrow.h"
#include "box.h"
#include "convert.h"
#include "error.h"
#include "fast_paths.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "sequence.h"
#include "wrapper.h"

static PyObject* none_or_raised(int32_t status) {
  if (status == 0) Py_RETURN_NONE;
  core_error_raise(NULL);
  return NULL;
}

static PyObject* wrap(jf_object* list) {
  if (list != NULL) return core_wrapper_make(&core_list_type, list);
  core_error_raise(NULL);
  return NULL;
}

/* -- adding and removing --------------------------------------------------------------------------------------- */

static PyObject* list_append(PyObject* self, PyObject* value) {
  jf_object* list = core_wrapper_get(self);
  if (list == NULL) return NULL;
  jf_object_retain(list);
  int status = core_list_add(list, value);
  jf_object_release(list);
  return status == 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject* list_extend(PyObject* self, PyObject* source) {
  jf_object* list = core_wrapper_get(self);
  if (list == NULL) return NULL;
  jf_object_retain(list);
  int status = core_list_extend(list, source);
  jf_object_release(list);
  return status == 0 ? Py_NewRef(Py_None) : NULL;
}

/* 0 and the integer; -1 with an exception. */
static int index_of(PyObject* object, Py_ssize_t* out) {
  PyObject* number = PyNumber_Index(object);
  *out = number != NULL ? PyLong_AsSsize_t(number) : -1;
  Py_XDECREF(number);
  return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

static PyObject* list_insert(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  Py_ssize_t index;
  core_borrowed borrowed;
  if (core_check_count("insert", given, 2, 2) != 0 || index_of(args[0], &index) != 0 ||
      core_borrow(args[1], &borrowed) != 0)
    return NULL;
  jf_object* list = core_wrapper_get(self);
  PyObject* done = list != NULL ? none_or_raised(jf_list_insert(list, index, &borrowed.view)) : NULL;
  core_borrowed_done(&borrowed);
  return done;
}

static PyObject* list_pop(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  Py_ssize_t index = -1;
  union {
    jf_value slot;
    char bytes[JF_PAYLOAD_OFFSET + JF_MAX_CAPACITY];
  } out;
  if (core_check_count("pop", given, 0, 1) != 0 || (given == 1 && index_of(args[0], &index) != 0)) return NULL;
  jf_object* list = core_wrapper_get(self);
  if (list == NULL) return NULL;
  jf_out_init(&out.slot, JF_MAX_CAPACITY);
  if (jf_list_pop(list, index, &out.slot) == 0) return core_box_slot(&out.slot);
  core_error_raise(NULL);
  return NULL;
}

static PyObject* list_remove(PyObject* self, PyObject* value) {
  core_borrowed borrowed;
  if (core_borrow(value, &borrowed) != 0) {
    if (core_not_a_value() != 0) return NULL;
    PyErr_SetString(PyExc_ValueError, "list.remove(x): x not in list");
    return NULL;
  }
  jf_object* list = core_wrapper_get(self);
  jf_object_retain(list);
  PyObject* done = list != NULL ? none_or_raised(jf_list_remove(list, &borrowed.view)) : NULL;
  core_borrowed_done(&borrowed);
  jf_object_release(list);
  return done;
}

static PyObject* list_clear(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* list = core_wrapper_get(self);
  if (list == NULL) return NULL;
  jf_list_clear(list);
  Py_RETURN_NONE;
}

/* -- order ------------------------------------------------------------------------------------------------------- */

static PyObject* list_reverse(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* list = core_wrapper_get(self);
  if (list == NULL) return NULL;
  jf_list_reverse(list);
  Py_RETURN_NONE;
}

/* New Python list of key(item). The items are nobody else's meanwhile. */
static PyObject* keys_of(const jf_list* contents, PyObject* key) {
  PyObject* keys = PyList_New((Py_ssize_t)contents->size);
  for (size_t i = 0; keys != NULL && i < contents->size; i++) {
    PyObject* item = fast_box(contents->items[i]);
    PyObject* value = item != NULL ? PyObject_CallOneArg(key, item) : NULL;
    Py_XDECREF(item);
    if (value != NULL)
      PyList_SET_ITEM(keys, (Py_ssize_t)i, value);
    else
      Py_CLEAR(keys);
  }
  return keys;
}

/* New Python list of the positions 0 to count - 1, in the order of keys. Python sorts. */
static PyObject* sorted_positions(PyObject* keys, int reverse) {
  PyObject* order = PyList_New(0);
  for (Py_ssize_t i = 0; order != NULL && i < PyList_GET_SIZE(keys); i++) {
    PyObject* position = PyLong_FromSsize_t(i);
    if (position == NULL || PyList_Append(order, position) != 0) Py_CLEAR(order);
    Py_XDECREF(position);
  }
  PyObject* get = order != NULL ? PyObject_GetAttrString(keys, "__getitem__") : NULL;
  PyObject* sort = get != NULL ? PyObject_GetAttrString(order, "sort") : NULL;
  PyObject* none = PyTuple_New(0);
  PyObject* options =
      sort != NULL ? Py_BuildValue("{sOsO}", "key", get, "reverse", reverse ? Py_True : Py_False) : NULL;
  PyObject* done = options != NULL && none != NULL ? PyObject_Call(sort, none, options) : NULL;
  if (done == NULL) Py_CLEAR(order);
  Py_XDECREF(get);
  Py_XDECREF(sort);
  Py_XDECREF(none);
  Py_XDECREF(options);
  Py_XDECREF(done);
  return order;
}

/* Puts the items in that order. -1 with MemoryError. */
static int reorder(const jf_list* contents, PyObject* order) {
  jf_item* before = PyMem_New(jf_item, contents->size);
  if (before == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  memcpy(before, contents->items, contents->size * sizeof *before);
  for (size_t i = 0; i < contents->size; i++) {
    int64_t from = 0;
    fast_int(PyList_GET_ITEM(order, (Py_ssize_t)i), &from);
    contents->items[i] = before[from];
  }
  PyMem_Free(before);
  return 0;
}

/* The list looks empty to the key function and to comparisons, as Python's does. A failure leaves it as it was. */
static int sort_by_key(jf_object* list, PyObject* key, int reverse) {
  jf_list contents;
  if (jf_list_size(list) == 0) return 0;
  jf_list_detach(list, &contents);
  PyObject* keys = keys_of(&contents, key);
  PyObject* order = keys != NULL ? sorted_positions(keys, reverse) : NULL;
  int status = order != NULL ? reorder(&contents, order) : -1;
  PyObject* exception = status != 0 ? core_error_fetch() : NULL;
  const int is_changed = jf_list_attach(list, &contents); /* destructors of what was put into it run here */
  if (status != 0) {
    core_error_restore(exception);
  } else if (is_changed) {
    PyErr_SetString(PyExc_ValueError, "list modified during sort");
    status = -1;
  }
  Py_XDECREF(keys);
  Py_XDECREF(order);
  return status;
}

static PyObject* list_sort(PyObject* self, PyObject* args, PyObject* keywords) {
  static char* names[] = {"key", "reverse", NULL};
  PyObject* key = Py_None;
  int reverse = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$Op:sort", names, &key, &reverse)) return NULL;
  jf_object* list = core_wrapper_get(self);
  if (list == NULL) return NULL;
  jf_object_retain(list);
  int status = key != Py_None ? sort_by_key(list, key, reverse) : jf_list_sort(list, NULL, reverse);
  if (status != 0 && key == Py_None) core_error_raise(NULL);
  jf_object_release(list);
  return status == 0 ? Py_NewRef(Py_None) : NULL;
}

/* -- copies ------------------------------------------------------------------------------------------------------ */

static PyObject* list_copy(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* list = core_wrapper_get(self);
  return list != NULL ? wrap(jf_list_copy(list)) : NULL;
}

/* New: copy.deepcopy(item, memo). */
static PyObject* deep_copy(PyObject* item, PyObject* memo) {
  PyObject* module = PyImport_ImportModule("copy");
  PyObject* made = module != NULL ? PyObject_CallMethod(module, "deepcopy", "OO", item, memo) : NULL;
  Py_XDECREF(module);
  return made;
}

/* made, which it takes (NULL too), with the attributes that an object of a Python subclass has; NULL with an exception.
 * memo: that of copy.deepcopy; NULL: they are shared. */
PyObject* core_wrapper_attributes(PyObject* self, PyObject* made, PyObject* memo) {
  if (made == NULL || !(Py_TYPE(self)->tp_flags & Py_TPFLAGS_HEAPTYPE)) return made;
  PyObject* own = PyObject_GetAttrString(self, "__dict__");
  if (own == NULL) { /* __slots__ */
    if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
      PyErr_Clear();
      return made;
    }
    Py_CLEAR(made);
    return NULL;
  }
  PyObject* copied = memo != NULL ? deep_copy(own, memo) : Py_NewRef(own);
  PyObject* theirs = copied != NULL ? PyObject_GetAttrString(made, "__dict__") : NULL;
  if (theirs == NULL || PyDict_Update(theirs, copied) != 0) Py_CLEAR(made);
  Py_DECREF(own);
  Py_XDECREF(copied);
  Py_XDECREF(theirs);
  return made;
}

/* __copy__: as copy(), but of a subclass again. */
static PyObject* list_copy_same(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* list = core_wrapper_get(self);
  jf_object* copy = list != NULL ? jf_list_copy(list) : NULL;
  if (copy == NULL) return list != NULL ? wrap(NULL) : NULL;
  return core_wrapper_attributes(self, core_wrapper_make(Py_TYPE(self), copy), NULL);
}

static int add_deep_copies(jf_object* copy, PyObject* self, PyObject* memo) {
  for (size_t i = 0;; i++) {
    const jf_list* list = (const jf_list*)core_wrapper_get(self);
    if (list == NULL) return -1;
    if (i >= list->size) return 0;
    const int is_plain = *list->items[i].code < 0;
    PyObject* item = fast_box(list->items[i]);
    PyObject* copied = item == NULL || is_plain ? Py_XNewRef(item) : deep_copy(item, memo);
    int status = copied != NULL ? core_list_add(copy, copied) : -1;
    Py_XDECREF(item);
    Py_XDECREF(copied);
    if (status != 0) return -1;
  }
}

static PyObject* list_deepcopy(PyObject* self, PyObject* memo) {
  jf_object* list = core_wrapper_get(self);
  jf_object* copy = list != NULL ? core_list_from(NULL, jf_list_pad(list)) : NULL;
  jf_object_retain(copy); /* the memo shows the wrapper, which its finder may empty */
  PyObject* made = copy != NULL ? core_wrapper_make(Py_TYPE(self), copy) : NULL;
  PyObject* key = made != NULL ? PyLong_FromVoidPtr(self) : NULL;
  if (key == NULL || (memo != Py_None && PyObject_SetItem(memo, key, made) != 0) ||
      add_deep_copies(copy, self, memo) != 0)
    Py_CLEAR(made);
  Py_XDECREF(key);
  jf_object_release(copy);
  return core_wrapper_attributes(self, made, memo);
}

/* New: copyreg.__newobj_ex__, which keeps the pad. */
static PyObject* list_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* list = core_wrapper_get(self);
  const int pad = list != NULL ? (int)jf_list_pad(list) : 0; /* what follows may run anything */
  PyObject* module = list != NULL ? PyImport_ImportModule("copyreg") : NULL;
  PyObject* make = module != NULL ? PyObject_GetAttrString(module, "__newobj_ex__") : NULL;
  Py_XDECREF(module);
  if (make == NULL) return NULL;
  PyObject* state = PyObject_GetAttrString(self, "__dict__"); /* of a Python subclass */
  if (state == NULL) {
    PyErr_Clear();
    state = Py_NewRef(Py_None);
  }
  PyObject* items = core_iterate(self, 0);
  if (items == NULL) {
    Py_DECREF(make);
    Py_DECREF(state);
    return NULL;
  }
  return Py_BuildValue("N(O(){si})NN", make, Py_TYPE(self), "pad", pad, state, items);
}

static PyObject* list_unshare(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* list = core_wrapper_get(self);
  if (list == NULL) return NULL;
  if (core_ref_count(list) == 1) Py_RETURN_NONE;
  jf_object* copy = jf_list_copy(list);
  if (copy == NULL) return none_or_raised(-1);
  return core_wrapper_replace(self, copy) == 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject* list_reversed(PyObject* self, PyObject* unused) {
  (void)unused;
  return core_iterate(self, 1);
}

static PyObject* list_sizeof(PyObject* self, PyObject* unused) {
  (void)unused;
  const jf_list* list = (const jf_list*)core_wrapper_get(self);
  if (list == NULL) return NULL;
  size_t size = (size_t)Py_TYPE(self)->tp_basicsize + sizeof *list + list->capacity * sizeof(jf_item);
  for (const jf_pool_block* block = list->pool.blocks; block != NULL; block = block->next)
    size += sizeof *block + block->slots * (size_t)list->pool.stride;
  return PyLong_FromSize_t(size);
}

PyMethodDef core_list_methods[] = {
    {"append", list_append, METH_O,
     "append($self, value, /)\n--\n\nAdd a value at the end. OverflowError for an int of more than 64 bits."},
    {"extend", list_extend, METH_O, "extend($self, iterable, /)\n--\n\nAdd what an iterable gives at the end."},
    {"insert", (PyCFunction)(void (*)(void))list_insert, METH_FASTCALL,
     "insert($self, index, value, /)\n--\n\nAdd a value before index."},
    {"pop", (PyCFunction)(void (*)(void))list_pop, METH_FASTCALL,
     "pop($self, index=-1, /)\n--\n\nTake an item out and return it; IndexError if there is none."},
    {"remove", list_remove, METH_O,
     "remove($self, value, /)\n--\n\nTake the first equal item out; ValueError if there is none."},
    {"clear", list_clear, METH_NOARGS, "clear($self, /)\n--\n\nTake all items out."},
    {"index", (PyCFunction)(void (*)(void))core_items_index, METH_FASTCALL,
     "index($self, value, start=0, stop=9223372036854775807, /)\n--\n\nThe position of the first equal item; "
     "ValueError if there is none."},
    {"count", core_items_count, METH_O, "count($self, value, /)\n--\n\nHow many items are equal to the value."},
    {"reverse", list_reverse, METH_NOARGS, "reverse($self, /)\n--\n\nTurn the order round, in place."},
    {"sort", (PyCFunction)(void (*)(void))list_sort, METH_VARARGS | METH_KEYWORDS,
     "sort($self, *, key=None, reverse=False)\n--\n\nSort in place, stable; ValueError if the key or a comparison "
     "changes the list."},
    {"copy", list_copy, METH_NOARGS, "copy($self, /)\n--\n\nA new list of the same items."},
    {"to_python", core_items_to_python, METH_NOARGS,
     "to_python($self, /)\n--\n\nA Python list; Lists, Tuples and Maps inside become list, tuple and dict.\n\n"
     ">>> import jitffi\n>>> jitffi.List([1, (2, 'x')]).to_python()\n[1, (2, 'x')]"},
    {"to_numpy", (PyCFunction)(void (*)(void))core_list_to_numpy, METH_VARARGS | METH_KEYWORDS,
     "to_numpy($self, dtype=None)\n--\n\nA new NumPy array of ints, floats or bools. TypeError for other items, "
     "OverflowError for ints that the dtype cannot hold."},
    {"unshare", list_unshare, METH_NOARGS,
     "unshare($self, /)\n--\n\nMake sure that nobody else sees what is done to this list: it becomes a copy if others "
     "refer to it."},
    {"__array__", (PyCFunction)(void (*)(void))core_list_array, METH_VARARGS | METH_KEYWORDS, "For numpy.asarray."},
    {"__copy__", list_copy_same, METH_NOARGS, "For copy.copy."},
    {"__deepcopy__", list_deepcopy, METH_O, "For copy.deepcopy."},
    {"__reduce__", list_reduce, METH_NOARGS, "For pickle."},
    {"__reversed__", list_reversed, METH_NOARGS, "For reversed()."},
    {"__sizeof__", list_sizeof, METH_NOARGS, "Bytes, those of its pool included."},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, "List[int] and the like."},
    {NULL, NULL, 0, NULL},
};
