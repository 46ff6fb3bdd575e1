/* Structural hashes: from the leaves up, with a stack of its own.
 *
 * What an object hashes as is kept where it may be met again, so each is hashed once; one that is met while its own parts are
 * being hashed is within itself. Variables that a field has bound hash as their number, all others as themselves. Entries of maps
 * and items of sets come in any order: their hashes are added up, and variables that are bound in them have no number. How
 * many nodes there are that compare with their sharing is part of the whole's hash, whatever order they are met in: a graph and
 * the tree that it unfolds to, which are not equal then, differ by it.
 */
#include <string.h>

#include "jitffi/ndarray.h"
#include "jitffi/text.h"
#include "message.h"
#include "structural.h"
#include "value.h"

typedef struct {
  jf_parts parts;
  uint64_t sum, key;
  int32_t where;
  int32_t is_kept;
} frame;

/* Where a value stands. */
enum {
  DEFINES = 1,   /* variables are bound there */
  UNORDERED = 2, /* in a map */
  UNMATCHED = 4 /* equality may not match nodes there: in what is equal to itself without a look, and in keys of maps */
};

typedef struct {
  jf_growing frames;
  jf_pairs known; /* (object, place_of) -> hash; 0: being hashed */
  uint64_t variables;
  uint64_t dags; /* nodes of JF_STRUCTURE_DAG, each once, that are not in an UNMATCHED place */
  uint32_t flags;
  int32_t holds;
  int32_t depth; /* of objects that say themselves what is hashed */
} hashing;

static uint64_t mix(uint64_t sum, uint64_t hash) {
  sum = (sum ^ hash) * UINT64_C(0x9E3779B97F4A7C15);
  return sum ^ sum >> 29;
}

static frame* top_of(const hashing* h) { return (frame*)(void*)(h->frames.data + h->frames.size) - 1; }

/* -- leaves -- */

static uint64_t of_elements(const jf_dltensor* t, size_t itemsize, int32_t at, const char* from, uint64_t sum) {
  if (at == t->ndim) return mix(sum, jf_hash_bytes(from, itemsize));
  const int64_t count = t->shape[at], step = t->strides[at] * (int64_t)itemsize;
  for (int64_t i = 0; i < count; i++) sum = of_elements(t, itemsize, at + 1, count && i ? from + i * step : from, sum);
  return sum;
}

static int32_t hash_array(const hashing* h, jf_object* array, uint64_t* hash) {
  const jf_dltensor* t = jf_ndarray_tensor(array);
  const size_t itemsize = jf_dltensor_itemsize(t, ((jf_ndarray*)array)->flags);
  uint64_t sum = jf_hash_bytes(&t->dtype, sizeof t->dtype) ^ (uint64_t)t->ndim;
  for (int32_t i = 0; i < t->ndim; i++) sum = mix(sum, (uint64_t)t->shape[i]);
  const int64_t items = jf_dltensor_items(t);
  *hash = sum;
  if ((h->flags & JF_SKIP_ELEMENTS) || !items) return 0;
  if (t->device.device_type != JF_CPU || !itemsize) {
    jf_error_set("BufferError", t->device.device_type != JF_CPU
                                    ? "arrays are hashed on the CPU alone"
                                    : "elements that share bytes are not hashed one by one");
    return -1;
  }
  const char* from = (const char*)t->data + t->byte_offset;
  *hash = of_elements(t, itemsize, 0, from, sum);
  return 0;
}

static void for_all(const hashing* h, void (*act)(jf_object*)) {
  const frame* frames = (const frame*)(const void*)h->frames.data;
  for (size_t i = 0; i < h->frames.size / sizeof(frame); i++) act(frames[i].parts.object);
  for (size_t i = 0; h->known.pairs && i <= h->known.mask; i++)
    if (h->known.pairs[i].a) act((jf_object*)(uintptr_t)h->known.pairs[i].a);
}

static void hold_all(hashing* h) {
  if (!h->holds) for_all(h, jf_object_retain);
  h->holds = 1;
}

