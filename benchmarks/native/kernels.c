/* The first or the last element of each array is read or written. */
#include "kernels.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT double vector(uint64_t n, const float* x) { return x[n - 1]; }

EXPORT void scaled(uint64_t n, float a, const float* x, float b, const float* y, float* z) {
  z[n - 1] = a * x[n - 1] + b * y[n - 1];
}

EXPORT double matrix(int64_t m, int64_t n, const double* a, int64_t lda) { return a[(m - 1) * lda + n - 1]; }

EXPORT double pointer(const float* x) { return x[0]; }

EXPORT double strided(uint64_t n, const double* x, int64_t inc) { return x[(int64_t)(n - 1) * inc]; }

EXPORT void filled(uint64_t n, double* x) { x[n - 1] = (double)n; }

/* The address of the elements comes first in a DLTensor. */
EXPORT double tensor(const void* x) { return **(float* const*)x; }
