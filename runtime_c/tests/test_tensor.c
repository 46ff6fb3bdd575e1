/* Tensors as arguments: what fits a spec, and the tensor that C is given. */
#include "arrayhelper.h"

static void test_what_fits(void) {
  struct {
    jf_dltensor tensor;
    int64_t lengths[2 * JF_MAX_RANK];
  } out;
  const uint64_t on_cpu = (uint64_t)1 << 32, anywhere = (uint64_t)(uint32_t)-1 << 32;
  any_array* made = ARRAY(F32, SHAPE(4, 3), SHAPE(-7, 2));
  CHECK(jf_tensor_match(&made->array, spec_of(F32, 2, 0, 0) | on_cpu, &out.tensor) == JF_ARRAY_FITS);
  CHECK(out.tensor.data == memory && out.tensor.ndim == 2 && out.tensor.dtype.bits == 32 &&
        out.tensor.byte_offset == 0);
  CHECK(out.tensor.shape == out.lengths && out.tensor.strides == out.lengths + 2);
  CHECK(out.lengths[0] == 4 && out.lengths[1] == 3 && out.lengths[2] == -7 && out.lengths[3] == 2);
  CHECK(jf_tensor_match(&made->array, spec_of(F32, 2, JF_SPEC_C_ORDER, 0) | on_cpu, &out.tensor) ==
        JF_ARRAY_BAD_STRIDES);
  CHECK(jf_tensor_match(&made->array, spec_of(F64, 2, 0, 0) | on_cpu, &out.tensor) == JF_ARRAY_BAD_ELEMENT);
  CHECK(jf_tensor_match(&made->array, spec_of(F32, 3, 0, 0) | on_cpu, &out.tensor) == JF_ARRAY_BAD_RANK);
  CHECK(jf_tensor_match(&made->array, spec_of(VOID, JF_RANK_ANY, 0, 0) | on_cpu, &out.tensor) == JF_ARRAY_FITS);
  CHECK(out.tensor.strides == out.lengths + JF_MAX_RANK && out.tensor.strides[0] == -7);
  made = ARRAY(F32, SHAPE(4, 3), NULL);
  made->array.flags = JF_ARRAY_READ_ONLY;
  CHECK(jf_tensor_match(&made->array, spec_of(F32, 2, JF_SPEC_WRITABLE, 0) | on_cpu, &out.tensor) ==
        JF_ARRAY_BAD_ACCESS);
  made->array.device = (jf_device){2, 1};
  made->array.byte_offset = 16;
  CHECK(jf_tensor_match(&made->array, spec_of(F32, 2, 0, 0) | on_cpu, &out.tensor) == JF_ARRAY_BAD_DEVICE);
  CHECK(jf_tensor_match(&made->array, spec_of(F32, 2, 0, 0) | anywhere, &out.tensor) == JF_ARRAY_FITS);
  CHECK(out.tensor.strides == NULL && out.tensor.byte_offset == 16 &&
        (uintptr_t)out.tensor.data == (uintptr_t)memory - 16);
  made->array.device = (jf_device){1, 0};
  made->array.data = memory + 1;
  CHECK(jf_tensor_match(&made->array, spec_of(F32, 2, 0, 0) | on_cpu, &out.tensor) == JF_ARRAY_BAD_ADDRESS);
}

int main(void) {
  RUN(test_what_fits);
  return finish();
}
