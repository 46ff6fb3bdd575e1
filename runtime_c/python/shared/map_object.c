/* jitffi.Map: the mapping protocol over a native map. map_methods.c has the named methods, map_views.c the views.
 *
 * Hashing and comparing keys runs user code, which may change the map, move it out of its wrapper or drop the last
 * reference: the native map is held for the length of each operation, and nothing borrowed from it outlives a call.
 */
#include "map_object.h"
#include "borrow.h"
#include "box.h"
#include "convert.h"
#include "error.h"
#include "fast_paths.h"
#include "hooks.h"
#include "jitffi/containers.h"
#include "jitffi/pad.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "sequence.h"
#include "text_object.h"
#include "wrapper.h"

#include <string.h>

/* -- one key --------------------------------------------------------------------------------------------------- */

static int fail_unhashable(PyObject* key) {
  PyErr_Format(PyExc_TypeError, "unhashable type: '%.200s'", Py_TYPE(key)->tp_name);
  return -1;
}

/* -1 with the TypeError of what in a tuple has no hash, before it becomes a native tuple of other types' names. */
static int check_tuple(PyObject* tuple) {
  int status = Py_EnterRecursiveCall(" while hashing a tuple") ? -1 : 0;
  if (status != 0) return -1;
  for (Py_ssize_t i = 0; status == 0 && i < PyTuple_GET_SIZE(tuple); i++) {
    PyObject* item = PyTuple_GET_ITEM(tuple, i);
    if (Py_TYPE(item)->tp_hash == PyObject_HashNotImplemented)
      status = fail_unhashable(item);
    else if (PyTuple_CheckExact(item))
      status = check_tuple(item);
  }
  Py_LeaveRecursiveCall();
  return status;
}

int core_check_hash(PyObject* key) {
  if (PyLong_CheckExact(key) || PyUnicode_CheckExact(key)) return 0;
  if (Py_TYPE(key)->tp_hash == PyObject_HashNotImplemented) return fail_unhashable(key);
  return PyTuple_CheckExact(key) ? check_tuple(key) : 0;
}

/* The map of the wrapper, held, and a view of the key: to be given back with core_map_leave. -1 with an exception. */
int core_map_enter(PyObject* self, PyObject* key, core_map_access* access) {
  jf_object* map = core_wrapper_get(self);
  if (map == NULL) return -1;
  if (core_check_hash(key) != 0) return -1;
  jf_object_retain(map); /* borrowing may run the user's code already */
  if (core_borrow(key, &access->key) != 0) {
    jf_object_release(map);
    return -1;
  }
  access->map = map;
  return 0;
}

void core_map_leave(core_map_access* access) {
  core_borrowed_done(&access->key);
  jf_object_release(access->map);
}

/* The same for looking a key up: 1 done; 0: no map can have that key (an int beyond 64 bits, text with a lone
 * surrogate); -1. */
int core_map_enter_find(PyObject* self, PyObject* key, core_map_access* access) {
  return core_map_enter(self, key, access) == 0 ? 1 : core_not_a_value();
}

/* KeyError with the key itself, a tuple too. */
void core_map_raise_key(PyObject* key) {
  PyObject* args = PyTuple_Pack(1, key);
  if (args != NULL) PyErr_SetObject(PyExc_KeyError, args);
  Py_XDECREF(args);
}

/* Whether a key that an entry has is that int, or where `text` is not NULL that UTF-8 of `number` bytes. */
static int is_key(jf_item item, const char* text, int64_t number) {
  if (!text) return *item.code == JF_INT && item.slot->v_int64 == number;
  const jf_str* str = (const jf_str*)item.object;
  if (*item.code == JF_STR) return str->size == (size_t)number && memcmp(str->data, text, (size_t)number) == 0;
  const char* small = (const char*)item.slot + JF_PAYLOAD_OFFSET;
  return *item.code == JF_SMALL_STR && item.slot->small_len == number && memcmp(small, text, (size_t)number) == 0;
}

