/* Lists: making, reading and changing single items. list_slice.c has what works on many at once.
 *
 *   items --> | item | item | ... |      each the address of a slot of the pool, of a static slot, or of an object
 *
 * A change makes room and the new items first, then commits. What is removed is released last, when the list is whole
 * again: deleters run the user's code, which may use the list.
 */
#include <assert.h>
#include <string.h>

#include "allocation.h"
#include "blocks.h"
#include "cycles.h"
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/pad.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "message.h"
#include "object.h"
#include "pool.h"

static jf_list* as_list(const jf_object* object) {
  jf_list* list = (jf_list*)(uintptr_t)object;
  assert(jf_type_is_a(object->type_code, JF_LIST));
#ifdef JITFFI_HOSTILE
  assert(jf_list_ok(list));
#endif
  return list;
}

#ifdef JITFFI_HOSTILE
/* What must hold between any two operations. Looks at few items, or lists could not be long. */
int32_t jf_list_ok(const jf_list* list) {
  if (list->size > list->capacity || (list->items != NULL) != (list->capacity != 0)) return 0;
  if (list->pool.stride != JF_PAD_SIZE(list->pool.pad) || list->pool.fresh > list->pool.end) return 0;
  if (list->pool.free && list->pool.free->type_code != 0) return 0;
  for (size_t i = 0; i < list->size; i += 1 + list->size / 16) {
    const jf_item item = list->items[i];
    if (!item.code || *item.code == 0) return 0;
    if (*item.code > 0 && item.object->deleter && item.object->ref_count <= 0) return 0;
    if (*item.code < 0 && !jf_any_ok(item.slot, 1, NULL)) return 0;
    if (*item.code < 0 && jf_slot_is_shared(item.slot) != jf_slot_is_static(item.slot)) return 0;
  }
  return 1;
}
#endif

/* Most objects in long lists are tuples of numbers and short text. */
static inline void release(jf_object* object) {
  if (object->deleter == jf_tuple_delete_plain && __atomic_load_n(&object->ref_count, __ATOMIC_ACQUIRE) == 1) {
    jf_block_give(object, (size_t)(uintptr_t)((const jf_tuple*)object)->links.previous);
  } else {
    jf_object_release(object);
  }
}

enum { AHEAD = 8 };

void jf_list_discard(const jf_list* contents) {
  jf_pool pool = contents->pool; /* until the end: items lie in it */
  const jf_item* const end = contents->items + contents->size;
  for (const jf_item* item = contents->items; item != end; item++) {
    if (*item->code < 0) continue;
    if (end - item > AHEAD) __builtin_prefetch(item[AHEAD].object, 1);
    release(item->object);
  }
  jf_free_large(contents->items, contents->capacity * sizeof *contents->items);
  jf_pool_clear(&pool);
}

/* Steals the list's last reference. Its items may be lists, and so on, as deep as memory goes. */
void jf_list_delete_last(jf_object* object) {
  jf_list* list = (jf_list*)object;
  const int32_t is_nested = jf_links_used(&list->links);
  if (is_nested) {
    jf_cycles_untrack(object);
    list->links = (jf_links){.next = NULL};
    if (!jf_deferred_free_enter(object, &list->links)) return;
  }
  jf_list_discard(list);
  jf_object_free(object);
  if (is_nested) jf_deferred_free_leave();
}

/* New. NULL with MemoryError set. */
jf_object* jf_list_new(size_t capacity, int32_t pad) {
  jf_list* list = jf_object_new(sizeof *list, JF_LIST, jf_list_delete_last);
  if (!list) return NULL;
  jf_pool_init(&list->pool, pad);
  if (jf_list_reserve(&list->header, capacity) != 0) {
    jf_object_release(&list->header);
    return NULL;
  }
  return &list->header;
}

/* Borrows; never fails. */
size_t jf_list_size(const jf_object* list) { return as_list(list)->size; }
int32_t jf_list_pad(const jf_object* list) { return as_list(list)->pool.pad; }

/* Room for exactly `capacity` items, where there is not as much already. MemoryError: nothing has changed. */
int32_t jf_list_reserve(jf_object* object, size_t capacity) {
  jf_list* list = as_list(object);
  if (capacity <= list->capacity) return 0;
  jf_item* items = capacity <= PTRDIFF_MAX / sizeof *items ? jf_alloc_large(capacity * sizeof *items) : NULL;
  if (!items) {
    jf_error_no_memory();
    return -1;
  }
  if (list->size) memcpy(items, list->items, list->size * sizeof *items);
  jf_free_large(list->items, list->capacity * sizeof *items);
  list->items = items;
  list->capacity = capacity;
  return 0;
}

/* Room for `more` items behind those there are; grows by half, so that appending costs the same for each. */
int32_t jf_list_make_room(jf_list* list, size_t more) {
  if (more <= list->capacity - list->size) return 0;
  if (more > PTRDIFF_MAX / sizeof(jf_item) - list->size) {
    jf_error_no_memory();
    return -1;
  }
  const size_t needed = list->size + more, grown = list->capacity + list->capacity / 2 + 4;
  return jf_list_reserve(&list->header, needed > grown ? needed : grown);
}

