/* Frames of generated code: what the unwinder and debuggers are told of them, and what becomes of exceptions. */
#ifndef JITFFI_UNWIND_H
#define JITFFI_UNWIND_H

#include "core.h"

/* -- unwind.c ------------------------------------------------------------------------------------------------ */
int core_unwind_init(PyObject* module); /* module.PERSONALITY: what descriptions of frames name */
/* 1: the unwinder knows these descriptions until they are deregistered. 0: there is no unwinder. With the lock. */
int32_t core_frames_register(void* frames);
void core_frames_deregister(void* frames);
void core_caught(core_state* state, void* exception); /* it becomes the last error */

/* -- debugger.c ---------------------------------------------------------------------------------------------- */
int core_debugger_init(PyObject* module); /* module.show_debugger */

#endif
