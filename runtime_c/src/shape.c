/* Shapes: a fixed row of int64, in one allocation. */
#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "message.h"
#include "value.h"

/* New; copies dims, which may be NULL when count is 0. NULL with MemoryError set. */
jf_object* jf_shape_new(const int64_t* dims, size_t count) {
  if (count > (PTRDIFF_MAX - sizeof(jf_shape)) / sizeof *dims) {
    jf_error_no_memory();
    return NULL;
  }
  jf_shape* shape = jf_object_new(sizeof *shape + count * sizeof *dims, JF_SHAPE, NULL);
  if (!shape) return NULL;
  shape->data = (const int64_t*)(shape + 1);
  shape->size = count;
  if (count) memcpy(shape + 1, dims, count * sizeof *dims);
  return &shape->header;
}

/* Borrows. NULL with MemoryError set. */
jf_object* jf_shape_items(const jf_shape* shape) {
  jf_object* list = jf_list_new(shape->size, 0);
  for (size_t i = 0; list && i < shape->size; i++) {
    const jf_view number = {.type_code = JF_INT, .v_int64 = shape->data[i]};
    if (jf_list_append(list, &number) == 0) continue;
    jf_object_release(list);
    return NULL;
  }
  return list;
}
