/* Frames of generated code: what the unwinder is told of them, and what becomes of exceptions. */
#ifndef JITFFI_PYTHON_UNWIND_H
#define JITFFI_PYTHON_UNWIND_H

#include "state.h"

/* 1: the unwinder knows these descriptions until they are deregistered. 0: there is no unwinder. With the lock. */
int32_t core_frames_register(void* frames);
void core_frames_deregister(void* frames);
void core_caught(core_state* state, void* exception); /* it becomes the last error */

#endif
