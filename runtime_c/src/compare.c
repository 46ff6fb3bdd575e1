/* Order by Python's rules: numbers, text by code points, bytes, lists and tuples item by item. */
#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "slot.h"
#include "utf8.h"
#include "value.h"

/* -- text -- */

/* The character at `at`, which moves behind it. A byte that is no UTF-8 is like no character there is. */
static uint32_t next_character(const unsigned char** at, const unsigned char* end) {
  const unsigned char* s = *at;
  const size_t length = jf_utf8_decode((const char*)s, (size_t)(end - s));
  *at += length ? length : 1;
  switch (length) {
    case 1:
      return s[0];
    case 2:
      return (uint32_t)(s[0] & 0x1F) << 6 | (s[1] & 0x3F);
    case 3:
      return (uint32_t)(s[0] & 0x0F) << 12 | (uint32_t)(s[1] & 0x3F) << 6 | (s[2] & 0x3F);
    case 4:
      return (uint32_t)(s[0] & 0x07) << 18 | (uint32_t)(s[1] & 0x3F) << 12 | (uint32_t)(s[2] & 0x3F) << 6 |
             (s[3] & 0x3F);
    default:
      return UINT32_MAX - 255 + s[0];
  }
}

static int32_t order_of_sizes(size_t a, size_t b) { return a < b ? JF_LESS : a > b ? JF_MORE : JF_SAME; }

/* The order of UTF-8's bytes is that of its code points. */
static int32_t order_bytes(jf_encoded a, jf_encoded b) {
  const int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
  return order ? (order < 0 ? JF_LESS : JF_MORE) : order_of_sizes(a.size, b.size);
}

static int32_t order_ucs4(jf_encoded a, jf_encoded b) {
  const jf_char32 *x = a.data, *y = b.data;
  for (size_t i = 0; i < a.size && i < b.size; i++) {
    if (x[i] != y[i]) return x[i] < y[i] ? JF_LESS : JF_MORE;
  }
  return order_of_sizes(a.size, b.size);
}

static int32_t order_mixed(jf_encoded utf8, jf_encoded ucs4) {
  const unsigned char *at = utf8.data, *end = at + utf8.size;
  const jf_char32* y = ucs4.data;
  for (size_t i = 0; at < end && i < ucs4.size; i++) {
    const uint32_t c = next_character(&at, end);
    if (c != (uint32_t)y[i]) return c < (uint32_t)y[i] ? JF_LESS : JF_MORE;
    if (at == end) return i + 1 == ucs4.size ? JF_SAME : JF_LESS;
  }
  return at < end ? JF_MORE : ucs4.size ? JF_LESS : JF_SAME;
}

int32_t jf_encoded_order(jf_encoded a, jf_encoded b) {
  if (a.kind == JF_TEXT_UCS4) return b.kind == JF_TEXT_UCS4 ? order_ucs4(a, b) : -order_mixed(b, a);
  return b.kind == JF_TEXT_UCS4 ? order_mixed(a, b) : order_bytes(a, b);
}

int32_t jf_encoded_equal(jf_encoded a, jf_encoded b) {
  if (a.kind != b.kind) {
    const size_t bytes = a.kind == JF_TEXT_UCS4 ? b.size : a.size,
                 characters = a.kind == JF_TEXT_UCS4 ? a.size : b.size;
    return bytes >= characters && bytes / 4 <= characters && jf_encoded_order(a, b) == JF_SAME;
  }
  const size_t unit = a.kind == JF_TEXT_UCS4 ? sizeof(jf_char32) : 1;
  return a.size == b.size && memcmp(a.data, b.data, a.size * unit) == 0;
}

/* -- values -- */

static const char* const symbols[] = {"<", "<=", "==", "!=", ">", ">="};

