"""Sets: displays, set(), methods and operators. A set is a map without values, and iterated over as one (Map)."""

from __future__ import annotations

from jitffi.scripts.library.methods import METHODS, OF_MANY_SETS
from jitffi.scripts.lower.builtins import builtin
from jitffi.scripts.lower.containers import items, maps
from jitffi.scripts.lower.containers.items import is_unmade, unmade
from jitffi.scripts.lower.control import iterators, loops
from jitffi.scripts.lower.dynamic import COMPARE_OPS
from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import V, const
from jitffi.scripts.lower.function.registry import expression, of_kind
from jitffi.scripts.lower.function.side_effects import is_plain
from jitffi.scripts.lower.function.values import NONE_VALUE, Value
from jitffi.scripts.lower.python import own_sets
from jitffi.scripts.lower.python.contained import contained
from jitffi.scripts.lower.text.textcalls import arguments
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, Type, join, set_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.control.iteration import Iterator
    from jitffi.scripts.lower.function.body import Body

#: As jf_set_combine and jf_set_change count them.
_OPERATIONS: Final = {"|": 0, "&": 1, "-": 2, "^": 3}
_COMBINING: Final = {"union": "|", "intersection": "&", "difference": "-", "symmetric_difference": "^"}
_CHANGING: Final = {"update": "|", **{f"{name}_update": op for name, op in list(_COMBINING.items())[1:]}}
#: As jf_op_set_compare counts them; the last one is JF_OP_DISJOINT.
_TESTS: Final = {"issubset": COMPARE_OPS["<="], "issuperset": COMPARE_OPS[">="], "isdisjoint": 6}


def new_set(b: Body, type_: Type) -> Value:
    """An empty set, owned by this scope."""
    room, pad = b.frame.size_arg(const("i64", 0)), const("i32", b.module.pads.pool)
    return b.storage.new_object(type_, b.frame.call("jf_set_new", room, pad))


def add(b: Body, set_: Value, item: Value) -> None:
    item = items.fitted(b, item, set_.type.args[0] if set_.type.args else ANY)
    if item.parts is None:
        b.frame.call("jf_op_set_add", set_.ssa, b.storage.view(item))
        return
    views = items.stored_views(b, [b.storage.lasting(each) for each in item.parts])
    b.frame.call("jf_op_set_add_views", set_.ssa, views, b.frame.size_arg(const("i64", len(item.parts))))


def _item(b: Body, node: tree.Expr) -> Value:
    """Of a tuple display the parts are enough."""
    return unmade(b, node) if is_unmade(node) else b.storage.lasting(b.expr(node))


def _add_all(b: Body, set_: Value, found: Iterator) -> None:
    loops.rounds(b, found, lambda item: add(b, set_, item), made=False)


@expression(pytree.SetOf)
def display(b: Body, node: pytree.SetOf) -> Value:
    if node.type.kind == "object":
        return own_sets.display(b, node)
    has_star = any(isinstance(each, tree.Spread) for each in node.items)
    values = [] if has_star else [_item(b, each) for each in node.items]
    made = new_set(b, node.type)
    for value in values:
        add(b, made, value)
    for each in node.items if has_star else ():
        if not isinstance(each, tree.Spread):
            add(b, made, _item(b, each))
        else:
            is_alone = isinstance(each.value, tree.Comprehension) and is_plain(each.value.value.type)
            _add_all(b, made, iterators.iterate(b, each.value, is_alone=is_alone))
    return made


@builtin("set")
def _set(b: Body, node: tree.Builtin) -> Value:
    if not node.args:
        return new_set(b, node.type)
    if not iterators.is_virtual(node.args[0]):
        value, *more = [b.storage.lasting(b.expr(each)) for each in _added(node.args[0])]
        if value.kind not in ("str", "object"):
            cell = b.frame.temp_cell()
            b.frame.call("jf_op_set", b.storage.view(value), const("i32", b.module.pads.pool), cell)
            made = b.storage.from_cell(node.type, cell)
            for each in more:
                b.frame.call("jf_op_set_change", made.ssa, b.storage.view(each), const("i32", _OPERATIONS["|"]))
            return made
        found = iterators.of_value(b, b.storage.materialise(value))
    else:
        found = iterators.iterate(b, node.args[0], is_alone=is_plain(iterators.item_type(node.args[0])))
    made = new_set(b, node.type)
    _add_all(b, made, found)
    return made


