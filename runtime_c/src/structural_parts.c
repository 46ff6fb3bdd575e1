/* What objects are made of, for those who go through graphs of them without recursion, and the memory that takes. */
#include <string.h>

#include "map.h"
#include "message.h"
#include "structural.h"

int32_t jf_node_kind_of_dynamic(const jf_object* object, const jf_type_info** type) {
  const jf_type_info* info = jf_type_info_of(object->type_code);
  int32_t base = info ? info->parent : jf_type_parent(object->type_code);
  while (base >= JF_FIRST_DYNAMIC) base = jf_type_parent(base); /* a type is what its built-in ancestor is */
  switch (base) {
    case JF_LIST:
      return JF_NODE_LIST;
    case JF_TUPLE:
      return JF_NODE_TUPLE;
    case JF_MAP:
      return JF_NODE_MAP;
    case JF_ROOT:
      *type = info;
      return info ? JF_NODE_FIELDS : JF_NODE_LEAF;
    default:
      return JF_NODE_LEAF;
  }
}

int32_t jf_fail_structure(const jf_type_info* type) {
  jf_error_format("TypeError", "objects of '%s' are not compared by structure", type->key);
  return -1;
}

static const jf_any* resolved_item(jf_item item, jf_any* scratch) {
  if (*item.code == JF_INT) return item.slot;
  const jf_any* slot = jf_item_slot(item, scratch);
  return jf_any_resolve(slot, scratch);
}

int32_t jf_parts_next(jf_parts* p, jf_any* scratch, const jf_any** out) {
  if (p->kind == JF_NODE_FIELDS) {
    if (p->next >= jf_fields_that_are_parts(p->type)) return 0;
    jf_view view;
    jf_field_view(p->object, &p->type->fields[p->next++], &view);
    *scratch = view;
    *out = jf_any_resolve(scratch, scratch);
    return 1;
  }
  if (p->kind == JF_NODE_MAP || p->kind == JF_NODE_SET) {
    const jf_map* map = (const jf_map*)p->object;
    while (p->next / 2 < map->used && !jf_map_at(map, p->next / 2)->key.code) p->next = (p->next | 1) + 1;
    if (p->next / 2 >= map->used) return 0;
    const jf_map_entry* entry = jf_map_at(map, p->next / 2);
    *out = resolved_item(p->next & 1 ? entry->value : entry->key, scratch);
    p->next += p->kind == JF_NODE_SET ? 2 : 1; /* items are numbered as keys are */
    return 1;
  }
  const jf_list* list = (const jf_list*)p->object;
  if (p->next >= list->size) return 0;
  *out = resolved_item(list->items[p->next++], scratch);
  return 1;
}

size_t jf_parts_size(const jf_parts* p) {
  if (p->kind == JF_NODE_FIELDS) return jf_fields_that_are_parts(p->type);
  if (p->kind == JF_NODE_SET) return jf_map_size(p->object);
  return p->kind == JF_NODE_MAP ? 2 * jf_map_size(p->object) : ((const jf_list*)p->object)->size;
}

/* -- memory -- */

void* jf_growing_more(jf_growing* g, size_t more) {
  const size_t capacity = 2 * g->capacity + more + 256;
  char* data = capacity > more ? jf_alloc(capacity) : NULL;
  if (!data) {
    jf_error_no_memory();
    return NULL;
  }
  if (g->size) memcpy(data, g->data, g->size);
  jf_free(g->data);
  g->data = data;
  g->capacity = capacity;
  return data + g->size;
}

void jf_growing_free(jf_growing* g) {
  jf_free(g->data);
  *g = (jf_growing){NULL, 0, 0};
}

static size_t place_of(const void* a, const void* b) {
  uint64_t mixed = ((uintptr_t)a >> 4) * UINT64_C(0x9E3779B97F4A7C15);
  mixed ^= ((uintptr_t)b >> 4) * UINT64_C(0xC2B2AE3D27D4EB4F);
  return (size_t)(mixed ^ mixed >> 29);
}

static jf_pair* seek(const jf_pairs* table, const void* a, const void* b) {
  size_t at = place_of(a, b) & table->mask;
  while (table->pairs[at].a || table->pairs[at].b) {
    if (table->pairs[at].a == a && table->pairs[at].b == b) break;
    at = (at + 1) & table->mask;
  }
  return &table->pairs[at];
}

jf_pair* jf_pairs_find(const jf_pairs* table, const void* a, const void* b) {
  if (!table->count) return NULL;
  jf_pair* found = seek(table, a, b);
  return found->a || found->b ? found : NULL;
}

static int32_t grow(jf_pairs* table) {
  const size_t size = table->pairs ? 2 * (table->mask + 1) : 16;
  jf_pairs larger = {jf_alloc(size * sizeof(jf_pair)), table->count, size - 1};
  if (!larger.pairs) {
    jf_error_no_memory();
    return -1;
  }
  memset(larger.pairs, 0, size * sizeof(jf_pair));
  for (size_t i = 0; table->pairs && i <= table->mask; i++) {
    const jf_pair* pair = &table->pairs[i];
    if (pair->a || pair->b) *seek(&larger, pair->a, pair->b) = *pair;
  }
  jf_free(table->pairs);
  *table = larger;
  return 0;
}

int32_t jf_pairs_put(jf_pairs* table, const void* a, const void* b, uint64_t value) {
  if (2 * table->count >= table->mask && grow(table) != 0) return -1;
  *seek(table, a, b) = (jf_pair){a, b, value};
  table->count++;
  return 0;
}

void jf_pairs_remove(jf_pairs* table, const void* a, const void* b) {
  jf_pair* at = seek(table, a, b);
  table->count--;
  for (jf_pair moved = {NULL, NULL, 0};; moved = *at) { /* those behind it move up */
    *at = (jf_pair){NULL, NULL, 0};
    if (moved.a || moved.b) *seek(table, moved.a, moved.b) = moved;
    at = &table->pairs[((size_t)(at - table->pairs) + 1) & table->mask];
    if (!at->a && !at->b) return;
  }
}

void jf_pairs_free(jf_pairs* table) {
  jf_free(table->pairs);
  *table = (jf_pairs){NULL, 0, 0};
}
