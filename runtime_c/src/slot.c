/* Slots: what they hold, views to values, values to views, out-slots and boxes.
 *
 * A slot may be the first 16 bytes of an AnyPad: small text runs on behind it, for as long as small_len says. Every
 * function here takes one slot, never an array: the distance between slots is the generated code's business.
 */
#include <assert.h>
#include <string.h>

#include "jitffi/runtime.h"
#include "macros.h"
#include "slot.h"

static const jf_any null_slot = {JF_NULL, 0, {0}};

/* -- out-slots -- */

/* Never fails. */
void jf_out_init(jf_value* out, int32_t capacity) {
  *out = null_slot;
  out->small_len = capacity;
}

/* Never fails. */
int32_t jf_out_capacity(const jf_value* out) {
  assert(out->type_code == JF_NULL);
  if (out->type_code != JF_NULL || out->small_len < 16) return 8;
  return out->small_len < JF_MAX_CAPACITY ? out->small_len & ~7 : JF_MAX_CAPACITY;
}

static void out_plain(jf_value* out, int32_t type_code, int64_t payload) {
  out->type_code = type_code;
  out->small_len = 0;
  out->v_int64 = payload;
}

/* The payload and what lies behind the slot, up to the capacity. */
static char* payload_of(const jf_any* slot) { return (char*)(uintptr_t)slot + JF_PAYLOAD_OFFSET; }

/* Up to 8 bytes without a call, by two words that overlap. */
static void copy_short(char* to, const char* from, size_t size) {
  if (size >= 4) {
    memcpy(to, from, 4);
    memcpy(to + size - 4, from + size - 4, 4);
  } else if (size) {
    to[0] = from[0];
    to[size / 2] = from[size / 2];
    to[size - 1] = from[size - 1];
  }
}

/* In place: the caller has looked at the capacity. The first 8 payload bytes are canonical, hence cleared. */
static void out_small(jf_value* out, int32_t type_code, const void* data, size_t units, size_t bytes) {
  out->type_code = type_code;
  out->small_len = (int32_t)units;
  out->v_int64 = 0;
  if (bytes <= 8) {
    copy_short(payload_of(out), data, bytes);
  } else {
    memcpy(payload_of(out), data, bytes);
  }
}

static int32_t out_made(jf_value* out, jf_object* object) {
  *out = null_slot;
  if (!object) return -1;
  jf_out_object(out, object);
  return 0;
}

/* Borrows data. MemoryError: *out is null. */
int32_t jf_out_str(jf_value* out, const char* data, size_t size) {
  if (size >= (size_t)jf_out_capacity(out)) return out_made(out, jf_str_new(data, size));
  out_small(out, JF_SMALL_STR, data, size, size);
  payload_of(out)[size] = 0;
  return 0;
}

/* Borrows data. MemoryError: *out is null. */
int32_t jf_out_bytes(jf_value* out, const char* data, size_t size) {
  if (size >= (size_t)jf_out_capacity(out)) return out_made(out, jf_bytes_new(data, size));
  out_small(out, JF_SMALL_BYTES, data, size, size);
  payload_of(out)[size] = 0;
  return 0;
}

/* Borrows data. MemoryError: *out is null. */
int32_t jf_out_ucs4(jf_value* out, const jf_char32* data, size_t size) {
  if (size > (size_t)jf_out_capacity(out) / sizeof *data) return out_made(out, jf_ucs4_new(data, size));
  out_small(out, JF_SMALL_UCS4, data, size, size * sizeof *data);
  return 0;
}

/* Boxed codes and plain codes, in the order of the boxed ones. */
static const int32_t box_codes[] = {JF_INT, JF_FLOAT, JF_BOOL, JF_HANDLE, JF_DTYPE, JF_DEVICE, JF_UINT};
enum { BOX_COUNT = sizeof box_codes / sizeof box_codes[0] };

static int32_t is_box(const jf_object* object) {
  return object->type_code >= JF_S2_FIRST && object->type_code < JF_S2_FIRST + BOX_COUNT;
}

