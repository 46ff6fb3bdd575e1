"""The search: what is counted, what is measured in which order, when it is clear, what was found.

    count       a pass of each uniform pad, not timed                        --> lengths of texts, memory, who fails
    screen      a run of all of them                                         --> those clearly beaten are out
    choose      runs of the others, until it is clear                        --> the best uniform pad
    refine      pads by function and by variable, where counts say it pays   --> against the best uniform pad
    confirm     runs of the winner alone, which had no part in choosing it   --> its interval

Each stage has a part of the budget; what one does not need is for those after it. A stage is a function of what the
search is given, of what was observed, and of the outcome so far: whatever ends the search, that makes the findings.
"""

from __future__ import annotations

from collections.abc import Callable

from jitffi.profiles.candidates import CONTROL, DEFAULT, LARGEST_PAD, Pads
from jitffi.tune.reports.report import Report
from jitffi.tune.search import conclude, refine
from jitffi.tune.search.clock import LARGE
from jitffi.tune.search.evidence import Evidence, Experiment, Outcome, affordable, count, far_apart, least, measure
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


def search(given: Experiment, evidence: Evidence | None = None) -> Report:
    """Search until it is clear, the budget is spent or Ctrl-C is pressed. RuntimeError where the default
    fails before anything was measured."""
    evidence, outcome = evidence or Evidence(given.job.seed), Outcome()
    try:
        for stage in (_count, _screen, _choose, _refine, _confirm):
            if evidence.counted.has_pads and DEFAULT not in evidence.failures:
                stage(given, evidence, outcome)
    except KeyboardInterrupt:
        outcome.is_interrupted = True
    finally:
        given.runner.close()
    given.tell("done")
    return conclude.report(given, evidence, outcome)


def _count(given: Experiment, evidence: Evidence, outcome: Outcome) -> None:
    """Count the default and all uniform pads; once more where there was no time for those that tell the lengths."""
    given.tell("counting")
    clock, ends = given.clock, (Pads(LARGEST_PAD), Pads(0))  # the lengths of texts are what lies between
    wanted = [DEFAULT, *dict.fromkeys((*ends, *far_apart(given.uniform)))]
    seconds = max(clock.share(_COUNTED), min(_TO_COUNT, clock.share(0.25)))
    count(given, evidence, wanted, seconds)
    lacking = any(each not in evidence.counts and each not in evidence.failures for each in (DEFAULT, *ends))
    if clock.compiling and lacking and evidence.counted.has_pads:
        more = clock.share(_COUNTED_AT_MOST)
        if more > (seconds / 2 if evidence.counted.items else seconds):  # what was compiled is ready now
            count(given, evidence, wanted, more)


def _screen(given: Experiment, evidence: Evidence, outcome: Outcome) -> None:
    """Look at all once, or at as many as a run has time for; twice, where all looks equal for being disturbed."""
    now = evidence.working(given.uniform)
    ready = [each for each in now if each in evidence.compiled]
    if given.clock.compiling and len(ready) >= _KEPT:
        now = ready  # those are far apart, and the others have their turn when it is known which are of interest
    vain = 0
    while now := evidence.working(now):
        now = affordable(given, evidence, now, 1)
        came = measure(given, evidence, "screening", now, _SCREENED)
        if came or (came is None and len(now) == 1):
            break
        vain += 1
        # What has taken all the time of a run may have been the start of the process: the next one is longer.
        if came is None or (vain > 1 and given.clock.overhead > LARGE * given.clock.left):
            now = now[: max(1, len(now) // 2)]
    if not evidence.choosing.is_undisturbed(DEFAULT, CONTROL):
        measure(given, evidence, "screening", evidence.working(now), _SCREENED)


def _choose(given: Experiment, evidence: Evidence, outcome: Outcome) -> None:
    def survivors() -> list[Pads]:
        return evidence.choosing.survivors(evidence.working(given.uniform), _KEPT)

    def is_clear() -> bool:
        return bool(evidence.choosing.runs) and evidence.choosing.is_clear(survivors())

    def some() -> list[Pads]:
        now = survivors()
        return affordable(given, evidence, now, evidence.lacking(now))

    for end in (_CHOSEN if _has_time_to_confirm(given, evidence) else _ALL, _ALL):
        if outcome.winner is None and not is_clear():  # nothing to refine or to confirm: the rest is for choosing, too
            _until(given, evidence, "choosing", some, end, is_clear, lambda: evidence.lacking(survivors()))
        outcome.winner, outcome.has_chosen = evidence.choosing.best(survivors(), evidence.memory), True
    missing = [each for each in evidence.working(given.uniform) if each not in evidence.counts]
    if missing and evidence.counts:  # what there was no time for is compiled by now
        count(given, evidence, [DEFAULT, *far_apart(missing)], _FOR_REST * given.clock.left)


def _has_time_to_confirm(given: Experiment, evidence: Evidence) -> bool:
    """Return whether twice the processes that a statement needs fit into what is left."""
    shortest = least(given, evidence, evidence.choosing.survivors(evidence.working(given.uniform), _KEPT)[:_KEPT])
    return given.clock.left * given.runner.width > 2 * ENOUGH_RUNS * shortest


def _refine(given: Experiment, evidence: Evidence, outcome: Outcome) -> None:
    if not _has_time_to_confirm(given, evidence) or not refine.is_possible(evidence):
        return
    given.tell("refining")
    seconds = given.clock.share(_REFINED) * _FOR_COUNTS
    outcome.refined = refine.propose(given, evidence, seconds)
    if not outcome.refined:
        return

    def is_clear() -> bool:
        found = evidence.working(outcome.refined)
        return all(evidence.choosing.count(pads) >= ENOUGH_RUNS for pads in found)

    uniform = [] if outcome.winner is None else [outcome.winner]
    _until(given, evidence, "refining", lambda: [*uniform, *outcome.refined], _REFINED, is_clear)
    finer = evidence.working(outcome.refined)
    outcome.winner = refine.accept(evidence.choosing, outcome.winner, finer, evidence.memory)


def _confirm(given: Experiment, evidence: Evidence, outcome: Outcome) -> None:
    """Let the winners run alone. What that says counts: whoever was lucky when it was chosen is not here."""
    winner, results = outcome.winner, evidence.confirming
    if winner is None or given.clock.left * given.runner.width < ENOUGH_RUNS * least(given, evidence, [winner]):
        return

    def is_clear() -> bool:
        # Of runs that were slowed down the interval says little: a few more, in case that passes.
        is_sure = results.is_undisturbed(winner) or results.count(winner) >= 2 * ENOUGH_RUNS
        return results.is_clear([winner]) and is_sure

    _until(given, evidence, "confirming", lambda: [winner], _ALL, is_clear)


def _until(
    given: Experiment, evidence: Evidence, stage: str, candidates: Callable[[], list[Pads]], end: float,
    is_clear: Callable[[], bool], lacking: Callable[[], int] | None = None,
) -> None:  # fmt: skip
    """Make runs of the candidates until it is clear, or that part of the budget is spent. *lacking*: how many a
    statement still needs; by default five, whatever was measured before."""
    runs = vain = 0
    while (now := evidence.working(candidates())) and vain < _VAIN:
        still = ENOUGH_RUNS - runs if lacking is None else lacking()
        came = measure(given, evidence, stage, now, end, still)
        while came is None and stage == "choosing" and len(now) > 1:  # there is no time for so many
            now = now[: len(now) // 2]
            came = measure(given, evidence, stage, now, end, still)
        if came is None:
            return
        runs, vain = runs + came, 0 if came else vain + 1
        if is_clear():
            return
