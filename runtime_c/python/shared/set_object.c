/* jitffi.Set: the class, and its protocols: what set's operators do, with a Set or a Python set on either side. set_methods.c has
 * the named methods, map_views.c the iterator.
 *
 * As with Map, hashing and comparing items runs user code: native sets are held for the length of each operation.
 */
#include "convert.h"
#include "error.h"
#include "hooks.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "map_object.h"
#include "text_object.h"
#include "wrapper.h"

/* -- operands ------------------------------------------------------------------------------------------------------- */

static int is_any_set(PyObject* object) { return core_is_set(object) || PyAnySet_Check(object); }

static int is_native(const jf_object* native) {
  return native != NULL && (native->type_code == JF_SET || jf_type_is_a(native->type_code, JF_MAP));
}

jf_object* core_set_operand(PyObject* other, int32_t pad, Py_ssize_t* left_out) {
  jf_object* native = core_wrapper_object(other);
  if (is_native(native)) {
    jf_object_retain(native);
    return native;
  }
  jf_object* made = core_set_from(NULL, pad);
  if (made == NULL || core_set_update(made, other, left_out) == 0) return made;
  jf_object_release(made);
  return NULL;
}

/* The set of a wrapper, held. NULL with an exception. */
static jf_object* hold(PyObject* self) {
  jf_object* set = core_wrapper_get(self);
  jf_object_retain(set);
  return set;
}

int core_set_change(PyObject* self, PyObject* other, int32_t operation) {
  Py_ssize_t left_out = 0;
  jf_object* set = hold(self);
  if (set == NULL) return -1;
  const int is_looked_for = operation == JF_SET_INTERSECTION || operation == JF_SET_DIFFERENCE;
  jf_object* operand = NULL;
  int status = -1;
  if (operation == JF_SET_UNION) {
    status = core_set_update(set, other, NULL);
  } else if ((operand = core_set_operand(other, jf_set_pad(set), is_looked_for ? &left_out : NULL)) != NULL) {
    status = jf_set_change(set, operand, operation);
    if (status != 0) core_error_raise(NULL);
  }
  jf_object_release(operand);
  jf_object_release(set);
  return status;
}

/* New wrapper. Steals both, which may be NULL with an exception. */
static PyObject* combine(jf_object* set, jf_object* operand, int32_t operation) {
  jf_object* made = set != NULL && operand != NULL ? jf_set_combine(set, operand, operation) : NULL;
  if (made == NULL && set != NULL && operand != NULL) core_error_raise(NULL);
  jf_object_release(operand);
  jf_object_release(set);
  return made != NULL ? core_wrapper_make(&core_set_type, made) : NULL;
}

PyObject* core_set_combine(PyObject* self, PyObject* other, int32_t operation) {
  Py_ssize_t left_out = 0;
  jf_object* set = hold(self);
  if (set == NULL) return NULL;
  const int is_looked_for = operation == JF_SET_INTERSECTION || operation == JF_SET_DIFFERENCE;
  return combine(set, core_set_operand(other, jf_set_pad(set), is_looked_for ? &left_out : NULL), operation);
}

/* What nobody's native set can hold is in no Set: only how much of it there is counts. */
int core_set_relation(PyObject* self, PyObject* other, int operation) {
  Py_ssize_t left_out = 0;
  jf_object* set = hold(self);
  if (set == NULL) return -1;
  jf_object* operand = core_set_operand(other, 0, &left_out);
  int status = operand != NULL ? 1 : -1;
  if (operand != NULL && left_out > 0) {
    status = operation == Py_NE;
    if (operation == Py_LT) operation = Py_LE;
  }
  if (operand != NULL && (left_out == 0 || operation == Py_LE)) {
    status = jf_set_compare(set, operand, operation);
    if (status < 0) core_error_raise(NULL);
  }
  jf_object_release(operand);
  jf_object_release(set);
  return status;
}

/* -- operators ------------------------------------------------------------------------------------------------------ */

