"""The one store of what a search has observed, and the two ways to add to it: a count, and runs that are timed."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune.formatting import candidate
from jitffi.tune.records import Counted, Counts, Failure, Run, Sample
from jitffi.tune.search.clock import Clock
from jitffi.tune.search.results import ENOUGH_RUNS, LEAST_GAIN, Results

if TYPE_CHECKING:
    from jitffi.tune.run.job import Job
    from jitffi.tune.run.runners import Runner

#: Seconds of a candidate in a round, at least.
_BLOCK = 0.005
#: Runs take longer than expected, and some say nothing.
_RESERVE = 1.3
#: Times this close may be equal.
_CLOSE = 1.1


class Progress(Protocol):
    """Told what is going on: the stage, how much of the budget is spent (0 to 1), at most how many seconds are left."""

    def __call__(self, stage: str, fraction: float, seconds_left: float, detail: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Experiment:
    """What a search is given."""

    job: Job
    sample: Sample
    #: One pad for everything, each.
    uniform: tuple[Pads, ...]
    runner: Runner
    clock: Clock
    progress: Progress | None = None

    def tell(self, stage: str, detail: str = "") -> None:
        """Tell whoever watches what is going on."""
        if self.progress is not None:
            left = 0.0 if stage == "done" else max(0.0, self.clock.left)
            self.progress(stage, 1.0 if stage == "done" else self.clock.elapsed / self.clock.budget, left, detail)


class Evidence:
    """All that was observed so far. Only `count` and `measure` write it."""

    def __init__(self, seed: int) -> None:
        self.counted = Counted()
        self.counts: dict[Pads, Counts] = {}
        self.failures: dict[Pads, Failure] = {}
        #: The CPU's model of the first run that came, which the search is about; and how many came of others.
        self.machine = ""
        self.foreign: Counter[str] = Counter()
        #: The runs that choose, and those that confirm.
        self.choosing = Results(seed)
        self.confirming = Results(seed, self.choosing.baselines)
        #: Candidates whose code there is.
        self.compiled: set[Pads] = set()
        self.runs = 0

    @property
    def memory(self) -> dict[Pads, int]:
        """The peak of a pass, by candidate."""
        return {pads: each.all_peak_bytes for pads, each in self.counts.items()}

    def working(self, candidates: Sequence[Pads]) -> list[Pads]:
        """Return those that have not failed; none where the default has, which all are compared with."""
        return [each for each in candidates if each not in self.failures and DEFAULT not in self.failures]

    def lacking(self, candidates: Sequence[Pads]) -> int:
        """Return how many runs a statement on the best of these still needs."""
        found = self.choosing.measured(candidates)
        return ENOUGH_RUNS - (self.choosing.count(found[0]) if found else 0)


@dataclass(slots=True)
class Outcome:
    """What the stages have concluded so far."""

    refined: list[Pads] = field(default_factory=list)
    #: None: nothing beats the default, or nothing was chosen yet.
    winner: Pads | None = None
    has_chosen: bool = False
    is_interrupted: bool = False


# -- adding to it -----------------------------------------------------------------------------------------------------


def count(given: Experiment, evidence: Evidence, candidates: Sequence[Pads], seconds: float) -> None:
    """Count a pass of each candidate, as far as there is time."""
    started = given.clock.now()
    found = given.runner.count(given.job, candidates, seconds)
    if given.clock.now() - started > 0.9 * seconds:  # most of it was compiling
        given.clock.compiling = seconds / max(1, len(found.counts))
    if evidence.counts and found.items != evidence.counted.items:
        return  # they are of other items than what there is
    evidence.counted = found
    for pads, each in found.counts.items():
        if isinstance(each, Failure):
            evidence.failures.setdefault(pads, each)
        else:
            evidence.counts[pads] = each
    evidence.compiled.update(evidence.counts)


def measure(
    given: Experiment, evidence: Evidence, stage: str, candidates: Sequence[Pads], end: float, still: int = 1
) -> int | None:
    """Make as many runs as there can be at a time, *still* so many to come until that part of the budget is spent.

    Returns how many have measured something; None: there was no time for any.
    """
    clock, width = given.clock, given.runner.width
    needed, compiles = -(-max(0, still) // width), compiling(given, evidence, candidates)
    round_seconds = _round_seconds(given, evidence, candidates)
    length = clock.run_length(clock.share(end), needed, round_seconds, len(candidates), compiles)
    if length is None:
        return None
    given.tell(stage, candidate(candidates[0]) if len(candidates) == 1 else f"{len(candidates)} candidates")
    seeds = [given.job.seed * 1_000_003 + evidence.runs + each for each in range(width)]
    evidence.runs += width
    began, runs = clock.now(), []
    results = evidence.confirming if stage == "confirming" else evidence.choosing
    for run in given.runner.time_runs(given.job, candidates, length, seeds):
        for pads, failure in run.failures.items():
            evidence.failures.setdefault(pads, failure)
        evidence.machine = evidence.machine or run.machine
        if run.machine == evidence.machine:
            results.add(run)
            runs.append(run)
        else:
            evidence.foreign[run.machine] += 1
    # What such runs cost beside what they measure.
    longest = max(runs, key=lambda run: run.rounds_seconds, default=Run("", {}))
    compiled = len({*longest.seconds} - {*evidence.compiled, CONTROL})
    evidence.compiled.update(*[run.seconds for run in runs])
    clock.learn(clock.now() - began, longest.rounds_seconds, longest.warm_seconds, len(candidates), compiled)
    return len([run for run in runs if any(run.seconds.values())])


# -- what there is time for -------------------------------------------------------------------------------------------


def compiling(given: Experiment, evidence: Evidence, candidates: Sequence[Pads]) -> float:
    """Return the seconds that it takes to compile those that were not compiled yet."""
    return given.clock.compiling * len({*candidates} - evidence.compiled)


def least(given: Experiment, evidence: Evidence, candidates: Sequence[Pads]) -> float:
    """Return the seconds of the shortest run of these that is worth its process."""
    return given.clock.least(_round_seconds(given, evidence, candidates), len(candidates))


def _round_seconds(given: Experiment, evidence: Evidence, candidates: Sequence[Pads]) -> float:
    """Return the least that a round is worth measuring with."""
    item = (evidence.counted.seconds or 0.0) / max(1, len(given.job.items))
    return (len(candidates) + 2) * max(_BLOCK, item)


def affordable(given: Experiment, evidence: Evidence, candidates: Sequence[Pads], still: int) -> list[Pads]:
    """Return the most promising of these, as many as *still* so many short runs of them fit into what is left: a
    statement on one of them is worth more than a glance at many."""
    now, left = by_promise(evidence, candidates), given.clock.left * given.runner.width
    while len(now) > 1 and still > 0:
        if left >= compiling(given, evidence, now) + _RESERVE * still * least(given, evidence, now):
            break
        now = now[: len(now) // 2]
    return now


def by_promise(evidence: Evidence, candidates: Sequence[Pads]) -> list[Pads]:
    """Return these as they should be measured: what is faster than the default, the fastest first; then what has been
    measured least, what is compiled, and next to the best so far."""
    faster = _faster(evidence.choosing, candidates, evidence.memory)
    apart = {each: number for number, each in enumerate(far_apart(candidates))}
    runs = {each: evidence.choosing.count(each) for each in candidates}
    best = (faster[0].everywhere or 0) if faster else None
    near = {each: 0 if best is None else abs((each.everywhere or 0) - best) for each in candidates}
    rest = sorted(candidates, key=lambda each: (runs[each], each not in evidence.compiled, near[each], apart[each]))
    return list(dict.fromkeys([*faster, *rest]))


def _faster(results: Results, candidates: Sequence[Pads], memory: dict[Pads, int]) -> list[Pads]:
    """Return those that were faster than the default; of what is close to the fastest, what has most runs first, and
    then what needs least memory: one is as good as another, and more runs of one say more than a run of each."""
    relative = {each: results.relative(each) for each in results.measured(candidates)}
    times = {each: found.median for each, found in relative.items() if found and found.median < 1 - LEAST_GAIN}
    close = _CLOSE * min(times.values(), default=1.0)

    def rank(each: Pads) -> tuple[float, int, int]:
        return (0.0, -results.count(each), memory.get(each, 0)) if times[each] <= close else (times[each], 0, 0)

    return sorted(times, key=rank)


def far_apart(candidates: Sequence[Pads]) -> list[Pads]:
    """Return the middle one, then those of the halves, and so on: each prefix is spread over all."""
    parts, found = deque([tuple(candidates)]), []
    while parts:
        part = parts.popleft()
        if part:
            middle = len(part) // 2
            found.append(part[middle])
            parts += [part[:middle], part[middle + 1 :]]
    return found
