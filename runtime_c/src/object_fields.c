/* Objects of defined types: made, read and written by their fields, and let go. */
#include <string.h>

#include "cycles.h"
#include "jitffi/types.h"
#include "message.h"
#include "object.h"
#include "slot.h"

static char* place_of(const jf_object* object, const jf_field* field) {
  return (char*)(uintptr_t)object + field->offset;
}
static jf_value* slot_of(const jf_object* object, const jf_field* field) {
  return (jf_value*)(void*)place_of(object, field);
}
static jf_object** reference_of(const jf_object* object, const jf_field* field) {
  return (jf_object**)(void*)place_of(object, field);
}

jf_links* jf_object_links(const jf_object* object, const jf_type_info* type) {
  return (jf_links*)(void*)((char*)(uintptr_t)object + type->links);
}

/* -- letting go -- */

static void release_from(jf_object* object, const jf_type_info* type, int32_t first) {
  for (int32_t i = first; i < type->num_fields; i++) {
    const jf_field* field = &type->fields[i];
    if (field->kind == JF_FIELD_SLOT) {
      jf_value held = *slot_of(object, field);
      *slot_of(object, field) = (jf_value){JF_NULL, 0, {0}};
      jf_any_release(&held);
    } else if (field->kind == JF_FIELD_OBJECT) {
      jf_object* held = *reference_of(object, field);
      *reference_of(object, field) = NULL;
      jf_object_release(held);
    }
  }
}

/* Borrows type. */
void jf_fields_release(jf_object* object, const jf_type_info* type) { release_from(object, type, 0); }

/* Borrows type. */
void jf_object_destroy(jf_object* object, const jf_type_info* type) {
  release_from(object, type, type->destroy ? type->num_constructed : 0);
  if (type->destroy) type->destroy(object);
}

int32_t jf_object_end_enter(jf_object* object, const jf_type_info* type) {
  if (!type->links) return 1;
  jf_links* links = jf_object_links(object, type);
  if (jf_links_used(links)) jf_cycles_untrack(object);
  *links = (jf_links){.next = NULL};
  return jf_deferred_free_enter(object, links);
}

void jf_object_end_leave(const jf_type_info* type) {
  if (type->links) jf_deferred_free_leave();
}

/* Steals the last reference. */
static void delete_last(jf_object* object) {
  const jf_type_info* type = jf_type_info_of(object->type_code);
  if (!jf_object_end_enter(object, type)) return;
  jf_object_destroy(object, type);
  jf_object_free(object);
  jf_object_end_leave(type);
}

void jf_object_track(jf_object* object, const jf_type_info* type) {
  if (type->links) jf_cycles_track(object);
}

/* -- making -- */

/* -1 with TypeError. */
int32_t jf_construct_refused(jf_object* object) {
  jf_error_format("TypeError",
                  "objects of type %s cannot be made here: only its own constructor makes them, of arguments",
                  jf_type_key(object->type_code));
  return -1;
}

/* New. NULL with TypeError, MemoryError or what the type's own maker sets. */
jf_object* jf_object_make_bare(int32_t code) {
  const jf_type_info* type = jf_type_info_of(code);
  if (!type || !type->size) {
    jf_error_format("TypeError", "objects of type %s cannot be made here: %s", jf_type_key(code),
                    type ? "only who defined it knows their size" : "it has no definition");
    return NULL;
  }
  jf_object* object = jf_object_new((size_t)type->size, code, delete_last);
  if (!object) return NULL;
  for (int32_t i = type->construct ? type->num_constructed : 0; i < type->num_fields; i++) {
    if (type->fields[i].kind == JF_FIELD_SLOT) slot_of(object, &type->fields[i])->type_code = JF_NULL;
  }
  if (type->construct && type->construct(object) != 0) {
    jf_object_free(object);
    return NULL;
  }
  return object;
}

static int32_t set_default(jf_object* object, const jf_type_info* type, const jf_field* field) {
  if ((field->flags & JF_FIELD_HAS_FACTORY) == 0) return jf_field_set(object, type, field, &field->default_value);
  jf_value made = {JF_NULL, 0, {0}};
  if (jf_function_call(field->default_value.v_object, 0, NULL, &made) != 0) return -1;
  const int32_t status = jf_field_set(object, type, field, &made);
  jf_any_release(&made);
  return status;
}

