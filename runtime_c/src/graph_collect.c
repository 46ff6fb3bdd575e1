/* The nodes of a graph in the order in which they are stored: containers, objects with fields and arrays, each once.
 *
 * Who reads them makes a tuple of its items, and everything else before it is filled. In a circle a tuple may be met below one that is
 * in it and has no number yet: it waits for that one, and who has it as an item waits, too.
 */
#include <string.h>

#include "decimal.h"
#include "graph.h"
#include "jitffi/pattern.h"
#include "message.h"

static JF_COLD int32_t fail(const jf_graph* g, const jf_growing* way, const jf_any* value, const char* why) {
  char path[512];
  jf_path_text(way->data, sizeof(jf_parts), way->size / sizeof(jf_parts), path, sizeof path);
  jf_error_format("TypeError", "%s: value%s: %s%s", g->name, path, why ? why : "expected a value or container, got ",
                  why ? "" : jf_value_type_name(value));
  return -1;
}

static int32_t is_storable(const jf_any* value, const jf_object* object) {
  if (object) return object->type_code == JF_SHAPE || (object->type_code >= JF_STR && object->type_code <= JF_BYTES);
  const int32_t kind = jf_value_kind(value);
  return kind != JF_VALUE_BAD && value->type_code != JF_HANDLE && value->type_code != JF_DLTENSOR;
}

/* In the place of a number: a node has none yet, a tuple waits for it, and how many tuples waited when it was met. */
#define UNNUMBERED (UINT64_C(1) << 63)
#define WAITED_FOR (UINT64_C(1) << 62)

static jf_parts* last_of(const jf_growing* list) { return (jf_parts*)(void*)(list->data + list->size) - 1; }

static int32_t push(jf_growing* list, const jf_parts* node) {
  jf_parts* last = jf_growing_room(list, sizeof *last);
  if (!last) return -1;
  *last = *node;
  list->size += sizeof *last;
  return 0;
}

static int32_t add_node(jf_graph* g, const jf_parts* node) {
  jf_pairs_find(&g->numbers, node->object, NULL)->value = jf_graph_size(g);
  if (push(&g->nodes, node) != 0) return -1;
  last_of(&g->nodes)->next = 0;
  return 0;
}

/* -- tuples in circles -- */

/* Of a node that has been met before, as a part of the last one on the way. */
static JF_COLD void wait_for(const jf_growing* way, jf_pair* known) {
  if (last_of(way)->kind != JF_NODE_TUPLE) return;
  known->value |= WAITED_FOR;
  last_of(way)->waits = 1;
}

static int32_t is_ready(const jf_graph* g, jf_parts tuple) {
  jf_any scratch;
  const jf_any* part;
  tuple.next = 0;
  while (jf_parts_next(&tuple, &scratch, &part)) {
    const jf_object* object = jf_any_object(part);
    if (!object || !jf_type_is_a(object->type_code, JF_TUPLE)) continue;
    if (jf_pairs_find(&g->numbers, object, NULL)->value & UNNUMBERED) return 0;
  }
  return 1;
}

/* Adds those of the tuples that wait, from one on, that need not wait any more. */
static JF_COLD int32_t add_waiting(jf_graph* g, size_t first) {
  for (size_t before = 0; before != g->waiting.size;) {
    jf_parts* tuples = (jf_parts*)(void*)g->waiting.data;
    const size_t count = g->waiting.size / sizeof *tuples;
    size_t kept = first;
    before = g->waiting.size;
    for (size_t i = first; i < count; i++) {
      if (!is_ready(g, tuples[i]))
        tuples[kept++] = tuples[i];
      else if (add_node(g, &tuples[i]) != 0)
        return -1;
    }
    g->waiting.size = kept * sizeof *tuples;
  }
  return 0;
}

/* All parts of the last node on the way have been met. */
static int32_t finish(jf_graph* g, jf_growing* way) {
  const jf_parts node = *last_of(way);
  way->size -= sizeof node;
  if (node.waits) {
    if (way->size && last_of(way)->kind == JF_NODE_TUPLE) last_of(way)->waits = 1;
    return push(&g->waiting, &node);
  }
  const uint64_t mark = node.kind == JF_NODE_TUPLE ? jf_pairs_find(&g->numbers, node.object, NULL)->value : 0;
  if (add_node(g, &node) != 0) return -1;
  return mark & WAITED_FOR ? add_waiting(g, (size_t)(mark & (WAITED_FOR - 1))) : 0;
}

