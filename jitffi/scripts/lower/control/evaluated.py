"""Values that are there, as expressions: for lowerings that are handed nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jitffi.scripts.lower.function.registry import expression
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.tree import tree

if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body


@dataclass(eq=False)
class Given(tree.Expr):
    """An expression that has been evaluated."""

    value: Value


def given(place: tree.Place, value: Value) -> Given:
    found = Given(place, value)
    found.type = value.type
    return found


@expression(Given)
def _given(b: Body, node: Given) -> Value:
    return node.value