static int32_t holds(int32_t order, int32_t operation) {
  switch (operation) {
    case JF_LT:
      return order == JF_LESS;
    case JF_LE:
      return order == JF_LESS || order == JF_SAME;
    case JF_GT:
      return order == JF_MORE;
    case JF_GE:
      return order == JF_MORE || order == JF_SAME;
    default:
      return (order == JF_SAME) == (operation == JF_EQ);
  }
}

static int32_t compare_resolved(const jf_any* a, const jf_any* b, int32_t operation, int32_t* result);

static __attribute__((noinline)) int32_t compare_held(jf_item x, jf_item y, int32_t operation, int32_t* result) {
  jf_held a, b;
  jf_hold(x, &a);
  jf_hold(y, &b);
  const int32_t status = compare_resolved(&a.slot, &b.slot, operation, result);
  jf_unhold(&a);
  jf_unhold(&b);
  return status;
}

/* Objects are held; two slots compare without any code of others. */
static int32_t compare_items_at(jf_item x, jf_item y, int32_t operation, int32_t* result) {
  if ((*x.code < 0) != (*y.code < 0)) return compare_held(x, y, operation, result);
  jf_object *x_held = *x.code > 0 ? x.object : NULL, *y_held = *y.code > 0 ? y.object : NULL;
  jf_any x_scratch, y_scratch;
  jf_object_retain(x_held);
  jf_object_retain(y_held);
  const int32_t status = compare_resolved(jf_item_slot(x, &x_scratch), jf_item_slot(y, &y_scratch), operation, result);
  jf_object_release(x_held);
  jf_object_release(y_held);
  return status;
}

/* The first items that differ decide, else the sizes. */
static int32_t compare_items(const jf_list* a, const jf_list* b, int32_t operation, int32_t* result) {
  for (size_t i = 0; i < a->size && i < b->size; i++) {
    const int32_t same = jf_item_equal(a->items[i], b->items[i]);
    if (same < 0) return -1;
    if (!same && i < a->size && i < b->size) return compare_items_at(a->items[i], b->items[i], operation, result);
  }
  *result = holds(order_of_sizes(a->size, b->size), operation);
  return 0;
}

static int32_t compare_shapes(const jf_shape* a, const jf_shape* b) {
  for (size_t i = 0; i < a->size && i < b->size; i++) {
    if (a->data[i] != b->data[i]) return a->data[i] < b->data[i] ? JF_LESS : JF_MORE;
  }
  return order_of_sizes(a->size, b->size);
}

static const jf_type_operations* who_orders(const jf_any* a, int32_t a_kind, const jf_any* b, int32_t b_kind) {
  const jf_type_operations* left = jf_value_operations(a, a_kind);
  if (left && left->compare) return left;
  const jf_type_operations* right = jf_value_operations(b, b_kind);
  return right && right->compare ? right : NULL;
}

static int32_t compare_deep(const jf_type_operations* by, const jf_any* a, const jf_any* b, int32_t operation,
                            int32_t* result) {
  if (jf_value_enter("in comparison") != 0) return -1;
  int32_t status;
  if (by) {
    status = by->compare(a, b, operation, result);
  } else {
    status = compare_items((const jf_list*)a->v_object, (const jf_list*)b->v_object, operation, result);
  }
  jf_value_leave();
  return status ? -1 : 0;
}

/* Where one is a shape and the other a tuple: by the shape's ints. */
static JF_COLD int32_t compare_as_tuples(const jf_any* a, const jf_any* b, int32_t operation, int32_t* result) {
  const int is_left = a->v_object->type_code == JF_SHAPE;
  jf_object* items = jf_shape_items((const jf_shape*)(is_left ? a : b)->v_object);
  if (!items) return -1;
  const jf_any made = {.type_code = JF_OBJECT, .v_object = items};
  const int32_t status = compare_deep(NULL, is_left ? &made : a, is_left ? b : &made, operation, result);
  jf_object_release(items);
  return status;
}