/* The shape of the same ints is equal to a tuple: it hashes as this does. */
static uint64_t hash_shape(const jf_shape* shape) {
  uint64_t sum = 0x2A7D1F35;
  for (size_t i = 0; i < shape->size; i++) {
    const jf_any number = {.type_code = JF_INT, .v_int64 = shape->data[i]};
    sum = mix(sum, jf_number_hash(&number));
  }
  return sum;
}

static int32_t hash_leaf(hashing* h, const jf_any* value, jf_object* object, uint64_t* hash) {
  if (!object || (object->type_code >= JF_STR && object->type_code <= JF_BYTES)) return jf_any_hash(value, hash);
  if (jf_type_is_a(object->type_code, JF_NDARRAY)) return hash_array(h, object, hash);
  if (object->type_code == JF_SHAPE) return *hash = hash_shape((const jf_shape*)object), 0;
  hold_all(h); /* its hash may run code of others */
  const jf_any held = *value;
  jf_object_retain(object);
  const int32_t status = jf_any_hash(&held, hash);
  jf_object_release(object);
  return status;
}

/* -- nodes -- */

/* What stands for a place in the table: nodes are looked at again where they are to be counted. */
static const void* place_of(int32_t where) {
  static const char unmatched;
  return where & UNMATCHED ? &unmatched : NULL;
}

static int32_t keep(hashing* h, jf_object* object, int32_t where, uint64_t hash) {
  if (jf_pairs_put(&h->known, object, place_of(where), hash) != 0) return -1;
  if (h->holds) jf_object_retain(object);
  return 0;
}

static JF_COLD int32_t fail_within(const hashing* h) {
  char path[512];
  jf_path_text(h->frames.data, sizeof(frame), h->frames.size / sizeof(frame), path, sizeof path);
  jf_error_format("ValueError", "structural_hash: value%s: a container within itself", path);
  return -1;
}

enum { DONE, PUSHED, UNASKED };

/* The first items lie somewhere each: all are on their way while the first is looked at. */
static inline void fetch_items(const jf_list* list) {
  enum { AT_ONCE = 8 };
  const size_t count = list->size < AT_ONCE ? list->size : AT_ONCE;
  for (size_t i = 0; i < count; i++) __builtin_prefetch(list->items[i].code);
}

static int32_t push(hashing* h, const jf_parts* parts, int32_t is_kept, int32_t where) {
  frame* f = jf_growing_room(&h->frames, sizeof *f);
  if (!f) return -1;
  const uint64_t seed = parts->kind == JF_NODE_FIELDS ? (uint64_t)parts->type->code << 8 : (uint64_t)parts->kind;
  *f = (frame){*parts, mix(seed, jf_parts_size(parts)), 0, where, is_kept};
  if (parts->kind == JF_NODE_TUPLE) f->sum = 0x2A7D1F35;
  if (parts->kind == JF_NODE_LIST || parts->kind == JF_NODE_TUPLE) fetch_items((const jf_list*)parts->object);
  h->frames.size += sizeof *f;
  if (h->holds) jf_object_retain(parts->object);
  return PUSHED;
}

static int32_t ask(hashing* h, const jf_parts* parts, int32_t is_kept, int32_t where, uint64_t* hash);

