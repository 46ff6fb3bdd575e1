/* Pointers of other packages, with their types. */
#ifndef JITFFI_PYTHON_POINTER_FOREIGN_H
#define JITFFI_PYTHON_POINTER_FOREIGN_H

#include "pointer.h"

/* 1 and the address of a ctypes or cffi pointer to what *wanted* points at; 0: the object is none, or points at something
 * else; -1: exception. */
int core_foreign_pointer(const core_pointee* wanted, PyObject* object, void** out);

#endif
