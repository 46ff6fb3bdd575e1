/* Numbers of scripts: operations, and text that is read as one. */
#ifndef JITFFI_SCRIPT_OP_NUMBER_H
#define JITFFI_SCRIPT_OP_NUMBER_H

#include "jitffi/abi.h"
#include "macros.h"

/* -- op_number.c, op_float.c -- */
enum { JF_OP_DIVMOD = 100 }; /* one more operation, for names */
/* Both are resolved numbers. 1: this operation is not for these types. */
int32_t jf_op_numbers(int32_t op, const jf_any* a, const jf_any* b, jf_value* out);
int32_t jf_op_floats(int32_t op, double a, double b, jf_value* out);
double jf_op_to_double(const jf_any* number); /* a resolved number, rounded once */
/* An int as sign and magnitude, for what does not fit into int64_t on the way. */
typedef struct {
  uint64_t magnitude;
  int32_t negative;
} jf_whole;
jf_whole jf_whole_of(const jf_any* number); /* int, uint or bool */
/* As an int, or as a uint where is_big; OverflowError. */
int32_t jf_whole_out(jf_whole whole, int32_t is_big, jf_value* out);
JF_COLD int32_t jf_op_zero_division(int32_t op, int32_t is_float);
/* The int that a whole float is; ValueError, OverflowError for NaN, infinity and what is too large. */
int32_t jf_float_to_int(double value, int64_t* out);

/* -- op_parse.c -- */
/* For as long as numbers are read or written by the C library: its decimal point is a point. NULL: as it is. */
void* jf_point_enter(void);
void jf_point_leave(void* before);

#endif
