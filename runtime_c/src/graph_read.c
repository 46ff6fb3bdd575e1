/* Graphs from JSON: the nodes are found and made, then filled, each from its own text.
 *
 *   1  lists, maps, sets and objects are made, empty; arrays whole
 *   2  tuples, in order: what is in one comes before it, but for what was made in 1
 *   3  lists; fields of objects; maps and sets, whose keys may be such objects
 *   4  fields are looked at again, now that what is in them is filled
 */
#include <string.h>

#include "decimal.h"
#include "graph_parse.h"
#include "jitffi/text.h"
#include "message.h"

/* A node of the text. */
typedef struct {
  const char* at; /* of an object: its fields */
  const char* type_at;
  const char* version_at; /* or NULL */
  const jf_type_info* type;
  int32_t kind;
} entry;

typedef struct {
  jf_json json;
  jf_nodes nodes;
  jf_growing entries;
  const char* root;
} reader;

static const jf_value null_value = {JF_NULL, 0, {0}};

static entry* entry_at(const reader* r, size_t i) { return (entry*)(void*)r->entries.data + i; }

/* The error that is set, as a ValueError of a node. */
static int32_t fail_node(size_t number) {
  jf_error* error = (jf_error*)jf_error_take();
  const char* why = error && error->message ? error->message->data : "it cannot be made";
  const int32_t is_memory = error && error->kind && strcmp(error->kind->data, "MemoryError") == 0;
  if (is_memory) {
    jf_error_no_memory();
  } else {
    const int32_t is_told = strncmp(why, "from_json: ", 11) == 0;
    if (is_told) jf_error_format("ValueError", "%s", why);
    if (!is_told) jf_error_format("ValueError", "from_json: node %lld: %s", (long long)number, why);
  }
  jf_object_release((jf_object*)error);
  return -1;
}

/* -- finding -- */

/* A key of an object: into j->string, past the colon. */
static int32_t read_key(jf_json* j) { return jf_json_string(j) == 0 ? jf_json_expect(j, ':') : -1; }

static int32_t has_read(const jf_json* j, const char* key) { return strcmp(j->string.data, key) == 0; }

/* What an object in the text stands for: a tag, an object with fields, or a map. */
static int32_t find_object(jf_json* j, entry* e) {
  const char* start = j->at++;
  int32_t keys = 0, is_tuple = 0, is_array = 0, is_set = 0;
  const char* fields = NULL;
  if (jf_json_take(j, '}')) return 0;
  do {
    if (read_key(j) != 0) return -1;
    keys++;
    is_tuple |= has_read(j, "$tuple");
    is_array |= has_read(j, "$ndarray");
    is_set |= has_read(j, "$set");
    const int32_t is_type = has_read(j, "type"), is_fields = has_read(j, "fields"), is_version = has_read(j, "version");
    jf_json_space(j);
    if (is_type) e->type_at = j->at;
    if (is_version) e->version_at = j->at;
    if (is_fields) fields = j->at;
    if (jf_json_skip(j) != 0) return -1;
  } while (jf_json_take(j, ','));
  if (keys == 2 + (e->version_at != NULL) && e->type_at && fields) {
    e->kind = JF_NODE_FIELDS;
    e->at = fields;
  } else {
    e->kind = keys != 1  ? JF_NODE_MAP
              : is_tuple ? JF_NODE_TUPLE
              : is_array ? JF_NODE_ARRAY
              : is_set   ? JF_NODE_SET
                         : JF_NODE_MAP;
    e->at = start;
  }
  return jf_json_expect(j, '}');
}

static int32_t find_nodes(reader* r) {
  jf_json* j = &r->json;
  if (jf_json_expect(j, '[') != 0) return -1;
  if (jf_json_take(j, ']')) return 0;
  do {
    entry* e = jf_growing_room(&r->entries, sizeof *e);
    if (!e) return -1;
    jf_json_space(j);
    *e = (entry){j->at, NULL, NULL, NULL, JF_NODE_MAP};
    r->entries.size += sizeof *e;
    if (j->at < j->end && *j->at == '{') {
      if (find_object(j, e) != 0) return -1;
    } else if (j->at < j->end && *j->at == '[') {
      e->kind = JF_NODE_LIST;
      if (jf_json_skip(j) != 0) return -1;
    } else {
      return jf_json_fail(j, "expected a node");
    }
  } while (jf_json_take(j, ','));
  return jf_json_expect(j, ']');
}

