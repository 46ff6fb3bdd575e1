"""The runs of one kind of machine, and what may be concluded from them.

A run's *score* of a candidate is the median, over rounds, of its time by the default's in the same round; only runs are
independent of each other, so an interval is a bootstrap over their scores. Candidates are compared with each other in
the same way, round by round.

What is compared in a round is *calm* if nothing has slowed down either of the two (jitffi/tune/quiet.py); a run is, if
enough of its rounds are, and then only those count. With five calm runs the others do not count at all; before, they
do. What slows a machine down hides differences and makes none: so a winner may be seen in any runs, and only that
there is no difference has to be seen in calm ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune import statistics
from jitffi.tune.quiet import Quiet, is_calm
from jitffi.tune.records import Failure, Interval, Run

#: A value of one round, a ratio or seconds, and whether it is calm.
Round = tuple[float, bool]

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


@dataclass(frozen=True, slots=True)
class _Compared:
    """What two candidates are compared by: ratios by round, of each run that counts."""

    ratios: tuple[list[float], ...]
    #: All of these runs are calm.
    is_calm: bool
    interval: Interval | None

    @property
    def scores(self) -> list[float]:
        return [statistics.median(each) for each in self.ratios]


class Tally:
    """The runs of one kind of machine. `reference` is what times are relative to: the default, unless that fails.
    `quiet` is what is known of probes, by other runs, too."""

    def __init__(self, machine: str, seed: int, reference: Pads = DEFAULT, quiet: Quiet | None = None) -> None:
        self.machine = machine
        self.reference = reference
        self.runs: list[Run] = []
        self.seed = seed
        self.quiet = Quiet() if quiet is None else quiet
        #: What was computed, and of what: how many runs there were, and how fast a probe was known to be.
        self._compared: dict[tuple[Pads, Pads], _Compared] = {}
        self._noise: dict[bool, float] = {}
        self._known: tuple[int, tuple[float, ...]] = 0, ()

    def add(self, run: Run) -> None:
        """One more."""
        self.runs.append(run)
        self.quiet.learn(run.host, run.fastest_probe)

    # -- numbers --------------------------------------------------------------------------------------------------

    def scores(self, pads: Pads, other: Pads | None = None) -> list[float]:
        """Of the runs that count and measured both, the time of *pads* by that of *other* (the reference)."""
        return self._compare(pads, other).scores

    def relative(self, pads: Pads, other: Pads | None = None) -> Interval | None:
        """How *pads* compares with *other* (the reference). Of one run alone, over its rounds. None: not measured."""
        return self._compare(pads, other).interval

    def count(self, pads: Pads, other: Pads | None = None) -> int:
        """Runs that count and compare the two."""
        return len(self._compare(pads, other).ratios)

    def is_calm(self, pads: Pads, other: Pads | None = None) -> bool:
        """Whether what is known of the two is from calm runs."""
        return self._compare(pads, other).is_calm

    def calm_times(self) -> list[bool]:
        """Of all times there are, whether they are calm."""
        return [each for run in self.runs for pads in run.seconds for each in self._calm(run, pads)]

    def _compare(self, pads: Pads, other: Pads | None) -> _Compared:
        self._refresh()
        key = pads, other or self.reference
        if key not in self._compared:
            found, is_all_calm = _that_count([self._ratios(run, *key) for run in self.runs])
            scores = found[0] if len(found) == 1 else [statistics.median(each) for each in found]
            interval = statistics.bootstrap(scores, self.seed) if scores else None
            self._compared[key] = _Compared(tuple(found), is_all_calm, interval)
        return self._compared[key]

    def _refresh(self) -> None:
        """Forget what was computed from fewer runs, or by what is not the fastest probe any more."""
        known = len(self.runs), tuple(self.quiet.fastest.values())
        if known != self._known:
            self._known = known
            self._compared.clear()
            self._noise.clear()

    def _ratios(self, run: Run, pads: Pads, other: Pads) -> list[Round]:
        """The time of *pads* by that of *other*, round by round."""
        pairs = zip(run.seconds.get(pads, ()), run.seconds.get(other, ()), strict=False)
        calm = zip(self._calm(run, pads), self._calm(run, other), strict=False)
        ratios = [mine / theirs if theirs > 0 else 1.0 for mine, theirs in pairs]
        return [(ratio, all(each)) for ratio, each in zip(ratios, calm, strict=False)]

    def _calm(self, run: Run, pads: Pads) -> list[bool]:
        """Of each time of *pads*, whether it is calm."""
        probes = run.probes.get(pads)
        if probes is None:
            return [True] * len(run.seconds.get(pads, ()))
        fastest = self.quiet.of(run.host)
        return [is_calm(each, fastest) for each in probes]

    def seconds(self) -> Interval | None:
        """Of a pass of the reference."""
        times = [
            list(zip(run.seconds.get(self.reference, ()), self._calm(run, self.reference), strict=False))
            for run in self.runs
        ]
        found = [statistics.median(each) for each in _that_count(times)[0]]
        return statistics.bootstrap(found, self.seed) if found else None

    def replace_reference(self, candidates: Sequence[Pads]) -> None:
        """The default fails: times are relative to the first of these that was measured."""
        if self.reference == DEFAULT:
            found = [each for each in candidates if any(run.seconds.get(each) for run in self.runs)]
            self.reference = found[0] if found else DEFAULT

    def noise(self, is_calm: bool = True) -> float:
        """What a difference must exceed: how far the default is from itself, and LEAST_GAIN at least. *is_calm*: in the
        runs that count; else in all, for what was measured in others, too."""
        self._refresh()
        if is_calm not in self._noise:
            control = self._control(is_calm)
            found = LEAST_GAIN if control is None else max(LEAST_GAIN, 1 - control.low, control.high - 1)
            self._noise[is_calm] = found
        return self._noise[is_calm]

    def _control(self, is_calm: bool) -> Interval | None:
        """The default by itself. What a run of a round or two says would hide all differences."""
        everything = [[ratio for ratio, _ in self._ratios(run, CONTROL, DEFAULT)] for run in self.runs]
        found = list(self._compare(CONTROL, DEFAULT).ratios) if is_calm else everything
        long = [each for each in found if len(each) >= _GOOD_ROUNDS]
        if len(long) < _FEWEST_LONG:
            return self.relative(CONTROL, DEFAULT)
        return statistics.bootstrap([statistics.median(each) for each in long], self.seed)

    def measured(self, candidates: Iterable[Pads]) -> list[Pads]:
        """Those that were, the fastest first."""
        medians = {each: statistics.median(found) for each in candidates if (found := self.scores(each))}
        return sorted(medians, key=medians.__getitem__)

    # -- conclusions ----------------------------------------------------------------------------------------------

    def beats(self, pads: Pads, other: Pads | None = None, margin: float = 1.0) -> bool:
        """Whether it is faster than *other* (the reference) beyond so many times the noise, in enough runs."""
        found = self._compare(pads, other)
        enough = len(found.ratios) >= ENOUGH_RUNS
        return enough and found.interval is not None and found.interval.high < 1 - margin * self.noise(found.is_calm)

    def tends_to_beat(self, pads: Pads) -> bool:
        """Whether it is faster than the reference beyond the noise in most of the runs."""
        found = self._compare(pads, None)
        return found.interval is not None and found.interval.median < 1 - self.noise(found.is_calm)

    def could_beat(self, pads: Pads) -> bool:
        """Whether more runs could show that it beats the reference."""
        found = self._compare(pads, None)
        if found.interval is None:
            return True
        # What slows the machine down brings times together, but does not turn them round.
        return found.interval.low < (1 - self.noise() if found.is_calm else 1 + self.noise(False))

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
        margin = _BEATEN if self.count(pads, best) >= 3 else _BEATEN_AT_ONCE
        return found is not None and found.low > margin

    def is_clear(self, candidates: Sequence[Pads]) -> bool:
        """Whether more runs of these would change nothing: none can win, or the best has, and the others are slower or
        equal to it."""
        if any(self.count(each) < ENOUGH_RUNS for each in candidates):
            return False
        if not any(self.could_beat(each) for each in candidates):
            return True
        best, *others = self.measured(candidates)
        return self.beats(best) and all(self._is_settled(each, best) for each in others)

    def _is_settled(self, pads: Pads, best: Pads) -> bool:
        found = self._compare(pads, best)
        if found.interval is None:
            return False
        return found.interval.low > 1 or (found.is_calm and found.interval.high < 1 + _SETTLED)

    def best(self, candidates: Iterable[Pads], memory: dict[Pads, int]) -> Pads | None:
        """The fastest that beats the reference; among those that equal it, the one with the fewest bytes. Where the
        default fails the reference is one of the candidates, and only has to be the fastest."""
        ranked = [each for each in self.measured(candidates) if self.beats(each) or self._replaces_default(each)]
        if not ranked:
            return None
        equal = [each for each in ranked if each == ranked[0] or self.is_equal(each, ranked[0])]
        return min(equal, key=lambda each: (memory.get(each, 1 << 62), _size(each), ranked.index(each)))

    def _replaces_default(self, pads: Pads) -> bool:
        return self.reference != DEFAULT and self.count(pads) >= ENOUGH_RUNS

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


def _that_count(runs: Iterable[list[Round]]) -> tuple[list[list[float]], bool]:
    """Of what runs say, what counts, and whether all of it is calm. Of runs that had a few rounds only no more than it
    takes to have enough."""
    runs = [each for each in runs if each]
    least = min(_GOOD_ROUNDS, max(map(len, runs), default=0))
    calm = [[value for value, is_calm in each if is_calm] for each in runs]
    is_calm = [len(each) >= least for each in calm]
    if is_calm.count(True) >= ENOUGH_RUNS:
        used = [each for each, one in zip(calm, is_calm, strict=True) if one]
        is_calm = [True] * len(used)
    else:
        used = [found if one else [value for value, _ in each]
                for each, found, one in zip(runs, calm, is_calm, strict=True)]  # fmt: skip
    longest = sorted(range(len(used)), key=lambda number: -len(used[number]))[:ENOUGH_RUNS]
    kept = [number for number, each in enumerate(used) if len(each) >= _GOOD_ROUNDS or number in longest]
    return [used[number] for number in kept], all(is_calm[number] for number in kept)
