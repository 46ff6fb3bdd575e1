/* What the benchmarks of arrays call: so little is done that a call's time is that of passing arrays. */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

double vector(uint64_t n, const float* x);
void scaled(uint64_t n, float a, const float* x, float b, const float* y, float* z);
double matrix(int64_t m, int64_t n, const double* a, int64_t lda);
double pointer(const float* x);
double strided(uint64_t n, const double* x, int64_t inc);
void filled(uint64_t n, double* x);
double tensor(const void* x); /* a DLTensor of floats */

#ifdef __cplusplus
}
#endif
#endif
