"""Generator expressions with a name: `words = (f(x) for x in xs)`, which the next statement goes through at once.

What it goes through is evaluated where it is made; everything else, as in Python, when it is gone through. So the
expression can be read where it is used, if that is in one place, and before anything else of that statement runs.
"""

from __future__ import annotations

from jitffi.scripts.frontend import kept
from jitffi.scripts.frontend.matches import hidden
from jitffi.scripts.frontend.targets import nodes_of
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.scripts.frontend.context import Context

_COMPREHENSIONS = ("GeneratorExp", "ListComp", "SetComp", "DictComp")


def assign(cx: Context, node: Any, following: Any) -> list[tree.Stmt] | None:
    """Read such an assignment, with the statement behind it; None for all others."""
    target = node.targets[0]
    if len(node.targets) != 1 or type(target).__name__ != "Name" or type(node.value).__name__ != "GeneratorExp":
        return None
    uses = [each for each in nodes_of(cx.source.node) if getattr(each, "id", None) == target.id]
    variable = cx.scope.find(target.id)
    if kept.is_kept(cx, node.value):
        return None
    if (
        following is None
        or len(uses) != 2
        or variable is None
        or variable.is_parameter
        or variable in cx.boxes | cx.cells
    ):
        return None
    if not _begins_with(_evaluated(following), target.id):
        return None
    over = cx.iterable(node.value.generators[0].iter)
    place = cx.place(node)
    if isinstance(over, tree.Comprehension) and over.is_lazy:  # of another one
        cx.kept[target.id] = (node.value, over)
        return []
    if isinstance(over, tree.Builtin) and over.name in ("range", "enumerate", "zip", "reversed"):
        return None
    made = hidden(cx, "generator")
    cx.bind(made)
    cx.kept[target.id] = (node.value, tree.Local(place, made))
    return [tree.Assign(place, [tree.TargetLocal(place, made)], over)]


def _evaluated(stmt: Any) -> Any:
    """What a statement evaluates first, and once."""
    kind = type(stmt).__name__
    if kind in ("Return", "Assign", "Expr", "AnnAssign"):
        return stmt.value
    return stmt.iter if kind == "For" else stmt.test if kind == "If" else None


def _begins_with(node: Any, name: str) -> bool:
    """Whether going through that variable is what is done first in the expression."""
    kind = type(node).__name__
    if kind == "Name":
        return bool(node.id == name)
    if kind in ("Attribute", "Subscript"):
        return _begins_with(node.value, name)
    if kind in _COMPREHENSIONS:
        return _begins_with(node.generators[0].iter, name)
    if kind != "Call":
        return False
    func = node.func
    base = func.value if type(func).__name__ == "Attribute" else func
    is_plain = type(base).__name__ in ("Name", "Constant") and getattr(base, "id", "") != name
    return _begins_with(node.args[0], name) if is_plain and node.args else _begins_with(func, name)
