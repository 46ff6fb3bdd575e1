"""Values that are there, as expressions: for lowerings that are handed nodes."""

from __future__ import annotations

from jitffi.base.records import record
from jitffi.scripts.lower.function.registry import expression
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body


@record
class Evaluated(tree.Expr):
    """An expression that has been evaluated."""

    value: Value


def evaluated(place: tree.Place, value: Value) -> Evaluated:
    found = Evaluated(place, value)
    found.type = value.type
    return found


@expression(Evaluated)
def _evaluated(b: Body, node: Evaluated) -> Value:
    return node.value