static int32_t check_array(const jf_graph* g, const jf_growing* way, const jf_any* value, jf_object* array) {
  const jf_device device = jf_ndarray_tensor(array)->device;
  if (device.device_type == JF_CPU) return 0;
  char name[64], what[128];
  jf_device_format(device, name, sizeof name);
  jf_print(what, sizeof what, "NDArray: its elements are on %s", name);
  return fail(g, way, value, what);
}

/* 0, or -1; a node that is new goes onto the way. */
static int32_t meet(jf_graph* g, jf_growing* way, const jf_any* value) {
  if (value->type_code == JF_INT) return 0;
  jf_parts node = {jf_any_object(value), NULL, 0, JF_NODE_LEAF, 0};
  if (node.object) node.kind = jf_node_kind(node.object, &node.type);
  if (node.kind == JF_NODE_LEAF) {
    if (!node.object || !jf_type_is_a(node.object->type_code, JF_NDARRAY))
      return is_storable(value, node.object) ? 0 : fail(g, way, value, NULL);
    if (check_array(g, way, value, node.object) != 0) return -1;
    node.kind = JF_NODE_ARRAY;
  }
  jf_pair* known = jf_is_shared(node.object) ? jf_pairs_find(&g->numbers, node.object, NULL) : NULL;
  if (known) {
    g->is_plain = 0;
    if (node.kind == JF_NODE_TUPLE && (known->value & UNNUMBERED)) wait_for(way, known);
    return 0;
  }
  if (node.type) {
    g->is_plain = 0;
    const int32_t is_made_alone = !node.type->size || node.type->construct == jf_construct_refused;
    if (is_made_alone && !(node.type->flags & JF_TYPE_ENUM))
      return fail(g, way, value, "only who defined its type can make such an object again");
  }
  if (jf_pairs_put(&g->numbers, node.object, NULL, UNNUMBERED | (g->waiting.size / sizeof node)) != 0) return -1;
  return node.kind == JF_NODE_ARRAY ? add_node(g, &node) : push(way, &node);
}

/* Whether the part that was the last one is of a field that nobody has set, and that could not be read again. */
static JF_COLD int32_t is_unset(const jf_parts* node, const jf_any* part) {
  const jf_type_info* type = node->type;
  const size_t index = node->next - 1;
  if (node->kind != JF_NODE_FIELDS || jf_field_is_of_class(type, &type->fields[index])) return 0;
  const jf_pattern* pattern = jf_pattern_at(&type->errors[index], JF_FIELD_INDEX);
  if (!pattern) jf_object_release(jf_error_take()); /* which is then said of what is read */
  return pattern && pattern->kind != JF_PATTERN_PTR && !jf_pattern_holds(pattern, part);
}

int32_t jf_graph_collect(jf_graph* g, const jf_any* value) {
  jf_growing way = {NULL, 0, 0};
  g->is_plain = 1;
  int32_t status = meet(g, &way, value);
  while (status == 0 && way.size) {
    jf_parts* top = last_of(&way);
    jf_any scratch;
    const jf_any* part;
    if (jf_parts_next(top, &scratch, &part)) {
      status = part->type_code == JF_NULL && is_unset(top, part) ? fail(g, &way, part, "the field holds nothing")
                                                                 : meet(g, &way, part);
      continue;
    }
    status = finish(g, &way);
  }
  jf_growing_free(&way);
  jf_growing_free(&g->waiting);
  return status;
}

void jf_graph_free(jf_graph* g) {
  jf_growing_free(&g->nodes);
  jf_pairs_free(&g->numbers);
}

int64_t jf_graph_number(const jf_graph* g, const jf_any* value) {
  const jf_object* object = jf_any_object(value);
  if (!object || (object->type_code >= JF_STR && object->type_code <= JF_BYTES)) return -1;
  const jf_pair* found = jf_pairs_find(&g->numbers, object, NULL);
  return found ? (int64_t)found->value : -1;
}

/* -- elements -- */

size_t jf_elements_size(const jf_dltensor* t, uint64_t flags) {
  const size_t items = (size_t)jf_dltensor_items(t), size = jf_dltensor_itemsize(t, flags);
  return size ? items * size : (items * t->dtype.bits * t->dtype.lanes + 7) / 8;
}

int32_t jf_elements_copy(jf_object* array, char* to) {
  const jf_dltensor* t = jf_ndarray_tensor(array);
  jf_dltensor flat = *t;
  flat.data = to;
  flat.byte_offset = 0;
  flat.strides = NULL;
  return jf_dltensor_copy(&flat, t);
}
