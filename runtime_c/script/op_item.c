/* value[key] and value[start:stop:step], read, written and deleted. */
#include "host.h"
#include "items.h"
#include "jitffi/array.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "macros.h"
#include "op_items.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

/* -- single items -- */

static int32_t text_item(const jf_any* slot, const jf_any* key, jf_value* out) {
  int64_t index;
  jf_room keep;
  jf_text text;
  if (jf_op_place(key, "string", &index) != 0) return -1;
  jf_room_init(&keep);
  if (jf_op_text(slot, JF_VALUE_TEXT, &text, &keep.slot) != 0) return -1;
  index = jf_index(index, text.size);
  int32_t status;
  if (index < 0) {
    status = JF_FAIL("IndexError", "string index out of range");
  } else {
    const int32_t c =
        text.wide ? (int32_t)((const jf_char32*)text.data)[index] : ((const unsigned char*)text.data)[index];
    status = jf_char_out(c, out);
  }
  if (keep.slot.type_code != JF_NULL) jf_any_release(&keep.slot);
  return status;
}

static int32_t bytes_item(const jf_any* slot, const jf_any* key, jf_value* out) {
  int64_t index;
  jf_text bytes;
  if (jf_op_place(key, "byte", &index) != 0 || jf_bytes_of(slot, &bytes) != 0) return -1;
  index = jf_index(index, bytes.size);
  if (index < 0) return JF_FAIL("IndexError", "index out of range");
  jf_set_int(out, ((const unsigned char*)bytes.data)[index]);
  return 0;
}

static int32_t shape_item(const jf_any* slot, const jf_any* key, jf_value* out) {
  const jf_shape* shape = (const jf_shape*)slot->v_object;
  int64_t index;
  if (jf_op_place(key, "shape", &index) != 0) return -1;
  index = jf_index(index, shape->size);
  if (index < 0) return JF_FAIL("IndexError", "shape index out of range");
  jf_set_int(out, shape->data[index]);
  return 0;
}

/* Whether a tuple is of ints, one for each of the first dimensions, which are stored. */
static int32_t is_of_indices(const jf_object* tuple, const jf_dltensor* tensor, int64_t* at) {
  const size_t count = jf_tuple_size(tuple);
  if (count == 0 || count > (size_t)tensor->ndim) return 0;
  for (size_t i = 0; i < count; i++) {
    jf_any index;
    jf_set_null(&index);
    const int32_t is_int = jf_tuple_get(tuple, (int64_t)i, &index) == 0 && index.type_code == JF_INT;
    at[i] = index.v_int64;
    jf_any_release(&index);
    if (!is_int) return 0;
  }
  return 1;
}

/* `array[i, j]`. With slices, None or other arrays among the indices it is the host's. */
static int32_t array_part(const jf_any* slot, const jf_any* key, jf_value* out) {
  const jf_dltensor* tensor = jf_ndarray_tensor(slot->v_object);
  const int32_t count = (int32_t)jf_tuple_size(key->v_object);
  int64_t at[JF_MAX_RANK];
  if (is_of_indices(key->v_object, tensor, at)) {
    for (int32_t i = 0; i < count; i++) {
      const int64_t index = jf_index(at[i], (size_t)tensor->shape[i]);
      if (index < 0) return jf_array_outside(at[i], tensor->shape[i], i);
      at[i] = index;
    }
    return jf_op_array_at(slot->v_object, at, count, out);
  }
  const jf_script_host* host = jf_op_any_host();
  return host ? host->item(slot, key, out)
              : JF_FAIL("IndexError", "an array of %d dimensions has no such item", (int)tensor->ndim);
}

static int32_t array_item(const jf_any* slot, const jf_any* key, jf_value* out) {
  jf_any scratch;
  const jf_any* tuple = jf_any_resolve(key, &scratch);
  int64_t index, length;
  if (jf_value_kind(tuple) == JF_VALUE_TUPLE && jf_op_array_length(slot->v_object, &length) == 0) {
    return array_part(slot, tuple, out);
  }
  if (jf_op_host(tuple)) return jf_op_host(tuple)->item(slot, tuple, out); /* a tuple of Python's own */
  if (jf_op_array_length(slot->v_object, &length) != 0 || jf_op_place(key, "array", &index) != 0) return -1;
  const int64_t at = jf_index(index, (size_t)length);
  return at < 0 ? jf_array_outside(index, length, 0) : jf_op_array_item(slot->v_object, at, out);
}

