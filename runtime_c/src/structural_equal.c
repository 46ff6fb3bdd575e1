/* Structural equality: two values side by side, with a stack of its own.
 *
 *   frames      the nodes that are being compared, outermost first, and which of their parts is next
 *   pairs       (a, b) two shared nodes that were met together: they are equal as far as is known, which cycles rest on
 *               (a, 0) -> b, (0, b) -> a: variables and nodes of graphs, which are matched with one another for good
 *   tried       which of the pairs a method's comparing has put: they are taken back where it finds a difference, since the
 *               method may find the objects equal in another way
 *
 * Nothing that is compared here runs code of others, but objects that compare by themselves, or say what of them is compared:
 * before the first of them all that was met is held, as code may change it.
 */
#include <string.h>

#include "jitffi/ndarray.h"
#include "map.h"
#include "message.h"
#include "structural.h"

typedef struct {
  jf_parts a, b;
  size_t unmatched; /* of a map or set: where in b's entries the keys are looked for that are only equal by structure */
  size_t matched;   /* the entry of b for the one of a that is being compared */
  int32_t defines;
  int32_t
      again; /* whether the parts may be met again, with others: a node that several hold is looked at with each partner */
} frame;

typedef struct {
  jf_growing frames;
  jf_pairs pairs;
  jf_growing tried; /* a `met` each */
  uint32_t flags;
  int32_t holds; /* whether what was met is held */
  int32_t wants_path;
  int32_t depth;                /* of objects that say themselves what is compared */
  int32_t missing_a, missing_b; /* JF_STEP_MISSING: what differs is that it is not there */
  jf_view missing_key;
} comparison;

typedef struct {
  jf_object *a, *b;
} met;

enum { DIFFERENT, EQUAL, PUSHED, UNASKED };

static frame* top_of(const comparison* c) { return (frame*)(void*)(c->frames.data + c->frames.size) - 1; }

/* -- holding -- */

static void for_all(const comparison* c, void (*act)(jf_object*)) {
  const frame* frames = (const frame*)(const void*)c->frames.data;
  for (size_t i = 0; i < c->frames.size / sizeof(frame); i++) act(frames[i].a.object), act(frames[i].b.object);
  for (size_t i = 0; c->pairs.pairs && i <= c->pairs.mask; i++) {
    act((jf_object*)(uintptr_t)c->pairs.pairs[i].a);
    act((jf_object*)(uintptr_t)c->pairs.pairs[i].b);
  }
}

static void retain(jf_object* object) {
  if (object) jf_object_retain(object);
}

static void hold_all(comparison* c) {
  if (c->holds) return;
  c->holds = 1;
  for_all(c, retain);
}

/* What was put just now may be taken back. */
static JF_COLD int32_t note(comparison* c, jf_object* a, jf_object* b) {
  met* last = jf_growing_room(&c->tried, sizeof *last);
  if (!last) {
    jf_pairs_remove(&c->pairs, a, b);
    return -1;
  }
  *last = (met){a, b};
  c->tried.size += sizeof *last;
  return 0;
}

static int32_t put_pair(comparison* c, const jf_object* a, const jf_object* b, const jf_object* value) {
  if (jf_pairs_put(&c->pairs, a, b, JF_POINTER_WORD(value)) != 0) return -1;
  if (c->depth && note(c, (jf_object*)(uintptr_t)a, (jf_object*)(uintptr_t)b) != 0) return -1;
  if (c->holds) retain((jf_object*)(uintptr_t)a), retain((jf_object*)(uintptr_t)b);
  return 0;
}

/* Takes back what was put since `tried` had that size. Objects that go may compare others meanwhile. */
static void take_back(comparison* c, size_t size) {
  while (c->tried.size > size) {
    c->tried.size -= sizeof(met);
    const met last = *(const met*)(const void*)(c->tried.data + c->tried.size);
    jf_pairs_remove(&c->pairs, last.a, last.b);
    jf_object_release(last.a);
    jf_object_release(last.b);
  }
}

/* -- leaves -- */

