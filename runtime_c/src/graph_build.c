/* Nodes of a graph that is read: made first, filled afterwards, and let go of together, whatever circles they are in. */
#include <string.h>

#include "graph.h"
#include "message.h"

int32_t jf_nodes_init(jf_nodes* nodes, size_t count) {
  nodes->count = 0;
  nodes->objects = count < SIZE_MAX / sizeof(jf_object*) - 1 ? jf_alloc((count + 1) * sizeof(jf_object*)) : NULL;
  if (!nodes->objects) {
    jf_error_no_memory();
    return -1;
  }
  memset(nodes->objects, 0, (count + 1) * sizeof(jf_object*));
  nodes->count = count;
  return 0;
}

jf_object* jf_node_make(int32_t kind, const jf_type_info* type) {
  if (kind == JF_NODE_FIELDS) return jf_object_make_bare(type->code);
  if (kind == JF_NODE_SET) return jf_set_new(0, -1);
  return kind == JF_NODE_MAP ? jf_map_new(0, -1) : jf_list_new(0, -1);
}

jf_object* jf_node_member(const jf_type_info* type, const jf_value* name) {
  jf_value made = {JF_NULL, 0, {0}};
  jf_object* find = jf_type_method(type->code, "__member__");
  int32_t status = -1;
  if (!find) {
    jf_error_format("ValueError", "the members of %s are not known", type->key);
  } else if (jf_any_text(name).kind != JF_TEXT_UTF8) {
    jf_error_format("ValueError", "expected the name of a member of %s", type->key);
  } else {
    jf_view view;
    jf_any_view(name, &view);
    status = jf_function_call(find, 1, &view, &made);
  }
  jf_object_release(find);
  jf_object* found = status == 0 ? jf_any_object(&made) : NULL;
  if (found && jf_type_is_a(found->type_code, type->code)) return found;
  if (status == 0) jf_error_format("ValueError", "%s.__member__ gave no member", type->key);
  jf_any_release(&made);
  return NULL;
}

static void empty(jf_object* object) {
  const jf_type_info* type = NULL;
  switch (jf_node_kind(object, &type)) {
    case JF_NODE_LIST:
      jf_list_clear(object);
      return;
    case JF_NODE_MAP:
    case JF_NODE_SET:
      jf_map_clear(object);
      return;
    case JF_NODE_FIELDS: /* members of enumerations are not of the graph */
      if (!(type->flags & JF_TYPE_ENUM)) jf_fields_release(object, type);
      return;
    default:
      return;
  }
}

void jf_nodes_free(jf_nodes* nodes, int32_t status) {
  for (size_t i = 0; i < nodes->count && status != 0; i++) {
    if (nodes->objects[i]) empty(nodes->objects[i]);
  }
  for (size_t i = 0; i < nodes->count; i++) jf_object_release(nodes->objects[i]);
  jf_free(nodes->objects);
  *nodes = (jf_nodes){NULL, 0};
}

const jf_type_info* jf_stored_type(const char* key, size_t size) {
  char name[256], quoted[JF_QUOTE_SIZE];
  const int32_t fits = size < sizeof name && !memchr(key, 0, size);
  if (fits) memcpy(name, key, size);
  name[fits ? size : 0] = 0;
  const int32_t code = fits ? jf_type_code(name) : 0;
  const jf_type_info* type = code ? jf_type_info_of(code) : NULL;
  if (type && ((type->size && type->construct != jf_construct_refused) || (type->flags & JF_TYPE_ENUM))) return type;
  jf_error_format("ValueError", "%s %s", type ? "only who defined it can make objects of type" : "there is no type",
                  jf_quote(fits ? name : "of such a long key", quoted, sizeof quoted));
  return NULL;
}

int32_t jf_type_set_version(int32_t code, int64_t version) {
  jf_type_extra* extra = jf_type_extra_of(code);
  if (!extra || version < 0) {
    jf_error_set("ValueError", extra ? "the version of a type is negative" : "a built-in type has no version");
    return -1;
  }
  __atomic_store_n(&extra->version, version, __ATOMIC_RELAXED);
  return 0;
}

