/* Equality of arrays: their elements, bit by bit, whatever the strides. */
#include <string.h>

#include "jitffi/ndarray.h"

typedef struct {
  size_t itemsize;
  const jf_dltensor* a;
  const jf_dltensor* b;
} pair;

static const char* first_of(const jf_dltensor* tensor) { return (const char*)tensor->data + tensor->byte_offset; }

static int32_t equal_from(const pair* p, int32_t at, const char* a, const char* b) {
  if (at == p->a->ndim) return memcmp(a, b, p->itemsize) == 0;
  const int64_t a_stride = p->a->strides[at], b_stride = p->b->strides[at];
  const int64_t count = p->a->shape[at];
  if (at == p->a->ndim - 1 && a_stride == 1 && b_stride == 1) return memcmp(a, b, (size_t)count * p->itemsize) == 0;
  for (int64_t i = 0; i < count; i++) {
    if (i) a += a_stride * (int64_t)p->itemsize, b += b_stride * (int64_t)p->itemsize;
    if (!equal_from(p, at + 1, a, b)) return 0;
  }
  return 1;
}

/* Borrows both. */
int32_t jf_ndarray_equal(jf_object* one, jf_object* other) {
  const jf_dltensor *a = jf_ndarray_tensor(one), *b = jf_ndarray_tensor(other);
  const size_t dims = (size_t)a->ndim * sizeof *a->shape;
  const pair both = {jf_dltensor_itemsize(a, ((jf_ndarray*)one)->flags), a, b};
  if (memcmp(&a->dtype, &b->dtype, sizeof a->dtype) != 0 || a->ndim != b->ndim || memcmp(a->shape, b->shape, dims) != 0)
    return 0;
  if (jf_dltensor_items(a) == 0) return 1;
  if (first_of(a) == first_of(b) && memcmp(&a->device, &b->device, sizeof a->device) == 0 &&
      memcmp(a->strides, b->strides, dims) == 0)
    return 1;
  if (a->device.device_type != JF_CPU || b->device.device_type != JF_CPU) {
    jf_error_set("BufferError", "arrays are compared on the CPU alone");
    return -1;
  }
  if (both.itemsize && both.itemsize == jf_dltensor_itemsize(b, ((jf_ndarray*)other)->flags))
    return equal_from(&both, 0, first_of(a), first_of(b));
  jf_error_set("BufferError", "elements that share bytes are not compared one by one");
  return -1;
}
