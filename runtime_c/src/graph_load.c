/* Graphs from bytes. The nodes are gone through as those of JSON are (graph_read.c): made, then filled, each from its place. */
#include <string.h>

#include "decimal.h"
#include "graph_bytes.h"
#include "message.h"

static const jf_value null_value = {JF_NULL, 0, {0}};

/* One of `types`: which field each value belongs to. */
typedef struct {
  const jf_type_info* type;
  size_t first, count; /* in `fields`, pointers to jf_field; `places` are where nodes begin */
} stored_type;

/* -- types and the places of nodes -- */

static int32_t read_field(jf_load* r, const jf_type_info* type) {
  jf_span name;
  const jf_field** slot = jf_growing_room(&r->fields, sizeof *slot);
  if (!slot || jf_load_text(r, &name) != 0) return -1;
  for (int32_t i = 0; i < type->num_fields; i++) {
    const jf_field* field = &type->fields[i];
    if (strlen(field->name) != name.size || memcmp(field->name, name.data, name.size) != 0) continue;
    *slot = field;
    r->fields.size += sizeof *slot;
    return 0;
  }
  char text[64], what[320];
  jf_print(text, sizeof text, "%.*s", (int)(name.size < 60 ? name.size : 60), name.data);
  jf_print(what, sizeof what, "%s has no field '%s'", type->key, text);
  return jf_load_fail(r, what);
}

static int32_t read_type(jf_load* r) {
  jf_span key;
  stored_type* t = jf_growing_room(&r->types, sizeof *t);
  if (!t || jf_load_text(r, &key) != 0) return -1;
  *t = (stored_type){jf_stored_type(key.data, key.size), r->fields.size / sizeof(const jf_field*), 0};
  r->types.size += sizeof *t;
  uint64_t version;
  if (!t->type) return jf_load_fail_with(r);
  if (jf_load_number(r, &version) != 0) return -1;
  if (jf_stored_version(t->type, version) != 0) return jf_load_fail_with(r);
  if (jf_load_count(r, 1, &t->count) != 0) return -1;
  for (size_t i = 0; i < t->count; i++) {
    if (read_field(r, t->type) != 0) return -1;
  }
  return 0;
}

static const stored_type* type_at(const jf_load* r, size_t i) { return (const stored_type*)(void*)r->types.data + i; }

/* How many values a node has. */
static int32_t read_size(jf_load* r, int32_t kind, const stored_type** type, size_t* count) {
  *type = NULL;
  if (kind == JF_NODE_FIELDS) {
    uint64_t number;
    if (jf_load_number(r, &number) != 0) return -1;
    if (number >= r->types.size / sizeof(stored_type)) return jf_load_fail(r, "a type that there is not");
    *type = type_at(r, (size_t)number);
    *count = (*type)->count;
    return 0;
  }
  if ((kind < JF_NODE_LIST || kind > JF_NODE_MAP) && kind != JF_NODE_SET) return jf_load_fail(r, "no node begins so");
  if (jf_load_count(r, kind == JF_NODE_MAP ? 2 : 1, count) != 0) return -1;
  if (kind == JF_NODE_MAP) *count *= 2;
  return 0;
}

static int32_t read_array(jf_load* r, jf_value* out) {
  jf_dtype dtype;
  size_t ndim, size;
  int64_t dims[JF_NDARRAY_DIMS];
  if (jf_load_raw(r, &dtype, 4) != 0 || jf_load_count(r, 1, &ndim) != 0) return -1;
  if (ndim > JF_NDARRAY_DIMS) return jf_load_fail(r, "more dimensions than an array can have");
  for (size_t i = 0; i < ndim; i++) {
    uint64_t dim;
    if (jf_load_number(r, &dim) != 0) return -1;
    if (dim > INT64_MAX) return jf_load_fail(r, "a dimension of more than 63 bits");
    dims[i] = (int64_t)dim;
  }
  if (jf_load_count(r, 1, &size) != 0) return -1;
  const char* bytes = (const char*)r->at;
  r->at += size;
  const int32_t status = jf_array_load((int32_t)ndim, dims, dtype, bytes, size, out);
  return status > 0   ? jf_load_fail(r, "not as many bytes as the array's elements have")
         : status < 0 ? jf_load_fail_with(r)
                      : 0;
}

