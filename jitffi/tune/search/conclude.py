"""What a search has found: its runs as trials, the winner if there is one, and what to tell about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune import formatting, statistics
from jitffi.tune.records import Choice, Findings, Interval, Trial
from jitffi.tune.search import refine
from jitffi.tune.search.tally import ENOUGH_RUNS, LEAST_GAIN, Tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.tune.search.search import Search

#: The share of rounds that were not calm which is worth a word.
_SLOWED = 0.2
#: How much faster or slower the same code is where it lies elsewhere, which all processes of a search have in common,
#: so that no interval over them shows it. Not more than LEAST_GAIN: a winner's interval would reach to 1.
_ELSEWHERE = 0.02
#: Times the noise: what a winner must exceed that could not be confirmed, as all that came later was slowed down.
_UNSEEN = 2.0
_PADLESS = "the workload calls no script whose pads could be chosen, and has no parameter `pad`"
#: Differences that a ranking is not judged by.
_FLAT = 0.03


def findings(search: Search) -> Findings:
    """All that *search* knows. RuntimeError where all candidates have failed, with what the first has died of."""
    _check(search)
    machines = sorted(search.tallies, key=lambda each: -len(search.tallies[each].runs))
    choices = [_choice(search, search.tallies[each], search.confirming.get(each)) for each in machines]
    nothing = Tally(search.counted.machine if search.counted else "", search.job.seed)
    counted = search.counted
    return Findings(
        workload=search.job.workload.name,
        sample=search.sample,
        choices=tuple(choices) or (_choice(search, nothing, None),),
        places={} if counted is None else counted.places,
        counts=dict(search.counts),
        agreement=search.agreement,
        notes=tuple(_notes(search, choices)),
        interrupted=search.interrupted,
        seconds=search.clock.elapsed,
        items=len(search.job.items),
    )


def agreement(search: Search) -> float | None:
    """How well the model's ranking of uniform pads is the measured one: Spearman's coefficient, the lowest of all
    machines. None where there is nothing to compare, or both say that all are equal."""
    found = []
    for tally in search.tallies.values():
        ranked = [each for each in tally.measured(search.uniform) if each in search.predicted]
        # In whole percents: what is closer is equal, to the model and to the clock.
        predicted = [round(search.predicted[each], 2) for each in ranked]
        measured = [tally.relative(each) for each in ranked]
        medians = [round(each.median, 2) for each in measured if each is not None]
        if len(ranked) >= 3 and not (_is_flat(predicted) and _is_flat(medians)):
            found.append(statistics.spearman(predicted, medians))
    return min(found) if found else None


def _is_flat(values: Iterable[float]) -> bool:
    values = tuple(values)
    return max(values) <= (1 + _FLAT) * min(values)


def _check(search: Search) -> None:
    """RuntimeError if there is nothing but failures."""
    works = any(tally.measured([DEFAULT, *search.uniform]) for tally in search.tallies.values()) or search.counts
    if search.failed and not search.interrupted and not works:
        failure = search.failed.get(DEFAULT) or next(iter(search.failed.values()))
        raise RuntimeError(f"autotune: the workload cannot be measured: {failure.text}")


# -- trials -----------------------------------------------------------------------------------------------------------


def _choice(search: Search, tally: Tally, confirming: Tally | None) -> Choice:
    winner = _winner(search, tally, confirming)
    seconds = (tally if confirming is None else _together(tally, confirming)).seconds()
    trials = {each: _trial(search, tally, each, seconds) for each in (DEFAULT, *search.uniform, *search.refined)}
    if winner is not None and confirming is not None and len(confirming.scores(winner)) >= ENOUGH_RUNS:
        together = _together(tally, confirming)
        is_best = confirming.beats(winner) and (confirming.is_calm(winner) or not together.is_calm(winner))
        judges = confirming if is_best else together
        trials[winner] = _trial(search, judges, winner, seconds)
    if winner is not None:
        trials[winner] = _of_a_program(trials[winner])
    for each in [
        each for each, trial in trials.items() if _looks_better(trial, None if winner is None else trials[winner])
    ]:
        trials[each] = replace(trials[each], not_won=_why_not(search, tally, each, winner))
    control = tally.relative(CONTROL, DEFAULT)
    return Choice(
        machine=tally.machine,
        default=trials[DEFAULT],
        trials=tuple([trials[each] for each in search.uniform]),
        refined=tuple([trials[each] for each in search.refined]),
        winner=None if winner is None else trials[winner],
        best=None if winner is None else refine.main_pad(search.counts, winner),
        control=control,
        runs=len(tally.runs) + (0 if confirming is None else len(confirming.runs)),
    )


def _winner(search: Search, tally: Tally, confirming: Tally | None) -> Pads | None:
    """Who was chosen, if its own runs confirm it; where there are not enough calm ones of them, all runs decide.

    In a process now and then memory lies so that all pads are equal. One such among five makes their interval as wide
    as they are: if most of the five confirm it, all runs together decide.
    """
    ended_early = tally.machine not in search.winners
    winner = tally.best(search.uniform, {}) if ended_early else search.winners[tally.machine]
    if winner is None or winner in search.failed:
        return None
    if confirming is None or not confirming.runs:
        return winner
    return winner if _is_confirmed_by(confirming, tally, winner) else None


def _is_confirmed_by(confirming: Tally, tally: Tally, winner: Pads) -> bool:
    """Whether it stands, by its own runs and by those that chose it."""
    if confirming.beats(winner):
        return True
    if confirming.count(winner) < ENOUGH_RUNS or confirming.tends_to_beat(winner):
        return _together(tally, confirming).beats(winner)
    if confirming.is_calm(winner):
        return False
    # They were slowed down, which hides differences: all that they could say is that it is slower.
    said = confirming.relative(winner)
    is_slower = said is not None and said.median > 1 + confirming.noise(False)
    return not is_slower and tally.is_calm(winner) and tally.beats(winner, margin=_UNSEEN)


def _together(tally: Tally, other: Tally) -> Tally:
    both = Tally(tally.machine, tally.seed, tally.reference, tally.quiet)
    both.runs = [*tally.runs, *other.runs]
    return both


def _trial(search: Search, tally: Tally, pads: Pads, reference: Interval | None) -> Trial:
    failure = search.failed.get(pads)
    relative = None if failure is not None else _one(tally) if pads == tally.reference else tally.relative(pads)
    seconds = None
    if relative is not None and reference is not None:
        # The reference's own interval is how the machine went from run to run; that of the others is to it.
        by = reference.median
        seconds = (
            reference
            if pads == tally.reference
            else Interval(by * relative.low, by * relative.median, by * relative.high)
        )
    return Trial(
        pads=pads,
        seconds=seconds,
        relative=relative if tally.reference == DEFAULT else None,
        predicted=search.predicted.get(pads),
        counts=search.counts.get(pads),
        runs=len(tally.scores(pads)) if seconds is not None else 0,
        failure=failure,
        pruned="" if seconds is not None or failure is not None else search.pruned.get(pads, _why(search)),
        uncounted="" if pads in search.counts else "it failed" if failure is not None else _why_uncounted(search),
    )


def _why_uncounted(search: Search) -> str:
    if not search.has_pads:
        return "nothing has pads"
    return "interrupted" if search.interrupted else "no time to count it"


# -- why others have not won ------------------------------------------------------------------------------------------


def _looks_better(trial: Trial, winner: Trial | None) -> bool:
    """Than the winner, or where there is none than the default, by the median alone."""
    if trial.relative is None or trial.pads.is_default or (winner is not None and trial.pads == winner.pads):
        return False
    return trial.relative.median < (1.0 if winner is None or winner.relative is None else winner.relative.median)


def _why_not(search: Search, tally: Tally, pads: Pads, winner: Pads | None) -> str:
    """Why it has not won all the same."""
    count = tally.count(pads)
    if count < ENOUGH_RUNS:
        return f"measured in {formatting.processes(count)}, and it takes {ENOUGH_RUNS} to be sure"
    if winner is not None:
        return _why_not_before(search, tally, pads, winner)
    found = tally.relative(pads)
    if found is None or tally.beats(pads):
        return "runs that had no part in choosing it did not confirm it"
    noise = formatting.percent(tally.noise(tally.is_calm(pads)))
    return f"its interval reaches {formatting.ratio(found.high)}, and the noise is {noise}"


def _why_not_before(search: Search, tally: Tally, pads: Pads, winner: Pads) -> str:
    """The same, beside a winner, whose time is perhaps of runs that only confirmed it."""
    both = tally.relative(pads, winner)
    if both is None or both.low > 1:
        return "where both were measured in the same processes the winner was faster"
    if not tally.is_equal(winner, pads):
        shown = formatting.relative(both)
        return f"when the winner was chosen it was not ahead; where both were measured it takes {shown} of its time"
    mine, its = (search.memory().get(each) for each in (pads, winner))
    less = ", and needs less memory" if mine is not None and its is not None and its < mine else ""
    return f"as far as can be told the winner is as fast{less}"


def _of_a_program(trial: Trial) -> Trial:
    """The winner's trial, with intervals for a program that has only this code, at other places in memory."""
    return replace(trial, seconds=_wider(trial.seconds), relative=_wider(trial.relative))


