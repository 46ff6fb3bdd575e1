/* Graphs as bytes: what graph_bytes.h says, written in one go. */
#include <string.h>

#include "graph.h"
#include "graph_bytes.h"
#include "jitffi/text.h"
#include "message.h"

typedef struct {
  jf_growing bytes;
  const jf_graph* graph;
  jf_pairs types; /* (type, 0) -> its number */
} writer;

static int32_t put(writer* w, const void* data, size_t size) {
  char* at = jf_growing_room(&w->bytes, size);
  if (!at) return -1;
  if (size) memcpy(at, data, size);
  w->bytes.size += size;
  return 0;
}

static int32_t put_byte(writer* w, int32_t byte) {
  const unsigned char one = (unsigned char)byte;
  return put(w, &one, 1);
}

static int32_t put_count(writer* w, uint64_t number) {
  unsigned char bytes[10];
  size_t size = 0;
  for (; number > 127; number >>= 7) bytes[size++] = (unsigned char)(number | 128);
  bytes[size++] = (unsigned char)number;
  return put(w, bytes, size);
}

static int32_t put_int(writer* w, int64_t number) {
  return put_count(w, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

static int32_t put_sized(writer* w, const void* data, size_t size) {
  return put_count(w, size) == 0 ? put(w, data, size) : -1;
}

static int32_t put_text(writer* w, const char* text) { return put_sized(w, text, strlen(text)); }

/* -- values -- */

static int32_t put_ucs4(writer* w, jf_encoded text) {
  const int64_t size = jf_utf8_size(text.data, text.size, 4);
  if (size < 0) {
    jf_error_set("ValueError", "to_bytes: a str has a surrogate, which UTF-8 does not have");
    return -1;
  }
  char* at = put_count(w, (uint64_t)size) == 0 ? jf_growing_room(&w->bytes, (size_t)size) : NULL;
  if (!at) return -1;
  jf_utf8_write(text.data, text.size, 4, at);
  w->bytes.size += (size_t)size;
  return 0;
}

static int32_t put_string(writer* w, const jf_any* value) {
  const jf_encoded text = jf_any_text(value);
  if (put_byte(w, text.kind == JF_TEXT_BYTES ? JF_STORED_BYTES : JF_STORED_STR) != 0) return -1;
  return text.kind == JF_TEXT_UCS4 ? put_ucs4(w, text) : put_sized(w, text.data, text.size);
}

static int32_t put_shape(writer* w, const jf_shape* shape) {
  if (put_byte(w, JF_STORED_SHAPE) != 0 || put_count(w, shape->size) != 0) return -1;
  for (size_t i = 0; i < shape->size; i++) {
    if (put_int(w, shape->data[i]) != 0) return -1;
  }
  return 0;
}

static int32_t put_leaf(writer* w, const jf_any* value) {
  switch (value->type_code) {
    case JF_NULL:
      return put_byte(w, JF_STORED_NULL);
    case JF_BOOL:
      return put_byte(w, value->v_int64 ? JF_STORED_TRUE : JF_STORED_FALSE);
    case JF_INT:
      if (value->v_uint64 < 128) return put_byte(w, JF_STORED_SMALL | (int32_t)value->v_int64);
      return put_byte(w, JF_STORED_INT) == 0 ? put_int(w, value->v_int64) : -1;
    case JF_UINT:
      return put_byte(w, JF_STORED_UINT) == 0 ? put_count(w, value->v_uint64) : -1;
    case JF_FLOAT:
      return put_byte(w, JF_STORED_FLOAT) == 0 ? put(w, &value->v_float64, 8) : -1;
    case JF_DTYPE:
      return put_byte(w, JF_STORED_DTYPE) == 0 ? put(w, &value->v_dtype, 4) : -1;
    case JF_DEVICE:
      if (put_byte(w, JF_STORED_DEVICE) != 0 || put_int(w, value->v_device.device_type) != 0) return -1;
      return put_int(w, value->v_device.device_id);
    default:
      break;
  }
  const jf_object* object = jf_any_object(value);
  return object && object->type_code == JF_SHAPE ? put_shape(w, (const jf_shape*)object) : put_string(w, value);
}

static int32_t put_value(writer* w, const jf_any* value) {
  const int64_t number = value->type_code == JF_INT ? -1 : jf_graph_number(w->graph, value);
  if (number < 0) return put_leaf(w, value);
  return put_byte(w, JF_STORED_NODE) == 0 ? put_count(w, (uint64_t)number) : -1;
}

/* -- types and nodes -- */

static int32_t put_type(writer* w, const jf_type_info* type) {
  const size_t count = jf_fields_that_are_parts(type);
  if (put_text(w, type->key) != 0 || put_count(w, (uint64_t)jf_type_version(type->code)) != 0 ||
      put_count(w, count) != 0)
    return -1;
  for (size_t i = 0; i < count; i++) {
    if (put_text(w, type->fields[i].name) != 0) return -1;
  }
  return 0;
}

/* Those of the nodes, in the order in which they are met. */
static int32_t put_types(writer* w) {
  writer table = {.graph = w->graph};
  int32_t status = 0;
  for (size_t i = 0; i < jf_graph_size(w->graph) && status == 0; i++) {
    const jf_type_info* type = jf_graph_node(w->graph, i)->type;
    if (!type || jf_pairs_find(&w->types, type, NULL)) continue;
    status = jf_pairs_put(&w->types, type, NULL, w->types.count);
    if (status == 0) status = put_type(&table, type);
  }
  if (status == 0) status = put_count(w, w->types.count);
  if (status == 0) status = put(w, table.bytes.data, table.bytes.size);
  jf_growing_free(&table.bytes);
  return status;
}

static int32_t put_array(writer* w, jf_object* array) {
  const jf_dltensor* t = jf_ndarray_tensor(array);
  const size_t size = jf_elements_size(t, ((jf_ndarray*)array)->flags);
  if (put(w, &t->dtype, 4) != 0 || put_count(w, (uint64_t)t->ndim) != 0) return -1;
  for (int32_t i = 0; i < t->ndim; i++) {
    if (put_count(w, (uint64_t)t->shape[i]) != 0) return -1;
  }
  if (put_count(w, size) != 0) return -1;
  char* at = jf_growing_room(&w->bytes, size + 1);
  if (!at || (size && jf_elements_copy(array, at) != 0)) return -1;
  w->bytes.size += size;
  return 0;
}

static int32_t put_node(writer* w, const jf_parts* node) {
  if (put_byte(w, node->kind) != 0) return -1;
  if (node->kind == JF_NODE_ARRAY) return put_array(w, node->object);
  const size_t size = jf_parts_size(node);
  const uint64_t count = node->kind == JF_NODE_FIELDS ? jf_pairs_find(&w->types, node->type, NULL)->value
                         : node->kind == JF_NODE_MAP  ? size / 2
                                                      : size;
  if (put_count(w, count) != 0) return -1;
  jf_parts parts = *node;
  jf_any scratch;
  const jf_any* part;
  while (jf_parts_next(&parts, &scratch, &part)) {
    if (put_value(w, part) != 0) return -1;
  }
  return 0;
}

static int32_t put_all(writer* w, const jf_any* root) {
  if (put(w, JF_GRAPH_MAGIC, 4) != 0 || put_count(w, JF_GRAPH_VERSION) != 0 || put_types(w) != 0) return -1;
  if (put_count(w, jf_graph_size(w->graph)) != 0) return -1;
  for (size_t i = 0; i < jf_graph_size(w->graph); i++) {
    if (put_node(w, jf_graph_node(w->graph, i)) != 0) return -1;
  }
  return put_value(w, root);
}

int32_t jf_to_bytes(const jf_any* value, jf_value* out) {
  jf_any scratch;
  const jf_any* root = jf_any_resolve(value, &scratch);
  jf_graph graph = {.name = "to_bytes"};
  writer w = {.graph = &graph};
  int32_t status = jf_graph_collect(&graph, root);
  if (status == 0) status = put_all(&w, root);
  if (status == 0) status = jf_out_bytes(out, w.bytes.data, w.bytes.size);
  jf_growing_free(&w.bytes);
  jf_pairs_free(&w.types);
  jf_graph_free(&graph);
  return status;
}