/* The entry of such a key, whose mixed hash that is, where a look at one line finds it; NULL says nothing. */
static const jf_map_entry* entry_of(const jf_map* map, uint64_t hash, const char* text, int64_t number) {
  if (!map->index || jf_is_set(map)) return NULL;
  const uint32_t half = (uint32_t)hash;
  const uint64_t* words = map->index + jf_map_first_line(half, map->index_mask);
  size_t place = half % JF_MAP_LINE;
  for (size_t tried = 0; tried < JF_MAP_LINE; tried++, place = (place + 1) % JF_MAP_LINE) {
    const uint64_t word = words[place] & ~JF_MAP_MARK;
    if (!word) return NULL;
    const jf_map_entry* entry = map->entries + ((uint32_t)word - 1);
    if (word >> 32 == half && is_key(entry->key, text, number)) return entry;
  }
  return NULL;
}

static int is_plain(jf_item value) {
  const int32_t code = *value.code;
  return code == JF_INT || code == JF_FLOAT || code == JF_BOOL || code == JF_NULL || code == JF_SMALL_STR ||
         code == JF_STR;
}

/* Where the number or text is that an int or ASCII text leads to, if it is found at once: neither comparing nor boxing runs
 * anybody's code, so the map need not be held. NULL says nothing. */
static inline const jf_map_entry* glance(PyObject* self, PyObject* key) {
  int64_t number;
  uint64_t hash;
  const char* text = NULL;
  if (PyLong_CheckExact(key) && fast_int(key, &number) && (uint64_t)number < (UINT64_C(1) << 61) - 1) {
    hash = (uint64_t)number;
  } else if (PyUnicode_CheckExact(key) && PyUnicode_IS_COMPACT_ASCII(key)) {
    text = (const char*)PyUnicode_1BYTE_DATA(key);
    number = PyUnicode_GET_LENGTH(key);
    hash = jf_hash_utf8(text, (size_t)number);
  } else {
    return NULL;
  }
  const jf_map* map = (const jf_map*)(const void*)core_wrapper_object(self);
  const jf_map_entry* entry = map != NULL ? entry_of(map, jf_map_mix(hash), text, number) : NULL;
  return entry != NULL && is_plain(entry->value) ? entry : NULL;
}

/* New: the value; NULL without an exception when there is no such key. */
PyObject* core_map_find(PyObject* self, PyObject* key) {
  core_map_access access;
  const jf_map_entry* known = glance(self, key);
  if (known != NULL) return core_box_item(known->value);
  jf_view found;
  PyObject* value = NULL;
  if (core_map_enter_find(self, key, &access) <= 0) return NULL;
  int32_t status = jf_map_peek(access.map, &access.key.view, &found);
  if (status > 0) {
    jf_object* held = found.type_code == JF_FUNCTION ? found.v_object : NULL; /* Python code makes its builtin */
    jf_object_retain(held);
    value = core_box_view(&found);
    jf_object_release(held);
  } else if (status < 0) {
    core_error_raise(NULL);
  }
  core_map_leave(&access);
  return value;
}

/* New: the __missing__ of a derived class, bound; NULL, maybe with an exception. As dict's, it is the class's: neither the
 * object's attributes nor __getattr__ are asked. */
static PyObject* missing_of(PyObject* self) {
  if (Py_TYPE(self) == &core_map_type) return NULL;
  PyObject* name = PyUnicode_InternFromString("__missing__");
  PyObject* found = name != NULL ? _PyType_Lookup(Py_TYPE(self), name) : NULL;
  Py_XDECREF(name);
  if (found == NULL) return NULL;
  Py_INCREF(found); /* binding may run the user's code */
  descrgetfunc bind = Py_TYPE(found)->tp_descr_get;
  if (bind != NULL) Py_SETREF(found, bind(found, self, (PyObject*)Py_TYPE(self)));
  return found;
}

