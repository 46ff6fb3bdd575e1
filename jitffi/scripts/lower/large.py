"""Ints of any size (analysis/growing.py), which are in slots: what does not need more than 64 bits is done inline.

both are ints of 64 bits? --yes--> the operation --fits?--yes--> the result, in a slot
        `---no-----------------------------`---no---> the runtime, and Python
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.lower import numbers
from jitffi.scripts.lower.function.emit import V, const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.lower.function.values import Value

_CODE: Final = const("i64", layout.INT & 0xFFFFFFFF)
_KINDS: Final = frozenset(("any", "int", "bool"))
_CHECKED: Final = {"+": "sadd", "-": "ssub", "*": "smul"}
_BITS: Final = {"&": "and", "|": "or", "^": "xor"}
OPERATORS: Final = (*_CHECKED, *_BITS, "<<", ">>", "//", "%")
_TESTS: Final = {"<": "slt", "<=": "sle", "==": "eq", "!=": "ne", ">": "sgt", ">=": "sge"}


def are_likely(b: Body, *values: Value) -> bool:
    """Whether these are such ints as a rule: values of any type in a function that has them."""
    return b.function.ints_grow and all(each.kind in _KINDS for each in values)


def binary(b: Body, op: str, left: Value, right: Value, out: V, otherwise: Callable[[], object]) -> None:
    """out = left op right; *otherwise* emits what does it where these are not two ints whose result is one. *out* may
    be the slot of the left one."""
    e = b.e
    slow, done = e.label("other"), e.label("done")
    x, y = _ints(b, left, right, slow)
    result, fits = _operation(b, op, x, y, slow)
    if fits is not None:
        put = e.label("fits")
        e.branch(fits, put, slow, likely=True)
        e.at(put)
    e.store(_CODE, out)
    e.store(result, out, layout.SLOT_PAYLOAD)
    e.br(done)
    e.at(slow)
    otherwise()
    e.br(done)
    e.at(done)


def compare(b: Body, op: str, left: Value, right: Value, otherwise: Callable[[], V]) -> V:
    """`left op right`, an i1."""
    e = b.e
    slow, done = e.label("other"), e.label("compared")
    x, y = _ints(b, left, right, slow)
    quick, at_quick = e.icmp(_TESTS[op], x, y), e.here
    e.br(done)
    e.at(slow)
    found = otherwise()
    at_slow = e.here
    e.br(done)
    e.at(done)
    return e.phi([(quick, at_quick), (found, at_slow)], "is")


def truth(b: Body, value: Value, otherwise: Callable[[], V]) -> V:
    return compare(b, "!=", value, numbers.int_constant(0), otherwise)


def _ints(b: Body, left: Value, right: Value, slow: str) -> tuple[V, V]:
    """Both as i64, where they are ints of 64 bits; the others go to *slow*."""
    e = b.e
    code = const("i32", layout.INT)
    tests = [e.icmp("eq", e.load("i32", each.ssa, 0, "code"), code) for each in (left, right) if each.kind == "any"]
    for each in tests:
        ints = e.label("ints")
        e.branch(each, ints, slow, likely=True)
        e.at(ints)
    x, y = (
        e.load("i64", each.ssa, layout.SLOT_PAYLOAD, "int") if each.kind == "any" else numbers.as_int(b, each)
        for each in (left, right)
    )
    return x, y


def _operation(b: Body, op: str, x: V, y: V, slow: str) -> tuple[V, V | None]:
    """The result, and whether it is right; None: always."""
    e, zero = b.e, numbers.ZERO
    if op in _CHECKED:
        result, over = e.overflowing(_CHECKED[op], x, y, "result")
        return result, e.not_(over)
    if op in _BITS:
        return e.binary(_BITS[op], x, y, "bits"), None
    if op in ("//", "%"):
        positive = e.label("positive")
        e.branch(e.icmp("sgt", y, zero), positive, slow, likely=True)
        e.at(positive)
        rest = e.binary("srem", x, y, "rest")
        is_off = e.icmp("slt", rest, zero, "off")
        if op == "%":
            return e.select(is_off, e.add(rest, y), rest, "modulo"), None
        return e.add(e.binary("sdiv", x, y, "quotient"), e.sext(is_off, "i64"), "floor"), None
    count = e.and_(y, const("i64", 63), "count")
    if op == ">>":
        return e.ashr(x, count), e.icmp("ult", y, const("i64", 64))
    result = e.shl(x, count)
    is_whole = e.icmp("eq", e.ashr(result, count), x)
    return result, e.and_(is_whole, e.icmp("ult", y, const("i64", 64)), "fits")
