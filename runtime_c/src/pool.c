/* Where containers keep values that are no objects: the pool that each has, beside the slots that all share. Items: from
 * views, from other items, and into out-slots.
 */
#include <assert.h>
#include <string.h>

#include "allocation.h"
#include "cycles.h"
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/pad.h"
#include "jitffi/runtime.h"
#include "message.h"
#include "pool.h"
#include "slot.h"

enum { FIRST_BLOCK = 8 };

/* An empty pool, without memory of its own. Never fails. */
void jf_pool_init(jf_pool* pool, int32_t pad) {
  if (pad < 0) pad = JF_DEFAULT_PAD;
  if (pad > JF_MAX_PAD) pad = JF_MAX_PAD;
  *pool = (jf_pool){.pad = pad, .stride = JF_PAD_SIZE(pad)};
}

/* What is left of the newest block goes to the free list; the new block takes its place. */
static int32_t add_block(jf_pool* pool, size_t slots) {
  const size_t stride = (size_t)pool->stride;
  jf_pool_block* block =
      slots <= (PTRDIFF_MAX - sizeof *block) / stride ? jf_alloc_large(sizeof *block + slots * stride) : NULL;
  if (!block) {
    jf_error_no_memory();
    return -1;
  }
  for (; pool->fresh != pool->end; pool->fresh += stride) jf_pool_put(pool, (jf_any*)(void*)pool->fresh);
  block->next = pool->blocks;
  block->slots = slots;
  pool->blocks = block;
  pool->fresh = (char*)(block + 1);
  pool->end = pool->fresh + slots * stride;
  return 0;
}

/* Counts what the newest block has left, but not slots that were given back. MemoryError: nothing has changed. */
int32_t jf_pool_reserve(jf_pool* pool, size_t slots) {
  const size_t left = (size_t)(pool->end - pool->fresh) / (size_t)pool->stride;
  return slots <= left ? 0 : add_block(pool, slots - left);
}

/* Never fails. */
void jf_pool_clear(jf_pool* pool) {
  for (jf_pool_block* block = pool->blocks; block;) {
    jf_pool_block* next = block->next;
    jf_free_large(block, sizeof *block + block->slots * (size_t)pool->stride);
    block = next;
  }
  jf_pool_init(pool, pool->pad);
}

void jf_pool_reset(jf_pool* pool) {
  jf_pool_block* kept = pool->blocks;
  if (!kept) return;
  if (kept->next) {
    pool->blocks = kept->next;
    jf_pool_clear(pool);
    kept->next = NULL;
    pool->blocks = kept;
  }
  pool->free = NULL;
  pool->fresh = (char*)(kept + 1);
  pool->end = pool->fresh + kept->slots * (size_t)pool->stride;
}

size_t jf_pool_slots(const jf_pool* pool) {
  size_t slots = 0;
  for (const jf_pool_block* block = pool->blocks; block; block = block->next) slots += block->slots;
  return slots;
}

/* Called when no slot is left. Blocks double in size, so that there are few. MemoryError: nothing has changed. */
jf_any* jf_pool_grow(jf_pool* pool, size_t limit) {
  size_t slots = pool->blocks ? pool->blocks->slots : FIRST_BLOCK / 2;
  slots = slots < limit / 2 ? 2 * slots : limit;
  if (add_block(pool, slots ? slots : 1) != 0) return NULL;
  jf_any* slot = (jf_any*)(void*)pool->fresh;
  pool->fresh += pool->stride;
  return slot;
}

/* -- items -- */

static int32_t is_text(const jf_any* slot) {
  return slot->type_code <= JF_SMALL_STR && slot->type_code >= JF_SMALL_BYTES;
}

/* Bytes of a slot that a value takes up: 16, or as far as its text with its NUL goes. */
static size_t slot_bytes(const jf_any* slot) {
  const size_t units = is_text(slot) ? (size_t)slot->small_len : 0;
  if (units <= (slot->type_code == JF_SMALL_UCS4 ? 2 : 7)) return sizeof *slot;
  return JF_PAYLOAD_OFFSET + (slot->type_code == JF_SMALL_UCS4 ? units * sizeof(jf_char32) : units + 1);
}

