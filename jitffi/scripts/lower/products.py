"""Products of two U64, of 128 bits: the halves of what is shifted, or kept in a variable (analysis/products.py)."""

from __future__ import annotations

from jitffi.scripts.analysis.products import is_product, is_shift
from jitffi.scripts.lower import unsigned
from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import V, const
from jitffi.scripts.lower.function.values import Value, u64
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body

ZERO = const("i64", 0)


def assign(b: Body, node: tree.Assign, variable: tree.Variable) -> None:
    """`r = x * y` of a variable that is wide."""
    low, high = _product(b, node.value)
    conversion.assign(b, variable, u64(low))
    b.e.store(high, _upper(b, variable))


def _upper(b: Body, variable: tree.Variable) -> V:
    if variable not in b.upper:
        b.upper[variable] = b.e.alloca("i64", f"{variable.name}.upper")
    return b.upper[variable]


def shifted(b: Body, node: tree.Expr) -> tuple[V, V] | None:
    """The lowest 64 bits of a product that is shifted to the right, and what is beyond; None of other things."""
    if not is_shift(node):
        return None
    assert isinstance(node, tree.Binary) and isinstance(node.right, tree.Const)
    halves, count = _halves(b, node.left), node.right.value
    if halves is None:
        return None
    e, (low, high) = b.e, halves
    if count >= 64:
        return (e.lshr(high, const("i64", count - 64)) if count < 128 else ZERO), ZERO
    if count == 0:
        return low, high
    below = e.or_(e.lshr(low, const("i64", count)), e.shl(high, const("i64", 64 - count)), "shifted")
    return below, e.lshr(high, const("i64", count))


def shift(b: Body, node: tree.Binary) -> Value | None:
    """The same as a U64; too large where there is something beyond."""
    found = shifted(b, node)
    if found is None:
        return None
    if found[1] is not ZERO:
        b.frame.overflow_if(b.e.icmp("ne", found[1], ZERO, "beyond"))
    return u64(found[0])


def _halves(b: Body, node: tree.Expr) -> tuple[V, V] | None:
    if isinstance(node, tree.Local) and node.variable.is_wide:
        low = b.expr(node).ssa
        return low, b.e.load("i64", _upper(b, node.variable), 0, "upper")
    return _product(b, node) if is_product(node) else None


def _product(b: Body, node: tree.Expr) -> tuple[V, V]:
    assert isinstance(node, tree.Binary)
    left = b.storage.lasting(b.expr(node.left))
    x, y = unsigned.positive(b, left), unsigned.positive(b, b.expr(node.right))
    e = b.e
    if b.abi.pointer_bytes == 8:
        wide = [e.value("i128", "wide", f"zext {each} to i128") for each in (x, y)]
        both = e.value("i128", "product", f"mul {wide[0]}, {wide[1].text}")
        upper = e.value("i128", "upper", f"lshr {both}, 64")
        low, high = (e.value("i64", "half", f"trunc {each} to i64") for each in (both, upper))
        return low, high
    return e.mul(x, y, "low"), _upper_half(b, x, y)


def _upper_half(b: Body, x: V, y: V) -> V:
    """By halves of 32 bits, where no machine has more: a product of 128 bits would be a call."""
    e, half, mask = b.e, const("i64", 32), const("i64", 0xFFFFFFFF)
    (a, c), (d, f) = ((e.lshr(each, half), e.and_(each, mask)) for each in (x, y))
    middle = e.add(e.mul(a, f), e.lshr(e.mul(c, f), half))
    other = e.add(e.mul(c, d), e.and_(middle, mask))
    return e.add(e.add(e.mul(a, d), e.lshr(middle, half)), e.lshr(other, half), "upper")
