"""What a search has found: its runs as trials, the winner if there is one, and what to tell about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune import formatting
from jitffi.tune.records import Choice, Findings, Interval, Trial
from jitffi.tune.search import refine
from jitffi.tune.search.evidence import Evidence, Experiment
from jitffi.tune.search.results import ENOUGH_RUNS, LEAST_GAIN, Results

#: The share of times that were not undisturbed which is worth a word.
_SLOWED = 0.2
#: How much faster or slower the same code is where it lies elsewhere, which all processes of a search have in common,
#: so that no interval over them shows it. Not more than LEAST_GAIN: a winner's interval would reach to 1.
_ELSEWHERE = 0.02
#: Times the noise: what a winner must exceed that could not be confirmed, as all that came later was slowed down.
_UNSEEN = 2.0
_PADLESS = "the workload calls no script whose pads could be chosen, and has no parameter `pad`"


@dataclass(frozen=True, slots=True)
class _Ended:
    """A search that has ended: what it was given, what it has observed, and what its stages have chosen."""

    given: Experiment
    evidence: Evidence
    winners: Mapping[str, Pads | None]
    refined: Sequence[Pads]
    is_interrupted: bool


def findings(
    given: Experiment, evidence: Evidence, winners: Mapping[str, Pads | None], refined: Sequence[Pads],
    is_interrupted: bool,
) -> Findings:  # fmt: skip
    """Return all that is known. RuntimeError where all candidates have failed, with what the first has died of."""
    ended = _Ended(given, evidence, winners, refined, is_interrupted)
    works = any(each.measured([DEFAULT, *given.uniform]) for each in evidence.choosing.values()) or evidence.counts
    if evidence.failures and not is_interrupted and not works:
        failure = evidence.failures.get(DEFAULT) or next(iter(evidence.failures.values()))
        raise RuntimeError(f"autotune: the workload cannot be measured: {failure.text}")
    machines = sorted(evidence.choosing.values(), key=lambda each: -len(each.runs))
    choices = [_choice(ended, each, evidence.confirming.get(each.machine)) for each in machines]
    nothing = Results(evidence.counted.machine, given.job.seed)
    return Findings(
        workload=given.job.workload.name,
        sample=given.sample,
        choices=tuple(choices) or (_choice(ended, nothing, None),),
        places=evidence.counted.places,
        counts=dict(evidence.counts),
        notes=tuple(_notes(ended, choices)),
        interrupted=is_interrupted,
        seconds=given.clock.elapsed,
        items=len(given.job.items),
    )


# -- trials -----------------------------------------------------------------------------------------------------------


def _choice(ended: _Ended, results: Results, confirming: Results | None) -> Choice:
    evidence, uniform = ended.evidence, ended.given.uniform
    winner = _winner(ended, results, confirming)
    together = results if confirming is None else results.with_runs(confirming)
    seconds = together.seconds()
    trials = {each: _trial(ended, results, each, seconds) for each in (DEFAULT, *uniform, *ended.refined)}
    if winner is not None:
        judges = results
        if confirming is not None and len(confirming.scores(winner)) >= ENOUGH_RUNS:
            is_fine = confirming.is_undisturbed(winner) or not together.is_undisturbed(winner)
            judges = confirming if confirming.beats(winner) and is_fine else together
        trials[winner] = _of_a_program(_trial(ended, judges, winner, seconds))
    first = trials.get(winner) if winner is not None else None
    for each, trial in trials.items():
        if _looks_better(trial, first):
            trials[each] = replace(trial, not_won=_why_not(ended, results, each, winner))
    return Choice(
        machine=results.machine,
        default=trials[DEFAULT],
        trials=tuple([trials[each] for each in uniform]),
        refined=tuple([trials[each] for each in ended.refined]),
        winner=first,
        best=None if winner is None else refine.main_pad(evidence, winner),
        control=results.relative(CONTROL, DEFAULT),
        runs=len(together.runs),
    )


def _winner(ended: _Ended, results: Results, confirming: Results | None) -> Pads | None:
    """Return who was chosen, if its own runs confirm it; where there are not enough undisturbed ones of them, all runs
    decide.

    In a process now and then memory lies so that all pads are equal. One such among five makes their interval as wide
    as they are: if most of the five confirm it, all runs together decide.
    """
    ended_early = results.machine not in ended.winners
    winner = results.best(ended.given.uniform, {}) if ended_early else ended.winners[results.machine]
    if winner is None or winner in ended.evidence.failures:
        return None
    if confirming is None or not confirming.runs or is_confirmed_by(confirming, results, winner):
        return winner
    return None


def is_confirmed_by(confirming: Results, results: Results, winner: Pads) -> bool:
    """Return whether it stands, by its own runs and by those that chose it."""
    if confirming.beats(winner):
        return True
    if confirming.count(winner) < ENOUGH_RUNS or confirming.tends_to_beat(winner):
        return results.with_runs(confirming).beats(winner)
    if confirming.is_undisturbed(winner):
        return False
    # They were slowed down, which hides differences: all that they could say is that it is slower.
    said = confirming.relative(winner)
    is_slower = said is not None and said.median > 1 + confirming.noise(False)
    return not is_slower and results.is_undisturbed(winner) and results.beats(winner, margin=_UNSEEN)


def _trial(ended: _Ended, results: Results, pads: Pads, reference: Interval | None) -> Trial:
    evidence = ended.evidence
    failure = evidence.failures.get(pads)
    relative = None if failure is not None else results.relative(pads)
    if pads == results.reference and failure is None:
        relative = Interval(1.0, 1.0, 1.0) if reference is not None else None
    seconds = None
    if relative is not None and reference is not None:
        # The reference's own interval is how the machine went from run to run; that of the others is to it.
        by = reference.median
        scaled = Interval(by * relative.low, by * relative.median, by * relative.high)
        seconds = reference if pads == results.reference else scaled
    pruned = "interrupted" if ended.is_interrupted else "there was no time for it"
    uncounted = "interrupted" if ended.is_interrupted else "no time to count it"
    if not evidence.counted.has_pads:
        pruned = uncounted = "nothing has pads"
    return Trial(
        pads=pads,
        seconds=seconds,
        relative=relative if results.reference == DEFAULT else None,
        counts=evidence.counts.get(pads),
        runs=len(results.scores(pads)) if seconds is not None else 0,
        failure=failure,
        pruned="" if seconds is not None or failure is not None else pruned,
        uncounted="" if pads in evidence.counts else "it failed" if failure is not None else uncounted,
    )


def _of_a_program(trial: Trial) -> Trial:
    """Return the winner's trial, with intervals for a program that has only this code, at other places in memory."""
    return replace(trial, seconds=_wider(trial.seconds), relative=_wider(trial.relative))