static PyObject* map_subscript(PyObject* self, PyObject* key) {
  PyObject* value = core_map_find(self, key);
  if (value != NULL || PyErr_Occurred()) return value;
  PyObject* missing = missing_of(self);
  if (missing == NULL) {
    if (!PyErr_Occurred()) core_map_raise_key(key);
    return NULL;
  }
  value = PyObject_CallOneArg(missing, key);
  Py_DECREF(missing);
  return value;
}

static int map_contains(PyObject* self, PyObject* key) {
  core_map_access access;
  int status = core_map_enter_find(self, key, &access);
  if (status <= 0) return status;
  status = jf_map_has(access.map, &access.key.view);
  if (status < 0) core_error_raise(NULL);
  core_map_leave(&access);
  return status;
}

static int map_delete(PyObject* self, PyObject* key) {
  core_map_access access;
  int status = core_map_enter_find(self, key, &access);
  if (status > 0) {
    status = jf_map_delete(access.map, &access.key.view);
    if (status < 0) core_error_raise(NULL);
    core_map_leave(&access);
  }
  if (status == 0) core_map_raise_key(key);
  return status > 0 ? 0 : -1;
}

static int map_assign(PyObject* self, PyObject* key, PyObject* value) {
  if (value == NULL) return map_delete(self, key);
  core_map_access access;
  core_borrowed borrowed;
  if (core_map_enter(self, key, &access) != 0) return -1;
  int status = core_borrow(value, &borrowed);
  if (status == 0) {
    status = jf_map_set(access.map, &access.key.view, &borrowed.view);
    if (status != 0) core_error_raise(NULL);
    core_borrowed_done(&borrowed);
  }
  core_map_leave(&access);
  return status != 0 ? -1 : 0;
}

static Py_ssize_t map_length(PyObject* self) {
  jf_object* map = core_wrapper_get(self);
  return map != NULL ? (Py_ssize_t)jf_map_size(map) : -1;
}

/* -- construction --------------------------------------------------------------------------------------------------- */

/* New wrapper of a new map with what dict(source, **kwargs) has; source and kwargs may be NULL. */
PyObject* core_map_make(PyTypeObject* type, PyObject* source, PyObject* kwargs, int32_t pad) {
  jf_object* map = core_map_from(source, pad);
  if (map != NULL && kwargs != NULL && core_map_update(map, kwargs) != 0) {
    jf_object_release(map);
    return NULL;
  }
  return map != NULL ? core_wrapper_make(type, map) : NULL;
}

/* Map(mapping_or_pairs=(), /, **keys) */
static PyObject* map_vectorcall(PyObject* type, PyObject* const* args, size_t flags, PyObject* names) {
  const Py_ssize_t given = PyVectorcall_NARGS(flags);
  if (given > 1) return PyErr_Format(PyExc_TypeError, "Map expected at most 1 argument, got %zd", given);
  PyObject* made = core_map_make((PyTypeObject*)type, given > 0 ? args[0] : NULL, NULL, -1);
  for (Py_ssize_t i = 0; made != NULL && names != NULL && i < PyTuple_GET_SIZE(names); i++) {
    if (map_assign(made, PyTuple_GET_ITEM(names, i), args[given + i]) != 0) Py_CLEAR(made);
  }
  return made;
}

/* For Python subclasses: an empty map, since their __init__ may take anything. */
static PyObject* map_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  (void)args;
  (void)kwargs;
  return core_map_make(type, NULL, NULL, -1);
}

/* 1, or 0 with the TypeError of a keyword that is no str, as `**{1: 2}` has it. */
int core_map_check_keywords(PyObject* kwargs) { return kwargs == NULL || PyArg_ValidateKeywordArguments(kwargs); }

/* As dict.__init__: what is given is added. */
static int map_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* source = NULL;
  if (!PyArg_UnpackTuple(args, core_wrapper_name(Py_TYPE(self)), 0, 1, &source) || !core_map_check_keywords(kwargs))
    return -1;
  if (source != NULL && core_map_update_from(self, source) != 0) return -1;
  return kwargs != NULL ? core_map_update_from(self, kwargs) : 0;
}

