/* Python object to a native container: a face's own object, checked, or a new container for a Python list, dict or tuple.
 */
#include "core.h"
#include "jitffi/pattern.h"

/* Borrows object; *out is a new reference. */
int32_t core_unbox_container(core_state* state, int32_t index, PyObject* object, jf_object** out) {
  jf_object* native = core_face_object(object);
  const jf_pattern* pattern = jf_pattern_at(state->info, index);
  if (pattern == NULL) {
    core_error_raise(state);
    return -1;
  }
  if (native == NULL) {
    core_fail_type(state, index, object, NULL);
    return -1;
  }
  jf_any slot = {.type_code = JF_OBJECT, .v_object = native};
  if (jf_pattern_check(pattern, state->info, index, &slot) != 0) {
    core_error_raise(state);
    return -1;
  }
  jf_object_retain(native);
  *out = native;
  return 0;
}