static void open_box(const jf_object* object, jf_any* out) {
  out_plain(out, box_codes[object->type_code - JF_S2_FIRST], ((const jf_box*)object)->v_int64);
}

/* Steals object. Never fails. */
void jf_out_object(jf_value* out, jf_object* object) {
  *out = null_slot;
  if (!object) return;
  if (is_box(object)) {
    open_box(object, out);
    jf_object_release(object);
    return;
  }
  out->type_code = object->type_code <= JF_S1_LAST ? object->type_code : JF_OBJECT;
  out->v_uint64 = JF_POINTER_WORD(object);
}

/* -- reading -- */

static int32_t holds_object(const jf_any* slot) {
  return slot->type_code == JF_OBJECT || (slot->type_code > 0 && slot->type_code <= JF_S1_LAST);
}

const jf_any* jf_any_resolve(const jf_any* slot, jf_any* scratch) {
  if (slot->type_code == JF_ANY_PTR && slot->v_handle) slot = slot->v_handle;
  if (slot->type_code == JF_RVALUE && slot->v_rvalue && *slot->v_rvalue) {
    jf_object* object = *slot->v_rvalue;
    out_plain(scratch, object->type_code <= JF_S1_LAST ? object->type_code : JF_OBJECT, 0);
    scratch->v_uint64 = JF_POINTER_WORD(object);
    slot = scratch;
  }
  if (slot->type_code == JF_OBJECT && slot->v_object && is_box(slot->v_object)) {
    open_box(slot->v_object, scratch);
    slot = scratch;
  }
  return slot;
}

jf_object* jf_any_object(const jf_any* resolved) { return holds_object(resolved) ? resolved->v_object : NULL; }

static jf_encoded text_of_object(const jf_object* object) {
  if (!object) return (jf_encoded){JF_TEXT_NONE, 0, "", 0};
  int32_t code = object->type_code;
  if (code >= JF_FIRST_DYNAMIC) /* few are, and each key of a map is asked more than once */
    code = jf_type_is_a(code, JF_STR)     ? JF_STR
           : jf_type_is_a(code, JF_BYTES) ? JF_BYTES
           : jf_type_is_a(code, JF_UCS4)  ? JF_UCS4
                                          : 0;
  const int32_t kind = code == JF_STR     ? JF_TEXT_UTF8
                       : code == JF_BYTES ? JF_TEXT_BYTES
                       : code == JF_UCS4  ? JF_TEXT_UCS4
                                          : JF_TEXT_NONE;
  if (kind == JF_TEXT_NONE) return (jf_encoded){kind, 0, "", 0};
  const jf_str* str = (const jf_str*)object;
  return (jf_encoded){kind, 1, str->data, str->size};
}

static jf_encoded text_of_span(int32_t kind, const jf_any* slot) {
  if (kind == JF_TEXT_UCS4) {
    const jf_ucs4_span* span = slot->v_ucs4_span;
    return (jf_encoded){kind, 0, span->data ? (const void*)span->data : U"", span->data ? span->size : 0};
  }
  const jf_span* span = slot->v_span;
  return (jf_encoded){kind, 0, span->data ? span->data : "", span->data ? span->size : 0};
}

