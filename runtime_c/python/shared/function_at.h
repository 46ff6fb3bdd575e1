/* The Functions behind C function pointers, by which a function that was passed to C comes back from there as itself. */
#ifndef JITFFI_PYTHON_FUNCTION_AT_H
#define JITFFI_PYTHON_FUNCTION_AT_H

#include "function.h"

void core_function_mark(core_function* f); /* its closure is that of a live Function of ours */
/* Gives a Function its closure, of that code, and with it its C function. -1 with an exception. */
int core_function_close(core_function* function, void* body, int32_t result_class);
/* The live Function whose closure is at an address, or that was passed for it, borrowed; NULL for other C functions. */
core_function* core_function_at(void* address);
/* A Function is passed to C by its own address. -1 with an exception. */
int core_note_passed(core_function* function);
void core_forget_passed(core_function* function); /* one that was, and dies */

#endif
