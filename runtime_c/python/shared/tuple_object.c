/* jitffi.Tuple: what Python's tuple does, on a native tuple. Equal to the tuple of the same values, with its hash. */
#include "borrow.h"
#include "convert.h"
#include "error.h"
#include "fast_paths.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "sequence.h"
#include "wrapper.h"

/* New: the same items in a tuple that has no wrapper. NULL with an exception. */
static jf_object* copy_of(const jf_object* tuple) {
  jf_object* list = jf_list_new(0, -1);
  jf_object* copy = list != NULL && jf_list_extend(list, tuple) == 0 ? jf_tuple_of(list) : NULL;
  jf_object_release(list);
  if (copy == NULL) core_error_raise(NULL);
  return copy;
}

/* New wrapper of a result, which it takes. That is a Tuple, also where it is all of an instance of a subclass. */
static PyObject* wrap(jf_object* tuple) {
  if (tuple == NULL) {
    core_error_raise(NULL);
    return NULL;
  }
  PyObject* made = core_wrapper_of(tuple); /* a slice of all of it is the same tuple */
  if (made != NULL && Py_TYPE(made) != &core_tuple_type && tuple->type_code == JF_TUPLE) {
    Py_DECREF(made);
    jf_object* copy = copy_of(tuple);
    made = copy != NULL ? core_wrapper_make(&core_tuple_type, copy) : NULL;
  }
  jf_object_release(tuple);
  return made;
}

/* Tuple(iterable=(), /) */
static PyObject* tuple_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  PyObject* source = NULL;
  if (type == &core_tuple_type && keywords != NULL && PyDict_GET_SIZE(keywords) > 0) {
    PyErr_SetString(PyExc_TypeError, "Tuple() takes no keyword arguments");
    return NULL;
  }
  if (!PyArg_UnpackTuple(args, "Tuple", 0, 1, &source)) return NULL;
  PyObject* empty = source == NULL ? PyTuple_New(0) : NULL;
  if (source == NULL && empty == NULL) return NULL;
  jf_object* tuple = core_tuple_from(source != NULL ? source : empty);
  Py_XDECREF(empty);
  if (tuple == NULL) return NULL;
  if (type == &core_tuple_type) return wrap(tuple);
  if (core_ref_count(tuple) == 1) return core_wrapper_make(type, tuple);
  jf_object* own = copy_of(tuple); /* a subclass's wrapper needs a tuple without one */
  jf_object_release(tuple);
  return own != NULL ? core_wrapper_make(type, own) : NULL;
}

static const jf_tuple* tuple_of(PyObject* self) { return (const jf_tuple*)core_wrapper_get(self); }

static Py_ssize_t tuple_length(PyObject* self) {
  const jf_tuple* tuple = tuple_of(self);
  return tuple != NULL ? (Py_ssize_t)tuple->size : -1;
}

static PyObject* tuple_item(PyObject* self, Py_ssize_t index) {
  const jf_tuple* tuple = tuple_of(self);
  if (tuple == NULL) return NULL;
  if (index >= 0 && (size_t)index < tuple->size) return fast_box(tuple->items[index]);
  PyErr_SetString(PyExc_IndexError, "tuple index out of range");
  return NULL;
}

static PyObject* tuple_slice(PyObject* self, PyObject* key) {
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(key, &start, &stop, &step) != 0) return NULL;
  const jf_tuple* tuple = tuple_of(self);
  if (tuple == NULL) return NULL;
  if (PySlice_AdjustIndices((Py_ssize_t)tuple->size, &start, &stop, step) == 0)
    start = stop = 0;
  else if (stop < 0)
    stop = JF_NO_INDEX; /* beyond the first item, going backwards */
  return wrap(jf_tuple_slice(&tuple->header, start, stop, step));
}

static PyObject* tuple_subscript(PyObject* self, PyObject* key) {
  int64_t index;
  if (PyLong_CheckExact(key) && fast_int(key, &index)) {
    const jf_tuple* tuple = (const jf_tuple*)((core_wrapper*)self)->object;
    if (tuple != NULL && index < 0) index += (int64_t)tuple->size;
    return tuple_item(self, (Py_ssize_t)index);
  }
  if (PyIndex_Check(key)) {
    index = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred()) return NULL;
    const jf_tuple* tuple = tuple_of(self);
    return tuple != NULL ? tuple_item(self, (Py_ssize_t)(index < 0 ? index + (int64_t)tuple->size : index)) : NULL;
  }
  if (PySlice_Check(key)) return tuple_slice(self, key);
  return PyErr_Format(PyExc_TypeError, "tuple indices must be integers or slices, not %.200s", Py_TYPE(key)->tp_name);
}

