"""Time by candidate, relative to the default's, with intervals, and the noise about the default."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jitffi.tune.records import Interval
from jitffi.tune.reports import wording
from jitffi.tune.reports.charts.frame import LEFT, ROW, TOP, WIDE, grid, hit, mark, svg
from jitffi.tune.reports.charts.rows import Row, rows
from jitffi.tune.reports.report import Report
from jitffi.tune.reports.svg import Markup, Scale, around, line, tag, text, text_width

#: An axis of times that differ by more than this is logarithmic.
FAR = 6.0


def time_scale(shown: Sequence[Row], noise: Interval | None, start: float, end: float) -> Scale:
    """Of times relative to the default's, that always has 1 and some room about it."""
    found = [row.relative for row in shown if row.relative is not None]
    medians = [interval.median for interval in found] + [0.95, 1.05]
    medians += [row.guess for row in shown if row.guess is not None]
    # Whiskers that would make all else small are cut.
    lows = [max(interval.low, min(medians) / 3) for interval in found if math.isfinite(interval.low)]
    highs = [min(interval.high, max(medians) * 3) for interval in found if math.isfinite(interval.high)]
    if noise is not None:
        lows, highs = [*lows, max(noise.low, min(medians) / 3)], [*highs, min(noise.high, max(medians) * 3)]
    low, high = min(lows + medians), max(highs + medians)
    if high / low > FAR:
        return Scale(low / 1.1, high * 1.1, start, end, logarithmic=True)
    low, high = around((low, high), 0.04)
    return Scale(max(low, 0.0), high, start, end)


def times(report: Report, width: int) -> Markup:
    """A row for each candidate: its time relative to the default's, with the interval."""
    shown = rows(report)
    noise = report.noise if report.noise is not None and wording.is_finite(report.noise) else None
    right = width - (160 if width == WIDE else 58)
    bottom = TOP + ROW * len(shown)
    scale = time_scale(shown, noise, LEFT + 10, right - 10)
    behind = []
    if noise is not None:
        left, reach = scale(noise.low), scale(noise.high)
        behind.append(tag("rect", class_="noise", x=left, y=TOP, width=reach - left, height=bottom - TOP))
    said = "default" if noise is None else f"default, noise {wording.percent_interval(noise)}"
    half = text_width(said, 12) / 2
    middle = min(max(scale(1.0), half), width - half)
    return svg(
        width,
        bottom + 26,
        "Time relative to the default, by candidate",
        *behind,
        grid(scale, 8 if width == WIDE else 5, TOP, bottom),
        line(scale(1.0), TOP, scale(1.0), bottom + 6, "default-line"),
        text(middle, bottom + 19, said, "middle", "tick"),
        *(_time_row(row, TOP + ROW * (number + 0.5), scale, width) for number, row in enumerate(shown)),
    )


def _time_row(row: Row, y: float, scale: Scale, width: int) -> Markup:
    parts: list[str] = [hit(y, width), text(LEFT - 10, y + 4, row.label, "end", "label")]
    interval = row.relative
    if interval is not None:
        x = scale(interval.median)
        parts.append(line(scale(1.0), y, x, y, "stem"))
        if not row.is_rough:
            low, high = row.whisker
            parts.append(line(scale(low), y, scale(high), y, "whisker"))
        is_default = row.trial.pads.is_default
        parts.append(
            tag("rect", class_="dot", x=x - 4, y=y - 4, width=8, height=8)
            if is_default
            else tag("circle", class_="dot", cx=x, cy=y, r=6 if "winner" in row.status else 4.5)
        )
        said = row.time if width == WIDE and not is_default else wording.ratio(interval.median)
    elif row.trial.failure is not None:
        said = "failed"
    elif row.trial.seconds is not None:
        said = row.spent
    elif row.guess is not None:
        parts.append(tag("path", class_="guess", d=_diamond(scale(row.guess), y)))
        said = f"{wording.ratio(row.guess)} predicted" if width == WIDE else (*row.status, "predicted")[0]
    else:
        said = (*row.status, "unknown")[0]
    parts.append(text(width - 2, y + 4, said, "end", "value about" if row.is_rough else "value"))
    return mark(row, *parts)


def _diamond(x: float, y: float) -> str:
    return f"M{x - 4.5:.2f} {y:.2f}l4.5 -4.5l4.5 4.5l-4.5 4.5z"