/* New. NULL with the error set. */
jf_object* jf_object_make_of(int32_t code) {
  jf_object* object = jf_object_make_bare(code);
  const jf_type_info* type = object ? jf_type_info_of(code) : NULL;
  for (int32_t i = 0; type && i < type->num_fields; i++) {
    const jf_field* field = &type->fields[i];
    if ((field->flags & (JF_FIELD_HAS_DEFAULT | JF_FIELD_HAS_FACTORY)) == 0) continue;
    if (set_default(object, type, field) == 0) continue;
    jf_object_release(object);
    return NULL;
  }
  return object;
}

/* -- reading -- */

static void get_number(const char* at, int32_t kind, jf_value* out) {
  uint64_t word;
  *out = (jf_value){JF_INT, 0, {0}};
  switch (kind) {
    case JF_KIND_BOOL:
      out->type_code = JF_BOOL;
      out->v_int64 = *(const uint8_t*)at != 0;
      return;
    case JF_KIND_I8:
      out->v_int64 = *(const int8_t*)at;
      return;
    case JF_KIND_U8:
      out->v_int64 = *(const uint8_t*)at;
      return;
    case JF_KIND_I16: {
      int16_t value;
      memcpy(&value, at, sizeof value);
      out->v_int64 = value;
      return;
    }
    case JF_KIND_U16: {
      uint16_t value;
      memcpy(&value, at, sizeof value);
      out->v_int64 = value;
      return;
    }
    case JF_KIND_I32: {
      int32_t value;
      memcpy(&value, at, sizeof value);
      out->v_int64 = value;
      return;
    }
    case JF_KIND_U32: {
      uint32_t value;
      memcpy(&value, at, sizeof value);
      out->v_int64 = value;
      return;
    }
    case JF_KIND_F16:
    case JF_KIND_BF16: {
      uint16_t bits;
      memcpy(&bits, at, sizeof bits);
      out->type_code = JF_FLOAT;
      out->v_float64 = kind == JF_KIND_F16 ? jf_f64_from_f16(bits) : jf_f64_from_bf16(bits);
      return;
    }
    case JF_KIND_F32: {
      float value;
      memcpy(&value, at, sizeof value);
      out->type_code = JF_FLOAT;
      out->v_float64 = (double)value;
      return;
    }
    case JF_KIND_DTYPE:
      out->type_code = JF_DTYPE;
      memcpy(&out->v_dtype, at, sizeof out->v_dtype);
      return;
    default:
      memcpy(&word, at, sizeof word);
      out->v_uint64 = word;
      if (kind == JF_KIND_F64) out->type_code = JF_FLOAT;
      if (kind == JF_KIND_DEVICE) out->type_code = JF_DEVICE;
      if (kind == JF_KIND_U64 && word > INT64_MAX) out->type_code = JF_UINT;
      return;
  }
}

/* Borrows object and field; never fails. A view of the field's value. */
void jf_field_view(const jf_object* object, const jf_field* field, jf_view* out) {
  if (field->kind == JF_FIELD_SLOT) {
    jf_any_view(slot_of(object, field), out);
  } else if (field->kind == JF_FIELD_OBJECT) {
    jf_object* held = *reference_of(object, field);
    *out = (jf_view){JF_NULL, 0, {0}};
    if (!held) return;
    out->type_code = held->type_code <= JF_S1_LAST ? held->type_code : JF_OBJECT;
    out->v_uint64 = JF_POINTER_WORD(held);
  } else {
    get_number(place_of(object, field), field->kind, out);
  }
}

/* Borrows object and field. MemoryError: *out is null. */
int32_t jf_field_get(const jf_object* object, const jf_field* field, jf_value* out) {
  jf_view view;
  jf_field_view(object, field, &view);
  return jf_any_retain(&view, out);
}

/* -- writing -- */

/* Steals value. */
void jf_field_store_object(jf_object* object, const jf_type_info* type, const jf_field* field, jf_object* value) {
  jf_object* before = *reference_of(object, field);
  *reference_of(object, field) = value;
  if (value && type->links) jf_item_stored(object, jf_object_links(object, type), (jf_item){.object = value});
  jf_object_release(before);
}