/* -- whole maps --------------------------------------------------------------------------------------------------------- */

static jf_any view_of(jf_object* map) { return (jf_any){.type_code = JF_OBJECT, .v_object = map}; }

/* A value of a map and what it is compared with: 1, 0, or -1 with an exception. Borrows both. */
int core_map_same_value(PyObject* mine, PyObject* other) {
  return core_same_nan(mine, other) ? 1 : PyObject_RichCompareBool(mine, other, Py_EQ);
}

/* With another map: 1, 0, or -1 with an exception. */
static int equal_maps(PyObject* self, PyObject* other) {
  jf_object* first = core_wrapper_get(self);
  jf_object* second = first != NULL ? core_wrapper_get(other) : NULL;
  if (second == NULL) return -1;
  jf_any views[2] = {view_of(first), view_of(second)};
  jf_object_retain(first);
  jf_object_retain(second);
  int status = jf_any_equal(&views[0], &views[1]);
  if (status < 0) core_error_raise(NULL);
  jf_object_release(first);
  jf_object_release(second);
  return status;
}

/* The same with a dict, which comparing values may change: PyDict_Next stays within it whatever it has become. */
static int equal_dict(PyObject* self, PyObject* dict) {
  Py_ssize_t position = 0;
  PyObject *key, *value;
  int status = 1;
  if (map_length(self) != PyDict_GET_SIZE(dict)) return PyErr_Occurred() ? -1 : 0;
  if (Py_EnterRecursiveCall(" in comparison")) return -1;
  while (status > 0 && PyDict_Next(dict, &position, &key, &value)) {
    Py_INCREF(key);
    Py_INCREF(value);
    PyObject* mine = core_map_find(self, key);
    status = mine != NULL ? core_map_same_value(mine, value) : PyErr_Occurred() ? -1 : 0;
    Py_XDECREF(mine);
    Py_DECREF(key);
    Py_DECREF(value);
  }
  Py_LeaveRecursiveCall();
  return status;
}

static PyObject* map_compare(PyObject* self, PyObject* other, int operation) {
  int is_map = core_is_map(other);
  if ((operation != Py_EQ && operation != Py_NE) || (!is_map && !PyDict_Check(other))) Py_RETURN_NOTIMPLEMENTED;
  int equal = self == other ? 1 : is_map ? equal_maps(self, other) : equal_dict(self, other);
  return equal >= 0 ? PyBool_FromLong(equal == (operation == Py_EQ)) : NULL;
}

/* New: "Map({...})". */
PyObject* core_map_repr(PyObject* self) {
  JF_ANY_PAD(15) out = JF_PAD_INIT(15);
  int again = Py_ReprEnter(self); /* may run the collector: the map is asked for after it */
  if (again != 0) return again > 0 ? PyUnicode_FromFormat("%s(...)", core_wrapper_name(Py_TYPE(self))) : NULL;
  jf_object* map = ((core_wrapper*)self)->object;
  if (map == NULL) {
    Py_ReprLeave(self);
    return PyUnicode_FromFormat("<%s: was moved>", core_wrapper_name(Py_TYPE(self)));
  }
  jf_any view = view_of(map);
  jf_object_retain(map);
  int32_t status = jf_any_repr(&view, &out.slot);
  jf_object_release(map);
  Py_ReprLeave(self);
  if (status != 0) {
    core_error_raise(NULL);
    return NULL;
  }
  PyObject* inner = core_box_slot(&out.slot);
  PyObject* text = inner != NULL ? PyUnicode_FromFormat("%s(%U)", core_wrapper_name(Py_TYPE(self)), inner) : NULL;
  Py_XDECREF(inner);
  return text;
}

