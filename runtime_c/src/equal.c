/* Equality by Python's rules, as containers use it: what is identical is equal.
 *
 * Comparing objects can run code of others, which may change the containers that are compared: items are held while
 * they are compared, sizes are read again afterwards.
 */
#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/ndarray.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "map.h"
#include "slot.h"
#include "value.h"

static int32_t equal_resolved(const jf_any* a, const jf_any* b);

/* Of items where at least one can run code. */
static __attribute__((noinline)) int32_t equal_held(jf_item x, jf_item y) {
  jf_held a, b;
  jf_hold(x, &a);
  jf_hold(y, &b);
  const int32_t result = equal_resolved(&a.slot, &b.slot);
  jf_unhold(&a);
  jf_unhold(&b);
  return result;
}

/* The same for two objects, which is how containers nest: it takes little of the stack. */
static __attribute__((noinline)) int32_t equal_objects(jf_item x, jf_item y) {
  jf_any a, b;
  jf_item_view(x, &a);
  jf_item_view(y, &b);
  jf_object_retain(x.object);
  jf_object_retain(y.object);
  const int32_t result = equal_resolved(&a, &b);
  jf_object_release(x.object);
  jf_object_release(y.object);
  return result;
}

int32_t jf_item_equal(jf_item x, jf_item y) {
  if (x.code == y.code) return 1; /* a static slot, or the same object */
  if (jf_item_runs_code(x) || jf_item_runs_code(y)) {
    return *x.code > 0 && *y.code > 0 ? equal_objects(x, y) : equal_held(x, y);
  }
  jf_any x_scratch, y_scratch;
  return equal_resolved(jf_item_slot(x, &x_scratch), jf_item_slot(y, &y_scratch));
}

/* Two lists or two tuples. */
static int32_t equal_items(const jf_list* a, const jf_list* b) {
  if (a->size != b->size) return 0;
  for (size_t i = 0; i < a->size && i < b->size; i++) {
    const int32_t same = jf_item_equal(a->items[i], b->items[i]);
    if (same != 1) return same;
  }
  return a->size == b->size;
}

/* Where `other` has the key of this entry; as jf_map_find. Letting the key go may change `other` once more: not found. */
static __attribute__((noinline)) int64_t find_key(const jf_map_entry* entry, const jf_map* other) {
  jf_held key;
  const uint64_t hash = entry->hash;
  jf_hold(entry->key, &key);
  const int64_t found = jf_map_find_slot(other, &key.slot, hash);
  const uint64_t version = other->version;
  jf_unhold(&key);
  return found < 0 || other->version == version ? found : JF_MAP_NOT_FOUND;
}

/* Two maps or two sets. */
static int32_t equal_maps(const jf_map* a, const jf_map* b) {
  if (a->size != b->size) return 0;
  for (size_t i = 0; i < a->used; i++) {
    if (!jf_map_at(a, i)->key.code) continue;
    const int64_t found = find_key(jf_map_at(a, i), b);
    if (found < 0) return found == JF_MAP_NOT_FOUND ? 0 : -1;
    if (i >= a->used || !jf_map_at(a, i)->key.code) return 0; /* the look-up took it out */
    const int32_t same = jf_item_equal(jf_map_value(a, jf_map_at(a, i)), jf_map_value(b, jf_map_at(b, (size_t)found)));
    if (same != 1) return same;
  }
  return a->size == b->size;
}

static int32_t equal_shapes(const jf_shape* a, const jf_shape* b) {
  return a->size == b->size && (!a->size || memcmp(a->data, b->data, a->size * sizeof *a->data) == 0);
}

/* A shape is a tuple of ints, whoever made it. */
static JF_COLD int32_t equal_shape_items(const jf_shape* shape, const jf_list* tuple) {
  if (shape->size != tuple->size) return 0;
  jf_object* items = jf_shape_items(shape);
  if (!items) return -1;
  const int32_t result = equal_items((const jf_list*)items, tuple);
  jf_object_release(items);
  return result;
}

static int32_t equal_containers(const jf_any* a, const jf_any* b, int32_t kind) {
  if (jf_value_enter("in comparison") != 0) return -1;
  int32_t result;
  if (kind == JF_VALUE_MAP || kind == JF_VALUE_SET) {
    result = equal_maps((const jf_map*)a->v_object, (const jf_map*)b->v_object);
  } else {
    result = equal_items((const jf_list*)a->v_object, (const jf_list*)b->v_object);
  }
  jf_value_leave();
  return result;
}

static int32_t equal_by(const jf_type_operations* operations, const jf_any* a, const jf_any* b) {
  if (jf_value_enter("in comparison") != 0) return -1;
  const int32_t result = operations->equal(a, b);
  jf_value_leave();
  return result < 0 ? -1 : result != 0;
}

/* The operations that have a word in the matter, the left side's first. */
static const jf_type_operations* who_compares(const jf_any* a, int32_t a_kind, const jf_any* b, int32_t b_kind) {
  const jf_type_operations* left = jf_value_operations(a, a_kind);
  if (left && left->equal) return left;
  const jf_type_operations* right = jf_value_operations(b, b_kind);
  return right && right->equal ? right : NULL;
}

/* Two slots of the same code, where that and their own bytes tell: 1, 0, or -1 for all else. */
static inline int32_t fast_equal(const jf_any* a, const jf_any* b) {
  if (a->type_code == JF_INT) return a->v_int64 == b->v_int64;
  if (a->type_code == JF_SMALL_STR && (a->small_len | b->small_len) <= 7) return memcmp(a, b, sizeof *a) == 0;
  if (a->type_code != JF_OBJECT || !a->v_object || !b->v_object) return -1;
  if (a->v_object->type_code != JF_STR || b->v_object->type_code != JF_STR) return -1;
  const jf_str *x = (const jf_str*)a->v_object, *y = (const jf_str*)b->v_object;
  return x->size == y->size && memcmp(x->data, y->data, x->size) == 0;
}

