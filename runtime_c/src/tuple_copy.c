/* Tuples of items that another tuple or a list has: copies, slices, sums and products. */
#include <string.h>

#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "message.h"
#include "pool.h"
#include "slot.h"
#include "tuple.h"

/* What an item takes of a tuple's memory: all but objects, static slots and text that is too long for any slot. */
static size_t item_bytes(jf_item item) {
  if (*item.code > 0 || jf_slot_is_shared(item.slot)) return 0;
  const int32_t kind = *item.code == JF_SMALL_STR     ? JF_TEXT_UTF8
                       : *item.code == JF_SMALL_BYTES ? JF_TEXT_BYTES
                       : *item.code == JF_SMALL_UCS4  ? JF_TEXT_UCS4
                                                      : JF_TEXT_NONE;
  const jf_encoded text = {kind, 0, "", (size_t)item.slot->small_len};
  return kind == JF_TEXT_NONE ? sizeof(jf_any) : jf_tuple_text_bytes(text);
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
  jf_tuple* tuple = jf_tuple_make(count * times, bytes * times);
  if (!tuple) return NULL;
  char* at = (char*)(tuple->items + count * times);
  for (size_t i = 0; i < times && count; i++) at = fill(tuple, at, from, step, count);
  return jf_tuple_finished(tuple);
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

/* New, or the tuple itself for all of it. NULL with ValueError or MemoryError set. */
jf_object* jf_tuple_slice(const jf_object* object, int64_t start, int64_t stop, int64_t step) {
  const jf_tuple* tuple = jf_tuple_const(object);
  const int64_t count = jf_slice_clip(tuple->size, &start, &stop, &step);
  if (count < 0) return NULL;
  if (step == 1 && (size_t)count == tuple->size && object->type_code == JF_TUPLE) return retained(object);
  return tuple_from(count ? tuple->items + start : NULL, step, (size_t)count, 1);
}

/* New, or the tuple itself when there is nothing to add. NULL with MemoryError set. */
jf_object* jf_tuple_concat(const jf_object* object, const jf_object* items) {
  const jf_tuple* left = jf_tuple_const(object);
  const jf_tuple* right = (const jf_tuple*)items; /* or a list: read alike */
  if (!right->size && object->type_code == JF_TUPLE) return retained(object);
  const size_t count = left->size + right->size; /* each is what an allocation holds: no overflow */
  jf_tuple* tuple =
      jf_tuple_make(count, total_bytes(left->items, 1, left->size) + total_bytes(right->items, 1, right->size));
  if (!tuple) return NULL;
  char* at = (char*)(tuple->items + count);
  at = fill(tuple, at, left->items, 1, left->size);
  fill(tuple, at, right->items, 1, right->size);
  return jf_tuple_finished(tuple);
}

/* New, or the tuple itself for once. NULL with MemoryError set. Nothing for a negative number. */
jf_object* jf_tuple_repeat(const jf_object* object, int64_t times) {
  const jf_tuple* tuple = jf_tuple_const(object);
  if (times == 1 && object->type_code == JF_TUPLE) return retained(object);
  return tuple_from(tuple->items, 1, tuple->size, jf_times(times));
}