static int32_t is_array(const jf_object* object) { return object && jf_type_is_a(object->type_code, JF_NDARRAY); }

static int32_t same_form(jf_object* a, jf_object* b) {
  const jf_dltensor *x = jf_ndarray_tensor(a), *y = jf_ndarray_tensor(b);
  return memcmp(&x->dtype, &y->dtype, sizeof x->dtype) == 0 && x->ndim == y->ndim &&
         memcmp(x->shape, y->shape, (size_t)x->ndim * sizeof *x->shape) == 0;
}

static int32_t runs_code(const jf_object* object) {
  return object && (object->type_code < JF_STR || object->type_code > JF_BYTES);
}

static int32_t is_nan(const jf_any* value) {
  return value->type_code == JF_FLOAT && value->v_float64 != value->v_float64;
}

static int32_t leaves_equal(comparison* c, const jf_any* a, const jf_any* b, jf_object* x, jf_object* y) {
  if ((x && x == y) || (is_nan(a) && is_nan(b))) return 1;
  if (!runs_code(x) && !runs_code(y)) return jf_any_equal(a, b);
  if ((c->flags & JF_SKIP_ELEMENTS) && is_array(x) && is_array(y)) return same_form(x, y);
  const jf_any p = *a, q = *b; /* objects on either side: a slot of the other may go, but 16 bytes of it are all */
  hold_all(c);
  retain(x);
  retain(y);
  const int32_t same = jf_any_equal(x ? &p : a, y ? &q : b);
  jf_object_release(x);
  jf_object_release(y);
  return same;
}

/* -- nodes -- */

static int32_t ask(comparison* c, jf_object* a, jf_object* b, int32_t defines);

static int32_t push(comparison* c, jf_parts a, jf_parts b, int32_t defines, int32_t again) {
  const int32_t answer = jf_says_structure(a.type) ? ask(c, a.object, b.object, defines) : UNASKED;
  if (answer != UNASKED) return answer;
  frame* f = jf_growing_room(&c->frames, sizeof *f);
  if (!f) return -1;
  *f = (frame){a, b, 0, 0, defines, again};
  c->frames.size += sizeof *f;
  if (c->holds) retain(a.object), retain(b.object);
  return PUSHED;
}

static void pop(comparison* c) {
  c->frames.size -= sizeof(frame);
  if (!c->holds) return;
  const frame* gone = (const frame*)(const void*)(c->frames.data + c->frames.size);
  jf_object *a = gone->a.object, *b = gone->b.object;
  jf_object_release(a);
  jf_object_release(b);
}

/* Whether the parts of the frame at the top may be met again. */
static int32_t are_met_again(const comparison* c) { return c->frames.size && top_of(c)->again; }

/* Nodes that are matched for good: what is in them is looked at once. */
static int32_t match(comparison* c, const jf_parts* a, const jf_parts* b, int32_t defines) {
  const jf_object *x = a->object, *y = b->object;
  const int32_t is_variable = a->type->structure == JF_STRUCTURE_FREE_VAR;
  const int32_t again = jf_is_shared(x) || jf_is_shared(y) || are_met_again(c);
  if (!is_variable && !again) return push(c, *a, *b, defines, 0);
  const jf_pair* found = jf_pairs_find(&c->pairs, x, NULL);
  if (found) return found->value == JF_POINTER_WORD(y) ? EQUAL : DIFFERENT;
  if (jf_pairs_find(&c->pairs, NULL, y)) return DIFFERENT;
  if (is_variable && x != y && !defines) return DIFFERENT;
  if (put_pair(c, x, NULL, y) != 0 || put_pair(c, NULL, y, x) != 0) return -1;
  if (is_variable && defines == JF_REGION_DEFINES_ONE) defines = JF_REGION_USES; /* in its own fields */
  return is_variable && x == y ? EQUAL : push(c, *a, *b, defines, 0);
}

/* An object is equal to itself, but where it may hold variables that mean others there, or nodes to be matched. */
static int32_t same_is_equal(const jf_parts* p) {
  if (p->type && p->type->structure == JF_STRUCTURE_CONST_TREE) return 1;
  return (jf_structures_defined() & (1U << JF_STRUCTURE_FREE_VAR | 1U << JF_STRUCTURE_DAG)) == 0;
}

