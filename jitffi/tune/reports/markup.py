"""HTML and SVG made of elements, all text escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from jitffi.tune.formatting import clean

#: Characters of one text that are shown on a page.
_LONGEST = 600
_EMPTY = ("br", "meta", "link")


class Markup(str):
    """Text that is HTML already, and so is not escaped."""

    __slots__ = ()


def tag(name: str, /, *children: str, **attributes: str | float | None) -> Markup:
    """Return an element. Children that are no Markup are text; attributes that are None are left out.

    An attribute's underscores are hyphens, and one at its end stands for nothing, as in `class_`.

    >>> tag("p", "a < b", tag("br"), class_="note", data_n=1.5, id=None)
    '<p class="note" data-n="1.5">a &lt; b<br></p>'
    """
    opening = name + "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{opening}>" if name in _EMPTY else f"<{opening}>{joined(children)}</{name}>")


def joined(children: Iterable[str]) -> Markup:
    """Return elements and text, one after the other."""
    return Markup("".join(child if isinstance(child, Markup) else _escaped(child) for child in children))


def table(heads: Sequence[str], rows: Iterable[Markup], texts: Sequence[str] = ()) -> Markup:
    """Return a table that scrolls where it has no room. Heads that are neither Markup nor in *texts* are of numbers."""
    cells = [tag("th", head, scope="col", class_=_kind(head, texts)) for head in heads]
    content = tag("table", tag("thead", tag("tr", *cells)), tag("tbody", *rows))
    return tag("div", content, class_="scroll", tabindex=0)


def row(heads: Sequence[str], cells: Sequence[str], texts: Sequence[str] = (), class_: str | None = None) -> Markup:
    """Return a row of such a table; its first cell is its head."""
    kinds = [_kind(head, texts) for head in heads]
    first = tag("th", cells[0], scope="row", class_=kinds[0])
    others = [tag("td", cell, class_=kind) for cell, kind in zip(cells[1:], kinds[1:], strict=True)]
    return tag("tr", first, *others, class_=class_)


def _kind(head: str, texts: Sequence[str]) -> str | None:
    return "drawing" if isinstance(head, Markup) else None if head in texts else "number"


def _escaped(text: str) -> str:
    return html.escape(clean(text, _LONGEST))


def _attribute(value: str | float) -> str:
    if isinstance(value, str):
        return _escaped(value)
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
