/* What arrays the fields of a class have held so far: scripts are compiled for these (jitffi/scripts/library/instances.py).
 *
 *   put there: f64 of rank 2, f64 of rank 2, ...    the member says so; code for it looks at each array that it reads
 *              another one                          it says nothing any more, and the class has another version: the code is
 *                                                   for the class as it was
 */
#include <string.h>

#include "instance.h"
#include "jitffi/ndarray.h"

uint32_t core_array_kind(jf_object* array) {
  const jf_dltensor* tensor = jf_ndarray_tensor(array);
  const jf_dtype dtype = tensor->dtype;
  const int is_plain = tensor->device.device_type == JF_CPU && dtype.lanes == 1 && tensor->byte_offset == 0;
  if (!is_plain || tensor->ndim < 1 || tensor->ndim >= UINT8_MAX) return CORE_ARRAYS_DIFFER;
  return (uint32_t)(dtype.code | dtype.bits << 8 | tensor->ndim << 16);
}

void core_member_note_arrays(core_member* member, uint32_t kind) {
  if (kind == member->arrays || member->arrays == CORE_ARRAYS_DIFFER) return;
  member->arrays = member->arrays == 0 ? kind : CORE_ARRAYS_DIFFER;
  PyType_Modified(member->owner);
  PyObject* above = member->owner->tp_base->tp_dict;
  PyObject* same = above != NULL ? PyDict_GetItemWithError(above, member->name) : NULL;
  PyErr_Clear();
  if (same != NULL && Py_IS_TYPE(same, &core_member_type)) core_member_note_arrays((core_member*)same, kind);
}

void core_member_note_array(core_member* member, PyObject* value, jf_object* array) {
  const int is_derived = core_is_wrapper(value) && Py_TYPE(value) != core_wrapper_class_known(JF_NDARRAY);
  core_member_note_arrays(member, is_derived ? CORE_ARRAYS_DIFFER : core_array_kind(array));
}

/* core_array_kind, the name of the elements and the rank, of all arrays that were put there; None where they differ, and of none. */
PyObject* core_member_arrays(core_member* member, void* unused) {
  (void)unused;
  static const char* const letters[] = {[JF_DL_INT] = "i", [JF_DL_UINT] = "u", [JF_DL_FLOAT] = "f"};
  const uint32_t kind = member->arrays, code = kind & 0xFF, bits = kind >> 8 & 0xFF;
  char element[8] = "bool";
  if (kind == 0 || kind == CORE_ARRAYS_DIFFER || (code > JF_DL_FLOAT && code != JF_DL_BOOL)) Py_RETURN_NONE;
  if (code != JF_DL_BOOL) PyOS_snprintf(element, sizeof element, "%s%u", letters[code], (unsigned)bits);
  return Py_BuildValue("Isi", (unsigned)kind, element, (int)(kind >> 16));
}
