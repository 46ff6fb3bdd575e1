/* Nd-arrays: making them, on memory of their own or of others, and what a DLTensor says of its elements.
 *
 * Producers of tensors may be wrong: whatever is made of one has been checked so that no arithmetic on its shape and strides
 * overflows.
 */
#include "jitffi/ndarray.h"

#include <string.h>

#include "jitffi/runtime.h"
#include "macros.h"
#include "message.h"
#include "object.h"

/* -- checks -- */

static int32_t fail(const char* message) {
  jf_error_set("ValueError", message);
  return -1;
}

/* 0 and *items, or -1 with ValueError. */
static int32_t count_items(int32_t ndim, const int64_t* shape, int64_t* items) {
  int64_t count = 1;
  int32_t is_empty = 0, is_large = 0;
  if (ndim < 0 || ndim > JF_NDARRAY_DIMS) {
    jf_error_format("ValueError", "an array has up to %d dimensions, not %d", (int)JF_NDARRAY_DIMS, (int)ndim);
    return -1;
  }
  if (ndim > 0 && !shape) return fail("a tensor with dimensions has no shape");
  for (int32_t i = 0; i < ndim; i++) {
    if (shape[i] < 0) {
      jf_error_format("ValueError", "dimension %d of an array is negative, %lld", (int)i, (long long)shape[i]);
      return -1;
    }
    is_empty |= shape[i] == 0;
    is_large |= shape[i] != 0 && __builtin_mul_overflow(count, shape[i], &count); /* no order of dimensions hides it */
  }
  *items = is_empty ? 0 : count;
  return is_large ? fail("an array is too large") : 0;
}

static int64_t item_bits(jf_dtype dtype) { return (int64_t)dtype.bits * dtype.lanes; }

/* Bytes of so many elements: 0, or -1 with ValueError. */
static int32_t count_bytes(int64_t items, jf_dtype dtype, uint64_t flags, int64_t* bytes) {
  int64_t bits = item_bits(dtype);
  if (bits == 0) return fail("the elements of an array have no size");
  if (flags & JF_DL_SUBBYTE_PADDED) bits = (bits + 7) / 8 * 8;
  const int32_t is_large =
      bits % 8 == 0 ? __builtin_mul_overflow(items, bits / 8, bytes) : __builtin_mul_overflow(items, bits, bytes);
  if (is_large || *bytes > PTRDIFF_MAX - 4096) return fail("an array is too large");
  if (bits % 8 != 0) *bytes = (*bytes + 7) / 8;
  return 0;
}

/* The distance between the first and any other element can be computed: 0, or -1 with ValueError. */
static int32_t check_strides(const jf_dltensor* tensor, uint64_t flags) {
  int64_t reach = 0, bytes;
  for (int32_t i = 0; i < tensor->ndim; i++) {
    const int64_t stride = tensor->strides[i], last = tensor->shape[i] - 1;
    int64_t part;
    if (last <= 0) continue;
    if (stride == INT64_MIN || __builtin_mul_overflow(stride < 0 ? -stride : stride, last, &part) ||
        __builtin_add_overflow(reach, part, &reach))
      return fail("the strides of a tensor are too large");
  }
  return count_bytes(reach, tensor->dtype, flags, &bytes);
}

/* -- making -- */

/* Of an array in C order. What is as long as zero or one element takes part as one does, as in NumPy. */
static void set_strides(int32_t ndim, const int64_t* shape, int64_t* strides) {
  int64_t stride = 1;
  for (int32_t i = ndim - 1; i >= 0; i--) {
    strides[i] = stride;
    if (shape[i] > 1) stride *= shape[i];
  }
}

/* The object with room for its shape, strides and `behind` more bytes; the tensor but its data is copied. NULL with MemoryError. */
static jf_ndarray* make(size_t size, int32_t type_code, const jf_dltensor* tensor, size_t behind) {
  const size_t head = (size + 7) & ~(size_t)7;
  const size_t dims = (size_t)tensor->ndim * sizeof(int64_t);
  jf_ndarray* array = jf_object_make_unset(head + 2 * dims + behind, type_code, jf_ndarray_delete);
  if (!array) {
    jf_error_no_memory();
    return NULL;
  }
  memset((char*)array + sizeof array->header, 0, head - sizeof array->header);
  array->tensor = *tensor;
  array->tensor.shape = (int64_t*)(void*)((char*)array + head);
  array->tensor.strides = array->tensor.shape + tensor->ndim;
  if (dims) memcpy(array->tensor.shape, tensor->shape, dims);
  set_strides(tensor->ndim, tensor->shape, array->tensor.strides);
  /* What leads to no other element may be anything, and was not looked at. */
  for (int32_t i = 0; tensor->strides && i < tensor->ndim && jf_dltensor_items(tensor) != 0; i++) {
    if (tensor->shape[i] > 1) array->tensor.strides[i] = tensor->strides[i];
  }
  return array;
}

