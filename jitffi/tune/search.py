"""The search: what is counted, what is measured in which order, when it is clear, what was found.

    count       a pass of each uniform pad, not timed                        --> the model's ranking, what is pruned
    screen      a run of all that are left, which checks that ranking        --> those clearly beaten are out
    choose      runs of the others, until it is clear                        --> the best uniform pad
    refine      pads by function and by variable, where counts say it pays   --> against the best uniform pad
    confirm     runs of the winner alone, which had no part in choosing it   --> its interval

Each stage has a part of the budget; what one does not need is for those after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from jitffi.tune import conclude, refine, space
from jitffi.tune.clock import Clock
from jitffi.tune.records import DEFAULT, LARGEST_PAD, Counts, Failure, Findings, Pads, Run, Sample
from jitffi.tune.tally import ENOUGH_RUNS, LEAST_GAIN, Tally, failures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.tune.job import Job
    from jitffi.tune.measure import Counted, Runner

#: Where the parts of the budget end.
_COUNTED, _SCREENED, _CHOSEN, _REFINED, _ALL = 0.15, 0.32, 0.60, 0.80, 1.0
#: Of the time for refining, what finding candidates may take.
_FOR_COUNTS = 0.6
#: How the failure of a candidate begins that took too long.
_LATE = "not ready after"
#: Seconds that counting should have, which compiles for all; of a small budget, at most to that part.
_TO_COUNT, _COUNTED_AT_MOST = 2.5, 0.25
#: Seconds of a candidate in a round, at least.
_BLOCK = 0.005
#: Runs in a row of which nothing came.
_VAIN = 3
#: What the model predicts to differ by less is equal.
_SAME = 0.005
#: Of the best ones, as many stay until there are enough runs.
_KEPT = 3


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
        #: Seconds of an item, as far as is known.
        self._item = 0.0
        self._survivors: list[Pads] = list(self.uniform)
        #: Of what the model has pruned, the best and the worst: screened all the same, to see whether it is right.
        self._sentinels: list[Pads] = []

    def run(self) -> Findings:
        """Search until it is clear, the budget is spent or Ctrl-C is pressed. RuntimeError, with the first failure,
        where nothing can be measured."""
        try:
            self._count()
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

    # -- counting -------------------------------------------------------------------------------------------------

    def _count(self) -> None:
        self._tell("counting")
        ends = (Pads(LARGEST_PAD), Pads(0))  # the lengths of texts are what lies between
        seconds = max(self.clock.share(_COUNTED), min(_TO_COUNT, self.clock.share(_COUNTED_AT_MOST)))
        found = self.count([DEFAULT, *dict.fromkeys((*ends, *_far_apart(self.uniform)))], seconds)
        self.counted = found
        self._drop_failed()
        self._item = (found.seconds or 0.0) / max(1, len(self.job.items))
        self._predict()

    def count(self, candidates: Sequence[Pads], seconds: float) -> Counted:
        """Count a pass of each: what comes of it is in `counts` and `failed`."""
        found = self.runner.count(self.job, candidates, seconds)
        for pads, each in found.counts.items():
            if isinstance(each, Failure):
                if not each.text.startswith(_LATE):  # compiling takes long on a busy machine: it is tried again
                    self.failed.setdefault(pads, each)
            else:
                self.counts[pads] = each
        return found

    def predict(self, candidates: Iterable[Pads]) -> dict[Pads, float]:
        """The model's times of those that were counted, relative to the default's; {} where it knows nothing."""
        if self.counted is None or self.counted.costs is None or DEFAULT not in self.counts:
            return {}
        from jitffi.tune import model

        counts = {each: self.counts[each] for each in (DEFAULT, *candidates) if each in self.counts}
        return model.predict(counts, self.default_seconds, self.counted.costs) if model.knows(counts) else {}

    @property
    def default_seconds(self) -> float | None:
        """Of a pass of the default over what was counted; None: not known."""
        found = self.counted
        if found is None or not found.seconds or not self.sample.items:
            return None
        return found.seconds * (found.items / len(self.job.items) if found.items and self.job.items else 1)

    def _predict(self) -> None:
        self.predicted = _interpolated(self.predict(self.uniform), self.uniform)
        if self.predicted:
            from jitffi.tune import model

            candidates = {each: self.predicted[each] for each in self._survivors if each in self.predicted}
            self.pruned = {each: why for each, why in model.prune(candidates).items() if each in candidates}
            self._sentinels = sorted(self.pruned, key=self.predicted.__getitem__)[:: max(1, len(self.pruned) - 1)][:2]
            kept = {*self._survivors} - {*self.pruned} | {*self._sentinels}
            self._survivors = [each for each in self._survivors if each in kept]

    # -- choosing -------------------------------------------------------------------------------------------------

    def _screen(self) -> None:
        tries = 0
        while self._survivors and not (came := self._once("screening", self._survivors, _SCREENED)):
            tries += 1
            # What has taken all the time of the first run may have been the start of the process.
            if (came is None or tries > 1) and not self._make_smaller():
                return
        self._check_model()
        self._drop_beaten()

    def _make_smaller(self) -> bool:
        """After a run that has not finished a round: fewer candidates in the next. False: there are no fewer."""
        if len(self._survivors) < 2:
            return False
        kept = self._survivors[1::2]
        if self.predicted:
            ranked = sorted(self._survivors, key=lambda each: self.predicted.get(each, 1.0))
            kept = [each for each in self._survivors if each in ranked[: len(ranked) // 2]]
        for each in self._survivors:
            if each not in kept:
                self.pruned[each] = "the budget is too small for it"
        self._survivors = kept
        return True

    def _check_model(self) -> None:
        """Whether what it has pruned deserved it; if not, all of that is measured."""
        self.agreement = conclude.agreement(self)
        if not self.pruned or all(self._is_model_right(tally) for tally in self.tallies.values()):
            return
        back = [each for each in self.uniform if each in self.pruned and each not in self._sentinels]
        self.pruned.clear()
        if back:
            self.notes.append("the model's ranking is not what was measured, so nothing was pruned by it")
            self._survivors = [*self._survivors, *back]
            self._once("screening again", self._survivors, _CHOSEN)
            self.agreement = conclude.agreement(self)

    def _is_model_right(self, tally: Tally) -> bool:
        """Whether nothing that it has pruned is as fast as what it has kept."""
        from jitffi.tune import model

        intervals = {each: tally.relative(each) for each in (DEFAULT, *self._survivors)}
        measured = {each: found for each, found in intervals.items() if found is not None}
        if model.contradicted(self.predicted, measured):
            return False
        best = next(iter(tally.measured([each for each in self._survivors if each not in self._sentinels])), None)
        pruned = [found for each in self._sentinels if best and (found := tally.relative(each, best)) is not None]
        return best is None or all(each.median > 1 + LEAST_GAIN for each in pruned)

    def _choose(self) -> None:
        end = _CHOSEN if self._has_time_to_confirm() else _ALL
        self._until("choosing", lambda: self._survivors, end, self._is_clear)
        self._see_winners()
        if not any(self.winners.values()):  # nothing to refine or to confirm: the rest is for choosing, too
            self._until("choosing", lambda: [] if self._is_clear() else self._survivors, _ALL, self._is_clear)
            self._see_winners()

    def _see_winners(self) -> None:
        self.winners = {machine: tally.best(self._survivors, self._memory()) for machine, tally in self.tallies.items()}

    def _has_time_to_confirm(self) -> bool:
        """Whether twice the processes that a statement needs fit into what is left."""
        least = self.clock.least(self._round_seconds(self._survivors[:_KEPT]))
        return self.clock.left * self.runner.width > 2 * ENOUGH_RUNS * least

    def _is_clear(self) -> bool:
        self._drop_beaten()
        return all(tally.is_clear(self._survivors) for tally in self.tallies.values())

    def _drop_beaten(self) -> None:
        """Those that are beaten everywhere; the best few stay until there are enough runs."""
        self._drop_failed()
        tallies = self.tallies.values()
        out = [{*tally.beaten(self._survivors, _KEPT), *filter(tally.cannot_win, self._survivors)} for tally in tallies]
        if out:
            self._survivors = [each for each in self._survivors if not all(each in some for some in out)]
        self._drop_needless()

    def _drop_needless(self) -> None:
        """Those that the model and the clock say are equal to others that need less memory."""
        memory = self._memory()
        for each in sorted(self._survivors, key=lambda one: -memory.get(one, 0)):
            smaller = [one for one in self._survivors if memory.get(one, 0) < memory.get(each, 0)]
            if any(self._is_as_good(one, each) for one in smaller):
                self._survivors = [one for one in self._survivors if one != each]

    def _is_as_good(self, pads: Pads, other: Pads) -> bool:
        mine, its = self.predicted.get(pads), self.predicted.get(other)
        if mine is None or its is None or mine > its + _SAME:
            return False
        return all(
            tally.count(pads) >= _KEPT and tally.is_equal(pads, other) and self._is_among_the_best(tally, pads)
            for tally in self.tallies.values()
        )

    def _is_among_the_best(self, tally: Tally, pads: Pads) -> bool:
        """Whether it equals the fastest of all, dropped ones too: else small steps would add up."""
        best = tally.measured(self.uniform)[0]
        return best == pads or tally.is_equal(pads, best)

    def _drop_failed(self) -> None:
        self._survivors = [each for each in self._survivors if each not in self.failed]
        if DEFAULT in self.failed:
            for tally in self.tallies.values():
                tally.replace_reference(self._survivors)

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
                self.winners[machine] = refine.accept(tally, self.winners.get(machine), self.refined, self._memory())

    def _is_refined(self) -> bool:
        self.refined = [each for each in self.refined if each not in self.failed]
        tallies = self.tallies.values()
        return all(tally.count(each) >= ENOUGH_RUNS for tally in tallies for each in self.refined)

    def _confirm(self) -> None:
        """Runs of the winners alone. What they say counts: whoever was lucky when it was chosen is not here."""
        winners = [each for each in dict.fromkeys(self.winners.values()) if each is not None]
        least = self.clock.least(self._round_seconds(winners))
        if not winners or DEFAULT in self.failed or self.clock.left * self.runner.width < ENOUGH_RUNS * least:
            return

        def is_clear() -> bool:
            return all(self._is_confirmed(tally) for tally in self.confirming.values())

        self._until("confirming", lambda: winners, _ALL, is_clear, self.confirming)

    def _is_confirmed(self, tally: Tally) -> bool:
        winner = self.winners.get(tally.machine)
        return winner is None or tally.is_clear([winner])

    # -- runs -----------------------------------------------------------------------------------------------------

    def _until(
        self, stage: str, candidates: Callable[[], list[Pads]], end: float, is_clear: Callable[[], bool],
        tallies: dict[str, Tally] | None = None,
    ) -> None:  # fmt: skip
        """Runs of the candidates until it is clear, or that part of the budget is spent."""
        runs = vain = 0
        while (now := candidates()) and vain < _VAIN:
            came = self._once(stage, now, end, tallies, ENOUGH_RUNS - runs)
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
            self.clock.share(end), -(-max(0, still) // width), self._round_seconds(candidates)
        )  # fmt: skip
        if length is None:
            return None
        self._tell(stage, f"{len(candidates)} candidates" if len(candidates) > 1 else space.tell(candidates[0]))
        candidates = self._by_promise(candidates)
        seeds = [self.job.seed * 1_000_003 + self._runs + each for each in range(width)]
        self._runs += width
        began, runs = self.clock.now(), []
        for run in self.runner.time_runs(self.job, candidates, length, seeds):
            self._take(run, self.tallies if tallies is None else tallies)
            runs.append(run)
        self.clock.learn(self.clock.now() - began, max([run.rounds_seconds for run in runs], default=0.0))
        return len([run for run in runs if any(run.seconds.values())])

    def _by_promise(self, candidates: Sequence[Pads]) -> list[Pads]:
        """Those first that a run should have if it has no time for all: what has been measured least, then what the
        model likes best; without one, far apart. Before them what stands for the default where that fails."""
        runs = {each: max([tally.count(each) for tally in self.tallies.values()], default=0) for each in candidates}
        apart = {each: number for number, each in enumerate(_far_apart(candidates))}
        references = [tally.reference for tally in self.tallies.values() if not tally.reference.is_default]
        ranked = sorted(candidates, key=lambda each: (runs[each], self.predicted.get(each, 1.0), apart[each]))
        return list(dict.fromkeys([*references, *ranked]))

    def _take(self, run: Run, tallies: dict[str, Tally]) -> None:
        tally = tallies.setdefault(run.machine, Tally(run.machine, self.job.seed))
        tally.runs.append(run)
        for pads, failure in failures([run]).items():
            self.failed.setdefault(pads, failure)
        self._drop_failed()

    def _round_seconds(self, candidates: Sequence[Pads]) -> float:
        """The least that a round is worth measuring with."""
        return (len(candidates) + 2) * max(_BLOCK, self._item)

    def _memory(self) -> dict[Pads, int]:
        return {pads: each.peak_bytes + each.python_peak_bytes for pads, each in self.counts.items()}

    def _tell(self, stage: str, detail: str = "") -> None:
        if self._progress is not None:
            left = 0.0 if stage == "done" else max(0.0, self.clock.left)
            self._progress(stage, 1.0 if stage == "done" else self.clock.elapsed / self.clock.budget, left, detail)


def _far_apart(candidates: Sequence[Pads]) -> list[Pads]:
    """The middle one, then those of the halves, and so on: each prefix is spread over all."""
    parts, found = deque([tuple(candidates)]), []
    while parts:
        part = parts.popleft()
        if part:
            middle = len(part) // 2
            found.append(part[middle])
            parts += [part[:middle], part[middle + 1 :]]
    return found


def _interpolated(predicted: dict[Pads, float], candidates: Sequence[Pads]) -> dict[Pads, float]:
    """With uniform pads that there was no time to count: on the line between those next to them."""
    known = sorted((each.everywhere, time) for each, time in predicted.items() if each.everywhere is not None)
    found = dict(predicted)
    for each in candidates:
        below = [one for one in known if one[0] <= (each.everywhere or 0)]
        above = [one for one in known if one[0] >= (each.everywhere or 0)]
        if each not in found and below and above:
            (left, low), (right, high) = below[-1], above[0]
            found[each] = low + (high - low) * ((each.everywhere or 0) - left) / (right - left)
    return found
