"""HTML and SVG made of elements, all text escaped; and the scales of axes."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from dataclasses import dataclass

from jitffi.tune.reports import wording

#: Of one text, what is shown of it on a page.
_LONGEST = 600


class Markup(str):
    """Text that is HTML already, and so is not escaped."""

    __slots__ = ()


def tag(name: str, /, *children: str, **attributes: str | float | None) -> Markup:
    """An element. Children that are no Markup are text; attributes that are None are left out.

    An attribute's underscores are hyphens, and one at its end stands for nothing, as in `class_`.

    >>> tag("p", "a < b", tag("br"), class_="note", data_n=1.5, id=None)
    '<p class="note" data-n="1.5">a &lt; b<br></p>'
    """
    opening = name + "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in ("br", "meta"):
        return Markup(f"<{opening}>")
    return Markup(f"<{opening}>{joined(children)}</{name}>")


def joined(children: Iterable[str]) -> Markup:
    """Elements and text, one after the other."""
    return Markup("".join(child if isinstance(child, Markup) else _escaped(child) for child in children))


def _escaped(text: str) -> str:
    return html.escape(wording.clean(text, _LONGEST))


def _attribute(value: str | float) -> str:
    if isinstance(value, str):
        return _escaped(value)
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def text(x: float, y: float, content: str, anchor: str = "start", class_: str | None = None) -> Markup:
    """A line of SVG text; *anchor* says which end of it is at x: start, middle or end."""
    return tag("text", content, x=float(x), y=float(y), text_anchor=anchor, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    return tag("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), class_=class_)


def text_width(content: str, size: float = 12) -> float:
    """About how wide it is, rather more than less."""
    return 0.62 * size * len(content)


@dataclass(frozen=True, slots=True)
class Scale:
    """Where on an axis a number is: from *start* to *end*, in pixels; what is beyond the axis is put to its end.

    >>> Scale(0, 10, 100, 200)(2.5), Scale(1, 100, 0, 10, logarithmic=True)(10), Scale(0, 1, 0, 10)(7)
    (125.0, 5.0, 10.0)
    """

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        value = min(max(value, self.low), self.high)
        if self.logarithmic:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """At most about so many round numbers within the axis.

        >>> Scale(0.38, 1.35, 0, 1).ticks(6), Scale(0.3, 70, 0, 1, logarithmic=True).ticks(8)
        ([0.4, 0.6, 0.8, 1.0, 1.2], [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0])
        """
        if not self.logarithmic:
            return _even_ticks(self.low, self.high, most)
        for mantissas, every in (((1, 2, 5), 1), ((1,), 1), ((1,), 2), ((1,), 5), ((1,), 20)):
            decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            found = [_rounded(m * 10.0**d) for d in decades if d % every == 0 for m in mantissas]
            found = [tick for tick in found if self.low <= tick <= self.high]
            if len(found) <= most:
                break
        return found if len(found) > 1 else _even_ticks(self.low, self.high, most)

    def labelled(self, most: int, size: float = 12) -> list[tuple[float, str]]:
        """Ticks with their labels, without those that would lie over the ones before."""
        shown: list[tuple[float, str]] = []
        taken = -math.inf
        for tick in self.ticks(most):
            label = f"{tick:g}"
            half = text_width(label, size) / 2
            along = abs(self(tick) - self.start)
            if along - half > taken:
                shown.append((tick, label))
                taken = along + half + 4
        return shown


def _even_ticks(low: float, high: float, most: int) -> list[float]:
    rough = (high - low) / most
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(m * magnitude for m in (1, 2, 2.5, 5, 10) if m * magnitude >= rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [_rounded(number * step) for number in range(first, last + 1)]


def _rounded(value: float) -> float:
    """Without what binary fractions leave behind."""
    return float(f"{value:.10g}")


def around(values: Iterable[float], spare: float = 0.05) -> tuple[float, float]:
    """An axis for *values*, and *spare* of its length beyond both. What is not finite is left out.

    >>> around([1, 2]), around([5, 5]), around([])
    ((0.95, 2.05), (4.75, 5.25), (0.0, 1.0))
    """
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    beyond = spare * ((high - low) or abs(high) or 1)
    return low - beyond, high + beyond
