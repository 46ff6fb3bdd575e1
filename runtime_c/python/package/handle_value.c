/* Opaque handles as Python values: ints that know what they are, so that one that C gave is a handle again where it goes back.
 *
 * Where a signature says `ptr`, addresses are plain ints.
 */
#include "boxing.h"
#include "hooks.h"
#include "parts.h"

PyTypeObject core_handle_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi._core.Handle",
    .tp_doc = "An opaque handle that C gave: an int that is passed on as a handle.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &PyLong_Type,
};

/* New: None for NULL. NULL with an exception. */
PyObject* core_box_handle(void* handle) {
  if (handle == NULL) Py_RETURN_NONE;
  return PyObject_CallFunction((PyObject*)&core_handle_type, "K", (unsigned long long)(uintptr_t)handle);
}

/* 0, or -1 with an exception. */
int core_handle_init(PyObject* module) {
  core_handle_type.tp_basicsize = PyLong_Type.tp_basicsize;
  core_handle_type.tp_itemsize = PyLong_Type.tp_itemsize;
  if (core_type_ready(&core_handle_type) != 0) return -1;
  return PyModule_AddObjectRef(module, "Handle", (PyObject*)&core_handle_type);
}