jf_encoded jf_any_text(const jf_any* slot) {
  const jf_encoded none = {JF_TEXT_NONE, 0, "", 0};
  const char* small = payload_of(slot);
  switch (slot->type_code) {
    case JF_SMALL_STR:
    case JF_SMALL_BYTES:
      if (slot->small_len < 0 || slot->small_len >= JF_MAX_CAPACITY) return none;
      return (jf_encoded){slot->type_code == JF_SMALL_STR ? JF_TEXT_UTF8 : JF_TEXT_BYTES, 1, small,
                          (size_t)slot->small_len};
    case JF_SMALL_UCS4:
      if (slot->small_len < 0 || slot->small_len > JF_MAX_CAPACITY / 4) return none;
      return (jf_encoded){JF_TEXT_UCS4, 0, small, (size_t)slot->small_len};
    case JF_RAW_STR:
      return slot->v_raw_str ? (jf_encoded){JF_TEXT_UTF8, 1, slot->v_raw_str, strlen(slot->v_raw_str)} : none;
    case JF_STR_VIEW:
      return slot->v_span ? text_of_span(JF_TEXT_UTF8, slot) : none;
    case JF_BYTE_ARRAY:
      return slot->v_span ? text_of_span(JF_TEXT_BYTES, slot) : none;
    case JF_UCS4_VIEW:
      return slot->v_ucs4_span ? text_of_span(JF_TEXT_UCS4, slot) : none;
    case JF_OBJECT:
      return text_of_object(slot->v_object);
    default:
      return none;
  }
}

/* -- views and values -- */

/* Of a resolved slot. */
static JF_COLD int32_t refuse(const jf_any* slot, const char* purpose) {
  if (slot->type_code == JF_DLTENSOR) {
    jf_error_format("ValueError", "a borrowed DLTensor cannot become %s: pass an nd-array, which is counted", purpose);
  } else if (slot->type_code == JF_RVALUE) {
    jf_error_set("ValueError", "the object of an r-value reference was taken before");
  } else if (slot->type_code == JF_ANY_PTR && slot->v_handle) {
    jf_error_format("TypeError", "an any pointer that points at another cannot become %s", purpose);
  } else {
    const char* why = NULL;
    const int32_t is_right = jf_any_ok(slot, 0, &why); /* what is right has been converted, or named above */
    assert(!is_right), (void)is_right;
    jf_error_format("TypeError", "a slot with type code %d cannot become %s: %s", slot->type_code, purpose, why);
  }
  return -1;
}

static int32_t is_plain(int32_t type_code) {
  return type_code == JF_UINT || (type_code <= JF_INT && type_code >= JF_DEVICE);
}

/* Takes the object out of an r-value reference. */
static int32_t move(const jf_any* slot, jf_value* out) {
  jf_object* object = slot->v_rvalue ? *slot->v_rvalue : NULL;
  if (!object) return refuse(slot, "a value");
  *slot->v_rvalue = NULL;
  jf_out_object(out, object);
  return 0;
}

/* What a small value may have in a slot of 16 bytes. */
static int32_t is_short(const jf_any* slot) {
  const int32_t code = slot->type_code;
  return code <= JF_SMALL_STR && code >= JF_SMALL_BYTES && slot->small_len <= (code == JF_SMALL_UCS4 ? 2 : 7);
}

/* Apart, so that plain values are not kept waiting by the registers and the frame that this needs. */
static __attribute__((noinline)) int32_t retain_other(const jf_view* view, jf_value* out) {
  if (is_short(view) && view->small_len >= 0) {
    *out = *view;
    return 0;
  }
  const int32_t capacity = jf_out_capacity(out);
  jf_any scratch;
  jf_out_init(out, 0);
  if (view->type_code == JF_RVALUE) return move(view, out);
  const jf_any* slot = jf_any_resolve(view, &scratch);
  if (slot->type_code == JF_NULL) return 0;
  if (is_plain(slot->type_code)) {
    out_plain(out, slot->type_code, slot->v_int64);
    return 0;
  }
  if (holds_object(slot) && slot->v_object) {
    jf_object_retain(slot->v_object);
    jf_out_object(out, slot->v_object);
    return 0;
  }
  jf_encoded text = jf_any_text(slot);
  if (text.kind == JF_TEXT_NONE) return refuse(slot, "a value");
  out->small_len = capacity;
  if (text.kind == JF_TEXT_UTF8) return jf_out_str(out, text.data, text.size);
  if (text.kind == JF_TEXT_BYTES) return jf_out_bytes(out, text.data, text.size);
  return jf_out_ucs4(out, text.data, text.size);
}

