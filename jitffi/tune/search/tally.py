"""The runs of one kind of machine, and what may be concluded from them.

A run's *score* of a candidate is the median, over rounds, of its time by the default's in the same round; only runs are
independent of each other, so an interval is a bootstrap over their scores. Candidates are compared with each other in
the same way, round by round.

A run is *calm* that had enough rounds without neighbours (jitffi.tune.worker.neighbours), and those rounds are what it
says. With five calm runs the others say nothing; until there are, they count, but it is not over.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from jitffi.tune.records import CONTROL, DEFAULT, Failure, Interval, Pads, Run
from jitffi.tune.search import statistics
from jitffi.tune.worker.neighbours import Quiet

#: Less is no difference.
LEAST_GAIN = 0.02
#: Processes that a statement needs.
ENOUGH_RUNS = 5
#: A candidate this much slower than the best, its whole interval, is out; after one run alone, this much more.
_BEATEN, _BEATEN_AT_ONCE = 1.01, 1.06
#: A run with fewer rounds had hardly any time.
_GOOD_ROUNDS = 5
#: So many that are longer are enough to tell the noise.
_FEWEST_LONG = 3
#: Medians this close are equal, if their intervals allow it; so are intervals this close.
_EQUAL, _SETTLED = 0.01, 0.02


class Tally:
    """The runs of one kind of machine. `reference` is what times are relative to: the default, unless that fails.
    `quiet` is what is known of that kind by other runs, too."""

    def __init__(self, machine: str, seed: int, reference: Pads = DEFAULT, quiet: Quiet | None = None) -> None:
        self.machine = machine
        self.reference = reference
        self.runs: list[Run] = []
        self.seed = seed
        self.quiet = Quiet() if quiet is None else quiet
        #: By the two candidates, for what was known then: how many runs there were, and how fast a probe is.
        self._known: dict[tuple[Pads, Pads, int, float], Interval | None] = {}
        #: What was known, and what the noise was by it.
        self._noise = -1, math.inf, LEAST_GAIN

    def add(self, run: Run) -> None:
        """One more."""
        self.runs.append(run)
        self.quiet.learn(run.probes)

    # -- numbers --------------------------------------------------------------------------------------------------

    def scores(self, pads: Pads, other: Pads | None = None) -> list[float]:
        """Of the runs that measured both, the time of *pads* by that of *other* (the reference)."""
        return [statistics.median(each) for each in self._compared(pads, other or self.reference)]

    def relative(self, pads: Pads, other: Pads | None = None) -> Interval | None:
        """How *pads* compares with *other* (the reference). Of one run alone, over its rounds. None: not measured."""
        other = other or self.reference
        key = pads, other, len(self.runs), self.quiet.fastest
        if key not in self._known:
            found = self._compared(pads, other)
            scores = found[0] if len(found) == 1 else [statistics.median(each) for each in found]
            self._known[key] = statistics.bootstrap(scores, self.seed) if scores else None
        return self._known[key]

    def _compared(self, pads: Pads, other: Pads) -> list[list[float]]:
        """Ratios by round, by run: of calm runs, if there are enough; of runs that had a few rounds only no more than
        it takes to have enough."""
        found = self._calm(pads, other)
        if len(found) < ENOUGH_RUNS:
            found = [each for run in self.runs if (each := self._ratios(run, pads, other)[0])]
        longest = sorted(range(len(found)), key=lambda each: -len(found[each]))[:ENOUGH_RUNS]
        return [each for number, each in enumerate(found) if len(each) >= _GOOD_ROUNDS or number in longest]

    def _calm(self, pads: Pads, other: Pads) -> list[list[float]]:
        """Ratios by round of the calm runs."""
        compared = [self._ratios(run, pads, other) for run in self.runs]
        return [ratios for ratios, is_calm in compared if ratios and is_calm]

    def _ratios(self, run: Run, pads: Pads, other: Pads) -> tuple[list[float], bool]:
        """The time of *pads* by that of *other*, round by round, and whether the run is calm."""
        pairs = list(zip(run.seconds.get(pads, ()), run.seconds.get(other, ()), strict=False))
        kept = self.calm_rounds(run)
        calm = [pair for pair, is_calm in zip(pairs, kept, strict=False) if is_calm]
        is_calm = len(calm) == len(pairs) or len(calm) >= _GOOD_ROUNDS
        return [mine / theirs for mine, theirs in (calm if is_calm else pairs) if theirs > 0], is_calm

    def calm_rounds(self, run: Run) -> list[bool]:
        """By round, whether there was no neighbour."""
        rounds = max(map(len, run.seconds.values()), default=0)
        return [self.quiet.allows(each) for each in run.probes] or [True] * rounds

    def seconds(self) -> Interval | None:
        """Of a pass of the reference."""
        found = [statistics.median(times) for run in self.runs if (times := run.seconds.get(self.reference))]
        return statistics.bootstrap(found, self.seed) if found else None

    def count(self, pads: Pads) -> int:
        """Calm runs that compare it with the reference."""
        return len(self._calm(pads, self.reference))

    def replace_reference(self, candidates: Sequence[Pads]) -> None:
        """The default fails: times are relative to the first of these that was measured."""
        if self.reference == DEFAULT:
            found = [each for each in candidates if any(run.seconds.get(each) for run in self.runs)]
            self.reference = found[0] if found else DEFAULT

    def noise(self) -> float:
        """What a difference must exceed: how far the default is from itself, and LEAST_GAIN at least."""
        if self._noise[:2] != (len(self.runs), self.quiet.fastest):
            control = self._control()
            found = LEAST_GAIN if control is None else max(LEAST_GAIN, 1 - control.low, control.high - 1)
            self._noise = len(self.runs), self.quiet.fastest, found
        return self._noise[2]

    def _control(self) -> Interval | None:
        """The default by itself. What a run of a round or two says would hide all differences."""
        long = [each for each in self._compared(CONTROL, DEFAULT) if len(each) >= _GOOD_ROUNDS]
        if len(long) < _FEWEST_LONG:
            return self.relative(CONTROL, DEFAULT)
        return statistics.bootstrap([statistics.median(each) for each in long], self.seed)

    def measured(self, candidates: Iterable[Pads]) -> list[Pads]:
        """Those that were, the fastest first."""
        medians = {each: statistics.median(found) for each in candidates if (found := self.scores(each))}
        return sorted(medians, key=medians.__getitem__)

    # -- conclusions ----------------------------------------------------------------------------------------------

    def beats(self, pads: Pads, other: Pads | None = None) -> bool:
        """Whether it is faster than *other* (the reference) beyond the noise, in enough runs."""
        found = self.relative(pads, other)
        enough = len(self.scores(pads, other)) >= ENOUGH_RUNS
        return enough and found is not None and found.high < 1 - self.noise()

    def tends_to_beat(self, pads: Pads) -> bool:
        """Whether it is faster than the reference beyond the noise in most of the runs."""
        found = self.relative(pads)
        return found is not None and found.median < 1 - self.noise()

    def could_beat(self, pads: Pads) -> bool:
        """Whether more runs could show that it beats the reference."""
        found = self.relative(pads)
        return found is None or found.low < 1 - self.noise()

    def cannot_win(self, pads: Pads) -> bool:
        """Whether it has been measured enough to say that it does not beat the reference."""
        return self.count(pads) >= ENOUGH_RUNS and not self.could_beat(pads) and self.reference == DEFAULT

    def beaten(self, candidates: Sequence[Pads], keep: int = 0) -> list[Pads]:
        """Those that another, or the reference, beats so clearly that they need no more runs; never the best *keep*."""
        ranked = self.measured(candidates)
        if not ranked:
            return []
        relative = self.relative(ranked[0])
        best = ranked[0] if relative is not None and relative.median < 1 else self.reference
        return [each for each in ranked[keep:] if each != best and self._is_slower(each, best)]

    def _is_slower(self, pads: Pads, best: Pads) -> bool:
        found = self.relative(pads, best)
        margin = _BEATEN if len(self.scores(pads, best)) >= 3 else _BEATEN_AT_ONCE
        return found is not None and found.low > margin

    def is_clear(self, candidates: Sequence[Pads]) -> bool:
        """Whether more runs of these would change nothing: none can win, or the best has, and the others are slower or
        equal to it. Neighbours hide differences, and make none: only that there is none has to be seen without them."""
        if any(len(self.scores(each)) < ENOUGH_RUNS for each in candidates):
            return False
        if not any(self.could_beat(each) for each in candidates):
            return all(self.count(each) >= ENOUGH_RUNS for each in candidates)
        best, *others = self.measured(candidates)
        return self.beats(best) and all(self._is_settled(each, best) for each in others)

    def _is_settled(self, pads: Pads, best: Pads) -> bool:
        found = self.relative(pads, best)
        return found is not None and (found.low > 1 or found.high < 1 + _SETTLED)

    def best(self, candidates: Iterable[Pads], memory: dict[Pads, int]) -> Pads | None:
        """The fastest that beats the reference; among those that equal it, the one with the fewest bytes. Where the
        default fails the reference is one of the candidates, and only has to be the fastest."""
        ranked = [each for each in self.measured(candidates) if self.beats(each) or self._replaces_default(each)]
        if not ranked:
            return None
        equal = [each for each in ranked if each == ranked[0] or self.is_equal(each, ranked[0])]
        return min(equal, key=lambda each: (memory.get(each, 1 << 62), _size(each), ranked.index(each)))

    def _replaces_default(self, pads: Pads) -> bool:
        return self.reference != DEFAULT and len(self.scores(pads)) >= ENOUGH_RUNS

    def is_equal(self, pads: Pads, best: Pads) -> bool:
        """Whether *pads* is as fast as *best*, as far as can be told."""
        found = self.relative(pads, best)
        return found is not None and found.low <= 1 and found.median <= 1 + _EQUAL


def _size(pads: Pads) -> int:
    """All pads together."""
    return (pads.everywhere or 0) + sum(pad for _, variables in pads.functions for _, pad in variables)


def failures(runs: Iterable[Run]) -> dict[Pads, Failure]:
    """Of the candidates that failed in any run, how they did first."""
    found: dict[Pads, Failure] = {}
    for run in runs:
        for pads, failure in run.failures.items():
            found.setdefault(pads, failure)
    return found
