/* Values and graphs as JSON: from a stack of its own, so that no depth is too deep.
 *
 *   plain   [1, {"a": {"$tuple": [2]}}]                                    nested as it is
 *   graph   {"jitffi": 1, "root": {"$node": 1}, "nodes": [[1], {"type": "demo.Node", "fields": {"next": {"$node": 1}}}]}
 *
 * A node of a graph is written as it would be in the plain form, with {"$node": number} for the nodes in it.
 */
#include <string.h>

#include "decimal.h"
#include "graph.h"
#include "jitffi/text.h"
#include "message.h"
#include "utf8.h"

typedef struct {
  jf_parts parts;
  int32_t is_pairs; /* a map that is written as {"$map": [[key, value], ...]} */
  int32_t closes;   /* how many brackets there are behind the last part */
} frame;

typedef struct {
  jf_growing text, frames;
  const jf_graph* graph;
  int32_t is_graph;
  int32_t indent, depth, is_first;
} writer;

/* -- text -- */

static int32_t put(writer* w, const char* piece, size_t size) {
  char* at = jf_growing_room(&w->text, size);
  if (!at) return -1;
  memcpy(at, piece, size);
  w->text.size += size;
  return 0;
}

static int32_t put_text(writer* w, const char* piece) { return put(w, piece, strlen(piece)); }

static int32_t break_line(writer* w) {
  if (w->indent < 0) return 0;
  const size_t spaces = (size_t)w->indent * (size_t)w->depth;
  char* at = jf_growing_room(&w->text, spaces + 1);
  if (!at) return -1;
  *at = '\n';
  memset(at + 1, ' ', spaces);
  w->text.size += spaces + 1;
  return 0;
}

/* Before a value in brackets. */
static int32_t separate(writer* w) {
  if (!w->depth) return 0;
  const int32_t status = w->is_first ? 0 : w->indent < 0 ? put(w, ", ", 2) : put(w, ",", 1);
  w->is_first = 0;
  return status == 0 ? break_line(w) : -1;
}

static int32_t open_bracket(writer* w, char bracket) {
  w->depth++;
  w->is_first = 1;
  return put(w, &bracket, 1);
}

static int32_t close_bracket(writer* w, char bracket) {
  w->depth--;
  if (!w->is_first && break_line(w) != 0) return -1;
  w->is_first = 0;
  return put(w, &bracket, 1);
}

/* -- strings -- */

static int32_t put_escape(writer* w, uint32_t c) {
  static const char letters[] = "btn\0fr"; /* from 8 on */
  char escape[8];
  if (c == '"' || c == '\\') {
    jf_print(escape, sizeof escape, "\\%c", (int)c);
  } else if (c >= 8 && c <= 13 && c != 11) {
    jf_print(escape, sizeof escape, "\\%c", letters[c - 8]);
  } else {
    jf_print(escape, sizeof escape, "\\u%04x", (unsigned)c);
  }
  return put_text(w, escape);
}

static int32_t is_escaped(uint32_t c) { return c < 0x20 || c == '"' || c == '\\'; }

static int32_t put_utf8(writer* w, const unsigned char* data, size_t size) {
  size_t from = 0;
  for (size_t i = 0; i < size; i++) {
    if (!is_escaped(data[i])) continue;
    if (put(w, (const char*)data + from, i - from) != 0 || put_escape(w, data[i]) != 0) return -1;
    from = i + 1;
  }
  return put(w, (const char*)data + from, size - from);
}

static int32_t put_ucs4(writer* w, const jf_char32* data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    char character[4];
    const size_t length = jf_utf8_encode(data[i], character);
    if (!length) {
      jf_error_format("ValueError", "to_json: a str has a surrogate, U+%04X, which UTF-8 does not have",
                      (unsigned)data[i]);
      return -1;
    }
    if ((is_escaped(data[i]) ? put_escape(w, data[i]) : put(w, character, length)) != 0) return -1;
  }
  return 0;
}

static int32_t put_string(writer* w, jf_encoded text) {
  if (put(w, "\"", 1) != 0) return -1;
  const int32_t status =
      text.kind == JF_TEXT_UCS4 ? put_ucs4(w, text.data, text.size) : put_utf8(w, text.data, text.size);
  return status == 0 ? put(w, "\"", 1) : -1;
}

