/* The descriptors of fields of instances: how each is read, and what is said of it. */
#include <string.h>

#include "box.h"
#include "error.h"
#include "fast_paths.h"
#include "instance.h"
#include "raise.h"

static inline char* place_of(const core_wrapper* wrapper, const jf_field* field) {
  return (char*)wrapper->object + field->offset;
}

/* -- reading -- */

static PyObject* get_number(const jf_object* object, const jf_field* field) {
  jf_view view;
  jf_field_view(object, field, &view);
  return core_box_view(&view);
}

/* New: an object of a field, or None. What lies within a Python object that is awake, as most do, is that one. */
static inline PyObject* get_object(jf_object* object) {
  PyObject* instance = core_instance_around(object);
  return instance != NULL ? instance : core_box_object(object);
}

/* The texts that were read last, one of each hash of their bytes: the fields of a type often hold few different ones, and a
 * str is made, and freed, in the time of two reads. */
enum { RECENT_BITS = 5, SHORTEST_RECENT = 2, LONGEST_RECENT = 64, LONGEST_OF_ENDS = 16 };

struct core_recent_text {
  uint64_t first,
      last; /* eight bytes each, or half of those that there are; overlapping. Of text in a slot: the payload, and 0 */
  size_t size;    /* of text in a slot its complement, by which the two are told apart */
  PyObject* text; /* ASCII, whose bytes are their UTF-8, or of a slot; NULL: there is none */
};

/* The first and the last bytes, in registers: what is read again as more than was written waits for memory. */
static inline core_recent_text ends_of(const char* data, size_t size) {
  if (size >= 8) {
    uint64_t first, last;
    memcpy(&first, data, 8);
    memcpy(&last, data + size - 8, 8);
    return (core_recent_text){first, last, size, NULL};
  }
  if (size >= 4) {
    uint32_t first, last;
    memcpy(&first, data, 4);
    memcpy(&last, data + size - 4, 4);
    return (core_recent_text){first, last, size, NULL};
  }
  uint16_t first, last;
  memcpy(&first, data, 2);
  memcpy(&last, data + size - 2, 2);
  return (core_recent_text){first, last, size, NULL};
}

static inline core_recent_text* place_of_slot(const core_member* member, const jf_any* slot) {
  return &member->recent[slot->v_uint64 * UINT64_C(0x9E3779B97F4A7C15) >> (64 - RECENT_BITS)];
}

static inline int is_at_slot(const core_recent_text* place, const jf_any* slot) {
  return place->first == slot->v_uint64 && place->size == ~(size_t)slot->small_len;
}

static inline core_recent_text* place_of_text(const core_member* member, const core_recent_text* read) {
  const uint64_t mixed = (read->first ^ (read->last << 9 | read->last >> 55)) + read->size;
  return &member->recent[mixed * UINT64_C(0x9E3779B97F4A7C15) >> (64 - RECENT_BITS)];
}

static inline int is_at(const core_recent_text* place, const core_recent_text* read) {
  return place->size == read->size && place->first == read->first && place->last == read->last;
}

static int has_recent(core_member* member) {
  if (member->recent == NULL) member->recent = PyMem_Calloc((size_t)1 << RECENT_BITS, sizeof *member->recent);
  return member->recent != NULL;
}

/* New: the text, which joins the recent ones. */
static PyObject* joined(core_recent_text* place, core_recent_text read) {
  PyObject* before = place->text;
  *place = read;
  Py_XDECREF(before);
  return Py_NewRef(read.text);
}

/* New: a text that is long, or not among the recent ones, which it joins. */
static __attribute__((noinline)) PyObject* get_rare_text(core_member* member, jf_item item, const char* data,
                                                         size_t size) {
  if (size < SHORTEST_RECENT || size > LONGEST_RECENT || !has_recent(member)) return fast_box(item);
  core_recent_text read = ends_of(data, size);
  core_recent_text* place = place_of_text(member, &read);
  if (is_at(place, &read) && memcmp((PyASCIIObject*)place->text + 1, data, size) == 0) return Py_NewRef(place->text);
  read.text = fast_box(item);
  return read.text == NULL || !PyUnicode_IS_COMPACT_ASCII(read.text) ? read.text : joined(place, read);
}

