"""Values of any type: operations on views, by the runtime, and tests of what an ANY is.

What the files of a kind do not do themselves comes here, too, so every operation has CPython's result or error.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.lower import large
from jitffi.scripts.lower.containers import items
from jitffi.scripts.lower.function import conversion, operations, registry
from jitffi.scripts.lower.function.emit import P, V, const
from jitffi.scripts.lower.function.registry import of_kind, statement
from jitffi.scripts.lower.function.values import (
    MACHINE,
    NONE_VALUE,
    OBJECTS,
    Keep,
    Value,
    char,
    local,
    text,
    volatile,
)
from jitffi.scripts.lower.text import anytext
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import INT, STR, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body

#: JF_OP_*, JF_LT and its like (script.h, containers.h).
BINARY_OPS: Final = {
    op: i for i, op in enumerate(("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@"))
}
_UNBOUNDED: Final = 1 << 8
UNARY_OPS: Final = {"-": 0, "+": 1, "~": 2}
COMPARE_OPS: Final = {op: i for i, op in enumerate(("<", "<=", "==", "!=", ">", ">="))}
INT_CODE: Final = const("i32", layout.INT)
_PLAIN_CODES: Final = {"int": layout.INT, "float": layout.FLOAT, "bool": layout.BOOL}


def number_of(b: Body, op: str) -> V:
    """Of a binary operation; what grows beyond 64 bits is Python's int where there are objects of Python's."""
    return const("i32", BINARY_OPS[op] | _UNBOUNDED * b.function.takes_objects)


# -- operations -----------------------------------------------------------------------------------------------------


@of_kind("binary", "any")
def binary(b: Body, op: str, left: Value, right: Value) -> Value:
    is_str = left.kind != "any" or not b.function.takes_objects
    found = anytext.plus(b, left, right, is_str) if op == "+" else None
    if found is not None:
        return found
    slot = b.frame.temp_slot()

    def called() -> None:
        b.frame.call("jf_op_binary", number_of(b, op), b.storage.view(left), b.storage.view(right), slot)

    if op in large.OPERATORS and large.are_likely(b, left, right):
        large.binary(b, op, left, right, slot, called)
    else:
        called()
    return b.storage.any_in(slot)


@of_kind("unary", "any")
def unary(b: Body, op: str, operand: Value) -> Value:
    slot = b.frame.temp_slot()
    b.frame.call("jf_op_unary", const("i32", UNARY_OPS[op]), b.storage.view(operand), slot)
    return b.storage.any_in(slot)


@of_kind("compare", "any")
def compare(b: Body, op: str, left: Value, right: Value) -> V:
    if large.are_likely(b, left, right):
        return large.compare(b, op, left, right, lambda: compare_views(b, op, left, right))
    found = anytext.compare(b, op, left, right)
    return compare_views(b, op, left, right) if found is None else found


@of_kind("compare", "views")
def compare_views(b: Body, op: str, left: Value, right: Value) -> V:
    number = const("i32", COMPARE_OPS[op])
    return conversion.status(b, b.frame.call("jf_op_compare", number, b.storage.view(left), b.storage.view(right))).ssa


@of_kind("contains", "any")
def contains(b: Body, container: Value, item: Value) -> V:
    return conversion.status(b, b.frame.call("jf_op_contains", b.storage.view(container), b.storage.view(item))).ssa


@of_kind("truth", "any")
def truth(b: Body, value: Value) -> V:
    def called() -> V:
        return conversion.status(b, b.frame.call("jf_op_truth", b.storage.view(value))).ssa

    return large.truth(b, value, called) if large.are_likely(b, value) else called()


@of_kind("length", "any")
def length(b: Body, value: Value) -> V:
    e = b.e
    if value.kind != "any":
        return out_len(b, value)
    place, slow, done = e.alloca("i64", "len"), e.label("len.slow"), e.label("len")
    quick = items.call_fragment(b, "any.len", "i64", value.ssa)
    e.store(quick, place)
    e.branch(e.icmp("slt", quick, const("i64", 0)), slow, done, likely=False)
    e.at(slow)
    e.store(out_len(b, value), place)
    e.br(done)
    e.at(done)
    return e.load("i64", place, 0, "len")


def out_len(b: Body, value: Value) -> V:
    """By the runtime: TypeError for what has no len()."""
    out = b.frame.scratch(8)
    b.frame.call("jf_op_len", b.storage.view(value), out)
    return b.e.load("i64", out, 0, "len")


@of_kind("item", "any")
def item(b: Body, value: Value, index: Value, type_: Type) -> Value:
    slot = b.frame.temp_slot()
    b.frame.call("jf_op_item", b.storage.view(value), b.storage.view(index), slot)
    return b.storage.any_in(slot)


@of_kind("set_item", "any")
def set_item(b: Body, container: Value, index: Value, value: Value) -> bool:
    b.frame.call("jf_op_set_item", b.storage.view(container), b.storage.view(index), items.stored(b, value))
    items.done(b, value)
    return True


def _bounds(b: Body, *given: Value | None) -> list[P]:
    return [b.storage.view(NONE_VALUE if each is None else each) for each in given]


@of_kind("slice", "any")
def slice_of(b: Body, value: Value, start: Value | None, stop: Value | None, step: Value | None) -> Value:
    slot = b.frame.temp_slot()
    b.frame.call("jf_op_slice", b.storage.view(value), *_bounds(b, start, stop, step), slot)
    return b.storage.any_in(slot)


def set_slice(b: Body, value: Value, start: Value | None, stop: Value | None, step: Value | None, given: Value) -> None:
    """`value[start:stop:step] = given`, of whatever these are."""
    b.frame.call("jf_op_set_slice", b.storage.view(value), *_bounds(b, start, stop, step), b.storage.view(given))


@statement(tree.DeleteItem)
def delete(b: Body, node: tree.DeleteItem) -> None:
    target = node.target
    value = b.storage.lasting(b.expr(target.value))
    if isinstance(target, tree.TargetItem):
        index = operations.as_index(b, value, b.storage.lasting(b.expr(target.index)))
        handler = registry.DELETE_ITEM.get(registry.kind_of_item(value, index))
        if handler is not None:
            handler(b, value, index)
            return
        b.frame.call("jf_op_delete_item", b.storage.view(value), b.storage.view(index))
        return
    parts = (target.start, target.stop, target.step)
    given = [None if each is None else b.storage.lasting(b.expr(each)) for each in parts]
    if value.kind == "object":
        registry.DELETE_ITEM["slice"](b, value, given)
        return
    b.frame.call("jf_op_delete_slice", b.storage.view(value), *_bounds(b, *given))


def index(b: Body, value: Value) -> V:
    """An i64 of what Python takes as an index: int and bool; TypeError else."""
    if value.kind in ("int", "u64"):
        return conversion.convert(b, value, INT).ssa
    if value.kind == "bool":
        return b.e.zext(value.ssa, "i64")
    out = b.frame.scratch(8)
    b.frame.call("jf_op_index", b.storage.view(value), out)
    return b.e.load("i64", out, 0, "index")


# -- what an ANY is -------------------------------------------------------------------------------------------------


def lasts(value: Value, object_: V | None = None) -> Keep:
    """How long something in an ANY's slot is good."""
    return volatile(object_) if value.keep.kind == "volatile" else local(None, object_)


