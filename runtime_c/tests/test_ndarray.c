/* Nd-arrays: making, views, copies, DLPack. */
#include "jitffi/ndarray.h"
#include "testhelper.h"

static const jf_dtype f32 = {JF_DL_FLOAT, 32, 1}, i4 = {JF_DL_INT, 4, 1}, i64 = {JF_DL_INT, 64, 1};

static jf_dltensor tensor_of(void* data, int32_t ndim, int64_t* shape, int64_t* strides) {
  return (jf_dltensor){data, {JF_CPU, 0}, ndim, i64, shape, strides, 0};
}

static void test_new(void) {
  const int64_t shape[] = {2, 3, 4};
  jf_object* array = jf_ndarray_new(3, shape, f32, 0);
  const jf_dltensor* tensor = jf_ndarray_tensor(array);
  CHECK(array->type_code == JF_NDARRAY && (const char*)tensor == (const char*)array + 16);
  CHECK(jf_ndarray_of_tensor(jf_ndarray_tensor(array)) == array);
  CHECK(tensor->ndim == 3 && memcmp(tensor->shape, shape, sizeof shape) == 0 && tensor->shape != shape);
  CHECK(tensor->strides[0] == 12 && tensor->strides[1] == 4 && tensor->strides[2] == 1);
  CHECK((uintptr_t)tensor->data % JF_NDARRAY_ALIGNMENT == 0 && tensor->byte_offset == 0);
  CHECK(tensor->device.device_type == JF_CPU && tensor->device.device_id == 0 && tensor->dtype.bits == 32);
  CHECK(jf_dltensor_items(tensor) == 24 && jf_dltensor_itemsize(tensor, 0) == 4 && jf_dltensor_is_contiguous(tensor));
  memset(tensor->data, 1, 24 * 4);
  jf_object_release(array);
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    array = jf_ndarray_new(1, shape, f32, alignment);
    CHECK((uintptr_t)jf_ndarray_tensor(array)->data % alignment == 0);
    memset(jf_ndarray_tensor(array)->data, 1, 2 * 4);
    jf_object_release(array);
  }
}

static void test_sizes(void) {
  const int64_t none[] = {3, 0, 5}, one = 3;
  jf_object* array = jf_ndarray_new(0, NULL, i64, 0);
  *(int64_t*)jf_ndarray_tensor(array)->data = 7;
  CHECK(jf_dltensor_items(jf_ndarray_tensor(array)) == 1 && jf_dltensor_is_contiguous(jf_ndarray_tensor(array)));
  CHECK(jf_ndarray_tensor(array)->shape && jf_ndarray_tensor(array)->strides);
  jf_object_release(array);
  array = jf_ndarray_new(3, none, i64, 0);
  CHECK(jf_dltensor_items(jf_ndarray_tensor(array)) == 0 && jf_ndarray_tensor(array)->data);
  jf_object_release(array);
  array = jf_ndarray_new(1, &one, i4, 0);
  CHECK(jf_dltensor_itemsize(jf_ndarray_tensor(array), 0) == 0);
  CHECK(jf_dltensor_itemsize(jf_ndarray_tensor(array), JF_DL_SUBBYTE_PADDED) == 1);
  CHECK(jf_dltensor_copy(jf_ndarray_tensor(array), jf_ndarray_tensor(array)) == -1);
  CHECK_ERROR("ValueError: elements that share bytes are not copied one by one");
  jf_object_release(array);
}

static void test_refused(void) {
  const int64_t negative[] = {1, -2}, large[] = {INT64_MAX, 2}, hidden[] = {0, INT64_MAX, 2}, much = INT64_MAX / 8;
  CHECK(!jf_ndarray_new(65, negative, f32, 0));
  CHECK_ERROR("ValueError: an array has up to 64 dimensions, not 65");
  CHECK(!jf_ndarray_new(-1, negative, f32, 0));
  CHECK_ERROR("ValueError: an array has up to 64 dimensions, not -1");
  CHECK(!jf_ndarray_new(2, negative, f32, 0));
  CHECK_ERROR("ValueError: dimension 1 of an array is negative, -2");
  CHECK(!jf_ndarray_new(1, NULL, f32, 0));
  CHECK_ERROR("ValueError: a tensor with dimensions has no shape");
  CHECK(!jf_ndarray_new(2, large, f32, 0));
  CHECK_ERROR("ValueError: an array is too large");
  CHECK(!jf_ndarray_new(3, hidden, f32, 0));
  CHECK_ERROR("ValueError: an array is too large");
  CHECK(!jf_ndarray_new(1, large, i64, 0));
  CHECK_ERROR("ValueError: an array is too large");
  CHECK(!jf_ndarray_new(1, &much, (jf_dtype){JF_DL_INT, 0, 1}, 0));
  CHECK_ERROR("ValueError: the elements of an array have no size");
  CHECK(!jf_ndarray_new(1, negative, f32, 48));
  CHECK_ERROR("ValueError: an alignment is a power of two, up to 2**30");
}

