/* Text of slots, and what makes a text of others: concatenation, repetition, slices, appending, holding. */
#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/text.h"
#include "macros.h"
#include "text_make.h"
#include "text_units.h"

/* -- what a slot holds -- */

static const char* payload_of(const jf_any* slot) { return (const char*)slot + JF_PAYLOAD_OFFSET; }

/* UTF-8 that is not ASCII, made wide in *keep. */
static JF_COLD int32_t widen(const char* data, size_t size, jf_text* out, jf_value* keep) {
  if (!keep) return 2;
  const size_t count = jf_utf8_length(data, size);
  jf_char32* units = jf_text_begin(keep, JF_UCS4, count);
  if (!units) return -1;
  if (jf_utf8_to_ucs4(data, size, units) < 0) {
    const size_t at = jf_utf8_valid(data, size);
    memset(units, 0, count * sizeof *units); /* it is a value to be released */
    jf_any_release(keep);
    jf_error_format("UnicodeDecodeError",
                    "'utf-8' codec can't decode byte 0x%02x in position %lld: invalid text of a slot",
                    (unsigned)(unsigned char)data[at], (long long)at);
    return -1;
  }
  *out = (jf_text){units, count, 1};
  return 0;
}

static int32_t of_utf8(const char* data, size_t size, jf_text* out, jf_value* keep) {
  if (!jf_is_ascii(data, size)) return widen(data, size, out, keep);
  *out = (jf_text){data, size, 0};
  return 0;
}

static int32_t of_object(const jf_object* object, jf_text* out, jf_value* keep) {
  const int32_t code = object->type_code;
  const jf_str* str = (const jf_str*)object;
  if (code == JF_STR || (code >= JF_FIRST_DYNAMIC && jf_type_is_a(code, JF_STR))) {
    if (jf_str_characters(object) != str->size) return widen(str->data, str->size, out, keep);
    *out = (jf_text){str->data, str->size, 0};
    return 0;
  }
  if (code != JF_UCS4 && !(code >= JF_FIRST_DYNAMIC && jf_type_is_a(code, JF_UCS4))) return 1;
  *out = (jf_text){str->data, str->size, 1};
  return 0;
}

static const jf_object* object_of(const jf_any* slot) {
  if (slot->type_code == JF_RVALUE) return slot->v_rvalue ? *slot->v_rvalue : NULL;
  return slot->type_code == JF_OBJECT ? slot->v_object : NULL;
}

/* Borrows slot; *out is good while *slot and *keep are. */
int32_t jf_text_of(const jf_any* slot, jf_text* out, jf_value* keep) {
  if (slot->type_code == JF_ANY_PTR && slot->v_handle) slot = slot->v_handle;
  switch (slot->type_code) {
    case JF_SMALL_STR:
      if (slot->small_len < 0 || slot->small_len >= JF_MAX_CAPACITY) return 1;
      if (slot->small_len <= 7 && !(slot->v_uint64 & 0x8080808080808080u)) {
        *out = (jf_text){payload_of(slot), (size_t)slot->small_len, 0};
        return 0;
      }
      return of_utf8(payload_of(slot), (size_t)slot->small_len, out, keep);
    case JF_SMALL_UCS4:
      if (slot->small_len < 0 || slot->small_len > JF_MAX_CAPACITY / 4) return 1;
      *out = (jf_text){payload_of(slot), (size_t)slot->small_len, 1};
      return 0;
    case JF_RAW_STR:
      return slot->v_raw_str ? of_utf8(slot->v_raw_str, strlen(slot->v_raw_str), out, keep) : 1;
    case JF_STR_VIEW:
      if (!slot->v_span) return 1;
      return slot->v_span->data ? of_utf8(slot->v_span->data, slot->v_span->size, out, keep)
                                : of_utf8("", 0, out, keep);
    case JF_UCS4_VIEW: {
      const jf_ucs4_span* span = slot->v_ucs4_span;
      if (!span) return 1;
      *out = span->data ? (jf_text){span->data, span->size, 1} : (jf_text){"", 0, 0};
      return 0;
    }
    default: {
      const jf_object* object = object_of(slot);
      return object ? of_object(object, out, keep) : 1;
    }
  }
}

