"""A drawing of growth: ratios to Python's time over the number of items, from what `--json` wrote.

    python -m benchmarks --only growth --json growth.json
    python -m benchmarks.plot growth.json docs/static/growth.svg

Both axes are logarithmic, and the heavy line is Python.
"""

from __future__ import annotations

import json
import math
import pathlib
import re
import sys
from collections.abc import Iterable
from html import escape
from typing import Any

from benchmarks.harness import Times

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 400, 60, 20, 300, 40
COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#8e5aa8", "#b8860b", "#4f6d7a", "#d1495b", "#2f4858", "#0a9396")
LOWEST, HIGHEST = 0.1, 4.0

Point = tuple[float, float]


def lines(groups: dict[str, Any]) -> dict[str, list[Point]]:
    """Row without its size -> (size, ratio); rows from Python and of other things than items are left to the table."""
    found: dict[str, list[Point]] = {}
    for fields in groups["growth"]["times"]:
        times = Times(**fields)
        row = re.fullmatch(r"((?:map|list|sort|text).*), ([\d ]+)", times.case)
        if row and len(times.samples) == 2:
            size = float(row[2].replace(" ", ""))
            found.setdefault(row[1], []).append((size, times.ratio("jitffi", "Python").median))
    return found


def _scaled(value: float, low: float, high: float, begin: float, end: float) -> float:
    part = (math.log(min(max(value, low), high)) - math.log(low)) / (math.log(high) - math.log(low))
    return begin + part * (end - begin)


def _text(x: float, y: float, words: str, anchor: str = "start", colour: str = "#333") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'


def _axes(sizes: Iterable[float], across: Any, up: Any) -> list[str]:
    drawn = []
    for size in sizes:
        drawn.append(_text(across(size), HEIGHT - BOTTOM + 18, f"{size:,.0f}".replace(",", " "), "middle"))
    for ratio in (0.1, 0.2, 0.5, 1.0, 2.0, 4.0):
        heavy = ' stroke-width="2.5"' if ratio == 1.0 else ' stroke-dasharray="2 4"'
        drawn.append(
            f'<path d="M{LEFT} {up(ratio):.1f}H{WIDTH - RIGHT}" stroke="#999"{heavy}/>'
            + _text(LEFT - 8, up(ratio) + 4, f"{ratio:g}", "end")
        )
    return drawn


def drawing(rows: dict[str, list[Point]]) -> str:
    """The SVG of `lines`. Names stand at the right, in the order of the last ratios."""
    sizes = sorted({size for points in rows.values() for size, _ in points})

    def across(size: float) -> float:
        return _scaled(size, sizes[0], sizes[-1], LEFT + 10, WIDTH - RIGHT - 10)

    def up(ratio: float) -> float:
        return _scaled(ratio, LOWEST, HIGHEST, HEIGHT - BOTTOM, TOP)

    drawn = _axes(sizes, across, up)
    below = 0.0
    for at, (name, points) in enumerate(sorted(rows.items(), key=lambda row: -row[1][-1][1])):
        colour = COLOURS[at % len(COLOURS)]
        path = "L".join(f"{across(size):.1f} {up(ratio):.1f}" for size, ratio in points)
        drawn.append(f'<path d="M{path}" stroke="{colour}" stroke-width="2"/>')
        below = max(below + 15, up(points[-1][1]) + 4)
        drawn.append(_text(WIDTH - RIGHT + 4, below, f"{points[-1][1]:.2f}  {name}", colour=colour))
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} fill="none">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *drawn, "</svg>", ""])


def main() -> int:
    source, target = map(pathlib.Path, sys.argv[1:3])
    target.write_text(drawing(lines(json.loads(source.read_text())["groups"])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
