/* Which classes an emitted module has: none, until a part says so. */
#include "boxing.h"

core_boxing core_boxes;

PyObject* core_no_class(int32_t code) {
  return PyErr_Format(PyExc_TypeError, "a value (type code %d) has no Python class", (int)code);
}
