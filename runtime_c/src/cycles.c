/* The finder of cycles: containers that hold containers, in a ring, and what nobody else refers to among them.
 *
 *   first --> container <--> container <--> ... --> first       linked through their own links; one alone links to itself
 *
 * The count of every container, less the references that come from other containers, is what comes from elsewhere. What
 * has such references, and all that can be reached from there, is in use; the rest refers to itself alone. (The idea is
 * that of CPython's collector.)
 *
 * Objects of a defined type (types.h) that can lead in a circle are in the ring, too. Other objects whose type has `traverse`
 * are not: one that a container leads to takes part all the same, found on the way. So a cycle is seen if at least one
 * list, map, tuple or object with links is in it. Whoever else refers to an object, from
 * types without `traverse` (what a function captures, say), keeps it and all behind it.
 *
 * The ring has a mutex of its own. Under it nothing runs that may come back: `traverse` by contract, deleters after it
 * only.
 */
#include <string.h>

#include "allocation.h"
#include "cycles.h"
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/types.h"
#include "map.h"
#include "message.h"
#include "object.h"
#include "threads.h"
#include "value.h"

static jf_mutex mutex = JF_MUTEX_INITIALIZER;
static jf_object* first; /* all of this under the mutex */
static int64_t tracked;

static void lock(void) { jf_mutex_lock(&mutex); }
static void unlock(void) { jf_mutex_unlock(&mutex); }
/* The same as lock.c's: no other thread's hold on it goes into a child. */
#if JF_HAVE_FORK
JF_AT_FORK(lock, unlock, unlock);
#endif

static jf_links* links_of(jf_object* object) {
  switch (jf_object_kind(object)) {
    case JF_VALUE_LIST:
      return &((jf_list*)object)->links;
    case JF_VALUE_TUPLE:
      return &((jf_tuple*)object)->links;
    case JF_VALUE_MAP:
    case JF_VALUE_SET:
      return &((jf_map*)object)->links;
    default:
      return jf_object_links(object, jf_type_info_of(object->type_code));
  }
}

/* Owners look at their `next` without the mutex, to see whether there is one at all. */
static void link_to(jf_object** place, jf_object* object) { __atomic_store_n(place, object, __ATOMIC_RELAXED); }

/* A library may have a copy of the runtime linked into it, and be given another's containers. Those it leaves alone: they
 * would be taken out of the ring by the copy that made them, which has a ring and a mutex of its own. */
static int32_t is_own(const jf_object* container) {
  return container->deleter == jf_list_delete_last || container->deleter == jf_map_delete_last ||
         container->deleter == jf_tuple_delete_last || /* a tuple in which nothing is counted never comes here */
         jf_object_kind(container) == JF_VALUE_OBJECT;
}

void jf_cycles_track(jf_object* container) {
  if (!is_own(container)) return;
  jf_links* links = links_of(container);
  lock();
  if (!links->next) {
    jf_object* last = first ? links_of(first)->previous : container;
    if (!first) first = container;
    link_to(&links->next, first);
    link_to(&links->previous, last);
    link_to(&links_of(last)->next, container);
    link_to(&links_of(first)->previous, container);
    tracked++;
  }
  unlock();
}

void jf_cycles_untrack(jf_object* container) {
  jf_links* links = links_of(container);
  lock();
  if (links->next) {
    if (first == container) first = links->next == container ? NULL : links->next;
    link_to(&links_of(links->previous)->next, links->next);
    link_to(&links_of(links->next)->previous, links->previous);
    link_to(&links->next, NULL);
    link_to(&links->previous, NULL);
    tracked--;
  }
  unlock();
}

int64_t jf_cycles_tracked(void) {
  lock();
  const int64_t count = tracked;
  unlock();
  return count;
}

/* -- the side table -- */

typedef struct {
  jf_object* object;
  int64_t outside; /* references that are not accounted for */
  int32_t in_use;
} node;

typedef struct {
  node* nodes;
  size_t count;
  size_t capacity;
  uint32_t* places; /* hash table over the nodes: number + 1 */
  size_t mask;
  size_t done; /* nodes before it have been looked into */
  int32_t failed;
} graph;

static void free_graph(graph* g) {
  jf_free(g->nodes);
  jf_free(g->places);
}

