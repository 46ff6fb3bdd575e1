/* Tuples: items that never change, in one allocation.
 *
 *   | jf_tuple | item | item | ... | slot | slot | ... |     each slot as large as its value needs
 */
#include <assert.h>
#include <string.h>

#include "blocks.h"
#include "copy.h"
#include "cycles.h"
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "message.h"
#include "object.h"
#include "pool.h"
#include "slot.h"
#include "tuple.h"

size_t jf_tuple_text_bytes(jf_encoded text) {
  if (text.kind == JF_TEXT_UCS4) {
    if (text.size > JF_MAX_CAPACITY / sizeof(jf_char32)) return 0;
    return text.size <= 2 ? sizeof(jf_any) : JF_PAYLOAD_OFFSET + ((text.size * sizeof(jf_char32) + 7) & ~(size_t)7);
  }
  if (text.size >= JF_MAX_CAPACITY) return 0;
  return text.size <= 7 ? sizeof(jf_any) : JF_PAYLOAD_OFFSET + ((text.size + 8) & ~(size_t)7);
}

static size_t slot_bytes(const jf_any* view) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  if (jf_any_object(slot) || jf_slot_is_shared(slot)) return 0;
  jf_encoded text = jf_any_text(slot);
  return text.kind == JF_TEXT_NONE ? sizeof(jf_any) : jf_tuple_text_bytes(text);
}

/* A pool of one slot at a time: the next bytes of a tuple, of the size that slot_bytes said. */
static void borrow_memory(jf_pool* pool, char* at, size_t bytes) {
  jf_pool_init(pool, 0);
  if (!bytes) return;
  pool->stride = (int32_t)bytes;
  pool->fresh = at;
  pool->end = at + bytes;
}

static void release_objects(jf_tuple* tuple) {
  const size_t size = tuple->size;
  tuple->size = 0;
  for (size_t i = 0; i < size; i++) {
    if (*tuple->items[i].code > 0) jf_object_release(tuple->items[i].object);
  }
}

/* The finder does not know tuples of tuples, which lead nowhere, but they nest as deep as others. */
static int32_t holds_tuple(const jf_tuple* tuple) {
  for (size_t i = 0; i < tuple->size; i++) {
    const int32_t code = *tuple->items[i].code;
    if (code == JF_TUPLE || code >= JF_FIRST_DYNAMIC) return 1;
  }
  return 0;
}

/* Steals the tuple's last reference. */
void jf_tuple_delete_last(jf_object* object) {
  jf_tuple* tuple = (jf_tuple*)object;
  size_t slots = 0;
  while (slots < tuple->size && *tuple->items[slots].code < 0) slots++;
  if (slots == tuple->size && !jf_links_used(&tuple->links)) { /* nothing in it is counted */
    jf_object_free(object);
    return;
  }
  const int32_t is_known = jf_links_used(&tuple->links), is_nested = is_known || holds_tuple(tuple);
  if (is_known) {
    jf_cycles_untrack(object);
    tuple->links = (jf_links){.next = NULL};
  }
  if (is_nested && !jf_deferred_free_enter(object, &tuple->links)) return;
  release_objects(tuple);
  jf_object_free(object);
  if (is_nested) jf_deferred_free_leave();
}

void jf_tuple_clear(jf_object* object) { release_objects((jf_tuple*)object); }

jf_tuple* jf_tuple_make(size_t count, size_t bytes) {
  const size_t most = PTRDIFF_MAX - sizeof(jf_tuple);
  if (count > most / sizeof(jf_item) || bytes > most - count * sizeof(jf_item)) {
    jf_error_no_memory();
    return NULL;
  }
  jf_tuple* tuple =
      jf_object_make_unset(sizeof *tuple + count * sizeof(jf_item) + bytes, JF_TUPLE, jf_tuple_delete_last);
  if (!tuple) {
    jf_error_no_memory();
    return NULL;
  }
  memset(&tuple->header + 1, 0, sizeof *tuple - sizeof tuple->header); /* items are written as they are counted */
  tuple->items = (jf_item*)(tuple + 1);
  return tuple;
}