@of_kind("convert", ("any", "*"))
def guard(b: Body, value: Value, type_: Type) -> Value:
    """The value as what it must be; TypeError where it is something else."""
    kind = type_.kind
    if kind == "any":
        return value
    if kind in ("str", "char"):
        return _guard_text(b, value, type_)
    e, slot = b.e, value.ssa
    if kind in ("int", "u64", "float"):
        return items.read_number(b, slot, type_, lambda: conversion.mistyped(b, value, type_))
    on, cold = e.label("typed"), e.label("mistyped")
    if kind == "bytes":
        out = b.frame.scratch(24)
        status = b.frame.call("jf_bytes_of", b.storage.view(value), out)
        e.branch(e.icmp("eq", status, const("i32", 0)), on, cold, likely=True)
    else:
        e.branch(is_of(b, slot, kind), on, cold, likely=True)
    e.at(cold)
    conversion.mistyped(b, value, type_)
    e.at(on)
    if kind == "bytes":
        return b.storage.read_text(type_, out, lasts(value))
    if kind == "none":
        return NONE_VALUE
    if kind in OBJECTS:
        object_ = e.load("ptr", slot, 8, "object")
        items.expect_length(b, object_, type_, lambda: conversion.mistyped(b, value, type_))
        return Value(type_, object_, lasts(value))
    if kind == "bool":
        return Value(type_, e.trunc(e.load("i64", slot, 8, "payload"), "i1"))
    return Value(type_, e.load(MACHINE[kind], slot, 8, kind))


