/* How fields of instances are written: what Python gives is converted as an argument of the field's type is.
 *
 * A conversion may run code of the user: the object is looked for again behind it.
 */
#include <string.h>

#include "error.h"
#include "fast_paths.h"
#include "instance.h"
#include "raise.h"
#include "unbox.h"
#include "unbox_item.h"

static inline char* place_of(const core_wrapper* wrapper, const jf_field* field) {
  return (char*)wrapper->object + field->offset;
}

static int set_number(core_member* member, core_wrapper* wrapper, PyObject* value) {
  uint64_t word = 0;
  if (core_unbox_scalar(&member->state, JF_FIELD_INDEX, value, member->field->kind, &word) != 0) return -1;
  if (core_wrapper_get((PyObject*)wrapper) == NULL) return -1; /* the value's own code has moved it */
  memcpy(place_of(wrapper, member->field), &word, (size_t)member->field->size);
  return 0;
}

static int store_slot(core_member* member, core_wrapper* wrapper, jf_value* value) {
  if (core_wrapper_get((PyObject*)wrapper) == NULL) {
    jf_any_release(value);
    return -1;
  }
  jf_value* slot = (jf_value*)(void*)place_of(wrapper, member->field);
  if (wrapper->moving == CORE_FRESH) {
    *slot = *value;
    return 0;
  }
  const jf_value before = *slot;
  if (before.type_code == JF_OBJECT) *slot = (jf_value){JF_NULL, 0, {0}}; /* it is given up here */
  jf_field_store_slot(wrapper->object, member->type, member->field, value);
  if (before.type_code == JF_OBJECT) core_give_reference(before.v_object);
  return 0;
}

static int store_object(core_member* member, core_wrapper* wrapper, jf_object* value) {
  if (core_wrapper_get((PyObject*)wrapper) == NULL) {
    jf_object_release(value);
    return -1;
  }
  if (wrapper->moving == CORE_FRESH)
    *(jf_object**)(void*)place_of(wrapper, member->field) = value;
  else
    core_member_store(member, wrapper, value);
  return 0;
}

/* Text that needs no look at the pattern: 1 done, 0 it is none, -1 exception. */
static int set_text(core_member* member, core_wrapper* wrapper, PyObject* value) {
  jf_value made = {JF_NULL, 0, {0}};
  jf_span span;
  if (PyUnicode_CheckExact(value) && member->text != JF_BYTES) {
    if (PyUnicode_IS_COMPACT_ASCII(value)) {
      span = (jf_span){(const char*)((PyASCIIObject*)value + 1), (size_t)PyUnicode_GET_LENGTH(value)};
    } else if (core_unbox_str(&member->state, JF_FIELD_INDEX, value, &span) != 0) {
      return -1;
    }
    if (raised(jf_out_str(&made, span.data, span.size)) != 0) return -1;
  } else if (PyBytes_CheckExact(value) && member->text != JF_STR) {
    if (raised(jf_out_bytes(&made, PyBytes_AS_STRING(value), (size_t)PyBytes_GET_SIZE(value))) != 0) return -1;
  } else {
    return 0;
  }
  return store_slot(member, wrapper, &made) == 0 ? 1 : -1;
}

static int set_slot(core_member* member, core_wrapper* wrapper, PyObject* value) {
  jf_value made = {JF_NULL, 0, {0}};
  jf_temps temps = {NULL};
  jf_view view;
  const int done = member->text != 0 ? set_text(member, wrapper, value) : 0;
  if (done != 0) return done < 0 ? -1 : 0;
  if (member->text == JF_ROOT) {
    int status = core_unbox_any(&member->state, JF_FIELD_INDEX, value, &view, &temps);
    if (status == 0) status = raised(jf_any_retain(&view, &made));
    jf_temps_release(&temps);
    return status == 0 ? store_slot(member, wrapper, &made) : -1;
  }
  converted found = {0};
  if (core_convert_value(&member->state, JF_FIELD_INDEX, member->pattern, value, &found) != 0) return -1;
  const int status = raised(jf_any_retain(&found.borrowed.view, &made));
  converted_done(&found);
  return status == 0 ? store_slot(member, wrapper, &made) : -1;
}

static int refuse(core_member* member, PyObject* value) {
  core_raise_type(&member->state, JF_FIELD_INDEX, value, NULL);
  return -1;
}

