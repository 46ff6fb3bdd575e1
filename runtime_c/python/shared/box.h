/* Native values to Python objects: new references, NULL with a Python exception set. */
#ifndef JITFFI_PYTHON_BOX_H
#define JITFFI_PYTHON_BOX_H

#include "jitffi/abi.h"
#include "state.h"

PyObject* core_box_ptr(void* pointer); /* None for NULL */
PyObject* core_box_str(const char* data, size_t size);
PyObject* core_box_bytes(const char* data, size_t size);
PyObject* core_box_ucs4(const jf_char32* data, size_t size);                 /* ucs4.c */
PyObject* core_box_cstr(core_state* state, int32_t index, const char* text); /* NULL is a ValueError */
PyObject* core_box_object(jf_object* object); /* borrows; boxes, str, bytes become Python's own; NULL gives None */
PyObject* core_box_view(const jf_view* view); /* borrows; any code that there is */
PyObject* core_box_item(jf_item item);        /* borrows; an item of a container */
PyObject* core_box_slot(jf_value* value);     /* takes it: the slot is null afterwards, on failure too */

#endif
