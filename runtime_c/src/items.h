/* Items of lists and tuples: places, slices, searching. */
#ifndef JITFFI_SRC_ITEMS_H
#define JITFFI_SRC_ITEMS_H

#include "jitffi/abi.h"
#include "macros.h"

/* -- pool.c, list.c, list_slice.c: what list, tuple and the cycle finder share -- */
/* How often, as a number of bytes could be: nothing for a negative number, more than there can be for more than that. */
static inline size_t jf_times(int64_t times) {
  return times <= 0 ? 0 : times < PTRDIFF_MAX ? (size_t)times : (size_t)PTRDIFF_MAX;
}
/* Calls visit with each object among the items; stops where it returns non-zero, and returns that. */
int32_t jf_items_traverse(const jf_item* items, size_t size, int32_t (*visit)(jf_object* child, void* context),
                          void* context);
/* The item's place, or -1 with IndexError: "<what> out of range". */
static inline int64_t jf_index(int64_t index, size_t size) {
  if (index < 0) index += (int64_t)size;
  return index >= 0 && index < (int64_t)size ? index : -1;
}
int32_t jf_list_make_room(jf_list* list, size_t more); /* behind the items there are, grown geometrically */
size_t jf_list_limit(const jf_list* list);             /* for jf_pool_take */
void jf_items_reverse(jf_item* items, size_t size);
void jf_list_discard(const jf_list* contents); /* items and pool that were taken out of a list: steals them */
/* Clips start and stop to `size` as Python does, gives the number of items; -1 with ValueError for step 0. */
JF_SHARED int64_t jf_slice_clip(size_t size, int64_t* start, int64_t* stop, int64_t* step);
/* list_find.c: of a list or a tuple; what jf_list_find says. */
JF_SHARED int64_t jf_items_find(const jf_object* items, const jf_view* value, int64_t start, int64_t stop);
JF_SHARED int64_t jf_items_count(const jf_object* items, const jf_view* value);
/* tuple.c: tuples of keys and values, for which the list has room; -1 with MemoryError: some are there */
int32_t jf_list_append_pairs(jf_list* list, const jf_map_entry* entries, size_t used);
/* tuple.c: New; as jf_tuple_new, of views that are no r-value references, but text is copied where it fits. */
jf_object* jf_tuple_of_views(const jf_view* views, size_t count);
/* tuple.c: for the cycle finder: leaves the tuple empty. */
void jf_tuple_clear(jf_object* tuple);
#ifdef JITFFI_HOSTILE
int32_t jf_list_ok(const jf_list* list);
#endif

#endif
