/* Function objects of a signature, for parameters, results and items of type func[...]. */
#ifndef JITFFI_PYTHON_TYPED_FUNCTION_H
#define JITFFI_PYTHON_TYPED_FUNCTION_H

#include "function.h"
#include "jitffi/pattern.h"
#include "jitffi/runtime.h"
#include "state.h"

/* New: the function object of the pattern's types for a callable. `template` (NULL: one is looked up) is copied for what has other
 * types. NULL, with an exception or, where the object is none that fits, without. */
jf_object* core_typed_function(const jf_pattern* p, PyObject* object, core_function* template);
/* Whether a Function can be called with as many arguments as one of the template's types is. */
int core_function_takes(const core_function* given, const core_function* wanted);
/* That of a parameter or result of type func[...]; NULL with an exception. */
const jf_pattern* core_function_pattern(core_state* state, int32_t index);

/* For generated code: function objects out of Python objects and slots, borrowed from them or from temps, and of a C function
 * into a slot. -1 with an exception, of the last two with the last error set. */
int32_t core_unbox_function(core_state* state, int32_t index, PyObject* object, jf_object** out, jf_temps* temps);
int32_t core_lift_function(core_state* state, int32_t index, const jf_view* view, jf_object** out, jf_temps* temps);
int32_t core_lower_callback(core_state* state, int32_t index, void* address, jf_view* out, jf_temps* temps);

#endif
