/* Copies of elements between arrays of one shape, whatever their strides.
 *
 * Arrays that share memory are copied by way of a third one where elements would be written before they are read.
 */
#include <string.h>

#include "jitffi/ndarray.h"
#include "message.h"

typedef struct {
  size_t itemsize;
  int32_t ndim;
  const int64_t* shape;
  int64_t to[JF_NDARRAY_DIMS]; /* strides, in bytes */
  int64_t from[JF_NDARRAY_DIMS];
} plan;

#define COPY_ROW(bytes) \
  for (int64_t i = 0; i < count; i++) memcpy(to + i * to_step, from + i * from_step, bytes)

/* Constant sizes, which compilers make single moves of. */
static void copy_row(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t count, size_t itemsize) {
  if (to_step == (int64_t)itemsize && from_step == to_step) {
    memcpy(to, from, (size_t)count * itemsize);
    return;
  }
  switch (itemsize) {
    case 1:
      COPY_ROW(1);
      return;
    case 2:
      COPY_ROW(2);
      return;
    case 4:
      COPY_ROW(4);
      return;
    case 8:
      COPY_ROW(8);
      return;
    case 16:
      COPY_ROW(16);
      return;
    default:
      COPY_ROW(itemsize);
  }
}

static void copy_dimension(const plan* p, int32_t at, char* to, const char* from) {
  if (at >= p->ndim - 1) {
    copy_row(to, at < p->ndim ? p->to[at] : 0, from, at < p->ndim ? p->from[at] : 0, at < p->ndim ? p->shape[at] : 1,
             p->itemsize);
    return;
  }
  for (int64_t i = 0; i < p->shape[at]; i++) copy_dimension(p, at + 1, to + i * p->to[at], from + i * p->from[at]);
}

static void set_steps(const jf_dltensor* tensor, size_t itemsize, int64_t* steps) {
  int64_t stride = (int64_t)itemsize;
  for (int32_t i = tensor->ndim - 1; i >= 0; i--) {
    const int64_t count = tensor->shape[i];
    /* A dimension of one element may have any stride. */
    steps[i] = count <= 1 ? 0 : tensor->strides ? tensor->strides[i] * (int64_t)itemsize : stride;
    stride *= count;
  }
}

static char* first_of(const jf_dltensor* tensor) { return (char*)tensor->data + tensor->byte_offset; }

/* The bytes from *low to before *high hold all elements; there are some. */
static void bounds(const plan* p, const int64_t* steps, const char* first, uintptr_t* low, uintptr_t* high) {
  *low = *high = (uintptr_t)first;
  for (int32_t i = 0; i < p->ndim; i++) {
    const int64_t reach = (p->shape[i] - 1) * steps[i];
    *(reach < 0 ? low : high) += (uintptr_t)reach;
  }
  *high += p->itemsize;
}

static int32_t overlap(const plan* p, const char* to, const char* from) {
  uintptr_t to_low, to_high, from_low, from_high;
  bounds(p, p->to, to, &to_low, &to_high);
  bounds(p, p->from, from, &from_low, &from_high);
  return to_low < from_high && from_low < to_high;
}

/* By way of memory of its own. */
static int32_t copy_apart(plan* p, char* to, const char* from, int64_t items) {
  char* const between = jf_alloc((size_t)items * p->itemsize);
  if (!between) {
    jf_error_no_memory();
    return -1;
  }
  plan in = *p;
  int64_t step = (int64_t)p->itemsize;
  for (int32_t i = p->ndim - 1; i >= 0; i--) {
    in.to[i] = p->from[i] = step;
    step *= p->shape[i];
  }
  copy_dimension(&in, 0, between, from);
  copy_dimension(p, 0, to, between);
  jf_free(between);
  return 0;
}

static int32_t fail(const char* message) {
  jf_error_set("ValueError", message);
  return -1;
}

/* Borrows both. Which tensor is read-only its owner knows. */
int32_t jf_dltensor_copy(const jf_dltensor* to, const jf_dltensor* from) {
  const int64_t items = jf_dltensor_items(to);
  plan p = {jf_dltensor_itemsize(to, 0), to->ndim, to->shape, {0}, {0}};
  if (to->device.device_type != JF_CPU || from->device.device_type != JF_CPU)
    return fail("elements are copied on the CPU alone");
  if (memcmp(&to->dtype, &from->dtype, sizeof to->dtype) != 0 || to->ndim != from->ndim ||
      (to->ndim && memcmp(to->shape, from->shape, (size_t)to->ndim * sizeof *to->shape) != 0))
    return fail("elements are copied between arrays of one data type and shape");
  if (p.itemsize == 0) return fail("elements that share bytes are not copied one by one");
  if (items == 0) return 0;
  set_steps(to, p.itemsize, p.to);
  set_steps(from, p.itemsize, p.from);
  char* const target = first_of(to);
  const char* const source = first_of(from);
  if (target == source && memcmp(p.to, p.from, sizeof p.to) == 0) return 0;
  if (overlap(&p, target, source)) return copy_apart(&p, target, source, items);
  copy_dimension(&p, 0, target, source);
  return 0;
}
