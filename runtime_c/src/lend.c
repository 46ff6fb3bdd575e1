/* Arrays of a call as values in slots: tensors on the caller's memory, nd-arrays that whoever has them may keep; and what comes
 * back with the result, one value or a tuple.
 */
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

/* Borrows info. */
int32_t jf_take_parts(const jf_call_info* info, const jf_value* slot, jf_view* parts, int32_t count) {
  jf_any scratch;
  const jf_any* tuple = jf_any_resolve(slot, &scratch);
  const int32_t is_tuple = tuple->type_code == JF_OBJECT && tuple->v_object->type_code == JF_TUPLE;
  if (!is_tuple || jf_tuple_size(tuple->v_object) != (size_t)count) {
    char described[JF_DESCRIBE_SIZE];
    jf_any_describe(slot, described, sizeof described);
    jf_error_format("TypeError", "%s: result: expected a tuple of %d, the result and what comes back, got %s",
                    info && info->name ? info->name : "function", (int)count, described);
    return -1;
  }
  for (int32_t i = 0; i < count; i++)
    if (jf_tuple_peek(tuple->v_object, i, &parts[i]) != 0) return -1;
  return 0;
}

/* Borrows info. */
int32_t jf_take_array(const jf_call_info* info, int32_t index, const jf_view* view, uint64_t spec, int64_t* in) {
  const uint64_t readable = spec & ~((uint64_t)JF_SPEC_WRITABLE << 24);
  const int32_t rank = (uint8_t)(spec >> 16);
  int64_t found[1 + 2 * JF_MAX_RANK];
  jf_temps temps = {NULL};
  jf_dltensor from, to;
  int32_t status = jf_lift_array(info, index, view, readable, found, &temps);
  for (int32_t i = 0; status == 0 && i < rank; i++)
    if (found[1 + i] != in[1 + i]) status = jf_refuse_length(info, index, view, i, found[1 + i], -1, in[1 + i]);
  if (status == 0) {
    jf_fill_tensor(&from, spec, found);
    jf_fill_tensor(&to, spec, in);
    status = jf_dltensor_copy(&to, &from);
  }
  jf_temps_release(&temps);
  return status;
}