/* The hash of a node: DONE; PUSHED: that of its parts comes first; -1. */
static inline int32_t meet_node(hashing* h, jf_parts parts, int32_t where, uint64_t* hash) {
  const int32_t structure = parts.type ? parts.type->structure : JF_STRUCTURE_TREE;
  if (structure == JF_STRUCTURE_UNIQUE) {
    *hash = mix(structure, (uintptr_t)parts.object);
    return DONE;
  }
  if (structure == JF_STRUCTURE_NONE) return jf_fail_structure(parts.type);
  if (structure == JF_STRUCTURE_CONST_TREE) where |= UNMATCHED;
  if (structure == JF_STRUCTURE_FREE_VAR) where &= ~UNMATCHED; /* it has one number everywhere */
  const int32_t is_kept = structure == JF_STRUCTURE_FREE_VAR || jf_is_shared(parts.object);
  const jf_pair* found = is_kept ? jf_pairs_find(&h->known, parts.object, place_of(where)) : NULL;
  if (found) {
    *hash = found->value;
    return found->value ? DONE : fail_within(h);
  }
  if (structure != JF_STRUCTURE_FREE_VAR) {
    h->dags += structure == JF_STRUCTURE_DAG && !(where & UNMATCHED);
    if (is_kept && keep(h, parts.object, where, 0) != 0) return -1;
    const int32_t answer = jf_says_structure(parts.type) ? ask(h, &parts, is_kept, where, hash) : UNASKED;
    return answer != UNASKED ? answer : push(h, &parts, is_kept, where);
  }
  const uint64_t number = !(where & DEFINES) ? (uintptr_t)parts.object : where & UNORDERED ? 0 : ++h->variables;
  *hash = mix(structure, number);
  *hash += !*hash;
  return keep(h, parts.object, where, *hash) == 0 ? DONE : -1;
}

/* The same of a resolved value. */
static int32_t meet(hashing* h, const jf_any* value, int32_t where, uint64_t* hash) {
  jf_parts parts = {jf_any_object(value), NULL, 0, JF_NODE_LEAF};
  if (parts.object) parts.kind = jf_node_kind(parts.object, &parts.type);
  return parts.kind == JF_NODE_LEAF ? hash_leaf(h, value, parts.object, hash) : meet_node(h, parts, where, hash);
}

/* Whether parts count in any order. */
static int32_t has_no_order(const frame* f) { return f->parts.kind == JF_NODE_MAP || f->parts.kind == JF_NODE_SET; }

static void add(frame* f, uint64_t hash) {
  if (!has_no_order(f)) {
    f->sum = mix(f->sum, hash);
  } else if (f->parts.next & 1) {
    f->key = hash;
  } else { /* of a set, there was no key */
    f->sum += mix(mix(f->key, hash), 0x6D6170);
  }
}

static void drop(hashing* h) {
  jf_object* object = top_of(h)->parts.object;
  h->frames.size -= sizeof(frame);
  if (h->holds) jf_object_release(object);
}

/* Of the frame at the top, which is gone then. */
static uint64_t finish(hashing* h) {
  frame* f = top_of(h);
  uint64_t hash = f->sum + !f->sum;
  if (f->is_kept) jf_pairs_find(&h->known, f->parts.object, place_of(f->where))->value = hash;
  drop(h);
  return hash;
}

/* Adds items of a list or tuple that are hashed as they lie there: most of those that are no objects. Whether what comes next is a
 * list or tuple itself. */
static inline int32_t add_plain_items(frame* f) {
  const jf_list* list = (const jf_list*)f->parts.object;
  uint64_t sum = f->sum, hash;
  size_t at = f->parts.next;
  for (; at < list->size; at++) {
    const jf_any* slot = list->items[at].slot;
    if (slot->type_code == JF_INT && slot->v_uint64 < (UINT64_C(1) << 61) - 1) {
      hash = slot->v_uint64; /* as jf_number_hash has it */
    } else if (slot->type_code == JF_SMALL_STR && (uint32_t)slot->small_len < JF_MAX_CAPACITY) {
      hash = jf_hash_utf8((const char*)slot + JF_PAYLOAD_OFFSET, (size_t)slot->small_len);
    } else if (slot->type_code == JF_NULL) {
      hash = JF_HASH_OF_NULL;
    } else {
      break;
    }
    sum = mix(sum, hash);
  }
  f->sum = sum;
  f->parts.next = at;
  return at < list->size && (*list->items[at].code == JF_LIST || *list->items[at].code == JF_TUPLE);
}

