"""Loops and slices over arrays in scripts: ranges, vectors, parts."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import jitffi
from tests.support.script_arrays import ELEMENTS, same


def smooth(x, y, start, stop):
    for i in range(start, stop):
        y[i] = x[i - 1] + 2.0 * x[i] + x[i + 1]
    return stop


def until(x, y, start, stop):
    for i in range(start, stop):
        if x[i] > 5.0:
            break
        if x[i] == 2.0:
            continue
        y[i] += x[i]
    else:
        return -1.0
    return y[start]


def far(x, y, start, stop):
    for i in range(start, stop):
        y[i + 2] = x[i - 2] + x[i + 64] if i > 5 else x[i + 3]
    return stop


@pytest.mark.parametrize("function", [smooth, until, far])
@pytest.mark.parametrize(
    ("start", "stop"), [(1, 9), (0, 10), (1, 10), (-3, 4), (3, 3), (5, 2), (1, 99), (2**62, 2**63 - 1), (0, -(2**63))]
)
def test_ranges_over_arrays(function: Any, start: int, stop: int) -> None:
    x, y = np.arange(10.0), np.ones(10)
    same(function, x, y, start, stop)
    same(function, x[::-1], y, start, stop)
    same(function, x, y[:6], start, stop)
    both = np.arange(10.0), np.arange(10.0)  # read and written
    outcomes = []
    for called, each in zip((jitffi.script(function), function), both, strict=True):
        try:
            outcomes.append(called(each, each, start, stop))
        except IndexError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1] and np.array_equal(*both)


def test_a_long_loop_ends_where_it_should() -> None:
    """It goes in stretches, each of which may use vectors."""

    @jitffi.script
    def scale(x, y):
        for i in range(len(x)):
            y[i] = 2 * x[i]

    for size in (0, 1, 3, 31, 32768, 100_003):
        x, y = np.arange(size), np.zeros(size + 2, "i8")
        scale(x, y)
        assert np.array_equal(y[:size], 2 * x) and not y[size:].any()


def test_vectors_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JITFFI_SCRIPT_LEVEL", "2")

    @jitffi.script
    def combined(a: float, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        for i in range(len(x)):
            y[i] += a * x[i]

    @jitffi.script
    def smoothed(x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        for i in range(1, len(x) - 1):
            y[i] = x[i - 1] + x[i] + x[i + 1]

    combined(1.0, np.ones(3), np.ones(3))
    smoothed(np.ones(3), np.ones(3))
    assert "x double>" in combined.inspect_llvm(optimized=True)
    assert "x double>" in smoothed.inspect_llvm(optimized=True)


def fill_part(x, v, start, stop, step):
    x[start:stop:step] = v
    return len(x)


def copy_part(x, v, start, stop, step):
    x[start:stop:step] = x[1:4]
    return len(x)


def take_apart(x, v, start, stop, step):
    first, *rest = x
    kept = [x, 1]
    return [first, rest, sorted(x), list(x), len(kept[0]), kept[0][v], max(x, key=lambda each: each < 3), tuple(x)]


@pytest.mark.parametrize(
    "name", ELEMENTS if os.environ.get("JITFFI_TARGETS") else ("float32", "int64", "uint8", "bool")
)
@pytest.mark.parametrize("function", [fill_part, take_apart])
def test_slices_and_containers(function: Any, name: str) -> None:
    for start, stop, step in ((None, None, None), (1, 4, 1), (4, 1, -1), (0, 0, 1), (-1, None, None), (None, None, 2)):
        same(function, np.arange(6).astype(name), 3, start, stop, step)


def inside(x, v):
    return v in x, v not in x[1:]


@pytest.mark.parametrize("name", ELEMENTS)
def test_what_is_in_an_array(name: str) -> None:
    for value in (0, 1, 2.0, 7, 0.5, True, -1, float("nan")):
        same(inside, np.arange(3).astype(name), value)
    same(inside, np.zeros((2, 2)).astype(name), 0)
    with pytest.raises(TypeError, match="of one dimension"):
        jitffi.script(inside, strict=True)(np.zeros((2, 2)), 1)


def test_parts_are_copied() -> None:
    for start, stop in ((0, 3), (2, 5), (3, 6), (1, 4)):
        same(copy_part, np.arange(6.0), 0, start, stop, 1)
    with pytest.raises(ValueError):
        jitffi.script(copy_part)(np.arange(6.0), 0, 0, 2, 1)

    @jitffi.script
    def clear(x):
        for row in x:
            row[:] = 7.5
        x[0][1:] = x[1][:-1]

    x = np.zeros((3, 4), "f4")[:, ::-1]
    clear(x)
    assert (x == 7.5).all()
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        clear(x)
