/* Lengths and strides of arrays in calls without compiled code. */
#ifndef JITFFI_PYTHON_PLAN_LENGTHS_H
#define JITFFI_PYTHON_PLAN_LENGTHS_H

#include "plan.h"

/* Holds the lengths of an array against what is known, and knows them from here on. -1 with an exception. */
int core_plan_bind(core_plan_call* call, const core_plan_step* step, PyObject* object);
/* An integer that arrays say; `object` NULL: it is not given. -1 with an exception. */
int core_plan_fill(core_plan_call* call, const core_plan_step* step, PyObject* object);
/* What an array that is made has. */
int64_t core_plan_length_of(const core_plan_call* call, const core_plan_length* length);
/* In `lengths`, of JF_MAX_RANK, those that a tensor has to have which is the result, -1 of any; NULL: it may have all. */
const int64_t* core_plan_lengths_of_result(const core_plan_call* call, int64_t* lengths);
/* Lengths and strides of an array that C has passed by its address. */
void core_plan_tell(core_plan_call* call, const core_plan_step* step);

#endif