static int released;
static void release(void* owner) {
  CHECK(owner == &released);
  released++;
}

static void test_wrap(void) {
  int64_t data[6] = {0, 1, 2, 3, 4, 5}, shape[] = {2, 3}, strides[] = {1, 2};
  jf_dltensor tensor = tensor_of(data, 2, shape, strides);
  released = 0;
  jf_object* array =
      jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &tensor, JF_DL_READ_ONLY | JF_DL_IS_COPIED, &released, release);
  CHECK(jf_ndarray_tensor(array)->data == data && jf_ndarray_tensor(array)->strides[1] == 2);
  CHECK(((jf_ndarray*)array)->flags == JF_DL_READ_ONLY && !jf_dltensor_is_contiguous(jf_ndarray_tensor(array)));
  /* A view of a view outlives both. */
  const int64_t three = 3, back = -2;
  jf_object* row = jf_ndarray_view(array, 1, &three, &back, 5);
  jf_object* item = jf_ndarray_view(row, 0, NULL, NULL, -2);
  CHECK(((jf_ndarray*)item)->owner == (void*)array);
  CHECK(jf_ndarray_base(item) == array && jf_ndarray_base(array) == array);
  jf_object_release(array);
  jf_object_release(row);
  CHECK(released == 0 && *(int64_t*)jf_ndarray_tensor(item)->data == 3);
  CHECK(((jf_ndarray*)item)->flags == JF_DL_READ_ONLY);
  jf_object_release(item);
  CHECK(released == 1);
  array = jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &tensor, 0, NULL, NULL);
  jf_object_release(array);
}

static void test_wrong_tensors(void) {
  int64_t data[6] = {0}, shape[] = {2, 3}, strides[] = {INT64_MIN, 1};
  jf_dltensor tensor = tensor_of(NULL, 2, shape, NULL);
  released = 0;
  CHECK(!jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &tensor, 0, &released, release));
  CHECK_ERROR("ValueError: a tensor with elements has no data");
  tensor = tensor_of(data, 2, shape, strides);
  CHECK(!jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &tensor, 0, &released, release));
  CHECK_ERROR("ValueError: the strides of a tensor are too large");
  strides[0] = INT64_MAX / 4;
  CHECK(!jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &tensor, 0, &released, release));
  CHECK_ERROR("ValueError: an array is too large");
  CHECK(released == 3);
  shape[0] = 1; /* then no stride matters */
  jf_object_release(jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &tensor, 0, &released, release));
  shape[0] = 0, tensor.data = NULL;
  jf_object_release(jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &tensor, 0, &released, release));
  CHECK(released == 5);
}

typedef struct {
  jf_ndarray array;
  int64_t own;
} subtype;

static int64_t left;
static void delete_subtype(jf_object* object) {
  left = ((subtype*)object)->own;
  jf_ndarray_delete(object);
}

static void test_subtype(void) {
  const int32_t code = jf_type_register("test.Tensor", JF_NDARRAY);
  int64_t data[2] = {1, 2}, shape = 2;
  const jf_dltensor tensor = tensor_of(data, 1, &shape, NULL);
  released = 0;
  subtype* made = (subtype*)jf_ndarray_wrap(sizeof(subtype), code, &tensor, 0, &released, release);
  CHECK(made->own == 0 && jf_type_is_a(made->array.header.type_code, JF_NDARRAY));
  made->own = -1;
  made->array.header.deleter = delete_subtype;
  CHECK(made->array.tensor.shape[0] == 2 && made->array.tensor.strides[0] == 1);
  jf_value slot = {.type_code = JF_NULL};
  jf_out_object(&slot, &made->array.header);
  CHECK(slot.type_code == JF_OBJECT && jf_any_ok(&slot, 1, NULL));
  jf_any_release(&slot);
  CHECK(released == 1 && left == -1);
}

