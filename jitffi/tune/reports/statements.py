"""What a report says, the same on the terminal and on the page: the answer, how sure it is, a row for each candidate,
the choice, and what one should know besides."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jitffi.tune.formatting import candidate, clean, digits, function_pads, percent, processes, ratio, relative
from jitffi.tune.records import Trial

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report


def was_measured(report: Report) -> bool:
    """Return whether there are times of anything but the default."""
    return any(trial.seconds is not None for trial in (*report.trials, *report.refined))


def answer(report: Report) -> str:
    """Return the answer in a sentence."""
    if report.winner is not None and report.gain is not None:
        what = "Pads by function make" if report.winner.pads.functions else f"Pad {report.best} makes"
        return f"{what} it {digits(report.gain.median)} times as fast as the default."
    if not was_measured(report):
        return "Nothing was measured."
    if report.default.failure is not None:
        return "The default fails: there is nothing to compare the others with."
    return "No difference: nothing beats the default beyond the noise."


def certainty(report: Report) -> str:
    """Return how sure the answer is, in sentences; "" where nothing was measured."""
    if not was_measured(report):
        return ""
    said = []
    if report.gain is not None:
        said.append(f"With 95 % confidence, {digits(report.gain.low)} to {digits(report.gain.high)} times.")
    said.append(f"Measured in {processes(report.runs)}.")
    if report.noise is not None:
        reach = max(abs(report.noise.low - 1), abs(report.noise.high - 1))
        said.append(f"The default, measured twice, differs from itself by up to {percent(reach)}.")
    return " ".join(said)


def remarks(report: Report) -> Iterator[str]:
    """Yield what one should know before believing the rest, a line each; first why what looks fastest has not won."""
    faster = [(trial.relative.median, trial) for trial in report.candidates if trial.relative and trial.not_won]
    if faster:
        fastest, trial = min(faster, key=lambda pair: pair[0])
        than = "the default" if report.winner is None else "the winner"
        yield f"{candidate(trial.pads)} looks faster than {than}, {ratio(fastest)}, and has not won: {trial.not_won}"
    yield from report.notes


def failures(report: Report) -> list[str]:
    """Return a line for each kind of failure, with the candidates that it has befallen."""
    found: dict[str, list[str]] = {}
    for trial in report.candidates:
        if trial.failure is not None:
            found.setdefault(trial.failure.text, []).append(candidate(trial.pads))
    lines = []
    for failure, names in found.items():
        pairs = itertools.pairwise(["", *names])  # pad 1, pad 2 -> pad 1, 2
        short = [name.removeprefix("pad ") if before[:4] == "pad " else name for before, name in pairs]
        lines.append(f"failed: {clean(', '.join(short), 200)}: {clean(failure)}")
    return lines


def choice(report: Report) -> list[str]:
    """Return what a profile says, a line for each function."""
    return [function_pads(key, variables.items()) for key, variables in report.functions.items()]


# -- a row for each candidate -----------------------------------------------------------------------------------------


def heads(report: Report) -> tuple[str, str, str]:
    """Return what `cells` are of."""
    return report.pace_unit[1], "to the default", f"peak {report.memory_unit[1]}"


def cells(report: Report, trial: Trial) -> tuple[str, str, str]:
    """Return a candidate's time, the same relative to the default's, and its memory; "" for what is not known."""
    time = "" if trial.seconds is None else digits(trial.seconds.median / report.pace_unit[0])
    peak = "" if trial.peak_bytes is None else digits(trial.peak_bytes / report.memory_unit[0])
    if trial.relative is None:
        return time, "", peak
    if report.is_rough(trial):
        return time, f"{ratio(trial.relative.median)} ({processes(trial.runs)})", peak
    return time, ratio(1.0) if trial.pads.is_default else relative(trial.relative), peak


def status(report: Report, trial: Trial) -> tuple[str, str]:
    """Return a word for what has become of a candidate, and why; "" for those that are slower, and for no reason."""
    if trial.failure is not None:
        return "failed", trial.failure.text
    if trial.seconds is None:
        return "unmeasured", trial.pruned
    if report.winner is not None and trial.pads == report.winner.pads:
        return "winner", ""
    return ("not won", trial.not_won) if trial.not_won else ("", "")