static uint32_t* place_of(const graph* g, const jf_object* object) {
  size_t at = ((uintptr_t)object * UINT64_C(0x9E3779B97F4A7C15) >> 32) & g->mask;
  while (g->places[at] && g->nodes[g->places[at] - 1].object != object) at = (at + 1) & g->mask;
  return &g->places[at];
}

/* Room for `capacity` nodes; the table over them is twice as large at least. */
static int32_t resize(graph* g, size_t capacity) {
  size_t size = 16;
  while (size < 2 * capacity) size *= 2;
  node* nodes = capacity < UINT32_MAX / 2 ? jf_alloc(capacity * sizeof *nodes) : NULL;
  uint32_t* places = nodes ? jf_alloc(size * sizeof *places) : NULL;
  if (!places) {
    jf_free(nodes);
    return -1;
  }
  if (g->count) memcpy(nodes, g->nodes, g->count * sizeof *nodes);
  memset(places, 0, size * sizeof *places);
  free_graph(g);
  g->nodes = nodes;
  g->capacity = capacity;
  g->places = places;
  g->mask = size - 1;
  for (size_t i = 0; i < g->count; i++) *place_of(g, nodes[i].object) = (uint32_t)(i + 1);
  return 0;
}

static int32_t add_node(graph* g, jf_object* object) {
  if (g->count == g->capacity && resize(g, 2 * g->capacity + 16) != 0) return -1;
  /* What is static has no count: somebody always has it. */
  const int64_t count = object->deleter ? __atomic_load_n(&object->ref_count, __ATOMIC_RELAXED) : INT64_MAX / 2;
  g->nodes[g->count++] = (node){object, count, 0};
  *place_of(g, object) = (uint32_t)g->count;
  return 0;
}

static int32_t visit_children(jf_object* object, int32_t (*visit)(jf_object*, void*), void* context) {
  const jf_type_operations* operations = jf_type_get_operations(object->type_code);
  const int32_t kind = jf_object_kind(object);
  int32_t stop = operations && operations->traverse ? operations->traverse(object, visit, context) : 0;
  if (stop) return stop;
  if (kind == JF_VALUE_LIST || kind == JF_VALUE_TUPLE) {
    const jf_list* list = (const jf_list*)object;
    return jf_items_traverse(list->items, list->size, visit, context);
  }
  if (kind != JF_VALUE_MAP && kind != JF_VALUE_SET) return 0;
  const jf_map* map = (const jf_map*)object;
  for (size_t i = 0; i < map->used && !stop; i++) {
    const jf_map_entry* entry = jf_map_at(map, i);
    if (!entry->key.code) continue;
    const jf_item value = jf_map_value(map, entry);
    stop = jf_items_traverse(&entry->key, 1, visit, context);
    if (!stop) stop = jf_items_traverse(&value, 1, visit, context);
  }
  return stop;
}

/* Accounts for one reference; whoever has children, and was not known, is known now. */
static int32_t account(jf_object* child, void* context) {
  graph* g = context;
  uint32_t number = *place_of(g, child);
  if (!number) {
    const jf_type_operations* operations = jf_type_get_operations(child->type_code);
    if (!operations || !operations->traverse) return 0;
    g->failed = add_node(g, child);
    if (g->failed) return -1;
    number = (uint32_t)g->count;
  }
  g->nodes[number - 1].outside--;
  return 0;
}

typedef struct {
  graph* g;
  uint32_t* todo;
  size_t count;
} marking;

static int32_t mark(jf_object* child, void* context) {
  marking* m = context;
  const uint32_t number = *place_of(m->g, child);
  if (!number || m->g->nodes[number - 1].in_use) return 0;
  m->g->nodes[number - 1].in_use = 1;
  m->todo[m->count++] = number - 1; /* each once: there is room */
  return 0;
}

static int32_t mark_what_is_in_use(graph* g) {
  marking m = {g, jf_alloc(g->count * sizeof *m.todo), 0};
  if (!m.todo) return -1;
  for (size_t i = 0; i < g->count; i++) {
    if (g->nodes[i].outside > 0) mark(g->nodes[i].object, &m);
    while (m.count) visit_children(g->nodes[m.todo[--m.count]].object, mark, &m);
  }
  jf_free(m.todo);
  return 0;
}

