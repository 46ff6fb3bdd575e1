/* How text is written: into out-slots and into lists, narrow where it is ASCII. */
#include <assert.h>
#include <string.h>

#include "copy.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/text.h"
#include "text_make.h"
#include "text_units.h"

int32_t jf_fail_memory(void) {
  jf_error_set_object(NULL);
  return -1;
}

/* As jf_out_capacity, without a way through another library. */
static inline size_t capacity_of(const jf_value* out) {
  assert(out->type_code == JF_NULL);
  if (out->small_len < 16) return 8;
  return (size_t)(out->small_len < JF_MAX_CAPACITY ? out->small_len & ~7 : JF_MAX_CAPACITY);
}

void* jf_text_begin(jf_value* out, int32_t code, size_t size) {
  const size_t capacity = capacity_of(out);
  if (code == JF_UCS4 ? size <= capacity / sizeof(jf_char32) : size < capacity) {
    char* payload = (char*)out + JF_PAYLOAD_OFFSET;
    out->type_code = JF_SMALL_STR + JF_STR - code;
    out->small_len = (int32_t)size;
    out->v_int64 = 0;
    if (code != JF_UCS4) payload[size] = 0;
    return payload;
  }
  char* data;
  jf_object* object = jf_str_alloc(code, size, &data);
  *out = jf_static_null;
  if (!object) return NULL;
  if (code == JF_STR) ((jf_str*)object)->characters = (int64_t)size;
  out->type_code = JF_OBJECT;
  out->v_uint64 = JF_POINTER_WORD(object);
  return data;
}

_Static_assert(JF_SMALL_STR + JF_STR - JF_UCS4 == JF_SMALL_UCS4 && JF_SMALL_STR + JF_STR - JF_BYTES == JF_SMALL_BYTES,
               "codes of small and of heap text are in step");

int32_t jf_units_ascii(const void* data, int32_t wide, size_t size) {
  enum { BLOCK = 64 };
  if (!wide) return jf_is_ascii(data, size);
  const jf_char32* s = data;
  size_t i = 0;
  if (size && (uint32_t)(s[0] | s[size - 1]) >= 128) return 0; /* as of most that is wide */
  for (; size - i >= BLOCK; i += BLOCK) {
    uint32_t all = 0;
    for (size_t k = 0; k < BLOCK; k++) all |= (uint32_t)s[i + k];
    if (all >= 128) return 0;
  }
  uint32_t all = 0;
  for (; i < size; i++) all |= (uint32_t)s[i];
  return all < 128;
}

void jf_units_copy(void* to, int32_t to_wide, const void* from, int32_t from_wide, size_t size) {
  if (!to_wide == !from_wide) {
    if (to_wide && size <= 8) { /* a word: less than a call */
      for (size_t i = 0; i < size; i++) ((jf_char32*)to)[i] = ((const jf_char32*)from)[i];
      return;
    }
    jf_copy(to, from, to_wide ? size * sizeof(jf_char32) : size);
  } else if (to_wide) {
    for (size_t i = 0; i < size; i++) ((jf_char32*)to)[i] = ((const unsigned char*)from)[i];
  } else {
    for (size_t i = 0; i < size; i++) ((unsigned char*)to)[i] = (unsigned char)((const jf_char32*)from)[i];
  }
}

int32_t jf_text_narrow(jf_value* out, int32_t capacity) {
  if (out->type_code == JF_SMALL_UCS4) {
    char* payload = (char*)out + JF_PAYLOAD_OFFSET;
    const size_t size = (size_t)out->small_len;
    if (!jf_units_ascii(payload, 1, size)) return 0;
    for (size_t i = 0; i < size; i++)
      payload[i] = payload[sizeof(jf_char32) * i]; /* where the room is a quarter of it */
    memset(payload + size, 0, size < 8 ? 8 - size : 1);
    out->type_code = JF_SMALL_STR;
    return 0;
  }
  jf_object* object = out->v_object;
  const jf_ucs4* wide = (const jf_ucs4*)object;
  if (!jf_units_ascii(wide->data, 1, wide->size)) return 0;
  jf_out_init(out, capacity);
  void* data = jf_text_begin(out, JF_STR, wide->size);
  if (data) jf_units_copy(data, 0, wide->data, 1, wide->size);
  jf_object_release(object);
  return data ? 0 : -1;
}

/* Borrows. MemoryError: *out is null. */
int32_t jf_text_out(const jf_text* text, jf_value* out) {
  const int32_t wide = !jf_text_is_ascii(text);
  void* data = jf_text_begin(out, wide ? JF_UCS4 : JF_STR, text->size);
  if (!data) return -1;
  jf_units_copy(data, wide, text->data, text->wide, text->size);
  return 0;
}

