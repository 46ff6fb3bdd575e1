/* jitffi.List and Tuple: the classes, what they have in common, and their iterators. */
#ifndef JITFFI_PYTHON_SEQUENCE_H
#define JITFFI_PYTHON_SEQUENCE_H

#include "interpreter.h"
#include "jitffi/abi.h"

extern PyTypeObject core_list_type, core_tuple_type;
extern PyMethodDef core_list_methods[];
int core_list_init(PyObject* module);
int core_tuple_init(PyObject* module);
int core_sequence_class(PyObject* module, PyTypeObject* type, int32_t code, const char* abstract);
int core_check_count(const char* method, Py_ssize_t given, Py_ssize_t least, Py_ssize_t most);
int core_not_a_value(void); /* after a failed core_borrow: 0, cleared: nothing can be equal; else -1 */
PyObject* core_items_tuple(
    const jf_object* object);                /* new: the items of a list or tuple, as they are, as a Python tuple */
int core_same_nan(PyObject* a, PyObject* b); /* 1: two floats that are one NaN, which == denies */
PyObject* core_items_compare(PyObject* self, PyObject* other, int operation); /* slots and methods that both have */
PyObject* core_items_repr(PyObject* self);
PyObject* core_items_index(PyObject* self, PyObject* const* args, Py_ssize_t given);
PyObject* core_items_count(PyObject* self, PyObject* value);
PyObject* core_items_to_python(PyObject* self, PyObject* unused);
PyObject* core_list_to_numpy(PyObject* self, PyObject* args, PyObject* keywords);
PyObject* core_list_array(PyObject* self, PyObject* args, PyObject* keywords);

/* -- iterate.c -- */
int core_iterate_init(PyObject* module);
PyObject* core_iterate(PyObject* wrapper, int reversed); /* new */

#endif