/* The code of the type's key, in optional[...] too; 0: it is not registered yet. */
static int32_t code_of_key(const char* type) {
  static const char optional[] = "optional[";
  char key[256];
  const size_t size = strlen(type);
  if (strncmp(type, optional, sizeof optional - 1) != 0) return jf_type_code(type);
  if (size >= sizeof key) return 0;
  memcpy(key, type + sizeof optional - 1, size - sizeof optional);
  key[size - sizeof optional] = 0;
  return jf_type_code(key);
}

static int is_right(const core_member* member, const jf_object* object) {
  if (object == NULL || member->code == 0) return jf_field_takes(member->field, object);
  return object->type_code == member->code || jf_type_is_a(object->type_code, member->code);
}

/* New: what stands for an object of the field's type, or what a protocol makes of it. NULL with an exception, or without. */
static jf_object* made_of(core_member* member, PyObject* value) {
  static const jf_pattern shape = {.name = "shape", .kind = JF_PATTERN_TYPE};
  const int is_shape = member->code == JF_SHAPE; /* whose refusal tells the dimension */
  jf_object* made = member->code != 0 && !is_shape ? core_stand_in(jf_type_key(member->code), value) : NULL;
  converted found = {0};
  if (made != NULL || PyErr_Occurred() || (core_is_wrapper(value) && !is_shape)) return made;
  if (core_convert_value(&member->state, JF_FIELD_INDEX, is_shape ? &shape : NULL, value, &found) != 0) return NULL;
  const int32_t code = found.borrowed.view.type_code;
  made = code == JF_OBJECT || code > 0 ? found.borrowed.view.v_object : NULL;
  jf_object_retain(made);
  converted_done(&found);
  return made;
}

/* The key is looked up once. */
static int set_of_type(core_member* member, core_wrapper* wrapper, PyObject* value) {
  jf_object* object = value != Py_None ? core_wrapper_object(value) : NULL;
  if (member->code == 0) member->code = code_of_key(member->field->type);
  if (object != NULL && is_right(member, object))
    return store_object(member, wrapper, core_take_reference((core_wrapper*)value));
  object = value != Py_None ? made_of(member, value) : NULL;
  if (PyErr_Occurred()) return -1;
  if ((object != NULL || value == Py_None) && is_right(member, object)) return store_object(member, wrapper, object);
  jf_object_release(object);
  return refuse(member, value);
}

static int is_null(const jf_object* object, const jf_field* field) {
  jf_view view;
  jf_field_view(object, field, &view);
  return view.type_code == JF_NULL;
}

void core_members_find_null(const core_class_info* info, const jf_object* object) {
  for (int32_t i = 0; object != NULL && i < info->type->num_constructed; i++) {
    core_member* member = (core_member*)PyTuple_GET_ITEM(info->members, i);
    if (member->field->kind == JF_FIELD_OBJECT && is_null(object, member->field)) member->made_null = MADE_NULL;
  }
}

/* Whether the native class itself leaves the field null, in a new object or in any that was seen, whatever the field's type says. */
static int is_null_when_made(core_member* member, core_wrapper* wrapper) {
  const jf_type_info* type = member->type;
  if (member->field - type->fields >= type->num_constructed) return 0; /* Python's own */
  if (member->made_null == UNKNOWN) {
    jf_object* made = jf_object_make_bare(type->code);
    if (made == NULL) { /* only its constructor makes one, of arguments */
      jf_object_release(jf_error_take());
      if (wrapper->object != NULL && is_null(wrapper->object, member->field)) member->made_null = MADE_NULL;
      return member->made_null == MADE_NULL;
    }
    member->made_null = is_null(made, member->field) ? MADE_NULL : MADE_WITH_A_VALUE;
    jf_object_release(made);
  }
  return member->made_null == MADE_NULL;
}

static int set_object(core_member* member, core_wrapper* wrapper, PyObject* value) {
  if (value == Py_None && !member->takes_null && is_null_when_made(member, wrapper))
    return store_object(member, wrapper, NULL);
  if (member->field->flags & JF_FIELD_OF_TYPE) return set_of_type(member, wrapper, value);
  converted found = {0};
  int32_t failed = 0;
  if (core_convert_value(&member->state, JF_FIELD_INDEX, member->pattern, value, &found) != 0) return -1;
  jf_object* made = jf_any_to_object(&found.borrowed.view, &failed);
  converted_done(&found);
  if (raised(failed) != 0) return -1;
  if (made != NULL && made->type_code == JF_NDARRAY) core_member_note_array(member, value, made);
  return store_object(member, wrapper, made);
}

