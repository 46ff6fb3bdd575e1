/* Instances of structs: made, filled by position and keyword, and let go.
 *
 * One of a declared class itself is not the collector's business before it is a view or keeps something: until then it
 * leads nowhere. Those of derived classes, which have a dict, are from the start.
 */
#include "fast_paths.h"
#include "struct.h"

#include <string.h>

enum { WORD = 8 };
enum { MAX_UNUSED = 16, MAX_UNUSED_SIZE = 512 };

/* -- making ------------------------------------------------------------------------------------------------------------- */

/* The instance has the room of its class, and its bytes are anything yet. */
static inline core_struct* with_own_room(core_struct* s, const core_struct_info* info) {
  uintptr_t at = (uintptr_t)s + (uintptr_t)info->own_at;
  if (info->align > 16) at = (at + (uintptr_t)info->align - 1) & ~((uintptr_t)info->align - 1);
  s->data = (char*)at;
  s->owner = s->kept = s->weak_references = NULL;
  if (info->flexible_size != 0) *core_struct_extra(s) = 0;
  return s;
}

static inline core_struct* new_unset(PyTypeObject* class, const core_struct_info* info) {
  core_struct* s = info->unused;
  if (class != info->class) {
    s = (core_struct*)class->tp_alloc(class, 0);
  } else if (s != NULL) {
    core_struct_info* known = (core_struct_info*)(uintptr_t)info;
    known->unused = (core_struct*)(void*)s->data;
    known->num_unused--;
    _Py_NewReference((PyObject*)s); /* its reference to the class it has kept */
  } else {
    s = PyObject_GC_New(core_struct, class);
  }
  return s != NULL ? with_own_room(s, info) : NULL;
}

/* All zero. */
static core_struct* new_own(PyTypeObject* class, const core_struct_info* info) {
  core_struct* s = new_unset(class, info);
  for (Py_ssize_t i = 0; s != NULL && i < info->size; i += WORD) memset(s->data + i, 0, WORD); /* as many are there */
  return s;
}

/* One that the collector has never seen may be used again. */
static void give_back(core_struct* s, core_struct_info* info) {
  if (info->num_unused < MAX_UNUSED && info->size <= MAX_UNUSED_SIZE) {
    s->data = (char*)info->unused;
    info->unused = s;
    info->num_unused++;
  } else {
    PyObject_GC_Del(s);
    Py_DECREF(info->class);
  }
}

PyObject* core_struct_new(const core_struct_info* info, const void* bytes) {
  core_struct* s = new_unset(info->class, info);
  if (s == NULL) return NULL;
  Py_ssize_t at = 0;
  for (; at + WORD <= info->size; at += WORD) memcpy(s->data + at, (const char*)bytes + at, WORD); /* most have few */
  if (at < info->size) memcpy(s->data + at, (const char*)bytes + at, (size_t)(info->size - at));
  return (PyObject*)s;
}

PyObject* core_struct_view(const core_struct_info* info, char* at, PyObject* owner, Py_ssize_t items) {
  /* It needs no room for bytes: it is made as one of jitffi.Struct, which has none. */
  core_struct* s = info->flexible_size != 0 ? PyObject_GC_New(core_struct, info->class)
                                            : PyObject_GC_New(core_struct, &core_struct_type);
  if (s == NULL) return NULL;
  if (info->flexible_size != 0) {
    *core_struct_extra(s) = items;
  } else {
    Py_SET_TYPE((PyObject*)s, info->class);
    Py_INCREF(info->class);
  }
  s->data = at;
  s->kept = s->weak_references = NULL;
  if (owner != NULL && core_is_struct(owner) && ((core_struct*)owner)->owner != NULL) {
    if (core_struct_is_const((core_struct*)owner)) s->kept = Py_NewRef(Py_None);
    owner = ((core_struct*)owner)->owner;
  }
  s->owner = Py_NewRef(owner != NULL ? owner : Py_None); /* so that it is a view */
  PyObject_GC_Track(s);
  return (PyObject*)s;
}

