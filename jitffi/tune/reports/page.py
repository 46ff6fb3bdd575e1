"""A report as one HTML page that needs nothing else: no file, no network, no scripts. page.html is its template."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from jitffi.profiles.candidates import LARGEST_PAD
from jitffi.tune import formatting
from jitffi.tune.formatting import clean, digits, in_bytes, ratio
from jitffi.tune.records import Interval, Trial
from jitffi.tune.reports import explain, statements

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

#: Characters of one text that are shown on a page.
_LONGEST = 600
_NONE = "\u2013"
#: What is drawn, as the style calls it, from where to where.
Mark = tuple[str, float, float]
#: Percents of a strip's width that are left free at either end.
_MARGIN = 4.0
#: An axis of times that differ by more than this is logarithmic.
_FAR = 6.0
#: Numbers on an axis, at most.
_TICKS = 4
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


def choices(report: Report) -> list[tuple[str, tuple[str, ...]]]:
    code = Markup("<bdi><code>{}</code></bdi>")
    return [("", (code.format(name), *others)) for name, *others in statements.choice(report)]


def candidates(report: Report) -> Table:
    """Return the default, all pads, and the finer candidates; no rows where nothing was measured."""
    finer = [(f"finer {number}", trial) for number, trial in enumerate(report.refined, 1)]
    uniform = [(str(trial.pads.everywhere), trial) for trial in report.trials]
    named = [("default", report.default), *uniform, *finer]
    if all(trial.seconds is None and trial.counts is None and trial.failure is None for _, trial in named):
        return [], []
    unit, times = report.memory_unit, time_scale(report)
    peaks = amount_scale([(trial.peak_bytes or 0) / unit[0] for _, trial in named])
    columns = [
        ("pad", ""), ("time by the default's", times), ("relative", "number"), ("95 %", "number"),
        (report.pace_unit[1], "number"), (f"peak memory, {unit[1]}", peaks), ("peak", "number"),
        ("processes", "number"), ("", ""),
    ]  # fmt: skip
    rows = []
    for name, trial in named:
        words = ["rough"] * report.is_rough(trial) + [word.lower() for word in statements.status(report, trial)]
        amounts = [None if each.peak_bytes is None else each.peak_bytes / unit[0] for each in (trial, report.default)]
        marks = time(report, trial, times), amount(peaks, *amounts)
        rows.append((" ".join(words), _cells(report, name, trial, *marks)))
    return columns, rows


def _cells(report: Report, name: str, trial: Trial, *marks: list[Mark]) -> tuple[Any, ...]:
    found, story = relative_of(trial), _story(report, trial)
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
    total, scale = sum(count for _, count in report.histogram), Scale(0, 100)
    columns = [
        ("pad", ""), ("bytes", "number"), ("characters of UCS4", "number"), ("in place, %", scale),
        ("texts in place", "number"), ("share", "number"),
    ]  # fmt: skip
    rows = []
    for pad in range(LARGEST_PAD + 1):
        fit = explain.texts_in_place(pad, report.histogram)
        strip = f"pad {pad}: {fit:,} texts in place", amount(scale, 100 * fit / total)
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


# -- marks on strips --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scale:
    """Where on a strip a number is, in percent of its width; what is beyond the axis is put to its end.

    >>> Scale(0, 10)(2.5), Scale(1, 100, logarithmic=True)(10), Scale(0, 1)(7)
    (27.0, 50.0, 96.0)
    """

    low: float
    high: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        value = min(max(value, self.low), self.high)
        if self.logarithmic:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return _MARGIN + share * (100 - 2 * _MARGIN)

    def ticks(self, most: int = _TICKS) -> list[float]:
        """Return at most about so many round numbers within the axis.

        >>> Scale(0.38, 1.35).ticks(6), Scale(0.3, 70, logarithmic=True).ticks(8)
        ([0.4, 0.6, 0.8, 1.0, 1.2], [1.0, 10.0])
        """
        if self.logarithmic:
            first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
            step = max(1, math.ceil((last - first + 1) / most))
            decades = [10.0**power for power in range(first, last + 1, step)]
            if len(decades) > 1:
                return decades
        return _even_ticks(self.low, self.high, most)


def _even_ticks(low: float, high: float, most: int) -> list[float]:
    rough = (high - low) / most
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(m * magnitude for m in (1, 2, 2.5, 5, 10) if m * magnitude >= rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    # Without what binary fractions leave behind.
    return [float(f"{number * step:.10g}") for number in range(first, last + 1)]


def relative_of(trial: Trial) -> Interval | None:
    """Return the time relative to the default's of what was measured, if it can be drawn."""
    found = None if trial.seconds is None else trial.relative
    return found if found is not None and 0 < found.median < math.inf else None


def time_scale(report: Report) -> Scale:
    """Return the axis of times relative to the default's: it always has 1 and some room about it."""
    trials = (report.default, *report.trials, *report.refined)
    found = [interval for trial in trials if (interval := relative_of(trial)) is not None]
    medians = [0.95, 1.05, *[each.median for each in found]]
    intervals = [*found, *filter(None, [statements.noise(report)])]
    # Whiskers that would make all else small are cut.
    low = min(medians + [max(each.low, min(medians) / 3) for each in intervals if math.isfinite(each.low)])
    high = max(medians + [min(each.high, max(medians) * 3) for each in intervals if math.isfinite(each.high)])
    return Scale(low, high, logarithmic=high / low > _FAR)


def time(report: Report, trial: Trial, scale: Scale) -> list[Mark]:
    """Return a candidate's time with its interval, over the noise and the line of the default."""
    marks: list[Mark] = [("default-line", scale(1.0), scale(1.0))]
    if (noise := statements.noise(report)) is not None:
        marks.insert(0, ("noise", scale(noise.low), scale(noise.high)))
    if (found := relative_of(trial)) is not None:
        if not report.is_rough(trial):
            low, high = (scale(end if math.isfinite(end) else found.median) for end in (found.low, found.high))
            marks.append(("whisker", low, high))
        marks.append(("dot", scale(found.median), scale(found.median)))
    return marks


def amount_scale(amounts: Iterable[float]) -> Scale:
    """Return the axis of bars: it begins at 0."""
    return Scale(0, max([each for each in amounts if math.isfinite(each)], default=1) or 1)


def amount(scale: Scale, value: float | None, default: float | None = None) -> list[Mark]:
    """Return a bar, and a line at what it is to be compared with."""
    marks: list[Mark] = [] if value is None else [("bar", scale(0), scale(value))]
    return marks if default is None else [*marks, ("default-line", scale(default), scale(default))]
