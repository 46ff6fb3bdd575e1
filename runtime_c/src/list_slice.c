/* Lists: what reads or changes many items at once, and slices by Python's rules. */
#include <assert.h>
#include <string.h>

#include "cycles.h"
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "message.h"
#include "pool.h"
#include "slot.h"

typedef struct {
  const jf_item* items;
  size_t size;
} items_view;

/* Of a list or a tuple. */
static items_view items_of(const jf_object* object) {
  assert(jf_type_is_a(object->type_code, JF_LIST) || jf_type_is_a(object->type_code, JF_TUPLE));
  const jf_list* list = (const jf_list*)object;
  return (items_view){list->items, list->size};
}

_Static_assert(offsetof(jf_list, items) == offsetof(jf_tuple, items), "list and tuple are read alike");
_Static_assert(offsetof(jf_list, size) == offsetof(jf_tuple, size), "list and tuple are read alike");

static int64_t clip_one(int64_t index, int64_t size, int64_t step) {
  if (index < 0) {
    index = index < -size ? -1 : index + size; /* -1: before the first */
    return index < 0 && step > 0 ? 0 : index;
  }
  return index < size ? index : step > 0 ? size : size - 1;
}

int64_t jf_slice_clip(size_t items, int64_t* start, int64_t* stop, int64_t* step) {
  const int64_t size = (int64_t)items;
  if (*step == 0) {
    jf_error_set("ValueError", "slice step cannot be zero");
    return -1;
  }
  if (*step == INT64_MIN) *step = -INT64_MAX; /* can be negated, and reaches as far */
  *start = *start == JF_NO_INDEX ? (*step > 0 ? 0 : size - 1) : clip_one(*start, size, *step);
  *stop = *stop == JF_NO_INDEX ? (*step > 0 ? size : -1) : clip_one(*stop, size, *step);
  if (*step > 0) return *start < *stop ? (*stop - *start - 1) / *step + 1 : 0;
  return *stop < *start ? (*start - *stop - 1) / -*step + 1 : 0;
}

/* Gives items back that nobody has seen yet; none is an object's last reference but for new text. */
static void undo(jf_pool* pool, jf_item* items, size_t count) {
  while (count) jf_item_free(pool, items[--count]);
}

/* Copies of `count` items, `step` apart, to `to`, which is room that the list has, or will have. */
static int32_t copy_items(jf_list* list, jf_item* to, const jf_item* from, int64_t step, size_t count) {
  for (size_t i = 0; i < count; i++, from += step) {
    const int32_t is_done = *from->code < 0 && jf_item_fast(&list->pool, from->slot, &to[i]);
    if (!is_done && jf_item_copy(&list->pool, jf_list_limit(list), *from, &to[i]) != 0) {
      undo(&list->pool, to, i);
      return -1;
    }
    if (i + 1 == count) break; /* beyond the last one there may be no address */
  }
  return 0;
}

static void note_items(jf_list* list, const jf_item* items, size_t count) {
  for (size_t i = 0; i < count && !jf_links_used(&list->links); i++)
    jf_item_stored(&list->header, &list->links, items[i]);
}

/* The slots that copies of these will take. */
static size_t count_slots(const jf_item* items, int64_t step, size_t count) {
  size_t slots = 0;
  for (size_t i = 0; i < count; i++) {
    const jf_item item = items[(int64_t)i * step];
    slots += *item.code < 0 && !jf_slot_is_shared(item.slot);
  }
  return slots;
}

/* Appends copies to a list that has the room. */
static int32_t append_items(jf_list* list, const jf_item* from, int64_t step, size_t count) {
  assert(count <= list->capacity - list->size);
  if (!count) return 0;
  jf_item* to = list->items + list->size;
  /* The first block is exact; later ones grow, or extending by one item at a time would leave a block for each. */
  if (!list->pool.blocks && jf_pool_reserve(&list->pool, count_slots(from, step, count)) != 0) return -1;
  if (copy_items(list, to, from, step, count) != 0) return -1;
  list->size += count;
  note_items(list, to, count);
  return 0;
}

/* New, of `count` items that are `step` apart. */
static jf_object* list_from(const jf_item* from, int64_t step, size_t count, int32_t pad) {
  jf_object* made = jf_list_new(count, pad);
  if (!made || append_items((jf_list*)made, from, step, count) == 0) return made;
  jf_object_release(made);
  return NULL;
}