def is_of(b: Body, slot: V, kind: str) -> V:
    """Whether a slot holds a value of a kind that one look at the codes tells."""
    e = b.e
    code = e.load("i32", slot, 0, "code")
    if kind == "none":
        return e.icmp("eq", code, const("i32", layout.NULL), "is.none")
    if kind == "func":
        return e.icmp("eq", code, const("i32", layout.FUNCTION), "is.func")
    if kind == "u64":
        plain = e.and_(e.icmp("eq", code, INT_CODE), e.icmp("sge", e.load("i64", slot, 8, "payload"), const("i64", 0)))
        return e.or_(plain, e.icmp("eq", code, const("i32", layout.UINT)), "is.u64")
    if kind in _PLAIN_CODES:
        return e.icmp("eq", code, const("i32", _PLAIN_CODES[kind]), "is." + kind)
    return _holds(b, slot, items.CODES[kind], kind)


def is_host(b: Body, slot: V) -> V:
    """Whether it is an object of Python's, which is none of ours, or one that is asked as Python asks it: a Set."""
    assert layout.SET == layout.HOST_OBJECT + 1
    return _holds(b, slot, layout.HOST_OBJECT, "host", 2)


def _holds(b: Body, slot: V, object_code: int, kind: str, count: int = 1) -> V:
    """Whether a slot has an object of that code, or of one of *count* from that on."""
    e = b.e
    code = e.load("i32", slot, 0, "code")
    look, done = e.label("look"), e.label("looked")
    before = e.here
    e.branch(e.icmp("eq", code, const("i32", layout.OBJECT)), look, done)
    e.at(look)
    held = e.load("i32", e.load("ptr", slot, 8, "object"), 0, "object.code")
    if count == 1:
        is_it = e.icmp("eq", held, const("i32", object_code))
    else:
        is_it = e.icmp("ult", e.sub(held, const("i32", object_code)), const("i32", count))
    at_look = e.here
    e.br(done)
    e.at(done)
    return e.phi([(const("i1", 0), before), (is_it, at_look)], "is." + kind)


def _guard_text(b: Body, value: Value, type_: Type) -> Value:
    """STR, or a CHAR, which is one of one character."""
    found = items.read_str(b, value.ssa)
    found = text(STR, found.data, found.size, found.wide, lasts(value, found.keep.object))
    if type_.kind == "str":
        return found
    e = b.e
    on, cold = e.label("typed"), e.label("mistyped")
    e.branch(e.icmp("eq", found.size, const("i64", 1)), on, cold, likely=True)
    e.at(cold)
    conversion.mistyped(b, value, type_)
    e.at(on)
    return char(first_char(b, found))


def first_char(b: Body, value: Value) -> V:
    """The code point of the first character of a STR that has one."""
    e = b.e
    wide, narrow, done = e.label("wide"), e.label("narrow"), e.label("char")
    e.branch(value.wide, wide, narrow)
    e.at(wide)
    long = e.load("i32", value.data, 0, "point")
    e.br(done)
    e.at(narrow)
    short = e.zext(e.load("i8", value.data, 0, "byte"), "i32")
    e.br(done)
    e.at(done)
    return e.phi([(long, wide), (short, narrow)], "char")
