"""How many texts there are of each length, and where the room of each pad ends."""

from __future__ import annotations

import math
from functools import reduce

from jitffi.tune.reports import wording
from jitffi.tune.reports.charts.frame import WIDE, levels, svg
from jitffi.tune.reports.report import Report
from jitffi.tune.reports.svg import Markup, Scale, joined, line, tag, text


def limit(pad: int, is_ucs4: bool) -> int:
    """Bytes of the longest text that a slot has room for."""
    in_bytes, characters = wording.room(pad)
    return 4 * characters if is_ucs4 else in_bytes


def is_ucs4(report: Report) -> bool:
    """Whether all lengths are those of UCS4."""
    return reduce(math.gcd, (length for length, _ in report.histogram), 0) % 4 == 0


def lengths(report: Report, width: int) -> Markup:
    """A bar for each length of text, and a line where each pad's room ends."""
    wide_text = is_ucs4(report)
    step = max(reduce(math.gcd, (length for length, _ in report.histogram), 0), 1)
    end = limit(15, wide_text)
    longer = sum(count for length, count in report.histogram if length > end)
    height = 300 if width == WIDE else 260
    left, right, top, bottom = 54, width - (62 if longer else 14), 40, height - 46
    across = Scale(0, end, left, right)
    highest = max((count for _, count in report.histogram), default=1)
    up = Scale(0, 1.05 * max(highest, longer, 1), bottom, top)
    parts: list[str] = [
        text(2, 12, "the room of pad", "start", "axis"),
        text(right, height - 6, "characters of UCS4" if wide_text else "bytes of text", "end", "axis"),
    ]
    parts.append(levels(up, 5, left, right))
    in_range = [(length, count) for length, count in report.histogram if length <= end]
    parts += [_length_bar(report, length, count, across, up, step) for length, count in in_range]
    if longer:
        said = f"{longer} texts are longer than {end} bytes: on the heap with each pad"
        bar = tag("rect", class_="bar", x=right + 20.0, y=up(longer), width=14.0, height=bottom - up(longer))
        parts.append(tag("g", tag("title", said), bar, class_="mark length heap", tabindex=-1, role="listitem"))
        most = f">{end // 4 if wide_text else end}"
        parts.append(text(right + 18, bottom + 16, most, "start", "tick x"))
    parts += [_limit(report, pad, across, top, bottom, wide_text) for pad in range(16)]
    return svg(width, height, "Lengths of text, and the room of each pad", *parts)


def _length_bar(report: Report, length: int, count: int, across: Scale, up: Scale, step: int) -> Markup:
    x, end = across(length - step), across(length)
    gap = min(1.0, (end - x) / 5)
    needed = max(0, -(-(length - limit(0, is_ucs4(report))) // 8))
    is_inline = report.best is not None and needed <= report.best
    said = f"{count} texts of {length} bytes: in place from pad {needed} on"
    height = up.start - up(count)
    bar = tag("rect", class_="bar", x=x + gap, y=up(count), width=max(end - x - 2 * gap, 0.5), height=max(height, 0.5))
    kind = "inline" if is_inline else "heap" if report.best is not None else "either"
    title, kind = tag("title", said), f"mark length {kind}"
    return tag("g", title, bar, class_=kind, data_length=length, tabindex=-1, role="listitem")


def _limit(report: Report, pad: int, across: Scale, top: float, bottom: float, wide_text: bool) -> Markup:
    end = limit(pad, wide_text)
    x = across(end)
    is_best = pad == report.best
    label = text(x, top - 8, str(pad), "middle", "tick limit best" if is_best else "tick limit")
    below = [text(x, bottom + 16, str(end // 4 if wide_text else end), "middle", "tick x")] if pad % 3 == 0 else []
    return joined((line(x, top - 4, x, bottom, "limit best" if is_best else "limit"), label, *below))
