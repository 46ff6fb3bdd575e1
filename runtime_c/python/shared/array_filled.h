/* Integers that arrays fill in, refused: always -1 with an exception. See jf_filled_words and jf_beyond_words. */
#ifndef JITFFI_PYTHON_ARRAY_FILLED_H
#define JITFFI_PYTHON_ARRAY_FILLED_H

#include "state.h"

int32_t core_refuse_filled(core_state* state, int32_t index, int64_t given, int32_t source, int32_t exact,
                           int64_t there);
int32_t core_refuse_beyond(core_state* state, int32_t index, int64_t there, int32_t source);

#endif