static int32_t find_all(reader* r) {
  jf_json* j = &r->json;
  int64_t version = -1;
  int32_t has_nodes = 0;
  if (jf_json_expect(j, '{') != 0) return -1;
  do {
    if (read_key(j) != 0) return -1;
    const int32_t is_nodes = has_read(j, "nodes"), is_version = has_read(j, "jitffi");
    jf_json_space(j);
    if (has_read(j, "root")) r->root = j->at;
    has_nodes |= is_nodes;
    if ((is_nodes ? find_nodes(r) : is_version ? jf_json_count(j, &version) : jf_json_skip(j)) != 0) return -1;
  } while (jf_json_take(j, ','));
  if (jf_json_expect(j, '}') != 0) return -1;
  jf_json_space(j);
  if (j->at != j->end) return jf_json_fail(j, "more than one value");
  if (version != 1) return jf_json_fail(j, "expected \"jitffi\": 1, the version of graphs that is known here");
  return r->root && has_nodes ? 0 : jf_json_fail(j, "expected \"root\" and \"nodes\"");
}

/* -- making -- */

static int32_t find_type(reader* r, entry* e) {
  r->json.at = e->type_at;
  if (jf_json_string(&r->json) != 0) return -1;
  e->type = jf_stored_type(r->json.string.data, r->json.string.size);
  if (!e->type) return -1;
  int64_t version = 0;
  r->json.at = e->version_at;
  if (e->version_at && jf_json_count(&r->json, &version) != 0) return -1;
  return jf_stored_version(e->type, (uint64_t)version);
}

/* The object that a node's own text is, into the table. */
static int32_t read_whole(reader* r, size_t i) {
  const entry* e = entry_at(r, i);
  jf_value value = null_value;
  r->json.at = e->at;
  if (jf_json_value(&r->json, &value) != 0) return -1;
  r->nodes.objects[i] = jf_any_object(&value);
  return 0;
}

/* The value of a key of a map, borrowed; null: there is none. */
static jf_value value_at(const jf_object* map, const char* key) {
  jf_view name = {JF_RAW_STR, 0, {0}}, found = null_value;
  name.v_uint64 = JF_POINTER_WORD(key);
  return map && map->type_code == JF_MAP && jf_map_peek(map, &name, &found) == 1 ? found : null_value;
}

/* The member of an enumeration that a node names. */
static jf_object* find_member(reader* r, const entry* e) {
  jf_value content = null_value;
  r->json.at = e->at;
  if (jf_json_value(&r->json, &content) != 0) return NULL;
  const jf_value name = value_at(jf_any_object(&content), e->type->fields[0].name);
  jf_object* found = jf_node_member(e->type, &name);
  jf_any_release(&content);
  return found;
}

static int32_t is_member(const entry* e) { return e->kind == JF_NODE_FIELDS && (e->type->flags & JF_TYPE_ENUM) != 0; }

static int32_t make_all(reader* r) {
  const size_t count = r->entries.size / sizeof(entry);
  if (jf_nodes_init(&r->nodes, count) != 0) return -1;
  r->json.nodes = &r->nodes;
  for (size_t i = 0; i < count; i++) {
    entry* e = entry_at(r, i);
    int32_t status = 0;
    if (e->kind == JF_NODE_FIELDS) status = find_type(r, e);
    if (e->kind == JF_NODE_ARRAY) {
      status = read_whole(r, i);
    } else if (status == 0 && e->kind != JF_NODE_TUPLE) {
      r->nodes.objects[i] = is_member(e) ? find_member(r, e) : jf_node_make(e->kind, e->type);
      status = r->nodes.objects[i] ? 0 : -1;
    }
    if (status != 0) return fail_node(i);
  }
  for (size_t i = 0; i < count; i++) {
    if (entry_at(r, i)->kind == JF_NODE_TUPLE && read_whole(r, i) != 0) return fail_node(i);
  }
  return 0;
}

/* -- filling -- */