static int32_t meet_nodes(comparison* c, jf_parts* a, const jf_parts* b, int32_t defines) {
  const jf_object *x = a->object, *y = b->object;
  if (a->kind != b->kind || a->type != b->type) return DIFFERENT;
  if (x == y && same_is_equal(a)) return EQUAL;
  if (a->type) {
    switch (a->type->structure) {
      case JF_STRUCTURE_UNIQUE:
        return x == y ? EQUAL : DIFFERENT;
      case JF_STRUCTURE_NONE:
        return jf_fail_structure(a->type);
      case JF_STRUCTURE_FREE_VAR:
      case JF_STRUCTURE_DAG:
        return match(c, a, b, defines);
      default:
        break;
    }
  }
  if (!c->wants_path && jf_parts_size(a) != jf_parts_size(b)) return DIFFERENT;
  const int32_t is_shared = jf_is_shared(x) || jf_is_shared(y);
  if (is_shared) {
    if (jf_pairs_find(&c->pairs, x, y)) return EQUAL;
    if (put_pair(c, x, y, NULL) != 0) return -1;
  }
  if (a->kind <= JF_NODE_TUPLE) {
    const jf_list *p = (const jf_list*)x, *q = (const jf_list*)y;
    a->next = jf_same_items(p, q, 0);
    if (a->next == p->size && p->size == q->size) return EQUAL;
  }
  return push(c, *a, *b, defines, is_shared || are_met_again(c));
}

/* Two resolved values. */
static int32_t meet(comparison* c, const jf_any* a, const jf_any* b, int32_t defines) {
  jf_parts x = {jf_any_object(a), NULL, 0, JF_NODE_LEAF}, y = {jf_any_object(b), NULL, 0, JF_NODE_LEAF};
  if (x.object) x.kind = jf_node_kind(x.object, &x.type);
  if (y.object) y.kind = jf_node_kind(y.object, &y.type);
  if (x.kind == JF_NODE_LEAF || y.kind == JF_NODE_LEAF) return leaves_equal(c, a, b, x.object, y.object);
  return meet_nodes(c, &x, &y, defines);
}

/* Two items or references: as meet of what they hold, but without a look at that where they are nodes. */
static int32_t meet_items(comparison* c, jf_item a, jf_item b, int32_t defines) {
  if (*a.code > 0 && *b.code > 0) {
    jf_parts x = {a.object, NULL, 0, JF_NODE_LEAF}, y = {b.object, NULL, 0, JF_NODE_LEAF};
    x.kind = jf_node_kind(x.object, &x.type);
    y.kind = jf_node_kind(y.object, &y.type);
    if (x.kind != JF_NODE_LEAF && y.kind != JF_NODE_LEAF) return meet_nodes(c, &x, &y, defines);
  }
  jf_any one, other;
  const jf_any* left = jf_any_resolve(jf_item_slot(a, &one), &one);
  return meet(c, left, jf_any_resolve(jf_item_slot(b, &other), &other), defines);
}

/* -- maps and sets -- */

static int32_t is_missing(comparison* c, int32_t in_a, const jf_map* map, size_t entry) {
  jf_item_view(jf_map_at(map, entry)->key, &c->missing_key);
  c->missing_a = in_a ? JF_STEP_MISSING : 0;
  c->missing_b = in_a ? 0 : JF_STEP_MISSING;
  return DIFFERENT;
}

