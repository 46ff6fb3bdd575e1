"""How the budget of a search is spent: how long a run may take, and what a process costs before it measures."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

#: The share of the budget that is kept for ending and reporting; at least and at most these seconds.
_SLACK, _LEAST_SLACK, _MOST_SLACK = 0.03, 0.1, 1.0
#: A run that is longer says little more, one that is shorter nothing.
_LONGEST_RUN, _SHORTEST_RUN, _SHORT_RUN = 3.0, 0.1, 0.4
#: The share of the time to get ready that it takes once the code is there.
_WITHOUT_COMPILING = 0.2
#: Maximum share of the remaining time for the startup of a process.
LARGE = 0.125
#: Rounds that a run should have, and those that make it worth a process. Where memory lies differs by process, and
#: makes more of a difference than the rounds of one: rather more runs than longer ones.
_GOOD_ROUNDS, _LEAST_ROUNDS = 8, 4


class Clock:
    """Wall time since the search began, and what was learnt of how long processes take to start."""

    def __init__(self, budget: float, now: Callable[[], float] = monotonic, started: float | None = None) -> None:
        self.now = now
        self._started = now() if started is None else started
        self._end = budget - min(_MOST_SLACK, max(_LEAST_SLACK, _SLACK * budget))
        #: Seconds of the last process that were no rounds: its start and reading the workload; for each candidate,
        #: getting warm; and for each that was not compiled yet, compiling.
        self.overhead = self.warming = self.compiling = 0.0

    @property
    def elapsed(self) -> float:
        """Seconds since the search began."""
        return self.now() - self._started

    @property
    def left(self) -> float:
        """Seconds that may still be spent."""
        return self._end - self.elapsed

    def share(self, part: float) -> float:
        """Return the seconds left of that part of the budget, which is spent from its beginning; 0 if it is spent."""
        return max(0.0, part * self._end - self.elapsed)

    def learn(self, wall: float, rounds: float, warm: float, candidates: int, fresh: int) -> None:
        """Take note that a run took *wall* seconds, *rounds* of them measured, *warm* for so many candidates to get
        warm; *fresh* of them were compiled for it, too, which will not happen again."""
        if not rounds and self.overhead:
            # It was too short for so many: the next one has twice the time, as far as that leaves enough for others.
            self.overhead = max(self.overhead, min(2 * wall, self.left * LARGE))
            return
        self.overhead = max(0.0, wall - rounds - warm)
        self.warming = warm / max(1, candidates) * (_WITHOUT_COMPILING if fresh else 1.0)
        if fresh:
            self.compiling = warm / fresh

    def least(self, round_seconds: float, candidates: int) -> float:
        """Return the shortest run of so many candidates that is worth its process, by the seconds of a short round."""
        return max(_SHORTEST_RUN, self.overhead + self.warming * candidates + _LEAST_ROUNDS * round_seconds)

    def run_length(
        self, seconds: float, runs: int, round_seconds: float, candidates: int, compiling: float
    ) -> float | None:
        """Return how long each of so many runs that are needed, one after the other, should be in those *seconds*.

        None: not one fits. Fewer runs that say something, rather than many that do not; while some are needed they may
        take of the time of the next stages. *compiling*: seconds of it that the next one needs, and none after it.
        """
        least = compiling + self.least(round_seconds, candidates)
        if least > (max(seconds, self.left) if runs > 0 else seconds):
            return None
        good = self.overhead + self.warming * candidates + _GOOD_ROUNDS * 2 * round_seconds
        return max(least, min(seconds / max(1, runs), _LONGEST_RUN, max(good, _SHORT_RUN)))