jf_object* jf_tuple_finished(jf_tuple* tuple) {
  for (size_t i = 0; i < tuple->size && !jf_links_used(&tuple->links); i++) {
    jf_item_stored(&tuple->header, &tuple->links, tuple->items[i]);
  }
  return &tuple->header;
}

/* A view that does not move what an r-value reference holds. */
static jf_view held_view(const jf_view* view) {
  jf_view held = *view;
  if (view->type_code == JF_RVALUE && view->v_rvalue && *view->v_rvalue) {
    const jf_any* slot = jf_any_resolve(view, &held);
    if (slot != &held) held = *slot;
  }
  return held;
}

/* -- of parts that one look tells -- */

/* What an item is made of: the address of a static slot or an object (no bytes), of a slot (no head), or of text. */
typedef struct {
  const void* from;
  uint64_t head;  /* of text: the first word of its slot */
  uint32_t bytes; /* of the tuple's memory */
  uint32_t text;  /* bytes of it */
} part;

enum { PART_TOLD = 1, PART_COUNTED = 2 };

static inline int32_t static_part(const jf_any* slot, part* out) {
  *out = (part){.from = slot};
  return PART_TOLD;
}

static inline int32_t slot_part(const jf_any* slot, size_t payload, part* out) {
  *out = (part){.from = slot, .bytes = (uint32_t)(JF_PAYLOAD_OFFSET + (payload <= 8 ? 8 : (payload + 7) & ~(size_t)7))};
  return PART_TOLD;
}

/* Text that a slot has room for. A NUL follows but UCS4. */
static inline int32_t text_part(int32_t code, const void* data, size_t size, part* out) {
  size_t bytes = size;
  if (code == JF_SMALL_UCS4) {
    if (size > JF_MAX_CAPACITY / sizeof(jf_char32)) return 0;
    if (size == 1 && *(const jf_char32*)data < JF_STATIC_CHARS) {
      return static_part(&jf_static_ucs4_chars[*(const jf_char32*)data], out);
    }
    bytes = size * sizeof(jf_char32);
  } else {
    if (size >= JF_MAX_CAPACITY) return 0;
    if (code == JF_SMALL_STR && size == 1 && *(const unsigned char*)data < JF_STATIC_CHARS) {
      return static_part(&jf_static_chars[*(const unsigned char*)data], out);
    }
  }
  const size_t payload = code == JF_SMALL_UCS4 ? (bytes ? bytes : 1) : bytes + 1;
  *out = (part){data, (uint32_t)code | (uint64_t)size << 32,
                (uint32_t)(JF_PAYLOAD_OFFSET + ((payload + 7) & ~(size_t)7)), (uint32_t)bytes};
  return PART_TOLD;
}

static inline int32_t object_part(const jf_object* object, part* out) {
  if (object->type_code >= JF_S2_FIRST && object->type_code <= JF_S2_LAST) return 0;
  *out = (part){.from = object};
  return PART_TOLD | PART_COUNTED;
}

static inline int32_t int_part(const jf_any* slot, part* out) {
  const uint64_t at = slot->v_uint64 - (uint64_t)JF_STATIC_INT_FIRST;
  return at < JF_STATIC_INTS ? static_part(&jf_static_ints[at], out) : slot_part(slot, 8, out);
}

static inline int32_t small_str_part(const jf_any* slot, part* out) {
  const size_t size = (uint32_t)slot->small_len;
  if (size == 1 && (unsigned char)slot->v_bytes[0] < JF_STATIC_CHARS) {
    return static_part(&jf_static_chars[(unsigned char)slot->v_bytes[0]], out);
  }
  return size < JF_MAX_CAPACITY ? slot_part(slot, size + 1, out) : 0;
}

