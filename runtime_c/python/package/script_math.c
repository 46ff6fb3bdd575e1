/* Functions of C's library that Python's `math` has by the same names, in the order of
 * jitffi/scripts/library/math_functions.py. */
#include <math.h>

#include "script_object.h"

double core_op_math(int32_t function, double x, double y) {
  static double (*const of_one[])(double) = {log, log2, log10, exp, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh};
  static double (*const of_two[])(double, double) = {atan2, pow, fmod};
  enum { ONES = sizeof of_one / sizeof *of_one };
  return function < ONES ? of_one[function](x) : of_two[function - ONES](x, y);
}
