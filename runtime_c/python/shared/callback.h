/* Callables as C function pointers, and the texts that C results of type cstr are kept in. */
#ifndef JITFFI_PYTHON_CALLBACK_H
#define JITFFI_PYTHON_CALLBACK_H

#include "function.h"
#include "jitffi/runtime.h"
#include "state.h"

int32_t core_unbox_callback(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps);
PyObject* core_box_callback(core_state* state, int32_t index, void* address);
int32_t core_lift_callback(core_state* state, int32_t index, const jf_view* view, void** out, jf_temps* temps);
/* Whether a Function of the types *given*, a signature's text, can be called as one of those *wanted*. They are the same but for
 * `...` behind the parameters, NULL and const, and void where the other says what a pointer leads to. */
int core_types_fit(const char* given, const char* wanted);
const char* core_keep_cstr(core_state* state, const char* text, int32_t index);

/* Frees the texts that C results of type cstr are kept in. */
void core_kept_texts_free(core_kept_text* texts);

#endif