static int32_t put_c_string(writer* w, const char* text) {
  return put_string(w, (jf_encoded){JF_TEXT_UTF8, 1, text, strlen(text)});
}

/* A key, and what stands before its value. */
static int32_t put_key(writer* w, jf_encoded key) {
  return separate(w) == 0 && put_string(w, key) == 0 ? put(w, ": ", 2) : -1;
}

static int32_t put_c_key(writer* w, const char* key) {
  return put_key(w, (jf_encoded){JF_TEXT_UTF8, 1, key, strlen(key)});
}

static int32_t open_tag(writer* w, const char* tag) { return open_bracket(w, '{') == 0 ? put_c_key(w, tag) : -1; }

/* -- leaves -- */

static int32_t put_base64(writer* w, const unsigned char* data, size_t size) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char* at = jf_growing_room(&w->text, size / 3 * 4 + 8);
  if (!at) return -1;
  char* const start = at;
  *at++ = '"';
  for (; size >= 3; size -= 3, data += 3) {
    const uint32_t bits = (uint32_t)data[0] << 16 | (uint32_t)data[1] << 8 | data[2];
    for (int32_t shift = 18; shift >= 0; shift -= 6) *at++ = letters[bits >> shift & 63];
  }
  if (size) {
    const uint32_t bits = (uint32_t)data[0] << 16 | (size > 1 ? (uint32_t)data[1] << 8 : 0);
    *at++ = letters[bits >> 18];
    *at++ = letters[bits >> 12 & 63];
    *at++ = size > 1 ? letters[bits >> 6 & 63] : '=';
    *at++ = '=';
  }
  *at++ = '"';
  w->text.size += (size_t)(at - start);
  return 0;
}

static int32_t put_int(writer* w, int64_t value) {
  char text[24];
  jf_print(text, sizeof text, "%lld", (long long)value);
  return put_text(w, text);
}

static int32_t put_number(writer* w, const jf_any* value) {
  char text[JF_FLOAT_TEXT + 8];
  if (value->type_code == JF_INT) return put_int(w, value->v_int64);
  if (value->type_code == JF_BOOL) return put_text(w, value->v_int64 ? "true" : "false");
  if (value->type_code == JF_UINT) {
    jf_print(text, sizeof text, "%llu", (unsigned long long)value->v_uint64);
    return put_text(w, text);
  }
  text[jf_float_repr(value->v_float64, text)] = 0;
  const double rest = value->v_float64 - value->v_float64;
  if (rest == 0) return put_text(w, text);
  return open_tag(w, "$float") == 0 && put_c_string(w, text) == 0 ? close_bracket(w, '}') : -1;
}

static int32_t put_ints(writer* w, const int64_t* ints, size_t count) {
  if (open_bracket(w, '[') != 0) return -1;
  for (size_t i = 0; i < count; i++) {
    if (separate(w) != 0 || put_int(w, ints[i]) != 0) return -1;
  }
  return close_bracket(w, ']');
}

static int32_t put_plain(writer* w, const jf_any* value) {
  char name[64];
  const int32_t is_dtype = value->type_code == JF_DTYPE;
  if (is_dtype) {
    jf_dtype_format(value->v_dtype, name, sizeof name);
  } else {
    jf_device_format(value->v_device, name, sizeof name);
  }
  if (open_tag(w, is_dtype ? "$dtype" : "$device") != 0 || put_c_string(w, name) != 0) return -1;
  return close_bracket(w, '}');
}

static int32_t put_leaf(writer* w, const jf_any* value) {
  const int32_t kind = jf_value_kind(value);
  const jf_encoded text = jf_any_text(value);
  switch (kind) {
    case JF_VALUE_NULL:
      return put_text(w, "null");
    case JF_VALUE_NUMBER:
      return put_number(w, value);
    case JF_VALUE_PLAIN:
      return put_plain(w, value);
    case JF_VALUE_TEXT:
      return put_string(w, text);
    case JF_VALUE_BYTES:
      if (open_tag(w, "$bytes") != 0 || put_base64(w, text.data, text.size) != 0) return -1;
      return close_bracket(w, '}');
    default: {
      const jf_shape* shape = (const jf_shape*)value->v_object;
      if (open_tag(w, "$shape") != 0 || put_ints(w, shape->data, shape->size) != 0) return -1;
      return close_bracket(w, '}');
    }
  }
}

