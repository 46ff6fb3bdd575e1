"""A report as one HTML page that needs nothing else: no file, no network, no scripts. page.html is its template."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from jitffi.profiles.candidates import LARGEST_PAD
from jitffi.tune import formatting
from jitffi.tune.formatting import clean, digits, in_bytes, ratio
from jitffi.tune.records import Trial
from jitffi.tune.reports import charts, explain, statements

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

#: Characters of one text that are shown on a page.
_LONGEST = 600
_NONE = "\u2013"
#: Columns of a table with what they are of, and its rows: the class of each, and its cells.
Table = tuple[list[tuple[str, Any]], list[tuple[str, tuple[Any, ...]]]]


def page(report: Report) -> str:
    """Return the page's text.

    >>> from jitffi.tune.reports.report import Report
    >>> text = page(Report("<words>"))
    >>> text[:15], "<h1>Nothing was measured.</h1>" in text, "&lt;words&gt;" in text, "<words>" in text
    ('<!DOCTYPE html>', True, True, False)
    """
    template, style = (
        resources.files(__package__).joinpath(name).read_text("utf-8") for name in ("page.html", "page.css")
    )
    made = Environment(
        autoescape=True, finalize=_shown, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    known = (remarks, choices, candidates, lengths, environment, clean, formatting.candidate_lines)
    made.globals.update({each.__name__: each for each in known}, statements=statements)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    reports = (report, *report.others)
    return made.from_string(template).render(reports=reports, style=Markup(style), digest=Markup(digest)).lstrip()


def _shown(value: Any) -> Any:
    """Return what stands on the page for what the template names: no text of users obeys or is obeyed."""
    return clean(value, _LONGEST) if isinstance(value, str) and not isinstance(value, Markup) else value


def remarks(report: Report) -> Iterator[str]:
    """Yield what is listed below the answer."""
    if report.interrupted:
        yield "It was interrupted."
    for other in report.others:
        cpu = clean(str(other.environment.get("cpu", "another kind of machine")), 60)
        yield f"On {cpu}, of which more below: {statements.brief(other)}."
    yield from statements.remarks(report)
    yield from statements.failures(report)


def choices(report: Report) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a row for each variable that has a pad."""
    for name, *others in statements.choice(report):
        yield "", (Markup("<bdi><code>{}</code></bdi>").format(name), *others)


def candidates(report: Report) -> Table:
    """Return the default, all pads, and the finer candidates; no rows where nothing was measured."""
    finer = [(f"finer {number}", trial) for number, trial in enumerate(report.refined, 1)]
    uniform = [(str(trial.pads.everywhere), trial) for trial in report.trials]
    named = [("default", report.default), *uniform, *finer]
    if all(trial.seconds is None and trial.counts is None and trial.failure is None for _, trial in named):
        return [], []
    unit, times = report.memory_unit, charts.time_scale(report)
    peaks = charts.amount_scale([(trial.peak_bytes or 0) / unit[0] for _, trial in named])
    columns = [
        ("pad", ""), ("time by the default's", times), ("relative", "number"), ("95 %", "number"),
        (report.pace_unit[1], "number"), (f"peak memory, {unit[1]}", peaks), ("peak", "number"),
        ("processes", "number"), ("", ""),
    ]  # fmt: skip
    rows = []
    for name, trial in named:
        words = ["rough"] * report.is_rough(trial) + [word.lower() for word in statements.status(report, trial)]
        amounts = [None if each.peak_bytes is None else each.peak_bytes / unit[0] for each in (trial, report.default)]
        marks = charts.time(report, trial, times), charts.amount(peaks, *amounts)
        rows.append((" ".join(words), _cells(report, name, trial, *marks)))
    return columns, rows


def _cells(report: Report, name: str, trial: Trial, *marks: list[charts.Mark]) -> tuple[Any, ...]:
    found, story = charts.relative_of(trial), _story(report, trial)
    is_bare = found is None or report.is_rough(trial) or trial.pads.is_default
    reason = trial.failure.text if trial.failure is not None else trial.pruned
    reason = f"has not won: {trial.not_won}" if trial.not_won else reason
    words = [word for word in statements.status(report, trial) if not reason.startswith(word)] + [reason] * bool(reason)
    return (
        name,
        (story, marks[0]),
        _NONE if found is None else ratio(found.median),
        _NONE if found is None or is_bare else f"{ratio(found.low)} to {ratio(found.high)}",
        _NONE if trial.seconds is None else digits(trial.seconds.median / report.pace_unit[0]),
        (story, marks[1]),
        _NONE if trial.peak_bytes is None else in_bytes(trial.peak_bytes, report.memory_unit),
        str(trial.runs),
        ", ".join(words),
    )


def _story(report: Report, trial: Trial) -> str:
    """Return all about a candidate in a line."""
    parts = [formatting.candidate(trial.pads)]
    if shown := statements.to_default(report, trial):
        parts.append(f"{shown} of the default's time")
    if trial.seconds is not None:
        parts.append(formatting.in_unit(trial.seconds.median, report.pace_unit))
    if trial.peak_bytes is not None:
        parts.append(f"{in_bytes(trial.peak_bytes, report.memory_unit)} at its peak")
    return "; ".join(parts)


def lengths(report: Report) -> Table:
    """Return for each pad how many of the texts are in place whose place depends on it."""
    total, scale = sum(count for _, count in report.histogram), charts.Scale(0, 100)
    columns = [
        ("pad", ""), ("bytes", "number"), ("characters of UCS4", "number"), ("in place, %", scale),
        ("texts in place", "number"), ("share", "number"),
    ]  # fmt: skip
    rows = []
    for pad in range(LARGEST_PAD + 1):
        fit = explain.texts_in_place(pad, report.histogram)
        strip = f"pad {pad}: {fit:,} texts in place", charts.amount(scale, 100 * fit / total)
        cells = (str(pad), *map(str, formatting.room(pad)), strip, f"{fit:,}", formatting.percent(fit / total))
        rows.append(("winner" if pad == report.best else "", cells))
    return columns, rows


def environment(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what is known of the machine and of the search, by name."""
    for name, value in report.environment.items():
        yield name, _described(name, value)
    if report.items:
        yield "items a pass", f"{report.items:,}"
    if report.elapsed is not None:
        yield "seconds in all", digits(report.elapsed)


def _described(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_described(name, item)}" for key, item in value.items())
    if name == "caches" and isinstance(value, int):
        return in_bytes(value)
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
