/* Which classes values get in Python: all that the package has. emitted/boxing.h has the same for emitted modules. */
#ifndef JITFFI_PYTHON_BOXING_H
#define JITFFI_PYTHON_BOXING_H

#include "dlpack.h"
#include "handle.h"
#include "module_object.h"
#include "wrapper.h"

extern PyTypeObject core_handle_type; /* handle_value.c */
PyObject* core_box_handle(void* handle);
static inline int core_is_handle(PyObject* object) { return Py_TYPE(object) == &core_handle_type; }

/* Of an nd-array that a script was given as another object, that object: see script_array.c. */
PyObject* core_script_array_back(jf_object* array);
static inline PyObject* core_class_wrapper(jf_object* object) {
  return object->type_code == JF_NDARRAY ? core_script_array_back(object) : core_wrapper_of(object);
}
static inline PyObject* core_class_function(jf_object* object) { return core_function_box(object); }
static inline PyObject* core_class_module(jf_object* object) { return core_module_box(object); }
static inline PyObject* core_class_dtype(jf_dtype value) { return core_box_dtype(value); }
static inline PyObject* core_class_device(jf_device value) { return core_box_device(value); }

#endif
