"""Arrays of structs: NumPy's structured arrays as Point[n], in callbacks, and made for out[Point[n]]."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.extension import HOST, compile_c, linker
from support.leaks import block_growth

import jitffi

SOURCE = """
#include <stdint.h>
typedef struct { double x; float w; int8_t k; } P;
double sum(const P* p, uint64_t n) { double s = 0; for (uint64_t i = 0; i < n; i++) s += p[i].x + p[i].w; return s; }
double strided(const P* p, uint64_t n, int64_t step) {
  double s = 0;
  for (uint64_t i = 0; i < n; i++) s += p[(int64_t)i * step].x;
  return s;
}
void twice(P* p, uint64_t n) { for (uint64_t i = 0; i < n; i++) p[i].x *= 2; }
void fill(uint64_t n, P* p) { for (uint64_t i = 0; i < n; i++) p[i] = (P){i, 1, 2}; }
double ask(void (*f)(P*, uint64_t)) { P a[4] = {{1}, {2}, {3}, {4}}; f(a, 4); return a[1].x; }
"""

P = jitffi.struct("arrays.P", "x: f64, w: f32, k: i8")


@pytest.fixture(scope="module")
def lib(tmp_path_factory):
    folder = tmp_path_factory.mktemp("struct_arrays")
    made = folder / "arrays.so"
    linker.link([compile_c(folder / "arrays.o", SOURCE)], made, kind="so", target=HOST)
    return jitffi.load_library(made)


def some(n: int) -> np.ndarray:
    made = P.array(n)
    made["x"] = range(1, n + 1)
    return made


def test_they_are_read_and_written_in_place(lib):
    total = lib.bind("sum", "(p: const arrays.P[n], n: u64) -> f64")
    twice = lib.bind("twice", "(p: arrays.P[n], n: u64) -> void")
    points = some(3)
    assert total(points) == 6
    assert total(points[:2]) == 3
    assert total(points, n=1) == 1
    twice(points)
    assert points["x"].tolist() == [2, 4, 6]
    same = np.dtype({"names": ["x", "w", "k"], "formats": ["f8", "f4", "i1"], "offsets": [0, 8, 12], "itemsize": 16})
    assert total(np.zeros(2, same)) == 0
    strided = lib.bind("strided", "(p: const arrays.P[n @ step], n: u64, step: i64) -> f64")
    assert strided(some(5)[::2]) == 9


def test_what_the_shortest_way_must_not_take(lib):
    total = lib.bind("sum", "(p: const arrays.P[n], n: u64) -> f64")
    twice = lib.bind("twice", "(p: arrays.P[n], n: u64) -> void")
    assert total(some(0)) == 0  # of no length, wherever that may be
    raw = np.zeros(3 * P.dtype.itemsize + 1, "u1")
    with pytest.raises(ValueError, match="misaligned"):
        total(raw[1:].view(P.dtype))
    frozen = some(2)
    frozen.flags.writeable = False
    assert total(frozen) == 3
    with pytest.raises(TypeError, match="got read-only"):
        twice(frozen)
    with pytest.raises(ValueError, match=r"\[2, 2\]"):
        total(some(4).reshape(2, 2))
    pointer = jitffi.new("arrays.P[3]")
    assert total(pointer) == 0
    with pytest.raises(TypeError, match="unknown length"):
        total(jitffi.cast("ptr[arrays.P]", pointer.address))


def test_outs_are_made(lib):
    made = lib.bind("fill", "(n: u64, p: out[arrays.P[n]]) -> void")(3)
    assert made.dtype == P.dtype
    assert made.tolist() == [(0, 1, 2), (1, 1, 2), (2, 1, 2)]


def test_callables_get_copies_that_are_written_back(lib):
    seen = []

    def change(points):
        seen.append((points.dtype, points["x"].tolist()))
        points["x"][1] = 50

    ask = lib.bind("ask", "(func[(p: arrays.P[n], n: u64) -> void]) -> f64")
    assert ask(change) == 50
    assert seen == [(P.dtype, [1, 2, 3, 4])]


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        (np.zeros(3), TypeError, "expected arrays.P[n], got float64[3]"),
        ([1], TypeError, "expected arrays.P[n], got list"),
        (None, TypeError, "expected arrays.P[n], got None"),
        (np.zeros(3, [("x", "f8")]), TypeError, "expected arrays.P[n], got"),
        (some(4)[::2], ValueError, "with a stride of 2 elements, expected contiguous"),
        (some(4).reshape(2, 2), ValueError, "expected arrays.P[n], got"),
    ],
)
def test_what_else_is_refused(lib, bad, error, words):
    twice = lib.bind("twice", "(p: arrays.P[n], n: u64) -> void")
    with pytest.raises(error, match=re.escape(words)):
        twice(bad)


def test_what_is_read_only_is_refused(lib):
    twice = lib.bind("twice", "(p: arrays.P[n], n: u64) -> void")
    points = some(2)
    points.flags.writeable = False
    with pytest.raises(TypeError, match="got read-only"):
        twice(points)


def test_nothing_is_lost(lib):
    twice = lib.bind("twice", "(p: arrays.P[n], n: u64) -> void")
    fill = lib.bind("fill", "(n: u64, p: out[arrays.P[n]]) -> void")
    ask = lib.bind("ask", "(func[(p: arrays.P[n], n: u64) -> void]) -> f64")
    points = some(3)

    def work():
        twice(points)
        fill(2)
        ask(lambda p: None)
        with pytest.raises(TypeError):
            twice(np.zeros(2))

    assert block_growth(work) < 50
