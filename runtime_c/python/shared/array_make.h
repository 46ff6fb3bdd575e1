/* NumPy arrays that calls make: what `out` parameters become, and copies that callbacks are given. */
#ifndef JITFFI_PYTHON_ARRAY_MAKE_H
#define JITFFI_PYTHON_ARRAY_MAKE_H

#include "state.h"

/* New, contiguous in C order, its elements not set, of the spec's element and rank; *data is where they are. NULL with an
 * exception that names parameter `index`. */
PyObject* core_make_array(core_state* state, int32_t index, uint64_t spec, const int64_t* shape, void** data);
/* New: a copy of the elements that `in` tells of: address, lengths, strides in elements. */
PyObject* core_box_array(core_state* state, int32_t index, uint64_t spec, const int64_t* in);
/* Writes the elements of such a copy back. -1 with ValueError: it has other memory now, which is less. */
int32_t core_array_back(core_state* state, int32_t index, PyObject* array, uint64_t spec, const int64_t* in);
/* Copies an array that a callable has returned, of the spec's element, rank and lengths, to where C wants it. -1 with an
 * exception. */
int32_t core_unbox_array_out(core_state* state, int32_t index, PyObject* object, uint64_t spec, const int64_t* in);
/* What a packed callee is given for the array that `in` tells of (with room for a tensor behind it): the nd-array on the memory of
 * `object`, where that is NumPy's or ours, held by the temps; else a borrowed tensor, or a copy of what is not to be written.
 * -1 with an exception. */
int32_t core_array_value(core_state* state, int32_t index, PyObject* object, uint64_t spec, int64_t* in, jf_view* view,
                         jf_temps* temps);
/* A reference more until the temps are released. -1 with MemoryError. */
int32_t core_keep_argument(jf_temps* temps, PyObject* object);
/* New: a tuple that takes over `count` references; the array is cleared. NULL with MemoryError, and nothing taken. */
PyObject* core_take_tuple(PyObject** objects, Py_ssize_t count);
/* The parts of what a callable has returned for a result and parameters that it gives back, borrowed from it. -1 with TypeError. */
int32_t core_take_apart(core_state* state, PyObject* object, PyObject** parts, Py_ssize_t count);

#endif
