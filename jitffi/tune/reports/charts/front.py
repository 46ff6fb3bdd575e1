"""Time and memory of each candidate, and the front of those than which no other is as fast and as small."""

from __future__ import annotations

from collections.abc import Sequence

from jitffi.tune.reports import wording
from jitffi.tune.reports.charts.frame import WIDE, grid, levels, mark, svg
from jitffi.tune.reports.charts.rows import Row, rows
from jitffi.tune.reports.charts.times import FAR, time_scale
from jitffi.tune.reports.report import Report
from jitffi.tune.reports.svg import Markup, Scale, around, line, tag, text, text_width

#: Left, top, right, bottom.
Box = tuple[float, float, float, float]


def points(report: Report) -> list[Row]:
    """Candidates whose time and memory are known, and to be relied on."""
    known = [row for row in rows(report) if row.relative is not None and row.trial.peak_bytes is not None]
    return [row for row in known if not row.is_rough]


def front(report: Report, width: int) -> Markup:
    """A point for each candidate that has both; the front is joined."""
    shown = points(report)
    height = 360 if width == WIDE else 320
    left, right, top, bottom = 54, width - 18, 34, height - 44
    unit = wording.memory_unit((report.default, *report.trials))
    across = _memory_scale([(row.trial.peak_bytes or 0) / unit[0] for row in shown], left + 26, right - 20)
    down = time_scale(shown, None, bottom - 24, top + 18)
    places = {row.label: (across((row.trial.peak_bytes or 0) / unit[0]), down(_median(row))) for row in shown}
    parts: list[str] = [
        text(2, 14, "time relative to the default", "start", "axis"),
        text(right, height - 6, f"peak memory, {unit[1]}", "end", "axis"),
    ]
    parts += [levels(down, 6, left, right), grid(across, 7 if width == WIDE else 4, top, bottom, is_below=True)]
    parts.append(line(left, down(1.0), right, down(1.0), "default-line"))
    steps = [places[row.label] for trial in report.pareto for row in shown if row.trial is trial]
    if steps:
        parts.append(tag("path", class_="front", d=_staircase(steps)))
    labels = _placed(shown, places, (left, top - 6, width - 2, bottom))
    by_rank = sorted(shown, key=_importance, reverse=True)
    parts += [_point(row, *places[row.label], labels.get(row.label)) for row in by_rank]
    return svg(width, height, "Time and memory of the candidates", *parts)


def _median(row: Row) -> float:
    return row.relative.median if row.relative is not None else 1.0


def _memory_scale(amounts: list[float], start: float, end: float) -> Scale:
    low, high = min(amounts, default=0), max(amounts, default=1)
    if low > 0 and high / low > 4 * FAR:
        return Scale(low / 1.2, high * 1.2, start, end, logarithmic=True)
    low, high = around(amounts)
    return Scale(max(low, 0.0), high, start, end)


def _staircase(steps: list[tuple[float, float]]) -> str:
    """From one point to the next: first to its memory, then to its time."""
    x, y = steps[0]
    return f"M{x:.2f} {y:.2f}" + "".join(f"H{x:.2f}V{y:.2f}" for x, y in steps[1:])


def _point(row: Row, x: float, y: float, label: tuple[float, float] | None) -> Markup:
    dot = (
        tag("rect", class_="dot", x=x - 4.5, y=y - 4.5, width=9, height=9)
        if row.trial.pads.is_default
        else tag("circle", class_="dot", cx=x, cy=y, r=6.5 if "winner" in row.status else 4.5)
    )
    area = tag("circle", class_="area", cx=x, cy=y, r=12.0)
    return mark(row, area, dot, *([] if label is None else [text(*label, row.label, "start", "label")]))


def _importance(row: Row) -> int:
    """Whose label is placed first."""
    words = ("winner", "default", "Pareto")
    return next((rank for rank, word in enumerate(words) if word in row.status), len(words))


def _placed(
    shown: Sequence[Row], places: dict[str, tuple[float, float]], within: Box
) -> dict[str, tuple[float, float]]:
    """Where labels can be beside their points without lying over others; what has no such place is left out."""
    taken: list[Box] = [(x - 6, y - 6, x + 6, y + 6) for x, y in places.values()]
    found: dict[str, tuple[float, float]] = {}
    for row in sorted(shown, key=_importance):
        x, y = places[row.label]
        width = text_width(row.label, 13)
        for dx, dy in _beside(width):
            box = (x + dx - 1, y + dy - 12, x + dx + width + 1, y + dy + 4)
            is_inside = within[0] <= box[0] and within[1] <= box[1] and box[2] <= within[2] and box[3] <= within[3]
            if is_inside and not any(_overlap(box, other) for other in taken):
                found[row.label] = (x + dx, y + dy)
                taken.append(box)
                break
    return found


def _beside(width: float) -> tuple[tuple[float, float], ...]:
    """Where a label so wide may be, from its point: right, left, above, below, and at the corners."""
    centre = -width / 2
    sides = ((11.0, 4.0), (-11 - width, 4.0), (centre, -11.0), (centre, 20.0))
    return (*sides, (9.0, -8.0), (9.0, 17.0), (-9 - width, -8.0), (-9 - width, 17.0))


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
