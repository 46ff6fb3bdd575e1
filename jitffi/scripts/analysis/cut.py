"""`h *= 31` and behind it `h &= MASK`: the first statement gives a number of which the second takes the lowest bits,
so it need not fit.

That is so where nothing but the next statement sees it: it is of the same variable, or of the only one that reads it.
"""

from __future__ import annotations

from collections import Counter

from jitffi.scripts.library import rules
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.walk import BLOCKS, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from jitffi.scripts.tree.variable import Variable

_WHOLE: Final = ("int", "u64", "bool")
#: The lowest bits of their results depend on those of their operands alone; `<<`: of the left one.
RING: Final = frozenset(("+", "-", "*", "&", "|", "^"))


def mark(function: tree.Function) -> None:
    """Note it in the statements of a typed tree."""
    reads: Counter[Variable] = Counter()
    for node in walk(function.body):
        if isinstance(node, tree.Local):
            reads[node.variable] += 1
        elif isinstance(node, tree.AugAssign) and isinstance(node.target, tree.TargetLocal):
            reads[node.target.variable] += 1
    waiting: list[Any] = [function.body]
    while waiting:
        body = waiting.pop()
        for stmt, after in zip(reversed(body[:-1]), reversed(body[1:]), strict=True):
            variable = _assigned(stmt)
            if variable is not None and _is_ring(stmt) and _takes_lowest(after, variable):
                is_same = _assigned(after) is variable
                stmt.is_cut = is_same or reads[variable] == _reads(after, variable)
        waiting += [part for stmt in body for name in BLOCKS if (part := getattr(stmt, name, []))]


def _assigned(stmt: tree.Stmt) -> Variable | None:
    """The one variable, of whole numbers, that it assigns to."""
    target: tree.Target | None = None
    if isinstance(stmt, tree.AugAssign):
        target = stmt.target
    elif isinstance(stmt, tree.Assign) and len(stmt.targets) == 1:
        target = stmt.targets[0]
    is_whole = isinstance(target, tree.TargetLocal) and target.variable.type.kind in ("int", "u64")
    return target.variable if isinstance(target, tree.TargetLocal) and is_whole else None


def _is_ring(stmt: Any) -> bool:
    """Whether only the lowest bits of what is in it are needed for those of its result."""
    if isinstance(stmt, tree.AugAssign):
        return stmt.op in (*RING, "<<") and stmt.value.type.kind in _WHOLE
    return is_ring(stmt.value)


def is_ring(node: tree.Expr) -> bool:
    """The same of an expression."""
    if isinstance(node, tree.Unary):
        return node.op in ("-", "~") and node.operand.type.kind in _WHOLE
    if not isinstance(node, tree.Binary) or node.op not in (*RING, "<<"):
        return False
    return node.left.type.kind in _WHOLE and node.right.type.kind in _WHOLE


def _takes_lowest(stmt: Any, variable: Variable) -> bool:
    """Whether it asks for the lowest bits of that variable alone: it masks them, or is cut itself."""
    if isinstance(stmt, tree.AugAssign):
        if _assigned(stmt) is not variable:
            return False
        is_mask = stmt.op == "&" and _is_mask(stmt.value) and not _reads(stmt, variable)
        return is_mask or (stmt.is_cut and not (stmt.op == "<<" and _reads(stmt, variable)) and _lowest(stmt, variable))
    if not isinstance(stmt, tree.Assign) or _assigned(stmt) is None:
        return False
    return _lowest(stmt, variable) if stmt.is_cut else _is_masked(stmt.value, variable)


def _lowest(stmt: Any, variable: Variable) -> bool:
    return _is_enough(stmt, stmt.value, variable)


def _is_enough(node: Any, inner: tree.Expr, variable: Variable) -> bool:
    """Whether the lowest bits of *inner* are all that is read of it in the node."""
    return _reads(node, variable) == sum(each.variable is variable for each in lowest(inner))


def _is_masked(node: tree.Expr, variable: Variable) -> bool:
    if not isinstance(node, tree.Binary) or node.type.kind not in _WHOLE:
        return False
    found = [node.left] if rules.is_cut_to_u64(node) else masked(node)
    return any(_is_enough(node, each, variable) for each in found)


def masked(node: tree.Binary) -> list[tree.Expr]:
    """What is masked in `x & MASK`: either, of two that can be masks."""
    if node.op != "&":
        return []
    both = ((node.left, node.right), (node.right, node.left))
    return [inner for inner, mask in both if _is_mask(mask) and inner.type.kind in _WHOLE]


def _is_mask(node: tree.Expr) -> bool:
    """A constant, or a variable, that cannot be negative."""
    if isinstance(node, tree.Const):
        return type(node.value) is int and 0 <= node.value >> 64 < 1
    return isinstance(node, tree.Local) and node.type.kind == "u64"


def lowest(node: tree.Expr) -> list[tree.Local]:
    """The variables that are read in an expression where their lowest bits are enough for its own."""
    found, waiting = [], [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tree.Local):
            found.append(each)
        elif isinstance(each, tree.Unary) and is_ring(each):
            waiting.append(each.operand)
        elif isinstance(each, tree.Binary) and is_ring(each):
            waiting += [each.left] if each.op == "<<" else [each.left, each.right]
    return found


def _reads(node: Any, variable: Variable) -> int:
    return sum(isinstance(each, tree.Local) and each.variable is variable for each in walk([node]))
