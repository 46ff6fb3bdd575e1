/* Sets of Python's own that scripts make. */
#include "error.h"
#include "script_container.h"
#include "script_effect.h"

PyObject* core_op_set_new(void) {
  PyObject* made = PySet_New(NULL);
  if (made == NULL) core_error_from_python();
  return made;
}

int32_t core_op_set_add(PyObject* set, PyObject* item) {
  core_count_effects_in(item); /* its hash, and what it is compared with */
  if (PySet_Add(set, item) == 0) return 0;
  core_error_from_python();
  return -1;
}
