"""What a worker measures with: a stopwatch, a baseline probe, and a count of allocations.

Wall time of a machine that others use, too, is mostly theirs; the CPU's time alone would not see a workload that sleeps
or reads. So the *stopwatch* is without the time in which the thread could have run and another process had the CPU:
Linux knows for how long a thread has waited, to the nanosecond; where the system does not tell, it is wall time.

Of contention in the core the system does not tell: whoever computes on the other hardware thread, another program or
another virtual machine, takes half of it. All code takes longer then, and what differs by where memory lies hardly
differs any more. A *baseline probe*, a fixed piece of work beside each time, takes longer then, too. A lower clock, or
a core of another kind, looks the same and is treated the same way. Who judges is jitffi/tune/search/results.py.

Counted is what goes through the allocator of the runtime that the package has loaded: of scripts, of containers and
text, and of native libraries that are linked with the same shared library (`jitffi config --libs`). Not counted: what
a library allocates by itself, and modules that `jitffi emit` made, which have a runtime of their own. Other threads
count, too.
"""

from __future__ import annotations

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
    """A stopwatch for one thread, the one that makes it.

    >>> 0 <= Stopwatch().time(lambda: None) < 60
    True
    """

    __slots__ = ("_state",)

    def __init__(self) -> None:
        try:
            self._state = os.open(_STATE, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._state = -1

    def __del__(self) -> None:
        if getattr(self, "_state", -1) >= 0:
            os.close(self._state)

    def time(self, work: Callable[[], object]) -> float:
        """Return the seconds that *work* takes of the thread's own, asleep or at work. What it raises comes out."""
        waited, start = self._waited(), perf_counter()
        work()
        wall = perf_counter() - start
        return max(0.0, wall - max(0.0, self._waited() - waited))

    def _waited(self) -> float:
        """Return the seconds in which it waited for a CPU, all told; 0: it is not known."""
        if self._state < 0:
            return 0.0
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

    `allocations` and `allocated_bytes` are as requested and the same each time, if the function does the same each
    time: call it once before, lest what it compiles or caches be counted. Peaks are above what was in use at the start,
    the runtime's as malloc rounds sizes.

    What the function raises goes on, with the allocator as it was. RuntimeError: inside another `count`, in whichever
    thread, or while another allocator is set (`jf_set_allocator`). It takes longer than the bare call: do not time it.

    >>> import jitffi
    >>> of = [count(lambda: jitffi.List(["a text of 23 characters"] * n, pad=0)).allocations for n in (1, 3)]
    >>> of[1] - of[0]
    2
    """
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        allocations, allocated, peak = _core.count_allocations(function)[:3]
        _, most = tracemalloc.get_traced_memory()
    finally:
        if not was_tracing:
            tracemalloc.stop()
    return Counts(allocations, allocated, peak, max(0, most - before))
