/* Calls of variadic C functions. */
#ifndef JITFFI_PYTHON_VARIADIC_H
#define JITFFI_PYTHON_VARIADIC_H

#include "function.h"

void core_variadic_free(core_variadic* variadic); /* NULL is nothing */

#endif