/* The member of an enumeration that a node names; values of its other fields are passed over. */
static int32_t find_member(jf_load* r, const stored_type* type, jf_object** made) {
  const jf_field* const* fields = (const jf_field* const*)(void*)r->fields.data + type->first;
  jf_value name = null_value;
  int32_t status = 0;
  for (size_t i = 0; i < type->count && status == 0; i++) {
    const int32_t is_name = fields[i] == type->type->fields;
    if (is_name) jf_any_release(&name), name = null_value;
    status = jf_load_value(r, is_name ? &name : NULL);
  }
  *made = status == 0 ? jf_node_member(type->type, &name) : NULL;
  jf_any_release(&name);
  return *made ? 0 : status == 0 ? jf_load_fail_with(r) : -1;
}

/* Makes a node, but for tuples, and passes over what is in it. */
static int32_t make_node(jf_load* r, jf_object** made) {
  if (r->at == r->end) return jf_load_fail(r, "the end, where a node begins");
  const int32_t kind = *r->at++;
  jf_value array = null_value;
  if (kind == JF_NODE_ARRAY) {
    if (read_array(r, &array) != 0) return -1;
    *made = jf_any_object(&array);
    return 0;
  }
  const stored_type* type;
  size_t count;
  if (read_size(r, kind, &type, &count) != 0) return -1;
  if (type && (type->type->flags & JF_TYPE_ENUM)) return find_member(r, type, made);
  for (size_t i = 0; i < count; i++) {
    if (jf_load_value(r, NULL) != 0) return -1;
  }
  if (kind == JF_NODE_TUPLE) return 0;
  *made = jf_node_make(kind, type ? type->type : NULL);
  return *made ? 0 : jf_load_fail_with(r);
}

static int32_t make_nodes(jf_load* r) {
  size_t count;
  if (jf_load_count(r, 2, &count) != 0 || jf_nodes_init(&r->nodes, count) != 0) return -1;
  const unsigned char** places = jf_growing_room(&r->places, (count + 1) * sizeof *places);
  if (!places) return -1;
  for (size_t i = 0; i < count; i++) {
    places[i] = r->at;
    if (make_node(r, &r->nodes.objects[i]) != 0) return -1;
  }
  return 0;
}

/* -- filling -- */

/* A list or a set. */
static int32_t fill_list(jf_load* r, jf_object* list, size_t count) {
  const int32_t is_set = list->type_code == JF_SET;
  for (size_t i = 0; i < count; i++) {
    jf_value value = null_value;
    if (jf_load_value(r, &value) != 0) return -1;
    jf_view view;
    jf_any_view(&value, &view);
    const int32_t status = is_set ? jf_set_add(list, &view) : jf_list_append(list, &view);
    jf_any_release(&value);
    if (status < 0) return is_set ? jf_load_fail_with(r) : -1;
  }
  return 0;
}

static int32_t fill_tuple(jf_load* r, size_t count, jf_object** made) {
  jf_object* items = jf_list_new(count, 0);
  if (items && fill_list(r, items, count) == 0) *made = jf_tuple_of(items);
  jf_object_release(items);
  return *made ? 0 : -1;
}

static int32_t fill_map(jf_load* r, jf_object* map, size_t count) {
  for (size_t i = 0; i < count; i += 2) {
    jf_value key = null_value, value = null_value;
    int32_t status = jf_load_value(r, &key);
    if (status == 0) status = jf_load_value(r, &value);
    if (status == 0) {
      jf_view key_view, view;
      jf_any_view(&key, &key_view);
      jf_any_view(&value, &view);
      if (jf_map_set(map, &key_view, &view) != 0) status = jf_load_fail_with(r);
    }
    jf_any_release(&key);
    jf_any_release(&value);
    if (status != 0) return -1;
  }
  return 0;
}

