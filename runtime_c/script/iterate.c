/* Iteration over a value of any type. What is iterated over is held; a list shows what is appended meanwhile, a map
 * says when its keys change. */
#include <string.h>

#include "host.h"
#include "jitffi/containers.h"
#include "jitffi/ndarray.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

enum { ENDED, OVER_TEXT, OVER_BYTES, OVER_LIST, OVER_TUPLE, OVER_MAP, OVER_SHAPE, OVER_ARRAY, OVER_HOST };

static int32_t is_reversed(const jf_iteration* it) { return it->what == JF_OVER_REVERSED; }

static int32_t start_text(jf_iteration* it, const jf_any* slot, int32_t kind) {
  if (jf_op_text(slot, kind, &it->text, &it->subject) != 0) return -1;
  if (it->subject.type_code == JF_NULL) { /* it borrows from the slot: from one that we own, then */
    if (jf_any_retain(slot, &it->subject) != 0) return -1;
    if (jf_op_text(&it->subject, kind, &it->text, NULL) != 0) return -1;
  }
  it->kind = kind == JF_VALUE_TEXT ? OVER_TEXT : OVER_BYTES;
  it->next = is_reversed(it) ? (int64_t)it->text.size - 1 : 0;
  return 0;
}

static int32_t start_object(jf_iteration* it, const jf_any* slot, int32_t kind, size_t size) {
  it->kind = kind;
  it->next = is_reversed(it) ? (int64_t)size - 1 : 0;
  return jf_any_retain(slot, &it->subject);
}

static int32_t start_array(jf_iteration* it, const jf_any* slot) {
  int64_t length;
  if (jf_op_array_length(slot->v_object, &length) != 0) return -1;
  return start_object(it, slot, OVER_ARRAY, (size_t)length);
}

static int32_t start(jf_iteration* it, const jf_any* slot) {
  const int32_t kind = jf_value_kind(slot);
  if (kind != JF_VALUE_MAP && (it->what == JF_OVER_VALUES || it->what == JF_OVER_PAIRS)) {
    return jf_script_no_method(slot, it->what == JF_OVER_VALUES ? "values" : "items");
  }
  switch (kind) {
    case JF_VALUE_TEXT:
    case JF_VALUE_BYTES:
      return start_text(it, slot, kind);
    case JF_VALUE_LIST:
      return start_object(it, slot, OVER_LIST, jf_list_size(slot->v_object));
    case JF_VALUE_TUPLE:
      return start_object(it, slot, OVER_TUPLE, jf_tuple_size(slot->v_object));
    case JF_VALUE_SET:
      if (is_reversed(it)) return JF_FAIL("TypeError", "'set' object is not reversible");
      return start_object(it, slot, OVER_MAP, 0);
    case JF_VALUE_MAP:
      it->map.reversed = is_reversed(it);
      return start_object(it, slot, OVER_MAP, 0);
    case JF_VALUE_SHAPE:
      return start_object(it, slot, OVER_SHAPE, ((const jf_shape*)slot->v_object)->size);
    case JF_VALUE_BAD:
      return jf_value_fail_bad(slot);
    default:
      if (jf_op_array(slot)) return start_array(it, slot);
      if (jf_op_host(slot)) {
        it->kind = OVER_HOST;
        return jf_op_host(slot)->iterate(slot, is_reversed(it), &it->subject);
      }
      if (jf_op_fail_foreign(slot, "iterate over") != 0) return -1;
      if (it->what == JF_OVER_STARRED)
        return JF_FAIL("TypeError", "Value after * must be an iterable, not %s", jf_op_type_name(slot));
      return JF_FAIL("TypeError", "'%s' object is not %s", jf_op_type_name(slot),
                     is_reversed(it) ? "reversible" : "iterable");
  }
}

/* Borrows subject, and holds it until the end. On failure the iteration has ended. It must not be moved in memory. */
int32_t jf_iterate(jf_iteration* it, const jf_any* subject, int32_t what) {
  jf_any scratch;
  memset(it, 0, sizeof *it);
  it->subject = (jf_any){JF_NULL, 0, {0}};
  it->what = what;
  if (start(it, jf_any_resolve(subject, &scratch)) == 0) return 0;
  jf_iterate_end(it);
  return -1;
}

/* Never fails. Of zeroed memory, and of an iteration that has ended, nothing. */
void jf_iterate_end(jf_iteration* it) {
  it->kind = ENDED;
  if (it->subject.type_code != 0 && it->subject.type_code != JF_NULL) jf_any_release(&it->subject);
}