static PyObject* operate(PyObject* left, PyObject* right, int32_t operation) {
  if (!is_any_set(left) || !is_any_set(right)) Py_RETURN_NOTIMPLEMENTED;
  if (core_is_set(left)) return core_set_combine(left, right, operation);
  jf_object* second = hold(right);
  if (second == NULL) return NULL;
  jf_object* first = core_set_from(left, jf_set_pad(second));
  return combine(first, second, operation);
}

static PyObject* change(PyObject* self, PyObject* other, int32_t operation) {
  if (!is_any_set(other)) Py_RETURN_NOTIMPLEMENTED;
  return core_set_change(self, other, operation) == 0 ? Py_NewRef(self) : NULL;
}

static PyObject* set_or(PyObject* left, PyObject* right) { return operate(left, right, JF_SET_UNION); }
static PyObject* set_and(PyObject* left, PyObject* right) { return operate(left, right, JF_SET_INTERSECTION); }
static PyObject* set_subtract(PyObject* left, PyObject* right) { return operate(left, right, JF_SET_DIFFERENCE); }
static PyObject* set_xor(PyObject* left, PyObject* right) { return operate(left, right, JF_SET_SYMMETRIC_DIFFERENCE); }
static PyObject* set_or_here(PyObject* self, PyObject* other) { return change(self, other, JF_SET_UNION); }
static PyObject* set_and_here(PyObject* self, PyObject* other) { return change(self, other, JF_SET_INTERSECTION); }
static PyObject* set_subtract_here(PyObject* self, PyObject* other) { return change(self, other, JF_SET_DIFFERENCE); }
static PyObject* set_xor_here(PyObject* self, PyObject* other) {
  return change(self, other, JF_SET_SYMMETRIC_DIFFERENCE);
}

static PyObject* set_compare(PyObject* self, PyObject* other, int operation) {
  if (!is_any_set(other) && !PyDictViewSet_Check(other)) Py_RETURN_NOTIMPLEMENTED;
  const int status = core_set_relation(self, other, operation);
  return status >= 0 ? PyBool_FromLong(status) : NULL;
}

/* A set that is looked for is taken as the frozenset of the same, as Python's set does it. */
static int set_contains(PyObject* self, PyObject* item) {
  core_map_access access;
  PyObject* frozen = PySet_Check(item) ? PyFrozenSet_New(item) : Py_NewRef(item);
  if (frozen == NULL) return -1;
  int status = core_map_enter_find(self, frozen, &access);
  if (status > 0) {
    status = jf_set_has(access.map, &access.key.view);
    if (status < 0) core_error_raise(NULL);
    core_map_leave(&access);
  }
  Py_DECREF(frozen);
  return status;
}

static Py_ssize_t set_length(PyObject* self) {
  const jf_object* set = core_wrapper_get(self);
  return set != NULL ? (Py_ssize_t)jf_set_size(set) : -1;
}

static PyObject* set_iter(PyObject* self) { return core_map_iterate(self, CORE_MAP_KEYS, 0); }

/* New: "Set({...})". */
static PyObject* set_repr(PyObject* self) {
  const jf_object* set = core_wrapper_object(self);
  if (set != NULL && jf_set_size(set) == 0) return PyUnicode_FromFormat("%s()", core_wrapper_name(Py_TYPE(self)));
  return core_map_repr(self);
}

/* -- construction --------------------------------------------------------------------------------------------------- */

/* New wrapper of a new set; source may be NULL. */
static PyObject* make(PyTypeObject* type, PyObject* source) {
  jf_object* set = core_set_from(source, -1);
  return set != NULL ? core_wrapper_make(type, set) : NULL;
}