/* Borrows slot; *out is good while *slot is. Never fails. */
int32_t jf_bytes_of(const jf_any* slot, jf_text* out) {
  if (slot->type_code == JF_ANY_PTR && slot->v_handle) slot = slot->v_handle;
  if (slot->type_code == JF_SMALL_BYTES) {
    if (slot->small_len < 0 || slot->small_len >= JF_MAX_CAPACITY) return 1;
    *out = (jf_text){payload_of(slot), (size_t)slot->small_len, 0};
    return 0;
  }
  if (slot->type_code == JF_BYTE_ARRAY) {
    const jf_span* span = slot->v_span;
    if (!span) return 1;
    *out = span->data ? (jf_text){span->data, span->size, 0} : (jf_text){"", 0, 0};
    return 0;
  }
  const jf_object* object = object_of(slot);
  if (!object || !jf_type_is_a(object->type_code, JF_BYTES)) return 1;
  *out = (jf_text){((const jf_str*)object)->data, ((const jf_str*)object)->size, 0};
  return 0;
}

/* -- holding -- */

static int32_t hold(jf_value* slot, jf_text* text, jf_object* owner, int32_t code) {
  const size_t capacity = (size_t)jf_out_capacity(slot);
  const int32_t fits = text->wide ? text->size <= capacity / sizeof(jf_char32) : text->size < capacity;
  if (!fits && owner) {
    jf_object_retain(owner);
    jf_out_object(slot, owner);
    return 0;
  }
  void* data = jf_text_begin(slot, code, text->size);
  if (!data) return -1;
  jf_units_copy(data, text->wide, text->data, text->wide, text->size);
  text->data = data;
  return 0;
}

/* Borrows owner. MemoryError: *slot is null and *text as it was. */
int32_t jf_text_hold(jf_value* slot, jf_text* text, jf_object* owner) {
  return hold(slot, text, owner, text->wide ? JF_UCS4 : JF_STR);
}

/* As jf_text_hold. */
int32_t jf_bytes_hold(jf_value* slot, jf_text* text, jf_object* owner) { return hold(slot, text, owner, JF_BYTES); }

/* -- comparing -- */

JF_ALWAYS int32_t differ_at(const jf_text* a, const jf_text* b, int32_t a_wide, int32_t b_wide) {
  const size_t size = a->size < b->size ? a->size : b->size;
  for (size_t i = 0; i < size; i++) {
    const uint32_t left = jf_unit(a->data, i, a_wide), right = jf_unit(b->data, i, b_wide);
    if (left != right) return left < right ? -1 : 1;
  }
  return a->size == b->size ? 0 : a->size < b->size ? -1 : 1;
}

/* Borrows. Never fails. */
int32_t jf_text_compare(const jf_text* a, const jf_text* b) {
  if (a->wide) return b->wide ? differ_at(a, b, 1, 1) : differ_at(a, b, 1, 0);
  if (b->wide) return differ_at(a, b, 0, 1);
  const int32_t order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);
  return order ? order : a->size == b->size ? 0 : a->size < b->size ? -1 : 1;
}

/* Borrows. Never fails. */
int32_t jf_text_equal(const jf_text* a, const jf_text* b) {
  if (a->size != b->size) return 0;
  if (!a->wide == !b->wide) return memcmp(a->data, b->data, a->wide ? a->size * sizeof(jf_char32) : a->size) == 0;
  return jf_text_compare(a, b) == 0;
}

/* -- new text of others -- */

static int32_t concat(const jf_text* a, const jf_text* b, int32_t wide, int32_t code, jf_value* out) {
  if (b->size > PTRDIFF_MAX - a->size) {
    *out = jf_static_null;
    return jf_fail_memory();
  }
  char* data = jf_text_begin(out, code, a->size + b->size);
  if (!data) return -1;
  jf_units_copy(data, wide, a->data, a->wide, a->size);
  jf_units_copy((void*)(uintptr_t)jf_unit_address(data, a->size, wide), wide, b->data, b->wide, b->size);
  return 0;
}

/* Borrows. MemoryError: *out is null. */
int32_t jf_text_concat(const jf_text* a, const jf_text* b, jf_value* out) {
  const int32_t wide = !jf_text_is_ascii(a) || !jf_text_is_ascii(b);
  return concat(a, b, wide, wide ? JF_UCS4 : JF_STR, out);
}

/* Borrows. MemoryError: *out is null. */
int32_t jf_bytes_concat(const jf_text* a, const jf_text* b, jf_value* out) { return concat(a, b, 0, JF_BYTES, out); }

