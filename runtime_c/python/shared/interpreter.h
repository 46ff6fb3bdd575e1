/* The interpreter's own headers, as every file of the extension has them. */
#ifndef JITFFI_PYTHON_INTERPRETER_H
#define JITFFI_PYTHON_INTERPRETER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#ifdef Py_GIL_DISABLED
#error "jitffi: generated code counts references without atomics; free-threaded builds are not supported"
#endif

#include "weak.h"

#endif