/* New. Alignment makes the block longer, since allocators promise no more than malloc does. */
jf_object* jf_ndarray_new(int32_t ndim, const int64_t* shape, jf_dtype dtype, size_t alignment) {
  int64_t items, bytes;
  if (alignment == 0) alignment = JF_NDARRAY_ALIGNMENT;
  if ((alignment & (alignment - 1)) != 0 || alignment > (size_t)1 << 30) {
    fail("an alignment is a power of two, up to 2**30");
    return NULL;
  }
  if (count_items(ndim, shape, &items) != 0 || count_bytes(items, dtype, 0, &bytes) != 0) return NULL;
  const jf_dltensor tensor = {.device = {JF_CPU, 0}, .ndim = ndim, .dtype = dtype, .shape = (int64_t*)(uintptr_t)shape};
  if (bytes > PTRDIFF_MAX - 4096 - (int64_t)alignment) {
    jf_error_no_memory();
    return NULL;
  }
  jf_ndarray* array = make(sizeof *array, JF_NDARRAY, &tensor, (size_t)bytes + alignment);
  if (!array) return NULL;
  const uintptr_t end = (uintptr_t)(array->tensor.strides + ndim);
  array->tensor.data = (void*)((end + alignment - 1) & ~(uintptr_t)(alignment - 1));
  return &array->header;
}

/* 0, or -1 with ValueError. */
static int32_t check_tensor(const jf_dltensor* tensor, uint64_t flags) {
  int64_t items, bytes;
  if (count_items(tensor->ndim, tensor->shape, &items) != 0) return -1;
  if (count_bytes(items, tensor->dtype, flags, &bytes) != 0) return -1;
  if (!tensor->data && items && tensor->device.device_type == JF_CPU) return fail("a tensor with elements has no data");
  return items && tensor->strides ? check_strides(tensor, flags) : 0;
}

/* Steals owner, also on failure. */
jf_object* jf_ndarray_wrap(size_t size, int32_t type_code, const jf_dltensor* tensor, uint64_t flags, void* owner,
                           void (*release)(void* owner)) {
  jf_ndarray* array = check_tensor(tensor, flags) == 0 ? make(size, type_code, tensor, 0) : NULL;
  if (!array) {
    if (release) release(owner);
    return NULL;
  }
  array->flags = flags & (JF_DL_READ_ONLY | JF_DL_SUBBYTE_PADDED);
  array->owner = owner;
  array->release = release;
  return &array->header;
}

static void release_array(void* array) { jf_object_release(array); }

/* Where pointers of a device are addresses; elsewhere they are handles, which nothing can be added to. */
static int32_t has_addresses(int32_t device_type) {
  enum { CUDA = 2, CUDA_HOST = 3, ROCM = 10, ROCM_HOST = 11, CUDA_MANAGED = 13, ONE_API = 14 };
  return device_type == JF_CPU || device_type == CUDA || device_type == CUDA_HOST || device_type == ROCM ||
         device_type == ROCM_HOST || device_type == CUDA_MANAGED || device_type == ONE_API;
}

/* New; borrows array. A view of a view holds what that one holds. */
jf_object* jf_ndarray_view(jf_object* array, int32_t ndim, const int64_t* shape, const int64_t* strides,
                           int64_t offset) {
  jf_ndarray* from = (jf_ndarray*)array;
  jf_dltensor tensor = from->tensor;
  const int64_t bytes = offset * (int64_t)jf_dltensor_itemsize(&tensor, from->flags);
  tensor.ndim = ndim;
  tensor.shape = (int64_t*)(uintptr_t)shape;
  tensor.strides = (int64_t*)(uintptr_t)strides;
  if (!has_addresses(tensor.device.device_type)) {
    tensor.byte_offset += (uint64_t)bytes;
  } else if (bytes && tensor.data) { /* an empty array may be at NULL */
    tensor.data = (char*)tensor.data + bytes;
  }
  jf_object* owner = from->release == release_array ? from->owner : array;
  jf_object_retain(owner);
  return jf_ndarray_wrap(sizeof *from, JF_NDARRAY, &tensor, from->flags, owner, release_array);
}

jf_object* jf_ndarray_base(jf_object* array) {
  const jf_ndarray* self = (const jf_ndarray*)array;
  return self->release == release_array ? self->owner : array;
}

void jf_ndarray_delete(jf_object* object) {
  jf_ndarray* array = (jf_ndarray*)object;
  void (*const release)(void*) = array->release;
  void* const owner = array->owner;
  jf_object_free(object);
  if (release) release(owner);
}

/* -- what a tensor says -- */

/* Of a tensor that was checked. */
int64_t jf_dltensor_items(const jf_dltensor* tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor->ndim; i++) {
    if (tensor->shape[i] == 0) return 0;
  }
  for (int32_t i = 0; i < tensor->ndim; i++) count *= tensor->shape[i];
  return count;
}

size_t jf_dltensor_itemsize(const jf_dltensor* tensor, uint64_t flags) {
  const int64_t bits = item_bits(tensor->dtype);
  return bits % 8 == 0 || (flags & JF_DL_SUBBYTE_PADDED) ? (size_t)((bits + 7) / 8) : 0;
}

int32_t jf_dltensor_is_contiguous(const jf_dltensor* tensor) {
  int64_t stride = 1;
  if (!tensor->strides || jf_dltensor_items(tensor) == 0) return 1;
  for (int32_t i = tensor->ndim - 1; i >= 0; i--) {
    if (tensor->shape[i] == 1) continue;
    if (tensor->strides[i] != stride) return 0;
    stride *= tensor->shape[i];
  }
  return 1;
}
