/* Python objects in slots as arrays: what a packed entry takes that is called with whatever Python has.
 *
 * An entry gives its temporaries back on whatever thread it was called, so what is held here takes the lock for that.
 */
#include "array.h"
#include "error.h"
#include "gil.h"
#include "host_object.h"
#include "jitffi/runtime.h"
#include "unbox.h"

typedef struct {
  jf_temps temps;
  core_array found;
} held_array;

void core_release_held(void* held) {
  const int has_gil = core_has_gil();
  if (!has_gil && !Py_IsInitialized()) return;
  const PyGILState_STATE lock = has_gil ? PyGILState_LOCKED : PyGILState_Ensure();
  jf_temps_release(held);
  jf_free(held);
  if (!has_gil) PyGILState_Release(lock);
}

/* 1, 0 or -1 with an exception. What is read is kept in *held. */
static int read_host(PyObject* host, uint64_t spec, held_array* held) {
  PyObject* refused = NULL;
  const int status = core_array_read(host, spec, &held->found, &held->temps, &refused);
  Py_XDECREF(refused);
  if (status <= 0) return status;
  PyObject* name = core_array_set_name(&held->found);
  return name == NULL || core_keep_python(&held->temps, name) == 0 ? 1 : -1;
}

int32_t core_read_host_array(jf_object* object, uint64_t spec, jf_array* out, jf_temps* temps) {
  PyObject* host = core_host_get(object);
  if (host == NULL || !Py_IsInitialized()) return 0;
  held_array* held = jf_alloc(sizeof *held);
  if (held == NULL) {
    jf_error_set_object(NULL);
    return -1;
  }
  held->temps = (jf_temps){NULL};
  if (jf_temps_add(temps, held, core_release_held) != 0) return -1;
  const int has_gil = core_has_gil();
  const PyGILState_STATE lock = has_gil ? PyGILState_LOCKED : PyGILState_Ensure();
  const int status = read_host(host, spec, held);
  if (status > 0) *out = held->found.array;
  if (status < 0) core_error_from_python();
  if (!has_gil) PyGILState_Release(lock);
  return status;
}
