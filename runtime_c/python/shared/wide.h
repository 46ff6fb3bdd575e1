/* Numbers that no word of 64 bits holds, as the bytes that they are in memory: long double, 128-bit integers, complex
 * numbers. `kind` is JF_KIND_LONGDOUBLE, _I128, _U128, _C64 or _C128.
 */
#ifndef JITFFI_PYTHON_WIDE_H
#define JITFFI_PYTHON_WIDE_H

#include "state.h"

enum { CORE_WIDE_MOST = 16 }; /* bytes that one of them has */
int32_t core_wide_size(int32_t kind);
/* Borrows object; writes core_wide_size bytes. -1 with an exception. */
int32_t core_unbox_wide(core_state* state, int32_t index, PyObject* object, int32_t kind, void* out);
/* New; NULL with an exception: OverflowError for a long double that is beyond a float. */
PyObject* core_box_wide(core_state* state, int32_t index, int32_t kind, const void* at);
PyObject* core_wide_read(int32_t kind, const char* at); /* the same at no place that messages name */

#endif
