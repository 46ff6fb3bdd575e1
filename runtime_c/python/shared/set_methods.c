/* The methods of jitffi.Set: those of set, and what a native object can do beside. */
#include "box.h"
#include "convert.h"
#include "error.h"
#include "jitffi/containers.h"
#include "jitffi/pad.h"
#include "jitffi/runtime.h"
#include "map_object.h"
#include "wrapper.h"

/* -- single items --------------------------------------------------------------------------------------------------- */

static PyObject* set_add(PyObject* self, PyObject* item) {
  core_map_access access;
  if (core_map_enter(self, item, &access) != 0) return NULL;
  const int32_t status = jf_set_add(access.map, &access.key.view);
  if (status < 0) core_error_raise(NULL);
  core_map_leave(&access);
  return status >= 0 ? Py_NewRef(Py_None) : NULL;
}

/* 1: it was there; 0; -1 with an exception. A set is taken as a frozenset, as Python's set does it. */
static int take_out(PyObject* self, PyObject* item) {
  core_map_access access;
  PyObject* frozen = PySet_Check(item) ? PyFrozenSet_New(item) : Py_NewRef(item);
  if (frozen == NULL) return -1;
  int status = core_map_enter_find(self, frozen, &access);
  if (status > 0) {
    status = jf_set_discard(access.map, &access.key.view);
    if (status < 0) core_error_raise(NULL);
    core_map_leave(&access);
  }
  Py_DECREF(frozen);
  return status;
}

static PyObject* set_discard(PyObject* self, PyObject* item) {
  return take_out(self, item) >= 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject* set_remove(PyObject* self, PyObject* item) {
  const int found = take_out(self, item);
  if (found == 0) core_map_raise_key(item);
  return found > 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject* set_pop(PyObject* self, PyObject* unused) {
  (void)unused;
  JF_ANY_PAD(JF_MAX_PAD) out = JF_PAD_INIT(JF_MAX_PAD);
  jf_object* set = core_wrapper_get(self);
  if (set == NULL) return NULL;
  jf_object_retain(set);
  const int32_t status = jf_set_pop(set, &out.slot);
  if (status != 0) core_error_raise(NULL);
  jf_object_release(set);
  return status == 0 ? core_box_slot(&out.slot) : NULL;
}

/* -- with others ---------------------------------------------------------------------------------------------------- */

/* Changed by each of the others. */
static PyObject* change_by_all(PyObject* self, PyObject* const* others, Py_ssize_t given, int32_t operation) {
  for (Py_ssize_t i = 0; i < given; i++)
    if (core_set_change(self, others[i], operation) != 0) return NULL;
  Py_RETURN_NONE;
}

/* New: combined with each of the others. */
static PyObject* combine_with_all(PyObject* self, PyObject* const* others, Py_ssize_t given, int32_t operation) {
  if (given == 0) return core_map_copy_as(self, &core_set_type);
  PyObject* made = core_set_combine(self, others[0], operation);
  PyObject* done = made != NULL ? change_by_all(made, others + 1, given - 1, operation) : NULL;
  if (done == NULL) Py_CLEAR(made);
  Py_XDECREF(done);
  return made;
}

#define OF_ALL(name, operation)                                                                     \
  static PyObject* set_##name##_update(PyObject* self, PyObject* const* others, Py_ssize_t given) { \
    return change_by_all(self, others, given, operation);                                           \
  }                                                                                                 \
  static PyObject* set_##name(PyObject* self, PyObject* const* others, Py_ssize_t given) {          \
    return combine_with_all(self, others, given, operation);                                        \
  }
OF_ALL(union, JF_SET_UNION)
OF_ALL(intersection, JF_SET_INTERSECTION)
OF_ALL(difference, JF_SET_DIFFERENCE)

static PyObject* set_symmetric_difference(PyObject* self, PyObject* other) {
  return core_set_combine(self, other, JF_SET_SYMMETRIC_DIFFERENCE);
}

