/* Entry points that keep the caller's registers. */
#ifndef JITFFI_PYTHON_COLD_H
#define JITFFI_PYTHON_COLD_H

#include "interpreter.h"

extern const int core_cold_preserves; /* 0: they are the plain functions on this target */
extern const int core_cold_count;
void* core_cold_entry(int index, const char** name);

#endif
