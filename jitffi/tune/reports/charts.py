"""Drawings in the cells of a report's tables: strips of one row's height, as wide as their column.

Places along a strip are percents of its width, so that one drawing fits every screen; the head of the column has the
numbers of the axis. A strip tells in its title what it shows, which browsers show on hovering and read aloud.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jitffi.tune.formatting import Unit
from jitffi.tune.records import Interval, Trial
from jitffi.tune.reports import statements
from jitffi.tune.reports.markup import Markup, joined, tag

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

#: Pixels of a strip's height, and percents of its width that are left free at either end.
_HEIGHT, _MARGIN = 24, 4.0
#: An axis of times that differ by more than this is logarithmic.
_FAR = 6.0
#: Numbers on an axis, at most.
_TICKS = 4


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


# -- times ------------------------------------------------------------------------------------------------------------


def relative_of(trial: Trial) -> Interval | None:
    """Return the time relative to the default's of what was measured, if it can be drawn."""
    found = None if trial.seconds is None else trial.relative
    return found if found is not None and 0 < found.median < math.inf else None


def noise_of(report: Report) -> Interval | None:
    """Return the noise, if it can be drawn."""
    return report.noise if report.noise is not None and statements.is_finite(report.noise) else None


def time_scale(report: Report) -> Scale:
    """Return the axis of times relative to the default's: it always has 1 and some room about it."""
    trials = (report.default, *report.trials, *report.refined)
    found = [interval for trial in trials if (interval := relative_of(trial)) is not None]
    medians = [0.95, 1.05, *[each.median for each in found]]
    intervals = [*found, *filter(None, [noise_of(report)])]
    # Whiskers that would make all else small are cut.
    low = min(medians + [max(each.low, min(medians) / 3) for each in intervals if math.isfinite(each.low)])
    high = max(medians + [min(each.high, max(medians) * 3) for each in intervals if math.isfinite(each.high)])
    return Scale(low, high, logarithmic=high / low > _FAR)


def time(report: Report, trial: Trial, scale: Scale, story: str) -> Markup:
    """Draw a candidate's time with its interval, over the noise and the line of the default."""
    parts = [_line(scale(1.0), "default-line")]
    if (noise := noise_of(report)) is not None:
        parts.insert(0, _bar(scale(noise.low), scale(noise.high), "noise", _HEIGHT))
    found = relative_of(trial)
    if found is not None:
        if not report.is_rough(trial):
            low, high = (scale(end if math.isfinite(end) else found.median) for end in (found.low, found.high))
            middle = _HEIGHT / 2
            parts.append(tag("line", class_="whisker", x1=f"{low:.2f}%", x2=f"{high:.2f}%", y1=middle, y2=middle))
        parts.append(_dot(scale(found.median)))
    return _strip(story, parts)


# -- amounts ----------------------------------------------------------------------------------------------------------


def amount_scale(amounts: Iterable[float]) -> Scale:
    """Return the axis of bars: it begins at 0."""
    return Scale(0, max([each for each in amounts if math.isfinite(each)], default=1) or 1)


def amount(value: float | None, scale: Scale, story: str, mark: float | None = None) -> Markup:
    """Draw a bar, and a line at *mark*, with which it is to be compared."""
    parts = [] if value is None else [_bar(scale(0), scale(value), "bar", _HEIGHT / 2)]
    parts += [] if mark is None else [_line(scale(mark), "default-line")]
    return _strip(story, parts)


def axis(name: str, scale: Scale, unit: Unit = (1, "")) -> Markup:
    """Draw the numbers of an axis under its name: the head of a column of strips."""
    ticks = [(tick, f"{tick:g}") for tick in scale.ticks()]
    texts = [
        tag("text", label, class_="tick", x=f"{scale(tick):.2f}%", y=12, text_anchor="middle") for tick, label in ticks
    ]
    drawing = tag("svg", *texts, class_="axis", width="100%", height=16, role="img", aria_label=f"axis: {name}")
    return joined((tag("span", f"{name}, {unit[1]}" if unit[1] else name), drawing))


def _strip(story: str, parts: Iterable[Markup]) -> Markup:
    return tag("svg", tag("title", story), *parts, class_="strip", width="100%", height=_HEIGHT, role="img")


def _bar(start: float, end: float, kind: str, height: float) -> Markup:
    width = f"{max(end - start, 0.3):.2f}%"
    return tag("rect", class_=kind, x=f"{start:.2f}%", y=(_HEIGHT - height) / 2, width=width, height=height)


def _dot(x: float) -> Markup:
    return tag("circle", class_="dot", cx=f"{x:.2f}%", cy=_HEIGHT / 2, r=4.5)


def _line(x: float, kind: str) -> Markup:
    return tag("line", class_=kind, x1=f"{x:.2f}%", x2=f"{x:.2f}%", y1=0, y2=_HEIGHT)