PyObject* core_struct_copy(core_struct* from) {
  const core_struct_info* info = core_info(from);
  const Py_ssize_t size = core_struct_bytes(from), items = core_struct_items(from);
  core_struct* made = NULL;
  if (items == 0) {
    made = new_own(Py_TYPE(from), info);
  } else {
    PyObject* memory = core_memory_new(size);
    core_keeper keeper;
    if (memory != NULL && core_keeper_of(memory, &keeper))
      made = (core_struct*)core_struct_view(info, keeper.start, memory, items);
    Py_XDECREF(memory);
  }
  if (made != NULL && core_copy_kept((PyObject*)made, made->data, (PyObject*)from, from->data, size) != 0)
    Py_CLEAR(made);
  return (PyObject*)made;
}

/* -- filling ------------------------------------------------------------------------------------------------------------- */

static const core_field* field_at(const core_struct_info* info, Py_ssize_t index) {
  return (const core_field*)PyTuple_GET_ITEM(info->fields, index);
}

static int set(core_struct* s, const core_field* field, PyObject* value) {
  return field->set(field, s, s->data + field->offset, value);
}

/* 1: written; 0: it takes a call. */
static inline int set_plain(const core_field* field, char* at, PyObject* value) {
  int64_t number;
  if (field->number == JF_KIND_F64 && PyFloat_CheckExact(value)) {
    memcpy(at, &((PyFloatObject*)value)->ob_fval, sizeof(double));
    return 1;
  }
  if (field->number == 0 || !PyLong_CheckExact(value) || !fast_int(value, &number)) return 0;
  if (field->number == JF_KIND_I64) {
    memcpy(at, &number, sizeof number);
    return 1;
  }
  const int32_t narrow = (int32_t)number;
  if (field->number != JF_KIND_I32 || narrow != number) return 0;
  memcpy(at, &narrow, sizeof narrow);
  return 1;
}

/* Of those that no position gives; a keyword overwrites it. A union has one value: it is the default where no other is given. */
static int set_defaults(core_struct* s, const core_struct_info* info, Py_ssize_t given, int has_others) {
  if (info->is_union && (given > 0 || has_others)) return 0;
  for (Py_ssize_t i = given; i < PyTuple_GET_SIZE(info->fields); i++) {
    const core_field* field = field_at(info, i);
    if (field->default_value != NULL && set(s, field, field->default_value) != 0) return -1;
  }
  return 0;
}

static int set_positions(core_struct* s, const core_struct_info* info, PyObject* const* args, Py_ssize_t given) {
  const Py_ssize_t most = PyTuple_GET_SIZE(info->fields);
  if (given > most) {
    PyErr_Format(PyExc_TypeError, "%U: expected at most %zd argument%s, got %zd", info->key, most, most == 1 ? "" : "s",
                 given);
    return -1;
  }
  for (Py_ssize_t i = 0; i < given; i++) {
    const core_field* field = field_at(info, i);
    if (!set_plain(field, s->data + field->offset, args[i]) && set(s, field, args[i]) != 0) return -1;
  }
  return 0;
}

static int set_keyword(core_struct* s, const core_struct_info* info, Py_ssize_t given, PyObject* name,
                       PyObject* value) {
  PyObject* place = PyDict_GetItemWithError(info->indices, name);
  if (place == NULL) {
    if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%U: there is no field '%S'", info->key, name);
    return -1;
  }
  const Py_ssize_t index = PyLong_AsSsize_t(place);
  if (index < given) {
    PyErr_Format(PyExc_TypeError, "%U: field '%S' is given by position and by name", info->key, name);
    return -1;
  }
  return set(s, field_at(info, index), value);
}

