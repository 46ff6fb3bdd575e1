"""Arrays in C: lengths and strides that are filled in, checks that name what differs, arrays that are made."""

import pathlib
import subprocess
import tempfile

import numpy as np

import jitffi

SOURCE = """
#include <stdint.h>

void saxpy(uint64_t n, float a, const float* x, float* y) {
  for (uint64_t i = 0; i < n; i++) y[i] += a * x[i];
}

/* The mean of each row of a matrix whose rows are `stride` numbers apart. */
void row_means(int64_t m, int64_t n, const double* a, int64_t stride, double* means) {
  for (int64_t i = 0; i < m; i++) {
    means[i] = 0;
    for (int64_t j = 0; j < n; j++) means[i] += a[i * stride + j] / n;
  }
}

void histogram(uint64_t n, const uint8_t* bytes, uint32_t counts[256]) {
  for (int i = 0; i < 256; i++) counts[i] = 0;
  for (uint64_t i = 0; i < n; i++) counts[bytes[i]]++;
}
"""

with tempfile.TemporaryDirectory() as folder:
    source, library = pathlib.Path(folder, "kernels.c"), pathlib.Path(folder, "libkernels.so")
    source.write_text(SOURCE)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    kernels = jitffi.load_library(library)

# n is filled in, since it is the length of an array that is passed.
saxpy = kernels.bind("saxpy", "(n: u64, a: f32, x: const f32[n], y: f32[n]) -> void")
x, y = np.arange(5, dtype=np.float32), np.ones(5, dtype=np.float32)
saxpy(2.0, x, y)
print("saxpy:", y.tolist())
saxpy(2.0, x, y, n=2)  # of the first two alone
print("n=2:  ", y.tolist())

for wrong in (y.astype(np.float64), y[:4], y[::-1], b"bytes are read-only!"):
    try:
        saxpy(2.0, x, wrong)
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)

# `@ stride`: pieces of larger matrices go in as they lie.
row_means = kernels.bind(
    "row_means", "(m: i64, n: i64, a: const f64[m @ stride, n], stride: i64, means: f64[m]) -> void"
)
table, means = np.arange(24.0).reshape(4, 6), np.empty(2)
row_means(table[1:3, 2:5], means)
print("means:", means.tolist())

# An array of bytes is anything with a buffer; `out` is made, and is the result.
histogram = kernels.bind("histogram", "(n: u64, bytes: const u8[n], counts: out[u32[256]]) -> void")
counts = histogram(b"to be or not to be")
print("o:", counts[ord("o")], "of", counts.sum(), type(counts).__name__, counts.dtype)
