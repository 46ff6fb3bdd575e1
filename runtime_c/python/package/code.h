/* Machine code as a Python object, and libraries. */
#ifndef JITFFI_PYTHON_CODE_H
#define JITFFI_PYTHON_CODE_H

#include "interpreter.h"

extern PyTypeObject core_code_type;
void* core_library_handle(PyObject* library);              /* dlopen's; NULL with TypeError */
void* core_library_symbol(void* handle, const char* name); /* NULL where it has none of the name */
int core_is_image(PyObject* object);

#endif