static int32_t item_of(const jf_any* slot, const jf_any* key, jf_value* out) {
  int64_t index;
  switch (jf_value_kind(slot)) {
    case JF_VALUE_MAP:
      return jf_op_map_item(slot->v_object, key, out);
    case JF_VALUE_LIST:
      return jf_op_place(key, "list", &index) == 0 ? jf_list_get(slot->v_object, index, out) : -1;
    case JF_VALUE_TUPLE:
      return jf_op_place(key, "tuple", &index) == 0 ? jf_tuple_get(slot->v_object, index, out) : -1;
    case JF_VALUE_TEXT:
      return text_item(slot, key, out);
    case JF_VALUE_BYTES:
      return bytes_item(slot, key, out);
    case JF_VALUE_SHAPE:
      return shape_item(slot, key, out);
    case JF_VALUE_BAD:
      return jf_value_fail_bad(slot);
    default:
      if (jf_op_array(slot)) return array_item(slot, key, out);
      if (jf_op_host(slot)) return jf_op_host(slot)->item(slot, key, out);
      if (jf_op_fail_foreign(slot, "look into") != 0) return -1;
      return JF_FAIL("TypeError", "'%s' object is not subscriptable", jf_op_type_name(slot));
  }
}

/* Borrows both; *out owns the item. IndexError, KeyError, TypeError, MemoryError: *out is null. */
int32_t jf_op_item(const jf_any* value, const jf_any* key, jf_value* out) {
  jf_any scratch;
  jf_text text;
  if (key->type_code == JF_INT) {
    const jf_object* const object = value->type_code == JF_OBJECT ? value->v_object : NULL;
    if (object && object->type_code == JF_LIST) {
      const jf_list* list = (const jf_list*)object;
      const int64_t at = jf_index(key->v_int64, list->size);
      if (at >= 0) return jf_item_get(list->items[at], out);
    } else if (jf_fast_text(value, &text)) {
      const int64_t at = jf_index(key->v_int64, text.size);
      if (at >= 0) {
        jf_set_char(out,
                    text.wide ? (uint32_t)((const jf_char32*)text.data)[at] : ((const unsigned char*)text.data)[at]);
        return 0;
      }
    }
  }
  const int32_t status = item_of(jf_any_resolve(value, &scratch), key, out);
  if (status != 0) jf_set_null(out);
  return status;
}

/* Sequences that cannot be changed look at an index before they refuse. */
static int32_t is_fixed_sequence(const jf_any* slot) {
  const int32_t kind = jf_value_kind(slot);
  return kind == JF_VALUE_TEXT || kind == JF_VALUE_BYTES || kind == JF_VALUE_TUPLE;
}

static int32_t is_int(const jf_any* slot) {
  return slot->type_code == JF_INT || slot->type_code == JF_BOOL || slot->type_code == JF_UINT;
}

/* key NULL: a slice. */
static JF_COLD int32_t refuse_assignment(const jf_any* slot, const jf_any* key) {
  int64_t index;
  jf_any scratch;
  if (key && is_fixed_sequence(slot) && is_int(jf_any_resolve(key, &scratch)) && jf_op_place(key, "", &index) != 0) {
    return -1;
  }
  if (jf_op_fail_foreign(slot, "change") != 0) return -1;
  return JF_FAIL("TypeError", "'%s' object does not support item assignment", jf_op_type_name(slot));
}

/* Who changes items of what is no container of ours; an array's elements are converted as Python has it. */
static JF_COLD const jf_script_host* changer_of(const jf_any* slot) {
  return jf_op_array(slot) ? jf_op_any_host() : jf_op_host(slot);
}

/* Borrows all. IndexError, TypeError, MemoryError: nothing has changed. */
int32_t jf_op_set_item(const jf_any* value, const jf_any* key, const jf_any* item) {
  jf_any scratch, narrow;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const int32_t kind = jf_value_kind(slot);
  if (kind == JF_VALUE_MAP) return jf_op_map_set(slot->v_object, key, item);
  if (kind != JF_VALUE_LIST) {
    const jf_script_host* host = changer_of(slot);
    return host ? host->set_item(slot, key, item) : refuse_assignment(slot, key);
  }
  int64_t index;
  jf_room room;
  if (jf_op_place(key, "list", &index) != 0) return -1;
  const jf_any* written = jf_op_narrow(item, &room, &narrow);
  if (!written) return -1;
  const int32_t status = jf_list_set(slot->v_object, index, written);
  if (written == &narrow) jf_any_release(&room.slot);
  return status;
}