/* The entry for a key of the other map, by ==; variables stand for those that they are matched with. */
static int64_t find_key(comparison* c, const jf_map* map, const jf_map_entry* entry, int32_t is_a) {
  const jf_object* object = *entry->key.code > 0 ? entry->key.object : NULL;
  const jf_pair* matched = !object || !c->pairs.count ? NULL
                           : is_a                     ? jf_pairs_find(&c->pairs, object, NULL)
                                                      : jf_pairs_find(&c->pairs, NULL, object);
  if (matched) {
    jf_any key = {JF_OBJECT, 0, {0}}, scratch;
    jf_map_key wanted;
    key.v_uint64 = matched->value;
    return jf_map_key_of(&key, &scratch, &wanted) == 0 ? jf_map_find(map, &wanted) : JF_MAP_FAILED;
  }
  if (!jf_item_runs_code(entry->key)) {
    jf_any scratch;
    return jf_map_find_slot(map, jf_item_slot(entry->key, &scratch), entry->hash);
  }
  hold_all(c);
  jf_held key;
  const uint64_t hash = entry->hash;
  jf_hold(entry->key, &key);
  const int64_t found = jf_map_find_slot(map, &key.slot, hash);
  jf_unhold(&key);
  return found;
}

/* The next entry of b whose key a does not have, for a key of a that b does not have: both are objects. */
static int64_t find_unmatched(comparison* c, frame* f) {
  while (f->unmatched < ((const jf_map*)f->b.object)->used) {
    const jf_map* b = (const jf_map*)f->b.object;
    const size_t at = f->unmatched++;
    if (!jf_map_at(b, at)->key.code || !jf_item_runs_code(jf_map_at(b, at)->key)) continue;
    const int64_t found = find_key(c, (const jf_map*)f->a.object, jf_map_at(b, at), 0);
    if (found == JF_MAP_FAILED) return found;
    if (found == JF_MAP_NOT_FOUND) return (int64_t)at;
  }
  return JF_MAP_NOT_FOUND;
}

/* Finds the entry of b for the next one of a. 1; 0: it has none; -1. */
static int32_t match_entry(comparison* c, frame* f) {
  const jf_map* a = (const jf_map*)f->a.object;
  const size_t at = f->a.next / 2;
  int64_t found = find_key(c, (const jf_map*)f->b.object, jf_map_at(a, at), 1);
  f = top_of(c);
  if (found == JF_MAP_FAILED) return -1;
  if (at >= a->used || !jf_map_at(a, at)->key.code) return 0; /* comparing took it out */
  if (found == JF_MAP_NOT_FOUND && jf_item_runs_code(jf_map_at(a, at)->key)) found = find_unmatched(c, f);
  if (found == JF_MAP_FAILED) return -1;
  if (at >= a->used || !jf_map_at(a, at)->key.code) return 0;
  if (found == JF_MAP_NOT_FOUND) return is_missing(c, 0, a, at);
  f->matched = (size_t)found;
  return 1;
}

/* The first key of b that a does not have. */
static int32_t find_more(comparison* c, const frame* f) {
  const jf_map *a = (const jf_map*)f->a.object, *b = (const jf_map*)f->b.object;
  for (size_t i = 0; i < b->used; i++) {
    if (!jf_map_at(b, i)->key.code) continue;
    const int64_t found = find_key(c, a, jf_map_at(b, i), 0);
    if (found == JF_MAP_FAILED) return -1;
    if (found == JF_MAP_NOT_FOUND && i < b->used && jf_map_at(b, i)->key.code) return is_missing(c, 1, b, i);
  }
  return DIFFERENT;
}

static int32_t compare_entry(comparison* c, frame* f) {
  const jf_map *a = (const jf_map*)f->a.object, *b = (const jf_map*)f->b.object;
  while (f->a.next / 2 < a->used && !jf_map_at(a, f->a.next / 2)->key.code) f->a.next = (f->a.next | 1) + 1;
  if (f->a.next / 2 >= a->used) {
    if (a->size == b->size) return pop(c), EQUAL;
    return c->wants_path ? find_more(c, f) : DIFFERENT;
  }
  const int32_t is_value = f->a.next & 1;
  if (!is_value) {
    const int32_t found = match_entry(c, f);
    if (found != 1) return found;
    f = top_of(c);
  }
  const jf_map_entry *x = jf_map_at(a, f->a.next / 2), *y = jf_map_at(b, f->matched);
  const int32_t defines = f->defines, is_set = f->a.kind == JF_NODE_SET;
  f->a.next += is_set ? 2 : 1;
  f->b.next = 2 * f->matched + 1 + (size_t)(is_value || is_set);
  if (f->matched >= b->used || !x->key.code || !y->key.code) return DIFFERENT; /* comparing took it out */
  if (!is_value && !jf_item_runs_code(x->key)) return EQUAL;
  return is_value ? meet_items(c, x->value, y->value, defines) : meet_items(c, x->key, y->key, defines);
}