/* New; borrows views, but r-value references are moved when nothing fails. NULL with what jf_item_new says. */
jf_object* jf_list_of(const jf_view* views, size_t count, int32_t pad) {
  jf_object* made = jf_list_new(count, pad);
  if (!made) return NULL;
  for (size_t i = 0; i < count; i++) {
    jf_view view = views[i];
    if (view.type_code == JF_RVALUE && view.v_rvalue && *view.v_rvalue) {
      const jf_any* held = jf_any_resolve(&views[i], &view); /* a reference for now: the next one may fail */
      if (held != &view) view = *held;
    }
    if (jf_list_append(made, &view) != 0) {
      jf_object_release(made);
      return NULL;
    }
  }
  for (size_t i = 0; i < count; i++) {
    if (views[i].type_code != JF_RVALUE) continue;
    jf_object* moved = *views[i].v_rvalue;
    *views[i].v_rvalue = NULL;
    jf_object_release(moved);
  }
  return made;
}

/* New; NULL with ValueError or MemoryError set. */
jf_object* jf_list_slice(const jf_object* object, int64_t start, int64_t stop, int64_t step) {
  const jf_list* list = (const jf_list*)object;
  const int64_t count = jf_slice_clip(list->size, &start, &stop, &step);
  if (count < 0) return NULL;
  return list_from(count ? list->items + start : NULL, step, (size_t)count, list->pool.pad);
}

/* New; NULL with MemoryError set. */
jf_object* jf_list_copy(const jf_object* object) {
  const jf_list* list = (const jf_list*)object;
  return list_from(list->items, 1, list->size, list->pool.pad);
}

/* New, of the list's pad; NULL with MemoryError set. */
jf_object* jf_list_concat(const jf_object* object, const jf_object* items) {
  const items_view left = items_of(object), right = items_of(items);
  if (left.size > PTRDIFF_MAX - right.size) {
    jf_error_no_memory();
    return NULL;
  }
  jf_list* made = (jf_list*)jf_list_new(left.size + right.size, jf_list_pad(object));
  if (!made) return NULL;
  if (append_items(made, left.items, 1, left.size) == 0 && append_items(made, right.items, 1, right.size) == 0) {
    return &made->header;
  }
  jf_object_release(&made->header);
  return NULL;
}

/* New; NULL with MemoryError set. Nothing for a negative number. */
jf_object* jf_list_repeat(const jf_object* object, int64_t times) {
  const items_view from = items_of(object);
  const size_t count = from.size ? jf_times(times) : 0;
  if (count && from.size > PTRDIFF_MAX / sizeof(jf_item) / count) {
    jf_error_no_memory();
    return NULL;
  }
  jf_list* made = (jf_list*)jf_list_new(from.size * count, jf_list_pad(object));
  if (!made) return NULL;
  const size_t slots = count ? count_slots(from.items, 1, from.size) : 0;
  int32_t status = jf_pool_reserve(&made->pool, slots * count);
  for (size_t i = 0; i < count && status == 0; i++) status = append_items(made, from.items, 1, from.size);
  if (status == 0) return &made->header;
  jf_object_release(&made->header);
  return NULL;
}

/* Borrows items, which may be the list itself. MemoryError: nothing has changed. */
int32_t jf_list_extend(jf_object* object, const jf_object* items) {
  jf_list* list = (jf_list*)object;
  const size_t count = items_of(items).size;
  if (jf_list_make_room(list, count) != 0) return -1;
  return append_items(list, items_of(items).items, 1, count); /* read again: of the list itself they have moved */
}

/* Steals items that are no longer in the list: first their slots, while the pool is theirs for certain, then the
 * objects, whose deleters may do anything to the list. */
static void release_items(jf_list* list, jf_item* items, size_t count) {
  size_t objects = 0;
  for (size_t i = 0; i < count; i++) {
    if (*items[i].code > 0) {
      items[objects++] = items[i];
    } else {
      jf_item_free(&list->pool, items[i]);
    }
  }
  if (!list->size) jf_pool_reset(&list->pool);
  for (size_t i = 0; i < objects; i++) jf_object_release(items[i].object);
}

enum { ON_STACK = 32 };

