"""A runner of made-up times, on a clock of its own, for tests of what a search decides."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune.records import Counted, Counts, Failure, Run
from jitffi.tune.reports.report import Report
from jitffi.tune.run.job import Job
from jitffi.tune.search.clock import Clock
from jitffi.tune.search.evidence import Evidence, Experiment, Progress
from jitffi.tune.search.search import search as run_search
from jitffi.tune.workload import Workload


@dataclass
class FakeRunner:
    """Times by candidate, in seconds an item; noise of rounds, and of a process by candidate, as shares."""

    seconds: Callable[[Pads], float]
    noise: float = 0.02
    process_noise: float = 0.005
    overhead: float = 0.2
    counts: Mapping[Pads, Counts | Failure] = field(default_factory=dict)
    places: Mapping[str, object] = field(default_factory=dict)
    failures: Mapping[Pads, Failure] = field(default_factory=dict)
    machines: Sequence[str] = ("a CPU",)
    width: int = 1
    has_pads: bool = True
    notes: tuple[str, ...] = ()
    seed: int = 0
    #: Ctrl-C after so many runs.
    interrupt_after: int | None = None
    #: Seconds of a candidate the first time; those that have had it.
    compiling: float = 0.0
    compiled: set[Pads] = field(default_factory=set)
    #: By number of the run: what its times are made of it by candidate, as a disturbance.
    disturbed: Mapping[int, Callable[[Pads], float]] = field(default_factory=dict)
    #: By time, whether something slows the processor down; whether all candidates are equally slow then.
    busy: Callable[[float], bool] | None = None
    equal: bool = True
    now: float = 0.0
    runs: list[tuple[tuple[Pads, ...], float]] = field(default_factory=list)
    closed: bool = False

    def count(self, job: Job, candidates: Sequence[Pads], seconds: float) -> Counted:
        end = self.now + seconds
        self.now += self.overhead
        ready = [each for each in candidates if self._ready(each, end)]
        found = {each: self.counts[each] for each in ready if each in self.counts}
        default = self.seconds(DEFAULT) * len(job.items) if DEFAULT not in self.failures else None
        return Counted(found, self.places, self.machines[0], len(job.items), default, self.has_pads)  # type: ignore[arg-type]

    def time_runs(self, job: Job, candidates: Sequence[Pads], seconds: float, seeds: Sequence[int]) -> Iterator[Run]:
        for start in range(0, len(seeds), self.width):
            began = self.now
            made = [self._run(job, candidates, seconds, each) for each in seeds[start : start + self.width]]
            self.now = max([end for _, end in made], default=began)
            for run, _ in made:
                if run is not None:
                    yield run
                if self.interrupt_after is not None and len(self.runs) >= self.interrupt_after:
                    raise KeyboardInterrupt

    def _ready(self, pads: Pads, end: float) -> bool:
        """Compile it, if there is time."""
        took = self.compiling if pads not in self.compiled and pads != CONTROL else 0.0
        if self.now + took > end:
            self.now = end
            return False
        self.now += took
        self.compiled.add(pads)
        return True

    def _warm(self, candidates: Sequence[Pads], now: float, end: float) -> tuple[float, list[Pads]]:
        """Compile them, the last ones left out if that takes most of the time."""
        ready, until = [], now + 0.6 * (end - now)
        for each in candidates:
            took = self.compiling if each not in self.compiled and each != CONTROL else 0.0
            if now > until and len(ready) >= 3:
                break
            now += took
            ready.append(each)
            self.compiled.add(each)
        return now, ready

    def _run(self, job: Job, candidates: Sequence[Pads], seconds: float, seed: int) -> tuple[Run | None, float]:
        rng = random.Random(f"{self.seed} {seed}")
        everyone = list(dict.fromkeys([DEFAULT, CONTROL, *candidates]))
        alive = [each for each in everyone if each not in self.failures]
        self.runs.append((tuple(candidates), seconds))
        bias = {each: rng.gauss(1, self.process_noise) for each in alive}
        now, alive = self._warm(alive, self.now + self.overhead, self.now + seconds)
        warm, times = now - self.now - self.overhead, {each: [] for each in alive}
        worse = self.disturbed.get(len(self.runs), lambda _: 1.0)
        probes: list[float] = []  # of a round
        began, block = now, max([1e-9, (seconds - self.overhead) / 25 / (len(alive) or 1)])
        while True:
            drift = rng.gauss(1, self.noise)
            turn = {each: self.seconds(DEFAULT if each == CONTROL else each) * bias[each] * drift
                    * worse(each) * (1 + abs(rng.gauss(0, self.noise))) for each in alive}  # fmt: skip
            probe = 1e-5 * rng.uniform(1, 1.1)
            if self.busy is not None and self.busy(now):
                probe = 1.8e-5
                turn = {each: 1.7 * (self.seconds(DEFAULT) * drift if self.equal else turn[each]) for each in turn}
            took = sum([max(block, each) for each in turn.values()])
            if not alive or now + took > self.now + seconds:
                break
            now += took
            probes += [] if self.busy is None else [probe]
            for each in alive:
                times[each].append(turn[each] * len(job.items))
        failed = {each: self.failures[each] for each in everyone if each in self.failures}
        if not failed and not times[alive[0]]:
            return None, self.now + seconds
        machine = self.machines[seed % len(self.machines)]
        found = {each: tuple(seconds) for each, seconds in times.items()}
        by_candidate = dict.fromkeys(found, tuple(probes)) if probes else {}
        fastest = min(probes, default=1e-5)
        return Run(machine, found, failed, now - began, warm, "here", by_candidate, fastest), now

    def close(self) -> None:
        self.closed = True


@dataclass
class Search:
    """A search that is not begun yet."""

    evidence: Evidence

    def run(self) -> Report:
        return run_search(self.evidence)


def nothing(item: object) -> None:
    """A workload that nobody calls."""


def search(
    runner: FakeRunner,
    pads: Sequence[int] = range(16),
    budget: float = 30.0,
    items: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Search:
    """A search of a workload with so many items."""
    job = Job(Workload("nothing", function=nothing), tuple(range(items)), seed)
    clock = Clock(budget, lambda: runner.now)
    return Search(Evidence(Experiment(job, (), tuple(map(Pads, pads)), runner, clock, progress)))
