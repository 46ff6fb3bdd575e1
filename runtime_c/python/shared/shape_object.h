/* jitffi.Shape. */
#ifndef JITFFI_PYTHON_SHAPE_OBJECT_H
#define JITFFI_PYTHON_SHAPE_OBJECT_H

#include "interpreter.h"

extern PyTypeObject core_shape_type;   /* jitffi.Shape */
int core_shape_init(PyObject* module); /* after core_object_init */

#endif
