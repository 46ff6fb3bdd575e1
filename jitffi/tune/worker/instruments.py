"""What a worker measures with: a stopwatch, a baseline probe, and a count of allocations.

Wall time of a machine that others use, too, is mostly theirs; the CPU's time alone would not see a workload that sleeps
or reads. So the *stopwatch* is without the time for which the thread has waited for a CPU, where the system tells.

Of contention in the core it does not tell: whoever computes on the other hardware thread takes half of it. A *baseline
probe*, a fixed piece of work beside each time, takes longer then, too; jitffi/tune/search/results.py judges by it.

Counted is what goes through the allocator of the runtime that the package has loaded, in whatever thread; not what a
library allocates by itself, or modules that `jitffi emit` made, which have a runtime of their own.
"""

from __future__ import annotations

import contextlib
import os
import tracemalloc
from collections.abc import Callable
from time import perf_counter

from jitffi import _core
from jitffi.tune.records import Counts

#: Bytes of the three numbers: time on the CPU, time waited for one, turns; of the calling thread, not of its others.
_STATE, _LENGTH = "/proc/thread-self/schedstat", 64
#: What a probe does, and how often: the fastest counts, as an interrupt may fall into one.
_WORK, _TIMES = range(2000), 3


class Stopwatch:
    """A stopwatch for one thread, the one that makes it."""

    _state = -1

    def __init__(self) -> None:
        with contextlib.suppress(OSError):
            self._state = os.open(_STATE, os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        if self._state >= 0:
            os.close(self._state)

    def time(self, work: Callable[[], object]) -> float:
        """Return the seconds that *work* takes of the thread's own, asleep or at work. What it raises comes out."""
        waited, start = self._waited(), perf_counter()
        work()
        wall = perf_counter() - start
        return max(0.0, wall - max(0.0, self._waited() - waited))

    def _waited(self) -> float:
        """Return the seconds in which it waited for a CPU, all told; 0: it is not known."""
        try:
            return int(os.pread(self._state, _LENGTH, 0).split()[1]) * 1e-9
        except (OSError, ValueError, IndexError):
            return 0.0


def probe() -> float:
    """Return the seconds of the fixed piece of work, here and now: some 20 to 40 microseconds."""
    took = []
    for _ in range(_TIMES):
        start = perf_counter()
        sum(_WORK)
        took.append(perf_counter() - start)
    return min(took)


def count(function: Callable[[], object]) -> Counts:
    """Call *function* without arguments and return what it allocated, in bytes; its result is dropped before the end.

    Call it once before, lest what it compiles or caches be counted. What the function raises comes out. RuntimeError:
    inside another `count`, in whichever thread, or while another allocator is set (`jf_set_allocator`).
    """
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        allocations, allocated, peak = _core.count_allocations(function)
        _, most = tracemalloc.get_traced_memory()
    finally:
        if not was_tracing:
            tracemalloc.stop()
    return Counts(allocations, allocated, peak, max(0, most - before))