/* Bytes of a text's units. */
static size_t bytes_of(const jf_encoded* text) {
  return text->kind == JF_TEXT_UCS4 ? text->size * sizeof(jf_char32) : text->size;
}

static int32_t text_object(const jf_encoded* text, jf_item* out) {
  out->object = text->kind == JF_TEXT_UTF8    ? jf_str_new(text->data, text->size)
                : text->kind == JF_TEXT_BYTES ? jf_bytes_new(text->data, text->size)
                                              : jf_ucs4_new(text->data, text->size);
  return out->object ? 0 : -1;
}

/* Text as an item: static, in a slot, or as an object. */
static inline int32_t text_item(jf_pool* pool, size_t limit, jf_encoded text, jf_item* out) {
  const size_t payload = (size_t)pool->stride - JF_PAYLOAD_OFFSET;
  const int32_t is_wide = text.kind == JF_TEXT_UCS4;
  if (is_wide ? text.size > payload / sizeof(jf_char32) : text.size >= payload) return text_object(&text, out);
  if (text.size == 1 && text.kind == JF_TEXT_UTF8 && *(const unsigned char*)text.data < JF_STATIC_CHARS) {
    out->slot = &jf_static_chars[*(const unsigned char*)text.data];
    return 0;
  }
  if (text.size == 1 && is_wide && *(const jf_char32*)text.data < JF_STATIC_CHARS) {
    out->slot = &jf_static_ucs4_chars[*(const jf_char32*)text.data];
    return 0;
  }
  jf_any* slot = jf_pool_take(pool, limit);
  if (!slot) return -1;
  char* to = (char*)slot + JF_PAYLOAD_OFFSET;
  slot->type_code = is_wide ? JF_SMALL_UCS4 : text.kind == JF_TEXT_UTF8 ? JF_SMALL_STR : JF_SMALL_BYTES;
  slot->small_len = (int32_t)text.size;
  slot->v_int64 = 0;
  memcpy(to, text.data, bytes_of(&text));
  if (!is_wide) to[text.size] = 0;
  out->slot = slot;
  return 0;
}

static int32_t is_box(const jf_object* object) {
  return object->type_code >= JF_S2_FIRST && object->type_code <= JF_S2_LAST;
}

/* Of the r-value's object; the reference becomes NULL on success only. */
static int32_t moved_item(jf_pool* pool, size_t limit, const jf_view* view, jf_item* out) {
  jf_object* object = view->v_rvalue ? *view->v_rvalue : NULL;
  if (!object) {
    jf_value refused = jf_static_null;
    return jf_any_retain(view, &refused); /* which says why */
  }
  if (is_box(object)) {
    const jf_view box = {JF_OBJECT, 0, {.v_uint64 = JF_POINTER_WORD(object)}};
    if (jf_item_new(pool, limit, &box, out) != 0) return -1;
  } else {
    out->object = object;
  }
  *view->v_rvalue = NULL;
  if (is_box(object)) jf_object_release(object);
  return 0;
}

/* Borrows view, but for an r-value reference, which is moved when nothing fails. MemoryError, ValueError for what
 * cannot be kept, TypeError for what is no slot: *out is unspecified, the pool keeps what it held. */
