"""Neighbours of the measuring thread: that others compute in the same core is noticed, and avoided where possible.

Many cores have two hardware threads, and the other one may belong to another program, or to another virtual machine.
While it is busy there is half of the core for either: all code takes longer, and what differs by where memory lies
hardly differs any more. The system does not tell of that. A *probe* does, a fixed piece of work that takes longer, too:

    worker    a probe before and after each block; a slow one: --> is another processor quieter?
    search    the fastest that the host ever gave (jitffi/tune/quiet.py) --> which blocks were calm

A lower clock, or a core of another kind, looks the same and is treated the same way: it is no time to compare at.
"""

from __future__ import annotations

import contextlib
import math
import os
import random
from time import perf_counter

from jitffi.tune.quiet import is_calm

#: What a probe does, and how often: the fastest counts, as an interrupt may fall into one.
_WORK, _TIMES = range(2000), 3
#: A processor is quieter if the probe takes this part of the time there.
_QUIETER = 0.85
#: So many processors are looked at for a quieter one.
_MOST = 8
#: If it takes so many seconds more until the thread runs on a processor, another one was running there.
_QUEUED = 0.0005
#: Seconds until it looks again after it has found no quieter one; that doubles, to at most so many.
_PAUSE, _LONGEST_PAUSE = 0.05, 1.0


def probe() -> float:
    """Seconds of the fixed piece of work, here and now: some 20 to 40 microseconds, and three times that until it is
    known."""
    best = math.inf
    for _ in range(_TIMES):
        start = perf_counter()
        sum(_WORK)
        best = min(best, perf_counter() - start)
    return best


class Neighbours:
    """Those of the thread that makes this. `fastest` is the fastest probe that is known of this host."""

    def __init__(self, fastest: float, seed: int, moves: bool) -> None:
        """*moves*: whether to look for a quieter processor. Not where others measure beside: they would disturb each
        other by it."""
        self.fastest = fastest
        self._random = random.Random(seed)
        self._moves = moves
        self._pause, self._again = _PAUSE, 0.0

    def notice(self) -> float:
        """Probe. Seconds."""
        took = probe()
        self.fastest = min(self.fastest, took)
        return took

    def avoid(self) -> None:
        """Go where it is quieter, if there is a neighbour here. The thread is not pinned there: the system may move it
        again, and threads that it starts run where they like."""
        took = self.notice()
        if not self._moves or is_calm(took, self.fastest) or perf_counter() < self._again:
            return
        if self._move(took):
            self._pause = _PAUSE
        else:
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        self._again = perf_counter() + self._pause

    def _move(self, took: float) -> bool:
        """Whether there was a quieter processor: it runs there now, else where it ran before."""
        try:
            allowed, here = _allowed(), _processor()
        except OSError:  # the system does not tell
            return False
        near = sorted(_package(here, allowed) - {here})
        if not near:
            return False
        try:
            found = {each: self._on(each) for each in self._random.sample(near, min(len(near), _MOST))}
            best = min(found, key=found.__getitem__)
            is_quieter = found[best] <= _QUIETER * took
            os.sched_setaffinity(0, {best if is_quieter else here})
        except OSError:  # it is not allowed
            return False
        finally:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, allowed)
        return is_quieter

    def _on(self, processor: int) -> float:
        """Seconds of a probe there; infinite where another thread runs."""
        start = perf_counter()
        os.sched_setaffinity(0, {processor})
        took = probe()
        return took if perf_counter() - start < _TIMES * took + _QUEUED else math.inf


def _allowed() -> set[int]:
    """The processors that this thread may run on. OSError where the system does not tell."""
    if not hasattr(os, "sched_getaffinity"):
        raise OSError("no affinity of threads")
    return os.sched_getaffinity(0)


def _processor() -> int:
    """The one that it runs on. OSError where the system does not tell."""
    with open("/proc/thread-self/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    try:
        return int(fields[36])  # proc(5): field 39, and the name in brackets is field 2
    except (IndexError, ValueError):
        raise OSError("no processor in /proc/thread-self/stat") from None


def _package(processor: int, allowed: set[int]) -> set[int]:
    """Those of *allowed* in the same package, whose memory and caches are as near; all of them if that is unknown."""
    try:
        with open(f"/sys/devices/system/cpu/cpu{processor}/topology/core_siblings_list") as file:
            parts = [each.split("-") for each in file.read().split(",")]
        return allowed & {each for low, *high in parts for each in range(int(low), int((high or [low])[0]) + 1)}
    except (OSError, ValueError):
        return allowed
