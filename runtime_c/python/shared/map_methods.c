/* The methods of jitffi.Map: those of dict, and what a native object can do beside. */
#include "borrow.h"
#include "box.h"
#include "convert.h"
#include "error.h"
#include "jitffi/containers.h"
#include "jitffi/pad.h"
#include "jitffi/runtime.h"
#include "map_object.h"
#include "wrapper.h"

typedef JF_ANY_PAD(JF_MAX_PAD) wide_slot; /* any small value, without the heap */

/* -- single keys ------------------------------------------------------------------------------------------------- */

/* One or two. */
static int check_count(const char* name, Py_ssize_t given) {
  if (given == 1 || given == 2) return 0;
  PyErr_Format(PyExc_TypeError, "%s expected at %s, got %zd", name, given < 1 ? "least 1 argument" : "most 2 arguments",
               given);
  return -1;
}

static PyObject* map_get(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  if (check_count("get", given) != 0) return NULL;
  PyObject* value = core_map_find(self, args[0]);
  if (value != NULL || PyErr_Occurred()) return value;
  return Py_NewRef(given == 2 ? args[1] : Py_None);
}

static PyObject* map_setdefault(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  if (check_count("setdefault", given) != 0) return NULL;
  core_map_access access;
  core_borrowed borrowed;
  wide_slot out = JF_PAD_INIT(JF_MAX_PAD);
  if (core_map_enter(self, args[0], &access) != 0) return NULL;
  int32_t status = core_borrow(given == 2 ? args[1] : Py_None, &borrowed);
  if (status == 0) {
    status = jf_map_setdefault(access.map, &access.key.view, &borrowed.view, &out.slot);
    if (status != 0) core_error_raise(NULL);
    core_borrowed_done(&borrowed);
  }
  core_map_leave(&access);
  return status == 0 ? core_box_slot(&out.slot) : NULL;
}

static PyObject* map_pop(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  if (check_count("pop", given) != 0) return NULL;
  core_map_access access;
  wide_slot out = JF_PAD_INIT(JF_MAX_PAD);
  const jf_object* map = core_wrapper_get(self);
  if (map == NULL) return NULL;
  int32_t status = jf_map_size(map) > 0 ? core_map_enter_find(self, args[0], &access) : 0; /* dict does not hash it */
  if (status > 0) {
    status = jf_map_pop(access.map, &access.key.view, &out.slot);
    if (status < 0) core_error_raise(NULL);
    core_map_leave(&access);
  }
  if (status > 0) return core_box_slot(&out.slot);
  if (status == 0 && given == 2) return Py_NewRef(args[1]);
  if (status == 0) core_map_raise_key(args[0]);
  return NULL;
}

static PyObject* map_popitem(PyObject* self, PyObject* unused) {
  (void)unused;
  wide_slot key = JF_PAD_INIT(JF_MAX_PAD);
  wide_slot value = JF_PAD_INIT(JF_MAX_PAD);
  jf_object* map = core_wrapper_get(self);
  if (map == NULL) return NULL;
  jf_object_retain(map);
  int32_t status = jf_map_popitem(map, &key.slot, &value.slot);
  if (status != 0) core_error_raise(NULL);
  jf_object_release(map);
  if (status != 0) return NULL;
  PyObject* first = core_box_slot(&key.slot); /* both are taken, also where one fails */
  PyObject* second = first != NULL ? core_box_slot(&value.slot) : NULL;
  if (first == NULL) jf_any_release(&value.slot);
  PyObject* pair = second != NULL ? PyTuple_Pack(2, first, second) : NULL;
  Py_XDECREF(first);
  Py_XDECREF(second);
  return pair;
}

/* -- whole maps ---------------------------------------------------------------------------------------------------- */

/* Borrows both. What was set before a failure stays, as with a dict. */
int core_map_update_from(PyObject* self, PyObject* source) {
  jf_object* map = core_wrapper_get(self);
  if (map == NULL) return -1;
  jf_object_retain(map);
  int status = core_map_update(map, source);
  jf_object_release(map);
  return status;
}