/* Metal and its like have handles for pointers: distances are in byte_offset. */
static void test_other_devices(void) {
  int64_t shape = 8;
  const int64_t two = 2, step = 3;
  jf_dltensor tensor = {(void*)0x1000, {8, 1}, 1, f32, &shape, NULL, 16};
  jf_object* array = jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &tensor, 0, NULL, NULL);
  jf_object* view = jf_ndarray_view(array, 1, &two, &step, 2);
  CHECK(jf_ndarray_tensor(view)->data == (void*)0x1000 && jf_ndarray_tensor(view)->byte_offset == 24);
  CHECK(jf_ndarray_tensor(view)->device.device_type == 8 && jf_ndarray_tensor(view)->device.device_id == 1);
  CHECK(jf_dltensor_copy(jf_ndarray_tensor(view), jf_ndarray_tensor(view)) == -1);
  CHECK_ERROR("ValueError: elements are copied on the CPU alone");
  jf_object_release(view);
  jf_object_release(array);
  tensor.device.device_type = 2;
  array = jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &tensor, 0, NULL, NULL);
  view = jf_ndarray_view(array, 1, &two, &step, 2);
  CHECK(jf_ndarray_tensor(view)->data == (void*)0x1008 && jf_ndarray_tensor(view)->byte_offset == 16);
  jf_object_release(view);
  jf_object_release(array);
}

static void test_copy(void) {
  int64_t from[6] = {0, 1, 2, 3, 4, 5}, to[6] = {0}, shape[] = {2, 3}, across[] = {1, 2}, three = 3, back = -1;
  jf_dltensor target = tensor_of(to, 2, shape, across), source = tensor_of(from, 2, shape, NULL);
  CHECK(jf_dltensor_copy(&target, &source) == 0);
  const int64_t expected[] = {0, 3, 1, 4, 2, 5};
  CHECK(memcmp(to, expected, sizeof to) == 0);
  target = tensor_of(from, 1, &three, NULL), source = tensor_of(from + 2, 1, &three, &back); /* onto itself, reversed */
  CHECK(jf_dltensor_copy(&target, &source) == 0 && from[0] == 2 && from[1] == 1 && from[2] == 0);
  source.byte_offset = 8, source.dtype = f32;
  CHECK(jf_dltensor_copy(&target, &source) == -1);
  CHECK_ERROR("ValueError: elements are copied between arrays of one data type and shape");
}

static void test_copy_of_each_size(void) {
  static const uint16_t sizes[] = {1, 2, 3, 4, 8, 16, 24};
  char from[2 * 24 * 4], to[24 * 4];
  for (size_t i = 0; i < sizeof from; i++) from[i] = (char)i;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const size_t size = sizes[i];
    int64_t count = 4, two = 2;
    jf_dltensor target = {to, {JF_CPU, 0}, 1, {JF_DL_UINT, 8, sizes[i]}, &count, NULL, 0};
    jf_dltensor source = {from, {JF_CPU, 0}, 1, {JF_DL_UINT, 8, sizes[i]}, &count, &two, 0};
    CHECK(jf_dltensor_copy(&target, &source) == 0);
    for (size_t at = 0; at < 4; at++) CHECK(memcmp(to + at * size, from + 2 * at * size, size) == 0);
  }
}

static int32_t equal(jf_object* a, jf_object* b) {
  const jf_view one = {.type_code = JF_NDARRAY, .v_object = a}, other = {.type_code = JF_NDARRAY, .v_object = b};
  const int32_t result = jf_any_equal(&one, &other);
  CHECK(result == jf_ndarray_equal(a, b));
  return result;
}

