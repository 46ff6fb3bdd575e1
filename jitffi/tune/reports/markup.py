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


def table(heads: Sequence[str], rows: Iterable[tuple[Sequence[str], str | None]], texts: Sequence[str] = ()) -> Markup:
    """Return a table that scrolls where it has no room, of rows of cells, each with its class; the first is its head.
    Heads that are neither Markup nor in *texts* are of numbers."""
    kinds = ["drawing" if isinstance(head, Markup) else None if head in texts else "number" for head in heads]
    head = tag("tr", *[tag("th", each, scope="col", class_=kind) for each, kind in zip(heads, kinds, strict=True)])
    body = []
    for (first, *others), class_ in rows:
        cells = [tag("td", each, class_=kind) for each, kind in zip(others, kinds[1:], strict=True)]
        body.append(tag("tr", tag("th", first, scope="row", class_=kinds[0]), *cells, class_=class_))
    return tag("div", tag("table", tag("thead", head), tag("tbody", *body)), class_="scroll", tabindex=0)


def _escaped(text: str) -> str:
    return html.escape(clean(text, _LONGEST))


def _attribute(value: str | float) -> str:
    if isinstance(value, str):
        return _escaped(value)
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
