"""Runs, and what may be concluded from them.

A run's *score* of a candidate is the median, over rounds, of its time by the default's in the same round; only runs are
independent of each other, so an interval is a bootstrap over their scores. Candidates are compared with each other in
the same way, round by round.

A *baseline probe* is a fixed piece of work beside each time (jitffi/tune/worker/instruments.py). It has no time of its
own that would be right everywhere, so it is compared with the fastest one that was ever seen on the same host. What is
compared in a round is *undisturbed* if the probes of the two are; a run is, if enough of its rounds are, and then only
those count. With five undisturbed runs the others do not count at all; before, they do. What slows a machine down hides
differences and makes none: so a winner may be seen in any runs, and that there is no difference in undisturbed ones
only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune import statistics
from jitffi.tune.records import Interval, Run

#: A value of one round, a ratio or seconds, and whether it is undisturbed.
Round = tuple[float, bool]

#: Less is no difference.
LEAST_GAIN = 0.02
#: Processes that a statement needs.
ENOUGH_RUNS = 5
#: A probe that takes so many times the fastest one was slowed down. Undisturbed ones differ by a tenth; one beside a
#: thread that keeps the other half of the core busy takes 1.6 to 2 times as long.
_SLOWED = 1.25
#: A candidate this much slower than the best, its whole interval, is out; after one run alone, this much more.
_BEATEN, _BEATEN_AT_ONCE = 1.01, 1.06
#: A run with fewer rounds had hardly any time; so many longer ones are enough to tell the noise.
_GOOD_ROUNDS, _FEWEST_LONG = 5, 3
#: Medians this close are equal, if their intervals allow it; so are intervals this close.
_EQUAL, _SETTLED = 0.01, 0.02
#: Of what was not measured: it may be as fast as can be, and has not shown it.
_UNKNOWN = Interval(0.0, math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class _Compared:
    """What two candidates are compared by: ratios by round, of each run that counts."""

    ratios: tuple[list[float], ...]
    #: All of these runs are undisturbed.
    is_undisturbed: bool
    interval: Interval


class Results:
    """Runs on one model of CPU. *baselines*: the fastest probe of each host, in seconds, as far as is known, by other
    runs, too."""

    def __init__(self, seed: int, baselines: dict[str, float] | None = None, runs: Iterable[Run] = ()) -> None:
        self.runs = [*runs]
        self.seed = seed
        self.baselines: dict[str, float] = {} if baselines is None else baselines
        #: What was computed, and of what: how many runs there were, and how fast a probe was known to be.
        self._compared: dict[tuple[Pads, Pads], _Compared] = {}
        self._noise: dict[bool, float] = {}
        self._known: tuple[int, tuple[float, ...]] = 0, ()

    def add(self, run: Run) -> None:
        self.runs.append(run)
        self.baselines[run.host] = min(self.baselines.get(run.host, math.inf), run.fastest_probe)

    def with_runs(self, other: Results) -> Results:
        """Return these runs and those of *other* together."""
        return Results(self.seed, self.baselines, [*self.runs, *other.runs])

    # -- numbers --------------------------------------------------------------------------------------------------

    def relative(self, pads: Pads, other: Pads | None = None) -> Interval | None:
        """Return the time of *pads* by that of *other* (the default). Of one run alone, over its rounds. None: it was
        not measured."""
        found = self._compare(pads, other)
        return found.interval if found.ratios else None

    def count(self, pads: Pads, other: Pads | None = None) -> int:
        """Return how many runs count and compare the two."""
        return len(self._compare(pads, other).ratios)

    def is_undisturbed(self, pads: Pads, other: Pads | None = None) -> bool:
        """Return whether what is known of the two is from undisturbed runs."""
        return self._compare(pads, other).is_undisturbed

    def undisturbed_times(self) -> list[bool]:
        """Return of all times there are whether they are undisturbed."""
        return [is_fine for run in self.runs for pads in run.seconds for _, is_fine in self._times(run, pads)]

    def seconds(self) -> Interval | None:
        """Return the time of a pass of the default."""
        found = [median(each) for each in _that_count([self._times(run, DEFAULT) for run in self.runs])[0]]
        return statistics.bootstrap(found, self.seed) if found else None

    def noise(self, is_undisturbed: bool = True) -> float:
        """Return what a difference must exceed: how far the default is from itself, and LEAST_GAIN at least.

        *is_undisturbed*: in the runs that count; else in all, for what was measured in others, too. What a run of a
        round or two says would hide all differences, where there are longer ones.
        """
        found = self._compare(CONTROL, DEFAULT)
        if is_undisturbed not in self._noise:
            everything = [[ratio for ratio, _ in self._ratios(run, CONTROL, DEFAULT)] for run in self.runs]
            ratios = found.ratios if is_undisturbed else everything
            long = [median(each) for each in ratios if len(each) >= _GOOD_ROUNDS]
            control = statistics.bootstrap(long, self.seed) if len(long) >= _FEWEST_LONG else found.interval
            far = max(1 - control.low, control.high - 1) if found.ratios else 0.0
            self._noise[is_undisturbed] = max(LEAST_GAIN, far)
        return self._noise[is_undisturbed]

    def measured(self, candidates: Iterable[Pads]) -> list[Pads]:
        """Return those that were measured, the fastest first."""
        medians = {each: found.median for each in candidates if (found := self.relative(each))}
        return sorted(medians, key=medians.__getitem__)

    def _compare(self, pads: Pads, other: Pads | None = None) -> _Compared:
        key, known = (pads, other or DEFAULT), (len(self.runs), tuple(self.baselines.values()))
        if known != self._known:
            self._known = known
            self._compared.clear()
            self._noise.clear()
        if key not in self._compared:
            found, is_undisturbed = _that_count([self._ratios(run, *key) for run in self.runs])
            scores = found[0] if len(found) == 1 else [median(each) for each in found]
            interval = statistics.bootstrap(scores, self.seed) if scores else _UNKNOWN
            self._compared[key] = _Compared(tuple(found), is_undisturbed, interval)
        return self._compared[key]

    def _ratios(self, run: Run, pads: Pads, other: Pads) -> list[Round]:
        """Return the time of *pads* by that of *other*, round by round."""
        both = zip(self._times(run, pads), self._times(run, other), strict=False)
        return [
            (mine / theirs if theirs > 0 else 1.0, is_fine and is_other_fine)
            for (mine, is_fine), (theirs, is_other_fine) in both
        ]

    def _times(self, run: Run, pads: Pads) -> list[Round]:
        """Return the times of *pads*; where nobody has probed all are undisturbed."""
        times = run.seconds.get(pads, ())
        probes = run.probes.get(pads, (0.0,) * len(times))
        most = _SLOWED * self.baselines.get(run.host, math.inf)
        return [(seconds, probe <= most) for seconds, probe in zip(times, probes, strict=False)]

    # -- conclusions ----------------------------------------------------------------------------------------------

    def beats(self, pads: Pads, other: Pads | None = None, margin: float = 1.0) -> bool:
        """Return whether it is faster than *other* (the default) beyond so many times the noise, in enough runs."""
        found = self._compare(pads, other)
        is_enough = len(found.ratios) >= ENOUGH_RUNS
        return is_enough and found.interval.high < 1 - margin * self.noise(found.is_undisturbed)

    def tends_to_beat(self, pads: Pads) -> bool:
        """Return whether it is faster than the default beyond the noise in most of the runs."""
        found = self._compare(pads)
        return found.interval.median < 1 - self.noise(found.is_undisturbed)

    def could_beat(self, pads: Pads) -> bool:
        """Return whether more runs could show that it beats the default."""
        found = self._compare(pads)
        # What slows the machine down brings times together, but does not turn them round.
        return found.interval.low < (1 - self.noise() if found.is_undisturbed else 1 + self.noise(False))

    def survivors(self, candidates: Sequence[Pads], keep: int) -> list[Pads]:
        """Return those that another, or the default, does not beat so clearly that they need no more runs, and that
        can still win; the best *keep* are always among them until they have enough runs."""
        ranked = self.measured(candidates)
        best = next(iter(self.measured([DEFAULT, *ranked])), DEFAULT)
        out = {each for each in ranked[keep:] if self._is_slower(each, best)}
        out |= {each for each in candidates if self.count(each) >= ENOUGH_RUNS and not self.could_beat(each)}
        return [each for each in candidates if each not in out]

    def _is_slower(self, pads: Pads, best: Pads) -> bool:
        found = self._compare(pads, best)
        return found.interval.low > (_BEATEN if len(found.ratios) >= 3 else _BEATEN_AT_ONCE)

    def is_clear(self, candidates: Sequence[Pads]) -> bool:
        """Return whether more runs of these would change nothing: none can win, or the best has, and the others are
        slower or equal to it."""
        if any(self.count(each) < ENOUGH_RUNS for each in candidates):
            return False
        if not any(self.could_beat(each) for each in candidates):
            return True
        best, *others = self.measured(candidates)
        return self.beats(best) and all(self._is_settled(each, best) for each in others)

    def _is_settled(self, pads: Pads, best: Pads) -> bool:
        found = self._compare(pads, best)
        return found.interval.low > 1 or (found.is_undisturbed and found.interval.high < 1 + _SETTLED)

    def best(self, candidates: Iterable[Pads], memory: dict[Pads, int]) -> Pads | None:
        """Return the fastest that beats the default; among those that equal it, the one with the fewest bytes."""
        ranked = [each for each in self.measured(candidates) if self.beats(each)]
        if not ranked:
            return None
        equal = [each for each in ranked if self.is_equal(each, ranked[0])]
        return min(equal, key=lambda each: (memory.get(each, 1 << 62), _size(each), ranked.index(each)))

    def is_equal(self, pads: Pads, best: Pads) -> bool:
        """Return whether *pads* is as fast as *best*, as far as can be told."""
        found = self._compare(pads, best).interval
        return found.low <= 1 and found.median <= 1 + _EQUAL


def _size(pads: Pads) -> int:
    """Return the sum of all pads."""
    return (pads.everywhere or 0) + sum(pad for _, variables in pads.functions for _, pad in variables)


def _that_count(runs: Iterable[list[Round]]) -> tuple[list[list[float]], bool]:
    """Return what counts of what runs say, and whether all of it is undisturbed. Of runs that had a few rounds only,
    no more count than it takes to have enough."""
    runs = [each for each in runs if each]
    least = min(_GOOD_ROUNDS, max(map(len, runs), default=0))
    found: list[tuple[list[float], bool]] = []
    for each in runs:
        fine = [value for value, is_fine in each if is_fine]
        found.append((fine, True) if len(fine) >= least else ([value for value, _ in each], False))
    undisturbed = [each for each in found if each[1]]
    if len(undisturbed) >= ENOUGH_RUNS:
        found = undisturbed
    longest = sorted(range(len(found)), key=lambda number: -len(found[number][0]))[:ENOUGH_RUNS]
    kept = [each for number, each in enumerate(found) if len(each[0]) >= _GOOD_ROUNDS or number in longest]
    return [values for values, _ in kept], all(is_fine for _, is_fine in kept)