static void test_equal(void) {
  int64_t data[6] = {0, 1, 2, 3, 4, 5}, turned[6] = {0, 3, 1, 4, 2, 5}, shape[] = {2, 3}, across[] = {1, 2};
  jf_dltensor tensors[] = {tensor_of(data, 2, shape, NULL), tensor_of(turned, 2, shape, across),
                           tensor_of(turned, 2, shape, NULL), tensor_of(data, 1, shape + 1, NULL)};
  jf_object* arrays[4];
  for (int i = 0; i < 4; i++) arrays[i] = jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &tensors[i], 0, NULL, NULL);
  CHECK(equal(arrays[0], arrays[0]) == 1 && equal(arrays[0], arrays[1]) == 1 && equal(arrays[1], arrays[0]) == 1);
  CHECK(equal(arrays[0], arrays[2]) == 0 && equal(arrays[0], arrays[3]) == 0);
  jf_ndarray_tensor(arrays[1])->dtype.code = JF_DL_UINT;
  CHECK(equal(arrays[0], arrays[1]) == 0);
  jf_ndarray_tensor(arrays[2])->device.device_type = 2; /* the same shape elsewhere cannot be looked at */
  CHECK(jf_ndarray_equal(arrays[0], arrays[2]) == -1);
  CHECK_ERROR("BufferError: arrays are compared on the CPU alone");
  CHECK(jf_ndarray_equal(arrays[2], arrays[2]) == 1);
  const jf_view key = {.type_code = JF_NDARRAY, .v_object = arrays[0]};
  uint64_t hash;
  CHECK(jf_any_hash(&key, &hash) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'ndarray'");
  for (int i = 0; i < 4; i++) jf_object_release(arrays[i]);
  arrays[0] = jf_ndarray_new(2, shape, i4, 0), arrays[1] = jf_ndarray_new(2, shape, i4, 0);
  CHECK(jf_ndarray_equal(arrays[0], arrays[1]) == -1);
  CHECK_ERROR("BufferError: elements that share bytes are not compared one by one");
  jf_object_release(arrays[0]);
  jf_object_release(arrays[1]);
  shape[1] = 0;
  arrays[0] = jf_ndarray_new(2, shape, i64, 0), arrays[1] = jf_ndarray_new(2, shape, i64, 0);
  CHECK(equal(arrays[0], arrays[1]) == 1);
  jf_object_release(arrays[0]);
  jf_object_release(arrays[1]);
}

static int deleted;
static void delete_managed(jf_dlmanaged* self) { deleted += self->manager_ctx == &deleted; }
static void delete_versioned(jf_dlversioned* self) { deleted += self->manager_ctx == &deleted; }

static void test_from_dlpack(void) {
  int64_t data[4] = {1, 2, 3, 4}, shape = 4;
  jf_dlmanaged managed = {tensor_of(data, 1, &shape, NULL), &deleted, delete_managed};
  jf_dlversioned versioned = {1, 9, &deleted, delete_versioned, JF_DL_READ_ONLY, tensor_of(data, 1, &shape, NULL)};
  deleted = 0;
  jf_object* array = jf_ndarray_from_dlpack(&managed);
  CHECK(jf_ndarray_tensor(array)->data == data && ((jf_ndarray*)array)->flags == 0 && deleted == 0);
  jf_object_release(array);
  CHECK(deleted == 1);
  array = jf_ndarray_from_dlpack_versioned(&versioned);
  CHECK(((jf_ndarray*)array)->flags == JF_DL_READ_ONLY);
  jf_object_release(array);
  CHECK(deleted == 2);
  versioned.major = 2;
  CHECK(!jf_ndarray_from_dlpack_versioned(&versioned) && deleted == 3);
  CHECK_ERROR("BufferError: a tensor is of version 2.9 of DLPack; only 1.x is known");
  shape = -1;
  CHECK(!jf_ndarray_from_dlpack(&managed) && deleted == 4);
  CHECK_ERROR("ValueError: dimension 0 of an array is negative, -1");
  shape = 4, managed.deleter = NULL, versioned.deleter = NULL, versioned.major = 1; /* of static memory */
  jf_object_release(jf_ndarray_from_dlpack(&managed));
  jf_object_release(jf_ndarray_from_dlpack_versioned(&versioned));
  CHECK(deleted == 4);
}

