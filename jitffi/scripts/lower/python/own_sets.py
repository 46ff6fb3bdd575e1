"""Displays and comprehensions of sets that are Python's own."""

from __future__ import annotations

from jitffi.scripts.lower.control import iterators, loops
from jitffi.scripts.lower.python import own
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import object_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.control.iteration import Iterator
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.lower.function.values import Value


def display(b: Body, node: pytree.SetOf) -> Value:
    """Where no star is among them, all items are there before the set is."""
    if not any(isinstance(each, tree.Spread) for each in node.items):
        values = [b.storage.lasting(own.of_node(b, each)) for each in node.items]
        made = _new(b)
        for value in values:
            _add(b, made, value)
        return made
    made = _new(b)
    for each in node.items:
        if isinstance(each, tree.Spread):
            found = iterators.iterate(b, each.value)
            loops.rounds(b, found, lambda item: _add(b, made, own.of_value(b, item)), made=False)
        else:
            _add(b, made, own.of_node(b, each))
    return made


def of_items(b: Body, found: Iterator) -> Value:
    made = _new(b)
    loops.rounds(b, found, lambda item: _add(b, made, own.of_value(b, item)), made=False)
    return made


def _new(b: Body) -> Value:
    return b.storage.new_object(object_of("set"), b.frame.call("core_op_set_new"))


def _add(b: Body, made: Value, item: Value) -> None:
    b.frame.call("core_op_set_add", made.ssa, item.ssa)
