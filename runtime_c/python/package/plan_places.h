/* Places of a call without compiled code.
 *
 *   of a step        words: address, value      the address is that of the value; of a struct its bytes are there
 *   of an array      words: address, [lengths, strides,] the array      in brackets where the callee is no C function
 */
#ifndef JITFFI_PYTHON_PLAN_PLACES_H
#define JITFFI_PYTHON_PLAN_PLACES_H

#include "plan_lengths.h"

/* Places that the callee alone writes to. -1 with an exception. */
int core_plan_make_places(core_plan_call* call);
/* What is left in places of a call that has failed. */
void core_plan_drop_places(core_plan_call* call);
/* The step whose place parameter `index` is; NULL: it is none. */
const core_plan_step* core_plan_place_of(const core_plan* plan, int index);
/* What a callable of Python's has returned for a place that Python has made. -1 with an exception. */
int core_plan_put(core_plan_call* call, const core_plan_step* step, PyObject* object);
/* New: the result, which it takes over, and what is in places. NULL with an exception. */
PyObject* core_plan_give_all(core_plan_call* call, PyObject* result);

#endif
