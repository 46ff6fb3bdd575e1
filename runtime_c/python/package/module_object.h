/* Modules as Python objects. */
#ifndef JITFFI_PYTHON_MODULE_OBJECT_H
#define JITFFI_PYTHON_MODULE_OBJECT_H

#include "interpreter.h"
#include "jitffi/abi.h"

PyObject* core_module_box(jf_object* object);
void core_module_keep(jf_object* object);

#endif
