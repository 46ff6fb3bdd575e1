/* a < b, a == b, a in b. */
#include <string.h>

#include "host.h"
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/ndarray.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/script_methods.h"
#include "op_items.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

static inline int32_t holds(int32_t op, int32_t order) {
  switch (op) {
    case JF_LT:
      return order < 0;
    case JF_LE:
      return order <= 0;
    case JF_EQ:
      return order == 0;
    case JF_NE:
      return order != 0;
    case JF_GT:
      return order > 0;
    default:
      return order >= 0;
  }
}

/* Text of the usual slots: *result is 1 or 0. */
static inline int32_t compare_text(int32_t op, const jf_any* a, const jf_any* b, int32_t* result) {
  jf_text left, right;
  if (a->type_code == JF_SMALL_STR && b->type_code == JF_SMALL_STR && (op == JF_EQ || op == JF_NE)) {
    if (a->small_len > 7 || b->small_len > 7) return 0;
    *result = (a->small_len == b->small_len && a->v_int64 == b->v_int64) == (op == JF_EQ); /* they are canonical */
    return 1;
  }
  if (!jf_fast_text(a, &left) || !jf_fast_text(b, &right)) return 0;
  if (op == JF_EQ || op == JF_NE) {
    *result = jf_text_equal(&left, &right) == (op == JF_EQ);
  } else {
    *result = holds(op, jf_text_compare(&left, &right));
  }
  return 1;
}

/* Borrows both: 1, 0, or -1 with TypeError or what an object's own comparison says. */
int32_t jf_op_compare(int32_t op, const jf_any* a, const jf_any* b) {
  int32_t result;
  if (a->type_code == JF_INT && b->type_code == JF_INT) {
    return holds(op, a->v_int64 < b->v_int64 ? -1 : a->v_int64 > b->v_int64);
  }
  if (compare_text(op, a, b, &result)) return result;
  return jf_any_compare(a, b, op, &result) == 0 ? result : jf_op_failed();
}

/* -- in -- */

static int32_t find_text(const jf_any* container, const jf_any* item, int32_t kind) {
  jf_room keep, item_keep;
  jf_text text, sub;
  jf_room_init(&keep);
  jf_room_init(&item_keep);
  if (jf_op_text(container, kind, &text, &keep.slot) != 0) return -1;
  int32_t found = jf_op_text(item, kind, &sub, &item_keep.slot);
  if (found == 0) {
    const int64_t at = kind == JF_VALUE_TEXT ? jf_text_find(&text, &sub, JF_NO_INDEX, JF_NO_INDEX)
                                             : jf_bytes_find(&text, &sub, JF_NO_INDEX, JF_NO_INDEX);
    found = at >= 0;
  }
  if (item_keep.slot.type_code != JF_NULL) jf_any_release(&item_keep.slot);
  if (keep.slot.type_code != JF_NULL) jf_any_release(&keep.slot);
  return found;
}

static int32_t find_in_bytes(const jf_any* container, const jf_any* item) {
  const int32_t kind = jf_value_kind(item);
  if (kind == JF_VALUE_BYTES) return find_text(container, item, kind);
  if (kind != JF_VALUE_NUMBER || item->type_code == JF_FLOAT) {
    return JF_FAIL("TypeError", "a bytes-like object is required, not '%s'", jf_op_type_name(item));
  }
  if (item->v_uint64 > 255) return JF_FAIL("ValueError", "byte must be in range(0, 256)");
  jf_text bytes;
  if (jf_bytes_of(container, &bytes) != 0) return -1;
  return bytes.size && memchr(bytes.data, (int)item->v_int64, bytes.size) != NULL;
}

static int32_t find_in_items(jf_object* items, const jf_any* item) {
  const int64_t at = jf_items_find(items, item, JF_NO_INDEX, JF_NO_INDEX);
  return at == -2 ? jf_op_failed() : at >= 0;
}

static int32_t find_in_shape(const jf_any* shape, const jf_any* item) {
  jf_object* items = jf_shape_items((const jf_shape*)shape->v_object);
  if (!items) return -1;
  const int32_t found = find_in_items(items, item);
  jf_object_release(items);
  return found;
}

/* One of its elements, of an array of one dimension. */
static int32_t find_in_array(jf_object* array, const jf_any* wanted) {
  int64_t length;
  if (jf_op_array_length(array, &length) != 0) return -1;
  if (((const jf_ndarray*)array)->tensor.ndim != 1)
    return JF_FAIL("TypeError", "scripts have 'in' of arrays of one dimension alone");
  for (int64_t i = 0; i < length; i++) {
    jf_any element;
    jf_op_array_item(array, i, &element); /* a number: there is nothing to release, and nothing fails */
    const int32_t found = jf_any_equal(&element, wanted);
    if (found != 0) return found;
  }
  return 0;
}

/* Borrows both: 1, 0, or -1 with TypeError, ValueError, or what a comparison says. */
int32_t jf_op_contains(const jf_any* container, const jf_any* item) {
  jf_any scratch, item_scratch;
  const jf_any* slot = jf_any_resolve(container, &scratch);
  const jf_any* wanted = jf_any_resolve(item, &item_scratch);
  switch (jf_value_kind(slot)) {
    case JF_VALUE_MAP:
    case JF_VALUE_SET: {
      jf_key narrow;
      if (jf_value_kind(slot) == JF_VALUE_SET && jf_value_kind(wanted) == JF_VALUE_SET) return 0;
      const int32_t found = jf_map_has(slot->v_object, jf_op_key(wanted, &narrow));
      if (found >= 0) return found;
      return jf_value_kind(slot) == JF_VALUE_SET ? jf_op_failed_item(wanted, 0) : jf_op_failed_key(wanted, 0);
    }
    case JF_VALUE_LIST:
    case JF_VALUE_TUPLE:
      return find_in_items(slot->v_object, wanted);
    case JF_VALUE_TEXT:
      if (jf_value_kind(wanted) == JF_VALUE_TEXT) return find_text(slot, wanted, JF_VALUE_TEXT);
      return JF_FAIL("TypeError", "'in <string>' requires string as left operand, not %s", jf_op_type_name(wanted));
    case JF_VALUE_BYTES:
      return find_in_bytes(slot, wanted);
    case JF_VALUE_SHAPE:
      return find_in_shape(slot, wanted);
    case JF_VALUE_BAD:
      return jf_value_fail_bad(slot);
    default:
      if (jf_op_array(slot)) return find_in_array(slot->v_object, wanted);
      if (jf_op_host(slot)) return jf_op_host(slot)->contains(slot, wanted);
      if (jf_op_fail_foreign(slot, "look into") != 0) return -1;
      return JF_FAIL("TypeError", "argument of type '%s' is not %s", jf_op_type_name(slot),
                     JITFFI_SCRIPT_PYTHON < 314 ? "iterable" : "a container or iterable");
  }
}
