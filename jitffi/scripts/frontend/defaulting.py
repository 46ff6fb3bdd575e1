"""Readers of calls of collections.Counter and defaultdict, whose results can be native Maps."""

from __future__ import annotations

from jitffi.scripts.frontend import modules, names
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.defaulting import Defaulting
from jitffi.scripts.tree.types import COUNTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.scripts.frontend.context import Context

#: The classes that a native defaultdict calls; one of sets is Python's own.
_FACTORIES = frozenset(("int", "float", "str", "bool", "list", "dict", "set"))


def call(cx: Context, node: Any) -> tree.Expr | None:
    """`Counter()`, `Counter(over)` or `defaultdict(factory)`; None for all others."""
    if not cx.foreign or node.keywords or len(node.args) > 1 or any(map(_is_starred, node.args)):
        return None
    name = names.defaulting_class(_meant(cx, node.func))
    if name == COUNTER:
        over = cx.iterable(node.args[0]) if node.args else None
        return Defaulting(cx.place(node), cx.expr(node.func), COUNTER, over, None)
    if not name or not node.args:
        return None
    factory = names.builtin_name(_meant(cx, node.args[0]))
    if factory not in _FACTORIES:
        return None
    return Defaulting(cx.place(node), cx.expr(node.func), factory, None, cx.expr(node.args[0]))


def _is_starred(node: Any) -> bool:
    return type(node).__name__ == "Starred"


def _meant(cx: Context, node: Any) -> Any:
    """What a name that is no variable, or an attribute of a module, stands for."""
    if type(node).__name__ == "Name":
        return cx.outside(node.id) if cx.is_outside(node.id) else names.MISSING
    found = modules.dotted(cx, node)
    return names.MISSING if found is None else found[1]