/* Borrows. MemoryError: *out is null. */
int32_t jf_bytes_to(const jf_text* bytes, jf_value* out) {
  void* data = jf_text_begin(out, JF_BYTES, bytes->size);
  if (!data) return -1;
  jf_copy(data, bytes->data, bytes->size);
  return 0;
}

/* Never fails: one character fits everywhere. */
int32_t jf_char_out(int32_t code_point, jf_value* out) {
  out->type_code = code_point < 128 ? JF_SMALL_STR : JF_SMALL_UCS4;
  out->small_len = 1;
  out->v_uint64 = (uint32_t)code_point;
  return 0;
}

/* -- lists -- */

int32_t jf_text_item(jf_pool* pool, size_t limit, const jf_text* text, int32_t is_bytes, jf_item* out) {
  const size_t size = text->size, room = (size_t)pool->stride - JF_PAYLOAD_OFFSET;
  const int32_t wide = !is_bytes && !jf_text_is_ascii(text);
  if (wide ? size > room / sizeof(jf_char32) : size >= room) {
    char* data;
    out->object = jf_str_alloc(wide ? JF_UCS4 : is_bytes ? JF_BYTES : JF_STR, size, &data);
    if (!out->object) return -1;
    jf_units_copy(data, wide, text->data, text->wide, size);
    if (!wide && !is_bytes) ((jf_str*)out->object)->characters = (int64_t)size;
    return 0;
  }
  if (size == 1 && !wide && !is_bytes) {
    out->slot = &jf_static_chars[jf_unit(text->data, 0, text->wide)];
    return 0;
  }
  jf_any* slot = jf_pool_take(pool, limit);
  if (!slot) return -1;
  char* payload = (char*)slot + JF_PAYLOAD_OFFSET;
  slot->type_code = wide ? JF_SMALL_UCS4 : is_bytes ? JF_SMALL_BYTES : JF_SMALL_STR;
  slot->small_len = (int32_t)size;
  slot->v_int64 = 0;
  jf_units_copy(payload, wide, text->data, text->wide, size);
  if (!wide) payload[size] = 0;
  out->slot = slot;
  return 0;
}

/* What jf_pool_take is to know: how many slots more than it has the list has room for items. */
static size_t limit_of(const jf_list* list) {
  if (list->pool.free || list->pool.fresh != list->pool.end) return 1; /* unused */
  size_t slots = 0;
  for (const jf_pool_block* block = list->pool.blocks; block; block = block->next) slots += block->slots;
  return slots < list->capacity ? list->capacity - slots : 1;
}

int32_t jf_list_put_text(jf_list* list, const jf_text* text, int32_t is_bytes) {
  if (list->size == list->capacity && jf_list_reserve(&list->header, list->capacity + list->capacity / 2 + 4) != 0) {
    return -1;
  }
  if (jf_text_item(&list->pool, limit_of(list), text, is_bytes, &list->items[list->size]) != 0) return -1;
  list->size++;
  return 0;
}

/* A slot of the pool for what fits into one as it is, narrow text or a character; NULL: to be done otherwise. */
static inline const jf_any* fast_slot(jf_pool* pool, const jf_text* text) {
  const size_t size = text->size;
  if (text->wide ? size != 1 : size >= (size_t)pool->stride - JF_PAYLOAD_OFFSET) return NULL;
  const uint32_t c = size == 1 ? jf_unit(text->data, 0, text->wide) : 128;
  if (c < 128) return &jf_static_chars[c];
  jf_any* slot = pool->free;
  if (slot) {
    pool->free = slot->v_handle;
  } else {
    if (pool->fresh == pool->end) return NULL;
    slot = (jf_any*)(void*)pool->fresh;
    pool->fresh += pool->stride;
  }
  slot->type_code = text->wide ? JF_SMALL_UCS4 : JF_SMALL_STR;
  slot->small_len = (int32_t)size;
  slot->v_uint64 = text->wide ? c : 0;
  if (text->wide) return slot;
  char* payload = (char*)slot + JF_PAYLOAD_OFFSET;
  jf_copy(payload, text->data, size);
  payload[size] = 0;
  return slot;
}

/* Borrows both; the text may be one of the list's. MemoryError: nothing has changed. */
int32_t jf_text_list_append(jf_object* object, const jf_text* text) {
  jf_list* list = (jf_list*)object;
  const jf_any* slot = list->size < list->capacity ? fast_slot(&list->pool, text) : NULL;
  if (!slot) return jf_list_put_text(list, text, 0);
  list->items[list->size++].slot = slot;
  return 0;
}