/* New: a text in a slot, which joins the recent ones, or is known by its bytes alone, as those are that are larger. */
static __attribute__((noinline)) PyObject* get_rare_slot(core_member* member, const jf_any* slot) {
  const size_t size = (size_t)slot->small_len;
  const jf_item item = {.slot = slot};
  if (size >= sizeof slot->v_bytes) return get_rare_text(member, item, (const char*)slot + JF_PAYLOAD_OFFSET, size);
  if (size < SHORTEST_RECENT || !has_recent(member)) return fast_box(item);
  core_recent_text* place = place_of_slot(member, slot);
  if (is_at_slot(place, slot)) return Py_NewRef(place->text);
  const core_recent_text read = {slot->v_uint64, 0, ~size, fast_box(item)};
  return read.text != NULL ? joined(place, read) : NULL;
}

/* New: a text of that UTF-8. Nothing here is kept over a call: no register is saved. */
static inline PyObject* get_text(core_member* member, jf_item item, const char* data, size_t size) {
  if (size >= SHORTEST_RECENT && size <= LONGEST_OF_ENDS && member->recent != NULL) {
    const core_recent_text read = ends_of(data, size);
    const core_recent_text* known = place_of_text(member, &read);
    if (is_at(known, &read)) return Py_NewRef(known->text);
  }
  return get_rare_text(member, item, data, size);
}

static inline PyObject* get_slot(core_member* member, const jf_any* slot) {
  const int32_t code = slot->type_code;
  if (code == JF_SMALL_STR) return get_rare_slot(member, slot);
  if (code == JF_OBJECT) return get_object(slot->v_object);
  if (code == JF_STR) {
    const jf_str* text = (const jf_str*)slot->v_object;
    return get_text(member, (jf_item){.object = slot->v_object}, text->data, (size_t)text->size);
  }
  return code > 0 ? core_box_view(slot) : fast_box((jf_item){.slot = slot});
}

static inline PyObject* get(core_member* member, const core_wrapper* wrapper) {
  const char* at = place_of(wrapper, member->field);
  switch (member->field->kind) {
    case JF_KIND_F64: {
      double value;
      memcpy(&value, at, sizeof value);
      return PyFloat_FromDouble(value);
    }
    case JF_KIND_I64: {
      int64_t value;
      memcpy(&value, at, sizeof value);
      return PyLong_FromLongLong(value);
    }
    case JF_KIND_I32: {
      int32_t value;
      memcpy(&value, at, sizeof value);
      return PyLong_FromLong(value);
    }
    case JF_FIELD_SLOT:
      return get_slot(member, (const jf_any*)(const void*)at);
    case JF_FIELD_OBJECT:
      return get_object(*(jf_object* const*)(const void*)at);
    default:
      return get_number(wrapper->object, member->field);
  }
}

static int refuse_instance(const core_member* member, PyObject* object) {
  PyErr_Format(PyExc_TypeError, "descriptor '%U' for '%.100s' objects doesn't apply to a '%.100s' object", member->name,
               member->owner->tp_name, Py_TYPE(object)->tp_name);
  return -1;
}

/* New: the member of the enumeration that a value stands for, or the value itself where there is none, as native code may have
 * given; steals value. */
static PyObject* as_member(const core_member* member, PyObject* value) {
  if ((PyObject*)Py_TYPE(value) == member->enumeration) return value;
  PyObject* found = PyObject_CallOneArg(member->enumeration, value);
  if (found == NULL && PyErr_ExceptionMatches(PyExc_ValueError)) {
    PyErr_Clear();
    return value;
  }
  Py_DECREF(value);
  return found;
}

/* What is not its class's own instance, or whose value stands for a member. */
static __attribute__((noinline)) PyObject* get_at_length(core_member* member, PyObject* object) {
  if (object == NULL) return Py_NewRef((PyObject*)member);
  if (Py_TYPE(object) != member->owner && !PyObject_TypeCheck(object, member->owner)) {
    refuse_instance(member, object);
    return NULL;
  }
  if (core_wrapper_get(object) == NULL) return NULL;
  PyObject* value = get(member, (core_wrapper*)object);
  return member->enumeration == NULL || value == NULL || value == Py_None ? value : as_member(member, value);
}

static PyObject* member_get(PyObject* self, PyObject* object, PyObject* class) {
  (void)class;
  core_member* member = (core_member*)self;
  if (object == NULL || Py_TYPE(object) != member->owner || ((core_wrapper*)object)->object == NULL ||
      member->enumeration != NULL)
    return get_at_length(member, object);
  if (member->recent != NULL) { /* texts are read: without the ways of other kinds */
    const jf_any* slot = (const jf_any*)(const void*)place_of((core_wrapper*)object, member->field);
    const core_recent_text* known = place_of_slot(member, slot);
    if (slot->type_code == JF_SMALL_STR && is_at_slot(known, slot)) return Py_NewRef(known->text);
  }
  return get(member, (core_wrapper*)object); /* the last call: nothing is saved before it */
}