/* The place of a data type by code, bits and lanes, of a device by type and index. */
static int64_t place_of(const jf_any* value) {
  const jf_dtype dtype = value->v_dtype;
  if (value->type_code == JF_DTYPE) return (int64_t)dtype.code << 24 | dtype.bits << 16 | dtype.lanes;
  return value->v_device.device_type * (INT64_C(1) << 32) + value->v_device.device_id;
}

static int32_t order_of_plain(const jf_any* a, const jf_any* b) {
  if (a->type_code != b->type_code || (a->type_code != JF_DTYPE && a->type_code != JF_DEVICE)) return JF_UNORDERED;
  const int64_t left = place_of(a), right = place_of(b);
  return left == right ? JF_SAME : left < right ? JF_LESS : JF_MORE;
}

/* < and its like; == and != are jf_any_equal's business. */
static int32_t compare_resolved(const jf_any* a, const jf_any* b, int32_t operation, int32_t* result) {
  const int32_t a_kind = jf_value_kind(a), b_kind = jf_value_kind(b);
  if (a_kind == JF_VALUE_BAD) return jf_value_fail_bad(a);
  if (b_kind == JF_VALUE_BAD) return jf_value_fail_bad(b);
  const jf_type_operations* by = who_orders(a, a_kind, b, b_kind);
  if (by) return compare_deep(by, a, b, operation, result);
  if (a_kind == b_kind) {
    switch (a_kind) {
      case JF_VALUE_NUMBER:
        *result = holds(jf_number_order(a, b), operation);
        return 0;
      case JF_VALUE_TEXT:
      case JF_VALUE_BYTES:
        *result = holds(jf_encoded_order(jf_any_text(a), jf_any_text(b)), operation);
        return 0;
      case JF_VALUE_LIST:
      case JF_VALUE_TUPLE:
        return compare_deep(NULL, a, b, operation, result);
      case JF_VALUE_SET:
        *result = jf_set_compare(a->v_object, b->v_object, operation);
        if (*result >= 0) return 0;
        *result = 0;
        return -1;
      case JF_VALUE_PLAIN: {
        const int32_t order = order_of_plain(a, b);
        if (order == JF_UNORDERED) break;
        *result = holds(order, operation);
        return 0;
      }
      case JF_VALUE_SHAPE:
        *result = holds(compare_shapes((const jf_shape*)a->v_object, (const jf_shape*)b->v_object), operation);
        return 0;
      default:
        break;
    }
  }
  if ((a_kind == JF_VALUE_SHAPE && b_kind == JF_VALUE_TUPLE) || (a_kind == JF_VALUE_TUPLE && b_kind == JF_VALUE_SHAPE))
    return compare_as_tuples(a, b, operation, result);
  jf_error_format("TypeError", "'%s' not supported between instances of '%s' and '%s'", symbols[operation],
                  jf_value_type_name(a), jf_value_type_name(b));
  return -1;
}

/* Borrows both. -1 with the error set, *result is 0 then. A NaN is not even equal to itself here, as for Python's
 * operators; within containers it is, as in Python's. */
int32_t jf_any_compare(const jf_any* a, const jf_any* b, int32_t operation, int32_t* result) {
  jf_any a_scratch, b_scratch;
  a = jf_any_resolve(a, &a_scratch);
  b = jf_any_resolve(b, &b_scratch);
  *result = 0;
  if (operation < JF_LT || operation > JF_GE) {
    jf_error_format("ValueError", "jf_any_compare: %d is no comparison", operation);
    return -1;
  }
  if (operation != JF_EQ && operation != JF_NE) return compare_resolved(a, b, operation, result);
  if (jf_value_kind(a) == JF_VALUE_NUMBER && jf_value_kind(b) == JF_VALUE_NUMBER) {
    *result = holds(jf_number_order(a, b), operation);
    return 0;
  }
  const int32_t same = jf_any_equal(a, b);
  if (same < 0) return -1;
  *result = same == (operation == JF_EQ);
  return 0;
}