static PyObject* map_update(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* source = NULL;
  if (!PyArg_UnpackTuple(args, "update", 0, 1, &source) || !core_map_check_keywords(kwargs)) return NULL;
  if (source != NULL && core_map_update_from(self, source) != 0) return NULL;
  if (kwargs != NULL && core_map_update_from(self, kwargs) != 0) return NULL;
  Py_RETURN_NONE;
}

PyObject* core_map_clear(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* map = core_wrapper_get(self);
  if (map == NULL) return NULL;
  jf_object_retain(map);
  jf_map_clear(map);
  jf_object_release(map);
  Py_RETURN_NONE;
}

PyObject* core_map_copy_as(PyObject* self, PyTypeObject* type) {
  jf_object* map = core_wrapper_get(self);
  jf_object* copy = map != NULL ? jf_map_copy(map) : NULL;
  if (copy == NULL && map != NULL) core_error_raise(NULL);
  return copy != NULL ? core_wrapper_make(type, copy) : NULL;
}

static PyObject* map_copy(PyObject* self, PyObject* unused) {
  (void)unused;
  return core_map_copy_as(self, &core_map_type);
}

/* __copy__: of a subclass again. */
PyObject* core_map_copy_same(PyObject* self, PyObject* unused) {
  (void)unused;
  return core_wrapper_attributes(self, core_map_copy_as(self, Py_TYPE(self)), NULL);
}

static PyObject* map_fromkeys(PyObject* type, PyObject* const* args, Py_ssize_t given) {
  if (check_count("fromkeys", given) != 0) return NULL;
  PyObject* made = core_map_make((PyTypeObject*)type, NULL, NULL, -1);
  PyObject* iterator = made != NULL ? PyObject_GetIter(args[0]) : NULL;
  PyObject* key = NULL;
  int status = iterator != NULL ? 0 : -1;
  while (status == 0 && (key = PyIter_Next(iterator)) != NULL) {
    status = PyObject_SetItem(made, key, given == 2 ? args[1] : Py_None);
    Py_DECREF(key);
  }
  Py_XDECREF(iterator);
  if (status != 0 || PyErr_Occurred()) Py_CLEAR(made);
  return made;
}

static PyObject* map_with_pad(PyObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* source = NULL;
  PyObject* pad = NULL;
  if (!PyArg_UnpackTuple(args, "with_pad", 1, 2, &pad, &source) || !core_map_check_keywords(kwargs)) return NULL;
  int32_t value;
  return core_pad_of(pad, &value) == 0 ? core_map_make((PyTypeObject*)type, source, kwargs, value) : NULL;
}

PyObject* core_map_to_python(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* map = core_wrapper_get(self);
  return map != NULL ? core_to_plain(self, core_to_python(map)) : NULL;
}

PyObject* core_map_unshare(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* map = core_wrapper_get(self);
  if (map == NULL) return NULL;
  if (core_ref_count(map) == 1) Py_RETURN_NONE;
  jf_object* copy = jf_map_copy(map);
  if (copy == NULL) {
    core_error_raise(NULL);
    return NULL;
  }
  if (core_wrapper_replace(self, copy) != 0) return NULL;
  Py_RETURN_NONE;
}

PyObject* core_map_state(PyObject* self) {
  PyObject* state = PyObject_GetAttrString(self, "__dict__");
  if (state != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError)) return state;
  PyErr_Clear();
  Py_RETURN_NONE;
}

/* New: with_pad(pad), and the pairs, which are put in one by one: a map that holds itself can be made that way only. */
static PyObject* map_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* map = core_wrapper_get(self);
  const int pad = map != NULL ? (int)jf_map_pad(map) : 0; /* what follows may run anything */
  PyObject* make = map != NULL ? PyObject_GetAttrString((PyObject*)Py_TYPE(self), "with_pad") : NULL;
  PyObject* pairs = make != NULL ? core_map_iterate(self, CORE_MAP_ITEMS, 0) : NULL;
  PyObject* state = pairs != NULL ? core_map_state(self) : NULL;
  PyObject* reduced = state != NULL ? Py_BuildValue("(O(i)OOO)", make, pad, state, Py_None, pairs) : NULL;
  Py_XDECREF(make);
  Py_XDECREF(pairs);
  Py_XDECREF(state);
  return reduced;
}