def _wider(interval: Interval | None) -> Interval | None:
    if interval is None:
        return None
    return Interval(interval.low * (1 - _ELSEWHERE), interval.median, interval.high * (1 + _ELSEWHERE))


# -- why others have not won ------------------------------------------------------------------------------------------


def _looks_better(trial: Trial, winner: Trial | None) -> bool:
    """Return whether it is faster than the winner, or where there is none than the default, by the median alone."""
    if trial.relative is None or trial.pads.is_default or (winner is not None and trial.pads == winner.pads):
        return False
    return trial.relative.median < (1.0 if winner is None or winner.relative is None else winner.relative.median)


def _why_not(ended: _Ended, results: Results, pads: Pads, winner: Pads | None) -> str:
    """Return why it has not won all the same. The winner's time is perhaps of runs that only confirmed it."""
    count = results.count(pads)
    if count < ENOUGH_RUNS:
        return f"measured in {formatting.processes(count)}, and it takes {ENOUGH_RUNS} to be sure"
    if winner is None:
        found = results.relative(pads)
        if found is None or results.beats(pads):
            return "runs that had no part in choosing it did not confirm it"
        noise = formatting.percent(results.noise(results.is_undisturbed(pads)))
        return f"its interval reaches {formatting.ratio(found.high)}, and the noise is {noise}"
    both = results.relative(pads, winner)
    if both is None or both.low > 1:
        return "where both were measured in the same processes the winner was faster"
    if not results.is_equal(winner, pads):
        shown = formatting.relative(both)
        return f"when the winner was chosen it was not ahead; where both were measured it takes {shown} of its time"
    mine, its = (ended.evidence.memory.get(each) for each in (pads, winner))
    less = ", and needs less memory" if mine is not None and its is not None and its < mine else ""
    return f"as far as can be told the winner is as fast{less}"


# -- notes ------------------------------------------------------------------------------------------------------------


def _notes(ended: _Ended, choices: list[Choice]) -> Iterator[str]:
    evidence = ended.evidence
    yield from ended.given.sample.notes
    yield from ended.given.runner.notes
    if ended.is_interrupted:
        yield "interrupted: what had been measured until then"
    if DEFAULT in evidence.failures:
        why = evidence.failures[DEFAULT].text
        yield f"the default pads fail: {why}; the others are compared with each other"
    if not evidence.counted.has_pads:
        yield f"{_PADLESS}: nothing was measured"
    elif not choices:
        yield "nothing was measured: not one round fitted into the budget"
    elif max([each.runs for each in choices]) < ENOUGH_RUNS:
        yield f"fewer than {ENOUGH_RUNS} processes fitted into the budget: no pad is preferred to the default by so few"
    yield from _slowed(evidence)
    for choice in choices:
        if choice.winner is None:
            yield from _promising(choice)
        elif DEFAULT not in evidence.failures:
            yield from _flattering(evidence.confirming.get(choice.machine), choice.winner.pads)


def _slowed(evidence: Evidence) -> Iterator[str]:
    """Tell where much was measured while something slowed the processor down."""
    machines = (*evidence.choosing.values(), *evidence.confirming.values())
    fine = [each for results in machines for each in results.undisturbed_times()]
    share = fine.count(False) / max(1, len(fine))
    if share > _SLOWED:
        yield (
            f"in {share:.0%} of the time something slowed the processor down (others on its core, a lower clock), "
            f"which hides differences: that counts only where fewer than {ENOUGH_RUNS} processes had better times"
        )


def _promising(choice: Choice) -> Iterator[str]:
    """Tell where nothing has won for want of runs."""
    trials = (*choice.trials, *choice.refined)
    measured = [(each.relative.median, each.relative.high, each) for each in trials if each.relative is not None]
    _, high, fastest = min(measured, key=lambda each: each[0], default=(1.0, 1.0, choice.default))
    if choice.runs >= ENOUGH_RUNS and high < 1 - LEAST_GAIN and fastest.runs < ENOUGH_RUNS:
        only = formatting.processes(fastest.runs)
        yield f"{formatting.candidate(fastest.pads)} was faster, in {only} only: a longer budget may tell"


def _flattering(confirming: Results | None, winner: Pads) -> Iterator[str]:
    """Tell where the winner's interval is of runs that have chosen it."""
    if confirming is None or confirming.count(winner) < ENOUGH_RUNS:
        yield "no time was left for runs that had no part in choosing the winner: its interval may flatter it"
    elif not confirming.tends_to_beat(winner):
        yield "runs that had no part in choosing the winner were slowed down: its interval, of others, may flatter it"