def _wider(interval: Interval | None) -> Interval | None:
    if interval is None:
        return None
    return Interval(interval.low * (1 - _ELSEWHERE), interval.median, interval.high * (1 + _ELSEWHERE))


def _one(tally: Tally) -> Interval | None:
    return Interval(1.0, 1.0, 1.0) if tally.seconds() is not None else None


def _why(search: Search) -> str:
    return "interrupted" if search.interrupted else "there was no time for it"


# -- notes ------------------------------------------------------------------------------------------------------------


def _notes(search: Search, choices: list[Choice]) -> Iterable[str]:
    yield from search.sample.notes
    yield from search.runner.notes
    yield from search.notes
    if search.interrupted:
        yield "interrupted: what had been measured until then"
    if DEFAULT in search.failed:
        yield f"the default pads fail: {search.failed[DEFAULT].text}; the others are compared with each other"
    if not search.has_pads:
        yield f"{_PADLESS}: nothing was measured"
    elif not choices:
        yield "nothing was measured: not one round fitted into the budget"
    elif max([each.runs for each in choices]) < ENOUGH_RUNS:
        yield f"fewer than {ENOUGH_RUNS} processes fitted into the budget: no pad is preferred to the default by so few"
    yield from _slowed(search)
    for choice in choices:
        yield from _promising(choice)
        if choice.winner is not None and DEFAULT not in search.failed:
            yield from _flattering(search, choice)


