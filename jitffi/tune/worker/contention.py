"""Contention that the system does not tell of: whoever computes on the other thread of the core takes half of it.

Many cores have two hardware threads, and the other one may belong to another program, or to another virtual machine.
While it is busy all code takes longer, and what differs by where memory lies hardly differs any more. A *baseline
probe*, a fixed piece of work beside each time, takes longer then, too. A lower clock, or a core of another kind, looks
the same and is treated the same way: it is no time to compare at. Who judges is jitffi/tune/search/results.py.
"""

from __future__ import annotations

from time import perf_counter

#: What a probe does, and how often: the fastest counts, as an interrupt may fall into one.
_WORK, _TIMES = range(2000), 3


def probe() -> float:
    """Return the seconds of the fixed piece of work, here and now: some 20 to 40 microseconds."""
    took = []
    for _ in range(_TIMES):
        start = perf_counter()
        sum(_WORK)
        took.append(perf_counter() - start)
    return min(took)