PyObject* core_struct_vectorcall(PyObject* class, PyObject* const* args, size_t flags, PyObject* names) {
  const core_struct_info* info = ((core_struct_class*)class)->info;
  const Py_ssize_t given = PyVectorcall_NARGS(flags), named = names != NULL ? PyTuple_GET_SIZE(names) : 0;
  core_struct* s = new_own((PyTypeObject*)class, info);
  if (s == NULL) return NULL;
  int status = info->has_defaults ? set_defaults(s, info, given, named > 0) : 0;
  if (status == 0) status = set_positions(s, info, args, given);
  for (Py_ssize_t i = 0; i < named && status == 0; i++)
    status = set_keyword(s, info, given, PyTuple_GET_ITEM(names, i), args[given + i]);
  if (status != 0) Py_CLEAR(s);
  return (PyObject*)s;
}

/* With a constructor in Python, or a derived class: __new__ takes whatever that takes, and gives the defaults. */
PyObject* core_struct_tp_new(PyTypeObject* class, PyObject* args, PyObject* names) {
  const core_struct_info* info = ((core_struct_class*)class)->info;
  (void)args, (void)names;
  if (info == NULL)
    return PyErr_Format(PyExc_TypeError, "%.200s has no fields: jitffi.struct declares a class that has",
                        class->tp_name);
  core_struct* s = new_own(class, info);
  if (s != NULL && info->has_defaults && set_defaults(s, info, 0, 0) != 0) Py_CLEAR(s);
  return (PyObject*)s;
}

int core_struct_tp_init(PyObject* self, PyObject* args, PyObject* names) {
  core_struct* s = (core_struct*)self;
  const core_struct_info* info = core_info(s);
  const Py_ssize_t given = PyTuple_GET_SIZE(args);
  if (core_struct_check_writable(s) != 0) return -1;
  if (set_positions(s, info, PySequence_Fast_ITEMS(args), given) != 0) return -1;
  Py_ssize_t position = 0;
  PyObject *name, *value;
  while (names != NULL && PyDict_Next(names, &position, &name, &value))
    if (set_keyword(s, info, given, name, value) != 0) return -1;
  return 0;
}

/* -- letting go ---------------------------------------------------------------------------------------------------------- */

int core_struct_traverse(core_struct* s, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(s));
  Py_VISIT(s->owner);
  Py_VISIT(s->kept);
  return 0;
}

/* A view's owner stays: every cycle goes through what somebody keeps. Where that was is NULL then, for whoever still looks. */
int core_struct_clear(core_struct* s) {
  PyObject* kept = s->kept;
  PyObject *offset, *object;
  Py_ssize_t position = 0;
  if (s->owner != NULL) return 0;
  while (kept != NULL && PyDict_Next(kept, &position, &offset, &object)) {
    const Py_ssize_t at = PyLong_AsSsize_t(offset), end = core_info(s)->size - (Py_ssize_t)sizeof(void*);
    if (at >= 0 && at <= end) memset(s->data + at, 0, sizeof(void*));
  }
  if (kept != NULL) PyDict_Clear(kept); /* it stays: that it is there tells that the collector knows the instance */
  return 0;
}

static void free_instance(core_struct* s) {
  PyTypeObject* class = Py_TYPE(s);
  class->tp_free(s);
  Py_DECREF(class);
}

static void let_go(core_struct* s) {
  PyObject_GC_UnTrack(s);
  if (s->weak_references != NULL) PyObject_ClearWeakRefs((PyObject*)s);
  if (s->owner == NULL && s->kept == NULL) {
    free_instance(s);
    return;
  }
  Py_TRASHCAN_BEGIN(s, core_info(s)->class->tp_dealloc);
  Py_CLEAR(s->kept);
  Py_CLEAR(s->owner);
  free_instance(s);
  Py_TRASHCAN_END
}

void core_struct_dealloc(core_struct* s) {
  const core_struct_info* info = core_info(s);
  if (s->owner == NULL && s->kept == NULL && s->weak_references == NULL && Py_TYPE(s) == info->class)
    give_back(s, (core_struct_info*)(uintptr_t)info);
  else
    let_go(s);
}

void core_struct_dealloc_finalizing(core_struct* s) {
  /* Derived classes have called theirs already. What has had its call is not used again: the collector's header tells so. */
  if (Py_TYPE(s) != core_info(s)->class || PyObject_CallFinalizerFromDealloc((PyObject*)s) == 0) let_go(s);
}
