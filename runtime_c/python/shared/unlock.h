/* What a call without the GIL may be given: 0, or -1 with ValueError. */
#ifndef JITFFI_PYTHON_UNLOCK_H
#define JITFFI_PYTHON_UNLOCK_H

#include "jitffi/abi.h"
#include "state.h"

int32_t core_sole_object(core_state* state, int32_t index, jf_object* object);
int32_t core_sole_view(core_state* state, int32_t index, const jf_view* view);

#endif
