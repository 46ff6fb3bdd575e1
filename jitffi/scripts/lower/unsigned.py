"""U64: ints of 0 to 2**64 - 1 in a register. What is negative, or larger, goes the way of an int beyond 64 bits.

An INT beside one counts as what it is: a negative one has the bits of its two's complement for `&`, and is checked for
where the result would be none of a U64.
"""

from __future__ import annotations

from jitffi.scripts.lower import numbers
from jitffi.scripts.lower.function.emit import FALSE, TRUE, V, const
from jitffi.scripts.lower.function.registry import of_kind
from jitffi.scripts.lower.function.values import Value, float_, int_, u64
from jitffi.scripts.tree.types import U64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree.types import Type

ZERO: Final = const("i64", 0)
_WHOLE: Final = ("int", "u64", "bool")
_TEST: Final = {"<": "ult", "<=": "ule", "==": "eq", "!=": "ne", ">": "ugt", ">=": "uge"}
_BITS: Final = {"&": "and", "|": "or", "^": "xor"}


def _is_negative(b: Body, value: Value) -> V:
    """Of an INT; false of what cannot be."""
    if value.kind != "int" or (isinstance(value.const, int) and value.const >= 0):
        return FALSE
    return b.e.icmp("slt", value.ssa, ZERO, "negative")


def positive(b: Body, value: Value) -> V:
    """Its bits, where it is not negative."""
    negative = _is_negative(b, value)
    if negative is not FALSE:
        b.frame.overflow_if(negative)
    return numbers.as_int(b, value)


# -- arithmetic ------------------------------------------------------------------------------------------------------


@of_kind("binary", "u64")
def binary(b: Body, op: str, left: Value, right: Value) -> Value | None:
    if "float" in (left.kind, right.kind):
        return numbers.binary(b, op, left, right)
    if left.kind not in _WHOLE or right.kind not in _WHOLE:
        return None
    if op in _BITS:
        return _bits(b, op, left, right)
    if op in ("+", "-"):
        return u64(_sum(b, op, left, right))
    if op == "*":
        product, over = b.e.overflowing("umul", positive(b, left), positive(b, right), "product")
        b.frame.overflow_if(over)
        return u64(product)
    if op == "%":
        return _modulo(b, left, right)
    if left.kind != "u64" or op not in ("//", "<<", ">>"):
        return None
    return _quotient(b, left, right) if op == "//" else _shift(b, op, left, right)


def _bits(b: Body, op: str, left: Value, right: Value) -> Value:
    found = b.e.binary(_BITS[op], numbers.as_int(b, left), numbers.as_int(b, right), "bits")
    if op != "&":
        for each in (left, right):
            positive(b, each)
        return u64(found)
    masks = [each.const for each in (left, right) if each.kind == "int" and isinstance(each.const, int)]
    return int_(found) if masks and masks[0] >= 0 else u64(found)


def _sum(b: Body, op: str, left: Value, right: Value) -> V:
    """A number too many wraps to one that is not larger than before, or, of a negative one, not smaller."""
    e = b.e
    if left.kind != "u64" and op == "+":
        left, right = right, left
    x, y = positive(b, left), numbers.as_int(b, right)
    negative = _is_negative(b, right)
    if negative is FALSE:
        found, over = e.overflowing("uadd" if op == "+" else "usub", x, y, "sum")
    else:
        found = e.add(x, y) if op == "+" else e.sub(x, y)
        over = e.xor(e.icmp("ult" if op == "+" else "ugt", found, x), negative)
    b.frame.overflow_if(over)
    return found


