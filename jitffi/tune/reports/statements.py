"""What a report says in sentences, the same in all outputs: the answer, how sure it is, and what is odd about it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jitffi.tune.formatting import (
    by_variable,
    candidate,
    clean,
    digits,
    function_name,
    percent,
    processes,
    ratio,
    relative,
    room,
    variable_name,
)  # fmt: skip
from jitffi.tune.records import Interval, Trial

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report


def was_measured(report: Report) -> bool:
    """Return whether there are times of anything but the default."""
    return any(trial.seconds is not None for trial in (*report.trials, *report.refined))


def brief(report: Report) -> str:
    """Return the answer in a few words, without a full stop."""
    if report.winner is not None:
        what = f"pads by function ({report.best} where most text is)" if report.winner.pads.functions else ""
        gain = "" if report.gain is None else f", {digits(report.gain.median)}x as fast as the default"
        return (what or f"pad {report.best}") + gain
    if not was_measured(report):
        return "nothing was measured"
    return "no difference" if report.default.failure is None else "the default fails"


def answer(report: Report) -> str:
    """Return the answer in a sentence."""
    if report.winner is not None and report.gain is not None:
        what = "Pads by function make" if report.winner.pads.functions else f"Pad {report.best} makes"
        return f"{what} it {digits(report.gain.median)} times as fast as the default."
    if not was_measured(report):
        has_failed = any(trial.failure for trial in (report.default, *report.trials))
        return "Nothing was measured: it failed." if has_failed else "Nothing was measured."
    if report.default.failure is not None:
        return "The default fails: there is nothing to compare the others with."
    return f"No difference: nothing beats the default beyond the noise{' so far' if report.interrupted else ''}."


def certainty(report: Report) -> str:
    """Return how sure the answer is, in sentences; "" where nothing was measured."""
    if not was_measured(report):
        return ""
    said = []
    nearest = fastest(report)
    if report.gain is not None:
        said.append(f"With 95 % confidence, {digits(report.gain.low)} to {digits(report.gain.high)} times.")
    elif nearest is not None and nearest.relative is not None:
        name = candidate(nearest.pads, 100)
        said.append(f"The fastest, {name}, takes {relative(nearest.relative)} of the default's time.")
    if report.runs:
        said.append(f"Measured in {processes(report.runs)}.")
    if (found := noise(report)) is not None:
        reach = max(abs(found.low - 1), abs(found.high - 1))
        said.append(f"The default, measured twice, differs from itself by up to {percent(reach)}.")
    return " ".join(said)


def noise(report: Report) -> Interval | None:
    """Return the noise, if it has two ends."""
    found = report.noise
    return found if found is not None and math.isfinite(found.low) and math.isfinite(found.high) else None


def fastest(report: Report) -> Trial | None:
    """Return the candidate with the smallest median that can be relied on, the default aside."""
    return _least([trial for trial in (*report.trials, *report.refined) if not report.is_rough(trial)])


def _least(trials: list[Trial]) -> Trial | None:
    known = [(trial.relative.median, trial) for trial in trials if trial.relative is not None]
    return min(known, key=lambda pair: pair[0], default=(0.0, None))[1]


def remarks(report: Report) -> Iterator[str]:
    """Yield what one should know before believing the rest, a line each; first why what looks fastest has not won."""
    nearest = _least([trial for trial in (*report.trials, *report.refined) if trial.not_won])
    if nearest is not None and nearest.relative is not None:
        name, than = candidate(nearest.pads, 100), "the winner" if report.winner is not None else "the default"
        shown = ratio(nearest.relative.median)
        yield f"{name} looks faster than {than}, {shown}, and has not won: {nearest.not_won}"
    yield from report.notes


def status(report: Report, trial: Trial) -> tuple[str, ...]:
    """Return what is to be said of a trial: winner, default, failed, pruned, unmeasured, Pareto; several or none."""
    words = ["default"] if trial.pads.is_default else []
    if trial.failure is not None:
        return (*words, "failed")
    if trial.seconds is None:
        return (*words, "pruned" if trial.pruned else "unmeasured")
    if report.winner is not None and trial.pads == report.winner.pads:
        words.append("winner")
    if any(trial.pads == other.pads for other in report.pareto):
        words.append("Pareto")
    return tuple(words)


def failures(report: Report) -> list[str]:
    """Return a line for each kind of failure, with the candidates that it has befallen."""
    found: dict[str, list[str]] = {}
    for trial in (report.default, *report.trials, *report.refined):
        if trial.failure is not None:
            found.setdefault(trial.failure.text, []).append(candidate(trial.pads))
    lines = []
    for failure, names in found.items():
        pairs = itertools.pairwise(["", *names])  # pad 1, pad 2 -> pad 1, 2
        short = [name.removeprefix("pad ") if before[:4] == "pad " else name for before, name in pairs]
        lines.append(f"failed: {clean(', '.join(short), 200)}: {clean(failure)}")
    return lines


def to_default(report: Report, trial: Trial) -> str:
    """Write a time relative to the default's with its interval; of a rough one with how little has measured it."""
    if trial.pads.is_default or trial.relative is None or trial.seconds is None:
        return ratio(1.0) if trial.pads.is_default and trial.seconds is not None else ""
    if report.is_rough(trial):
        return f"{ratio(trial.relative.median)} ({processes(trial.runs)})"
    return relative(trial.relative)


def choice(report: Report) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield what a profile says, a row a variable: function, once; variable, pad, and the longest text in place, in
    bytes and in characters of UCS4."""
    for key, variables in report.functions.items():
        name = clean(function_name(key), 60)
        for variable, pad in by_variable(variables.items()):
            narrow, wide = room(pad)
            yield name, clean(variable_name(variable), 40), str(pad), str(narrow), str(wide)
            name = ""
