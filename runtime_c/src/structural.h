/* What structural operations and graphs share: what an object is made of, tables of objects, growing arrays, paths. */
#ifndef JITFFI_SRC_STRUCTURAL_H
#define JITFFI_SRC_STRUCTURAL_H

#include "jitffi/containers.h"
#include "jitffi/structural.h"
#include "jitffi/types.h"
#include "object.h"
#include "slot.h"
#include "value.h"

/* What a value is for those who go through it. */
enum {
  JF_NODE_LEAF,   /* no object, or one without parts */
  JF_NODE_LIST,   /* parts: items */
  JF_NODE_TUPLE,  /* the same */
  JF_NODE_MAP,    /* parts: key, value, key, value, by entries */
  JF_NODE_FIELDS, /* parts: fields of a defined type */
  JF_NODE_ARRAY,  /* graph.h's: an array, which has no parts */
  JF_NODE_SET     /* parts: items, by entries */
};

/* -- structural_parts.c -- */

/* Of an object that is no box; *type is set for JF_NODE_FIELDS. */
int32_t jf_node_kind_of_dynamic(const jf_object* object, const jf_type_info** type);
static inline int32_t jf_node_kind(const jf_object* object, const jf_type_info** type) {
  switch (object->type_code) {
    case JF_LIST:
      return JF_NODE_LIST;
    case JF_TUPLE:
      return JF_NODE_TUPLE;
    case JF_MAP:
      return JF_NODE_MAP;
    case JF_SET:
      return JF_NODE_SET;
    default:
      return object->type_code < JF_FIRST_DYNAMIC ? JF_NODE_LEAF : jf_node_kind_of_dynamic(object, type);
  }
}
/* Whether the object may be met more than once: somebody else has it, too. */
static inline int32_t jf_is_shared(const jf_object* object) {
  return object->deleter == NULL || __atomic_load_n(&object->ref_count, __ATOMIC_RELAXED) > 1;
}

/* How many of the fields are parts: of a member of an enumeration its name alone. */
static inline size_t jf_fields_that_are_parts(const jf_type_info* type) {
  return type->flags & JF_TYPE_ENUM ? 1 : (size_t)type->num_fields;
}

/* A node on the way down, and which of its parts comes next. */
typedef struct {
  jf_object* object;
  const jf_type_info* type;
  size_t next;
  int32_t kind;
  int32_t waits; /* graph_collect.c's: a tuple that cannot be made yet */
} jf_parts;
/* The next part, resolved: *out is it, or a slot within the node; *scratch may hold it. 1, or 0: that was all. */
int32_t jf_parts_next(jf_parts* parts, jf_any* scratch, const jf_any** out);
/* The number of parts; of a map, of its entries that are there, twice. */
size_t jf_parts_size(const jf_parts* parts);

/* How far two lists or tuples are the same at a glance, from item `at` on: ints, and values that are shared by all. */
static inline size_t jf_same_items(const jf_list* a, const jf_list* b, size_t at) {
  const size_t count = a->size < b->size ? a->size : b->size;
  for (; at < count; at++) {
    const jf_item x = a->items[at], y = b->items[at];
    if (*x.code != *y.code || *x.code > 0) break;
    if (x.code != y.code && (*x.code != JF_INT || x.slot->v_int64 != y.slot->v_int64)) break;
  }
  return at;
}

/* Memory that grows, each time to twice as much. */
typedef struct {
  char* data;
  size_t size, capacity; /* in bytes */
} jf_growing;
void* jf_growing_more(jf_growing* g, size_t more);
/* Room behind what there is, which `size` is to be raised by; NULL with MemoryError. */
static inline void* jf_growing_room(jf_growing* g, size_t more) {
  return more <= g->capacity - g->size ? g->data + g->size : jf_growing_more(g, more);
}
void jf_growing_free(jf_growing* g);

/* From two addresses to a number, without order. */
typedef struct {
  const void* a;
  const void* b;
  uint64_t value;
} jf_pair;
typedef struct {
  jf_pair* pairs; /* a and b NULL: free */
  size_t count, mask;
} jf_pairs;
jf_pair* jf_pairs_find(const jf_pairs* table, const void* a, const void* b); /* NULL: not there */
int32_t jf_pairs_put(jf_pairs* table, const void* a, const void* b,
                     uint64_t value);                                /* not there yet; -1: MemoryError */
void jf_pairs_remove(jf_pairs* table, const void* a, const void* b); /* is there */
void jf_pairs_free(jf_pairs* table);

/* Of a type whose structure is JF_STRUCTURE_NONE: -1 with TypeError. */
JF_COLD int32_t jf_fail_structure(const jf_type_info* type);

/* Whether free variables are bound where a value stands. */
enum { JF_REGION_USES, JF_REGION_DEFINES, JF_REGION_DEFINES_ONE };
/* The region of a field, by its flags, within another one. */
static inline int32_t jf_region_of(int32_t outer, uint32_t flags) {
  if (outer == JF_REGION_DEFINES || !(flags & JF_FIELD_DEFINES)) return outer;
  return flags & JF_FIELD_DEFINES_ONE ? JF_REGION_DEFINES_ONE : JF_REGION_DEFINES;
}

/* -- structural_own.c -- */

static inline int32_t jf_says_structure(const jf_type_info* type) {
  return type && (type->flags & JF_TYPE_OWN_STRUCTURE);
}
/* Calls the object's method of that name with `with` and a function that calls `part`. 1: *answer is what it says; 0: there is
 * no such method; -1. The object is held by the caller. */
int32_t jf_ask_structure(jf_object* object, const char* name, const jf_view* with, jf_packed_call part, void* context,
                         int64_t* answer);
/* Around it: 0; -1 with RecursionError, since such methods call one another. `*depth` is one more in either case. */
int32_t jf_own_enter(int32_t* depth);
/* The context, for `part`, whose `self` is that function; NULL with ValueError once the method has returned. */
void* jf_own_context(const jf_function* self);
/* The region that the third argument asks for, within another one; -1 with TypeError. */
int32_t jf_own_region(int32_t outer, int32_t num_args, const jf_view* args);

/* -- structural_path.c -- */

/* Appends the step to the part before `next` to a list of steps. `missing`: JF_STEP_MISSING where that part is not there,
 * else 0; a key that is missing is told. */
int32_t jf_path_add(jf_object* steps, const jf_parts* parts, int32_t missing, const jf_view* missing_key);
/* The part before `next` of each node in the text of a message: "['a'][1].name". Cut in the middle where it is long. */
void jf_path_text(const char* nodes, size_t stride, size_t count, char* buffer, size_t capacity);

#endif
