/* Finding and counting items that are equal to a value, in lists and tuples.
 *
 * An object's own == may run the user's code, which may change the container: before such a comparison the item is
 * held, and after it size and items are read again.
 */
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "slot.h"

/* List and tuple are read alike. */
typedef struct {
  jf_object header;
  JF_WIDE(jf_item*, items);
  JF_WIDE(size_t, size);
} row;

_Static_assert(offsetof(jf_list, items) == offsetof(row, items) && offsetof(jf_tuple, items) == offsetof(row, items),
               "items");
_Static_assert(offsetof(jf_list, size) == offsetof(row, size) && offsetof(jf_tuple, size) == offsetof(row, size),
               "size");

/* By -code: values of two kinds that both have a number here are never equal. */
static const int8_t kinds[-JF_S0_LAST + 1] = {[-JF_NULL] = 1,      [-JF_INT] = 2,        [-JF_FLOAT] = 2,
                                              [-JF_BOOL] = 2,      [-JF_UINT] = 2,       [-JF_RAW_STR] = 3,
                                              [-JF_SMALL_STR] = 3, [-JF_SMALL_UCS4] = 3, [-JF_STR_VIEW] = 3,
                                              [-JF_UCS4_VIEW] = 3, [-JF_BYTE_ARRAY] = 4, [-JF_SMALL_BYTES] = 4};

static int32_t kind_of_code(int32_t code) {
  if (code < 0) return code >= JF_S0_LAST ? kinds[-code] : 0;
  return code == JF_STR || code == JF_UCS4 ? 3 : code == JF_BYTES ? 4 : 0;
}

/* 1 or 0 for an item and a value that is no object, where their codes or first bytes tell; else -1. */
static inline int32_t compare_bytes(jf_item item, const jf_any* value) {
  const int32_t code = value->type_code;
  if (*item.code != code) {
    const int32_t kind = kind_of_code(code), item_kind = kind_of_code(*item.code);
    return kind && item_kind && kind != item_kind ? 0 : -1;
  }
  if (code == JF_FLOAT) return -1;
  if (code >= JF_DEVICE || code == JF_UINT) return item.slot->v_int64 == value->v_int64;
  if (code > JF_SMALL_STR || code < JF_SMALL_BYTES) return -1;
  /* The first 16 bytes are canonical: they differ wherever short text does. */
  if (item.slot->small_len != value->small_len || item.slot->v_int64 != value->v_int64) return 0;
  return value->small_len <= (code == JF_SMALL_UCS4 ? 2 : 7) ? 1 : -1;
}

/* Whatever can run the user's code: with the item held meanwhile. */
static JF_COLD int32_t compare_held(jf_item item, const jf_any* value) {
  jf_any view;
  if (*item.code > 0) {
    jf_object_retain(item.object);
    jf_item_view(item, &view);
    const int32_t equal = jf_any_equal(&view, value);
    jf_object_release(item.object);
    return equal;
  }
  union {
    jf_any slot;
    char bytes[JF_PAYLOAD_OFFSET + JF_MAX_CAPACITY];
  } copy;
  jf_out_init(&copy.slot, JF_MAX_CAPACITY);
  if (jf_item_get(item, &copy.slot) != 0) return -1; /* there is room for any slot */
  if (copy.slot.type_code == JF_NULL) copy.slot.small_len = 0;
  return jf_any_equal(&copy.slot, value);
}

static inline int32_t equal_item(jf_item item, const jf_any* value, int32_t value_is_object) {
  if (value_is_object) return compare_held(item, value);
  const int32_t equal = compare_bytes(item, value);
  if (equal >= 0) return equal;
  return *item.code < 0 ? jf_any_equal(item.slot, value) /* no object: nobody's code runs */
                        : compare_held(item, value);
}

/* Counts up to `limit` equal items from start to stop; *last is the place of the last one that was counted. */
static int64_t scan(const jf_object* object, const jf_view* view, size_t start, size_t stop, int64_t limit,
                    int64_t* last) {
  const row* items = (const row*)object;
  jf_any scratch;
  const jf_any* value = jf_any_resolve(view, &scratch);
  jf_object* held = jf_any_object(value);
  jf_object* container = (jf_object*)(uintptr_t)object;
  jf_object_retain(held);
  jf_object_retain(container);
  int64_t count = 0;
  for (size_t i = start; i < stop && i < items->size && count < limit; i++) {
    const int32_t equal = equal_item(items->items[i], value, held != NULL);
    if (equal < 0) {
      count = -1;
      break;
    }
    count += equal;
    if (equal) *last = (int64_t)i;
  }
  jf_object_release(held);
  jf_object_release(container);
  return count;
}

static size_t clip(int64_t index, size_t size, size_t otherwise) {
  if (index == JF_NO_INDEX) return otherwise;
  if (index < 0) index = index < -(int64_t)size ? 0 : index + (int64_t)size;
  return jf_times(index);
}

int64_t jf_items_find(const jf_object* object, const jf_view* value, int64_t start, int64_t stop) {
  const size_t size = ((const row*)object)->size;
  int64_t at = -1;
  const int64_t count = scan(object, value, clip(start, size, 0), clip(stop, size, SIZE_MAX), 1, &at);
  return count < 0 ? -2 : at;
}

int64_t jf_items_count(const jf_object* object, const jf_view* value) {
  int64_t ignored;
  return scan(object, value, 0, SIZE_MAX, INT64_MAX, &ignored);
}

/* Borrows list and value. -2: an item's comparison failed. */
int64_t jf_list_find(const jf_object* list, const jf_view* value, int64_t start, int64_t stop) {
  return jf_items_find(list, value, start, stop);
}

/* Borrows list and value. */
int64_t jf_list_count(const jf_object* list, const jf_view* value) { return jf_items_count(list, value); }

/* Borrows value. ValueError when there is none, or what a comparison says: nothing has changed. */
int32_t jf_list_remove(jf_object* list, const jf_view* value) {
  const int64_t at = jf_items_find(list, value, 0, JF_NO_INDEX);
  if (at == -1) {
    const char* type = jf_type_key(list->type_code);
    jf_error_format("ValueError", "%s.remove(x): x not in %s", type, type);
  }
  if (at < 0) return -1;
  return jf_list_delete(list, at, at + 1, 1); /* nothing where the comparison made the list shorter, as in Python */
}
