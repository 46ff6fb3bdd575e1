"""The frame of a chart: its two widths, its grid, and marks that tell their story where they are pointed at."""

from __future__ import annotations

from collections.abc import Callable

from jitffi.tune.reports.charts.rows import Row
from jitffi.tune.reports.svg import Markup, Scale, joined, line, tag, text

WIDE, NARROW = 680, 340
#: Of charts with a row for each candidate: a row's height, what is above the first, and the place of labels.
ROW, TOP, LEFT = 22, 30, 68


def both(draw: Callable[[int], Markup]) -> Markup:
    """What *draw* makes of a width in pixels, for wide and narrow places."""
    return joined((draw(WIDE), draw(NARROW)))


def svg(width: int, height: float, label: str, *children: str) -> Markup:
    size = "wide" if width == WIDE else "narrow"
    return tag("svg", *children, class_=size, viewBox=f"0 0 {width} {height:g}", role="list", aria_label=label)


def mark(row: Row, *children: str) -> Markup:
    """What stands for a candidate: it tells its story where it is pointed at."""
    title = tag("title", row.story)
    return tag("g", title, *children, class_=row.classes, data_candidate=row.label, tabindex=-1, role="listitem")


def grid(scale: Scale, most: int, top: float, bottom: float, is_below: bool = False) -> Markup:
    """Vertical lines with their numbers above or below."""
    y = bottom + 16 if is_below else top - 8
    lines = [line(scale(tick), top, scale(tick), bottom, "grid") for tick in scale.ticks(most)]
    return joined(lines + [text(scale(tick), y, label, "middle", "tick x") for tick, label in scale.labelled(most)])


def levels(scale: Scale, most: int, left: float, right: float) -> Markup:
    """Horizontal lines with their numbers on the left."""
    made: list[str] = []
    for tick in scale.ticks(most):
        y = scale(tick)
        made += [line(left, y, right, y, "grid"), text(left - 8, y + 4, short_count(tick), "end", "tick y")]
    return joined(made)


def short_count(value: float) -> str:
    """A number for an axis, in at most five characters.

    >>> [short_count(value) for value in (0.25, 8000, 20000, 2.5e6, 1e12)]
    ['0.25', '8000', '20k', '2.5M', '1e+12']
    """
    if 10_000 <= value < 1e6:
        return f"{value / 1e3:g}k"
    return f"{value / 1e6:g}M" if 1e6 <= value < 1e9 else f"{value:g}"


def hit(y: float, width: int) -> Markup:
    """The whole row can be pointed at, and is lit."""
    return tag("rect", class_="hit", x=0, y=y - ROW / 2, width=width, height=ROW, rx=4)