static void test_to_dlpack(void) {
  const int64_t shape[] = {2, 3};
  jf_object* array = jf_ndarray_new(2, shape, f32, 0);
  const void* data = jf_ndarray_tensor(array)->data;
  jf_dlmanaged* managed = jf_ndarray_to_dlpack(array);
  jf_dlversioned* versioned = jf_ndarray_to_dlpack_versioned(array);
  jf_object_release(array);
  CHECK(versioned->major == 1 && versioned->flags == 0 && versioned->tensor.data == data);
  managed->deleter(managed);
  CHECK(versioned->tensor.shape[1] == 3 && versioned->tensor.strides[0] == 3);
  array = jf_ndarray_from_dlpack_versioned(versioned); /* and around */
  ((jf_ndarray*)array)->flags |= JF_DL_READ_ONLY;
  versioned = jf_ndarray_to_dlpack_versioned(array);
  CHECK(versioned->flags == JF_DL_READ_ONLY);
  versioned->deleter(versioned);
  CHECK(!jf_ndarray_to_dlpack(array));
  CHECK_ERROR("BufferError: DLPack before version 1 cannot say that an array is read-only");
  jf_object_release(array);
}

static void test_in_slots(void) {
  const int64_t shape = 3;
  jf_object* array = jf_ndarray_new(1, &shape, f32, 0);
  const jf_view view = {.type_code = JF_NDARRAY, .v_object = array};
  jf_value value = {.type_code = JF_NULL};
  char text[64];
  jf_object* list = jf_list_new(0, -1);
  CHECK(jf_any_ok(&view, 0, NULL) && jf_any_retain(&view, &value) == 0 && value.type_code == JF_NDARRAY);
  CHECK(jf_list_append(list, &value) == 0 && array->ref_count == 3);
  jf_any_describe(&view, text, sizeof text);
  CHECK_TEXT(text, "ndarray");
  jf_any_release(&value);
  jf_object_release(list);
  jf_object_release(array);
}

/* As its buffer is: elements in C order. */
static void test_bytes(void) {
  int64_t data[6] = {0, 1, 2, 3, 4, 5}, shape[] = {2, 3}, across[] = {1, 2};
  jf_dltensor tensor = tensor_of(data, 2, shape, NULL);
  jf_object* array = jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &tensor, JF_DL_READ_ONLY, NULL, NULL);
  const jf_param_info param = {"x", "bytes", NULL};
  const jf_call_info info = {"f", 1, 1, &param, "void", NULL};
  const jf_view view = {.type_code = JF_NDARRAY, .v_object = array};
  jf_temps temps = {NULL};
  jf_span span;
  CHECK(jf_lift_bytes(&info, 0, &view, &span, &temps) == 0 && span.data == (char*)data && span.size == sizeof data);
  memcpy(jf_ndarray_tensor(array)->strides, across, sizeof across);
  CHECK(jf_lift_bytes(&info, 0, &view, &span, &temps) == -1);
  CHECK_ERROR("TypeError: f: argument 1 'x': expected bytes, got ndarray");
  jf_object_release(array);
}

static int32_t use(void) {
  const int64_t shape[] = {4}, three = 3, one = 1;
  jf_object* array = jf_ndarray_new(1, shape, i64, 0);
  if (!array) return -1;
  memset(jf_ndarray_tensor(array)->data, 0, 4 * 8);
  jf_object* view = jf_ndarray_view(array, 1, &three, &one, 1);
  jf_object* first = view ? jf_ndarray_view(array, 1, &three, &one, 0) : NULL;
  jf_dlversioned* managed = first ? jf_ndarray_to_dlpack_versioned(view) : NULL;
  jf_object* again = managed ? jf_ndarray_from_dlpack_versioned(managed) : NULL;
  jf_dlmanaged* legacy = again ? jf_ndarray_to_dlpack(view) : NULL;
  const int32_t status = legacy ? jf_dltensor_copy(jf_ndarray_tensor(view), jf_ndarray_tensor(first)) : -1;
  if (legacy) legacy->deleter(legacy);
  jf_object_release(again);
  jf_object_release(first);
  jf_object_release(view);
  jf_object_release(array);
  return status;
}

static void test_without_memory(void) { SURVIVES(use); }

int main(void) {
  RUN(test_new);
  RUN(test_sizes);
  RUN(test_refused);
  RUN(test_wrap);
  RUN(test_wrong_tensors);
  RUN(test_subtype);
  RUN(test_other_devices);
  RUN(test_copy);
  RUN(test_copy_of_each_size);
  RUN(test_equal);
  RUN(test_from_dlpack);
  RUN(test_to_dlpack);
  RUN(test_in_slots);
  RUN(test_bytes);
  RUN(test_without_memory);
  return finish();
}