/* A new Map with the pad of the one that is a Map; dicts on either side. */
static PyObject* map_or(PyObject* left, PyObject* right) {
  if (!(core_is_map(left) || PyDict_Check(left)) || !(core_is_map(right) || PyDict_Check(right)))
    Py_RETURN_NOTIMPLEMENTED;
  jf_object* padded = core_wrapper_get(core_is_map(left) ? left : right);
  if (padded == NULL) return NULL;
  jf_object* map = core_is_map(left) ? jf_map_copy(padded) : core_map_from(left, jf_map_pad(padded));
  if (map == NULL && core_is_map(left)) core_error_raise(NULL);
  if (map != NULL && core_map_update(map, right) != 0) {
    jf_object_release(map);
    return NULL;
  }
  return map != NULL ? core_wrapper_make(&core_map_type, map) : NULL;
}

static PyObject* map_inplace_or(PyObject* self, PyObject* other) {
  return core_map_update_from(self, other) == 0 ? Py_NewRef(self) : NULL;
}

static PyObject* map_iter(PyObject* self) { return core_map_iterate(self, CORE_MAP_KEYS, 0); }

/* -- the class ---------------------------------------------------------------------------------------------------------- */

PyDoc_STRVAR(
    map_doc,
    "Map(mapping_or_pairs=(), /, **keys)\n--\n\n"
    "A dict in a native object that is shared by reference with native code.\n\n"
    "It is made, asked and changed as a dict is, equals the dict of the same content, and keeps the order of\n"
    "insertion. Keys are whatever has a hash; 1, 1.0 and True are one key. Lists, tuples and dicts that are\n"
    "put in become jitffi.List, Tuple and Map; to_python() makes a dict of all. A Map that is changed while it\n"
    "is iterated raises RuntimeError. Every keyword is a key: with_pad() makes one with slots of another size.\n\n"
    ">>> import jitffi\n"
    ">>> m = jitffi.Map({'a': 1}, b=[2, 3])\n"
    ">>> m, m['a'], len(m), 'c' in m, m == {'a': 1, 'b': [2, 3]}\n"
    "(Map({'a': 1, 'b': [2, 3]}), 1, 2, False, True)\n"
    ">>> m['c'] = None\n"
    ">>> list(m), m.keys() & {'a', 'x'}, (m | {'a': 2})['a'], m.to_python()['b']\n"
    "(['a', 'b', 'c'], {'a'}, 2, [2, 3])");

static PyNumberMethods map_number = {.nb_or = map_or, .nb_inplace_or = map_inplace_or};
static PySequenceMethods map_sequence = {.sq_contains = map_contains};
static PyMappingMethods map_mapping = {
    .mp_length = map_length, .mp_subscript = map_subscript, .mp_ass_subscript = map_assign};

PyTypeObject core_map_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.Map",
    .tp_doc = map_doc,
    .tp_basicsize = sizeof(core_open_wrapper),
    .tp_base = &core_object_type,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_MAPPING | Py_TPFLAGS_HAVE_GC | CORE_MATCH_SELF,
    .tp_new = map_new,
    .tp_init = map_init,
    .tp_vectorcall = map_vectorcall,
    .tp_dealloc = core_wrapper_dealloc,
    .tp_traverse = core_wrapper_traverse,
    .tp_clear = core_wrapper_clear,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_repr = core_map_repr,
    .tp_richcompare = map_compare,
    .tp_iter = map_iter,
    .tp_as_number = &map_number,
    .tp_as_sequence = &map_sequence,
    .tp_as_mapping = &map_mapping,
    .tp_methods = core_map_methods,
    .tp_getset = core_map_getset,
    .tp_free = PyObject_GC_Del,
};

/* After core_object_init. 0, or -1 with an exception. */
int core_map_init(PyObject* module) {
  if (core_type_ready(&core_map_type) != 0 || core_wrapper_class(JF_MAP, &core_map_type) != 0) return -1;
  if (core_map_views_init(module) != 0 || core_register_abc("MutableMapping", &core_map_type) != 0) return -1;
  if (core_set_init(module) != 0) return -1;
  return PyModule_AddObjectRef(module, "Map", (PyObject*)&core_map_type);
}
