/* Which classes values get in Python: those that the types of an emitted module need, as the parts say that it starts.
 * package/boxing.h has the same for the package, which has all of them.
 */
#ifndef JITFFI_PYTHON_BOXING_H
#define JITFFI_PYTHON_BOXING_H

#include "box.h"

/* There is no class of handles: one is its address. */
static inline PyObject* core_box_handle(void* handle) { return core_box_ptr(handle); }
static inline int core_is_handle(PyObject* object) { return (void)object, 0; }

/* NULL: the module has no such class. */
typedef struct {
  PyObject* (*wrapper)(jf_object* object);
  PyObject* (*function)(jf_object* object);
  PyObject* (*dtype)(jf_dtype value);
  PyObject* (*device)(jf_device value);
} core_boxing;
extern core_boxing core_boxes;

/* TypeError; NULL. */
PyObject* core_no_class(int32_t code);

static inline PyObject* core_class_wrapper(jf_object* object) {
  return core_boxes.wrapper ? core_boxes.wrapper(object) : core_no_class(object->type_code);
}
static inline PyObject* core_class_function(jf_object* object) {
  return core_boxes.function ? core_boxes.function(object) : core_no_class(JF_FUNCTION);
}
static inline PyObject* core_class_module(jf_object* object) { return core_class_wrapper(object); }
static inline PyObject* core_class_dtype(jf_dtype value) {
  return core_boxes.dtype ? core_boxes.dtype(value) : core_no_class(JF_DTYPE);
}
static inline PyObject* core_class_device(jf_device value) {
  return core_boxes.device ? core_boxes.device(value) : core_no_class(JF_DEVICE);
}

#endif