static int tuple_contains(PyObject* self, PyObject* value) {
  core_borrowed borrowed;
  if (core_borrow(value, &borrowed) != 0) return core_not_a_value();
  jf_object* tuple = core_wrapper_get(self);
  jf_object_retain(tuple);
  int64_t at = tuple != NULL ? jf_tuple_find(tuple, &borrowed.view, 0, INT64_MAX) : -3;
  if (at == -2) core_error_raise(NULL);
  core_borrowed_done(&borrowed);
  jf_object_release(tuple);
  return at < -1 ? -1 : at >= 0;
}

static int is_tuple(PyObject* object) { return PyObject_TypeCheck(object, &core_tuple_type); }

static int is_sequence(PyObject* object) {
  return is_tuple(object) || PyTuple_Check(object) || PyList_Check(object) ||
         PyObject_TypeCheck(object, &core_list_type);
}

/* With what Python's tuple is concatenated with, on either side, and with lists, as tvm-ffi's Array is. */
static PyObject* tuple_add(PyObject* left, PyObject* right) {
  if (!is_sequence(left)) Py_RETURN_NOTIMPLEMENTED;
  if (!is_sequence(right))
    return PyErr_Format(PyExc_TypeError, "can only concatenate tuple (not \"%.200s\") to tuple",
                        Py_TYPE(right)->tp_name);
  jf_object* first = core_tuple_from(left);
  jf_object* second = first != NULL ? core_tuple_from(right) : NULL;
  PyObject* made = second != NULL ? wrap(jf_tuple_concat(first, second)) : NULL;
  jf_object_release(first);
  jf_object_release(second);
  return made;
}

static PyObject* tuple_repeat(PyObject* self, Py_ssize_t times) {
  jf_object* tuple = core_wrapper_get(self);
  return tuple != NULL ? wrap(jf_tuple_repeat(tuple, times)) : NULL;
}

static Py_hash_t tuple_hash(PyObject* self) {
  jf_object* tuple = core_wrapper_get(self);
  PyObject* items = tuple != NULL ? core_items_tuple(tuple) : NULL;
  Py_hash_t hash = -1;
  if (items != NULL && Py_EnterRecursiveCall(" while hashing a Tuple") == 0) {
    hash = PyObject_Hash(items);
    Py_LeaveRecursiveCall();
  }
  Py_XDECREF(items);
  return hash;
}

static PyObject* tuple_iter(PyObject* self) { return core_iterate(self, 0); }

/* New, of self's class, with the attributes that self has: shared, or copied into memo. */
static PyObject* rebuild(PyObject* self, PyObject* items, PyObject* memo) {
  PyObject* type = (PyObject*)Py_TYPE(self);
  return core_wrapper_attributes(self, PyObject_CallMethod(type, "__new__", "OO", type, items), memo);
}

static PyObject* tuple_copy(PyObject* self, PyObject* unused) {
  (void)unused;
  if (Py_TYPE(self) == &core_tuple_type) return Py_NewRef(self);
  jf_object* tuple = core_wrapper_get(self);
  PyObject* items = tuple != NULL ? core_items_tuple(tuple) : NULL;
  PyObject* made = items != NULL ? rebuild(self, items, NULL) : NULL;
  Py_XDECREF(items);
  return made;
}

/* New: what the memo has for self; NULL without an exception when there is nothing. */
static PyObject* recall(PyObject* self, PyObject* memo) {
  PyObject* key = PyDict_Check(memo) ? PyLong_FromVoidPtr(self) : NULL;
  PyObject* made = key != NULL ? PyDict_GetItemWithError(memo, key) : NULL;
  Py_XDECREF(key);
  return Py_XNewRef(made);
}

