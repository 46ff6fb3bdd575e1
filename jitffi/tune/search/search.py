"""The search: what is counted, what is measured in which order, when it is clear, what was found.

    count       a pass of each uniform pad, not timed                        --> the model's ranking, what is pruned
    screen      a run of all that are left, which checks that ranking        --> those clearly beaten are out
    choose      runs of the others, until it is clear                        --> the best uniform pad
    refine      pads by function and by variable, where counts say it pays   --> against the best uniform pad
    confirm     runs of the winner alone, which had no part in choosing it   --> its interval

Each stage has a part of the budget; what one does not need is for those after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune import formatting
from jitffi.tune.quiet import Quiet
from jitffi.tune.records import Counts, Failure, Findings, Run, Sample
from jitffi.tune.search import conclude, counting, order, ranking, refine, space, survivors
from jitffi.tune.search.clock import LARGE, Clock
from jitffi.tune.search.tally import ENOUGH_RUNS, Tally, failures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.tune.runs.job import Job
    from jitffi.tune.runs.measure import Counted, Runner

#: Where the parts of the budget end that come after counting.
_SCREENED, _CHOSEN, _REFINED, _ALL = 0.32, 0.60, 0.80, 1.0
#: Of the time for refining, what finding candidates may take.
_FOR_COUNTS = 0.6
#: Seconds of a candidate in a round, at least.
_BLOCK = 0.005
#: Of what is left, the part for counting what there was no time for before.
_FOR_REST = 0.12
#: Seconds left that are enough to wait for what may hang.
_FOR_LATE = 6.0
#: Runs in a row of which nothing came.
_VAIN = 3


class Progress(Protocol):
    """Told what is going on: the stage, how much of the budget is spent (0 to 1), at most how many seconds are left."""

    def __call__(self, stage: str, fraction: float, seconds_left: float, detail: str) -> None: ...


class Search:
    """One search, and all that it knows so far: whatever ends it, that makes the findings."""

    def __init__(
        self,
        job: Job,
        sample: Sample,
        pads: Iterable[int],
        runner: Runner,
        clock: Clock,
        progress: Progress | None = None,
    ) -> None:
        self.job = job
        self.sample = sample
        self.uniform = space.uniform(pads)
        self.runner = runner
        self.clock = clock
        self.interrupted = False
        self.notes: list[str] = []
        self.counted: Counted | None = None
        self.counts: dict[Pads, Counts] = {}
        self.predicted: dict[Pads, float] = {}
        self.failed: dict[Pads, Failure] = {}
        #: Why a candidate was not measured.
        self.pruned: dict[Pads, str] = {}
        self.refined: list[Pads] = []
        #: By machine: runs that choose, and those that confirm.
        self.tallies: dict[str, Tally] = {}
        self.confirming: dict[str, Tally] = {}
        self.winners: dict[str, Pads | None] = {}
        self.agreement: float | None = None
        self._progress = progress
        self._runs = 0
        self._quiet = Quiet()
        #: Whether counting has ended for want of time; who took too long there.
        self.is_cut = False
        self.late: dict[Pads, Failure] = {}
        #: Whose code there is, as they were counted or measured.
        self.compiled: set[Pads] = set()
        #: Seconds of an item, as far as is known.
        self.item_seconds = 0.0
        self.survivors: list[Pads] = list(self.uniform)
        #: Of what the model has pruned, the best and the worst: screened all the same, to see whether it is right.
        self.sentinels: list[Pads] = []

    def run(self) -> Findings:
        """Search until it is clear, the budget is spent or Ctrl-C is pressed. RuntimeError, with the first failure,
        where nothing can be measured."""
        try:
            self._tell("counting")
            counting.count_all(self)
            if self.has_pads:
                self._screen()
                self._choose()
                self._refine()
                self._confirm()
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            self.runner.close()
        self._tell("done")
        return conclude.findings(self)

    @property
    def has_pads(self) -> bool:
        """Whether the candidates differ in anything that the workload does."""
        return self.counted is None or self.counted.has_pads

    # -- choosing -------------------------------------------------------------------------------------------------

    def _screen(self) -> None:
        tries = 0
        self.survivors = [each for each in self.survivors if each not in self.late]
        while self.survivors and not (came := self._once("screening", self._at_hand(), _SCREENED)):
            tries += 1
            # What has taken all the time of a run may have been the start of the process: the next one is longer.
            is_dear = tries > 1 and self.clock.overhead > LARGE * self.clock.left
            if (came is None or is_dear) and not survivors.make_fewer(self) and came is None:
                return
        if not all(tally.is_calm(DEFAULT, CONTROL) for tally in self.tallies.values()):
            self._once("screening", self._at_hand(), _SCREENED)  # all looks equal where something slows it down
        self._check_ranking()
        self._try_late()
        survivors.drop_beaten(self)

    def _check_ranking(self) -> None:
        """Whether what the model has pruned deserved it; if not, all of that is measured."""
        self.agreement = conclude.agreement(self)
        back = ranking.take_back(self)
        if back:
            self.survivors = [*self.survivors, *back]
            self._once("screening again", self.survivors, _CHOSEN)
            self.agreement = conclude.agreement(self)

    def _at_hand(self) -> list[Pads]:
        """The survivors; if compiling was too slow to count all, those that are compiled, which are far apart."""
        ready = [each for each in self.survivors if each in self.counts]
        return ready if self.is_cut and len(ready) >= survivors.KEPT else self.survivors

    def _try_late(self) -> None:
        """Once more who took too long when it was counted, where there is time for waiting."""
        late = [each for each in self.uniform if each in self.late and each not in self.failed]
        if late and self.clock.left > _FOR_LATE:
            self._once("screening again", late, _CHOSEN)
        measured = {each for tally in self.tallies.values() for each in tally.measured(late)}
        self.survivors = [each for each in self.uniform if each in self.survivors or each in measured]
        for each in late:
            if each not in measured:
                self.failed.setdefault(each, self.late[each])

    def _choose(self) -> None:
        end = _CHOSEN if self._has_time_to_confirm() else _ALL
        self._until("choosing", lambda: survivors.affordable(self), end, self._is_clear, is_free=False)
        self._see_winners()
        self._count_rest()
        if not any(self.winners.values()):  # nothing to refine or to confirm: the rest is for choosing, too
            left = lambda: [] if self._is_clear() else survivors.affordable(self)  # noqa: E731
            self._until("choosing", left, _ALL, self._is_clear, is_free=False)
            self._see_winners()

    def _count_rest(self) -> None:
        """Those that there was no time for, of a part of what is left; of all of it, if nothing else fits in."""
        winners = [each for each in self.winners.values() if each is not None]
        is_last = winners and self.clock.left * self.runner.width < ENOUGH_RUNS * self.least(winners)
        seconds = self.clock.left * (1.0 if is_last else _FOR_REST)
        if counting.is_lacking(self, seconds):
            self._tell("counting")
            counting.count_rest(self, seconds)

    def _see_winners(self) -> None:
        self.winners = {machine: tally.best(self.survivors, self.memory()) for machine, tally in self.tallies.items()}

    def _has_time_to_confirm(self) -> bool:
        """Whether twice the processes that a statement needs fit into what is left."""
        return self.clock.left * self.runner.width > 2 * ENOUGH_RUNS * self.least(self.survivors[: survivors.KEPT])

    def _is_clear(self) -> bool:
        survivors.drop_beaten(self)
        return all(tally.is_clear(self.survivors) for tally in self.tallies.values())

    # -- refining and confirming ----------------------------------------------------------------------------------

    def _refine(self) -> None:
        if not self._has_time_to_confirm() or DEFAULT in self.failed or not refine.is_possible(self):
            return
        self._tell("refining")
        candidates = refine.propose(self, self.clock.share(_REFINED) * _FOR_COUNTS)
        if candidates:
            self.refined = candidates
            uniform = [each for each in dict.fromkeys(self.winners.values()) if each is not None]
            self._until("refining", lambda: [*uniform, *self.refined], _REFINED, self._is_refined)
            for machine, tally in self.tallies.items():
                self.winners[machine] = refine.accept(tally, self.winners.get(machine), self.refined, self.memory())

    def _is_refined(self) -> bool:
        self.refined = [each for each in self.refined if each not in self.failed]
        tallies = self.tallies.values()
        return all(tally.count(each) >= ENOUGH_RUNS for tally in tallies for each in self.refined)

    def _confirm(self) -> None:
        """Runs of the winners alone. What they say counts: whoever was lucky when it was chosen is not here."""
        winners = [each for each in dict.fromkeys(self.winners.values()) if each is not None]
        if not winners or DEFAULT in self.failed:
            return
        if self.clock.left * self.runner.width < ENOUGH_RUNS * self.least(winners):
            return

        def is_clear() -> bool:
            return all(self._is_confirmed(tally) for tally in self.confirming.values())

        self._until("confirming", lambda: winners, _ALL, is_clear, self.confirming)

    def _is_confirmed(self, tally: Tally) -> bool:
        winner = self.winners.get(tally.machine)
        if winner is None:
            return True
        # Of runs that were slowed down the interval says little: a few more, in case that passes.
        return tally.is_clear([winner]) and (tally.is_calm(winner) or tally.count(winner) >= 2 * ENOUGH_RUNS)

    # -- runs -----------------------------------------------------------------------------------------------------

    def _until(
        self, stage: str, candidates: Callable[[], list[Pads]], end: float, is_clear: Callable[[], bool],
        tallies: dict[str, Tally] | None = None, is_free: bool = True,
    ) -> None:  # fmt: skip
        """Runs of the candidates until it is clear, or that part of the budget is spent. *is_free*: what was measured
        before does not count."""
        runs = vain = 0
        while (now := candidates()) and vain < _VAIN:
            needed = ENOUGH_RUNS - runs if is_free else survivors.needed(self, now, ENOUGH_RUNS - runs)
            came = self._once(stage, now, end, tallies, needed)
            while came is None and not is_free and len(now) > 1:  # there is no time for so many
                now = self._by_promise(now)[: len(now) // 2]
                came = self._once(stage, now, end, tallies, needed)
            if came is None:
                return
            runs, vain = runs + came, 0 if came else vain + 1
            if is_clear():
                return

    def _once(
        self,
        stage: str,
        candidates: Sequence[Pads],
        end: float,
        tallies: dict[str, Tally] | None = None,
        still: int = 1,
    ) -> int | None:
        """As many runs as there can be at a time, *still* so many to come. Returns how many have measured something;
        None: there was no time for any."""
        width = self.runner.width
        length = self.clock.run_length(
            self.clock.share(end), -(-max(0, still) // width), self._round_seconds(candidates), len(candidates),
            self.compiling(candidates) if stage == "choosing" else 0.0,
        )  # fmt: skip
        if length is None:
            return None
        self._tell(
            stage, f"{len(candidates)} candidates" if len(candidates) > 1 else formatting.candidate(candidates[0])
        )
        candidates = self._by_promise(candidates)
        seeds = [self.job.seed * 1_000_003 + self._runs + each for each in range(width)]
        self._runs += width
        began, runs = self.clock.now(), []
        for run in self.runner.time_runs(self.job, candidates, length, seeds):
            self._take(run, self.tallies if tallies is None else tallies)
            runs.append(run)
        self._learn(self.clock.now() - began, runs, len(candidates))
        return len([run for run in runs if any(run.seconds.values())])

    def _learn(self, wall: float, runs: list[Run], candidates: int) -> None:
        """What such runs cost beside what they measure."""
        longest = max(runs, key=lambda run: run.rounds_seconds, default=None)
        if longest is None:
            return self.clock.learn(wall, 0.0)
        fresh = len({*longest.seconds} - {*self.compiled, *self.counts, CONTROL})
        self.compiled.update(*[run.seconds for run in runs])
        self.clock.learn(wall, longest.rounds_seconds, longest.warm_seconds, candidates, fresh)
        return None

    def _by_promise(self, candidates: Sequence[Pads]) -> list[Pads]:
        """Those first that a run should have if it has no time for all: what has been measured least, then what the
        model likes best; without one, what is next to the best so far, or far apart. Before them the best itself, and
        what stands for the default where that fails."""
        runs = {each: max([tally.count(each) for tally in self.tallies.values()], default=0) for each in candidates}
        apart = {each: number for number, each in enumerate(order.far_apart(candidates))}
        references = [tally.reference for tally in self.tallies.values() if not tally.reference.is_default]
        best = [found[0] for tally in self.tallies.values() if (found := tally.measured(candidates))]
        near = {each: min([order.distance(each, one) for one in best], default=0) for each in candidates}
        ranked = sorted(
            candidates,
            key=lambda each: (runs[each], self.predicted.get(each, 1.0), near[each], apart[each]),
        )
        return list(dict.fromkeys([*references, *best, *ranked]))

    def _take(self, run: Run, tallies: dict[str, Tally]) -> None:
        tallies.setdefault(run.machine, Tally(run.machine, self.job.seed, quiet=self._quiet)).add(run)
        for pads, failure in failures([run]).items():
            self.failed.setdefault(pads, failure)
        survivors.drop_failed(self)

    def compiling(self, candidates: Sequence[Pads]) -> float:
        """Seconds that it takes to compile those of them that were not compiled yet."""
        return self.clock.compiling * len({*candidates} - {*self.compiled, *self.counts})

    def least(self, candidates: Sequence[Pads]) -> float:
        """Seconds of the shortest run of these that is worth its process."""
        return self.clock.least(self._round_seconds(candidates), len(candidates))

    def _round_seconds(self, candidates: Sequence[Pads]) -> float:
        """The least that a round is worth measuring with."""
        return (len(candidates) + 2) * max(_BLOCK, self.item_seconds)

    def memory(self) -> dict[Pads, int]:
        return {pads: each.all_peak_bytes for pads, each in self.counts.items()}

    def _tell(self, stage: str, detail: str = "") -> None:
        if self._progress is not None:
            left = 0.0 if stage == "done" else max(0.0, self.clock.left)
            self._progress(stage, 1.0 if stage == "done" else self.clock.elapsed / self.clock.budget, left, detail)
