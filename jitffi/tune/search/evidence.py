"""The one record of a search: what it is given, has observed and concluded; and the two ways to observe more."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune.formatting import candidate
from jitffi.tune.records import Counted, Counts, Failure, Run
from jitffi.tune.search.clock import Clock
from jitffi.tune.search.results import LEAST_GAIN, Results

if TYPE_CHECKING:
    from jitffi.tune.run.job import Job
    from jitffi.tune.run.runners import Runner

#: Seconds of a candidate in a round, at least.
_BLOCK = 0.005
#: Runs take longer than expected, and some say nothing.
_RESERVE = 1.3
#: Times this close may be equal.
_CLOSE = 1.1
#: Told what is going on: the stage, at most how many seconds are left, and what it is about.
Progress = Callable[[str, float, str], None]


@dataclass(frozen=True, slots=True)
class Experiment:
    """What a search is given. *notes*: what there is to tell about the sample."""

    job: Job
    notes: tuple[str, ...]
    #: One pad for everything, each.
    uniform: tuple[Pads, ...]
    runner: Runner
    clock: Clock
    progress: Progress | None = None

    def tell(self, stage: str, detail: str = "") -> None:
        """Tell whoever watches what is going on."""
        if self.progress is not None:
            self.progress(stage, 0.0 if stage == "done" else max(0.0, self.clock.left), detail)


class Evidence:
    """All that is known so far. `count` and `measure` write what was observed, the stages what they conclude."""

    def __init__(self, given: Experiment) -> None:
        self.given = given
        self.counted = Counted()
        self.counts: dict[Pads, Counts] = {}
        self.failures: dict[Pads, Failure] = {}
        #: The CPU's model of the first run that came, which the search is about; and how many came of others.
        self.machine = ""
        self.foreign: Counter[str] = Counter()
        #: The runs that choose, and those that confirm.
        self.choosing = Results(given.job.seed)
        self.confirming = Results(given.job.seed, self.choosing.baselines)
        #: Candidates whose code there is.
        self.compiled: set[Pads] = set()
        self.runs = 0
        #: The finer candidates, and the winner so far; None: nothing beats the default.
        self.refined: list[Pads] = []
        self.winner: Pads | None = None
        self.is_interrupted = False

    @property
    def memory(self) -> dict[Pads, int]:
        """The peak of a pass, by candidate."""
        return {pads: each.all_peak_bytes for pads, each in self.counts.items()}

    def working(self, candidates: Sequence[Pads]) -> list[Pads]:
        """Return those that have not failed; none where the default has, which all are compared with."""
        return [each for each in candidates if each not in self.failures and DEFAULT not in self.failures]


# -- observing --------------------------------------------------------------------------------------------------------


def count(evidence: Evidence, candidates: Sequence[Pads], seconds: float) -> None:
    """Count a pass of each candidate, as far as there is time."""
    given, clock = evidence.given, evidence.given.clock
    started = clock.now()
    found = given.runner.count(given.job, candidates, seconds)
    if clock.now() - started > 0.9 * seconds:  # most of it was compiling
        clock.compiling = seconds / max(1, len(found.counts))
    if evidence.counts and found.items != evidence.counted.items:
        return  # they are of other items than what there is
    evidence.counted = found
    for pads, each in found.counts.items():
        if isinstance(each, Failure):
            evidence.failures.setdefault(pads, each)
        else:
            evidence.counts[pads] = each
    evidence.compiled.update(evidence.counts)


def measure(evidence: Evidence, stage: str, candidates: Sequence[Pads], end: float, still: int = 1) -> int | None:
    """Make as many runs as there can be at a time, *still* so many to come until that part of the budget is spent.

    Returns how many have measured something; None: there was no time for any.
    """
    given, clock, width = evidence.given, evidence.given.clock, evidence.given.runner.width
    needed, compiling = -(-max(0, still) // width), _compiling(evidence, candidates)
    round_seconds = _round_seconds(evidence, candidates)
    length = clock.run_length(clock.share(end), needed, round_seconds, len(candidates), compiling)
    if length is None:
        return None
    given.tell(stage, candidate(candidates[0]) if len(candidates) == 1 else f"{len(candidates)} candidates")
    seeds = [given.job.seed * 1_000_003 + evidence.runs + each for each in range(width)]
    evidence.runs += width
    began, runs, came = clock.now(), [], 0
    for run in given.runner.time_runs(given.job, candidates, length, seeds):
        runs.append(run)
        came += _add(evidence, run, evidence.confirming if stage == "confirming" else evidence.choosing)
    # What such runs cost beside what they measure.
    longest = max(runs, key=lambda run: run.rounds_seconds, default=Run("", {}))
    compiled = len({*longest.seconds} - {*evidence.compiled, CONTROL})
    evidence.compiled.update(*[run.seconds for run in runs])
    clock.learn(clock.now() - began, longest.rounds_seconds, longest.warm_seconds, len(candidates), compiled)
    return came


def _add(evidence: Evidence, run: Run, results: Results) -> bool:
    """Add a run to the results, if it has measured something on the CPU that the search is about; return whether."""
    for pads, failure in run.failures.items():
        evidence.failures.setdefault(pads, failure)
    if not any(run.seconds.values()):
        return False
    evidence.machine = evidence.machine or run.machine
    if run.machine != evidence.machine:
        evidence.foreign[run.machine] += 1
        return False
    results.add(run)
    return True


# -- what there is time for -------------------------------------------------------------------------------------------


def _compiling(evidence: Evidence, candidates: Sequence[Pads]) -> float:
    """Return the seconds that it takes to compile those that were not compiled yet."""
    return evidence.given.clock.compiling * len({*candidates} - evidence.compiled)


def _round_seconds(evidence: Evidence, candidates: Sequence[Pads]) -> float:
    """Return the least that a round is worth measuring with."""
    item = (evidence.counted.seconds or 0.0) / max(1, len(evidence.given.job.items))
    return (len(candidates) + 2) * max(_BLOCK, item)


def has_time(evidence: Evidence, runs: float, candidates: Sequence[Pads], compiling: float = 0.0) -> bool:
    """Return whether so many short runs of these that are worth their process fit into what is left."""
    given = evidence.given
    shortest = given.clock.least(_round_seconds(evidence, candidates), len(candidates))
    return given.clock.left * given.runner.width >= compiling + runs * shortest


def affordable(evidence: Evidence, candidates: Sequence[Pads], still: int) -> list[Pads]:
    """Return the most promising of these, as many as *still* so many short runs of them fit into what is left: a
    statement on one of them is worth more than a glance at many."""
    now = _by_promise(evidence, candidates)
    while len(now) > 1 and still > 0 and not has_time(evidence, _RESERVE * still, now, _compiling(evidence, now)):
        now = now[: len(now) // 2]
    return now


def _by_promise(evidence: Evidence, candidates: Sequence[Pads]) -> list[Pads]:
    """Return these as they should be measured: what is faster than the default, the fastest first; then what has been
    measured least, what is compiled, and next to the best so far."""
    faster = _faster(evidence, candidates)
    apart = {each: number for number, each in enumerate(far_apart(candidates))}
    best = (faster[0].everywhere or 0) if faster else None

    def rank(each: Pads) -> tuple[int, bool, int, int]:
        far = 0 if best is None else abs((each.everywhere or 0) - best)
        return evidence.choosing.count(each), each not in evidence.compiled, far, apart[each]

    return list(dict.fromkeys([*faster, *sorted(candidates, key=rank)]))


def _faster(evidence: Evidence, candidates: Sequence[Pads]) -> list[Pads]:
    """Return those that were faster than the default; of what is close to the fastest, what has most runs first, and
    then what needs least memory: one is as good as another, and more runs of one say more than a run of each."""
    results, memory = evidence.choosing, evidence.memory
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
