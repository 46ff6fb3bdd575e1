/* jitffi.Pointer as an argument: for a pointer's parameter its address, for an array's the items that it knows of. */
#include "array.h"
#include "pointer.h"

int core_read_pointer(PyObject* object, core_array* out, jf_temps* temps) {
  core_pointer_info info;
  const int status = core_pointer_view(object, &info);
  if (status <= 0) return status;
  if (info.length < 0 || (info.dtype.lanes == 0 && info.info == NULL)) {
    PyErr_Format(PyExc_TypeError, "a Pointer %s is no array%s",
                 info.length < 0 ? "of unknown length" : "to what is no number",
                 info.length < 0 ? ": its array(n) is one" : "");
    return -1;
  }
  core_array_init(out, info.address);
  out->array.dtype = info.dtype;
  out->array.item_size = info.size;
  out->struct_info = info.info;
  out->array.ndim = 1;
  out->shape[0] = info.length;
  out->strides[0] = out->array.item_size;
  if (info.is_const) out->array.flags = JF_ARRAY_READ_ONLY;
  return core_pointer_hold((core_pointer*)object, temps) == 0 ? 1 : -1;
}

int core_address_of_pointer(core_state* state, int32_t index, PyObject* object, int64_t* out, jf_temps* temps) {
  void* address;
  if (!core_is_pointer(object)) return 0;
  if (core_unbox_pointer(state, index, object, &address, temps) != 0) return -1;
  out[0] = (int64_t)(uintptr_t)address;
  return 1;
}