/* Of a value and what is in it; frames up to `base` are others'. */
static int32_t hash_of(hashing* h, const jf_any* value, int32_t outer, size_t base, uint64_t* hash) {
  jf_any scratch;
  int32_t status = meet(h, jf_any_resolve(value, &scratch), outer, hash);
  while (status >= 0 && h->frames.size > base) {
    frame* f = top_of(h);
    if (status == DONE && f->parts.next) add(f, *hash);
    int32_t where = f->where;
    if (f->parts.kind == JF_NODE_FIELDS) {
      const jf_field* fields = f->parts.type->fields;
      const size_t count = (size_t)f->parts.type->num_fields;
      while (f->parts.next < count && (fields[f->parts.next].flags & JF_FIELD_IGNORED)) f->parts.next++;
      if (f->parts.next < count && (fields[f->parts.next].flags & JF_FIELD_DEFINES)) where |= DEFINES;
    }
    if (has_no_order(f)) where |= f->parts.next & 1 ? UNORDERED : UNORDERED | UNMATCHED;
    if ((f->parts.kind == JF_NODE_LIST || f->parts.kind == JF_NODE_TUPLE) && add_plain_items(f)) {
      jf_object* object = ((const jf_list*)f->parts.object)->items[f->parts.next++].object;
      const int32_t kind = object->type_code == JF_LIST ? JF_NODE_LIST : JF_NODE_TUPLE;
      status = meet_node(h, (jf_parts){object, NULL, 0, kind}, where, hash);
      continue;
    }
    const jf_any* part;
    if (jf_parts_next(&f->parts, &scratch, &part)) {
      status = meet(h, part, where, hash);
      continue;
    }
    *hash = finish(h);
    status = DONE;
  }
  return status;
}

typedef struct {
  hashing* h;
  int32_t where;
} asked;

/* What __s_hash__ is given. */
static int32_t hash_part(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  const asked* by = jf_own_context(self);
  if (!by) return -1;
  if (num_args < 2 || (args[1].type_code != JF_INT && args[1].type_code != JF_UINT))
    return JF_RAISE("TypeError", "expected a value, a hash to start with, and maybe a region");
  const int32_t binds = jf_own_region(JF_REGION_USES, num_args, args);
  if (binds < 0) return -1;
  uint64_t hash;
  const size_t base = by->h->frames.size;
  const int32_t status = hash_of(by->h, &args[0], by->where | (binds ? DEFINES : 0), base, &hash);
  while (by->h->frames.size > base) drop(by->h); /* the method may go on */
  if (status != 0) return -1;
  *out = (jf_value){.type_code = JF_INT, .v_uint64 = mix(args[1].v_uint64, hash)};
  return 0;
}

/* UNASKED: the type does not say it. */
static int32_t ask(hashing* h, const jf_parts* parts, int32_t is_kept, int32_t where, uint64_t* hash) {
  asked by = {h, where};
  jf_object* object = parts->object;
  const jf_view start = {.type_code = JF_INT, .v_uint64 = mix((uint64_t)parts->type->code << 8, 1)};
  int64_t said = 0;
  hold_all(h);
  jf_object_retain(object);
  const int32_t status =
      jf_own_enter(&h->depth) == 0 ? jf_ask_structure(object, "__s_hash__", &start, hash_part, &by, &said) : -1;
  h->depth--;
  *hash = mix(start.v_uint64, (uint64_t)said);
  *hash += !*hash;
  if (status == 1 && is_kept) jf_pairs_find(&h->known, object, place_of(where))->value = *hash;
  jf_object_release(object);
  return status == 1 ? DONE : status == 0 ? UNASKED : -1;
}

int32_t jf_structural_hash(const jf_any* value, uint32_t flags, uint64_t* hash) {
  hashing h = {.flags = flags};
  const int32_t status = hash_of(&h, value, flags & JF_MAP_FREE_VARS ? DEFINES : 0, 0, hash);
  if (h.dags) *hash = mix(*hash, h.dags);
  if (h.holds) for_all(&h, jf_object_release);
  jf_growing_free(&h.frames);
  jf_pairs_free(&h.known);
  if (status != 0) *hash = 0;
  return status;
}