int64_t jf_type_version(int32_t code) {
  jf_type_extra* extra = jf_type_extra_of(code);
  return extra ? __atomic_load_n(&extra->version, __ATOMIC_RELAXED) : 0;
}

int32_t jf_stored_version(const jf_type_info* type, uint64_t version) {
  const int64_t known = jf_type_version(type->code);
  if (version <= (uint64_t)known) return 0;
  jf_error_format("ValueError", "%s of version %llu: here it has version %lld", type->key, (unsigned long long)version,
                  (long long)known);
  return -1;
}

/* Bytes of the elements; -1: no array is that large. */
static int64_t elements_size(int32_t ndim, const int64_t* dims, jf_dtype dtype) {
  int64_t bits = (int64_t)dtype.bits * dtype.lanes;
  for (int32_t i = 0; i < ndim; i++) {
    if (dims[i] < 0) return -1;
    if (dims[i] == 0) return 0;
  }
  for (int32_t i = 0; i < ndim; i++) {
    if (bits > INT64_MAX / 16 / dims[i]) return -1;
    bits *= dims[i];
  }
  return (bits + 7) / 8;
}

int32_t jf_array_load(int32_t ndim, const int64_t* dims, jf_dtype dtype, const char* bytes, size_t size,
                      jf_value* out) {
  const int64_t expected = elements_size(ndim, dims, dtype);
  if (expected < 0 || (uint64_t)expected != size) return 1;
  jf_object* made = jf_ndarray_new(ndim, dims, dtype, 0);
  if (!made) return -1;
  const jf_dltensor* t = jf_ndarray_tensor(made);
  if (jf_elements_size(t, ((jf_ndarray*)made)->flags) != size) {
    jf_object_release(made);
    return 1;
  }
  if (size) memcpy((char*)t->data + t->byte_offset, bytes, size);
  jf_out_object(out, made);
  return 0;
}

int32_t jf_field_is_of_class(const jf_type_info* type, const jf_field* field) {
  return field - type->fields < type->num_constructed && field->kind == JF_FIELD_OBJECT;
}

int32_t jf_field_load(jf_object* object, const jf_type_info* type, const jf_field* field, const jf_view* view) {
  if (view->type_code == JF_NULL && jf_field_is_of_class(type, field) &&
      !*(jf_object**)(void*)((char*)object + field->offset))
    return 0;
  return jf_field_set(object, type, field, view);
}

static int32_t set_default(jf_object* object, const jf_type_info* type, const jf_field* field) {
  if (field->flags & JF_FIELD_HAS_DEFAULT) return jf_field_set(object, type, field, &field->default_value);
  if ((field->flags & JF_FIELD_HAS_FACTORY) == 0) {
    jf_error_format("ValueError", "%s.%s is missing, which has no default", type->key, field->name);
    return -1;
  }
  jf_value made = {JF_NULL, 0, {0}};
  if (jf_function_call(field->default_value.v_object, 0, NULL, &made) != 0) return -1;
  const int32_t status = jf_field_set(object, type, field, &made);
  jf_any_release(&made);
  return status;
}

int32_t jf_fields_complete(jf_object* object, const jf_type_info* type, const uint8_t* told) {
  for (int32_t i = 0; i < type->num_fields; i++) {
    if (told[i / 8] >> (i & 7) & 1) continue;
    if (set_default(object, type, &type->fields[i]) != 0) return -1;
  }
  return 0;
}

int32_t jf_fields_check(jf_object* object) {
  const jf_type_info* type = NULL;
  if (jf_node_kind(object, &type) != JF_NODE_FIELDS) return 0;
  for (int32_t i = 0; i < type->num_fields; i++) {
    const jf_field* field = &type->fields[i];
    if (field->kind < JF_FIELD_SLOT) continue;
    jf_view view;
    jf_field_view(object, field, &view);
    const jf_object* held = jf_any_object(&view);
    if (!held || (held->type_code >= JF_STR && held->type_code <= JF_BYTES)) continue;
    const jf_pattern* pattern = jf_pattern_at(&type->errors[i], JF_FIELD_INDEX);
    if (!pattern || jf_pattern_check(pattern, &type->errors[i], JF_FIELD_INDEX, &view) != 0) return -1;
  }
  return 0;
}
