"""The table of call times that ends the tour: the same C functions through jitffi and through ctypes, here and now.

Both are measured in turns, with an empty loop whose time is taken off, so that a clock that drifts hits all three.
Samples are shorter than what the system gives a process at a time, so that most are not interrupted.
"""

from __future__ import annotations

import statistics
import sys
import timeit
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: Seconds that one sample takes at least, and samples of each contender.
_SAMPLE = 0.0005
_SAMPLES = 81


@dataclass(frozen=True)
class Timing:
    """One call: medians, in nanoseconds, and of how many times as long ctypes takes."""

    call: str
    jitffi_ns: float
    ctypes_ns: float
    ratio: float


def rows() -> list[Timing]:
    """Measure all calls whose library is there."""
    made = []
    for call, make in _CALLS:
        try:
            names, other = make()
        except OSError:
            continue
        timeit.Timer(call, globals=names).timeit(1)  # what is made on the first call shall be there
        made.append((call, names, other))
    _settle()
    return [measure(call, ours, theirs) for call, ours, theirs in made]


def measure(call: str, ours: dict[str, Any], theirs: dict[str, Any]) -> Timing:
    """Time the expression *call* with the names of each contender."""
    loops = [timeit.Timer(call, globals=ours), timeit.Timer(call, globals=theirs), timeit.Timer("pass")]
    numbers = [_number(loop) for loop in loops]
    samples = []
    for _ in range(_SAMPLES):
        own, other, empty = (loop.timeit(n) / n * 1e9 for loop, n in zip(loops, numbers, strict=True))
        own, other = max(own - empty, 0.1), max(other - empty, 0.1)  # an interrupted loop may seem to be the slowest
        samples.append((own, other, other / own))
    return Timing(call, *map(statistics.median, zip(*samples, strict=True)))


def _number(loop: timeit.Timer) -> int:
    """Return how often *loop* runs in one sample."""
    number = 1
    while loop.timeit(number) < _SAMPLE:
        number *= 2
    return number


def _settle() -> None:
    """Measure the code that is kept: what this process compiled in haste is made again, as the cache has it."""
    build = sys.modules.get("jitffi.adapters.tiers")
    if build is not None:
        build.drain()


Contenders = tuple[dict[str, Any], dict[str, Any]]


def _libm() -> Contenders:
    import ctypes

    import jitffi

    ours = jitffi.load_library("libm.so.6").bind("hypot", "(x: f64, y: f64) -> f64", compile="now")
    theirs = ctypes.CDLL("libm.so.6").hypot
    theirs.argtypes, theirs.restype = [ctypes.c_double, ctypes.c_double], ctypes.c_double
    return {"hypot": ours}, {"hypot": theirs}


def _labs() -> Contenders:
    import ctypes

    import jitffi

    ours = jitffi.load_library(None).bind("labs", "(i64) -> i64", compile="now")
    theirs = ctypes.CDLL(None).labs
    theirs.argtypes, theirs.restype = [ctypes.c_long], ctypes.c_long
    return {"labs": ours}, {"labs": theirs}


def _strlen() -> Contenders:
    import ctypes

    import jitffi

    ours = jitffi.load_library(None).bind("strlen", "(cstr) -> u64", compile="now")
    theirs = ctypes.CDLL(None).strlen
    theirs.argtypes, theirs.restype = [ctypes.c_char_p], ctypes.c_size_t
    return {"strlen": ours, "text": "forty characters of plain ASCII text, or so"}, {
        "strlen": theirs, "text": b"forty characters of plain ASCII text, or so"
    }  # fmt: skip


def _crc32() -> Contenders:
    import ctypes

    import jitffi

    text = bytes(range(64))
    types = "(crc: u64, data: ptr[const u8], size: u32) -> u64"
    ours = jitffi.load_library("libz.so.1").bind("crc32", types, compile="now")
    theirs = ctypes.CDLL("libz.so.1").crc32
    theirs.argtypes, theirs.restype = [ctypes.c_ulong, ctypes.c_char_p, ctypes.c_uint], ctypes.c_ulong
    return {"crc32": ours, "data": text}, {"crc32": theirs, "data": text}


def _qsort() -> Contenders:
    """Ten numbers that are in order already, so that each run does the same."""
    import ctypes

    import jitffi

    numbers = array("q", range(10))
    address = numbers.buffer_info()[0]
    compare = jitffi.function("(optional[i64], optional[i64]) -> i32")(lambda a, b: a - b)
    types = "(ptr, u64, u64, func[(optional[i64], optional[i64]) -> i32]) -> void"
    ours = jitffi.load_library(None).bind("qsort", types, compile="now")
    pointer = ctypes.POINTER(ctypes.c_int64)
    theirs = ctypes.CDLL(None).qsort
    kind = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer)
    theirs.argtypes, theirs.restype = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, kind], None
    shared = {"numbers": address, "keep": numbers}
    return {"qsort": ours, "compare": compare, **shared}, {
        "qsort": theirs, "compare": kind(lambda a, b: a[0] - b[0]), **shared
    }  # fmt: skip


_CALLS: tuple[tuple[str, Callable[[], Contenders]], ...] = (
    ("labs(-5)", _labs),
    ("hypot(3.0, 4.0)", _libm),
    ("strlen(text)", _strlen),
    ("crc32(0, data, 64)", _crc32),
    ("qsort(numbers, 10, 8, compare)", _qsort),
)
