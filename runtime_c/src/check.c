/* The invariants of a slot as one function, which asserts, tests and error messages share. */
#include "jitffi/runtime.h"

static const char* check_small(const jf_any* slot, int32_t unit, int32_t longest) {
  if (slot->small_len < 0) return "a small value has a negative length";
  if (slot->small_len > longest) return "a small value is longer than any AnyPad holds";
  for (int32_t i = slot->small_len * unit; i < 8; i++) {
    if (slot->v_bytes[i]) return "the payload behind a small value is not zero";
  }
  if (unit == 1 && ((const char*)slot)[JF_PAYLOAD_OFFSET + slot->small_len]) return "no NUL follows a small value";
  return NULL;
}

static const char* check_object(const jf_any* slot, int32_t is_value) {
  const jf_object* object = slot->v_object;
  if (!object) return "an object handle is NULL";
  if (object->type_code <= 0) return "an object has a type code that is not positive";
  if (slot->type_code > 0 && object->type_code != slot->type_code) return "slot and object have different type codes";
  if (slot->type_code == JF_OBJECT && object->type_code <= JF_S1_LAST) {
    return "the object's own type code must stand in the slot";
  }
  int32_t is_box = object->type_code >= JF_S2_FIRST && object->type_code <= JF_S2_LAST;
  return is_value && is_box ? "an owned slot holds a box" : NULL;
}

static const char* check_any_ptr(const jf_any* slot) {
  const jf_any* pointee = slot->v_handle;
  const char* why = NULL;
  if (!pointee) return "an any pointer is NULL";
  if (pointee->type_code == JF_ANY_PTR) return "an any pointer points at another";
  return jf_any_ok(pointee, 0, &why) ? NULL : why;
}

static const char* check_payload(const jf_any* slot, int32_t is_value) {
  switch (slot->type_code) {
    case JF_NULL:
      return slot->v_int64 ? "null has a payload" : NULL;
    case JF_INT:
    case JF_FLOAT:
    case JF_DEVICE:
      return NULL;
    case JF_BOOL:
      return slot->v_uint64 > 1 ? "a bool is neither 0 nor 1" : NULL;
    case JF_DTYPE:
      return slot->v_char32[1] ? "the payload behind a data type is not zero" : NULL;
    case JF_UINT:
      return slot->v_int64 >= 0 ? "a uint would fit into an int" : NULL;
    case JF_SMALL_STR:
    case JF_SMALL_BYTES:
      return check_small(slot, 1, JF_MAX_CAPACITY - 1);
    case JF_SMALL_UCS4:
      return check_small(slot, 4, JF_MAX_CAPACITY / 4);
    case JF_HANDLE:
    case JF_DLTENSOR:
    case JF_RAW_STR:
    case JF_BYTE_ARRAY:
    case JF_STR_VIEW:
    case JF_UCS4_VIEW:
    case JF_RVALUE:
      return slot->v_handle ? NULL : "a pointer is NULL";
    case JF_ANY_PTR:
      return check_any_ptr(slot);
    case JF_OBJECT:
    case JF_MODULE:
    case JF_FUNCTION:
    case JF_NDARRAY:
      return check_object(slot, is_value);
    default:
      return "the type code is unknown";
  }
}

static int32_t is_view_only(int32_t code) {
  return (code <= JF_DLTENSOR && code >= JF_BYTE_ARRAY) || code == JF_RVALUE || code == JF_ANY_PTR ||
         code == JF_STR_VIEW || code == JF_UCS4_VIEW;
}

/* Borrows. Never fails. */
int32_t jf_any_ok(const jf_any* slot, int32_t is_value, const char** why) {
  const int32_t code = slot->type_code;
  const int32_t has_length = code == JF_NULL || (code <= JF_SMALL_STR && code >= JF_SMALL_BYTES);
  const char* broken = check_payload(slot, is_value);
  if (!broken && is_value && is_view_only(code)) broken = "an owned slot holds what only a view may";
  if (!broken && !has_length && slot->small_len) broken = "small_len is not 0";
  if (why) *why = broken;
  return !broken;
}
