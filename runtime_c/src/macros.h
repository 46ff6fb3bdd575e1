/* What functions and fields are declared with. */
#ifndef JITFFI_SRC_MACROS_H
#define JITFFI_SRC_MACROS_H

#include "jitffi/runtime.h"

/* Sets a pointer or size of an object that is new, hence not zero: all of its 8 bytes. */
#if UINTPTR_MAX > 0xFFFFFFFF
#define JF_SET_WIDE(object, field, value) ((void)((object)->field = (value)))
#else
#define JF_SET_WIDE(object, field, value) ((object)->field##_word = (uintptr_t)(value))
#endif

#define JF_COLD __attribute__((cold, noinline))

/* Of what the script library uses beside the public functions: it is built with the runtime, and only fits that. */
#define JF_SHARED JF_API

/* Where there is no operating system: neither threads, files, libraries nor code that is made at run time. */
#if defined(__wasm__) || defined(JITFFI_BARE)
#define JF_NO_SYSTEM 1
#endif

#endif
