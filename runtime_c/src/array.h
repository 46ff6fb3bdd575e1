/* Arrays within the runtime: what the check and the words share. */
#ifndef JITFFI_SRC_ARRAY_H
#define JITFFI_SRC_ARRAY_H

#include "jitffi/array.h"
#include "macros.h"

/* -- array.c -- */
/* More than one dimension, and contiguous in Fortran order. */
int32_t jf_array_is_fortran(const jf_array* array);
/* The dimensions whose strides are not free are contiguous among themselves and take *span items, at least 1. */
int32_t jf_array_rest_fits(const jf_array* array, uint64_t spec, int64_t* span);
/* 1 and the array, borrowed from the view and the two rooms, or 0 where the slot holds none. */
int32_t jf_array_of_slot(const jf_view* view, int64_t* strides, int64_t* length, jf_array* out);
/* The same of an object of another language, which may put what it needs into temps; -1 with the error set. */
JF_COLD int32_t jf_array_of_host(const jf_view* view, uint64_t spec, jf_array* out, jf_temps* temps);

#endif