static int fail_read_only(const core_member* member, int is_deleted) {
  PyObject* module = PyImport_ImportModule("dataclasses");
  PyObject* kind = module != NULL ? PyObject_GetAttrString(module, "FrozenInstanceError") : NULL;
  Py_XDECREF(module);
  if (kind != NULL)
    PyErr_Format(kind, "%s.%U: it is read-only%s", member->type->key, member->name,
                 is_deleted ? ", and cannot be deleted" : "");
  Py_XDECREF(kind);
  return -1;
}

/* 1: done. What a field has already is not counted. */
static inline int set_object_at_once(core_member* member, core_wrapper* wrapper, PyObject* value) {
  jf_object* object = NULL;
  if (core_is_instance(value)) {
    object = ((core_wrapper*)value)->object;
    if (object == NULL || object->type_code != member->code) return 0;
    if (*(jf_object**)(void*)place_of(wrapper, member->field) == object) return 1;
    core_take_reference((core_wrapper*)value);
  } else if (value != Py_None || !member->takes_null) {
    return 0;
  }
  core_member_store(member, wrapper, object);
  return 1;
}

/* 1: done, for numbers, short texts and objects that need no conversion in fields that nobody guards. */
static inline int set_at_once(core_member* member, PyObject* object, PyObject* value) {
  int64_t number;
  if (member->at_once == AT_LENGTH || value == NULL || Py_TYPE(object) != member->owner) return 0;
  core_wrapper* wrapper = (core_wrapper*)object;
  if (wrapper->object == NULL) return 0;
  char* place = place_of(wrapper, member->field);
  if (member->at_once == JF_KIND_F64) {
    if (!PyFloat_CheckExact(value)) return 0;
    memcpy(place, &((PyFloatObject*)value)->ob_fval, sizeof(double));
    return 1;
  }
  if (member->at_once == JF_FIELD_OBJECT) return set_object_at_once(member, wrapper, value);
  if (member->at_once == JF_FIELD_SLOT) return fast_set_text((jf_any*)(void*)place, value);
  if (!PyLong_CheckExact(value) || !fast_int(value, &number)) return 0;
  memcpy(place, &number, sizeof number);
  return 1;
}

/* Whether a field of objects has that very one already: there is nothing to check, and nothing to count. */
static inline int has_already(const core_member* member, const core_wrapper* wrapper, PyObject* value) {
  if (!core_is_instance(value) || wrapper->object == NULL || member->enumeration != NULL) return 0;
  const jf_object* object = ((core_wrapper*)value)->object;
  const char* at = place_of(wrapper, member->field);
  if (member->field->kind == JF_FIELD_OBJECT) return object != NULL && *(jf_object* const*)(const void*)at == object;
  const jf_any* slot = (const jf_any*)(const void*)at;
  return member->field->kind == JF_FIELD_SLOT && slot->type_code == JF_OBJECT && slot->v_object == object;
}

static int member_set(PyObject* self, PyObject* object, PyObject* value) {
  core_member* member = (core_member*)self;
  if (set_at_once(member, object, value)) return 0;
  if (Py_TYPE(object) != member->owner && !PyObject_TypeCheck(object, member->owner))
    return refuse_instance(member, object);
  core_wrapper* wrapper = (core_wrapper*)object;
  const int is_fixed =
      ((member->field->flags & JF_FIELD_READ_ONLY) != 0 || (member->type->flags & JF_TYPE_FROZEN) != 0);
  if (is_fixed && wrapper->is_made) return fail_read_only(member, value == NULL);
  if (value == NULL) {
    PyErr_Format(PyExc_AttributeError, "%s.%U: fields cannot be deleted", member->type->key, member->name);
    return -1;
  }
  if (has_already(member, wrapper, value)) return 0;
  return core_wrapper_get(object) != NULL ? core_member_set(member, wrapper, value) : -1;
}

/* -- the descriptor -- */

static PyObject* member_repr(core_member* member) {
  return PyUnicode_FromFormat("<field %U: %s of %s>", member->name, member->field->type, member->owner->tp_name);
}

static PyObject* member_class(core_member* member, void* unused) {
  (void)unused;
  return Py_NewRef((PyObject*)member->owner);
}

static PyObject* text_or_none(const char* text) {
  return text != NULL ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
}

static PyObject* member_doc(core_member* member, void* unused) {
  (void)unused;
  return text_or_none(member->field->doc);
}

