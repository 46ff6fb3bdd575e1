"""Counters: ints that begin small and go up and down by little, so that no loop takes them beyond 64 bits.

    n = 0 ... n += 1                        a counter
    i, j = 0, len(text) ... i = j + 1       counters, each by way of the other
    total += x                              none
    for i in range(n):                      none where n is none

Each assignment to any of them adds LITTLE at most to what the largest is, from SMALL or a size in memory on: that is
2**54 assignments at least to a sum of 64 bits, a year's work. What is added to a counter, or taken from it, need not be
checked.
"""

from __future__ import annotations

from jitffi.scripts.tree import tree, tries
from jitffi.scripts.tree.walk import assigned_by, element_pairs, walk, walk_statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

LITTLE: Final = 256
SMALL: Final = 1 << 32
#: Of text and lists: no more than there is memory, or -1.
_PLACES: Final = ("find", "rfind", "index", "rindex", "count")


def counters(function: tree.Function) -> set[tree.Variable]:
    """Those of a typed function."""
    found = {
        each for each in function.variables if each.type.kind == "int" and not (each.is_parameter or each.is_unsteady)
    }
    given: list[tuple[tree.Variable, tree.Expr]] = []
    for stmt in walk_statements(function.body):
        for target, value in _assignments(stmt):
            if value is None:
                found -= set(assigned_by(target))
            elif isinstance(target, tree.TargetLocal):
                given.append((target.variable, value))
    found -= {node.target.variable for node in walk(function.body) if isinstance(node, tree.Named)}
    count = -1
    while count != len(found):
        count = len(found)
        found -= {variable for variable, value in given if not is_small(value, found)}
    return found


def is_step(value: tree.Expr, op: str) -> bool:
    """Whether a counter goes up or down by a constant, or by the truth of something."""
    if op not in ("+", "-"):
        return False
    if isinstance(value, tree.Const):
        return type(value.value) is int and abs(value.value) <= LITTLE
    return value.type.kind == "bool"


def is_small(value: tree.Expr, among: set[tree.Variable]) -> bool:
    """Whether an expression is no more than a step from what is small, or from one of these."""
    if isinstance(value, tree.Const):
        return isinstance(value.value, int) and abs(value.value) <= SMALL
    if value.type.kind == "bool":
        return True
    if isinstance(value, tree.Local):
        return value.variable in among
    if isinstance(value, tree.Binary):
        return is_small(value.left, among) and is_step(value.right, value.op)
    if isinstance(value, tree.Builtin):
        is_choice = value.name in ("min", "max") and len(value.args) > 1 and value.key is None and not value.keywords
        return value.name == "len" or (is_choice and all(is_small(each, among) for each in value.args))
    return isinstance(value, tree.Method) and value.name in _PLACES and value.value.type.kind in ("str", "bytes")


def _assignments(stmt: tree.Stmt) -> Iterable[tuple[tree.Target, tree.Expr | None]]:
    """What a statement assigns to, and the value; None: one that is not told here."""
    if isinstance(stmt, tree.Assign):
        pairs = element_pairs(stmt.targets[0], stmt.value) if len(stmt.targets) == 1 else None
        for target, value in pairs or [(each, stmt.value) for each in stmt.targets]:
            yield target, value if isinstance(target, tree.TargetLocal) else None
    elif isinstance(stmt, tree.AugAssign):
        yield stmt.target, stmt.value if is_step(stmt.value, stmt.op) else None
    elif isinstance(stmt, tree.For):
        yield from _of_loop(stmt)
    elif isinstance(stmt, tries.Unbind):
        yield stmt.target, None
        yield tree.TargetLocal(stmt.value.place, stmt.value.variable), None
    elif isinstance(stmt, tries.Titled):
        yield stmt.target, None
        yield stmt.unbound, None


def _of_loop(loop: tree.For) -> Iterable[tuple[tree.Target, tree.Expr | None]]:
    """A range's numbers are between its arguments, those of enumerate() as many as there are items."""
    call, target = loop.iterable, loop.target
    name = call.name if isinstance(call, tree.Builtin) else ""
    if name == "range" and isinstance(call, tree.Builtin):
        yield from ((target, each) for each in call.args)
    elif name == "enumerate" and isinstance(target, tree.TargetTuple) and len(target.targets) == 2 and target.star < 0:
        start = call.args[1:] if isinstance(call, tree.Builtin) else []
        yield target.targets[0], tree.Const(loop.place, 0) if not start else None
        yield target.targets[1], None
    else:
        yield target, None
