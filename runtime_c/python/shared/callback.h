/* Callables as C function pointers, and the texts that C results of type cstr are kept in. */
#ifndef JITFFI_PYTHON_CALLBACK_H
#define JITFFI_PYTHON_CALLBACK_H

#include "function.h"
#include "jitffi/runtime.h"
#include "state.h"

int32_t core_unbox_callback(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps);
PyObject* core_box_callback(core_state* state, int32_t index, void* address);
int32_t core_lift_callback(core_state* state, int32_t index, const jf_view* view, void** out, jf_temps* temps);
const char* core_keep_cstr(core_state* state, const char* text);

/* Frees the texts that C results of type cstr are kept in. */
void core_kept_texts_free(core_kept_text* texts);

#endif
