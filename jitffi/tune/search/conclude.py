"""What a search has found: its runs as trials, the winner if there is one, and what to tell about it, as a Report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from jitffi.profiles import machine
from jitffi.profiles.candidates import CONTROL, DEFAULT, OTHERS, POOLS, Pads
from jitffi.tune import formatting
from jitffi.tune.records import Interval, Trial
from jitffi.tune.reports.explain import explain
from jitffi.tune.reports.report import Report
from jitffi.tune.search.evidence import Evidence
from jitffi.tune.search.results import ENOUGH_RUNS, Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.profiles.function_ids import Place

#: The share of times that were not undisturbed which is worth a word.
_SLOWED = 0.2
#: How much faster or slower the same code is where it lies elsewhere, which all processes of a search have in common,
#: so that no interval over them shows it. Not more than LEAST_GAIN: a winner's interval would reach to 1.
_ELSEWHERE = 0.02
#: Times the noise: what a winner must exceed that could not be confirmed, as all that came later was slowed down.
_UNSEEN = 2.0
_PADLESS = "the workload calls no script whose pads could be chosen, and has no parameter `pad`"


def report(evidence: Evidence) -> Report:
    """Return all that is known. RuntimeError where the default has failed before anything was measured, with what it
    has died of."""
    given, results, failure = evidence.given, evidence.choosing, evidence.failures.get(DEFAULT)
    if failure is not None and not evidence.is_interrupted and not results.measured([DEFAULT, *given.uniform]):
        raise RuntimeError(f"autotune: the workload cannot be measured: {failure.text}")
    winner, judges = _winner(evidence)
    together = results.with_runs(evidence.confirming)
    seconds = together.seconds()
    candidates = (DEFAULT, *given.uniform, *evidence.refined)
    trials = {each: _trial(evidence, results, each, seconds) for each in candidates}
    if winner is not None:
        trials[winner] = _trial(evidence, judges, winner, seconds, _ELSEWHERE)
    first = None if winner is None else trials[winner]
    best = 1.0 if first is None or first.relative is None else first.relative.median
    for each, trial in trials.items():
        if trial.relative is not None and each not in (DEFAULT, winner) and trial.relative.median < best:
            trials[each] = replace(trial, not_won=_why_not(results, each, winner))
    cpu = evidence.machine or evidence.counted.machine
    found = Report(
        given.job.workload.name,
        best=None if winner is None else _largest(winner),
        winner=first,
        default=trials[DEFAULT],
        trials=tuple([trials[each] for each in given.uniform]),
        refined=tuple([trials[each] for each in evidence.refined]),
        functions={} if winner is None else functions(evidence.counted.places, winner),
        noise=results.relative(CONTROL, DEFAULT),
        environment={**machine.environment(), **({"cpu": cpu} if cpu else {})},
        notes=tuple(_notes(evidence, winner)),
        interrupted=evidence.is_interrupted,
        runs=len(together.runs),
        items=len(given.job.items),
        elapsed=given.clock.elapsed,
    )
    return replace(found, explanation=explain(found))


def _largest(pads: Pads) -> int | None:
    return max([pad for _, variables in pads.functions for _, pad in variables], default=pads.everywhere)


def functions(places: Mapping[str, Place], pads: Pads) -> dict[str, dict[str, int]]:
    """Return what a profile says of a choice: pads by variable, by function."""
    found = {key: dict(variables) for key, variables in pads.functions if variables}
    if pads.everywhere is not None:
        for key, place in places.items():
            everywhere = dict.fromkeys((OTHERS, POOLS) if place.file else (OTHERS,), pads.everywhere)
            found[key] = {**everywhere, **found.get(key, {})}
    return found


def _winner(evidence: Evidence) -> tuple[Pads | None, Results]:
    """Return who was chosen, if its own runs confirm it, and the runs that its interval is of."""
    results, winner = evidence.choosing, evidence.winner
    if winner is None and evidence.is_interrupted:
        winner = results.best(evidence.given.uniform, evidence.memory)
    if winner is None or winner in evidence.failures or DEFAULT in evidence.failures:
        return None, results
    judges = confirmed_by(evidence.confirming, results, winner) if evidence.confirming.runs else results
    return (None, results) if judges is None else (winner, judges)


def confirmed_by(confirming: Results, results: Results, winner: Pads) -> Results | None:
    """Return the runs that say that it stands: its own, if they are enough and not worse than all together. None: it
    does not stand.

    In a process now and then memory lies so that all pads are equal. One such among five makes their interval as wide
    as they are: if most of the five confirm it, all runs together decide.
    """
    together = results.with_runs(confirming)
    if confirming.beats(winner):
        return confirming if confirming.is_undisturbed(winner) or not together.is_undisturbed(winner) else together
    if confirming.count(winner) < ENOUGH_RUNS:
        return results if together.beats(winner) else None
    if confirming.tends_to_beat(winner):
        return together if together.beats(winner) else None
    if confirming.is_undisturbed(winner):
        return None
    # They were slowed down, which hides differences: all that they could say is that it is slower.
    said = confirming.relative(winner)
    is_slower = said is not None and said.median > 1 + confirming.noise(False)
    stands = not is_slower and results.is_undisturbed(winner) and results.beats(winner, margin=_UNSEEN)
    return together if stands else None


def _trial(
    evidence: Evidence, results: Results, pads: Pads, default: Interval | None, elsewhere: float = 0.0
) -> Trial:  # fmt: skip
    """Return what is known of a candidate. *elsewhere*: what its interval is wider by, on either side, for a program
    that has only this code, at other places in memory."""
    failure = evidence.failures.get(pads)
    relative = None if failure is not None else results.relative(pads)
    if relative is not None:
        relative = Interval(relative.low * (1 - elsewhere), relative.median, relative.high * (1 + elsewhere))
    seconds = None
    if relative is not None and default is not None:
        # The default's own interval is how the machine went from run to run; that of the others is to it.
        by = default.median
        scaled = Interval(by * relative.low, by * relative.median, by * relative.high)
        seconds = default if pads.is_default else scaled
    pruned = "interrupted" if evidence.is_interrupted else "there was no time for it"
    if seconds is not None or failure is not None:
        pruned = ""
    elif not evidence.counted.has_pads:
        pruned = "nothing has pads"
    runs = 0 if seconds is None else results.count(pads)
    return Trial(pads, seconds, relative, evidence.counts.get(pads), runs, failure, pruned)


def _why_not(results: Results, pads: Pads, winner: Pads | None) -> str:
    """Return what there is to compare it by, and what it takes to win."""
    count, found = results.count(pads, winner), results.relative(pads, winner)
    time = "" if found is None else f", {formatting.relative(found)} of its time"
    noise = formatting.percent(results.noise(results.is_undisturbed(pads, winner)))
    return (
        f"compared with {'the default' if winner is None else 'the winner'} in {formatting.processes(count)}{time}; to "
        f"win takes {ENOUGH_RUNS}, a difference beyond the noise of {noise}, and others that confirm it"
    )


# -- notes ------------------------------------------------------------------------------------------------------------


def _notes(evidence: Evidence, winner: Pads | None) -> Iterator[str]:
    yield from evidence.given.notes
    yield from evidence.given.runner.notes
    if evidence.is_interrupted:
        yield "interrupted: what had been measured until then"
    if not evidence.counted.has_pads:
        yield f"{_PADLESS}: nothing was measured"
    elif not evidence.choosing.runs:
        yield "nothing was measured: not one round fitted into the budget"
    elif len(evidence.choosing.runs) + len(evidence.confirming.runs) < ENOUGH_RUNS:
        yield f"fewer than {ENOUGH_RUNS} processes fitted into the budget: no pad is preferred to the default by so few"
    for cpu, count in evidence.foreign.items():
        yield f"{formatting.processes(count)} on another CPU, {cpu}, left out: this is about {evidence.machine}"
    fine = [*evidence.choosing.undisturbed_times(), *evidence.confirming.undisturbed_times()]
    share = fine.count(False) / max(1, len(fine))
    if share > _SLOWED:
        yield (
            f"in {share:.0%} of the time something slowed the processor down (others on its core, a lower clock), "
            f"which hides differences: that counts only where fewer than {ENOUGH_RUNS} processes had better times"
        )
    if winner is not None and evidence.confirming.count(winner) < ENOUGH_RUNS:
        yield "no time was left for runs that had no part in choosing the winner: its interval may flatter it"
    elif winner is not None and not evidence.confirming.tends_to_beat(winner):
        yield "runs that had no part in choosing the winner were slowed down: its interval, of others, may flatter it"
