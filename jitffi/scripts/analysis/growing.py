"""Variables that a loop multiplies: beyond 64 bits soon, where nothing cuts them.

    value *= i              grows
    value = value << 1      grows
    value = value * 3 % m   does not: the remainder is what it gets
    h *= 33; h &= MASK      does not, either

Where a call cannot be made again by Python, such a variable is of any type, and its ints grow.
"""

from __future__ import annotations

from jitffi.scripts.tree import tree
from jitffi.scripts.tree.walk import walk_statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from jitffi.scripts.tree.variable import Variable

_GROW: Final = ("*", "<<", "**")
_CUT: Final = ("&", "%", "//", ">>")


def growing(function: tree.Function) -> set[Variable]:
    """Those of a function."""
    found: set[Variable] = set()
    cut: set[Variable] = set()
    for loop in walk_statements(function.body):
        if not isinstance(loop, tree.For | tree.While):
            continue
        for stmt in walk_statements(loop.body):
            variable, op = _operation(stmt)
            if variable is not None and op in _GROW:
                found.add(variable)
            elif variable is not None and op in _CUT:
                cut.add(variable)
    return found - cut


def has_growing(functions: Iterable[tree.Function]) -> bool:
    """Whether there is one of typed functions, an int."""
    return any(variable.type.kind in ("int", "u64") for each in functions for variable in growing(each))


def _operation(stmt: tree.Stmt) -> tuple[Variable | None, str]:
    """The variable that a statement gives what it was, changed by one operation, and that operation."""
    if isinstance(stmt, tree.AugAssign) and isinstance(stmt.target, tree.TargetLocal):
        return stmt.target.variable, stmt.op
    if not isinstance(stmt, tree.Assign) or len(stmt.targets) != 1 or not isinstance(stmt.value, tree.Binary):
        return None, ""
    target, value = stmt.targets[0], stmt.value
    if not isinstance(target, tree.TargetLocal):
        return None, ""
    parts = (value.left, value.right) if value.op == "*" else (value.left,)
    is_own = any(isinstance(each, tree.Local) and each.variable is target.variable for each in parts)
    return (target.variable, value.op) if is_own or value.op in _CUT else (None, "")
