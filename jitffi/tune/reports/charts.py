"""Where marks are on the strips in the cells of a report's tables, which are as wide as their column.

Places along a strip are percents of its width, so that one drawing fits every screen; the head of the column has the
numbers of the axis. page.html draws them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jitffi.tune.records import Interval, Trial
from jitffi.tune.reports import statements

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

#: What is drawn, as the style calls it, from where to where.
Mark = tuple[str, float, float]
#: Percents of a strip's width that are left free at either end.
_MARGIN = 4.0
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


def time(report: Report, trial: Trial, scale: Scale) -> list[Mark]:
    """Return a candidate's time with its interval, over the noise and the line of the default."""
    marks: list[Mark] = [("default-line", scale(1.0), scale(1.0))]
    if (noise := noise_of(report)) is not None:
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