/* key NULL: a slice. */
static JF_COLD int32_t refuse_deletion(const jf_any* slot, const jf_any* key) {
  int64_t index;
  jf_any scratch;
  const int32_t is_set = jf_value_kind(slot) == JF_VALUE_SET;
  const int32_t by_index = key && (is_set || is_fixed_sequence(slot)) && is_int(jf_any_resolve(key, &scratch));
  if (by_index && !is_set && jf_op_place(key, "", &index) != 0) return -1;
  return JF_FAIL("TypeError", "'%s' object %s support item deletion", jf_op_type_name(slot),
                 by_index ? "doesn't" : "does not");
}

/* Borrows both. IndexError, KeyError, TypeError: nothing has changed. */
int32_t jf_op_delete_item(const jf_any* value, const jf_any* key) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const int32_t kind = jf_value_kind(slot);
  if (kind == JF_VALUE_MAP) return jf_op_map_delete(slot->v_object, key);
  if (jf_op_host(slot)) return jf_op_host(slot)->set_item(slot, key, NULL);
  if (kind != JF_VALUE_LIST) return refuse_deletion(slot, key);
  int64_t index;
  if (jf_op_place(key, "list", &index) != 0) return -1;
  index = jf_index(index, jf_list_size(slot->v_object));
  if (index < 0) return JF_FAIL("IndexError", "list assignment index out of range");
  return jf_list_delete(slot->v_object, index, index + 1, 1);
}

/* -- slices -- */

typedef struct {
  int64_t start, stop, step;
} bounds;

static JF_COLD int32_t fail_bound(int32_t none) {
  return JF_FAIL("TypeError", "slice indices must be integers or %shave an __index__ method",
                 none && JITFFI_SCRIPT_PYTHON < 315 ? "None or " : "");
}

/* An int that is too large reaches as far as one can; JF_NO_INDEX is not a number. */
static int32_t bound_of(const jf_any* view, int64_t otherwise, int32_t none, int64_t* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  *out = otherwise;
  if (slot->type_code == JF_NULL) return 0;
  if (slot->type_code == JF_UINT) {
    *out = INT64_MAX;
    return 0;
  }
  int64_t number = slot->v_int64;
  if (slot->type_code != JF_INT && slot->type_code != JF_BOOL) {
    const int32_t status = jf_op_int_of_host(slot, &number);
    if (status != 0 && status != 1) return status < 0 ? -1 : fail_bound(none);
  }
  *out = number == JF_NO_INDEX ? JF_NO_INDEX + 1 : number;
  return 0;
}

/* Borrows. TypeError; of what `none` does not allow None is not a bound, either. */
int32_t jf_op_bound(const jf_any* value, int32_t none, int64_t* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  *out = JF_NO_INDEX;
  const int32_t is_bound = slot->type_code == JF_NULL ? none : jf_op_host(slot) != NULL || is_int(slot);
  return is_bound ? bound_of(slot, JF_NO_INDEX, none, out) : fail_bound(none);
}

static int32_t bounds_of(const jf_any* start, const jf_any* stop, const jf_any* step, bounds* out) {
  if (bound_of(step, 1, 1, &out->step) != 0) return -1;
  if (out->step == 0) return JF_FAIL("ValueError", "slice step cannot be zero");
  if (bound_of(start, JF_NO_INDEX, 1, &out->start) != 0) return -1;
  return bound_of(stop, JF_NO_INDEX, 1, &out->stop);
}

static int32_t text_slice(const jf_any* slot, int32_t kind, bounds b, jf_value* out) {
  jf_room keep;
  jf_text text;
  jf_room_init(&keep);
  if (jf_op_text(slot, kind, &text, &keep.slot) != 0) return -1;
  const int32_t status = kind == JF_VALUE_TEXT ? jf_text_slice(&text, b.start, b.stop, b.step, out)
                                               : jf_bytes_slice(&text, b.start, b.stop, b.step, out);
  if (keep.slot.type_code != JF_NULL) jf_any_release(&keep.slot);
  return status;
}

static int32_t shape_slice(const jf_any* slot, bounds b, jf_value* out) {
  jf_object* items = jf_shape_items((const jf_shape*)slot->v_object);
  jf_object* part = items ? jf_list_slice(items, b.start, b.stop, b.step) : NULL;
  jf_object* tuple = part ? jf_tuple_of(part) : NULL;
  jf_object_release(part);
  jf_object_release(items);
  return jf_set_object(out, tuple);
}

