"""Arrays of more than 2^31 elements: lengths and strides are 64 bits wide, and integers that they do not fit say so."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

import jitffi

SIZE = 3_000_000_000
SOURCE = """
#include <stdint.h>
typedef struct { void* data; int32_t device[2], ndim; uint8_t code, bits; uint16_t lanes; int64_t* shape; } tensor;
uint64_t mark(uint64_t n, uint8_t* x) { x[n - 1] = 5; return n; }
int64_t far(const uint8_t* x, int64_t m, int64_t lda) { return x[(m - 1) * lda] + lda; }
int64_t length(const tensor* x) { return x->shape[0]; }
"""


@pytest.fixture(scope="module")
def large() -> np.ndarray:
    """Of which next to nothing is ever touched, so that it takes no memory."""
    try:
        return np.frombuffer(mmap.mmap(-1, SIZE), np.uint8)
    except (OSError, OverflowError):
        pytest.skip("this machine does not promise so much memory")


@pytest.fixture(scope="module")
def lib(build_library) -> jitffi.Library:
    return jitffi.load_library(build_library(SOURCE))


def test_lengths_are_64_bits_wide(lib, large):
    mark = lib.bind("mark", "(n: u64, x: u8[n]) -> u64")
    packed = jitffi.Function(mark)
    packed = jitffi.Function.from_packed(
        packed.packed_address, name="mark", self_handle=packed.handle, keep_alive=packed
    )
    assert mark(large) == SIZE
    assert large[-1] == 5
    assert packed(SIZE, large) == SIZE
    assert lib.bind("length", "(x: tensor[u8, n]) -> i64")(large) == SIZE
    with pytest.raises(OverflowError, match="mark: argument 'n': expected i32, got 3000000000 of 'x'"):
        lib.bind("mark", "(n: i32, x: u8[n]) -> u64")(large)
    with pytest.raises(ValueError, match="argument 2 'y': n is 2999999999 here and 3000000000 in 'x'"):
        lib.bind("mark", "(x: u8[n], y: const u8[n]) -> void")(large, large[1:])


def test_strides_are_64_bits_wide(lib, large):
    far = lib.bind("far", "(x: const u8[m @ lda, 2], m: i64, lda: i64) -> i64")
    rows = np.lib.stride_tricks.as_strided(large, (2, 2), (SIZE - 2, 1), writeable=False)
    large[SIZE - 2] = 7
    assert far(rows) == 7 + SIZE - 2
    with pytest.raises(OverflowError, match="argument 'lda': expected i32, got 2999999998 of 'x'"):
        lib.bind("far", "(x: const u8[m @ lda, 2], m: i64, lda: i32) -> i64")(rows)