/* What jf_pool_take is to know of a list: blocks hold no more than the list itself has room for. */
size_t jf_list_limit(const jf_list* list) {
  if (list->pool.free || list->pool.fresh != list->pool.end) return 1; /* unused: there is a slot */
  const size_t slots = jf_pool_slots(&list->pool);
  return slots < list->capacity ? list->capacity - slots : 1;
}

static JF_COLD int32_t fail_index(const jf_list* list, const char* what) {
  jf_error_format("IndexError", "%s%s out of range", jf_type_key(list->header.type_code), what);
  return -1;
}

/* Borrows list; *out owns what it gets. IndexError, MemoryError: *out is null. */
int32_t jf_list_get(const jf_object* object, int64_t index, jf_value* out) {
  const jf_list* list = as_list(object);
  const int64_t at = jf_index(index, list->size);
  if (at >= 0) return jf_item_get(list->items[at], out);
  *out = jf_static_null;
  return fail_index(list, " index");
}

/* *out borrows from the list until the list changes. IndexError: *out is null. */
int32_t jf_list_peek(const jf_object* object, int64_t index, jf_view* out) {
  const jf_list* list = as_list(object);
  const int64_t at = jf_index(index, list->size);
  if (at >= 0) {
    jf_item_view(list->items[at], out);
    return 0;
  }
  *out = jf_static_null;
  return fail_index(list, " index");
}

/* The slow half of new_item: a new block of the pool, or what is no plain value. */
static __attribute__((noinline)) int32_t make_item(jf_list* list, const jf_view* value, jf_item* out) {
  return jf_item_new(&list->pool, jf_list_limit(list), value, out);
}

static inline int32_t new_item(jf_list* list, const jf_view* value, jf_item* out) {
  if (!jf_item_fast(&list->pool, value, out) && make_item(list, value, out) != 0) return -1;
  jf_item_stored(&list->header, &list->links, *out);
  return 0;
}

/* Borrows value (an r-value reference is moved). IndexError, MemoryError, or what jf_item_new says: nothing changed. */
int32_t jf_list_set(jf_object* object, int64_t index, const jf_view* value) {
  jf_list* list = as_list(object);
  const int64_t at = jf_index(index, list->size);
  if (at < 0) return fail_index(list, " assignment index");
  jf_item item;
  if (new_item(list, value, &item) != 0) return -1;
  const jf_item old = list->items[at];
  list->items[at] = item;
  jf_item_free(&list->pool, old);
  return 0;
}

/* Borrows value (an r-value reference is moved). Fails as jf_list_set. */
int32_t jf_list_append(jf_object* object, const jf_view* value) {
  jf_list* list = as_list(object);
  if (list->size == list->capacity && jf_list_make_room(list, 1) != 0) return -1;
  if (new_item(list, value, &list->items[list->size]) != 0) return -1;
  list->size++;
  return 0;
}

/* Borrows value (an r-value reference is moved). An index that is out of range is one of the ends. Fails as
 * jf_list_set. */
int32_t jf_list_insert(jf_object* object, int64_t index, const jf_view* value) {
  jf_list* list = as_list(object);
  const int64_t size = (int64_t)list->size;
  if (index < 0) index = index < -size ? 0 : index + size;
  if (index > size) index = size;
  if (list->size == list->capacity && jf_list_make_room(list, 1) != 0) return -1;
  jf_item item;
  if (new_item(list, value, &item) != 0) return -1;
  if (index < size) memmove(list->items + index + 1, list->items + index, (size_t)(size - index) * sizeof item);
  list->items[index] = item;
  list->size++;
  return 0;
}

/* *out owns what was in the list. IndexError; MemoryError for text that *out has no room for: *out is null, nothing
 * has changed. */
int32_t jf_list_pop(jf_object* object, int64_t index, jf_value* out) {
  jf_list* list = as_list(object);
  const int64_t at = jf_index(index, list->size);
  if (at < 0) {
    *out = jf_static_null;
    if (list->size) {
      jf_error_set("IndexError", "pop index out of range");
    } else {
      jf_error_format("IndexError", "pop from empty %s", jf_type_key(object->type_code));
    }
    return -1;
  }
  const jf_item item = list->items[at];
  if (*item.code > 0) {
    jf_out_object(out, item.object); /* the list's own reference */
  } else {
    if (jf_item_get(item, out) != 0) return -1;
    jf_item_free(&list->pool, item);
  }
  list->size--;
  const size_t behind = list->size - (size_t)at;
  if (behind) memmove(list->items + at, list->items + at + 1, behind * sizeof item);
  if (!list->size) jf_pool_reset(&list->pool);
  return 0;
}

/* Never fails; all memory is given back. */
void jf_list_clear(jf_object* object) {
  jf_list* list = as_list(object);
  if (!list->items && !list->pool.blocks) return; /* nothing changes, which whoever sorts it can tell */
  const jf_list contents = *list;
  list->items = NULL;
  list->size = list->capacity = 0;
  jf_pool_init(&list->pool, contents.pool.pad);
  jf_list_discard(&contents);
}

void jf_items_reverse(jf_item* items, size_t size) {
  for (size_t i = 0, j = size; i + 1 < j; i++) {
    const jf_item item = items[i];
    items[i] = items[--j];
    items[j] = item;
  }
}

/* Never fails. */
void jf_list_reverse(jf_object* object) { jf_items_reverse(as_list(object)->items, as_list(object)->size); }
