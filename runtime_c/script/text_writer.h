/* Writes parts of a text into a new list, whose room and pool are known beforehand: two words are copied and a
 * pointer is stored, nothing is looked up or called.
 */
#ifndef JITFFI_TEXT_WRITER_H
#define JITFFI_TEXT_WRITER_H

#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "text_make.h"
#include "text_units.h"

typedef struct {
  jf_list* list;
  jf_item* item; /* the next one */
  char* fresh;   /* the pool's next slot */
  const char* data;
  const char* end; /* of the text: nothing behind it is read */
  size_t room;     /* a slot's payload */
  size_t stride;
  uint64_t code; /* of small ones */
  int32_t is_bytes;
} jf_list_writer;

/* A new list for up to `count` parts of text, all of them in its pool. NULL with MemoryError set. */
static inline jf_list* jf_list_writer_start(jf_list_writer* to, const jf_text* text, size_t count, int32_t pad,
                                            int32_t is_bytes) {
  jf_object* made = jf_list_new(count, pad);
  if (!made) return NULL;
  jf_list* list = (jf_list*)made;
  if (jf_pool_reserve(&list->pool, count) != 0) {
    jf_object_release(made);
    return NULL;
  }
  const char* data = text->data;
  *to = (jf_list_writer){list,
                         list->items,
                         list->pool.fresh,
                         data,
                         data + text->size,
                         (size_t)list->pool.stride - JF_PAYLOAD_OFFSET,
                         (size_t)list->pool.stride,
                         (uint32_t)(is_bytes ? JF_SMALL_BYTES : JF_SMALL_STR),
                         is_bytes};
  return list;
}

/* What has been written so far belongs to the list. */
JF_ALWAYS void jf_list_writer_commit(jf_list_writer* to) {
  to->list->size = (size_t)(to->item - to->list->items);
  to->list->pool.fresh = to->fresh;
}

static __attribute__((noinline)) int32_t jf_list_writer_put_slowly(jf_list_writer* to, const void* data, size_t size,
                                                                   int32_t wide) {
  const jf_text part = {data, size, wide};
  jf_pool* pool = &to->list->pool;
  pool->fresh = to->fresh;
  if (jf_text_item(pool, 1, &part, to->is_bytes, to->item) != 0) return -1;
  to->item++;
  to->fresh = pool->fresh;
  return 0;
}

/* 0, or -1 with MemoryError. */
JF_ALWAYS int32_t jf_list_writer_put(jf_list_writer* to, size_t start, size_t end) {
  const char* data = to->data + start;
  const size_t size = end - start;
  if (size >= 16 || size >= to->room || (size_t)(to->end - data) < 16)
    return jf_list_writer_put_slowly(to, data, size, 0);
  const uint64_t head = to->code | (uint64_t)size << 32, kept = size < 8 ? ~(~(uint64_t)0 << 8 * size) : ~(uint64_t)0;
  uint64_t words[2];
  memcpy(words, data, sizeof words);
  words[0] &= kept;
  memcpy(to->fresh, &head, sizeof head);
  if (to->room >= 16) {
    memcpy(to->fresh + 8, words, 16);
  } else {
    memcpy(to->fresh + 8, words, 8);
  }
  to->fresh[JF_PAYLOAD_OFFSET + size] = 0;
  const int32_t is_static = size == 1 && !to->is_bytes;
  to->item->slot = is_static ? &jf_static_chars[words[0] & 127] : (const jf_any*)(const void*)to->fresh;
  to->fresh += is_static ? 0 : to->stride;
  to->item++;
  return 0;
}

/* A part of a wide text, of whose characters `all` is the union of bits. 0, or -1 with MemoryError. */
JF_ALWAYS int32_t jf_list_writer_put_wide(jf_list_writer* to, const jf_char32* s, size_t size, uint32_t all) {
  const int32_t is_ascii = all < 128;
  if (is_ascii ? size >= to->room : size > to->room / sizeof *s) return jf_list_writer_put_slowly(to, s, size, 1);
  const uint64_t head = (uint32_t)(is_ascii ? JF_SMALL_STR : JF_SMALL_UCS4) | (uint64_t)size << 32, zero = 0;
  char* payload = to->fresh + JF_PAYLOAD_OFFSET;
  memcpy(to->fresh, &head, sizeof head);
  memcpy(payload, &zero, sizeof zero);
  if (is_ascii) {
    for (size_t i = 0; i < size; i++) payload[i] = (char)s[i];
    payload[size] = 0;
  } else {
    for (size_t i = 0; i < size; i++) ((jf_char32*)(void*)payload)[i] = s[i];
  }
  const int32_t is_static = is_ascii && size == 1;
  to->item->slot = is_static ? &jf_static_chars[all] : (const jf_any*)(const void*)to->fresh;
  to->fresh += is_static ? 0 : to->stride;
  to->item++;
  return 0;
}

/* Gives the list to *out; or releases it where status is not 0. */
JF_ALWAYS int32_t jf_list_writer_finish(jf_list_writer* to, int32_t status, jf_object** out) {
  jf_list_writer_commit(to);
  *out = &to->list->header;
  if (status == 0) return 0;
  jf_object_release(*out);
  *out = NULL;
  return -1;
}

#endif