/* Takes *value. */
void jf_field_store_slot(jf_object* object, const jf_type_info* type, const jf_field* field, jf_value* value) {
  jf_value before = *slot_of(object, field);
  jf_object* held = jf_any_object(value);
  *slot_of(object, field) = *value;
  *value = (jf_value){JF_NULL, 0, {0}};
  if (held && type->links) jf_item_stored(object, jf_object_links(object, type), (jf_item){.object = held});
  jf_any_release(&before);
}

/* Whether an object may stand in a field whose type is the key of an object type. That may have been registered after it. */
int32_t jf_field_takes(const jf_field* field, const jf_object* value) {
  static const char optional[] = "optional[";
  const char* key = field->type;
  const int32_t may_be_null = strncmp(key, optional, sizeof optional - 1) == 0;
  char scratch[256];
  if (!value) return may_be_null;
  if (may_be_null) {
    key += sizeof optional - 1;
    const size_t size = strlen(key) - 1;
    if (size >= sizeof scratch) return 0;
    memcpy(scratch, key, size);
    scratch[size] = 0;
    key = scratch;
  }
  if (strcmp(jf_type_key(value->type_code), key) == 0) return 1;
  const int32_t code = jf_type_code(key);
  return code != 0 && jf_type_is_a(value->type_code, code);
}

static int32_t set_of_type(jf_object* object, const jf_type_info* type, const jf_field* field, const jf_view* view) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  jf_object* value = jf_any_object(slot);
  if ((!value && slot->type_code != JF_NULL) || !jf_field_takes(field, value)) {
    jf_fail_type(&type->errors[field - type->fields], JF_FIELD_INDEX, view);
    return -1;
  }
  jf_object_retain(value);
  jf_field_store_object(object, type, field, value);
  return 0;
}

/* Borrows all. -1 with TypeError or OverflowError. */
int32_t jf_field_set(jf_object* object, const jf_type_info* type, const jf_field* field, const jf_view* view) {
  const jf_call_info* error = &type->errors[field - type->fields];
  if (field->kind < JF_FIELD_SLOT) {
    uint64_t word = 0;
    if (jf_lift_scalar(error, JF_FIELD_INDEX, view, field->kind, &word) != 0) return -1;
    memcpy(place_of(object, field), &word, (size_t)field->size); /* the low bytes: all targets are little-endian */
    return 0;
  }
  if (field->flags & JF_FIELD_OF_TYPE) return set_of_type(object, type, field, view);
  const jf_pattern* pattern = jf_pattern_at(error, JF_FIELD_INDEX);
  if (!pattern || jf_pattern_check(pattern, error, JF_FIELD_INDEX, view) != 0) return -1;
  if (field->kind == JF_FIELD_SLOT) {
    jf_value value = {JF_NULL, 0, {0}};
    if (jf_any_retain(view, &value) != 0) return -1;
    jf_field_store_slot(object, type, field, &value);
    return 0;
  }
  int32_t failed = 0;
  jf_object* value = jf_any_to_object(view, &failed);
  if (failed) return -1;
  jf_field_store_object(object, type, field, value);
  return 0;
}

/* -- by name -- */

/* NULL with AttributeError set. */
static const jf_field* find(const jf_object* object, const char* name, const jf_type_info** type) {
  *type = jf_type_info_of(object->type_code);
  const jf_field* field = *type ? jf_type_field(*type, name) : NULL;
  char quoted[JF_QUOTE_SIZE];
  if (!field)
    jf_error_format("AttributeError", "%s has no field %s", jf_type_key(object->type_code),
                    jf_quote(name, quoted, sizeof quoted));
  return field;
}

/* Borrows object and name. */
int32_t jf_object_get(jf_object* object, const char* name, jf_value* out) {
  const jf_type_info* type;
  const jf_field* field = find(object, name, &type);
  return field ? jf_field_get(object, field, out) : -1;
}

/* Borrows all. */
int32_t jf_object_set(jf_object* object, const char* name, const jf_view* value) {
  const jf_type_info* type;
  const jf_field* field = find(object, name, &type);
  if (!field) return -1;
  if ((field->flags & JF_FIELD_READ_ONLY) == 0 && (type->flags & JF_TYPE_FROZEN) == 0)
    return jf_field_set(object, type, field, value);
  jf_error_format("AttributeError", "%s.%s: it is read-only", type->key, name);
  return -1;
}