static int32_t set_fields(jf_object* object, const jf_type_info* type, const jf_object* values, uint8_t* told) {
  jf_map_iterator iterator = {0};
  jf_view key, value;
  while (jf_map_next(values, &iterator, &key, &value) == 1) {
    jf_any scratch;
    const jf_encoded name = jf_any_text(jf_any_resolve(&key, &scratch));
    const jf_field* field = name.kind == JF_TEXT_UTF8 && name.terminated ? jf_type_field(type, name.data) : NULL;
    if (!field) {
      char quoted[JF_QUOTE_SIZE];
      const char* shown = name.kind == JF_TEXT_UTF8 && name.terminated ? name.data : "?";
      jf_error_format("ValueError", "%s has no field %s", type->key, jf_quote(shown, quoted, sizeof quoted));
      return -1;
    }
    if (jf_field_load(object, type, field, &value) != 0) return -1;
    const size_t number = (size_t)(field - type->fields);
    told[number / 8] |= (uint8_t)(1U << (number & 7));
  }
  return jf_fields_complete(object, type, told);
}

static int32_t fill_fields(jf_object* object, const jf_type_info* type, const jf_value* content) {
  const jf_object* values = jf_any_object(content);
  if (!values || values->type_code != JF_MAP) {
    jf_error_set("ValueError", "expected the fields of an object");
    return -1;
  }
  const size_t size = (size_t)type->num_fields / 8 + 1;
  uint8_t* told = jf_alloc(size);
  if (!told) return jf_error_no_memory(), -1;
  memset(told, 0, size);
  const int32_t status = set_fields(object, type, values, told);
  jf_free(told);
  return status;
}

static int32_t fill(reader* r, size_t i) {
  const entry* e = entry_at(r, i);
  jf_object* made = r->nodes.objects[i];
  jf_value content = null_value;
  if (is_member(e)) return 0;
  r->json.at = e->at;
  if (jf_json_value(&r->json, &content) != 0) return -1;
  const jf_object* object = jf_any_object(&content);
  int32_t status;
  if (e->kind == JF_NODE_FIELDS) {
    status = fill_fields(made, e->type, &content);
  } else if (!object || object->type_code != made->type_code) {
    jf_error_set("ValueError", "expected a list, map, set, tuple, array or object");
    status = -1;
  } else {
    status = e->kind == JF_NODE_LIST ? jf_list_extend(made, object) : jf_map_update(made, object);
  }
  jf_any_release(&content);
  return status;
}

static int32_t fill_all(reader* r) {
  static const int32_t order[] = {JF_NODE_LIST, JF_NODE_FIELDS, JF_NODE_SET, JF_NODE_MAP};
  for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
    for (size_t i = 0; i < r->nodes.count; i++) {
      if (entry_at(r, i)->kind == order[k] && fill(r, i) != 0) return fail_node(i);
    }
  }
  for (size_t i = 0; i < r->nodes.count; i++) {
    if (jf_fields_check(r->nodes.objects[i]) != 0) return fail_node(i);
  }
  return 0;
}

static int32_t read_graph(reader* r, jf_value* out) {
  if (make_all(r) != 0 || fill_all(r) != 0) return -1;
  r->json.at = r->root;
  return jf_json_value(&r->json, out);
}

/* Whether the text begins as a graph does. */
static int32_t is_graph(jf_json* j) {
  const char* from = j->at;
  const int32_t is =
      jf_json_take(j, '{') && (jf_json_space(j), j->end - j->at > 8) && memcmp(j->at, "\"jitffi\"", 8) == 0;
  j->at = from;
  return is;
}

int32_t jf_from_json(const char* text, size_t size, jf_value* out) {
  reader r = {.json = {.start = text, .at = text, .end = text + size}};
  int32_t status;
  const size_t valid = jf_utf8_valid(text, size);
  if (valid < size) {
    r.json.at = text + valid;
    return jf_json_fail(&r.json, "no UTF-8");
  }
  if (is_graph(&r.json)) {
    status = find_all(&r) == 0 ? read_graph(&r, out) : -1;
  } else {
    status = jf_json_value(&r.json, out);
    jf_json_space(&r.json);
    if (status == 0 && r.json.at != r.json.end) status = jf_json_fail(&r.json, "more than one value");
    if (status != 0) jf_any_release(out), *out = null_value;
  }
  jf_nodes_free(&r.nodes, status);
  jf_growing_free(&r.entries);
  jf_growing_free(&r.json.string);
  return status;
}
