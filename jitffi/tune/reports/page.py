"""A report as one HTML page that needs nothing else: no file, no network, no scripts. page.html is its template."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from jitffi.tune.formatting import candidate_lines, clean, memory
from jitffi.tune.reports import statements

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

#: Characters of one text that are shown on a page.
_LONGEST = 600
#: Percents of a strip's width that are left free at either end.
_MARGIN = 4.0
#: Times the default's: where an axis ends, however much slower some are.
_FARTHEST = 4.0


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
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        made.from_string(template)
        .render(
            report=report, statements=statements, clean=clean, candidate_lines=candidate_lines,
            times=time_axis(report), peaks=memory_axis(report), environment=environment(report),
            style=Markup(style), digest=Markup(digest),
        )
        .lstrip()
    )  # fmt: skip


def _shown(value: Any) -> Any:
    """Return what stands on the page for what the template names: no text of users obeys or is obeyed."""
    return clean(value, _LONGEST) if isinstance(value, str) and not isinstance(value, Markup) else value


def environment(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what is known of the machine, by name."""
    for name, value in report.environment.items():
        if isinstance(value, Mapping):  # caches
            yield name, ", ".join([f"{level} {memory(size)}" for level, size in value.items()])
        else:
            yield name, str(value)


# -- where marks are ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Axis:
    """Where on a strip a number is, in percent of its width; what is beyond the axis is put to its end.

    >>> axis = Axis(0, 10)
    >>> axis.at(2.5), axis.at(70), axis.between(0, 5)
    ('27.00%', '96.00%', '46.00%')
    """

    low: float
    high: float

    def at(self, value: float) -> str:
        return f"{self._at(value):.2f}%"

    def between(self, low: float, high: float) -> str:
        """Return how far two numbers are apart; what has no extent is drawn all the same."""
        return f"{max(0.3, self._at(high) - self._at(low)):.2f}%"

    def _at(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return _MARGIN + share * (100 - 2 * _MARGIN)

    def ticks(self, most: int = 4) -> list[float]:
        """Return at most about so many round numbers within the axis.

        >>> Axis(0.38, 1.35).ticks(6)
        [0.4, 0.6, 0.8, 1.0, 1.2]
        """
        rough = (self.high - self.low) / most
        magnitude = 10.0 ** math.floor(math.log10(rough))
        step = next(m * magnitude for m in (1, 2, 2.5, 5, 10) if m * magnitude >= rough)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        # Without what binary fractions leave behind.
        return [float(f"{number * step:.10g}") for number in range(first, last + 1)]


def time_axis(report: Report) -> Axis:
    """Return the axis of times relative to the default's: it always has 1 and some room about it."""
    shown = [trial.relative for trial in report.candidates if trial.relative is not None]
    intervals = shown if report.noise is None else [*shown, report.noise]
    low, high = min([0.95, *[each.low for each in intervals]]), max([1.05, *[each.high for each in intervals]])
    return Axis(low, min(high, _FARTHEST))


def memory_axis(report: Report) -> Axis:
    """Return the axis of peaks, in their unit: it begins at 0."""
    peaks = [trial.peak_bytes or 0 for trial in report.candidates]
    return Axis(0, (max(peaks) or 1) / report.memory_unit[0])