/* -- the views ------------------------------------------------------------------------------------------------------- */

static PyObject* map_keys(PyObject* self, PyObject* unused) {
  (void)unused;
  return core_map_view(self, CORE_MAP_KEYS);
}

static PyObject* map_values(PyObject* self, PyObject* unused) {
  (void)unused;
  return core_map_view(self, CORE_MAP_VALUES);
}

static PyObject* map_items(PyObject* self, PyObject* unused) {
  (void)unused;
  return core_map_view(self, CORE_MAP_ITEMS);
}

static PyObject* map_reversed(PyObject* self, PyObject* unused) {
  (void)unused;
  return core_map_iterate(self, CORE_MAP_KEYS, 1);
}

PyObject* core_map_pad(PyObject* self, void* closure) {
  (void)closure;
  jf_object* map = core_wrapper_get(self);
  return map != NULL ? PyLong_FromLong(jf_map_pad(map)) : NULL;
}

#define FAST(function) (PyCFunction)(void (*)(void))(function)

PyMethodDef core_map_methods[] = {
    {"get", FAST(map_get), METH_FASTCALL,
     "get($self, key, default=None, /)\n--\n\nThe value, or the default where there is no such key."},
    {"setdefault", FAST(map_setdefault), METH_FASTCALL,
     "setdefault($self, key, default=None, /)\n--\n\nThe value; where there is no such key, the default, which is put "
     "there."},
    {"pop", FAST(map_pop), METH_FASTCALL,
     "pop($self, key, default=<raise>, /)\n--\n\nRemoves the key and returns its value; the default, or a KeyError, "
     "where there is none."},
    {"popitem", map_popitem, METH_NOARGS,
     "popitem($self, /)\n--\n\nRemoves and returns the last (key, value); "
     "KeyError if there is none."},
    {"update", FAST(map_update), METH_VARARGS | METH_KEYWORDS,
     "update($self, mapping_or_pairs=(), /, **keys)\n--\n\nPuts in what a mapping, or pairs, and the keywords have."},
    {"clear", core_map_clear, METH_NOARGS, "clear($self, /)\n--\n\nRemoves everything."},
    {"copy", map_copy, METH_NOARGS, "copy($self, /)\n--\n\nA new Map with the same keys and values."},
    {"fromkeys", FAST(map_fromkeys), METH_FASTCALL | METH_CLASS,
     "fromkeys($type, iterable, value=None, /)\n--\n\nA Map of these keys that all have the same value."},
    {"with_pad", FAST(map_with_pad), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "with_pad($type, pad, mapping_or_pairs=(), /, **keys)\n--\n\n"
     "A Map whose slots have 8 * pad bytes beside the first 16: short texts up to 7 + 8 * pad bytes take no memory of\n"
     "their own."},
    {"keys", map_keys, METH_NOARGS, "keys($self, /)\n--\n\nA live view of the keys, with the operations of a set."},
    {"values", map_values, METH_NOARGS, "values($self, /)\n--\n\nA live view of the values."},
    {"items", map_items, METH_NOARGS, "items($self, /)\n--\n\nA live view of the pairs, with the operations of a set."},
    {"to_python", core_map_to_python, METH_NOARGS,
     "to_python($self, /)\n--\n\nA dict, with all that is in it as Python's own; what is there twice is one object "
     "there, too."},
    {"unshare", core_map_unshare, METH_NOARGS,
     "unshare($self, /)\n--\n\nMakes this Map a copy of its own where others share the native object."},
    {"__reversed__", map_reversed, METH_NOARGS, NULL},
    {"__reduce__", map_reduce, METH_NOARGS, NULL},
    {"__copy__", core_map_copy_same, METH_NOARGS, NULL},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, NULL},
    {NULL, NULL, 0, NULL},
};

PyGetSetDef core_map_getset[] = {
    {"pad", core_map_pad, NULL, "Size of the slots: 16 + 8 * pad bytes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