static PyObject* set_symmetric_difference_update(PyObject* self, PyObject* other) {
  return core_set_change(self, other, JF_SET_SYMMETRIC_DIFFERENCE) == 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject* truth(int status) { return status >= 0 ? PyBool_FromLong(status) : NULL; }

static PyObject* set_issubset(PyObject* self, PyObject* other) { return truth(core_set_relation(self, other, Py_LE)); }
static PyObject* set_issuperset(PyObject* self, PyObject* other) {
  return truth(core_set_relation(self, other, Py_GE));
}

static PyObject* set_isdisjoint(PyObject* self, PyObject* other) {
  Py_ssize_t left_out = 0;
  jf_object* set = core_wrapper_get(self);
  if (set == NULL) return NULL;
  jf_object_retain(set);
  jf_object* operand = core_set_operand(other, 0, &left_out);
  int32_t status = -1;
  if (operand != NULL) {
    status = jf_set_is_disjoint(set, operand);
    if (status < 0) core_error_raise(NULL);
  }
  jf_object_release(operand);
  jf_object_release(set);
  return truth(status);
}

/* -- whole sets ----------------------------------------------------------------------------------------------------- */

static PyObject* set_copy(PyObject* self, PyObject* unused) {
  (void)unused;
  return core_map_copy_as(self, &core_set_type);
}

static PyObject* set_with_pad(PyObject* type, PyObject* args) {
  PyObject* source = NULL;
  PyObject* pad = NULL;
  int32_t value;
  if (!PyArg_UnpackTuple(args, "with_pad", 1, 2, &pad, &source) || core_pad_of(pad, &value) != 0) return NULL;
  jf_object* set = core_set_from(source, value);
  return set != NULL ? core_wrapper_make((PyTypeObject*)type, set) : NULL;
}

/* New: with_pad(pad, items), as set's own. */
static PyObject* set_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* set = core_wrapper_get(self);
  const int pad = set != NULL ? (int)jf_set_pad(set) : 0; /* what follows may run anything */
  PyObject* make = set != NULL ? PyObject_GetAttrString((PyObject*)Py_TYPE(self), "with_pad") : NULL;
  PyObject* items = make != NULL ? PySequence_List(self) : NULL;
  PyObject* state = items != NULL ? core_map_state(self) : NULL;
  PyObject* reduced = state != NULL ? Py_BuildValue("(O(iO)O)", make, pad, items, state) : NULL;
  Py_XDECREF(make);
  Py_XDECREF(items);
  Py_XDECREF(state);
  return reduced;
}

#define FAST(function) (PyCFunction)(void (*)(void))(function)

PyMethodDef core_set_methods[] = {
    {"add", set_add, METH_O, "add($self, item, /)\n--\n\nPuts an item in, unless it is there."},
    {"discard", set_discard, METH_O, "discard($self, item, /)\n--\n\nTakes an item out, if it is there."},
    {"remove", set_remove, METH_O, "remove($self, item, /)\n--\n\nTakes an item out; KeyError if it is not there."},
    {"pop", set_pop, METH_NOARGS,
     "pop($self, /)\n--\n\nTakes the last item out and returns it; KeyError if there is none."},
    {"clear", core_map_clear, METH_NOARGS, "clear($self, /)\n--\n\nRemoves everything."},
    {"copy", set_copy, METH_NOARGS, "copy($self, /)\n--\n\nA new Set of the same items."},
    {"union", FAST(set_union), METH_FASTCALL, "union($self, /, *others)\n--\n\nA new Set of what is in any of them."},
    {"update", FAST(set_union_update), METH_FASTCALL, "update($self, /, *others)\n--\n\nPuts in what iterables have."},
    {"intersection", FAST(set_intersection), METH_FASTCALL,
     "intersection($self, /, *others)\n--\n\nA new Set of what is in all of them."},
    {"intersection_update", FAST(set_intersection_update), METH_FASTCALL,
     "intersection_update($self, /, *others)\n--\n\nTakes out what is not in all of the others."},
    {"difference", FAST(set_difference), METH_FASTCALL,
     "difference($self, /, *others)\n--\n\nA new Set of what is in none of the others."},
    {"difference_update", FAST(set_difference_update), METH_FASTCALL,
     "difference_update($self, /, *others)\n--\n\nTakes out what is in one of the others."},
    {"symmetric_difference", set_symmetric_difference, METH_O,
     "symmetric_difference($self, other, /)\n--\n\nA new Set of what is in one of the two."},
    {"symmetric_difference_update", set_symmetric_difference_update, METH_O,
     "symmetric_difference_update($self, other, /)\n--\n\nTakes out what is in both, and puts in what is in the other "
     "alone."},
    {"issubset", set_issubset, METH_O, "issubset($self, other, /)\n--\n\nWhether all of it is in the other."},
    {"issuperset", set_issuperset, METH_O, "issuperset($self, other, /)\n--\n\nWhether all of the other is in it."},
    {"isdisjoint", set_isdisjoint, METH_O,
     "isdisjoint($self, other, /)\n--\n\nWhether it has nothing in common with an iterable."},
    {"with_pad", set_with_pad, METH_VARARGS | METH_CLASS,
     "with_pad($type, pad, iterable=(), /)\n--\n\n"
     "A Set whose slots have 8 * pad bytes beside the first 16: short texts up to 7 + 8 * pad bytes take no memory of\n"
     "their own."},
    {"to_python", core_map_to_python, METH_NOARGS,
     "to_python($self, /)\n--\n\nA set, with all that is in it as Python's own."},
    {"unshare", core_map_unshare, METH_NOARGS,
     "unshare($self, /)\n--\n\nMakes this Set a copy of its own where others share the native object."},
    {"__reduce__", set_reduce, METH_NOARGS, NULL},
    {"__copy__", core_map_copy_same, METH_NOARGS, NULL},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, NULL},
    {NULL, NULL, 0, NULL},
};