int32_t jf_item_new(jf_pool* pool, size_t limit, const jf_view* view, jf_item* out) {
  if ((view->type_code == JF_STR_VIEW || view->type_code == JF_BYTE_ARRAY) && view->v_span && view->v_span->data) {
    const int32_t kind = view->type_code == JF_STR_VIEW ? JF_TEXT_UTF8 : JF_TEXT_BYTES;
    return text_item(pool, limit, (jf_encoded){kind, 0, view->v_span->data, view->v_span->size}, out);
  }
  if (view->type_code == JF_UCS4_VIEW && view->v_ucs4_span && view->v_ucs4_span->data) {
    const jf_ucs4_span* span = view->v_ucs4_span;
    return text_item(pool, limit, (jf_encoded){JF_TEXT_UCS4, 0, span->data, span->size}, out);
  }
  if (view->type_code == JF_ANY_PTR && view->v_handle) {
    const jf_any* pointee = view->v_handle;
    if (is_text(pointee) && jf_item_fast(pool, pointee, out)) return 0;
  } else if (jf_item_fast(pool, view, out)) {
    return 0;
  }
  if (view->type_code == JF_RVALUE) return moved_item(pool, limit, view, out);
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  if (slot != view && jf_item_fast(pool, slot, out)) return 0;
  jf_object* object = jf_any_object(slot);
  if (object) {
    jf_object_retain(object);
    out->object = object;
    return 0;
  }
  jf_encoded text = jf_any_text(slot);
  if (text.kind != JF_TEXT_NONE) return text_item(pool, limit, text, out);
  jf_value value = jf_static_null;
  if (jf_any_retain(slot, &value) != 0) return -1;
  jf_any* taken = jf_pool_take(pool, limit);
  if (!taken) return -1; /* a plain value: nothing to release */
  *taken = value;
  out->slot = taken;
  return 0;
}

int32_t jf_item_copy(jf_pool* pool, size_t limit, jf_item from, jf_item* out) {
  *out = from;
  if (*from.code > 0) {
    jf_object_retain(from.object);
    return 0;
  }
  if (jf_slot_is_shared(from.slot)) return 0;
  const size_t bytes = slot_bytes(from.slot);
  if (bytes > (size_t)pool->stride) return text_item(pool, limit, jf_any_text(from.slot), out);
  jf_any* slot = jf_pool_take(pool, limit);
  if (!slot) return -1;
  *slot = *from.slot;
  if (bytes > sizeof *slot) memcpy(slot + 1, from.slot + 1, bytes - sizeof *slot);
  out->slot = slot;
  return 0;
}

/* Steals item. */
void jf_item_free(jf_pool* pool, jf_item item) {
  if (*item.code > 0) {
    jf_object_release(item.object);
  } else if (!jf_slot_is_shared(item.slot)) {
    assert(!jf_slot_is_static(item.slot));
    jf_pool_put(pool, item.slot);
  }
}

/* *out owns what it gets. MemoryError (text that the out-slot has no room for): *out is null. */
int32_t jf_item_get(jf_item item, jf_value* out) {
  assert(out->type_code == JF_NULL);
  if (*item.code > 0) {
    jf_object_retain(item.object);
    out->type_code = *item.code <= JF_S1_LAST ? *item.code : JF_OBJECT;
    out->small_len = 0;
    out->v_uint64 = JF_POINTER_WORD(item.object);
    return 0;
  }
  const jf_any* slot = item.slot;
  const size_t bytes = slot_bytes(slot);
  if (bytes == sizeof *slot) {
    *out = *slot;
    return 0;
  }
  if (bytes > JF_PAYLOAD_OFFSET + (size_t)jf_out_capacity(out)) return jf_any_retain(slot, out);
  memcpy(out, slot, bytes);
  return 0;
}

int32_t jf_item_leads_back(jf_item item) {
  const int32_t code = *item.code;
  if (code == JF_LIST || code == JF_MAP || code == JF_SET) return 1;
  if (code == JF_TUPLE) return jf_links_used(&((const jf_tuple*)item.object)->links);
  if (code <= 0 || (code >= JF_STR && code <= JF_BYTES)) return 0;
  const jf_type_operations* operations = jf_type_get_operations(code);
  if (operations && operations->traverse) return 1;
  return code >= JF_FIRST_DYNAMIC &&
         (jf_type_is_a(code, JF_LIST) || jf_type_is_a(code, JF_MAP) || jf_type_is_a(code, JF_TUPLE));
}

int32_t jf_items_traverse(const jf_item* items, size_t size, int32_t (*visit)(jf_object*, void*), void* context) {
  for (size_t i = 0; i < size; i++) {
    const int32_t stop = *items[i].code > 0 ? visit(items[i].object, context) : 0;
    if (stop) return stop;
  }
  return 0;
}