/* Of a slot with small text; its length is right. */
static inline int32_t small_part(const jf_any* slot, part* out) {
  const size_t size = (uint32_t)slot->small_len;
  switch (slot->type_code) {
    case JF_SMALL_STR:
      return small_str_part(slot, out);
    case JF_SMALL_BYTES:
      return size < JF_MAX_CAPACITY ? slot_part(slot, size + 1, out) : 0;
    case JF_SMALL_UCS4:
      if (size == 1 && slot->v_char32[0] < JF_STATIC_CHARS) {
        return static_part(&jf_static_ucs4_chars[slot->v_char32[0]], out);
      }
      return size <= JF_MAX_CAPACITY / sizeof(jf_char32) ? slot_part(slot, size * sizeof(jf_char32), out) : 0;
    default:
      return 0;
  }
}

/* What a view is as a part: PART_TOLD, with PART_COUNTED where it is an object; 0: jf_item_new must say. */
static inline int32_t part_of(const jf_view* view, part* out) {
  switch (view->type_code) {
    case JF_INT:
      return int_part(view, out);
    case JF_FLOAT:
      return slot_part(view, 8, out);
    case JF_NULL:
      return static_part(&jf_static_null, out);
    case JF_BOOL:
      return static_part(view->v_int64 ? &jf_static_true : &jf_static_false, out);
    case JF_OBJECT:
      return view->v_object ? object_part(view->v_object, out) : 0;
    case JF_SMALL_STR: /* a view's slot has 16 bytes, unless it is longer */
    case JF_SMALL_BYTES:
    case JF_SMALL_UCS4:
      return small_part(view, out);
    case JF_STR_VIEW:
    case JF_BYTE_ARRAY:
      if (!view->v_span || !view->v_span->data) return 0;
      return text_part(view->type_code == JF_STR_VIEW ? JF_SMALL_STR : JF_SMALL_BYTES, view->v_span->data,
                       view->v_span->size, out);
    case JF_UCS4_VIEW:
      if (!view->v_ucs4_span || !view->v_ucs4_span->data) return 0;
      return text_part(JF_SMALL_UCS4, view->v_ucs4_span->data, view->v_ucs4_span->size, out);
    case JF_ANY_PTR:
      return view->v_handle ? small_part(view->v_handle, out) : 0;
    default:
      return 0;
  }
}

static inline void put_part(const part* from, char* at) {
  uint64_t zero = 0;
  if (from->head) {
    memcpy(at, &from->head, sizeof from->head);
    memcpy(at + from->bytes - sizeof zero, &zero, sizeof zero); /* the NUL, and all that is not text of a first word */
    jf_copy(at + JF_PAYLOAD_OFFSET, from->from, from->text);
  } else {
    jf_copy(at, from->from, from->bytes);
  }
}

enum { FAST_ITEMS = 8 };

/* The finder never knows such a tuple: what it has of memory stands in a link. */
void jf_tuple_delete_plain(jf_object* object) {
  jf_block_give(object, (size_t)(uintptr_t)((const jf_tuple*)object)->links.previous);
}

/* New, of parts; objects are borrowed, but for those whose bits are set in `moved`. NULL: there is no memory. */
static inline __attribute__((always_inline)) jf_object* made_of(const part* parts, size_t count, size_t bytes,
                                                                int32_t is_counted, uint32_t moved) {
  const size_t head = sizeof(jf_tuple) + count * sizeof(jf_item), size = head + bytes;
  jf_tuple* tuple = jf_block_make(size);
  if (!tuple) return NULL;
  const jf_object header = {.type_code = JF_TUPLE, .ref_count = 1};
  memset(tuple, 0, sizeof *tuple);
  tuple->header = header;
  JF_SET_WIDE(&tuple->header, deleter, is_counted ? jf_tuple_delete_last : jf_tuple_delete_plain);
  tuple->items = (jf_item*)(tuple + 1);
  tuple->size = count;
  if (!is_counted) tuple->links.previous = (jf_object*)(uintptr_t)size;
  char* at = (char*)tuple + head;
  for (size_t i = 0; i < count; i++) {
    if (parts[i].bytes) {
      put_part(&parts[i], at);
      tuple->items[i].slot = (const jf_any*)(const void*)at;
      at += parts[i].bytes;
    } else {
      tuple->items[i].slot = parts[i].from; /* or an object */
    }
  }
  if (!is_counted) return &tuple->header;
  for (size_t i = 0; i < count; i++) {
    if (*tuple->items[i].code > 0 && !(moved >> i & 1)) jf_object_retain(tuple->items[i].object);
  }
  return jf_tuple_finished(tuple);
}