static int32_t put_elements(writer* w, jf_object* array) {
  const jf_dltensor* t = jf_ndarray_tensor(array);
  const size_t size = jf_elements_size(t, ((jf_ndarray*)array)->flags);
  if (jf_dltensor_is_contiguous(t)) return put_base64(w, (const unsigned char*)t->data + t->byte_offset, size);
  char* copy = jf_alloc(size + 1);
  if (!copy) jf_error_no_memory();
  int32_t status = copy ? jf_elements_copy(array, copy) : -1;
  if (status == 0) status = put_base64(w, (const unsigned char*)copy, size);
  jf_free(copy);
  return status;
}

static int32_t put_array(writer* w, jf_object* array) {
  const jf_dltensor* t = jf_ndarray_tensor(array);
  char name[64];
  jf_dtype_format(t->dtype, name, sizeof name);
  if (open_tag(w, "$ndarray") != 0 || open_bracket(w, '{') != 0) return -1;
  if (put_c_key(w, "dtype") != 0 || put_c_string(w, name) != 0) return -1;
  if (put_c_key(w, "shape") != 0 || put_ints(w, t->shape, (size_t)t->ndim) != 0) return -1;
  if (put_c_key(w, "data") != 0 || put_elements(w, array) != 0) return -1;
  return close_bracket(w, '}') == 0 ? close_bracket(w, '}') : -1;
}

/* -- nodes -- */

static uint32_t unit_of(jf_encoded text, size_t at) {
  return text.kind == JF_TEXT_UCS4 ? ((const jf_char32*)text.data)[at] : ((const unsigned char*)text.data)[at];
}

static int32_t is_key(jf_encoded key, const char* text) {
  size_t at = 0;
  while (at < key.size && text[at] && unit_of(key, at) == (unsigned char)text[at]) at++;
  return at == key.size && !text[at];
}

/* Whether a map would be taken for something else, or has keys that JSON has not. */
static int32_t needs_pairs(const jf_map* map, int32_t is_root, int32_t is_node) {
  size_t parts = 0;
  for (size_t i = 0; i < map->used; i++) {
    if (!map->entries[i].key.code) continue;
    jf_any scratch;
    const jf_encoded key = jf_any_text(jf_any_resolve(jf_item_slot(map->entries[i].key, &scratch), &scratch));
    if (key.kind != JF_TEXT_UTF8 && key.kind != JF_TEXT_UCS4) return 1;
    if (map->size == 1 && key.size && unit_of(key, 0) == '$') return 1;
    if (is_root && is_key(key, "jitffi")) return 1;
    parts += (size_t)(is_key(key, "type") + is_key(key, "fields") + is_key(key, "version"));
  }
  return is_node && parts >= 2 && map->size == parts;
}

/* Writes what stands before the parts of a node. */
static int32_t begin(writer* w, const jf_parts* node) {
  frame f = {*node, 0, 1};
  int32_t status = 0;
  if (node->kind == JF_NODE_TUPLE) {
    status = open_tag(w, "$tuple");
    f.closes = 2;
  } else if (node->kind == JF_NODE_SET) {
    status = open_tag(w, "$set");
    f.closes = 2;
  } else if (node->kind == JF_NODE_MAP) {
    f.is_pairs = needs_pairs((const jf_map*)node->object, !w->depth, w->is_graph);
    if (f.is_pairs) status = open_tag(w, "$map");
    f.closes = f.is_pairs ? 2 : 1;
  } else if (node->kind == JF_NODE_FIELDS) {
    status = open_tag(w, "type");
    if (status == 0) status = put_c_string(w, node->type->key);
    const int64_t version = jf_type_version(node->type->code);
    if (status == 0 && version) status = put_c_key(w, "version");
    if (status == 0 && version) status = put_int(w, version);
    if (status == 0) status = put_c_key(w, "fields");
    f.closes = 2;
  }
  const int32_t is_object = node->kind == JF_NODE_FIELDS || (node->kind == JF_NODE_MAP && !f.is_pairs);
  if (status != 0 || open_bracket(w, is_object ? '{' : '[') != 0) return -1;
  frame* top = jf_growing_room(&w->frames, sizeof f);
  if (!top) return -1;
  *top = f;
  w->frames.size += sizeof f;
  return 0;
}

