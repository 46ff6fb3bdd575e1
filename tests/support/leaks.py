"""What is alive: native objects, once the garbage collector has nothing left to find."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable

from jitffi import _core
from jitffi.adapters import tiers


def settle() -> None:
    """Before a module's first test: what is there, pytest and NumPy too, need not be looked at hundreds of times."""
    gc.collect()
    gc.freeze()


def codes_of(function: object) -> list[object]:
    """The machine code that a Function holds."""
    lists = [each for each in gc.get_referents(function) if isinstance(each, list)]
    return [each for held in lists for each in held if isinstance(each, _core.Code)]


def live_objects() -> int:
    """How many native objects there are. What one collection frees may set free what the next one finds."""
    count = -1
    while count != (count := _core.live_objects()):
        gc.collect()
    return count


def block_growth(work: Callable[[], object], times: int = 200) -> int:
    """How many more blocks of memory Python has after *work* was done so often: the least of three rounds, since other
    threads take memory meanwhile; the compiler's does for longer than all of them take, and is waited for. Rounds end
    with one that leaves less than a block in ten times."""
    work()
    tiers.drain()
    growth = []
    for _ in range(3):
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(times):
            work()
        tiers.drain()  # which holds on to every function that waits for better code
        gc.collect()
        growth.append(sys.getallocatedblocks() - before)
        if growth[-1] < times // 10:
            break
    return min(growth)


def assert_nothing_stays(work: Callable[[], object]) -> None:
    """Assert that *work*, done again and again, leaves neither a native object nor a growing number of Python's. What
    the compiler's thread lets go meanwhile is no fault of it: that happens in one of three rounds, not in all."""
    work()  # what is made once, for good
    found = []
    for _ in range(3):
        before = live_objects()
        for _ in range(5):
            work()
        few, growth, many = live_objects() - before, block_growth(work), live_objects() - before
        if (few, many) == (0, 0) and growth < 150:
            return
        found.append((few, growth, many))
    raise AssertionError(f"native objects after 5, blocks after 200, native objects after all, by round: {found}")