/* New, or NULL without an error: not everything is told at a glance, or there is no memory. Nothing was moved. */
static inline jf_object* fast_tuple(const jf_view* views, size_t count) {
  part parts[FAST_ITEMS];
  size_t sum = 0;
  int32_t is_counted = 0;
  for (size_t i = 0; i < count; i++) {
    const int32_t told = part_of(&views[i], &parts[i]);
    if (!told) return NULL;
    is_counted |= told & PART_COUNTED;
    sum += parts[i].bytes;
  }
  return made_of(parts, count, sum, is_counted, 0);
}

/* An object is borrowed, or moved. Text that fits is copied all the same: to count a reference up and down takes longer. */
static inline int32_t part_of_item(jf_item item, part* out) {
  const int32_t code = *item.code;
  if (code == JF_SMALL_STR) return small_str_part(item.slot, out); /* most are: told before the switch */
  if (code == JF_INT) return int_part(item.slot, out);
  if (code < 0) return part_of(item.slot, out);
  if (code >= JF_STR && code <= JF_BYTES) {
    const jf_str* str = (const jf_str*)item.object;
    if (text_part(JF_SMALL_STR + JF_STR - code, str->data, str->size, out)) return PART_TOLD;
  }
  return object_part(item.object, out);
}

static JF_COLD jf_object* tuple_slowly(const jf_item* parts, size_t count, uint32_t moved) {
  jf_view views[FAST_ITEMS];
  assert(count <= FAST_ITEMS);
  for (size_t i = 0; i < count; i++) {
    if (*parts[i].code > 0) {
      views[i] = (jf_view){JF_OBJECT, 0, {.v_uint64 = JF_POINTER_WORD(parts[i].object)}};
    } else {
      jf_any_view(parts[i].slot, &views[i]);
    }
  }
  jf_object* made = jf_tuple_new(views, count);
  for (; made && moved; moved &= moved - 1) jf_object_release(parts[__builtin_ctz(moved)].object);
  return made;
}

static inline __attribute__((always_inline)) jf_object* tuple_of(const jf_item* items, size_t count, uint32_t moved) {
  part parts[FAST_ITEMS];
  size_t sum = 0;
  int32_t is_counted = 0;
  for (size_t i = 0; i < count; i++) {
    const int32_t told = part_of_item(items[i], &parts[i]);
    if (!told) return tuple_slowly(items, count, moved);
    is_counted |= told & PART_COUNTED;
    sum += parts[i].bytes;
  }
  jf_object* made = made_of(parts, count, sum, is_counted, moved);
  if (!made) jf_error_no_memory();
  return made;
}

/* New, of up to 8; borrows parts, but for the objects, no text, whose bits are set in `moved`: their references are the
 * tuple's when nothing fails. NULL with what jf_item_new says. */
jf_object* jf_tuple_of_parts(const jf_item* parts, size_t count, uint32_t moved) {
  return count == 2 ? tuple_of(parts, 2, moved) : tuple_of(parts, count, moved);
}

/* The same as a list's last item. -1: nothing has changed. */
int32_t jf_list_append_parts(jf_object* object, const jf_item* parts, size_t count, uint32_t moved) {
  jf_list* list = (jf_list*)object;
  if (list->size == list->capacity && jf_list_make_room(list, 1) != 0) return -1;
  const jf_item item = {.object = count == 2 ? tuple_of(parts, 2, moved) : tuple_of(parts, count, moved)};
  if (!item.object) return -1;
  jf_item_stored(&list->header, &list->links, item);
  list->items[list->size++] = item;
  return 0;
}

