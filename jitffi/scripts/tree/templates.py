"""Texts with values in them that are no f-strings: `template % values` and `template.format(values)`."""

from __future__ import annotations

from jitffi.base.records import record
from jitffi.scripts.tree.tree import Expr


@record
class Piece:
    """What stands for one value. `conversion` is "", "s", "r" or "a", and `spec` as in f-strings; of a number by `%`
    the conversion is its letter, and `percent` all of it."""

    index: int
    conversion: str
    spec: str
    percent: str = ""


@record
class Template(Expr):
    """The values are evaluated first, all of them, and then put in. *alone*: what stands behind `%` is one value, which
    may turn out to be a tuple or a mapping, of a text that is *whole*. Of bytes the parts are texts of as many
    characters."""

    args: list[Expr]
    parts: list[str | Piece]
    whole: str | bytes
    alone: bool = False