static PyObject* member_text(core_member* member, void* unused) {
  (void)unused;
  return text_or_none(member->field->type);
}

static PyObject* member_offset(core_member* member, void* unused) {
  (void)unused;
  return PyLong_FromLong(member->field->offset);
}

static PyObject* member_flags(core_member* member, void* unused) {
  (void)unused;
  return PyLong_FromUnsignedLong(member->field->flags);
}

static PyObject* set_by(int (*set)(core_member*, core_wrapper*, PyObject*), core_member* member, PyObject* args) {
  PyObject *object, *value;
  if (!PyArg_ParseTuple(args, "OO", &object, &value)) return NULL;
  if (!PyObject_TypeCheck(object, member->owner)) {
    refuse_instance(member, object);
    return NULL;
  }
  if (core_wrapper_get(object) == NULL || set(member, (core_wrapper*)object, value) != 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject* member_set_always(core_member* member, PyObject* args) {
  return set_by(core_member_set, member, args);
}

static PyObject* member_restore(core_member* member, PyObject* args) {
  return set_by(core_member_restore, member, args);
}

static void member_dealloc(core_member* member) {
  Py_XDECREF(member->name);
  Py_XDECREF(member->default_value);
  Py_XDECREF(member->enumeration);
  for (int i = 0; member->recent != NULL && i < 1 << RECENT_BITS; i++) Py_XDECREF(member->recent[i].text);
  PyMem_Free(member->recent);
  PyObject_Free(member);
}

static PyMemberDef member_members[] = {
    {"__name__", T_OBJECT, offsetof(core_member, name), READONLY, NULL},
    {"default_value", T_OBJECT_EX, offsetof(core_member, default_value), READONLY, NULL},
    {"enumeration", T_OBJECT, offsetof(core_member, enumeration), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef member_getset[] = {
    {"__objclass__", (getter)member_class, NULL, NULL, NULL},
    {"__doc__", (getter)member_doc, NULL, NULL, NULL},
    {"type", (getter)member_text, NULL, "The text of its type.", NULL},
    {"offset", (getter)member_offset, NULL, "Bytes from the start of the native object.", NULL},
    {"arrays", (getter)core_member_arrays, NULL, "Kind, element and rank of all arrays that were put there; None.",
     NULL},
    {"flags", (getter)member_flags, NULL, "JF_FIELD_* of jitffi/types.h.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef member_methods[] = {
    {"set", (PyCFunction)member_set_always, METH_VARARGS,
     "set($self, instance, value, /)\n--\n\nSet the field of an instance, a read-only one, too, as a copy or a cache "
     "needs it."},
    {"restore", (PyCFunction)member_restore, METH_VARARGS,
     "restore($self, instance, value, /)\n--\n\nSet the field to what it gave of another instance: None of one that "
     "held "
     "nothing, whatever its type."},
    {NULL, NULL, 0, NULL},
};

/* Not the collector's business: its class is never freed. */
PyTypeObject core_member_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.ObjectField",
    .tp_basicsize = sizeof(core_member),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)member_dealloc,
    .tp_repr = (reprfunc)member_repr,
    .tp_descr_get = member_get,
    .tp_descr_set = member_set,
    .tp_members = member_members,
    .tp_getset = member_getset,
    .tp_methods = member_methods,
};

int core_member_init(void) { return PyType_Ready(&core_member_type); }

/* New. Borrows value, a default or a factory; NULL: there is none. */
core_member* core_member_make(PyTypeObject* owner, const jf_type_info* type, const jf_field* field, PyObject* value) {
  core_member* member = PyObject_New(core_member, &core_member_type);
  if (member == NULL) return NULL;
  memset(&member->type, 0, sizeof *member - offsetof(core_member, type));
  member->type = type;
  member->field = field;
  member->owner = owner;
  member->default_value = Py_XNewRef(value);
  member->state.info = &type->errors[field - type->fields];
  member->takes_null = (field->flags & JF_FIELD_OF_TYPE) && strncmp(field->type, "optional[", 9) == 0;
  if (field->kind == JF_FIELD_SLOT) {
    if (strcmp(field->type, "str") == 0) member->text = JF_STR;
    if (strcmp(field->type, "bytes") == 0) member->text = JF_BYTES;
    if (strcmp(field->type, "any") == 0) member->text = JF_ROOT;
  }
  member->name = PyUnicode_InternFromString(field->name);
  if (member->name != NULL) return member;
  Py_DECREF(member);
  return NULL;
}
