"""`(a * b + c) & 0xFFFFFFFF`, `... % 2**32`: only the lowest bits of what is inside count, so it cannot be too large.

Sums, products, shifts to the left and operations on bits have the lowest bits that the lowest bits of their operands
give. What else stands inside is computed as ever.
"""

from __future__ import annotations

from jitffi.scripts.library import rules
from jitffi.scripts.lower import numbers, products
from jitffi.scripts.lower.function.emit import V, const
from jitffi.scripts.lower.function.values import Value, int_, u64
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body

_WHOLE: Final = ("int", "u64", "bool")
_OPERATIONS: Final = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor"}
#: Deeper expressions are computed as ever.
_MOST_DEEP: Final = 40


def masked(b: Body, node: tree.Binary) -> Value | None:
    """None for what is nothing of that kind, or cannot be too large anyway."""
    if rules.is_cut_to_u64(node) and node.type.kind == "u64":
        return u64(_lowest(b, node.left, _MOST_DEEP))
    if node.op not in ("&", "%") or node.type.kind not in ("int", "u64"):
        return None
    if node.op == "&" and node.type.kind == "u64":
        return _cut(b, node)
    inner, number = node.left, _constant(node.right)
    if number is None and node.op == "&":
        inner, number = node.right, _constant(node.left)
    if number is None or number < 0:
        return None
    if node.op == "%":
        if number & (number - 1) or number == 0:
            return None
        number -= 1
    if not _can_be_too_large(inner):
        return None
    return int_(b.e.and_(_lowest(b, inner, _MOST_DEEP), const("i64", number)))


def _cut(b: Body, node: tree.Binary) -> Value | None:
    """`x & mask` where the mask is a U64, whatever it is: a constant, or what is nothing that could be too large."""
    if not all(each.type.kind in _WHOLE or rules.is_beyond(each) for each in (node.left, node.right)):
        return None
    masks = [each for each in (node.right, node.left) if each.type.kind == "u64"]
    mask = min(masks, key=lambda each: (_constant(each) is None, _can_be_too_large(each)))
    if mask is node.right:
        left, right = _lowest(b, node.left, _MOST_DEEP), numbers.as_int(b, b.expr(mask))
    else:
        left, right = numbers.as_int(b, b.expr(mask)), _lowest(b, node.right, _MOST_DEEP)
    return u64(b.e.and_(left, right))


def cut(b: Body, node: tree.Assign | tree.AugAssign, variable: tree.Variable) -> Value:
    """The lowest bits of what a statement that is cut gives its variable."""
    if isinstance(node, tree.Assign):
        return Value(variable.type, _lowest(b, node.value, _MOST_DEEP))
    before = numbers.as_int(b, b.variables.load(variable, check=True))
    if node.op == "<<":
        return Value(variable.type, _shifted(b, before, node.value))
    value = _lowest(b, node.value, _MOST_DEEP)
    return Value(variable.type, b.e.binary(_OPERATIONS[node.op], before, value, "lowest"))


def _shifted(b: Body, x: V, node: tree.Expr) -> V:
    e = b.e
    count = numbers.shift_count(b, b.expr(node))
    within = e.icmp("ult", count, const("i64", 64), "within")
    return e.select(within, e.shl(x, e.and_(count, const("i64", 63)), "lowest"), const("i64", 0), "lowest")


def _constant(node: tree.Expr) -> int | None:
    value = node.value if isinstance(node, tree.Const) else None
    return value if type(value) is int else None


def _can_be_too_large(node: tree.Expr) -> bool:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tree.Binary) and _is_whole(each):
            if each.op in ("+", "-", "*", "<<") or (each.op in ("|", "^") and each.type.kind == "u64"):
                return True
            waiting += [each.left, each.right] if each.op in _OPERATIONS else []
        elif isinstance(each, tree.Unary) and _is_whole(each):
            waiting.append(each.operand)
    return False


def _is_whole(node: tree.Expr) -> bool:
    parts = (node.left, node.right) if isinstance(node, tree.Binary) else (node,)
    is_whole = node.type.kind in ("int", "u64") or rules.is_beyond(node)
    return is_whole and all(each.type.kind in _WHOLE for each in parts)


def _lowest(b: Body, node: tree.Expr, deep: int) -> V:
    """The lowest 64 bits of an int."""
    e = b.e
    if deep and isinstance(node, tree.Binary) and _is_whole(node):
        if node.op in _OPERATIONS:
            left = _lowest(b, node.left, deep - 1)
            return e.binary(_OPERATIONS[node.op], left, _lowest(b, node.right, deep - 1), "lowest")
        if node.op == "<<":
            return _shifted(b, _lowest(b, node.left, deep - 1), node.right)
    part = products.shifted(b, node)
    if part is not None:
        return part[0]
    if deep and isinstance(node, tree.Unary) and node.op in ("-", "~") and node.operand.type.kind in _WHOLE:
        operand = _lowest(b, node.operand, deep - 1)
        return e.sub(const("i64", 0 if node.op == "-" else -1), operand, "lowest")
    return numbers.as_int(b, b.expr(node))
