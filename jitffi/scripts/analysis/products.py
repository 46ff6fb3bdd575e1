"""`r = a * b` where all that is asked of r is `r & MASK` and `r >> 64`: both halves of a product of 128 bits are kept.

Such a variable has nothing but products of a U64, and each read of it asks for its lowest bits or shifts it.
"""

from __future__ import annotations

from jitffi.scripts.analysis import cut
from jitffi.scripts.library import rules
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from jitffi.scripts.tree.variable import Variable

_WHOLE: Final = ("int", "u64", "bool")


def is_product(node: tree.Expr) -> bool:
    """Whether it is one of 128 bits: of a U64, and of what is no float."""
    if not isinstance(node, tree.Binary) or node.op != "*" or node.type.kind != "u64":
        return False
    return node.left.type.kind in _WHOLE and node.right.type.kind in _WHOLE


def is_shift(node: tree.Expr) -> bool:
    """Whether it is one to the right by a constant."""
    if not isinstance(node, tree.Binary) or node.op != ">>" or not isinstance(node.right, tree.Const):
        return False
    return type(node.right.value) is int and node.right.value >= 0


def mark(function: tree.Function) -> None:
    """Note it in the variables of a typed tree."""
    nodes = list(walk(function.body))
    made = [each for each in nodes if isinstance(each, tree.Assign) and is_product(each.value) and not each.is_cut]
    found: set[Variable] = set()
    for each in made:
        target = each.targets[0]
        if isinstance(target, tree.TargetLocal) and len(each.targets) == 1 and target.variable.type.kind == "u64":
            found.add(target.variable)
    if not found:
        return
    products = {each.targets[0] for each in made}
    for node in nodes:
        if isinstance(node, tree.TargetLocal) and node not in products:
            found.discard(node.variable)
    fine = _asked_in_part(nodes)
    for node in nodes:
        if isinstance(node, tree.Local) and node not in fine:
            found.discard(node.variable)
    for variable in found:
        variable.is_wide = not variable.is_parameter


def _asked_in_part(nodes: list[Any]) -> set[tree.Expr]:
    """The reads of variables that ask for their lowest bits, or shift them."""
    found: set[tree.Expr] = set()
    for node in nodes:
        if is_shift(node):
            found.add(node.left)
        elif isinstance(node, tree.Binary) and node.type.kind in _WHOLE:
            for inner in cut.masked(node) if not rules.is_cut_to_u64(node) else [node.left]:
                found.update(cut.lowest(inner))
    return found