def _slowed(search: Search) -> Iterable[str]:
    """Where much was measured while something slowed the processor down."""
    calm = [each for tally in (*search.tallies.values(), *search.confirming.values()) for each in tally.calm_times()]
    share = calm.count(False) / max(1, len(calm))
    if share > _SLOWED:
        yield (
            f"in {share:.0%} of the time something slowed the processor down (others on its core, a lower clock), "
            f"which hides differences: that counts only where fewer than {ENOUGH_RUNS} processes had better times"
        )


def _promising(choice: Choice) -> Iterable[str]:
    """Where nothing has won, whether that is for want of runs."""
    measured = [each for each in (*choice.trials, *choice.refined) if each.relative is not None]
    if choice.winner is None and choice.runs >= ENOUGH_RUNS and measured:
        fastest = min(measured, key=lambda each: each.relative.median if each.relative is not None else 1.0)
        if fastest.relative is not None and fastest.relative.high < 1 - LEAST_GAIN and fastest.runs < ENOUGH_RUNS:
            only = formatting.processes(fastest.runs)
            yield f"{formatting.candidate(fastest.pads)} was faster, in {only} only: a longer budget may tell"


def _flattering(search: Search, choice: Choice) -> Iterable[str]:
    """Where the winner's interval is of runs that have chosen it."""
    confirming = search.confirming.get(choice.machine)
    assert choice.winner is not None
    winner = choice.winner.pads
    if confirming is None or confirming.count(winner) < ENOUGH_RUNS:
        yield "no time was left for runs that had no part in choosing the winner: its interval may flatter it"
    elif not confirming.tends_to_beat(winner):
        yield "runs that had no part in choosing the winner were slowed down: its interval, of others, may flatter it"