def _modulo(b: Body, left: Value, right: Value) -> Value:
    """x % y, with the sign of y, which is not negative."""
    e, x = b.e, numbers.as_int(b, left)
    y = _divisor(b, "%", right)
    negative = _is_negative(b, left)
    if negative is FALSE:
        rest = e.binary("urem", x, y, "rest")
    else:
        rest = e.binary("urem", e.select(negative, e.sub(ZERO, x), x, "magnitude"), y, "rest")
        is_off = e.and_(negative, e.icmp("ne", rest, ZERO), "off")
        rest = e.select(is_off, e.sub(y, rest), rest, "modulo")
    return u64(rest) if right.kind == "u64" else int_(rest)


def _divisor(b: Body, op: str, value: Value) -> V:
    found = positive(b, value)
    if not isinstance(value.const, int) or value.const == 0:
        b.frame.raise_if(b.e.icmp("eq", found, ZERO, "is.zero"), numbers.DIVISION, numbers.BY_ZERO[op])
    return found


def _quotient(b: Body, left: Value, right: Value) -> Value:
    found = b.e.binary("udiv", left.ssa, _divisor(b, "//", right), "quotient")
    return int_(found) if isinstance(right.const, int) and right.const > 1 else u64(found)


def _shift(b: Body, op: str, left: Value, right: Value) -> Value:
    e, most = b.e, const("i64", 63)
    x, count = left.ssa, numbers.shift_count(b, right)
    known = right.const if isinstance(right.const, int) else None
    within = e.icmp("ule", count, most, "within")
    bits = e.intrinsic("llvm.umin", "i64", count, most)
    if op == ">>":
        found = e.select(within, e.binary("lshr", x, bits, "shifted"), ZERO, "shifted")
        return int_(found) if known else u64(found)
    found = e.shl(x, bits, "shifted")
    fits = e.and_(within, e.icmp("eq", e.binary("lshr", found, bits), x, "fits"))
    b.frame.overflow_if(e.and_(e.not_(fits), e.icmp("ne", x, ZERO), "lost"))
    return u64(found)


@of_kind("unary", "u64")
def unary(b: Body, op: str, operand: Value) -> Value:
    e, x = b.e, operand.ssa
    if op == "+":
        return operand
    if op == "~":
        return int_(e.xor(int_from(b, operand), const("i64", -1)))
    b.frame.overflow_if(e.icmp("ugt", x, numbers.LEAST, "over"))
    return int_(e.sub(ZERO, x))


# -- comparison and truth --------------------------------------------------------------------------------------------


@of_kind("compare", "u64")
def compare(b: Body, op: str, left: Value, right: Value) -> V | None:
    if left.kind not in _WHOLE or right.kind not in _WHOLE:
        return None
    found = b.e.icmp(_TEST[op], numbers.as_int(b, left), numbers.as_int(b, right))
    negative, is_left = _is_negative(b, right), False
    if left.kind == "int":
        negative, is_left = _is_negative(b, left), True
    if negative is FALSE:
        return found
    beyond = op == "!=" or op in (("<", "<=") if is_left else (">", ">="))
    return b.e.select(negative, TRUE if beyond else FALSE, found, "test")


@of_kind("truth", "u64")
def truth(b: Body, value: Value) -> V:
    return b.e.icmp("ne", value.ssa, ZERO, "truth")


# -- from and to other types -----------------------------------------------------------------------------------------


def int_from(b: Body, value: Value) -> V:
    """An INT's bits, where it is not too large for one."""
    if not (isinstance(value.const, int) and value.const < 1 << 63):
        b.frame.overflow_if(b.e.icmp("slt", value.ssa, ZERO, "is.large"))
    return value.ssa


@of_kind("convert", ("int", "u64"), ("bool", "u64"))
def _from_int(b: Body, value: Value, type_: Type) -> Value:
    return Value(U64, positive(b, value), const=value.const)


@of_kind("convert", ("u64", "int"))
def _to_int(b: Body, value: Value, type_: Type) -> Value:
    return Value(type_, int_from(b, value))


@of_kind("convert", ("u64", "float"))
def _to_float(b: Body, value: Value, type_: Type) -> Value:
    return float_(numbers.as_float(b, value))
