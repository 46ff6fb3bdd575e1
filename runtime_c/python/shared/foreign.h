/* Objects that are not of this copy of jitffi: of NumPy, ctypes and cffi, recognised without importing them, and instances of
 * the same classes in other copies.
 */
#ifndef JITFFI_PYTHON_FOREIGN_H
#define JITFFI_PYTHON_FOREIGN_H

#include "interpreter.h"

/* -- foreign.c -- */
enum { CORE_NUMPY_NONE, CORE_NUMPY_BOOL, CORE_NUMPY_INT, CORE_NUMPY_FLOAT, CORE_NUMPY_COMPLEX };
int core_numpy_kind(PyObject* object);        /* of a NumPy scalar, by its class */
int core_is_numpy_dtype(PyObject* object);    /* a dtype, or a class of NumPy's scalars */
PyObject* core_numpy_dtype(PyObject* object); /* new: the dtype of such a one; NULL, with an exception or without */
/* 1: a pointer of that package, *out is what it points at; 0: not one; -1: exception. */
int core_ctypes_pointer(PyObject* object, void** out);
int core_cffi_pointer(PyObject* object, void** out, int functions);

/* -- protocol.c -- */
enum { CORE_AS_ANY = 1, CORE_AS_INT = 2, CORE_AS_FLOAT = 4, CORE_AS_ADDRESS = 8 };
/* New: what the object says that it is, by a value protocol for that kind; NULL, with an exception or without. */
PyObject* core_protocol_value(PyObject* object, int kind);

/* -- foreign_instances.c -- */
/* New: str() of one of the class that is called like `ours`; NULL, with an exception or without. */
PyObject* core_foreign_text(PyObject* object, const PyTypeObject* ours);
/* New: the list, dict, tuple, str or bytes that it stands for; NULL, with an exception or without. */
PyObject* core_foreign_plain(PyObject* object);

#endif
