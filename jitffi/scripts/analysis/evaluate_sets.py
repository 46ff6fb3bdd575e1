"""Inference of sets that a script makes: displays, methods, operators. What is done with one of Python's objects makes
it one of Python's own (`Cells.give`)."""

from __future__ import annotations

from jitffi.scripts.analysis.cells import Cell, Value, is_object
from jitffi.scripts.analysis.evaluate_python import to_python
from jitffi.scripts.analysis.evaluate_targets import made_as
from jitffi.scripts.library import rules
from jitffi.scripts.library.methods import OF_MANY_SETS
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import BOOL, NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.analysis.evaluate import Evaluator

#: Of methods that take another set, or what can be iterated over, whether what that has may get into the set.
_COMBINING = {
    "union": True, "intersection": True, "difference": False, "symmetric_difference": True, "update": True,
    "intersection_update": True, "difference_update": False, "symmetric_difference_update": True,
}  # fmt: skip
_OPERATORS = {"|": True, "&": True, "-": False, "^": True}


def display(ev: Evaluator, node: pytree.SetOf) -> Value:
    made = ev.site(node, "set", kind="set")
    for each in node.items:
        ev.cells.put(made, ev.expr(each))
    return made_as(made)


def method(ev: Evaluator, node: tree.Method, receiver: Cell, args: list[Value], item: Value) -> Value | None:
    """None where a set has no such method."""
    name, own = node.name, receiver.find().contents[0]
    if name in OF_MANY_SETS and len(args) != 1 and not node.keywords:
        return _with_many(ev, node, receiver, args)
    if name in _COMBINING and len(args) == 1:
        if is_object(args[0]) and (name != "update" or is_object(item)):
            ev.cells.give(receiver)
            to_python(ev, args[0])
        other = [item] if _COMBINING[name] else []
        if not name.endswith("update"):
            return ev.made(node, own, *other, kind="set") if not other else _of_both(ev, node, own, *other)
        for each in other:
            ev.cells.put(receiver, each)
    elif name in ("issubset", "issuperset", "isdisjoint") and len(args) == 1:
        if is_object(args[0]):
            ev.cells.give(receiver)
            to_python(ev, args[0])
        return BOOL
    elif name == "add" and len(args) == 1:
        ev.cells.put(receiver, args[0])
    elif name == "pop":
        return own
    elif name == "copy":
        return ev.made(node, own, kind="set")
    elif rules.row_result("set", name) != NONE:
        return None
    return NONE


def _with_many(ev: Evaluator, node: tree.Method, receiver: Cell, args: list[Value]) -> Value:
    if any(map(is_object, args)):
        ev.cells.give(receiver)
        for each in args:
            to_python(ev, each)
    items = [ev.item_of(each) for each in args] if _COMBINING[node.name] else []
    if node.name.endswith("update"):
        for each in items:
            ev.cells.put(receiver, each)
        return NONE
    for each in (receiver.find().contents[0], *items):
        ev.made(node, each, kind="set")
    return made_as(ev.site(node, "set", kind="set"))


def _of_both(ev: Evaluator, node: object, own: Value, other: Value) -> Value:
    ev.made(node, own, kind="set")
    return ev.made(node, other, kind="set")


def binary(ev: Evaluator, node: object, op: str, left: Value, right: Value) -> Value | None:
    """None where these are not two sets, or have no such operator."""
    if not (isinstance(left, Cell) and isinstance(right, Cell) and left.kind == right.kind == "set"):
        return None
    if op not in _OPERATORS:
        return None
    own = ev.item_of(left)
    return _of_both(ev, node, own, ev.item_of(right) if _OPERATORS[op] else own)


def in_place(ev: Evaluator, op: str, old: Value, value: Value) -> bool:
    """`old op= value`, of the set itself."""
    if not isinstance(old, Cell) or old.kind != "set" or op not in _OPERATORS:
        return False
    if not isinstance(value, Cell) or value.kind != "set":
        return False
    ev.cells.write(old)
    if _OPERATORS[op]:
        ev.cells.put(old, ev.item_of(value))
    return True
