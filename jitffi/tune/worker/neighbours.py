"""Neighbours: others who compute in the core that a measurement has, how they are noticed, and how it keeps away.

Most cores have two threads, and the other one may be another virtual machine's. While it is busy there is half of the
core for either: all code takes longer, and what differs by where memory lies does so no more. No clock and no counter
of the system tells. A fixed piece of work does, which takes longer, too:

    worker    a probe before each block; a slow one: --> where is it quieter? --> the slowest probe of each round
    search    Quiet, the fastest probe that a kind of machine ever gave       --> which rounds were calm (tally.py)

A core that runs at another clock, or is of another kind, looks the same, and is treated the same way.
"""

from __future__ import annotations

import contextlib
import math
import os
import random
from collections.abc import Iterable
from time import perf_counter

#: What a probe does, and how often: the fastest counts, as an interrupt may fall into one.
_WORK, _TRIES = range(2000), 3
#: A probe that takes so many times the fastest one has had a neighbour. Calm ones differ by a tenth; with a neighbour
#: that is busy all the time it is 1.6 to 2.
_BUSY = 1.25
#: Processors that are looked at for a quieter one.
_MOST = 8
#: Seconds after which a processor has not been had at once: somebody is at work there.
_WAITED = 0.0005


def probe() -> float:
    """Seconds of the fixed piece of work, here and now. It takes some 60 microseconds."""
    best = math.inf
    for _ in range(_TRIES):
        start = perf_counter()
        sum(_WORK)
        best = min(best, perf_counter() - start)
    return best


class Quiet:
    """How fast the probe is where there is no neighbour, as far as is known."""

    __slots__ = ("fastest",)

    def __init__(self, fastest: float = math.inf) -> None:
        self.fastest = fastest

    def learn(self, probes: Iterable[float]) -> None:
        self.fastest = min(self.fastest, *probes, math.inf)

    def allows(self, took: float) -> bool:
        """Whether there was no neighbour."""
        return took <= _BUSY * self.fastest


#: Of this machine, by what the processes that were started from here have seen.
here = Quiet()


class Neighbours:
    """Those of the thread that makes it."""

    def __init__(self, fastest: float, seed: int) -> None:
        self._quiet = Quiet(fastest)
        self._random = random.Random(seed)
        self._slowest = 0.0

    def notice(self) -> float:
        """Probe. Seconds."""
        took = probe()
        self._quiet.learn((took,))
        self._slowest = max(self._slowest, took)
        return took

    def slowest(self) -> float:
        """The slowest probe since this was asked last."""
        found, self._slowest = self._slowest, 0.0
        return found

    def avoid(self) -> None:
        """Go where it is quieter, if there is a neighbour here and another processor is free for this thread. Nothing
        is pinned: it may be moved again, and threads that it starts run where they like."""
        if self._quiet.allows(self.notice()):
            return
        with contextlib.suppress(OSError, AttributeError):  # not allowed; no such function in this system
            self._move(os.sched_getaffinity(0))
        self._slowest = 0.0
        self.notice()

    def _move(self, allowed: set[int]) -> None:
        if len(allowed) < 2:
            return
        try:
            found = {each: self._on(each) for each in self._random.sample(sorted(allowed), min(len(allowed), _MOST))}
            os.sched_setaffinity(0, {min(found, key=found.__getitem__)})
        finally:
            os.sched_setaffinity(0, allowed)

    def _on(self, processor: int) -> float:
        """Seconds of a probe there; infinite where others are at work."""
        start = perf_counter()
        os.sched_setaffinity(0, {processor})
        took = probe()
        return took if perf_counter() - start < _TRIES * took + _WAITED else math.inf
