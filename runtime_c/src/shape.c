/* Shapes: a fixed row of int64, in one allocation. */
#include "internal.h"

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
