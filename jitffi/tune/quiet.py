"""How fast a probe is where nothing slows it down, by host; and so what a run has measured was *calm*, or not.

A *probe* is a fixed piece of work (jitffi/tune/worker/neighbours.py). It has no time of its own that would be right
everywhere, so it is compared with the fastest one that was ever seen on the same host.
"""

from __future__ import annotations

import math

#: A probe that takes so many times the fastest one was slowed down. Undisturbed ones differ by a tenth; one beside a
#: thread that keeps the other half of the core busy takes 1.6 to 2 times as long.
SLOWED = 1.25


def is_calm(took: float, fastest: float) -> bool:
    """Whether nothing has slowed down a probe of *took* seconds.

    >>> is_calm(1.1e-5, 1e-5), is_calm(1.8e-5, 1e-5), is_calm(1.0, math.inf)
    (True, False, True)
    """
    return took <= SLOWED * fastest


class Quiet:
    """The fastest probe of each host, in seconds, as far as is known."""

    __slots__ = ("fastest",)

    def __init__(self) -> None:
        self.fastest: dict[str, float] = {}

    def learn(self, host: str, took: float) -> None:
        self.fastest[host] = min(self.of(host), took)

    def of(self, host: str) -> float:
        """Infinite where nothing is known."""
        return self.fastest.get(host, math.inf)
