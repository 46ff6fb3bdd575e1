/* Wrapper objects, or wrappers: the Python objects of native ones. Which class they have, and that an object has one while it lives.
 *
 *   PyObject head | jf_object* object (one reference; NULL once moved) | weak references | key
 *
 * The table leads from a native address to its wrapper and holds no reference: a wrapper takes itself out. What it finds is
 * only a wrapper when that still has this very object: a moved wrapper stays under its old key until it dies or another takes
 * the place. All of it is under the GIL.
 */
#include "wrapper.h"
#include "box.h"
#include "error.h"
#include "hooks.h"
#include "jitffi/runtime.h"
#include "jitffi/types.h"
#include "pointer.h"
#include "text_object.h"

#include <string.h>

jf_deleter core_embedded_deleter;
PyTypeObject* core_embedding_meta;
PyObject* (*core_embedded_wake)(jf_object* object);
jf_deleter core_sleeping_deleter;
core_wrapper* (*core_embedding_of)(jf_object* object);
int (*core_leads_nowhere)(jf_object* object);
int (*core_sleeping_visit)(jf_object* object, visitproc visit, void* arg);
PyTypeObject* (*core_class_for)(int32_t code);
core_derived_classes core_derived;

/* -- the table of wrappers ------------------------------------------------------------------------------------- */

typedef struct {
  const jf_object* key; /* NULL: free */
  core_wrapper* wrapper;
} place;

static struct {
  place* places;
  size_t mask; /* a power of two less one; 0 before the first wrapper */
  size_t used;
} table;