static int32_t fill_fields(jf_load* r, jf_object* object, const stored_type* type, uint8_t* told) {
  const jf_field* const* fields = (const jf_field* const*)(void*)r->fields.data + type->first;
  for (size_t i = 0; i < type->count; i++) {
    jf_value value = null_value;
    if (jf_load_value(r, &value) != 0) return -1;
    jf_view view;
    jf_any_view(&value, &view);
    const int32_t status = jf_field_load(object, type->type, fields[i], &view);
    jf_any_release(&value);
    if (status != 0) return -1;
    const size_t number = (size_t)(fields[i] - type->type->fields);
    told[number / 8] |= (uint8_t)(1U << (number & 7));
  }
  return jf_fields_complete(object, type->type, told);
}

static int32_t fill_object(jf_load* r, jf_object* object, const stored_type* type) {
  if (type->type->flags & JF_TYPE_ENUM) return 0;
  const size_t size = (size_t)type->type->num_fields / 8 + 1;
  uint8_t* told = jf_alloc(size);
  if (!told) return jf_error_no_memory(), -1;
  memset(told, 0, size);
  const int32_t status = fill_fields(r, object, type, told);
  jf_free(told);
  return status == 0 ? 0 : jf_load_fail_with(r);
}

static int32_t fill_all(jf_load* r, int32_t kind) {
  const unsigned char* const* places = (const unsigned char* const*)(void*)r->places.data;
  for (size_t i = 0; i < r->nodes.count; i++) {
    const stored_type* type;
    size_t count;
    r->at = places[i];
    if (*r->at++ != kind) continue;
    if (read_size(r, kind, &type, &count) != 0) return -1;
    jf_object** made = &r->nodes.objects[i];
    const int32_t status = kind == JF_NODE_TUPLE                         ? fill_tuple(r, count, made)
                           : kind == JF_NODE_LIST || kind == JF_NODE_SET ? fill_list(r, *made, count)
                           : kind == JF_NODE_MAP                         ? fill_map(r, *made, count)
                                                                         : fill_object(r, *made, type);
    if (status != 0) return -1;
  }
  return 0;
}

static int32_t read_all(jf_load* r, jf_value* out) {
  uint64_t version;
  size_t types;
  if (jf_load_left(r) < 4 || memcmp(r->at, JF_GRAPH_MAGIC, 4) != 0)
    return jf_load_fail(r, "expected \"jfg1\": these are no bytes of to_bytes");
  r->at += 4;
  if (jf_load_number(r, &version) != 0) return -1;
  if (version != JF_GRAPH_VERSION) return jf_load_fail(r, "a version that is not known here");
  if (jf_load_count(r, 2, &types) != 0) return -1;
  for (size_t i = 0; i < types; i++) {
    if (read_type(r) != 0) return -1;
  }
  if (make_nodes(r) != 0) return -1;
  const unsigned char* root = r->at;
  if (jf_load_value(r, NULL) != 0) return -1;
  if (r->at != r->end) return jf_load_fail(r, "more bytes than the graph has");
  if (fill_all(r, JF_NODE_TUPLE) != 0 || fill_all(r, JF_NODE_LIST) != 0 || fill_all(r, JF_NODE_FIELDS) != 0 ||
      fill_all(r, JF_NODE_SET) != 0 || fill_all(r, JF_NODE_MAP) != 0)
    return -1;
  for (size_t i = 0; i < r->nodes.count; i++) {
    if (jf_fields_check(r->nodes.objects[i]) != 0) return jf_load_fail_with(r);
  }
  r->at = root;
  return jf_load_value(r, out);
}

int32_t jf_from_bytes(const void* data, size_t size, jf_value* out) {
  const unsigned char* start = data ? data : (const unsigned char*)"";
  jf_load r = {.start = start, .at = start, .end = start + size};
  const int32_t status = read_all(&r, out);
  jf_nodes_free(&r.nodes, status);
  jf_growing_free(&r.types);
  jf_growing_free(&r.fields);
  jf_growing_free(&r.places);
  return status;
}
