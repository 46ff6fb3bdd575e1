/* What is not in every CPython that an emitted module may be loaded into by mistake: the stable ABI of 3.11 has everything else. Where
 * such a symbol is missing it is NULL, and nobody gets so far as to use it, since the module refuses to be imported. The
 * extension of the package, which has the same objects, is never loaded into another CPython.
 */
#ifndef JITFFI_PYTHON_WEAK_H
#define JITFFI_PYTHON_WEAK_H

#include <marshal.h>

#pragma weak PyDict_SetDefault
#pragma weak PyGILState_Check
#pragma weak PyInterpreterState_Main
#pragma weak PyMarshal_ReadObjectFromString
#pragma weak PyObject_LengthHint
#pragma weak PyObject_VectorcallMethod
#pragma weak PyThreadState_DeleteCurrent
#pragma weak PyUnicode_AsUTF8
#pragma weak PyUnicode_FromKindAndData
#pragma weak PyUnicode_New
#pragma weak PyVectorcall_Call

/* Those that some versions alone declare as functions: elsewhere a compiler would complain, of a name that it does not know. */
#if PY_VERSION_HEX < 0x030C0000
#pragma weak _PyUnicode_Ready
#else
#pragma weak PyErr_GetRaisedException
#pragma weak PyErr_SetRaisedException
#pragma weak PyUnstable_GC_VisitObjects
#endif

#if PY_VERSION_HEX < 0x030D0000
#pragma weak _PyThreadState_UncheckedGet
#pragma weak _PyTrash_begin
#pragma weak _PyTrash_cond
#pragma weak _PyTrash_end
#pragma weak _Py_IsFinalizing
#else
#pragma weak PyThreadState_GetUnchecked
#pragma weak PyWeakref_GetRef
#pragma weak Py_IsFinalizing
#pragma weak _PyTrash_thread_deposit_object
#pragma weak _PyTrash_thread_destroy_chain
#endif

#endif
