"""Time, without that in which the thread could have run and another process had the CPU.

Wall time of a machine that others use, too, is mostly theirs; the CPU's time alone would not see a workload that sleeps
or reads. Linux knows for how long a thread has waited for a CPU, to the nanosecond; where the system does not tell, it
is wall time.
"""

from __future__ import annotations

import os
from time import perf_counter

#: Bytes of the three numbers: time on the CPU, time waited for one, turns; of the calling thread, not of its others.
_STATE, _LENGTH = "/proc/thread-self/schedstat", 64


class Stopwatch:
    """For one thread, the one that makes it. `start`, then `stop` as often as one likes.

    >>> watch = Stopwatch()
    >>> watch.start()
    >>> 0 <= watch.stop() < 60
    True
    """

    __slots__ = ("_state", "_started", "_waited")

    def __init__(self) -> None:
        self._started = self._waited = 0.0
        try:
            self._state = os.open(_STATE, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._state = -1
        if self._state >= 0 and self._wait() < 0:
            self._close()

    def __del__(self) -> None:
        self._close()

    def start(self) -> None:
        """Begin anew."""
        self._waited = self._wait()
        self._started = perf_counter()

    def stop(self) -> float:
        """Seconds since the start that were the thread's own, asleep or at work."""
        wall = perf_counter() - self._started
        return max(0.0, wall - max(0.0, self._wait() - self._waited))

    def _wait(self) -> float:
        """Seconds in which it waited for a CPU, all told; -1: it is not known."""
        if self._state < 0:
            return -1.0
        try:
            return int(os.pread(self._state, _LENGTH, 0).split()[1]) * 1e-9
        except (OSError, ValueError, IndexError):
            return -1.0

    def _close(self) -> None:
        state, self._state = getattr(self, "_state", -1), -1
        if state >= 0:
            os.close(state)