/* A list in it may lead back to it: then the copy was made on the way, as that of Python's tuple is. */
static PyObject* tuple_deepcopy(PyObject* self, PyObject* memo) {
  jf_object* tuple = core_wrapper_get(self);
  PyObject* items = tuple != NULL ? core_items_tuple(tuple) : NULL;
  PyObject* module = items != NULL ? PyImport_ImportModule("copy") : NULL;
  PyObject* copied = module != NULL ? PyObject_CallMethod(module, "deepcopy", "OO", items, memo) : NULL;
  PyObject* made = copied != NULL ? recall(self, memo) : NULL;
  if (made == NULL && copied != NULL && !PyErr_Occurred()) {
    const int is_exact = Py_TYPE(self) == &core_tuple_type;
    made = is_exact ? PyObject_CallOneArg((PyObject*)Py_TYPE(self), copied) : rebuild(self, copied, memo);
  }
  Py_XDECREF(items);
  Py_XDECREF(module);
  Py_XDECREF(copied);
  return made;
}

static PyObject* tuple_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* tuple = core_wrapper_get(self);
  PyObject* items = tuple != NULL ? core_items_tuple(tuple) : NULL;
  if (items == NULL) return NULL;
  PyObject* state = PyObject_GetAttrString(self, "__dict__"); /* of a Python subclass */
  if (state == NULL) PyErr_Clear();
  return state != NULL ? Py_BuildValue("O(N)N", Py_TYPE(self), items, state)
                       : Py_BuildValue("O(N)", Py_TYPE(self), items);
}

static PyObject* tuple_reversed(PyObject* self, PyObject* unused) {
  (void)unused;
  return core_iterate(self, 1);
}

static PyMethodDef methods[] = {
    {"index", (PyCFunction)(void (*)(void))core_items_index, METH_FASTCALL,
     "index($self, value, start=0, stop=9223372036854775807, /)\n--\n\nThe position of the first equal item; "
     "ValueError if there is none."},
    {"count", core_items_count, METH_O, "count($self, value, /)\n--\n\nHow many items are equal to the value."},
    {"to_python", core_items_to_python, METH_NOARGS,
     "to_python($self, /)\n--\n\nA Python tuple; Lists, Tuples and Maps inside become list, tuple and dict."},
    {"__copy__", tuple_copy, METH_NOARGS, "For copy.copy: itself."},
    {"__deepcopy__", tuple_deepcopy, METH_O, "For copy.deepcopy."},
    {"__reduce__", tuple_reduce, METH_NOARGS, "For pickle."},
    {"__reversed__", tuple_reversed, METH_NOARGS, "For reversed()."},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, "Tuple[int, str] and the like."},
    {NULL, NULL, 0, NULL},
};

static PyNumberMethods as_number = {.nb_add = tuple_add};
static PySequenceMethods as_sequence = {
    .sq_length = tuple_length, .sq_item = tuple_item, .sq_repeat = tuple_repeat, .sq_contains = tuple_contains};
static PyMappingMethods as_mapping = {.mp_length = tuple_length, .mp_subscript = tuple_subscript};

PyTypeObject core_tuple_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.Tuple",
    .tp_doc =
        "Tuple(iterable=(), /)\n--\n\nA native tuple that does what Python's does; to one that is added, a list "
        "is another.\n\n"
        "What is put in is converted and held as in a List, and OverflowError as there.\n\n"
        ">>> import jitffi\n>>> jitffi.Tuple([1, 'a']) == (1, 'a')\nTrue",
    .tp_basicsize = sizeof(core_open_wrapper),
    .tp_base = &core_object_type,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_SEQUENCE | CORE_MATCH_SELF,
    .tp_new = tuple_new,
    .tp_dealloc = core_wrapper_dealloc,
    .tp_traverse = core_wrapper_traverse,
    .tp_clear = core_wrapper_clear,
    .tp_repr = core_items_repr,
    .tp_hash = tuple_hash,
    .tp_richcompare = core_items_compare,
    .tp_iter = tuple_iter,
    .tp_as_number = &as_number,
    .tp_as_sequence = &as_sequence,
    .tp_as_mapping = &as_mapping,
    .tp_methods = methods,
    .tp_free = PyObject_GC_Del,
};

/* 0, or -1 with an exception. */
int core_tuple_init(PyObject* module) { return core_sequence_class(module, &core_tuple_type, JF_TUPLE, "Sequence"); }
