/* jitffi.NDArray as an argument: its tensor, on native memory that the call holds though the wrapper be emptied meanwhile. */
#include "array.h"
#include "ndarray_object.h"
#include "unbox.h"

int core_read_ndarray(PyObject* object, core_array* out, jf_temps* temps) {
  const jf_ndarray* array = core_ndarray_view(object);
  if (array == NULL) return 0;
  jf_object_retain((jf_object*)array);
  if (core_keep_object(temps, (jf_object*)array) != 0) return -1;
  out->format = NULL;
  out->descr = NULL;
  jf_array_of_tensor(&array->tensor, core_ndarray_is_readonly(array) ? JF_ARRAY_READ_ONLY : 0, out->strides,
                     &out->array);
  return 1;
}
