/* value[key], for whatever can be asked so. */
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "macros.h"
#include "slot.h"
#include "utf8.h"
#include "value.h"

static const jf_any null_slot = {JF_NULL, 0, {0}};

/* A key that is a place. -1 with TypeError or IndexError. */
static int32_t index_of(const jf_any* slot, const jf_any* key, int64_t* index) {
  jf_any scratch;
  key = jf_any_resolve(key, &scratch);
  if (key->type_code == JF_INT || key->type_code == JF_BOOL) {
    *index = key->v_int64;
    return 0;
  }
  if (key->type_code == JF_UINT) {
    jf_error_set("IndexError", "cannot fit 'int' into an index-sized integer");
  } else if (jf_value_kind(key) == JF_VALUE_BAD) {
    jf_value_fail_bad(key);
  } else {
    jf_error_format("TypeError", "%s indices must be integers, not %s", jf_value_type_name(slot),
                    jf_value_type_name(key));
  }
  return -1;
}

static JF_COLD int32_t fail_range(const char* what) {
  jf_error_format("IndexError", "%s out of range", what);
  return -1;
}

static int32_t utf8_at(const jf_any* slot, jf_encoded text, int64_t index, jf_value* out) {
  const jf_object* object = jf_any_object(slot);
  const char* data = text.data;
  if (object || index < 0) {
    const size_t count = object ? jf_str_characters(object) : jf_utf8_length(data, text.size);
    index = jf_index(index, count);
    if (index < 0) return fail_range("string index");
    if (count == text.size) return jf_out_str(out, data + index, 1); /* ASCII */
  }
  if ((uint64_t)index >= text.size) return fail_range("string index");
  const size_t at = jf_utf8_offset(data, text.size, (size_t)index);
  if (at >= text.size) return fail_range("string index");
  const size_t length = jf_utf8_decode(data + at, text.size - at);
  return jf_out_str(out, data + at, length ? length : 1);
}

static int32_t text_at(const jf_any* slot, const jf_any* key, jf_value* out) {
  const jf_encoded text = jf_any_text(slot);
  int64_t index;
  if (index_of(slot, key, &index) != 0) return -1;
  if (text.kind == JF_TEXT_UTF8) return utf8_at(slot, text, index, out);
  index = jf_index(index, text.size);
  if (text.kind == JF_TEXT_UCS4) {
    return index < 0 ? fail_range("string index") : jf_out_ucs4(out, (const jf_char32*)text.data + index, 1);
  }
  if (index < 0) return fail_range("index");
  *out = null_slot;
  out->type_code = JF_INT;
  out->v_int64 = ((const unsigned char*)text.data)[index];
  return 0;
}

static int32_t shape_at(const jf_any* slot, const jf_any* key, jf_value* out) {
  const jf_shape* shape = (const jf_shape*)slot->v_object;
  int64_t index;
  if (index_of(slot, key, &index) != 0) return -1;
  index = jf_index(index, shape->size);
  if (index < 0) return fail_range("shape index");
  *out = null_slot;
  out->type_code = JF_INT;
  out->v_int64 = shape->data[index];
  return 0;
}

static int32_t item_at(const jf_any* slot, int32_t kind, const jf_any* key, jf_value* out) {
  int64_t index;
  if (index_of(slot, key, &index) != 0) return -1;
  return kind == JF_VALUE_LIST ? jf_list_get(slot->v_object, index, out) : jf_tuple_get(slot->v_object, index, out);
}

/* KeyError with the key's repr, as Python's. */
static JF_COLD int32_t fail_key(const jf_any* key) {
  jf_value text = null_slot;
  if (jf_any_repr(key, &text) != 0) return -1;
  jf_error_set("KeyError", jf_any_text(&text).data);
  jf_any_release(&text);
  return -1;
}

static int32_t map_at(const jf_any* slot, const jf_any* key, jf_value* out) {
  jf_any scratch;
  const jf_any* resolved = jf_any_resolve(key, &scratch);
  const int32_t found = jf_map_get(slot->v_object, resolved, out);
  return found == 1 ? 0 : found < 0 ? -1 : fail_key(resolved);
}

static int32_t at_resolved(const jf_any* slot, const jf_any* key, jf_value* out) {
  const int32_t kind = jf_value_kind(slot);
  switch (kind) {
    case JF_VALUE_BAD:
      return jf_value_fail_bad(slot);
    case JF_VALUE_TEXT:
    case JF_VALUE_BYTES:
      return text_at(slot, key, out);
    case JF_VALUE_LIST:
    case JF_VALUE_TUPLE:
      return item_at(slot, kind, key, out);
    case JF_VALUE_SHAPE:
      return shape_at(slot, key, out);
    case JF_VALUE_MAP:
      return map_at(slot, key, out);
    default:
      jf_error_format("TypeError", "'%s' object is not subscriptable", jf_value_type_name(slot));
      return -1;
  }
}

/* Borrows value and key; *out owns what it gets. -1 with IndexError, KeyError, TypeError or MemoryError set: *out is
 * null. */
int32_t jf_any_at(const jf_any* value, const jf_any* key, jf_value* out) {
  jf_any scratch;
  const int32_t status = at_resolved(jf_any_resolve(value, &scratch), key, out);
  if (status != 0) *out = null_slot;
  return status;
}