int32_t jf_list_append_pairs(jf_list* list, const jf_map_entry* entries, size_t used) {
  for (size_t i = 0; i < used; i++) {
    if (!entries[i].key.code) continue;
    const jf_item parts[] = {entries[i].key, entries[i].value}, item = {.object = tuple_of(parts, 2, 0)};
    if (!item.object) return -1;
    jf_item_stored(&list->header, &list->links, item);
    list->items[list->size++] = item;
  }
  return 0;
}

/* New; as jf_tuple_new, of up to 8 views that are no r-value references, but text is copied where it fits. */
jf_object* jf_tuple_of_views(const jf_view* views, size_t count) {
  jf_item parts[FAST_ITEMS];
  if (count > FAST_ITEMS) return jf_tuple_new(views, count);
  for (size_t i = 0; i < count; i++) {
    parts[i].slot = &views[i];
    if (views[i].type_code != JF_OBJECT && views[i].type_code < 0) continue;
    if (!views[i].v_object) return jf_tuple_new(views, count);
    parts[i].object = views[i].v_object;
  }
  return count == 2 ? tuple_of(parts, 2, 0) : tuple_of(parts, count, 0);
}

/* New; borrows views, but r-value references are moved when nothing fails. NULL with what jf_item_new says. */
jf_object* jf_tuple_new(const jf_view* views, size_t count) {
  size_t bytes = 0;
  jf_object* fast = count <= FAST_ITEMS ? fast_tuple(views, count) : NULL;
  if (fast) return fast;
  for (size_t i = 0; i < count; i++) bytes += slot_bytes(&views[i]); /* at most 136 for each 16 that there are */
  jf_tuple* tuple = jf_tuple_make(count, bytes);
  if (!tuple) return NULL;
  char* at = (char*)(tuple->items + count);
  for (; tuple->size < count; tuple->size++) {
    const jf_view view = held_view(&views[tuple->size]);
    const size_t needed = slot_bytes(&view);
    jf_pool pool;
    borrow_memory(&pool, at, needed);
    if (jf_item_new(&pool, 1, &view, &tuple->items[tuple->size]) != 0) {
      jf_object_release(&tuple->header);
      return NULL;
    }
    at += needed;
  }
  for (size_t i = 0; i < count; i++) {
    if (views[i].type_code != JF_RVALUE) continue;
    jf_object* moved = *views[i].v_rvalue;
    *views[i].v_rvalue = NULL;
    jf_object_release(moved); /* the tuple has a reference of its own */
  }
  return jf_tuple_finished(tuple);
}

/* Borrows; never fails. */
size_t jf_tuple_size(const jf_object* tuple) { return jf_tuple_const(tuple)->size; }

static JF_COLD int32_t fail_index(const jf_tuple* tuple, jf_any* out) {
  *out = jf_static_null;
  jf_error_format("IndexError", "%s index out of range", jf_type_key(tuple->header.type_code));
  return -1;
}

/* *out owns what it gets. IndexError, MemoryError: *out is null. */
int32_t jf_tuple_get(const jf_object* object, int64_t index, jf_value* out) {
  const jf_tuple* tuple = jf_tuple_const(object);
  const int64_t at = jf_index(index, tuple->size);
  return at >= 0 ? jf_item_get(tuple->items[at], out) : fail_index(tuple, out);
}

/* *out borrows from the tuple. IndexError: *out is null. */
int32_t jf_tuple_peek(const jf_object* object, int64_t index, jf_view* out) {
  const jf_tuple* tuple = jf_tuple_const(object);
  const int64_t at = jf_index(index, tuple->size);
  if (at < 0) return fail_index(tuple, out);
  jf_item_view(tuple->items[at], out);
  return 0;
}

/* As jf_list_find, of a tuple. */
int64_t jf_tuple_find(const jf_object* tuple, const jf_view* value, int64_t start, int64_t stop) {
  return jf_items_find(tuple, value, start, stop);
}

/* As jf_list_count, of a tuple. */
int64_t jf_tuple_count(const jf_object* tuple, const jf_view* value) { return jf_items_count(tuple, value); }