/* Short ASCII text goes into the slot as it is, and so does an instance, of the field's very type or where any may be. 1: done. */
static inline int set_as_it_is(core_member* member, core_wrapper* wrapper, PyObject* value) {
  if (!core_is_instance(value))
    return (member->text == JF_STR || member->text == JF_ROOT) &&
           fast_set_text((jf_any*)(void*)place_of(wrapper, member->field), value);
  const jf_object* object = ((core_wrapper*)value)->object;
  if (object == NULL || (object->type_code != member->code && member->text != JF_ROOT)) return 0;
  jf_value made = {.type_code = JF_OBJECT, .v_object = core_take_reference((core_wrapper*)value)};
  return store_slot(member, wrapper, &made) == 0;
}

/* The pattern is looked for when it is first needed: it may name types that are registered later. */
static int find_pattern(core_member* member) {
  if (member->pattern != NULL || member->text == JF_ROOT || (member->field->flags & JF_FIELD_OF_TYPE)) return 0;
  member->pattern = jf_pattern_of(member->field->type);
  member->code = code_of_key(member->field->type);
  return raised(member->pattern == NULL ? -1 : 0);
}

static int set_value(core_member* member, core_wrapper* wrapper, PyObject* value) {
  const jf_field* field = member->field;
  int64_t number;
  switch (field->kind) {
    case JF_KIND_F64:
      if (!PyFloat_CheckExact(value)) return set_number(member, wrapper, value);
      memcpy(place_of(wrapper, field), &((PyFloatObject*)value)->ob_fval, sizeof(double));
      return 0;
    case JF_KIND_I64:
      if (!PyLong_CheckExact(value) || !fast_int(value, &number)) return set_number(member, wrapper, value);
      memcpy(place_of(wrapper, field), &number, sizeof number);
      return 0;
    case JF_FIELD_SLOT:
      if (set_as_it_is(member, wrapper, value)) return 0;
      return find_pattern(member) == 0 ? set_slot(member, wrapper, value) : -1;
    case JF_FIELD_OBJECT:
      return find_pattern(member) == 0 ? set_object(member, wrapper, value) : -1;
    default:
      return set_number(member, wrapper, value);
  }
}

static int refuse_enumerated(const core_member* member, PyObject* value) {
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "%s.%U: expected a member of %s, got %R", member->type->key, member->name,
               ((PyTypeObject*)member->enumeration)->tp_name, value);
  return -1;
}

/* Whether a member is another object than what it is to native code, a number or text. */
static int stands_for_value(const core_member* member, PyObject* found) {
  return member->text != JF_ROOT && !PyLong_Check(found) && !PyUnicode_Check(found) && !core_is_wrapper(found);
}

/* A member of the enumeration, or what one stands for. */
static int set_enumerated(core_member* member, core_wrapper* wrapper, PyObject* value) {
  const int is_member = (PyObject*)Py_TYPE(value) == member->enumeration;
  PyObject* found = is_member ? Py_NewRef(value) : PyObject_CallOneArg(member->enumeration, value);
  if (found == NULL) return PyErr_ExceptionMatches(PyExc_ValueError) ? refuse_enumerated(member, value) : -1;
  if (stands_for_value(member, found)) Py_SETREF(found, PyObject_GetAttrString(found, "value"));
  const int status = found != NULL ? set_value(member, wrapper, found) : -1;
  Py_XDECREF(found);
  return status;
}

int core_member_set(core_member* member, core_wrapper* wrapper, PyObject* value) {
  const int is_plain = member->enumeration == NULL || value == Py_None;
  return is_plain ? set_value(member, wrapper, value) : set_enumerated(member, wrapper, value);
}

int core_member_restore(core_member* member, core_wrapper* wrapper, PyObject* value) {
  jf_value none = {JF_NULL, 0, {0}};
  if (value != Py_None || member->field->kind < JF_FIELD_SLOT) return core_member_set(member, wrapper, value);
  if (member->field->kind == JF_FIELD_OBJECT) return store_object(member, wrapper, NULL);
  return store_slot(member, wrapper, &none);
}