/* Memory for items that is no part of a list, on the stack when they are few. */
static jf_item* temporary(jf_item* on_stack, size_t count) {
  if (count <= ON_STACK) return on_stack;
  jf_item* items = count <= PTRDIFF_MAX / sizeof *items ? jf_alloc(count * sizeof *items) : NULL;
  if (!items) jf_error_no_memory();
  return items;
}

/* Takes every step-th item from `start` on, `count` of them (at least one), out of the list into `removed`; step > 0. */
static void take_out(jf_list* list, size_t start, size_t step, size_t count, jf_item* removed) {
  jf_item* to = list->items + start;
  const jf_item* from = to;
  for (size_t i = 0; i < count; i++) {
    removed[i] = *from++;
    const size_t rest = (size_t)(list->items + list->size - from);
    const size_t kept = i + 1 < count ? step - 1 : rest;
    memmove(to, from, kept * sizeof *to);
    to += kept;
    from += kept;
  }
  list->size -= count;
}

/* list[start:stop:step] goes. ValueError for step 0, MemoryError: nothing has changed. */
int32_t jf_list_delete(jf_object* object, int64_t start, int64_t stop, int64_t step) {
  jf_list* list = (jf_list*)object;
  const int64_t clipped = jf_slice_clip(list->size, &start, &stop, &step);
  if (clipped <= 0) return clipped < 0 ? -1 : 0;
  const size_t count = (size_t)clipped;
  if (count == list->size) {
    jf_list_clear(object);
    return 0;
  }
  if (step < 0) {
    start += (clipped - 1) * step;
    step = -step;
  }
  jf_item on_stack[ON_STACK];
  jf_item* removed = temporary(on_stack, count);
  if (!removed) return -1;
  take_out(list, (size_t)start, (size_t)step, count, removed);
  release_items(list, removed, count);
  if (removed != on_stack) jf_free(removed);
  return 0;
}

/* Commits an assignment whose items, `count` at `made`, are ready and have their room; what was there is swapped for
 * them, and goes. */
static void replace(jf_list* list, size_t start, int64_t step, size_t removed, jf_item* made, size_t count) {
  if (step == 1) {
    jf_item* at = list->items + start;
    jf_item* old = made + count;
    const size_t behind = list->size - start - removed;
    if (removed) memcpy(old, at, removed * sizeof *at);
    if (behind) memmove(at + count, at + removed, behind * sizeof *at);
    if (count) memcpy(at, made, count * sizeof *at);
    list->size = list->size - removed + count;
    note_items(list, made, count);
    release_items(list, old, removed);
    return;
  }
  note_items(list, made, count);
  for (size_t i = 0; i < count; i++) {
    jf_item* at = list->items + start + (int64_t)i * step;
    const jf_item old = *at;
    *at = made[i];
    made[i] = old;
  }
  release_items(list, made, count);
}

/* Borrows items, which may be the list itself. ValueError, MemoryError: nothing has changed. */
int32_t jf_list_assign(jf_object* object, int64_t start, int64_t stop, int64_t step, const jf_object* items) {
  jf_list* list = (jf_list*)object;
  const items_view from = items_of(items);
  const int64_t clipped = jf_slice_clip(list->size, &start, &stop, &step);
  if (clipped < 0) return -1;
  const size_t removed = (size_t)clipped;
  if (step != 1 && from.size != removed) {
    jf_error_format("ValueError", "attempt to assign sequence of size %zu to extended slice of size %zu", from.size,
                    removed);
    return -1;
  }
  jf_item on_stack[ON_STACK];
  jf_item* made = temporary(on_stack, step == 1 ? from.size + removed : from.size);
  if (!made) return -1;
  int32_t status = step == 1 && from.size > removed ? jf_list_make_room(list, from.size - removed) : 0;
  if (status == 0) status = copy_items(list, made, items_of(items).items, 1, from.size);
  if (status == 0) replace(list, (size_t)start, step, removed, made, from.size);
  if (made != on_stack) jf_free(made);
  return status;
}

/* *list is borrowed if it stays, else released for the copy, which is new. MemoryError: *list is as it was. */
int32_t jf_list_unshare(jf_object** list) {
  if ((*list)->deleter && __atomic_load_n(&(*list)->ref_count, __ATOMIC_ACQUIRE) == 1) return 0;
  jf_object* copy = jf_list_copy(*list);
  if (!copy) return -1;
  jf_object* shared = *list;
  *list = copy;
  jf_object_release(shared);
  return 0;
}