static int32_t slice_of(const jf_any* slot, const jf_any* start, const jf_any* stop, const jf_any* step,
                        jf_value* out) {
  const int32_t kind = jf_value_kind(slot);
  bounds b;
  switch (kind) {
    case JF_VALUE_TEXT:
    case JF_VALUE_BYTES:
    case JF_VALUE_LIST:
    case JF_VALUE_TUPLE:
    case JF_VALUE_SHAPE:
      break;
    case JF_VALUE_BAD:
      return jf_value_fail_bad(slot);
    case JF_VALUE_MAP:
      return JF_FAIL("TypeError", "unhashable type: 'slice'");
    default:
      if (jf_op_host(slot)) return jf_op_host(slot)->slice(slot, (const jf_any* const[3]){start, stop, step}, out);
      if (jf_op_fail_foreign(slot, "look into") != 0) return -1;
      return JF_FAIL("TypeError", "'%s' object is not subscriptable", jf_op_type_name(slot));
  }
  if (bounds_of(start, stop, step, &b) != 0) return -1;
  if (kind == JF_VALUE_LIST) return jf_set_object(out, jf_list_slice(slot->v_object, b.start, b.stop, b.step));
  if (kind == JF_VALUE_TUPLE) return jf_set_object(out, jf_tuple_slice(slot->v_object, b.start, b.stop, b.step));
  if (kind == JF_VALUE_SHAPE) return shape_slice(slot, b, out);
  return text_slice(slot, kind, b, out);
}

/* Borrows all; *out owns the slice. TypeError, ValueError, MemoryError: *out is null. */
int32_t jf_op_slice(const jf_any* value, const jf_any* start, const jf_any* stop, const jf_any* step, jf_value* out) {
  jf_any scratch;
  const int32_t status = slice_of(jf_any_resolve(value, &scratch), start, stop, step, out);
  if (status != 0) jf_set_null(out);
  return status;
}

/* The items as a list or tuple, new; NULL with the error set. */
static jf_object* items_of(const jf_any* view, int32_t is_extended) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  const int32_t kind = jf_value_kind(slot);
  if (kind == JF_VALUE_LIST || kind == JF_VALUE_TUPLE) {
    jf_object_retain(slot->v_object);
    return slot->v_object;
  }
  jf_object* items = NULL;
  jf_iteration ask = {0};
  if (jf_iterate(&ask, slot, JF_OVER_ITEMS) != 0) {
    if (!jf_op_error_is("TypeError")) return NULL;
    const int32_t says_extended = is_extended || JITFFI_SCRIPT_PYTHON >= 313;
    jf_error_set("TypeError", says_extended ? "must assign iterable to extended slice" : "can only assign an iterable");
    return NULL;
  }
  jf_iterate_end(&ask);
  return jf_op_list(slot, -1, &items) == 0 ? items : NULL;
}

static int32_t set_slice(jf_object* list, bounds b, const jf_any* view) {
  jf_object* items = items_of(view, b.step != 1);
  if (!items) return -1;
  const int32_t status = jf_list_assign(list, b.start, b.stop, b.step, items);
  jf_object_release(items);
  return status;
}

/* Borrows all; items can be anything that can be iterated over. TypeError, ValueError, MemoryError: nothing has
 * changed. */
int32_t jf_op_set_slice(const jf_any* value, const jf_any* start, const jf_any* stop, const jf_any* step,
                        const jf_any* items) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const int32_t kind = jf_value_kind(slot);
  bounds b;
  if (kind == JF_VALUE_MAP) return JF_FAIL("TypeError", "unhashable type: 'slice'");
  if (kind != JF_VALUE_LIST) {
    const jf_script_host* host = changer_of(slot);
    if (host) return host->set_slice(slot, (const jf_any* const[3]){start, stop, step}, items);
    return refuse_assignment(slot, NULL);
  }
  return bounds_of(start, stop, step, &b) == 0 ? set_slice(slot->v_object, b, items) : -1;
}

/* Borrows all. TypeError, ValueError, MemoryError: nothing has changed. */
int32_t jf_op_delete_slice(const jf_any* value, const jf_any* start, const jf_any* stop, const jf_any* step) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const int32_t kind = jf_value_kind(slot);
  bounds b;
  if (kind == JF_VALUE_MAP) return JF_FAIL("TypeError", "unhashable type: 'slice'");
  if (jf_op_host(slot)) return jf_op_host(slot)->set_slice(slot, (const jf_any* const[3]){start, stop, step}, NULL);
  if (kind != JF_VALUE_LIST) return refuse_deletion(slot, NULL);
  return bounds_of(start, stop, step, &b) == 0 ? jf_list_delete(slot->v_object, b.start, b.stop, b.step) : -1;
}