static int32_t repeat(const jf_text* text, int64_t times, int32_t wide, int32_t code, jf_value* out) {
  if (times < 0 || !text->size) times = 0;
  if (times && (uint64_t)times > (uint64_t)INT64_MAX / text->size) {
    *out = jf_static_null;
    jf_error_set("OverflowError", code == JF_BYTES ? "repeated bytes are too long" : "repeated string is too long");
    return -1;
  }
  if ((uint64_t)times * text->size > PTRDIFF_MAX / sizeof(jf_char32)) {
    *out = jf_static_null;
    return jf_fail_memory();
  }
  const size_t size = text->size * (size_t)times, unit = wide ? sizeof(jf_char32) : 1;
  char* data = jf_text_begin(out, code, size);
  if (!data || !size) return data ? 0 : -1;
  if (text->size == 1 && !wide) {
    memset(data, (int)jf_unit(text->data, 0, text->wide), size);
    return 0;
  }
  jf_units_copy(data, wide, text->data, text->wide, text->size);
  for (size_t done = text->size; done < size;) {
    const size_t more = done < size - done ? done : size - done;
    memcpy(data + done * unit, data, more * unit);
    done += more;
  }
  return 0;
}

/* Borrows. OverflowError, MemoryError: *out is null. */
int32_t jf_text_repeat(const jf_text* text, int64_t times, jf_value* out) {
  const int32_t wide = times > 0 && !jf_text_is_ascii(text);
  return repeat(text, times, wide, wide ? JF_UCS4 : JF_STR, out);
}

/* As jf_text_repeat. */
int32_t jf_bytes_repeat(const jf_text* text, int64_t times, jf_value* out) {
  return repeat(text, times, 0, JF_BYTES, out);
}

static int64_t clip_one(int64_t index, int64_t size, int64_t step) {
  if (index < 0) {
    index = index < -size ? -1 : index + size; /* -1: before the first */
    return index < 0 && step > 0 ? 0 : index;
  }
  return index < size ? index : step > 0 ? size : size - 1;
}

/* How many characters; -1 with ValueError set. */
int64_t jf_clip_slice(size_t units, int64_t* start, int64_t* stop, int64_t* step) {
  const int64_t size = (int64_t)units;
  if (*step == JF_NO_INDEX) *step = 1; /* also what cannot be negated, and comes to the same */
  if (*step == 0) {
    jf_error_set("ValueError", "slice step cannot be zero");
    return -1;
  }
  *start = *start == JF_NO_INDEX ? (*step > 0 ? 0 : size - 1) : clip_one(*start, size, *step);
  *stop = *stop == JF_NO_INDEX ? (*step > 0 ? size : -1) : clip_one(*stop, size, *step);
  if (*step > 0) return *start < *stop ? (*stop - *start - 1) / *step + 1 : 0;
  return *stop < *start ? (*start - *stop - 1) / -*step + 1 : 0;
}

/* Characters that are `step` apart. */
static int32_t gather(const jf_text* text, int64_t start, int64_t step, size_t count, int32_t code, jf_value* out) {
  const int32_t capacity = out->small_len;
  void* data = jf_text_begin(out, text->wide ? JF_UCS4 : code, count);
  if (!data) return -1;
  int64_t at = start;
  for (size_t i = 0; i < count; i++, at += step) {
    jf_put_unit(data, i, text->wide, jf_unit(text->data, (size_t)at, text->wide));
    if (i + 1 == count) break; /* the next place may be beyond any int */
  }
  return text->wide ? jf_text_narrow(out, capacity) : 0;
}

/* Borrows. ValueError, MemoryError: *out is null. */
int32_t jf_text_slice(const jf_text* text, int64_t start, int64_t stop, int64_t step, jf_value* out) {
  const int64_t count = jf_clip_slice(text->size, &start, &stop, &step);
  if (count < 0) *out = jf_static_null;
  if (count < 0) return -1;
  if (step != 1) return gather(text, start, step, (size_t)count, JF_STR, out);
  const jf_text part = jf_part(text, count ? (size_t)start : 0, count ? (size_t)(start + count) : 0);
  return jf_text_out(&part, out);
}

/* As jf_text_slice. */
int32_t jf_bytes_slice(const jf_text* text, int64_t start, int64_t stop, int64_t step, jf_value* out) {
  const int64_t count = jf_clip_slice(text->size, &start, &stop, &step);
  if (count < 0) *out = jf_static_null;
  if (count < 0) return -1;
  return gather(text, start, step, (size_t)count, JF_BYTES, out);
}
