"""Loops over a display of builtins that their body calls: `for kind in (int, float): ... kind(text)`.

Each round is a copy of the body, in which the name is that of the builtin:

    behind: {
        round: { body of int }      `continue` leads behind the round, `break` behind it all
        round: { body of float }
        other
    }
"""

from __future__ import annotations

from jitffi.scripts.frontend import names
from jitffi.scripts.frontend.context import Loop, meet
from jitffi.scripts.frontend.targets import nodes_of
from jitffi.scripts.library.builtins import ROWS
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.scripts.frontend.context import Bound, Context

#: Copies of the body.
_MOST = 4


def read_for(cx: Context, node: Any) -> list[tree.Stmt] | None:
    """Read such a loop; None for all others."""
    if type(node.target).__name__ != "Name" or type(node.iter).__name__ not in ("Tuple", "List"):
        return None
    rounds = node.iter.elts
    if not 0 < len(rounds) <= _MOST or not all(_is_builtin(cx, each) for each in rounds):
        return None
    if not _is_only_called(cx, node):
        return None
    place, behind = cx.place(node), cx.new_label()
    read: list[tree.Stmt] = []
    breaks: list[Bound] = []
    for each in rounds:
        label = cx.new_label()
        loop = Loop(cx.loops, (behind, label))
        cx.blocks = [*cx.blocks, loop]
        entry = cx.bound
        body = cx.block(_renamed(node.body, node.target.id, each.id))
        cx.blocks = cx.blocks[:-1]
        cx.bound = entry  # `continue` may have left it anywhere
        breaks += loop.breaks
        read.append(tree.Labelled(place, label, body))
    read += cx.block(node.orelse)
    for bound in breaks:
        cx.bound = meet(cx.bound, bound)
    return [tree.Labelled(place, behind, read)]


def _is_builtin(cx: Context, node: Any) -> bool:
    return type(node).__name__ == "Name" and cx.is_outside(node.id) and names.builtin_name(cx.outside(node.id)) in ROWS


def _is_only_called(cx: Context, node: Any) -> bool:
    """Whether the body calls what the loop's variable is, and nothing else does anything with it."""
    name = node.target.id
    variable = cx.scope.find(name)
    if variable is None or variable.is_parameter or variable in cx.boxes | cx.cells or cx.scope.outer is not None:
        return False
    inside = [each for stmt in node.body for each in nodes_of(stmt)]
    if any(type(each).__name__ in ("FunctionDef", "Lambda", "ClassDef") for each in inside):
        return False
    called = [each.func for each in inside if type(each).__name__ == "Call" and getattr(each.func, "id", "") == name]
    everywhere = [each for each in nodes_of(cx.source.node) if getattr(each, "id", None) == name]
    return len(everywhere) == len(called) + 1


def _renamed(body: list[Any], name: str, builtin: str) -> list[Any]:
    """A copy of the statements, with another name."""
    import copy

    copied = copy.deepcopy(body)
    for each in (inner for stmt in copied for inner in nodes_of(stmt)):
        if getattr(each, "id", None) == name:
            each.id = builtin
    return copied