/* The place of the next of `size`, or -1. */
static inline int64_t advance(jf_iteration* it, size_t size) {
  if (it->next < 0 || it->next >= (int64_t)size) return -1;
  return is_reversed(it) ? it->next-- : it->next++;
}

static int32_t end(jf_iteration* it, jf_value* out) {
  jf_set_null(out);
  jf_iterate_end(it);
  return 0;
}

static inline int32_t next_character(jf_iteration* it, jf_value* out) {
  const int64_t at = advance(it, it->text.size);
  if (at < 0) return end(it, out);
  const uint32_t c = it->text.wide ? (uint32_t)((const jf_char32*)it->text.data)[at]
                                   : (uint32_t)((const unsigned char*)it->text.data)[at];
  jf_set_char(out, c);
  return 1;
}

static inline int32_t next_item(jf_iteration* it, jf_value* out) {
  const jf_list* list = (const jf_list*)it->subject.v_object; /* a tuple is read alike */
  const int64_t at = advance(it, list->size);
  if (at < 0) return end(it, out);
  const jf_item item = list->items[at];
  if (*item.code <= JF_INT && *item.code >= JF_DEVICE) {
    *out = *item.slot;
    return 1;
  }
  return jf_item_get(item, out) == 0 ? 1 : -1;
}

static int32_t next_entry(jf_iteration* it, jf_value* out) {
  jf_view views[2];
  const int32_t found = jf_map_next(it->subject.v_object, &it->map, &views[0], &views[1]);
  if (found < 0) return jf_op_failed_out(out);
  if (!found) return end(it, out);
  int32_t status;
  if (it->what == JF_OVER_PAIRS) {
    status = jf_set_object(out, jf_tuple_new(views, 2));
  } else {
    status = jf_any_retain(&views[it->what == JF_OVER_VALUES], out);
  }
  return status == 0 ? 1 : -1;
}

static int32_t next_number(jf_iteration* it, jf_value* out) {
  const jf_shape* shape = (const jf_shape*)it->subject.v_object;
  const int64_t at = it->kind == OVER_SHAPE ? advance(it, shape->size) : advance(it, it->text.size);
  if (at < 0) return end(it, out);
  jf_set_int(out, it->kind == OVER_SHAPE ? shape->data[at] : ((const unsigned char*)it->text.data)[at]);
  return 1;
}

static int32_t next_element(jf_iteration* it, jf_value* out) {
  jf_object* array = it->subject.v_object;
  const int64_t at = advance(it, (size_t)((const jf_ndarray*)array)->tensor.shape[0]);
  if (at < 0) return end(it, out);
  return jf_op_array_item(array, at, out) == 0 ? 1 : -1;
}

static int32_t next_of_host(jf_iteration* it, jf_value* out) {
  const int32_t more = jf_op_host(&it->subject)->next(&it->subject, out);
  if (more < 0) jf_set_null(out);
  return more == 0 ? end(it, out) : more;
}

/* *out, a null out-slot, owns the item: 1. 0 and -1 leave it null. */
int32_t jf_iterate_next(jf_iteration* it, jf_value* out) {
  switch (it->kind) {
    case OVER_TEXT:
      return next_character(it, out);
    case OVER_LIST:
    case OVER_TUPLE:
      return next_item(it, out);
    case OVER_MAP:
      return next_entry(it, out);
    case OVER_BYTES:
    case OVER_SHAPE:
      return next_number(it, out);
    case OVER_ARRAY:
      return next_element(it, out);
    case OVER_HOST:
      return next_of_host(it, out);
    default:
      jf_set_null(out);
      return 0;
  }
}

/* Of JF_OVER_PAIRS: *key and *value, null out-slots, own what the entry has. */
int32_t jf_iterate_pair(jf_iteration* it, jf_value* key, jf_value* value) {
  jf_view key_view, value_view;
  const int32_t found = it->kind == OVER_MAP ? jf_map_next(it->subject.v_object, &it->map, &key_view, &value_view) : 0;
  if (found <= 0) {
    jf_set_null(value);
    if (found < 0) return jf_op_failed_out(key);
    return end(it, key);
  }
  if (jf_any_retain(&key_view, key) != 0) {
    jf_set_null(value);
    return -1;
  }
  if (jf_any_retain(&value_view, value) == 0) return 1;
  jf_any_release(key);
  return -1;
}
