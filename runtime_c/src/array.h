/* Arrays within the runtime: what the check and the words share. */
#ifndef JITFFI_SRC_ARRAY_H
#define JITFFI_SRC_ARRAY_H

#include "jitffi/array.h"

/* -- array.c -- */
/* More than one dimension, and contiguous in Fortran order. */
int32_t jf_array_is_fortran(const jf_array* array);
/* The dimensions whose strides are not free are contiguous among themselves and take *span items, at least 1. */
int32_t jf_array_rest_fits(const jf_array* array, uint64_t spec, int64_t* span);
/* 1 and the array, borrowed from the view and the two rooms, or 0 where the slot holds none. */
int32_t jf_array_of_slot(const jf_view* view, int64_t* strides, int64_t* length, jf_array* out);

#endif
