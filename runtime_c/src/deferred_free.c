/* Releasing containers that are nested deep, without deep recursion.
 *
 * Each deleter of a container that holds containers calls the next one. Beyond some depth the object is put aside, on a
 * chain of this thread that runs through the links of the objects themselves; whoever entered first works it off.
 */
#include "jitffi/abi.h"
#include "object.h"

enum { MAX_DEPTH = 100 };

/* links->next: the object itself; links->previous: the links of the one that was put aside before. */
static _Thread_local struct {
  jf_links* aside;
  int32_t depth;
} deferred;

int32_t jf_deferred_free_enter(jf_object* object, jf_links* links) {
  if (deferred.depth < MAX_DEPTH) {
    deferred.depth++;
    return 1;
  }
  links->next = object;
  links->previous = (jf_object*)(void*)deferred.aside;
  deferred.aside = links;
  return 0;
}

void jf_deferred_free_leave(void) {
  if (deferred.depth > 1) {
    deferred.depth--;
    return;
  }
  /* The depth stays at one meanwhile, so that none of these deleters comes here. */
  while (deferred.aside) {
    jf_links* links = deferred.aside;
    jf_object* object = links->next;
    deferred.aside = (jf_links*)(void*)links->previous;
    links->next = links->previous = NULL;
    object->deleter(object);
  }
  deferred.depth = 0;
}
