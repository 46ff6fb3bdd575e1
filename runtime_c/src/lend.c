/* Arrays of a call as values in slots: tensors on the caller's memory, and nd-arrays that whoever has them may keep. */
#include "jitffi/array.h"
#include "jitffi/containers.h"
#include "jitffi/ndarray.h"
#include "message.h"
#include "slot.h"

#include <string.h>

/* Borrows in. */
void jf_fill_tensor(jf_dltensor* tensor, uint64_t spec, int64_t* in) {
  const int32_t rank = (uint8_t)(spec >> 16);
  tensor->data = (void*)(uintptr_t)in[0];
  tensor->device = (jf_device){JF_CPU, 0};
  tensor->ndim = rank;
  tensor->dtype = (jf_dtype){(uint8_t)spec, (uint8_t)(spec >> 8), 1};
  tensor->shape = in + 1;
  tensor->strides = in + 1 + rank;
  tensor->byte_offset = 0;
}

static void release(void* object) { jf_object_release(object); }

/* Borrows in. */
jf_object* jf_copy_array(uint64_t spec, int64_t* in, jf_temps* temps) {
  jf_dltensor tensor;
  jf_fill_tensor(&tensor, spec, in);
  jf_object* array = jf_ndarray_new(tensor.ndim, tensor.shape, tensor.dtype, 0);
  if (!array || jf_temps_add(temps, array, release) != 0) return NULL;
  if (jf_dltensor_copy(jf_ndarray_tensor(array), &tensor) != 0) return NULL;
  ((jf_ndarray*)array)->flags |= JF_DL_READ_ONLY;
  return array;
}

/* Borrows info and shape. */
jf_object* jf_new_array(const jf_call_info* info, int32_t index, uint64_t spec, const int64_t* shape, void** data,
                        jf_temps* temps) {
  const int32_t rank = (uint8_t)(spec >> 16);
  for (int32_t i = 0; i < rank; i++) {
    if (shape[i] >= 0) continue;
    jf_fail_place("ValueError", info, index, "an array has no negative length");
    return NULL;
  }
  jf_object* array = jf_ndarray_new(rank, shape, (jf_dtype){(uint8_t)spec, (uint8_t)(spec >> 8), 1}, 0);
  if (!array || jf_temps_add(temps, array, release) != 0) return NULL;
  jf_dltensor* tensor = jf_ndarray_tensor(array);
  *data = (char*)tensor->data + tensor->byte_offset;
  memset(*data, 0, (size_t)jf_dltensor_items(tensor) * jf_dltensor_itemsize(tensor, 0));
  return array;
}

/* Borrows views. */
int32_t jf_out_values(jf_value* out, const jf_view* views, int32_t count) {
  if (count == 1) return jf_any_retain(views, out);
  jf_object* tuple = jf_tuple_new(views, (size_t)count);
  if (!tuple) return -1;
  jf_any_release(out);
  jf_out_object(out, tuple);
  return 0;
}
