"""The search: what is counted, what is measured in which order, when it is clear, what was found.

    count       a pass of each uniform pad, not timed                        --> memory, which spots matter, who fails
    screen      a run of all of them                                         --> those clearly beaten are out
    choose      runs of the others, until it is clear                        --> the best uniform pad
    refine      pads by function and by variable, where counts say it pays   --> against the best uniform pad
    confirm     runs of the winner alone, which had no part in choosing it   --> its interval

Each stage has a part of the budget; what one does not need is for those after it. A stage is a function of the evidence
so far: whatever ends the search, that makes the findings.
"""

from __future__ import annotations

from collections.abc import Callable

from jitffi.profiles.candidates import CONTROL, DEFAULT, LARGEST_PAD, Pads
from jitffi.tune.reports.report import Report
from jitffi.tune.search import conclude, refine
from jitffi.tune.search.clock import LARGE
from jitffi.tune.search.evidence import Evidence, affordable, count, far_apart, has_time, measure
from jitffi.tune.search.results import ENOUGH_RUNS

#: Where the parts of the budget end.
_COUNTED, _COUNTED_AT_MOST, _SCREENED, _CHOSEN, _REFINED, _ALL = 0.15, 0.40, 0.32, 0.60, 0.80, 1.0
#: Seconds that counting should have, as it compiles for all.
_TO_COUNT = 2.5
#: The share of the time for refining that finding candidates may take; and of what is left once it is chosen, the share
#: for counting what there was no time for before.
_FOR_COUNTS, _FOR_REST = 0.6, 0.12
#: Of the best ones, as many stay until there are enough runs.
_KEPT = 3
#: Runs in a row of which nothing came.
_VAIN = 3


def search(evidence: Evidence) -> Report:
    """Search until it is clear, the budget is spent or Ctrl-C is pressed. RuntimeError where the default
    fails before anything was measured."""
    try:
        for stage in (_count, _screen, _choose, _refine, _confirm):
            if evidence.counted.has_pads and DEFAULT not in evidence.failures:
                stage(evidence)
    except KeyboardInterrupt:
        evidence.is_interrupted = True
    finally:
        evidence.given.runner.close()
    evidence.given.tell("done")
    return conclude.report(evidence)


def _count(evidence: Evidence) -> None:
    """Count the default and all uniform pads; once more where there was no time for those that differ most."""
    given, clock, ends = evidence.given, evidence.given.clock, (Pads(LARGEST_PAD), Pads(0))
    given.tell("counting")
    wanted = [DEFAULT, *dict.fromkeys((*ends, *far_apart(given.uniform)))]
    seconds = max(clock.share(_COUNTED), min(_TO_COUNT, clock.share(0.25)))
    count(evidence, wanted, seconds)
    lacking = any(each not in evidence.counts and each not in evidence.failures for each in (DEFAULT, *ends))
    if clock.compiling and lacking and evidence.counted.has_pads:
        more = clock.share(_COUNTED_AT_MOST)
        if more > (seconds / 2 if evidence.counted.items else seconds):  # what was compiled is ready now
            count(evidence, wanted, more)


def _screen(evidence: Evidence) -> None:
    """Look at all once, or at as many as a run has time for; twice, where all looks equal for being disturbed."""
    clock, now = evidence.given.clock, evidence.working(evidence.given.uniform)
    ready = [each for each in now if each in evidence.compiled]
    if clock.compiling and len(ready) >= _KEPT:
        now = ready  # those are far apart, and the others have their turn when it is known which are of interest
    vain = 0
    while now := evidence.working(now):
        now = affordable(evidence, now, 1)
        came = measure(evidence, "screening", now, _SCREENED)
        if came or (came is None and len(now) == 1):
            break
        vain += 1
        # What has taken all the time of a run may have been the start of the process: the next one is longer.
        if came is None or (vain > 1 and clock.overhead > LARGE * clock.left):
            now = now[: max(1, len(now) // 2)]
    if not evidence.choosing.is_undisturbed(DEFAULT, CONTROL):
        measure(evidence, "screening", evidence.working(now), _SCREENED)


def _choose(evidence: Evidence) -> None:
    results = evidence.choosing

    def plan() -> tuple[list[Pads], int]:
        now = _survivors(evidence)
        if evidence.winner is not None or results.is_clear(now):
            return [], 0
        measured = results.measured(now)
        still = ENOUGH_RUNS - (results.count(measured[0]) if measured else 0)
        return affordable(evidence, now, still), still

    # Where nothing wins there is nothing to confirm: the rest is for choosing, too.
    for end in (_CHOSEN if _has_time_to_confirm(evidence) else _ALL, _ALL):
        _until_clear(evidence, "choosing", end, plan)
        evidence.winner = results.best(_survivors(evidence), evidence.memory)
    missing = [each for each in evidence.working(evidence.given.uniform) if each not in evidence.counts]
    if missing and evidence.counts:  # what there was no time for is compiled by now
        count(evidence, [DEFAULT, *far_apart(missing)], _FOR_REST * evidence.given.clock.left)


def _survivors(evidence: Evidence) -> list[Pads]:
    """Return the uniform pads that can still win."""
    return evidence.choosing.survivors(evidence.working(evidence.given.uniform), _KEPT)


def _has_time_to_confirm(evidence: Evidence) -> bool:
    """Return whether twice the processes that a statement needs fit into what is left."""
    return has_time(evidence, 2 * ENOUGH_RUNS, _survivors(evidence)[:_KEPT])


def _refine(evidence: Evidence) -> None:
    given, results = evidence.given, evidence.choosing
    if not _has_time_to_confirm(evidence) or not refine.is_possible(evidence):
        return
    given.tell("refining")
    evidence.refined = refine.propose(evidence, given.clock.share(_REFINED) * _FOR_COUNTS)
    uniform = [] if evidence.winner is None else [evidence.winner]

    def plan() -> tuple[list[Pads], int]:
        finer = evidence.working(evidence.refined)
        still = max([ENOUGH_RUNS - results.count(each) for each in finer], default=0)
        return [*uniform, *finer] if still > 0 else [], still

    _until_clear(evidence, "refining", _REFINED, plan)
    evidence.winner = refine.accept(evidence)


def _confirm(evidence: Evidence) -> None:
    """Let the winner run alone. What that says counts: whoever was lucky when it was chosen is not here."""
    winner, results = evidence.winner, evidence.confirming
    if winner is None or not has_time(evidence, ENOUGH_RUNS, [winner]):
        return

    def plan() -> tuple[list[Pads], int]:
        # Of runs that were slowed down the interval says little: a few more, in case that passes.
        is_sure = results.is_undisturbed(winner) or results.count(winner) >= 2 * ENOUGH_RUNS
        is_clear = results.is_clear([winner]) and is_sure
        return [] if is_clear else [winner], ENOUGH_RUNS - results.count(winner)

    _until_clear(evidence, "confirming", _ALL, plan)


def _until_clear(evidence: Evidence, stage: str, end: float, plan: Callable[[], tuple[list[Pads], int]]) -> None:
    """Make runs until that part of the budget is spent, or nothing comes of them. *plan*: the candidates, none where it
    is clear; and how many runs a statement still needs."""
    vain = 0
    while vain < _VAIN:
        candidates, still = plan()
        now = evidence.working(candidates)
        if not now:
            return
        came = measure(evidence, stage, now, end, still)
        while came is None and stage == "choosing" and len(now) > 1:  # there is no time for so many
            now = now[: len(now) // 2]
            came = measure(evidence, stage, now, end, still)
        if came is None:
            return
        vain = 0 if came else vain + 1
