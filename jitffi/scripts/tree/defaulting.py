"""Dicts that have values for keys which are not in them, as a script makes them."""

from __future__ import annotations

from jitffi.base.records import record
from jitffi.scripts.tree import tree


@record
class Defaulting(tree.Expr):
    """`Counter()`, `Counter(over)`, `defaultdict(list)`: a Map, or where Python gets it what calling `callee` gives."""

    callee: tree.Expr
    #: As `Type.default`.
    default: str
    #: What is counted; the class that a defaultdict calls, as an object.
    over: tree.Expr | None
    factory: tree.Expr | None
