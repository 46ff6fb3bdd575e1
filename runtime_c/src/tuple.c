/* Tuples: items that never change, in one allocation.
 *
 *   | jf_tuple | item | item | ... | slot | slot | ... |     each slot as large as its value needs
 */
#include "internal.h"

static const jf_tuple* as_tuple(const jf_object* object) {
  assert(jf_type_is_a(object->type_code, JF_TUPLE));
  return (const jf_tuple*)object;
}

/* What an item takes of a tuple's memory: all but objects, static slots and text that is too long for any slot. */
static size_t text_bytes(jf_encoded text) {
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
  return text.kind == JF_TEXT_NONE ? sizeof(jf_any) : text_bytes(text);
}

static size_t item_bytes(jf_item item) {
  if (*item.code > 0 || jf_slot_is_shared(item.slot)) return 0;
  const int32_t kind = *item.code == JF_SMALL_STR     ? JF_TEXT_UTF8
                       : *item.code == JF_SMALL_BYTES ? JF_TEXT_BYTES
                       : *item.code == JF_SMALL_UCS4  ? JF_TEXT_UCS4
                                                      : JF_TEXT_NONE;
  const jf_encoded text = {kind, 0, "", (size_t)item.slot->small_len};
  return kind == JF_TEXT_NONE ? sizeof(jf_any) : text_bytes(text);
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

/* A tuple with room for that many items and bytes of slots, of size 0. */
static jf_tuple* make_tuple(size_t count, size_t bytes) {
  const size_t most = PTRDIFF_MAX - sizeof(jf_tuple);
  if (count > most / sizeof(jf_item) || bytes > most - count * sizeof(jf_item)) {
    jf_error_no_memory();
    return NULL;
  }
  jf_tuple* tuple = jf_object_new(sizeof *tuple + count * sizeof(jf_item) + bytes, JF_TUPLE, jf_tuple_delete_last);
  if (tuple) tuple->items = (jf_item*)(tuple + 1);
  return tuple;
}

static jf_object* finished(jf_tuple* tuple) {
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

/* -- of views whose items one look tells -- */

/* Bytes of a slot for text; none where it is one ASCII character, -1 where it is an object of its own. */
static inline int64_t fast_text(const void* data, size_t size, int32_t is_wide) {
  if (!is_wide) {
    if (size == 1 && *(const unsigned char*)data < JF_STATIC_CHARS) return 0;
    return size < JF_MAX_CAPACITY ? (int64_t)(JF_PAYLOAD_OFFSET + ((size + 8) & ~(size_t)7)) : -1;
  }
  if (!size || size > JF_MAX_CAPACITY / sizeof(jf_char32)) return -1;
  return size == 1 && *(const jf_char32*)data < JF_STATIC_CHARS
             ? 0
             : (int64_t)(JF_PAYLOAD_OFFSET + ((size * sizeof(jf_char32) + 7) & ~(size_t)7));
}

/* What an item takes of a tuple's memory, or -1: jf_item_new must say. */
static inline int64_t fast_bytes(const jf_view* view) {
  const jf_any* held;
  switch (view->type_code) {
    case JF_INT:
      return view->v_uint64 - (uint64_t)JF_STATIC_INT_FIRST < JF_STATIC_INTS ? 0 : sizeof(jf_any);
    case JF_FLOAT:
      return sizeof(jf_any);
    case JF_NULL:
    case JF_BOOL:
      return 0;
    case JF_OBJECT:
      if (!view->v_object) return -1;
      return view->v_object->type_code >= JF_S2_FIRST && view->v_object->type_code <= JF_S2_LAST ? -1 : 0;
    case JF_SMALL_STR:
      return (uint32_t)view->small_len <= 7 ? fast_text(view->v_bytes, (size_t)view->small_len, 0) : -1;
    case JF_STR_VIEW:
      return view->v_span && view->v_span->data ? fast_text(view->v_span->data, view->v_span->size, 0) : -1;
    case JF_BYTE_ARRAY:
      if (!view->v_span || !view->v_span->data || view->v_span->size >= JF_MAX_CAPACITY) return -1;
      return (int64_t)(JF_PAYLOAD_OFFSET + ((view->v_span->size + 8) & ~(size_t)7));
    case JF_UCS4_VIEW:
      if (!view->v_ucs4_span || !view->v_ucs4_span->data) return -1;
      return fast_text(view->v_ucs4_span->data, view->v_ucs4_span->size, 1);
    case JF_ANY_PTR:
      held = view->v_handle;
      if (!held || held->type_code != JF_SMALL_STR || (uint32_t)held->small_len >= JF_MAX_CAPACITY) return -1;
      return fast_text((const char*)held + JF_PAYLOAD_OFFSET, (size_t)held->small_len, 0);
    default:
      return -1;
  }
}

static inline jf_item put_text(char* at, int64_t bytes, int32_t code, size_t units, const void* data, size_t size) {
  jf_any* slot = (jf_any*)(void*)at;
  slot->type_code = code;
  slot->small_len = (int32_t)units;
  memset(at + bytes - 8, 0, 8); /* the NUL, and all that is not text of a first word */
  memcpy(at + JF_PAYLOAD_OFFSET, data, size);
  return (jf_item){.slot = slot};
}

/* The item of a view, in as many bytes at `at` as fast_bytes said. */
static inline jf_item put_fast(const jf_view* view, int64_t bytes, char* at) {
  const jf_any* held = view;
  switch (view->type_code) {
    case JF_NULL:
      return (jf_item){.slot = &jf_static_null};
    case JF_BOOL:
      return (jf_item){.slot = view->v_int64 ? &jf_static_true : &jf_static_false};
    case JF_OBJECT:
      jf_object_retain(view->v_object);
      return (jf_item){.object = view->v_object};
    case JF_INT:
      if (!bytes) return (jf_item){.slot = &jf_static_ints[view->v_int64 - JF_STATIC_INT_FIRST]};
      return (jf_item){.slot = memcpy(at, view, sizeof *view)};
    case JF_STR_VIEW:
      if (!bytes) return (jf_item){.slot = &jf_static_chars[*(const unsigned char*)view->v_span->data]};
      return put_text(at, bytes, JF_SMALL_STR, view->v_span->size, view->v_span->data, view->v_span->size);
    case JF_BYTE_ARRAY:
      return put_text(at, bytes, JF_SMALL_BYTES, view->v_span->size, view->v_span->data, view->v_span->size);
    case JF_UCS4_VIEW:
      if (!bytes) return (jf_item){.slot = &jf_static_ucs4_chars[*view->v_ucs4_span->data]};
      return put_text(at, bytes, JF_SMALL_UCS4, view->v_ucs4_span->size, view->v_ucs4_span->data,
                      view->v_ucs4_span->size * sizeof(jf_char32));
    case JF_ANY_PTR:
      held = view->v_handle;
      /* fall through */
    default: /* a float, or small text */
      if (!bytes) return (jf_item){.slot = &jf_static_chars[(unsigned char)held->v_bytes[0]]};
      return (jf_item){.slot = memcpy(at, held, (size_t)bytes)};
  }
}

enum { FAST_ITEMS = 8 };

/* New, or NULL without an error: not everything is told at a glance, or there is no memory. Nothing was moved. */
static jf_object* fast_tuple(const jf_view* views, size_t count) {
  int64_t bytes[FAST_ITEMS];
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    bytes[i] = fast_bytes(&views[i]);
    if (bytes[i] < 0) return NULL;
    sum += (size_t)bytes[i];
  }
  const size_t head = sizeof(jf_tuple) + count * sizeof(jf_item);
  jf_tuple* tuple = jf_object_make_unset(head + sum, JF_TUPLE, jf_tuple_delete_last);
  if (!tuple) return NULL;
  memset(&tuple->header + 1, 0, sizeof *tuple - sizeof tuple->header);
  tuple->items = (jf_item*)(tuple + 1);
  tuple->size = count;
  char* at = (char*)tuple + head;
  int32_t has_objects = 0;
  for (size_t i = 0; i < count; i++) {
    tuple->items[i] = put_fast(&views[i], bytes[i], at);
    has_objects |= views[i].type_code == JF_OBJECT;
    at += bytes[i];
  }
  return has_objects ? finished(tuple) : &tuple->header;
}

/* New; borrows views, but r-value references are moved when nothing fails. NULL with what jf_item_new says. */
jf_object* jf_tuple_new(const jf_view* views, size_t count) {
  size_t bytes = 0;
  jf_object* fast = count <= FAST_ITEMS ? fast_tuple(views, count) : NULL;
  if (fast) return fast;
  for (size_t i = 0; i < count; i++) bytes += slot_bytes(&views[i]); /* at most 136 for each 16 that there are */
  jf_tuple* tuple = make_tuple(count, bytes);
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
  return finished(tuple);
}

/* Appends copies; the tuple has the room, and `at` is where its next slot goes. Gives where the one after it does. */
static char* fill(jf_tuple* tuple, char* at, const jf_item* from, int64_t step, size_t count) {
  for (size_t i = 0; i < count; i++) {
    jf_item item = from[(int64_t)i * step];
    const size_t bytes = item_bytes(item);
    if (*item.code > 0) jf_object_retain(item.object);
    if (bytes) item.slot = memcpy(at, item.slot, bytes); /* slots are multiples of 8 bytes wherever they lie */
    tuple->items[tuple->size++] = item;
    at += bytes;
  }
  return at;
}

static size_t total_bytes(const jf_item* items, int64_t step, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += item_bytes(items[(int64_t)i * step]);
  return bytes;
}

/* New; `times` times the items, which stand `step` apart. */
static jf_object* tuple_from(const jf_item* from, int64_t step, size_t count, size_t times) {
  const size_t bytes = total_bytes(from, step, count);
  if (count && times && (count > PTRDIFF_MAX / sizeof *from / times || bytes > PTRDIFF_MAX / times)) {
    jf_error_no_memory();
    return NULL;
  }
  jf_tuple* tuple = make_tuple(count * times, bytes * times);
  if (!tuple) return NULL;
  char* at = (char*)(tuple->items + count * times);
  for (size_t i = 0; i < times && count; i++) at = fill(tuple, at, from, step, count);
  return finished(tuple);
}

static jf_object* retained(const jf_object* object) {
  jf_object* same = (jf_object*)(uintptr_t)object;
  jf_object_retain(same);
  return same;
}

/* New, or the tuple itself, which never changes. NULL with MemoryError set. */
jf_object* jf_tuple_of(const jf_object* items) {
  if (items->type_code == JF_TUPLE) return retained(items);
  const jf_list* list = (const jf_list*)items;
  return tuple_from(list->items, 1, list->size, 1);
}

/* Borrows; never fails. */
size_t jf_tuple_size(const jf_object* tuple) { return as_tuple(tuple)->size; }

static JF_COLD int32_t fail_index(const jf_tuple* tuple, jf_any* out) {
  *out = jf_static_null;
  jf_error_format("IndexError", "%s index out of range", jf_type_key(tuple->header.type_code));
  return -1;
}

/* *out owns what it gets. IndexError, MemoryError: *out is null. */
int32_t jf_tuple_get(const jf_object* object, int64_t index, jf_value* out) {
  const jf_tuple* tuple = as_tuple(object);
  const int64_t at = jf_index(index, tuple->size);
  return at >= 0 ? jf_item_get(tuple->items[at], out) : fail_index(tuple, out);
}

/* *out borrows from the tuple. IndexError: *out is null. */
int32_t jf_tuple_peek(const jf_object* object, int64_t index, jf_view* out) {
  const jf_tuple* tuple = as_tuple(object);
  const int64_t at = jf_index(index, tuple->size);
  if (at < 0) return fail_index(tuple, out);
  jf_item_view(tuple->items[at], out);
  return 0;
}

/* New, or the tuple itself for all of it. NULL with ValueError or MemoryError set. */
jf_object* jf_tuple_slice(const jf_object* object, int64_t start, int64_t stop, int64_t step) {
  const jf_tuple* tuple = as_tuple(object);
  const int64_t count = jf_slice_clip(tuple->size, &start, &stop, &step);
  if (count < 0) return NULL;
  if (step == 1 && (size_t)count == tuple->size && object->type_code == JF_TUPLE) return retained(object);
  return tuple_from(count ? tuple->items + start : NULL, step, (size_t)count, 1);
}

/* New, or the tuple itself when there is nothing to add. NULL with MemoryError set. */
jf_object* jf_tuple_concat(const jf_object* object, const jf_object* items) {
  const jf_tuple* left = as_tuple(object);
  const jf_tuple* right = (const jf_tuple*)items; /* or a list: read alike */
  if (!right->size && object->type_code == JF_TUPLE) return retained(object);
  const size_t count = left->size + right->size; /* each is what an allocation holds: no overflow */
  jf_tuple* tuple =
      make_tuple(count, total_bytes(left->items, 1, left->size) + total_bytes(right->items, 1, right->size));
  if (!tuple) return NULL;
  char* at = (char*)(tuple->items + count);
  at = fill(tuple, at, left->items, 1, left->size);
  fill(tuple, at, right->items, 1, right->size);
  return finished(tuple);
}

/* New, or the tuple itself for once. NULL with MemoryError set. Nothing for a negative number. */
jf_object* jf_tuple_repeat(const jf_object* object, int64_t times) {
  const jf_tuple* tuple = as_tuple(object);
  if (times == 1 && object->type_code == JF_TUPLE) return retained(object);
  return tuple_from(tuple->items, 1, tuple->size, jf_times(times));
}

/* As jf_list_find, of a tuple. */
int64_t jf_tuple_find(const jf_object* tuple, const jf_view* value, int64_t start, int64_t stop) {
  return jf_items_find(tuple, value, start, stop);
}

/* As jf_list_count, of a tuple. */
int64_t jf_tuple_count(const jf_object* tuple, const jf_view* value) { return jf_items_count(tuple, value); }