/* -- going through -- */

/* What says by its bits that it is equal: numbers, values that are no objects, nulls. */
static int32_t same_bits(const frame* f, const jf_field* field) {
  const char *a = (const char*)f->a.object + field->offset, *b = (const char*)f->b.object + field->offset;
  if (field->kind < JF_FIELD_SLOT) return memcmp(a, b, (size_t)field->size) == 0;
  if (field->kind == JF_FIELD_SLOT) {
    const jf_any* slot = (const jf_any*)(const void*)a;
    return memcmp(a, b, sizeof *slot) == 0 && !jf_any_object(slot);
  }
  return !*(jf_object* const*)(const void*)a && !*(jf_object* const*)(const void*)b;
}

/* The next fields that are not the same at a glance. */
static int32_t compare_fields(comparison* c, frame* f) {
  const jf_field* fields = f->a.type->fields;
  const size_t count = (size_t)f->a.type->num_fields;
  size_t at = f->a.next;
  while (at < count && ((fields[at].flags & JF_FIELD_IGNORED) || same_bits(f, &fields[at]))) at++;
  f->a.next = f->b.next = at + 1;
  if (at == count) return pop(c), EQUAL;
  const int32_t defines = jf_region_of(f->defines, fields[at].flags);
  if (fields[at].kind == JF_FIELD_OBJECT) {
    const jf_item x = {.object = *(jf_object**)(void*)((char*)f->a.object + fields[at].offset)};
    const jf_item y = {.object = *(jf_object**)(void*)((char*)f->b.object + fields[at].offset)};
    if (x.object && y.object) return meet_items(c, x, y, defines);
  }
  jf_view x, y;
  jf_field_view(f->a.object, &fields[at], &x);
  jf_field_view(f->b.object, &fields[at], &y);
  return meet(c, jf_any_resolve(&x, &x), jf_any_resolve(&y, &y), defines);
}

/* The same of items. */
static int32_t compare_items(comparison* c, frame* f) {
  const jf_list *a = (const jf_list*)f->a.object, *b = (const jf_list*)f->b.object;
  const size_t at = jf_same_items(a, b, f->a.next);
  if (at < a->size && at < b->size) {
    f->a.next = f->b.next = at + 1;
    return meet_items(c, a->items[at], b->items[at], f->defines);
  }
  if (a->size == b->size) return pop(c), EQUAL;
  f->a.next = f->b.next = at + 1;
  if (a->size < b->size) c->missing_a = JF_STEP_MISSING;
  if (a->size > b->size) c->missing_b = JF_STEP_MISSING;
  return DIFFERENT;
}

/* Two values and what is in them; frames up to `base` are others'. */
static int32_t compare(comparison* c, const jf_any* a, const jf_any* b, int32_t defines, size_t base) {
  jf_any one, other;
  int32_t result = meet(c, jf_any_resolve(a, &one), jf_any_resolve(b, &other), defines);
  while (result > 0 && c->frames.size > base) {
    frame* f = top_of(c);
    result = f->a.kind == JF_NODE_MAP || f->a.kind == JF_NODE_SET ? compare_entry(c, f)
             : f->a.kind == JF_NODE_FIELDS                        ? compare_fields(c, f)
                                                                  : compare_items(c, f);
  }
  return result > 0 ? 1 : result;
}

typedef struct {
  comparison* c;
  int32_t defines;
} asked;