static int32_t end(writer* w, const frame* f) {
  const int32_t kind = f->parts.kind;
  const int32_t is_object = kind == JF_NODE_FIELDS || (kind == JF_NODE_MAP && !f->is_pairs);
  if (close_bracket(w, is_object ? '}' : ']') != 0) return -1;
  return f->closes == 2 ? close_bracket(w, '}') : 0;
}

/* A resolved value, with its own parts coming next where it is a node of a tree. */
static int32_t put_value(writer* w, const jf_any* value) {
  const int64_t number = value->type_code == JF_INT ? -1 : jf_graph_number(w->graph, value);
  if (number < 0) return put_leaf(w, value);
  if (w->is_graph) {
    if (open_tag(w, "$node") != 0 || put_int(w, number) != 0) return -1;
    return close_bracket(w, '}');
  }
  jf_parts node = *jf_graph_node(w->graph, (size_t)number);
  return node.kind == JF_NODE_ARRAY ? put_array(w, node.object) : begin(w, &node);
}

/* What stands before the part that comes next: 1: it is a key, and was written. */
static int32_t put_before(writer* w, frame* f) {
  const size_t at = f->parts.next - 1;
  if (f->parts.kind == JF_NODE_FIELDS) return put_c_key(w, f->parts.type->fields[at].name);
  if (f->parts.kind != JF_NODE_MAP || f->is_pairs) return separate(w);
  return 0;
}

static int32_t put_part(writer* w, frame* f, const jf_any* part) {
  const int32_t is_key = f->parts.kind == JF_NODE_MAP && (f->parts.next & 1);
  if (f->parts.kind == JF_NODE_MAP && !f->is_pairs && is_key) return put_key(w, jf_any_text(part));
  if (f->is_pairs && is_key && (separate(w) != 0 || open_bracket(w, '[') != 0)) return -1;
  return put_before(w, f) == 0 ? put_value(w, part) : -1;
}

/* All that is on the stack. */
static int32_t put_frames(writer* w) {
  int32_t status = 0;
  while (status == 0 && w->frames.size) {
    const size_t top = w->frames.size - sizeof(frame);
    frame* f = (frame*)(void*)(w->frames.data + top);
    jf_any scratch;
    const jf_any* part;
    if (f->is_pairs && f->parts.next && !(f->parts.next & 1) && close_bracket(w, ']') != 0) return -1;
    if (jf_parts_next(&f->parts, &scratch, &part)) {
      status = put_part(w, f, part);
      continue;
    }
    const frame done = *f;
    w->frames.size = top;
    status = end(w, &done);
  }
  return status;
}

static int32_t put_nodes(writer* w, const jf_any* root) {
  if (open_tag(w, "jitffi") != 0 || put_int(w, 1) != 0 || put_c_key(w, "root") != 0 || put_value(w, root) != 0 ||
      put_c_key(w, "nodes") != 0 || open_bracket(w, '[') != 0)
    return -1;
  for (size_t i = 0; i < jf_graph_size(w->graph); i++) {
    const jf_parts* node = jf_graph_node(w->graph, i);
    if (separate(w) != 0) return -1;
    if ((node->kind == JF_NODE_ARRAY ? put_array(w, node->object) : begin(w, node)) != 0) return -1;
    if (put_frames(w) != 0) return -1;
  }
  return close_bracket(w, ']') == 0 ? close_bracket(w, '}') : -1;
}

int32_t jf_to_json(const jf_any* value, int32_t indent, jf_value* out) {
  jf_any scratch;
  const jf_any* root = jf_any_resolve(value, &scratch);
  jf_graph graph = {.name = "to_json"};
  int32_t status = jf_graph_collect(&graph, root);
  writer w = {.graph = &graph, .indent = indent, .is_graph = !graph.is_plain};
  if (status == 0) status = w.is_graph ? put_nodes(&w, root) : put_value(&w, root);
  if (status == 0) status = put_frames(&w);
  if (status == 0) status = jf_out_str(out, w.text.data, w.text.size);
  jf_growing_free(&w.text);
  jf_growing_free(&w.frames);
  jf_graph_free(&graph);
  return status;
}
