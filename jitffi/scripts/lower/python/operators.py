"""Operators, comparison, truth and lengths of Python's own objects.

Of two objects they are Python's operations and give an object; of an object and a native value they are those on values
of any type.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.library.own import class_of
from jitffi.scripts.lower.dynamic import BINARY_OPS, COMPARE_OPS, UNARY_OPS
from jitffi.scripts.lower.function import conversion, operations
from jitffi.scripts.lower.function.emit import V, const
from jitffi.scripts.lower.function.registry import of_kind
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python import own
from jitffi.scripts.lower.python.boxing import as_any, boxed_all, owned_object
from jitffi.scripts.lower.text import anytext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree import tree


_NUMBERS: Final = frozenset(("object", "int", "u64", "float", "bool"))
_OVERFLOWING: Final = {"+": "sadd", "-": "ssub", "*": "smul"}


@of_kind("binary", "object")
def binary(b: Body, op: str, left: Value, right: Value) -> Value:
    is_own = class_of(left.type) or class_of(right.type)
    if is_own or _is_numpys(b, left, right) or by_python(op, left.kind, right.kind):
        return owned_object(
            b, b.frame.call("core_op_binary", const("i32", BINARY_OPS[op]), *boxed_all(b, (left, right)))
        )
    if op in _OVERFLOWING and "int" in (left.kind, right.kind):
        return _with_int(b, op, left, right)
    return _of_any(b, op, left, right)


def _is_numpys(b: Body, left: Value, right: Value) -> bool:
    """Whether an object and a number are likely NumPy's to join."""
    return b.function.has_arrays and {left.kind, right.kind} <= _NUMBERS


def _of_any(b: Body, op: str, left: Value, right: Value) -> Value:
    left, right = (as_any(b, each) if each.kind == "object" else each for each in (left, right))
    found = anytext.plus(b, left, right, is_str=False) if op == "+" else None
    return operations.binary(b, op, left, right) if found is None else found


def _with_int(b: Body, op: str, left: Value, right: Value) -> Value:
    """Of an object and an int: where the object is an int, too, of 64 bits, that is an instruction."""
    e, object_ = b.e, left if left.kind == "object" else right
    slot, number = b.frame.temp_slot(), b.frame.scratch(8)
    quick, fits, slow, done = e.label("int"), e.label("fits"), e.label("other"), e.label("done")
    is_int = b.frame.call("core_op_int", object_.ssa, number)
    e.branch(e.icmp("ne", is_int, const("i32", 0), "is.int"), quick, slow, likely=True)
    e.at(quick)
    found = e.load("i64", number, 0, "number")
    first, second = (found if each is object_ else each.ssa for each in (left, right))
    result, over = e.overflowing(_OVERFLOWING[op], first, second, "number")
    e.branch(over, slow, fits, likely=False)
    e.at(fits)
    e.store(const("i64", layout.INT & 0xFFFFFFFF), slot)
    e.store(result, slot, 8)
    e.br(done)
    e.at(slow)
    with b.frame.sometimes():
        b.storage.put(_of_any(b, op, left, right), slot)
    e.br(done)
    e.at(done)
    return b.storage.any_in(slot)


def by_python(op: str, left: str, right: str) -> bool:
    """Whether operands of these kinds are Python's to do: `%` of text, `@`, and what are objects both."""
    return left == right == "object" or op == "@" or (op == "%" and left in ("str", "char", "bytes"))


@of_kind("unary", "object")
def unary(b: Body, op: str, operand: Value) -> Value:
    return owned_object(b, b.frame.call("core_op_unary", const("i32", UNARY_OPS[op]), operand.ssa))


@of_kind("compare", "object")
def compare(b: Body, op: str, left: Value, right: Value) -> V:
    both = (left, right)
    is_own = any(class_of(each.type) or each.const is not ... for each in both)
    if is_own or left.kind == right.kind or _is_numpys(b, left, right):
        return _status(b, b.frame.call("core_op_test", const("i32", COMPARE_OPS[op]), *boxed_all(b, (left, right))))
    return operations.compare(b, op, *(as_any(b, each) if each.kind == "object" else each for each in (left, right)))


def compared(b: Body, op: str, left: Value, right: Value) -> Value:
    """The object that a comparison gives, which need not be a bool."""
    return owned_object(b, b.frame.call("core_op_compare", const("i32", COMPARE_OPS[op]), *boxed_all(b, (left, right))))


@of_kind("contains", "object")
def contains(b: Body, container: Value, item: Value) -> V:
    found = own.contains(b, container, item)
    if found is not None:
        return found
    if item.kind in ("str", "char"):
        return _status(b, b.frame.call("core_op_contains_text", container.ssa, b.storage.text(item)))
    found_by = own.converted_for_python(b, item)  # Python's class stands in messages
    return _status(b, b.frame.call("core_op_contains", container.ssa, found_by.ssa))


@of_kind("truth", "object")
def truth(b: Body, value: Value) -> V:
    size = own.size(b, value)
    if size is not None:
        return b.e.icmp("ne", size, const("i64", 0), "truth")
    value = b.storage.lasting(value)
    return _status(b, b.frame.call("core_op_truth", value.ssa))


@of_kind("length", "object")
def length(b: Body, value: Value) -> V:
    size = own.size(b, value)
    if size is not None:
        return size
    value = b.storage.lasting(value)
    out = b.frame.scratch(8)
    b.frame.call("core_op_length", value.ssa, out)
    return b.e.load("i64", out, 0, "len")


def _status(b: Body, result: V) -> V:
    return conversion.status(b, result).ssa


def augmented(b: Body, op: tree.BinaryOp, old: Value, value: Value) -> Value:
    """`old op= value` of an object, which may be done in place."""
    number = const("i32", BINARY_OPS[op])
    return owned_object(b, b.frame.call("core_op_inplace", number, *boxed_all(b, (old, value))))