def _added(node: tree.Expr) -> list[tree.Expr]:
    """The lists whose sum an expression is: a set of their items, which are compared without code of others, needs no
    list of all. Only variables stand behind the first two: anything else could change these, which Python has added
    up by then."""
    if not isinstance(node, tree.Binary) or node.op != "+" or node.type.kind != "list":
        return [node]
    parts = [node.left, node.right]
    if any(each.type.kind != "list" or not each.type.args or not is_plain(each.type.args[0]) for each in parts):
        return [node]
    found = [part for each in parts for part in _added(each)]
    return found if all(isinstance(each, tree.Local) for each in found[2:]) else [node]


# -- methods --------------------------------------------------------------------------------------------------------


@of_kind("method", "set")
def method(b: Body, node: tree.Method, receiver: Value) -> Value | None:
    """None: there is no such method, or the arguments do not fit."""
    row = METHODS["set"].get(node.name)
    if node.name in OF_MANY_SETS and len(node.args) != 1 and not node.keywords:
        return _with_many(b, node, receiver)
    given = None if row is None else arguments(row, node)
    if row is None or given is None:
        return None
    if row.name == "copy":
        return b.storage.new_object(receiver.type, b.frame.call("jf_map_copy", receiver.ssa))
    first = given[0] if given else None
    if first is None:
        return _emptied(b, row.symbol, receiver)
    if row.name == "add":
        add(b, receiver, contained(b, node.value, _item(b, first)))
        return NONE_VALUE
    if row.name == "update" and iterators.is_virtual(first):
        _add_all(b, receiver, iterators.iterate(b, first))
        return NONE_VALUE
    other = b.storage.lasting(b.expr(first))
    if row.name in _TESTS:
        return conversion.status(b, _compared(b, receiver, other, _TESTS[row.name]))
    if row.name in _CHANGING:
        in_place(b, _CHANGING[row.name], receiver, other)
        return NONE_VALUE
    if row.name in _COMBINING:
        return _combined(b, _COMBINING[row.name], receiver, other, node.type)
    b.frame.call(row.symbol, receiver.ssa, b.storage.view(other))
    return NONE_VALUE


def _with_many(b: Body, node: tree.Method, receiver: Value) -> Value:
    """All others are there before anything is done."""
    others = [b.storage.lasting(b.expr(each)) for each in node.args]
    if node.name in _CHANGING:
        for each in others:
            in_place(b, _CHANGING[node.name], receiver, each)
        return NONE_VALUE
    if not others:
        return b.storage.new_object(receiver.type, b.frame.call("jf_map_copy", receiver.ssa))
    made = _combined(b, _COMBINING[node.name], receiver, others[0], node.type)
    for each in others[1:]:
        in_place(b, _COMBINING[node.name], made, each)
    return made


def _emptied(b: Body, symbol: str, set_: Value) -> Value:
    """By pop() or clear()."""
    if symbol == "jf_map_clear":
        b.frame.call(symbol, set_.ssa)
        return NONE_VALUE
    slot = b.frame.temp_slot()
    b.frame.call(symbol, set_.ssa, slot)
    return b.storage.any_in(slot)


def _compared(b: Body, set_: Value, other: Value, operation: int) -> V:
    return b.frame.call("jf_op_set_compare", set_.ssa, b.storage.view(other), const("i32", operation))


def _combined(b: Body, op: str, set_: Value, other: Value, type_: Type) -> Value:
    cell = b.frame.temp_cell()
    b.frame.call("jf_op_set_combine", set_.ssa, b.storage.view(other), const("i32", _OPERATIONS[op]), cell)
    return b.storage.from_cell(type_ if type_.kind == "set" else set_of(ANY), cell)


# -- operators ------------------------------------------------------------------------------------------------------


@of_kind("binary", "set")
def binary(b: Body, op: str, left: Value, right: Value) -> Value | None:
    if op not in _OPERATIONS or left.kind != right.kind:
        return None
    return _combined(b, op, left, right, join(left.type, right.type))


@of_kind("compare", "set")
def compare(b: Body, op: str, left: Value, right: Value) -> V | None:
    if left.kind != right.kind:
        return None
    return conversion.status(b, _compared(b, left, right, COMPARE_OPS[op])).ssa


@of_kind("contains", "set")
def contains(b: Body, set_: Value, item: Value) -> V | None:
    if item.parts is not None or item.kind in maps.HASHED:
        return maps.contains(b, set_, item)
    return None


@of_kind("augment", "set")
def augment(b: Body, variable: tree.Variable, op: str, value: Value) -> bool:
    return value.kind == "set" and in_place(b, op, b.variables.load(variable), value)


def in_place(b: Body, op: str, set_: Value, other: Value) -> bool:
    """`set op= other`, of the set itself."""
    if op not in _OPERATIONS:
        return False
    b.frame.call("jf_op_set_change", set_.ssa, b.storage.view(other), const("i32", _OPERATIONS[op]))
    return True
