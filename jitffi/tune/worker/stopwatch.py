"""Time, without that in which the thread could have run and another process had the CPU.

Wall time of a machine that others use, too, is mostly theirs; the CPU's time alone would not see a workload that sleeps
or reads. Linux knows for how long a thread has waited for a CPU, to the nanosecond; where the system does not tell, it
is wall time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter

#: Bytes of the three numbers: time on the CPU, time waited for one, turns; of the calling thread, not of its others.
_STATE, _LENGTH = "/proc/thread-self/schedstat", 64


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
