/* Pools: slots of the items of a container. */
#ifndef JITFFI_SRC_POOL_H
#define JITFFI_SRC_POOL_H

#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"

/* Whether a slot that an item points at is one of the static ones: told by its value, since such a value is never in a
 * pool. */
static inline int32_t jf_slot_is_shared(const jf_any* slot) {
  switch (slot->type_code) {
    case JF_NULL:
    case JF_BOOL:
      return 1;
    case JF_INT:
      return slot->v_uint64 - (uint64_t)JF_STATIC_INT_FIRST < JF_STATIC_INTS;
    case JF_SMALL_STR:
      return slot->small_len == 1 && (unsigned char)slot->v_bytes[0] < JF_STATIC_CHARS;
    case JF_SMALL_UCS4:
      return slot->small_len == 1 && slot->v_char32[0] < JF_STATIC_CHARS;
    default:
      return 0;
  }
}
/* Gives a slot of this pool back. */
static inline void jf_pool_put(jf_pool* pool, const jf_any* slot) {
  jf_any* freed = (jf_any*)(uintptr_t)slot;
#ifdef JITFFI_HOSTILE
  memset(freed, 0xDB, (size_t)pool->stride);
  freed->type_code = 0;
#endif
  freed->v_handle = pool->free;
  pool->free = freed;
}
size_t jf_pool_slots(const jf_pool* pool); /* in all its blocks */
void jf_pool_reset(jf_pool* pool);         /* all slots at once, but the newest block is kept */
/* An item of this pool for an item of any container. 0, or -1 with MemoryError set. */
int32_t jf_item_copy(jf_pool* pool, size_t limit, jf_item from, jf_item* out);
/* Whether an item is an object that can lead back to the container it is in. A tuple that holds none never will. */
int32_t jf_item_leads_back(jf_item item);
/* A slot, uninitialised, if the pool has one; else NULL. */
static inline jf_any* jf_pool_try(jf_pool* pool) {
  jf_any* slot = pool->free;
  if (slot) {
    pool->free = slot->v_handle;
  } else if (pool->fresh != pool->end) {
    slot = (jf_any*)(void*)pool->fresh;
    pool->fresh += pool->stride;
  }
  return slot;
}
/* jf_item_new for what takes no more than a slot that the pool has, or a reference: 1. 0: nothing was done. */
static inline int32_t jf_item_fast(jf_pool* pool, const jf_view* view, jf_item* out) {
  const uint32_t room = (uint32_t)pool->stride - JF_PAYLOAD_OFFSET;
  size_t beyond = 0; /* bytes of text behind the first 16 of the slot */
  switch (view->type_code) {
    case JF_INT:
      if (view->v_uint64 - (uint64_t)JF_STATIC_INT_FIRST < JF_STATIC_INTS) {
        out->slot = &jf_static_ints[view->v_int64 - JF_STATIC_INT_FIRST];
        return 1;
      }
      break;
    case JF_FLOAT:
      break;
    case JF_SMALL_UCS4:
      if (view->small_len == 1 && view->v_char32[0] < JF_STATIC_CHARS) {
        out->slot = &jf_static_ucs4_chars[view->v_char32[0]];
        return 1;
      }
      if ((uint32_t)view->small_len <= 2) break;
      if ((uint32_t)view->small_len > room / sizeof(jf_char32)) return 0;
      beyond = (size_t)view->small_len * sizeof(jf_char32) - 8;
      break;
    case JF_SMALL_STR:
      if (view->small_len == 1 && (unsigned char)view->v_bytes[0] < JF_STATIC_CHARS) {
        out->slot = &jf_static_chars[(unsigned char)view->v_bytes[0]];
        return 1;
      }
      /* fall through */
    case JF_SMALL_BYTES:
      if ((uint32_t)view->small_len <= 7) break;
      if ((uint32_t)view->small_len >= room) return 0;
      beyond = (size_t)view->small_len + 1 - 8;
      break;
    case JF_OBJECT:
      if (!view->v_object || (view->v_object->type_code >= JF_S2_FIRST && view->v_object->type_code <= JF_S2_LAST)) {
        return 0;
      }
      jf_object_retain(view->v_object);
      out->object = view->v_object;
      return 1;
    case JF_RVALUE: {
      jf_object* moved = view->v_rvalue ? *view->v_rvalue : NULL;
      if (!moved || (moved->type_code >= JF_S2_FIRST && moved->type_code <= JF_S2_LAST)) return 0;
      *view->v_rvalue = NULL;
      out->object = moved;
      return 1;
    }
    case JF_NULL:
      out->slot = &jf_static_null;
      return 1;
    case JF_BOOL:
      out->slot = view->v_int64 ? &jf_static_true : &jf_static_false;
      return 1;
    default:
      return 0;
  }
  jf_any* slot = jf_pool_try(pool);
  if (!slot) return 0;
  *slot = *view;
  if (beyond) memcpy(slot + 1, view + 1, beyond);
  out->slot = slot;
  return 1;
}

#endif