static inline size_t home_of(const jf_object* key) {
  return (size_t)(((uintptr_t)key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & table.mask;
}

/* Where the key is, or the free place where it would go. The table is not full. */
static inline place* place_of(const jf_object* key) {
  size_t at = home_of(key);
  while (table.places[at].key != NULL && table.places[at].key != key) at = (at + 1) & table.mask;
  return &table.places[at];
}

/* Room for one more. -1 with MemoryError. */
static int reserve_place(void) {
  if (table.places != NULL && table.used < table.mask - table.mask / 4) return 0;
  size_t size = table.places != NULL ? (table.mask + 1) * 2 : 64;
  place* old = table.places;
  size_t old_size = old != NULL ? table.mask + 1 : 0;
  place* places = PyMem_Calloc(size, sizeof *places);
  if (places == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  table.places = places;
  table.mask = size - 1;
  for (size_t i = 0; i < old_size; i++) {
    if (old[i].key != NULL) *place_of(old[i].key) = old[i];
  }
  PyMem_Free(old);
  return 0;
}

/* Takes the place out and moves back what had to go further because of it, so that no search stops too early. */
static void erase_place(place* gone) {
  size_t hole = (size_t)(gone - table.places);
  for (size_t at = (hole + 1) & table.mask; table.places[at].key != NULL; at = (at + 1) & table.mask) {
    size_t home = home_of(table.places[at].key);
    if (((at - home) & table.mask) < ((at - hole) & table.mask)) continue;
    table.places[hole] = table.places[at];
    hole = at;
  }
  table.places[hole].key = NULL;
  table.used--;
}

static void forget(core_wrapper* wrapper) {
  if (wrapper->key == NULL) return;
  place* at = place_of(wrapper->key);
  if (at->key == wrapper->key && at->wrapper == wrapper) erase_place(at);
  wrapper->key = NULL;
}

/* There is room for it. */
static void remember(core_wrapper* wrapper) {
  place* at = place_of(wrapper->object);
  if (at->key == NULL) table.used++;
  at->key = wrapper->key = wrapper->object;
  at->wrapper = wrapper;
}

static int is_embedded(const jf_object* object) {
  return object->deleter == core_embedded_deleter && core_embedded_deleter != NULL;
}

core_wrapper* core_wrapper_known(jf_object* object) {
  if (is_embedded(object)) return core_embedding_of(object);
  const place* at = table.places != NULL ? place_of(object) : NULL;
  return at != NULL && at->key != NULL && at->wrapper->object == object ? at->wrapper : NULL;
}

/* The wrapper of that object, borrowed, or NULL. One that is being destroyed has no references left. */
static inline PyObject* known_wrapper(const jf_object* object) {
  if (table.places == NULL) return NULL;
  const place* at = place_of(object);
  if (at->key == NULL || at->wrapper->object != object || Py_REFCNT(at->wrapper) <= 0) return NULL;
  return (PyObject*)at->wrapper;
}

PyObject* core_wrapper_awake(jf_object* object) {
  return is_embedded(object) ? core_embedded_wake(object) : Py_XNewRef(known_wrapper(object));
}

void core_wrapper_wake_shared(void (*wake)(jf_object* object, void* context), void* context) {
  for (size_t i = 0; table.places != NULL && i <= table.mask; i++) {
    jf_object* object = table.places[i].key != NULL ? table.places[i].wrapper->object : NULL;
    if (object != NULL && object->deleter == core_sleeping_deleter && core_sleeping_deleter != NULL &&
        core_ref_count(object) > 1)
      wake(object, context);
  }
}

/* -- classes ------------------------------------------------------------------------------------------------ */

static PyTypeObject* static_classes[JF_FIRST_DYNAMIC]; /* by code */
static PyTypeObject** dynamic_classes;                 /* by code less JF_FIRST_DYNAMIC; NULL: none of its own */
static int32_t dynamic_count;

/* Where the class of that code stands; NULL: there is no room for it yet. */
static PyTypeObject** class_place(int32_t code) {
  if (code < JF_FIRST_DYNAMIC) return code > 0 ? &static_classes[code] : NULL;
  return code - JF_FIRST_DYNAMIC < dynamic_count ? &dynamic_classes[code - JF_FIRST_DYNAMIC] : NULL;
}

/* Objects of that code, and of those below it that have no class of their own, get wrappers of `type`, kept for good.
 * -1 with MemoryError. */
int core_wrapper_class(int32_t code, PyTypeObject* type) {
  if (class_place(code) == NULL) {
    const int32_t count = (code - JF_FIRST_DYNAMIC + 1) * 2;
    PyTypeObject** grown = PyMem_Realloc(dynamic_classes, (size_t)count * sizeof *grown);
    if (grown == NULL) {
      PyErr_NoMemory();
      return -1;
    }
    memset(grown + dynamic_count, 0, (size_t)(count - dynamic_count) * sizeof *grown);
    dynamic_classes = grown;
    dynamic_count = count;
  }
  PyTypeObject** place = class_place(code);
  PyTypeObject* before = *place;
  *place = (PyTypeObject*)Py_NewRef(type);
  Py_XDECREF(before);
  return 0;
}

PyTypeObject* core_wrapper_class_known(int32_t code) {
  PyTypeObject** place = class_place(code);
  return place != NULL ? *place : NULL;
}

/* Borrowed: that of the code, or of its nearest ancestor that has one. NULL with an exception. */
static PyTypeObject* class_of(int32_t code) {
  PyTypeObject* own = core_wrapper_class_known(code);
  if (own != NULL) return own;
  if (core_class_for != NULL && jf_type_info_of(code) != NULL) return core_class_for(code);
  for (code = jf_type_parent(code); code > 0 && own == NULL; code = jf_type_parent(code))
    own = core_wrapper_class_known(code);
  return own != NULL ? own : &core_object_type;
}

/* New wrapper of class `type` (or a Python subclass of it); steals object, on failure too. The object has no wrapper yet. */
PyObject* core_wrapper_make(PyTypeObject* type, jf_object* object) {
  if (type->tp_dealloc == core_derived.type_dealloc) core_derived.prepare(type);
  core_wrapper* made = reserve_place() == 0 ? (core_wrapper*)type->tp_alloc(type, 0) : NULL;
  if (made == NULL) {
    jf_object_release(object);
    return NULL;
  }
  made->object = object;
  if (reserve_place() != 0) { /* allocating may have run the collector, which may have made wrappers */
    Py_DECREF(made);
    return NULL;
  }
  remember(made);
  return (PyObject*)made;
}

/* New reference; retains object. The wrapper that there is, or a new one of the object's class. */
PyObject* core_wrapper_of(jf_object* object) {
  if (is_embedded(object)) return core_embedded_wake(object);
  PyObject* known = known_wrapper(object);
  if (known != NULL) return Py_NewRef(known);
  if (core_sleeping_deleter != NULL && object->deleter == core_sleeping_deleter) return core_embedded_wake(object);
  PyTypeObject* type = class_of(object->type_code);
  if (type == NULL) return NULL;
  if (type == &core_object_type && core_structs != NULL) {
    PyObject* instance = core_structs->boxed(object);
    if (instance != NULL || PyErr_Occurred()) return instance;
  }
  jf_object_retain(object);
  PyObject* made = core_wrapper_make(type, object);
  if (made != NULL) ((core_wrapper*)made)->is_made = 1; /* by native code */
  return made;
}

/* Puts another object (stolen) into the wrapper, and releases the one that was there. -1 with MemoryError: nothing has
 * changed but that `object` is released. */
int core_wrapper_replace(PyObject* self, jf_object* object) {
  core_wrapper* wrapper = (core_wrapper*)self;
  if (reserve_place() != 0) {
    jf_object_release(object);
    return -1;
  }
  jf_object* before = wrapper->object;
  forget(wrapper);
  wrapper->object = object;
  remember(wrapper);
  jf_object_release(before);
  return 0;
}

/* The object's wrapper gives its reference up where the argument at hand is a moved one. Somebody else holds another. */
int core_wrapper_give_up(jf_object* object) {
  core_wrapper* wrapper = object->deleter != core_embedded_deleter ? (core_wrapper*)known_wrapper(object)
                                                                   : NULL; /* which stays where it is */
  if (wrapper == NULL || !wrapper->moving) return 0;
  wrapper->object = NULL;
  jf_object_release(object);
  return 1;
}

/* -- what every wrapper can do --------------------------------------------------------------------------------- */

void core_wrapper_end(PyObject* self) {
  core_wrapper* wrapper = (core_wrapper*)self;
  forget(wrapper);
  if (wrapper->weak_references != NULL) PyObject_ClearWeakRefs(self);
  jf_object* object = wrapper->object;
  Py_TYPE(self)->tp_free(self);
  jf_object_release(object);
}

/* tp_dealloc of every wrapper. The trashcan keeps long chains of wrappers and Python objects from using up the stack. */
void core_wrapper_dealloc(PyObject* self) {
  if (!PyType_IS_GC(Py_TYPE(self))) {
    core_wrapper_end(self);
    return;
  }
  PyObject_GC_UnTrack(self);
  forget((core_wrapper*)self);
  Py_TRASHCAN_BEGIN(self, core_wrapper_dealloc);
  core_wrapper_end(self);
  Py_TRASHCAN_END;
}

/* The last part of a class's name, borrowed. */
const char* core_wrapper_name(const PyTypeObject* type) {
  const char* dot = strrchr(type->tp_name, '.');
  return dot != NULL ? dot + 1 : type->tp_name;
}

/* What was moved is known by its key as long as it lives. */
static const char* why_empty(const core_wrapper* wrapper) {
  return wrapper->key != NULL ? "was moved" : "is not constructed: super().__init__(...) has not been called";
}

/* Borrowed; NULL with ValueError when the wrapper is empty. */
jf_object* core_wrapper_get(PyObject* self) {
  jf_object* object = ((core_wrapper*)self)->object;
  if (object == NULL)
    PyErr_Format(PyExc_ValueError, "%s: %s", core_wrapper_name(Py_TYPE(self)), why_empty((core_wrapper*)self));
  return object;
}

/* Objects of a defined type are told by their fields; of others there is the address. */
static int is_defined(const jf_object* object) {
  return object->type_code >= JF_FIRST_DYNAMIC && jf_type_info_of(object->type_code) != NULL;
}

static PyObject* defined_repr(jf_object* object) {
  jf_value text = {JF_NULL, 0, {0}};
  jf_object_retain(object); /* the repr of a field may run any code */
  const int32_t status = jf_field_operations.repr(object, &text);
  jf_object_release(object);
  if (status == 0) return core_box_slot(&text);
  core_error_raise(NULL);
  return NULL;
}

static PyObject* wrapper_repr(PyObject* self) {
  jf_object* object = ((core_wrapper*)self)->object;
  if (object == NULL) return PyUnicode_FromFormat("<%s: %s>", Py_TYPE(self)->tp_name, why_empty((core_wrapper*)self));
  if (is_defined(object)) return defined_repr(object);
  return PyUnicode_FromFormat("<%s %s at %p>", Py_TYPE(self)->tp_name, jf_type_key(object->type_code), (void*)object);
}

static Py_hash_t wrapper_hash(PyObject* self) {
  jf_object* object = core_wrapper_get(self);
  if (object == NULL) return -1;
  if (is_defined(object)) {
    uint64_t found = 0;
    jf_object_retain(object);
    const int32_t status = jf_field_operations.hash(object, &found);
    jf_object_release(object);
    if (status == 0) return (Py_hash_t)found != -1 ? (Py_hash_t)found : -2;
    core_error_raise(NULL);
    return -1;
  }
  uintptr_t address = (uintptr_t)object;
  Py_hash_t hash =
      (Py_hash_t)((address >> 4) | (address << (8 * sizeof address - 4))); /* the low four bits are always 0 */
  return hash != -1 ? hash : -2;
}

/* Objects of one defined type; others have no order, and are equal if they are the same. */
static PyObject* defined_compare(jf_object* a, jf_object* b, int operation) {
  const jf_any x = {JF_OBJECT, 0, {.v_object = a}}, y = {JF_OBJECT, 0, {.v_object = b}};
  const int is_order = operation != Py_EQ && operation != Py_NE;
  int32_t result = 0;
  if (a->type_code != b->type_code || (is_order && (jf_type_info_of(a->type_code)->flags & JF_TYPE_ORDERED) == 0))
    Py_RETURN_NOTIMPLEMENTED;
  jf_object_retain(a);
  jf_object_retain(b);
  const int32_t status = jf_field_operations.compare(&x, &y, operation, &result);
  jf_object_release(a);
  jf_object_release(b);
  if (status == 0) return PyBool_FromLong(result);
  core_error_raise(NULL);
  return NULL;
}

static PyObject* wrapper_compare(PyObject* self, PyObject* other, int operation) {
  if (core_is_wrapper(other)) {
    jf_object *a = ((core_wrapper*)self)->object, *b = ((core_wrapper*)other)->object;
    if (a != NULL && b != NULL && is_defined(a)) return defined_compare(a, b, operation);
  }
  if (!core_is_wrapper(other) || (operation != Py_EQ && operation != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  jf_object* object = ((core_wrapper*)self)->object;
  int same = self == other || (object != NULL && object == ((core_wrapper*)other)->object);
  return PyBool_FromLong(same == (operation == Py_EQ));
}

static PyObject* get_type_key(PyObject* self, void* closure) {
  (void)closure;
  jf_object* object = core_wrapper_get(self);
  return object != NULL ? PyUnicode_FromString(jf_type_key(object->type_code)) : NULL;
}

static PyObject* get_type_code(PyObject* self, void* closure) {
  (void)closure;
  jf_object* object = core_wrapper_get(self);
  return object != NULL ? PyLong_FromLong(object->type_code) : NULL;
}

static PyObject* get_handle(PyObject* self, void* closure) {
  (void)closure;
  jf_object* object = core_wrapper_get(self);
  return object != NULL ? PyLong_FromUnsignedLongLong((uintptr_t)object) : NULL;
}

static PyObject* get_ref_count(PyObject* self, void* closure) {
  (void)closure;
  return core_wrapper_get(self) != NULL ? PyLong_FromLong(1 + core_num_others((core_wrapper*)self)) : NULL;
}

static PyGetSetDef wrapper_getset[] = {
    {"type_key", get_type_key, NULL, "The name of the object's type.", NULL},
    {"type_code", get_type_code, NULL, "The number of the object's type.", NULL},
    {"handle", get_handle, NULL, "The object's address, borrowed: native code that keeps it takes a reference.", NULL},
    {"ref_count", get_ref_count, NULL, "How many references there are now; one is this wrapper object's.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* -- moving ------------------------------------------------------------------------------------------------- */

typedef struct {
  PyObject_HEAD PyObject* wrapper;
} moved;

static void moved_dealloc(PyObject* self) {
  Py_DECREF(((moved*)self)->wrapper);
  PyObject_Free(self);
}

PyTypeObject core_moved_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi._core.Moved",
    .tp_doc = "An argument that gives its object away, if the callee takes it.",
    .tp_basicsize = sizeof(moved),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = moved_dealloc,
};

/* The wrapper that `object` would move from, borrowed; NULL without an exception when it is no such argument. */
PyObject* core_moved_wrapper(PyObject* object) {
  return Py_TYPE(object) == &core_moved_type ? ((moved*)object)->wrapper : NULL;
}

/* Text and bytes give themselves: there is nothing to gain, and their memory may be borrowed, to be read only. So do objects with
 * fields, which lie within their Python object or have its attributes, and those of classes derived in Python: they cannot go
 * without it. */
static PyObject* wrapper_move(PyObject* self, PyObject* unused) {
  (void)unused;
  if (core_wrapper_get(self) == NULL) return NULL;
  if (Py_TYPE(Py_TYPE(self)) == core_embedding_meta || Py_TYPE(self)->tp_dealloc == core_derived.dealloc ||
      core_is_text_object(self) || PyObject_TypeCheck(self, &core_bytes_type))
    return Py_NewRef(self);
  moved* made = PyObject_New(moved, &core_moved_type);
  if (made != NULL) made->wrapper = Py_NewRef(self);
  return (PyObject*)made;
}

static PyObject* wrapper_same_as(PyObject* self, PyObject* other) {
  const jf_object* object = core_wrapper_get(self);
  if (object == NULL) return NULL;
  return PyBool_FromLong(core_wrapper_object(other) == object);
}

static PyObject* wrapper_chandle(PyObject* self, PyObject* unused) {
  (void)unused;
  return get_handle(self, NULL);
}

static PyMethodDef wrapper_methods[] = {
    {"__chandle__", wrapper_chandle, METH_NOARGS, "tvm-ffi's name for handle."},
    {"same_as", wrapper_same_as, METH_O,
     "same_as($self, other, /)\n--\n\nWhether the other one is the same object, not only an equal one."},
    {"_move", wrapper_move, METH_NOARGS,
     "_move($self, /)\n--\n\nAn argument that lets the callee take the object; this wrapper object is empty "
     "afterwards."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject core_object_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.Object",
    .tp_doc =
        "A native object. While its wrapper object lives, the same object has the same one.\n\n"
        "It holds one reference, which goes with it. Objects are made by their own classes and by native code.\n\n"
        ">>> import jitffi\n>>> words = jitffi.List(['to', 'be'])\n"
        ">>> isinstance(words, jitffi.Object), words.type_key, words.ref_count\n(True, 'list', 1)",
    .tp_basicsize = sizeof(core_wrapper),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = core_wrapper_dealloc,
    .tp_repr = wrapper_repr,
    .tp_hash = wrapper_hash,
    .tp_richcompare = wrapper_compare,
    .tp_weaklistoffset = offsetof(core_wrapper, weak_references),
    .tp_getset = wrapper_getset,
    .tp_methods = wrapper_methods,
};

/* 0, or -1 with an exception. */
int core_object_init(PyObject* module) {
  if (core_type_ready(&core_object_type) != 0 || core_type_ready(&core_moved_type) != 0) return -1;
  return PyModule_AddObjectRef(module, "Object", (PyObject*)&core_object_type);
}