/* Set(iterable=(), /) */
static PyObject* set_vectorcall(PyObject* type, PyObject* const* args, size_t flags, PyObject* names) {
  const Py_ssize_t given = PyVectorcall_NARGS(flags);
  if (names != NULL && PyTuple_GET_SIZE(names) > 0)
    return PyErr_Format(PyExc_TypeError, "Set() takes no keyword arguments");
  if (given > 1) return PyErr_Format(PyExc_TypeError, "Set expected at most 1 argument, got %zd", given);
  return make((PyTypeObject*)type, given > 0 ? args[0] : NULL);
}

/* For Python subclasses: an empty set, since their __init__ may take anything. */
static PyObject* set_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  (void)args;
  (void)kwargs;
  return make(type, NULL);
}

/* As set.__init__: what is given takes the place of what was there. */
static int set_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* source = NULL;
  const char* name = core_wrapper_name(Py_TYPE(self));
  if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0) {
    PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", name);
    return -1;
  }
  if (!PyArg_UnpackTuple(args, name, 0, 1, &source)) return -1;
  jf_object* set = hold(self);
  if (set == NULL) return -1;
  jf_set_clear(set);
  const int status = source != NULL ? core_set_update(set, source, NULL) : 0;
  jf_object_release(set);
  return status;
}

/* -- the class ------------------------------------------------------------------------------------------------------ */

PyDoc_STRVAR(
    set_doc,
    "Set(iterable=(), /)\n--\n\n"
    "A set in a native object that is shared by reference with native code.\n\n"
    "It is made, asked and changed as a set is, equals the set or frozenset of the same content, and keeps the\n"
    "order of insertion. Items are whatever has a hash; 1, 1.0 and True are one item. Tuples that are put in become\n"
    "jitffi.Tuple; to_python() makes a set of all. A Set that is changed while it is iterated raises RuntimeError.\n\n"
    ">>> import jitffi\n"
    ">>> s = jitffi.Set(['b', 'a', 'b'])\n"
    ">>> s, len(s), 'a' in s, s == {'a', 'b'}\n"
    "(Set({'b', 'a'}), 2, True, True)\n"
    ">>> s.add('c')\n"
    ">>> s - {'a'}, s & jitffi.Set('cd'), s.isdisjoint('xyz'), s >= {'a'}\n"
    "(Set({'b', 'c'}), Set({'c'}), True, True)");

static PyNumberMethods set_number = {
    .nb_or = set_or,
    .nb_and = set_and,
    .nb_subtract = set_subtract,
    .nb_xor = set_xor,
    .nb_inplace_or = set_or_here,
    .nb_inplace_and = set_and_here,
    .nb_inplace_subtract = set_subtract_here,
    .nb_inplace_xor = set_xor_here,
};
static PySequenceMethods set_sequence = {.sq_length = set_length, .sq_contains = set_contains};
static PyGetSetDef set_getset[] = {
    {"pad", core_map_pad, NULL, "Size of the slots: 16 + 8 * pad bytes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject core_set_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.Set",
    .tp_doc = set_doc,
    .tp_basicsize = sizeof(core_open_wrapper),
    .tp_base = &core_object_type,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | CORE_MATCH_SELF,
    .tp_new = set_new,
    .tp_init = set_init,
    .tp_vectorcall = set_vectorcall,
    .tp_dealloc = core_wrapper_dealloc,
    .tp_traverse = core_wrapper_traverse,
    .tp_clear = core_wrapper_clear,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_repr = set_repr,
    .tp_richcompare = set_compare,
    .tp_iter = set_iter,
    .tp_as_number = &set_number,
    .tp_as_sequence = &set_sequence,
    .tp_methods = core_set_methods,
    .tp_getset = set_getset,
    .tp_free = PyObject_GC_Del,
};

/* 0, or -1 with an exception. */
int core_set_init(PyObject* module) {
  if (core_type_ready(&core_set_type) != 0 || core_wrapper_class(JF_SET, &core_set_type) != 0) return -1;
  if (core_register_abc("MutableSet", &core_set_type) != 0) return -1;
  return PyModule_AddObjectRef(module, "Set", (PyObject*)&core_set_type);
}
