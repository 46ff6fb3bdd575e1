"""Whatever allocation fails: structs, variables and variadic functions raise MemoryError, and are as they were."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from support import alone

import jitffi

SOURCE = """
#include <stdarg.h>
typedef struct { double x, y; } point;
double norm(point p) { return p.x * p.x + p.y * p.y; }
point moved(point p) { p.x++; return p; }
void set(point *p) { p->x = 1; p->y = 2; }
double total(int n, ...) {
  double sum = 0;
  va_list rest;
  va_start(rest, n);
  while (n--) sum += va_arg(rest, point).x;
  va_end(rest);
  return sum;
}
point origin;
const char *text;
double matrix[2][3];
__int128 wide;
"""


@pytest.fixture(scope="module")
def acts(build_library: Any) -> Any:
    testcapi = pytest.importorskip("_testcapi")
    lib = jitffi.load_library(build_library(SOURCE))
    point = jitffi.struct("struct_memory.Point", "x: f64, y: f64 = 1.0")
    most = jitffi.struct(
        "struct_memory.Most",
        "text: cstr, next: ptr[Most], n: i32[3], names: cstr[2], at: struct_memory.Point, wide: i128, z: c128, "
        "bits: u32:3",
    )
    packet = jitffi.struct("struct_memory.Packet", "n: i64, data: f64[]")
    norm = lib.bind("norm", "(p: struct_memory.Point) -> f64")
    moved = lib.bind("moved", "(p: struct_memory.Point) -> struct_memory.Point")
    set_ = lib.bind("set", "(p: out[struct_memory.Point]) -> void")
    total = lib.bind("total", "(n: i32, ...) -> f64")
    origin, text = lib.variable("origin", "struct_memory.Point"), lib.variable("text", "cstr")
    matrix, wide = lib.variable("matrix", "f64[2, 3]"), lib.variable("wide", "i128")
    one = most("text", n=[1, 2, 3], names=["a", "b"], at=point(1, 2), wide=1 << 100)
    derived = type("Derived", (point,), {})
    long = jitffi.new(packet, 3).value
    record, pointer = point.array(1)[0], jitffi.cast("ptr[struct_memory.Most]", one)
    ways = [
        lambda: point(1, 2), lambda: most("x" * 9, pointer, [1, 2, 3], ["a", "b"], point(), 1 << 100, 1j, 3),
        lambda: most(5), lambda: most(n=[1]), lambda: most(bits=9), lambda: most(wide="x"),
        lambda: one == most(), lambda: one.__copy__(), lambda: derived(1).__copy__(), lambda: derived(1, 2),
        lambda: memoryview(most()).format, lambda: one.n,
        lambda: setattr(one, "names", ["x", "y"]), lambda: one.names[1], lambda: setattr(one, "at", point()),
        lambda: one.at.x, lambda: one.wide, lambda: jitffi.new(packet, 3).value, lambda: long.__copy__(),
        lambda: norm(point(1, 2)), lambda: moved(point(1, 2)), lambda: set_(), lambda: norm(5),
        lambda: norm(record), lambda: total(2, point(1), point(2))
    ]  # fmt: skip
    # CPython 3.13 frees code twice where there is no memory for a frame: these are written in Python.
    ways += [
        lambda: origin.value,
        lambda: setattr(origin, "value", point(3, 4)), lambda: setattr(text, "value", "abc"), lambda: text.value,
        lambda: setattr(matrix, "value", [[1, 2, 3], [4, 5, 6]]), lambda: setattr(wide, "value", 1 << 100)
    ] * (sys.version_info < (3, 12))  # fmt: skip

    return testcapi, ways


@pytest.mark.skipif(not alone.IS_SHARED, reason="it is run here")
def test_alone() -> None:
    alone.run(__file__)


@pytest.mark.skipif(alone.IS_SHARED, reason="in a process of its own, above")
@pytest.mark.parametrize("index", range(31))
def test_each_allocation_may_fail(acts: Any, index: int) -> None:
    testcapi, ways = acts
    if index >= len(ways):
        pytest.skip("CPython itself fails without memory")

    def outcome(number: int | None) -> Any:
        """The exception's class or nothing, where there is no memory for the allocation of that number alone."""
        if number is not None:
            testcapi.set_nomemory(number, number + 1)
        try:
            ways[index]()
        except Exception as error:
            testcapi.remove_mem_hooks()
            # What CPython raises where there is no memory for a frame.
            is_frame = isinstance(error, SystemError) and str(error) == "error return without exception set"
            return MemoryError if is_frame else type(error)
        finally:
            testcapi.remove_mem_hooks()
        return None

    expected = outcome(None)  # and what is made once is there from now on
    failed = [found for number in range(250) if (found := outcome(number)) is not expected]
    assert set(failed) <= {MemoryError} and outcome(None) is expected