static int32_t same_text(const jf_str* a, const jf_str* b) {
  return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* Two errors are equal by their types, kinds and messages, along the causes, which end: an error is made after its cause. */
static int32_t equal_errors(const jf_object* a, const jf_object* b) {
  while (a != b) {
    if (!a || !b || a->type_code != b->type_code || !jf_type_is_a(a->type_code, JF_ERROR)) return 0;
    const jf_error *left = (const jf_error*)a, *right = (const jf_error*)b;
    if (!same_text(left->kind, right->kind) || !same_text(left->message, right->message)) return 0;
    a = left->cause;
    b = right->cause;
  }
  return 1;
}

static int32_t is_array(const jf_object* object) { return jf_type_is_a(object->type_code, JF_NDARRAY); }

static int32_t equal_resolved(const jf_any* a, const jf_any* b) {
  if (a->type_code == b->type_code) {
    const int32_t same = fast_equal(a, b);
    if (same >= 0) return same;
  }
  const int32_t a_kind = jf_value_kind(a), b_kind = jf_value_kind(b);
  if (a_kind == JF_VALUE_BAD) return jf_value_fail_bad(a);
  if (b_kind == JF_VALUE_BAD) return jf_value_fail_bad(b);
  if (a_kind >= JF_VALUE_LIST || b_kind >= JF_VALUE_LIST) {
    if (a_kind == b_kind && a->v_object == b->v_object) return 1;
    const jf_type_operations* operations = who_compares(a, a_kind, b, b_kind);
    if (operations) return equal_by(operations, a, b);
  }
  if (a_kind == JF_VALUE_SHAPE && b_kind == JF_VALUE_TUPLE)
    return equal_shape_items((const jf_shape*)a->v_object, (const jf_list*)b->v_object);
  if (a_kind == JF_VALUE_TUPLE && b_kind == JF_VALUE_SHAPE)
    return equal_shape_items((const jf_shape*)b->v_object, (const jf_list*)a->v_object);
  if (a_kind != b_kind) return 0;
  switch (a_kind) {
    case JF_VALUE_NULL:
      return 1;
    case JF_VALUE_NUMBER:
      if (a->type_code == JF_FLOAT && a->v_int64 == b->v_int64 && b->type_code == JF_FLOAT) return 1; /* a NaN, too */
      return jf_number_order(a, b) == JF_SAME;
    case JF_VALUE_PLAIN:
      return a->type_code == b->type_code && a->v_int64 == b->v_int64;
    case JF_VALUE_TEXT:
    case JF_VALUE_BYTES:
      return jf_encoded_equal(jf_any_text(a), jf_any_text(b));
    case JF_VALUE_LIST:
    case JF_VALUE_TUPLE:
    case JF_VALUE_MAP:
    case JF_VALUE_SET:
      return equal_containers(a, b, a_kind);
    case JF_VALUE_SHAPE:
      return equal_shapes((const jf_shape*)a->v_object, (const jf_shape*)b->v_object);
    default:
      if (is_array(a->v_object) && is_array(b->v_object)) return jf_ndarray_equal(a->v_object, b->v_object);
      return equal_errors(a->v_object, b->v_object);
  }
}

/* An object that is no text: as jf_item_runs_code, of a view. */
static int32_t view_runs_code(const jf_view* view) {
  const int32_t code = view->type_code;
  if (code == JF_OBJECT)
    return !view->v_object || view->v_object->type_code < JF_STR || view->v_object->type_code > JF_BYTES;
  return code > 0 || code == JF_RVALUE;
}

int32_t jf_tuple_has_views(const jf_tuple* tuple, const jf_view* views, size_t count) {
  if (tuple->size != count) return 0;
  for (size_t i = 0; i < count; i++) {
    const jf_item item = tuple->items[i];
    if (*item.code == JF_INT && views[i].type_code == JF_INT) {
      if (item.slot->v_int64 != views[i].v_int64) return 0;
      continue;
    }
    if (jf_item_runs_code(item) || view_runs_code(&views[i])) return -1;
    jf_any scratch;
    const int32_t same = jf_any_equal(jf_item_slot(item, &scratch), &views[i]);
    if (same != 1) return same;
  }
  return 1;
}

int32_t jf_tuples_fast_equal(const jf_tuple* a, const jf_tuple* b) {
  if (a->size != b->size) return 0;
  for (size_t i = 0; i < a->size; i++) {
    const jf_item x = a->items[i], y = b->items[i];
    if (x.code == y.code) continue;
    if (jf_item_runs_code(x) || jf_item_runs_code(y)) return -1;
    if (*x.code == JF_INT && *y.code == JF_INT) {
      if (x.slot->v_int64 != y.slot->v_int64) return 0;
      continue;
    }
    jf_any x_scratch, y_scratch;
    const int32_t same = equal_resolved(jf_item_slot(x, &x_scratch), jf_item_slot(y, &y_scratch));
    if (same != 1) return same;
  }
  return 1;
}

/* Borrows both. -1 with the error set. */
int32_t jf_any_equal(const jf_any* a, const jf_any* b) {
  jf_any a_scratch, b_scratch;
  return equal_resolved(jf_any_resolve(a, &a_scratch), jf_any_resolve(b, &b_scratch));
}