/* Under the mutex. -1 without memory. */
static int32_t build(graph* g) {
  if (resize(g, (size_t)tracked + 16) != 0) return -1;
  jf_object* object = first;
  for (int64_t i = 0; i < tracked; i++, object = links_of(object)->next) {
    if (add_node(g, object) != 0) return -1;
  }
  for (; g->done < g->count && !g->failed; g->done++) visit_children(g->nodes[g->done].object, account, g);
  return g->failed ? -1 : mark_what_is_in_use(g);
}

/* Leaves only garbage in the table, held by a reference each if `hold`. Its size. */
static size_t keep_garbage(graph* g, int32_t hold) {
  size_t count = 0;
  for (size_t i = 0; i < g->count; i++) {
    if (g->nodes[i].in_use) continue;
    g->nodes[count++] = g->nodes[i];
    if (hold) jf_object_retain(g->nodes[i].object);
  }
  return g->count = count;
}

/* -1: MemoryError is set, and the table is freed. */
static int64_t find_garbage(graph* g, int32_t hold) {
  *g = (graph){0};
  lock();
  const int32_t status = build(g);
  const size_t count = status == 0 ? keep_garbage(g, hold) : 0;
  unlock();
  if (status == 0) return (int64_t)count;
  free_graph(g);
  jf_error_no_memory();
  return -1;
}

/* -- what several refer to -- */

typedef struct {
  jf_object** objects;
  size_t count, capacity;
  int32_t failed;
} several;

static void add_one(several* s, jf_object* object) {
  if (s->failed || !object->deleter || __atomic_load_n(&object->ref_count, __ATOMIC_RELAXED) < 2) return;
  if (s->count == s->capacity) {
    const size_t capacity = 2 * s->capacity + 16;
    jf_object** grown = jf_alloc(capacity * sizeof *grown);
    s->failed = grown == NULL;
    if (!grown) return;
    if (s->count) memcpy(grown, s->objects, s->count * sizeof *grown);
    jf_free(s->objects);
    s->objects = grown;
    s->capacity = capacity;
  }
  jf_object_retain(object);
  s->objects[s->count++] = object;
}

/* What is not in the ring itself, but may lead to what only a host knows. */
static int32_t add_child(jf_object* child, void* context) {
  const jf_type_info* type = child->type_code >= JF_FIRST_DYNAMIC ? jf_type_info_of(child->type_code) : NULL;
  if (child->type_code != JF_ERROR && !type) return 0;
  if (type && type->links && jf_links_used(jf_object_links(child, type))) return 0;
  add_one(context, child);
  return 0;
}

/* 0 and NULL: there are none, or there is no memory. */
int64_t jf_cycles_shared(jf_object*** objects) {
  several s = {0};
  lock();
  jf_object* object = first;
  for (int64_t i = 0; i < tracked && !s.failed; i++, object = links_of(object)->next) {
    add_one(&s, object);
    visit_children(object, add_child, &s);
  }
  unlock();
  if (s.failed) {
    for (size_t i = 0; i < s.count; i++) jf_object_release(s.objects[i]);
    s.count = 0;
  }
  if (!s.count) {
    jf_free(s.objects);
    s.objects = NULL;
  }
  *objects = s.objects;
  return (int64_t)s.count;
}

static void clear(jf_object* object) {
  const jf_type_operations* operations = jf_type_get_operations(object->type_code);
  if (operations && operations->clear) operations->clear(object);
  switch (jf_object_kind(object)) {
    case JF_VALUE_LIST:
      jf_list_clear(object);
      break;
    case JF_VALUE_MAP:
    case JF_VALUE_SET:
      jf_map_clear(object);
      break;
    case JF_VALUE_TUPLE:
      jf_tuple_clear(object);
      break;
    default:
      break;
  }
}

/* -1 with MemoryError set: nothing was freed. Deleters run while all of the garbage is held, so that whatever they still
 * see of it is whole, if empty. */
int64_t jf_cycles_collect(void) {
  graph g;
  const int64_t count = find_garbage(&g, 1);
  if (count < 0) return -1;
  for (int64_t i = 0; i < count; i++) clear(g.nodes[i].object);
  for (int64_t i = 0; i < count; i++) jf_object_release(g.nodes[i].object);
  free_graph(&g);
  jf_large_block_cache_clear();
  return count;
}

/* -1 with MemoryError set. */
int64_t jf_cycles_count(void) {
  graph g;
  const int64_t count = find_garbage(&g, 0);
  if (count >= 0) free_graph(&g);
  return count;
}
