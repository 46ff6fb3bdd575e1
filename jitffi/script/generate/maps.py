"""Dicts: displays, look-ups by borrowed keys, and their methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jitffi.script import tree
from jitffi.script.generate import items
from jitffi.script.generate.dynamic import holds
from jitffi.script.generate.emit import V, const
from jitffi.script.generate.registry import expression, of_kind
from jitffi.script.generate.values import Value
from jitffi.script.types import Type

if TYPE_CHECKING:
    from jitffi.script.generate.body import Body


def new_map(b: Body, capacity: int, type_: Type) -> Value:
    """An empty dict, owned by this scope."""
    room, pad = b.size_arg(const("i64", capacity)), const("i32", b.module.pads.pool)
    return b.new_object(type_, b.call("jf_map_new", "ptr", room, pad, fails="null"))


@expression(tree.DictOf)
def display(b: Body, node: tree.DictOf) -> Value:
    made = new_map(b, len(node.keys), node.type)
    for key, value in zip(node.keys, node.values, strict=True):
        set_item(b, made, b.lasting(b.expr(key)), b.expr(value))
    return made


@of_kind("set_item", "dict")
def set_item(b: Body, map_: Value, key: Value, value: Value) -> bool:
    if not b.e.is_open:
        return True
    view = items.stored(b, value) if items.is_movable(value) else b.view(value)
    b.call("jf_op_map_set", "i32", map_.ssa, b.view(key), view, fails="nonzero")
    items.done(b, value)
    return True


@of_kind("item", "dict")
def item(b: Body, map_: Value, key: Value, type_: Type) -> Value:
    """The value where it lies; the error for a key that is not there is made by the call that looks again."""
    e = b.e
    assert map_.type.args
    found = b.scratch(8)
    status = b.call("jf_map_seek", "i32", map_.ssa, b.view(key), found)
    on, cold = e.label("found"), e.label("missing")
    e.branch(e.icmp("eq", status, const("i32", 1)), on, cold, likely=True)
    e.at(cold)
    slot = b.temp_slot(0)
    b.call("jf_op_map_item", "i32", map_.ssa, b.view(key), slot, fails="nonzero")
    b.fail()
    e.at(on)
    return items.read(b, e.load("ptr", found, 0, "value"), map_.type.args[1])


@of_kind("contains", "dict")
def contains(b: Body, map_: Value, key: Value) -> V:
    return holds(b, b.call("jf_map_has", "i32", map_.ssa, b.view(key)))
