/* The stacks of choices of regular expressions that have more of them than their frame has room for, and what they remember
 * of choices that led nowhere. */
#include <string.h>

#include "jitffi/runtime.h"
#include "jitffi/script.h"

enum { MOST_MEMORY = 1 << 28 };

void* jf_regex_grow(void* stack, int64_t size, const void* first) {
  void* grown = size > INT64_MAX / 2 || (uint64_t)size > SIZE_MAX / 2 ? NULL : jf_alloc(2 * (size_t)size);
  if (grown == NULL) {
    jf_error_set("MemoryError", "out of memory");
  } else {
    memcpy(grown, stack, (size_t)size);
  }
  jf_regex_free(stack, first);
  return grown;
}

void* jf_regex_memory(int64_t size) {
  if (size > MOST_MEMORY) return NULL;
  void* made = jf_alloc((size_t)size);
  if (made != NULL) memset(made, 0, (size_t)size);
  return made;
}

void jf_regex_free(void* stack, const void* first) {
  if (stack != first) jf_free(stack);
}
