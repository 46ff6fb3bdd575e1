/* Object headers: making, counting and freeing.
 *
 * An object whose deleter is NULL is static: it is never counted, so it may lie in read-only memory.
 */
#include <assert.h>
#include <string.h>

#include "allocation.h"
#include "blocks.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "message.h"
#include "object.h"

/* Borrows. The increment can be relaxed: whoever holds a reference already keeps the object alive. */
void jf_object_retain(jf_object* object) {
  if (!object || !object->deleter) return;
  int32_t before = __atomic_fetch_add(&object->ref_count, 1, __ATOMIC_RELAXED);
  assert(before > 0);
  (void)before;
}

static inline int32_t drop(jf_object* object) {
  if (!object || !object->deleter) return 0;
  /* Only who has a reference can make another: of data and functions, which no table leads to, one reference is the last. */
  if (((object->type_code >= JF_STR && object->type_code <= JF_TUPLE) || object->type_code == JF_FUNCTION) &&
      __atomic_load_n(&object->ref_count, __ATOMIC_ACQUIRE) == 1) {
    __atomic_store_n(&object->ref_count, 0, __ATOMIC_RELAXED);
    return 1;
  }
  int32_t before = __atomic_fetch_sub(&object->ref_count, 1, __ATOMIC_RELEASE);
  assert(before > 0);
  if (before != 1) return 0;
  /* Everything other threads did to the object before their decrement must be seen by the deleter. A load of the count
   * instead of a fence: the thread sanitizer understands it, and it costs the same. */
  (void)__atomic_load_n(&object->ref_count, __ATOMIC_ACQUIRE);
  return 1;
}

int32_t jf_object_drop(jf_object* object) { return drop(object); }

/* Steals one reference. */
void jf_object_release(jf_object* object) {
  if (drop(object)) object->deleter(object);
}

void* jf_object_make_unset(size_t size, int32_t type_code, void (*deleter)(jf_object*)) {
  assert(size >= sizeof(jf_object) && type_code > 0);
  jf_object* object = jf_block_make(size);
  if (!object) return NULL;
  object->type_code = type_code;
  object->ref_count = 1;
  JF_SET_WIDE(object, deleter, deleter ? deleter : jf_object_free);
  return object;
}

void* jf_object_make(size_t size, int32_t type_code, void (*deleter)(jf_object*)) {
  jf_object* object = jf_object_make_unset(size, type_code, deleter);
  if (object) memset(object + 1, 0, size - sizeof *object);
  return object;
}

/* New. NULL with MemoryError set. */
void* jf_object_new(size_t size, int32_t type_code, void (*deleter)(jf_object*)) {
  void* object = jf_object_make(size, type_code, deleter);
  if (!object) jf_error_no_memory();
  return object;
}

/* Steals the memory; what the object holds was released before by its deleter. */
void jf_object_free(jf_object* object) { jf_block_free(object); }

/* Steals the memory, too. */
void jf_object_free_sized(jf_object* object, size_t size) { jf_block_give(object, size); }

/* New; holds owner and handle without owning them: the deleter frees what handle means, then calls jf_object_free. On
 * failure (NULL with MemoryError set) the deleter is not called. */
jf_object* jf_host_object_new(const void* owner, void* handle, void (*deleter)(jf_object*)) {
  jf_host_object* object = jf_object_new(sizeof *object, JF_HOST_OBJECT, deleter);
  if (!object) return NULL;
  object->owner = owner;
  object->handle = handle;
  return &object->header;
}