/* What __s_equal__ is given. */
static int32_t compare_part(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  const asked* by = jf_own_context(self);
  if (!by) return -1;
  if (num_args < 2) return JF_RAISE("TypeError", "expected two values, and maybe a region and a name");
  const int32_t defines = jf_own_region(by->defines, num_args, args);
  if (defines < 0) return -1;
  comparison* c = by->c;
  const size_t base = c->frames.size, kept = c->tried.size;
  const int32_t same = compare(c, &args[0], &args[1], defines, base);
  while (c->frames.size > base) pop(c);
  if (same != 1) take_back(c, kept);
  if (same >= 0) *out = (jf_value){.type_code = JF_BOOL, .v_int64 = same};
  return same < 0 ? -1 : 0;
}

/* UNASKED: the type does not say it. The path of a difference ends at the object. */
static int32_t ask(comparison* c, jf_object* a, jf_object* b, int32_t defines) {
  asked by = {c, defines};
  jf_view other;
  int64_t same = 0;
  hold_all(c);
  retain(a), retain(b);
  jf_item_view((jf_item){.object = b}, &other);
  const int32_t status =
      jf_own_enter(&c->depth) == 0 ? jf_ask_structure(a, "__s_equal__", &other, compare_part, &by, &same) : -1;
  c->depth--;
  jf_object_release(a);
  jf_object_release(b);
  c->missing_a = c->missing_b = 0;
  c->missing_key.type_code = JF_NULL;
  return status <= 0 ? (status < 0 ? -1 : UNASKED) : same != 0 ? EQUAL : DIFFERENT;
}

static void end(comparison* c) {
  if (c->holds) for_all(c, jf_object_release);
  jf_growing_free(&c->frames);
  jf_growing_free(&c->tried);
  jf_pairs_free(&c->pairs);
}

int32_t jf_structural_equal(const jf_any* a, const jf_any* b, uint32_t flags) {
  comparison c = {.flags = flags, .missing_key = {JF_NULL, 0, {0}}};
  const int32_t result = compare(&c, a, b, flags & JF_MAP_FREE_VARS ? JF_REGION_DEFINES : JF_REGION_USES, 0);
  end(&c);
  return result;
}

/* -- paths -- */

/* New; NULL with MemoryError. */
static jf_object* path_of(const comparison* c, int32_t of_b) {
  const frame* frames = (const frame*)(const void*)c->frames.data;
  const size_t count = c->frames.size / sizeof(frame);
  const int32_t missing = of_b ? c->missing_b : c->missing_a;
  jf_object* steps = jf_list_new(count, 0);
  for (size_t i = 0; steps && i < count; i++) {
    const int32_t is_last = i + 1 == count;
    const jf_view* key = is_last && c->missing_key.type_code != JF_NULL ? &c->missing_key : NULL;
    if (jf_path_add(steps, of_b ? &frames[i].b : &frames[i].a, is_last ? missing : 0, key) == 0) continue;
    jf_object_release(steps);
    steps = NULL;
  }
  jf_object* path = steps ? jf_tuple_of(steps) : NULL;
  jf_object_release(steps);
  return path;
}

static int32_t out_paths(const comparison* c, jf_value* out) {
  jf_view pair[2] = {{JF_OBJECT, 0, {0}}, {JF_OBJECT, 0, {0}}};
  jf_object *a = path_of(c, 0), *b = a ? path_of(c, 1) : NULL, *both = NULL;
  if (b) {
    pair[0].v_uint64 = JF_POINTER_WORD(a);
    pair[1].v_uint64 = JF_POINTER_WORD(b);
    both = jf_tuple_new(pair, 2);
  }
  jf_object_release(a);
  jf_object_release(b);
  if (!both) return -1;
  jf_out_object(out, both);
  return 0;
}

int32_t jf_structural_mismatch(const jf_any* a, const jf_any* b, uint32_t flags, jf_value* out) {
  comparison c = {.flags = flags, .wants_path = 1, .missing_key = {JF_NULL, 0, {0}}};
  hold_all(&c); /* of the map whose key is told */
  int32_t result = compare(&c, a, b, flags & JF_MAP_FREE_VARS ? JF_REGION_DEFINES : JF_REGION_USES, 0);
  if (result == 0 && out_paths(&c, out) != 0) result = -1;
  end(&c);
  return result;
}
