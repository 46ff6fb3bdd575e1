"""Thousands of calls with arrays, pointers, tensors and owned memory leave nothing behind: no native object, no block
of Python's, no byte of malloc's."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.extension import HOST, compile_c, linker
from support.leaks import live_objects, settle

import jitffi
from jitffi.llvm.target import LOCK

CALLS = 20_000
#: Far less than one word, or one block, for each call.
BYTES, BLOCKS = 4 * CALLS, 1_000

SOURCE = """
#include <stdint.h>
#include <stdlib.h>
typedef struct { void* data; int32_t device, device_id, ndim; uint8_t code, bits; uint16_t lanes;
                 int64_t *shape, *strides; uint64_t byte_offset; } DLTensor;
void axpy(uint64_t n, float a, const float* x, float* y) { for (uint64_t i = 0; i < n; i++) y[i] += a * x[i]; }
int64_t lead(int32_t m, int32_t n, const double* a, int32_t lda) { return m * 10000 + n * 100 + lda; }
float* behind(float* x, int32_t n) { return x + n; }
float first(const float* x) { return *x; }
void fill(int32_t n, float* x, float v) { for (int32_t i = 0; i < n; i++) x[i] = v; }
int32_t both(int64_t a, double* half, int32_t* next) { *half = a / 2.0; *next = (int32_t)a + 1; return (int32_t)a; }
void increase(int64_t* x) { ++*x; }
double apply(double (*f)(uint64_t, const double*, double*), uint64_t n, const double* x, double* y) {
  return f(n, x, y);
}
int32_t rank(const DLTensor* t) { return t->ndim; }
double apply_tensor(double (*f)(DLTensor*), DLTensor* t) { return f(t); }
double* make(int64_t n) { return n < 0 ? NULL : calloc((size_t)n + 1, sizeof(double)); }
void drop(double* p) { free(p); }
int32_t open_it(int32_t result, double** out) { *out = make(3); return result; }
"""
AXPY = "(n: u64, a: f32, x: const f32[n], y: f32[n]) -> void"
OWNED = "owned[ptr[f64], drop]"


class _Usage(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keep",
        )
    ]


_mallinfo2 = getattr(ctypes.CDLL(None), "mallinfo2", None)
if _mallinfo2 is not None:
    _mallinfo2.restype = _Usage


def _allocated() -> int:
    """Bytes that malloc has given out; 0 where its library does not count them."""
    usage = _mallinfo2() if _mallinfo2 is not None else _Usage()
    return int(usage.uordblks + usage.hblkhd)


def _left_by(run: Callable[[], None]) -> str:
    objects, blocks, size = live_objects(), sys.getallocatedblocks(), _allocated()
    run()
    objects, blocks, size = live_objects() - objects, sys.getallocatedblocks() - blocks, _allocated() - size
    return f"{objects} objects, {blocks} blocks, {size} bytes" if objects or blocks >= BLOCKS or size >= BYTES else ""


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> jitffi.Library:
    settle()
    folder: Path = tmp_path_factory.mktemp("leaks")
    linker.link([compile_c(folder / "leaks.o", SOURCE)], folder / "leaks.so", kind="so", target=HOST)
    return jitffi.load_library(folder / "leaks.so")


def _packed(function: Any) -> jitffi.Function:
    held = jitffi.Function(function)
    return jitffi.Function.from_packed(held.packed_address, self_handle=held.handle, keep_alive=held)


def _fails(call: Callable[..., object], *args: object) -> None:
    with contextlib.suppress(TypeError, ValueError):
        call(*args)
        raise AssertionError("it did not fail")


def _arrays(lib: jitffi.Library) -> Iterator[tuple[str, Callable[[], object]]]:
    x, y, wide = np.arange(5, dtype=np.float32), np.ones(5, np.float32), np.zeros((7, 12))[:, :5]
    axpy, lead = lib.bind("axpy", AXPY), lib.bind("lead", "(m: i32, n: i32, a: const f64[m @ lda, n], lda: i32) -> i64")
    nogil, packed = lib.bind("axpy", AXPY, nogil=True), _packed(axpy)
    view, c = memoryview(x), (ctypes.c_float * 5)()
    tensor, pointer = jitffi.from_dlpack(np.ones(5, np.float32)), jitffi.new("f32[5]")
    yield "NumPy's", lambda: axpy(1.0, x, y)
    yield "with its length", lambda: axpy(1.0, x, y, n=2)
    yield "strided", lambda: lead(wide)
    yield "a buffer", lambda: axpy(1.0, view, y)
    yield "an NDArray", lambda: axpy(1.0, tensor, y)
    yield "a Pointer", lambda: axpy(1.0, pointer, y)
    yield "of ctypes", lambda: axpy(1.0, c, y)
    yield "without the lock", lambda: nogil(1.0, x, y)
    yield "packed", lambda: packed(5, 1.0, x, tensor)
    yield "refused", lambda: _fails(axpy, 1.0, x, wide)
    yield "of other lengths", lambda: _fails(axpy, 1.0, view, y[:2])
    yield "refused when packed", lambda: _fails(packed, 5, 1.0, x, wide)
    fill = lib.bind("fill", "(n: i32, x: out[f32[n]], v: f32) -> void")
    both, increase = (
        lib.bind("both", "(i64, out[f64], out[i32]) -> i32"),
        lib.bind("increase", "(x: inout[i64]) -> void"),
    )
    yield "an array out", lambda: fill(3, 1.0)
    yield "numbers out", lambda: both(3)
    yield "in and out", lambda: increase(1 << 40)
    yield "no array out", lambda: _fails(fill, 3, "x")


def _callbacks(lib: jitffi.Library) -> Iterator[tuple[str, Callable[[], object]]]:
    f = "func[(n: u64, x: const f64[n], y: f64[n]) -> f64]"
    apply = lib.bind("apply", f"(f: {f}, n: u64, x: const f64[n], y: f64[n]) -> f64")
    x, y = np.arange(4.0), np.zeros(4)
    yield "a callback with arrays", lambda: apply(lambda x, y: float(x[0]), x, y)
    yield "a callback's failure", lambda: _fails(apply, lambda x, y: "x", x, y)


def _pointers(lib: jitffi.Library) -> Iterator[tuple[str, Callable[[], object]]]:
    x = np.arange(5, dtype=np.float32)
    behind, first = (
        lib.bind("behind", "(x: ptr[f32], n: i32) -> ptr[f32]"),
        lib.bind("first", "(x: ptr[const f32]) -> f32"),
    )
    pointer, tensor = jitffi.new("f64[5]"), jitffi.from_dlpack(np.ones(5))
    yield "a pointer", lambda: first(behind(x, 1))
    yield "no pointer", lambda: _fails(first, "x")
    yield "new", lambda: jitffi.new("f64[3]")
    yield "an array of a pointer", lambda: pointer.array(5)
    yield "an NDArray's slice", lambda: tensor[1:3]
    yield "from_dlpack", lambda: jitffi.from_dlpack(x)


def _tensors(lib: jitffi.Library) -> Iterator[tuple[str, Callable[[], object]]]:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    rank, given = lib.bind("rank", "(tensor[f32, n, m]) -> i32"), jitffi.from_dlpack(x)
    packed, view = _packed(rank), memoryview(x)
    apply = lib.bind("apply_tensor", "(func[(tensor[f32]) -> f64], tensor[f32]) -> f64")
    yield "a tensor", lambda: rank(x)
    yield "a strided tensor", lambda: rank(x.T)
    yield "a tensor of a buffer", lambda: rank(view)
    yield "a tensor of an NDArray", lambda: rank(given)
    yield "a packed tensor", lambda: packed(given)
    yield "no tensor", lambda: _fails(rank, x[0])
    yield "a callback with a tensor", lambda: apply(lambda t: 1.0, x)


def _owned(lib: jitffi.Library) -> Iterator[tuple[str, Callable[[], object]]]:
    make, open_it = lib.bind("make", f"(i64) -> {OWNED}"), lib.bind("open_it", f"(i32, out[{OWNED}]) -> i32")
    maybe = lib.bind("make", f"(i64) -> optional[{OWNED}]")
    yield "owned", lambda: make(100)
    yield "owned and out", lambda: open_it(0)
    yield "owned or None", lambda: maybe(-1)
    yield "owned and NULL", lambda: _fails(make, -1)


@pytest.mark.parametrize(
    "kinds", [_arrays, _callbacks, _pointers, _tensors, _owned], ids=lambda each: each.__name__[1:]
)
def test_calls_leave_nothing(
    lib: jitffi.Library, kinds: Callable[..., Iterator[tuple[str, Callable[[], object]]]]
) -> None:
    for name, call in kinds(lib):

        def run(times: int = CALLS, call: Callable[[], object] = call) -> None:
            for _ in range(times):
                call()

        run(CALLS // 10)
        # Better code is made on another thread, in memory of its own: a leak is there each time.
        for _ in range(3):
            with LOCK:
                left = _left_by(run)
            if not left:
                break
            time.sleep(0.5)  # that thread may wait for the lock
        assert not left, f"{name}: {left}"
