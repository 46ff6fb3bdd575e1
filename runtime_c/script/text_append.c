/* slot += text, in linear time for many. */
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "text_make.h"
#include "text_units.h"

enum { FIRST_ROOM = 72 }; /* units of the first heap object: with its header and NUL what an allocator gives whole */

/* The heap str that only *slot has, with `room` units, or NULL. */
static jf_str* own(const jf_value* slot, int64_t room) {
  if (room <= 0 || slot->type_code != JF_OBJECT) return NULL;
  jf_object* object = slot->v_object;
  return object->deleter && __atomic_load_n(&object->ref_count, __ATOMIC_ACQUIRE) == 1 ? (jf_str*)object : NULL;
}

/* The size of text that has been written behind the end. */
static void set_size(jf_str* str, size_t size, int32_t wide) {
  str->size = size;
  str->hash = 0;
  str->characters = wide ? -1 : (int64_t)size;
  jf_put_unit((void*)(uintptr_t)str->data, size, wide, 0);
}

/* Both texts in a new object with room to grow, which *slot gets in place of what it has. */
static int32_t move(jf_value* slot, int64_t* room, const jf_text* old, const jf_text* more, jf_text* now) {
  const int32_t wide = !jf_text_is_ascii(old) || !jf_text_is_ascii(more);
  if (more->size > PTRDIFF_MAX / 8 - old->size) return jf_fail_memory();
  const size_t size = old->size + more->size, wanted = size + size / 2;
  const size_t units = wanted < FIRST_ROOM ? FIRST_ROOM : wanted;
  char* data;
  jf_object* made = jf_str_alloc(wide ? JF_UCS4 : JF_STR, units, &data);
  if (!made) return -1;
  jf_units_copy(data, wide, old->data, old->wide, old->size);
  jf_units_copy((void*)(uintptr_t)jf_unit_address(data, old->size, wide), wide, more->data, more->wide, more->size);
  set_size((jf_str*)made, size, wide);
  jf_any_release(slot);
  jf_out_object(slot, made);
  *room = (int64_t)units;
  *now = (jf_text){data, size, wide};
  return 0;
}

/* Steals nothing; `more` may lie in *slot. MemoryError: nothing has changed. */
int32_t jf_text_append(jf_value* slot, int64_t* room, const jf_text* more, jf_text* now) {
  jf_str* str = own(slot, *room);
  if (str) {
    const int32_t wide = str->header.type_code == JF_UCS4;
    const size_t size = str->size, count = more->size;
    if (count <= (size_t)*room - size && (wide || jf_text_is_ascii(more))) {
      void* to = (void*)(uintptr_t)jf_unit_address(str->data, size, wide);
      jf_units_copy(to, wide, more->data, more->wide, count);
      set_size(str, size + count, wide);
      *now = (jf_text){str->data, size + count, wide};
      return 0;
    }
  }
  jf_value keep = {JF_NULL, 8, {0}};
  jf_text old = {"", 0, 0};
  if (slot->type_code != JF_NULL && jf_text_of(slot, &old, &keep) != 0) return -1;
  const size_t size = old.size + more->size;
  int32_t status = 0;
  /* What the slot has room for at least: 8 bytes, or those that its text takes up. */
  const size_t room_there = slot->type_code == JF_NULL ? (size_t)jf_out_capacity(slot) : (old.size + 8) & ~(size_t)7;
  if (slot->type_code != JF_OBJECT && !old.wide && size < room_there && jf_text_is_ascii(more)) {
    char* payload = (char*)slot + JF_PAYLOAD_OFFSET;
    if (slot->type_code == JF_NULL) *slot = (jf_any){JF_SMALL_STR, 0, {0}};
    jf_units_copy(payload + old.size, 0, more->data, more->wide, more->size);
    payload[size] = 0;
    slot->small_len = (int32_t)size;
    *room = 0;
    *now = (jf_text){payload, size, 0};
  } else {
    status = move(slot, room, &old, more, now);
  }
  jf_any_release(&keep);
  return status;
}

/* Steals nothing; `more` may lie in *slot, and *now does, or where it outlives it. MemoryError: nothing has changed. */
int32_t jf_bytes_grow(jf_value* slot, int64_t* room, const jf_text* more, jf_text* now) {
  jf_str* str = own(slot, *room);
  if (more->size > PTRDIFF_MAX / 4 - now->size) return jf_fail_memory();
  const size_t size = now->size + more->size;
  if (!str || str->data != now->data || size > (size_t)*room) {
    const size_t units = size + size / 2 < FIRST_ROOM ? FIRST_ROOM : size + size / 2;
    char* data;
    jf_object* made = jf_str_alloc(JF_BYTES, units, &data);
    if (!made) return -1;
    jf_units_copy(data, 0, now->data, 0, now->size);
    jf_units_copy(data + now->size, 0, more->data, 0, more->size);
    jf_any_release(slot);
    jf_out_object(slot, made);
    str = (jf_str*)made;
    *room = (int64_t)units;
  } else {
    jf_units_copy((char*)(uintptr_t)str->data + now->size, 0, more->data, 0, more->size);
  }
  set_size(str, size, 0);
  str->characters = -1;
  *now = (jf_text){str->data, size, 0};
  return 0;
}
