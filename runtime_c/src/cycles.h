/* The finder of cycles: containers that it knows, and their deleters. */
#ifndef JITFFI_SRC_CYCLES_H
#define JITFFI_SRC_CYCLES_H

#include "jitffi/abi.h"
#include "pool.h"

/* The deleters of containers, by which this copy of the runtime knows its own. Steal the last reference. */
void jf_list_delete_last(jf_object* list);
void jf_map_delete_last(jf_object* map);
void jf_tuple_delete_last(jf_object* tuple);
void jf_tuple_delete_plain(jf_object* tuple); /* of a tuple in which nothing is counted */
/* Makes a container known to the finder, for the first item that can lead back to it. Cheap when known already. */
void jf_cycles_track(jf_object* container);
void jf_cycles_untrack(jf_object* container); /* for a deleter, when links.next is not NULL */
/* Whether the finder knows the container. Its neighbours' coming and going, on other threads, may write the links. */
static inline int32_t jf_links_used(const jf_links* links) {
  return __atomic_load_n(&links->next, __ATOMIC_RELAXED) != NULL;
}
/* For a container that stores `item`. */
static inline void jf_item_stored(jf_object* container, const jf_links* links, jf_item item) {
  const int32_t code = *item.code;
  if (code <= 0 || (code >= JF_STR && code <= JF_BYTES) || jf_links_used(links)) return;
  if (code == JF_TUPLE && !jf_links_used(&((const jf_tuple*)item.object)->links)) return;
  if (jf_item_leads_back(item)) jf_cycles_track(container);
}

#endif
