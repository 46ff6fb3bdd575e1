"""Structs of the caller's: members are read and written where they lie, as the classes of `jitffi.struct` do it.

A member that is a struct or an array is its address. Arrays of numbers are what NumPy makes of them for Python: what
elements do not hold, and where there are none, is said in its words.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.library import members
from jitffi.scripts.lower.containers import arrays, lists
from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import NULL, V, const, double
from jitffi.scripts.lower.function.registry import expression, of_kind
from jitffi.scripts.lower.function.values import Value, bool_, int_
from jitffi.scripts.lower.numbers import as_float
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import BOOL, FLOAT, INT, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.lower.function.emit import P

_RANGES = {"f32": "-3.4028235e+38 to 3.4028235e+38"}


def given(b: Body, slot: P, type_: Type, mistyped: Callable[[], None]) -> Value:
    """The struct whose address a slot holds: who packs arguments has looked what it is of."""
    e = b.e
    right, wrong, address = e.label("struct"), e.label("mistyped"), e.label("address")
    code = e.load("i32", slot, 0, "code")
    e.branch(e.icmp("eq", code, const("i32", layout.HANDLE)), address, wrong, likely=True)
    e.at(address)
    found = e.load("ptr", slot, layout.SLOT_PAYLOAD, "bytes")
    e.branch(e.icmp("ne", found, NULL, "is.there"), right, wrong, likely=True)
    e.at(wrong)
    mistyped()
    e.at(right)
    return Value(type_, found)


@expression(tree.MemberName)
@expression(pytree.CellName)
@expression(pytree.AttributeName)
def member_name(b: Body, node: tree.MemberName) -> Value:
    return Value(node.type, const=node.name)


def _found(struct: Value, index: Value) -> members.Member:
    assert isinstance(index.const, str), index
    found = members.find(struct.type, index.const)
    assert found is not None, index.const
    return found


# -- members --------------------------------------------------------------------------------------------------------


@of_kind("item", "struct")
def read(b: Body, struct: Value, index: Value, type_: Type) -> Value:
    member = _found(struct, index)
    place = b.e.offset(struct.ssa, member.offset, "member.at")
    if member.type.kind in ("struct", "elements"):
        return Value(member.type, place)
    if member.bits:
        return _read_bits(b, member, place)
    return arrays.read_number(b, member.element, place)


@of_kind("set_item", "struct")
def write(b: Body, struct: Value, index: Value, value: Value) -> bool:
    member, e = _found(struct, index), b.e
    place = e.offset(struct.ssa, member.offset, "member.at")
    if value.kind == "any":
        before, b.naming = b.naming, member.name
        value = conversion.convert(b, value, member.type)
        b.naming = before
    if value.kind == "u64" and member.element == "u64" and not member.bits:
        e.store(value.ssa, place, 0, align=1)
        return True
    if value.kind == "u64":
        value = conversion.convert(b, value, INT)
    if not members.takes(member.type, value.kind):
        _refuse(b, "TypeError", f"{member.name}: expected {member.text}", value)
        e.dead()
    elif member.bits:
        _write_bits(b, member, place, value)
    else:
        e.store(_number(b, member, value), place, 0, align=1)
    return True


def _number(b: Body, member: members.Member, value: Value) -> V:
    """A value as it lies in the struct."""
    e = b.e
    _, bits, machine, _ = arrays.ELEMENTS[member.element]
    if member.type == BOOL:
        return e.zext(value.ssa, "i8")
    if member.type == FLOAT:
        return _float(b, member, value)
    whole = lists.as_int(b, value)
    if bits < 64 or member.element == "u64":
        _check_range(b, member, whole, bits)
    return whole if bits == 64 else e.trunc(whole, machine)


def _float(b: Body, member: members.Member, value: Value) -> V:
    e, wide = b.e, as_float(b, value)
    if member.element == "f64":
        return wide
    narrow = e.cast("fptrunc", wide, "float")
    infinity = double(float("inf"))
    too_large = e.fcmp("oeq", e.intrinsic("llvm.fabs", "double", e.cast("fpext", narrow, "double")), infinity)
    is_finite = e.fcmp("one", e.intrinsic("llvm.fabs", "double", wide), infinity)
    _refuse_if(b, e.and_(too_large, is_finite, "too.large"), member, _RANGES["f32"], Value(FLOAT, wide))
    return narrow


def _check_range(b: Body, member: members.Member, whole: V, bits: int) -> None:
    """OverflowError for an i64 that does not fit."""
    e = b.e
    if member.element.startswith("i"):
        low, high = -(1 << bits - 1), (1 << bits - 1) - 1
        fits = e.icmp("ult", e.add(whole, const("i64", -low)), const("i64", 1 << bits), "fits") if bits < 64 else None
    else:
        low, high = 0, (1 << bits) - 1
        fits = e.icmp("ule", whole, const("i64", high)) if bits < 63 else e.icmp("sge", whole, const("i64", 0), "fits")
    if fits is not None:
        _refuse_if(b, e.not_(fits), member, f"{low} to {high}", int_(whole))


def _refuse_if(b: Body, wrong: V, member: members.Member, range_: str, value: Value) -> None:
    on, cold = b.e.label("fits"), b.e.label("refused")
    b.e.branch(wrong, cold, on, likely=False)
    b.e.at(cold)
    _refuse(b, "OverflowError", f"{member.name}: expected {member.text} ({range_})", value)
    b.e.at(on)


def _refuse(b: Body, kind: str, expected: str, value: Value) -> None:
    b.frame.call("jf_struct_refuse", b.module.c_string(kind), b.module.c_string(expected), b.storage.view(value))


# -- bit-fields: of all the bytes that they touch, and no others ------------------------------------------------------


def _word(member: members.Member) -> str:
    """An integer of the bytes that a bit-field touches: nine at most."""
    return f"i{(member.bit + member.bits + 7) // 8 * 8}"


def _cut(b: Body, value: V, type_: str) -> V:
    wide, to = int(value.type[1:]), int(type_[1:])
    return value if wide == to else b.e.trunc(value, type_) if wide > to else b.e.zext(value, type_)


def _read_bits(b: Body, member: members.Member, place: V) -> Value:
    e, machine = b.e, _word(member)
    word = e.load(machine, place, 0, "bits", align=1)
    low = _cut(b, e.lshr(word, const(machine, member.bit)), "i64")
    unused = const("i64", 64 - member.bits)
    top = e.shl(low, unused)
    if member.element.startswith("i"):
        return int_(e.ashr(top, unused))
    whole = e.lshr(top, unused)
    if member.type == BOOL:
        return bool_(e.icmp("ne", whole, const("i64", 0), "bit"))
    if member.bits == 64:
        b.frame.overflow_if(e.icmp("slt", whole, const("i64", 0)))
    return int_(whole)


def _write_bits(b: Body, member: members.Member, place: V, value: Value) -> None:
    e, machine = b.e, _word(member)
    whole = lists.as_int(b, value)
    if member.type != BOOL:
        _check_range(b, member, whole, member.bits)
    mask = (1 << member.bits) - 1
    bits = e.and_(_cut(b, whole, machine), const(machine, mask))
    word = e.load(machine, place, 0, "bits", align=1)
    rest = e.and_(word, const(machine, ~(mask << member.bit)), "rest")
    e.store(e.or_(rest, e.shl(bits, const(machine, member.bit))), place, 0, align=1)


# -- arrays ---------------------------------------------------------------------------------------------------------


@of_kind("length", "elements")
def length(b: Body, elements: Value) -> V:
    return const("i64", members.lengths_of(elements.type)[0])


@of_kind("item", "elements")
def item(b: Body, elements: Value, index: Value, type_: Type) -> Value:
    place, found = _at(b, elements, index)
    if found.kind in ("struct", "elements"):
        return Value(found, place)
    return arrays.read_number(b, members.element_of(elements.type).kind, place)


@of_kind("set_item", "elements")
def set_item(b: Body, elements: Value, index: Value, value: Value) -> bool:
    place, _ = _at(b, elements, index)
    b.e.store(arrays.number(b, members.element_of(elements.type).kind, value), place, 0, align=1)
    return True


def _at(b: Body, elements: Value, index: Value) -> tuple[V, Type]:
    """The address of what is at an index, or several, and its type; IndexError where there is none."""
    e = b.e
    given = [index] if index.parts is None else index.parts
    element, lengths = members.element_of(elements.type), members.lengths_of(elements.type)
    step = members.size_of(element) if element.kind == "struct" else arrays.ELEMENTS[element.kind][1] // 8
    place = elements.ssa
    for axis, each in enumerate(given):
        size = step
        for length in lengths[axis + 1 :]:
            size *= length
        at = _index(b, elements, each, axis, lengths[axis], element.kind == "struct")
        place = e.index(place, size, at, "element.at")
    return place, members.without(elements.type, len(given))


def _index(b: Body, elements: Value, index: Value, axis: int, size: int, of_structs: bool) -> V:
    e, length = b.e, const("i64", size)
    whole = lists.as_int(b, index)
    at = e.select(e.icmp("slt", whole, const("i64", 0), "from.end"), e.add(whole, length), whole, "index")
    on, cold = e.label("inside"), e.label("outside")
    e.branch(e.icmp("ult", at, length, "is.inside"), on, cold, likely=True)
    e.at(cold)
    if of_structs:
        assert elements.type.args
        b.frame.call("jf_struct_outside", b.module.c_string(elements.type.args[0].kind), at, length)
    else:
        b.frame.call("jf_array_outside", whole, length, const("i32", axis))
    e.at(on)
    return at
