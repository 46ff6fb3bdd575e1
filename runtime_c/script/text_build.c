/* Text made of several pieces at once (f-strings, chains of +), text that grows, and the pieces that are ints. One
 * allocation at most, none where the result fits into its slot.
 */
#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "text_make.h"
#include "text_units.h"

static int32_t build(const jf_text* pieces, int64_t count, int32_t wide, int32_t code, jf_value* out) {
  size_t size = 0;
  for (int64_t i = 0; i < count; i++) {
    if (pieces[i].size > PTRDIFF_MAX / sizeof(jf_char32) - size) {
      *out = jf_static_null;
      return jf_fail_memory();
    }
    size += pieces[i].size;
  }
  char* data = jf_text_begin(out, code, size);
  if (!data) return -1;
  size_t at = 0;
  for (int64_t i = 0; i < count; i++) {
    void* to = (void*)(uintptr_t)jf_unit_address(data, at, wide);
    jf_units_copy(to, wide, pieces[i].data, pieces[i].wide, pieces[i].size);
    at += pieces[i].size;
  }
  return 0;
}

/* Borrows the pieces, none of which lies in *out. MemoryError: *out is null. */
int32_t jf_text_build(const jf_text* pieces, int64_t count, jf_value* out) {
  int32_t wide = 0;
  for (int64_t i = 0; i < count && !wide; i++) wide = !jf_text_is_ascii(&pieces[i]);
  return build(pieces, count, wide, wide ? JF_UCS4 : JF_STR, out);
}

/* As jf_text_build. */
int32_t jf_bytes_build(const jf_text* pieces, int64_t count, jf_value* out) {
  return build(pieces, count, 0, JF_BYTES, out);
}

/* In place, in a slot that owns no object; 0 where it does not fit. */
static int32_t grow_small(jf_value* slot, int64_t capacity, const jf_text* more, jf_text* now) {
  const size_t size = now->size + more->size;
  if (slot->type_code == JF_OBJECT || size >= (size_t)capacity || !jf_text_is_ascii(now) || !jf_text_is_ascii(more)) {
    return 0;
  }
  char* payload = (char*)slot + JF_PAYLOAD_OFFSET;
  if (now->data != payload || now->wide) {
    char made[JF_MAX_CAPACITY]; /* either may lie in the slot */
    jf_units_copy(made, 0, now->data, now->wide, now->size);
    jf_units_copy(made + now->size, 0, more->data, more->wide, more->size);
    slot->v_int64 = 0;
    memcpy(payload, made, size);
  } else {
    jf_units_copy(payload + now->size, 0, more->data, more->wide, more->size);
  }
  payload[size] = 0;
  slot->type_code = JF_SMALL_STR;
  slot->small_len = (int32_t)size;
  *now = (jf_text){payload, size, 0};
  return 1;
}

/* Borrows more, which may lie in *now or in the slot. MemoryError: nothing has changed. */
int32_t jf_text_grow(jf_value* slot, int64_t capacity, int64_t* room, const jf_text* more, jf_text* now) {
  if (*room > 0) return jf_text_append(slot, room, more, now);
  if (grow_small(slot, capacity, more, now)) return 0;
  jf_value made = {JF_NULL, 8, {0}};
  jf_text text;
  int64_t units = 0;
  if (jf_text_append(&made, &units, now, &text) != 0) return -1;
  if (jf_text_append(&made, &units, more, &text) != 0) {
    jf_any_release(&made);
    return -1;
  }
  jf_any_release(slot);
  *slot = made;
  if (made.type_code != JF_OBJECT) text.data = (char*)slot + JF_PAYLOAD_OFFSET;
  *room = units;
  *now = text;
  return 0;
}

static int32_t is_text(const jf_any* slot) {
  if (slot->type_code == JF_SMALL_STR || slot->type_code == JF_SMALL_UCS4) return 1;
  if (slot->type_code != JF_OBJECT) return 0;
  return slot->v_object->type_code == JF_STR || slot->v_object->type_code == JF_UCS4;
}

/* Borrows more, which may be *target. MemoryError, or what jf_op_inplace says: *target is as it was. */
int32_t jf_op_grow(int32_t op, jf_value* target, int64_t* room, const jf_any* more) {
  if (is_text(target)) {
    jf_value keep = {JF_NULL, 8, {0}};
    jf_text text, now;
    int32_t status = jf_text_of(more, &text, &keep);
    if (status < 0) return -1;
    if (status == 0) {
      status = jf_text_append(target, room, &text, &now);
      jf_any_release(&keep);
      return status;
    }
  }
  *room = 0;
  return jf_op_inplace(op, target, more);
}

/* str(number) in the caller's 24 bytes, from which *out borrows. Never fails. */
void jf_text_of_int(int64_t number, char* buffer, jf_text* out) {
  char* const end = buffer + 24;
  char* at = end;
  uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  do {
    *--at = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest);
  if (number < 0) *--at = '-';
  *out = (jf_text){at, (size_t)(end - at), 0};
}