/* Borrows view. MemoryError, ValueError for what cannot be kept, TypeError for what is no slot: *out is null. */
int32_t jf_any_retain(const jf_view* view, jf_value* out) {
  const int32_t code = view->type_code;
  assert(out->type_code == JF_NULL);
  if (code > JF_INT || code < JF_DEVICE) return retain_other(view, out);
  out_plain(out, code, view->v_int64);
  return 0;
}

/* *reference is the caller's, holds an object and stays where it is as long as *out is used; whoever takes the object
 * writes NULL there, so it is released after the call in either case. Never fails. */
void jf_any_rvalue(jf_object** reference, jf_view* out) {
  assert(reference && *reference);
  *out = null_slot;
  out->type_code = JF_RVALUE;
  out->v_uint64 = JF_POINTER_WORD(reference);
}

/* Moves what *from owns, in a slot of any pad, to *out, a null out-slot with its capacity; *from is null then. MemoryError
 * where text that is too long for *out has to go to the heap: both are as before. */
int32_t jf_any_move(jf_value* from, jf_value* out) {
  const int32_t code = from->type_code, capacity = out->small_len;
  assert(jf_any_ok(from, 1, NULL) && out->type_code == JF_NULL);
  if (code <= JF_SMALL_STR && code >= JF_SMALL_BYTES && !is_short(from)) {
    if (retain_other(from, out) != 0) {
      out->small_len = capacity;
      return -1;
    }
  } else {
    *out = *from;
    if (code == JF_NULL) out->small_len = 0;
  }
  *from = null_slot;
  return 0;
}

/* Releases what *value owns. Never fails. */
void jf_any_release(jf_value* value) {
  assert(jf_any_ok(value, 1, NULL));
  jf_object* object = jf_any_object(value);
  *value = null_slot; /* first: a deleter may look at the slot */
  if (object) jf_object_release(object);
}

/* Borrows: *out is good while *value is. Never fails. */
void jf_any_view(const jf_any* value, jf_view* out) {
  assert(jf_any_ok(value, 0, NULL));
  const int32_t code = value->type_code;
  if (code == JF_OBJECT && value->v_object && is_box(value->v_object)) {
    open_box(value->v_object, out);
  } else if (code <= JF_SMALL_STR && code >= JF_SMALL_BYTES && !is_short(value)) {
    *out = null_slot;
    out->type_code = JF_ANY_PTR;
    out->v_uint64 = JF_POINTER_WORD(value);
  } else {
    *out = *value;
    if (code == JF_NULL) out->small_len = 0; /* a capacity is nobody's business but the callee's */
  }
}

static jf_object* box(const jf_any* slot) {
  int32_t code = JF_S2_FIRST;
  while (box_codes[code - JF_S2_FIRST] != slot->type_code) code++;
  jf_box* made = jf_object_new(sizeof *made, code, NULL);
  if (!made) return NULL;
  made->v_int64 = slot->v_int64;
  return &made->header;
}

static jf_object* text_object(jf_encoded text) {
  if (text.kind == JF_TEXT_UTF8) return jf_str_new(text.data, text.size);
  if (text.kind == JF_TEXT_BYTES) return jf_bytes_new(text.data, text.size);
  return jf_ucs4_new(text.data, text.size);
}

/* New; borrows view (an r-value reference keeps its object). NULL for null, and with the error set on failure. */
jf_object* jf_any_to_object(const jf_view* view, int32_t* failed) {
  jf_any scratch;
  const jf_any* slot = view->type_code == JF_OBJECT ? view : jf_any_resolve(view, &scratch);
  jf_object* object = jf_any_object(slot);
  if (failed) *failed = 0;
  if (slot->type_code == JF_NULL) return NULL;
  if (object) {
    jf_object_retain(object);
    return object;
  }
  if (is_plain(slot->type_code)) {
    object = box(slot);
  } else {
    jf_encoded text = jf_any_text(slot);
    if (text.kind != JF_TEXT_NONE) {
      object = text_object(text);
    } else {
      refuse(slot, "an object");
    }
  }
  if (failed) *failed = !object;
  return object;
}
