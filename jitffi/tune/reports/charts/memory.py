"""Peak memory by candidate."""

from __future__ import annotations

from jitffi.tune.reports import wording
from jitffi.tune.reports.charts.frame import LEFT, ROW, TOP, WIDE, grid, hit, mark, svg
from jitffi.tune.reports.charts.rows import Row, rows
from jitffi.tune.reports.report import Report
from jitffi.tune.reports.svg import Markup, Scale, line, tag, text, text_width


def memory(report: Report, width: int) -> Markup:
    """A bar for each candidate: what it used at its peak."""
    shown = rows(report)
    unit = wording.memory_unit((report.default, *report.trials))
    bottom = TOP + ROW * len(shown)
    amounts = [row.trial.peak_bytes / unit[0] for row in shown if row.trial.peak_bytes is not None]
    scale = Scale(0, 1.02 * max(amounts, default=1) or 1, LEFT, width - 70)
    default = report.default.peak_bytes
    parts = [grid(scale, 7 if width == WIDE else 4, TOP, bottom)]
    parts += [_memory_row(row, TOP + ROW * (number + 0.5), scale, unit, width) for number, row in enumerate(shown)]
    if default is not None:
        parts.append(line(scale(default / unit[0]), TOP, scale(default / unit[0]), bottom + 6, "default-line"))
        middle = max(scale(default / unit[0]), text_width("default", 12) / 2)
        parts.append(text(middle, bottom + 19, "default", "middle", "tick"))
    return svg(width, bottom + 26, f"Peak memory in {unit[1]}, by candidate", *parts)


def _memory_row(row: Row, y: float, scale: Scale, unit: tuple[float, str], width: int) -> Markup:
    parts: list[str] = [hit(y, width), text(LEFT - 10, y + 4, row.label, "end", "label")]
    peak = row.trial.peak_bytes
    why = "" if width < WIDE or not row.trial.uncounted else f": {row.trial.uncounted}"
    said = "failed" if row.trial.failure is not None else f"unknown{why}"
    if peak is not None:
        end = scale(peak / unit[0])
        parts.append(tag("rect", class_="bar", x=LEFT, y=y - 6, width=max(end - LEFT, 1.0), height=12, rx=2))
        said = row.peak
    parts.append(text(width - 2, y + 4, said, "end", "value"))
    return mark(row, *parts)
