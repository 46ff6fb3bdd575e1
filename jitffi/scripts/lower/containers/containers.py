"""Methods of list, tuple and dict by their rows (methods.py), and what is in containers: reading it, and `op=` of it.

Those that need more than a call are in lists.py and maps.py.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.library.methods import METHODS
from jitffi.scripts.lower import dynamic, large
from jitffi.scripts.lower.containers import array_sizes, defaulting, items, lists, maps, sets, vectors
from jitffi.scripts.lower.containers.items import call_fragment, is_unmade, unmade
from jitffi.scripts.lower.containers.makers import sort
from jitffi.scripts.lower.control import iterators, loops, targets
from jitffi.scripts.lower.function import conversion, operations
from jitffi.scripts.lower.function.emit import V, const
from jitffi.scripts.lower.function.registry import expression, of_kind
from jitffi.scripts.lower.function.side_effects import without_effects
from jitffi.scripts.lower.function.values import MACHINE, NONE_VALUE, Value, int_
from jitffi.scripts.lower.python import instances, registered
from jitffi.scripts.lower.python.contained import contained
from jitffi.scripts.lower.text import textparts
from jitffi.scripts.lower.text.textcalls import arguments
from jitffi.scripts.lower.text.texts import bound_of_any
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, COUNTER, Type, dict_of, list_of, tuple_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.library.methods import Method, Param
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.lower.function.variables import Cells


@of_kind("method", "list", "tuple", "dict")
def method(b: Body, node: tree.Method, receiver: Value) -> Value | None:
    """None: there is no such method, or the arguments do not fit."""
    row = METHODS[receiver.kind].get(node.name)
    if row is None:
        return None
    if row.name == "sort":
        return _sort(b, node, receiver)
    if receiver.type.default == COUNTER and row.name == "update":
        defaulting.count_all(b, receiver, node.args[0])
        return NONE_VALUE
    given = arguments(row, node)
    if given is None:
        return None
    if row.name == "extend" and given[0] is not None and _extend(b, given[0], receiver):
        return NONE_VALUE
    scalar = node.type.kind in MACHINE and given[-1] is not None
    values = [None if each is None else _given(b, row, receiver, i, each, scalar) for i, each in enumerate(given)]
    if row.name in _PUTTING:
        values = [each and contained(b, node.value, each) for each in values]
    return call(b, row, receiver, values, node.type)


def _given(b: Body, row: Method, receiver: Value, i: int, node: tree.Expr, scalar: bool) -> Value:
    """*scalar*: the result is in a register, so that maps.method does the call."""
    is_key = receiver.kind == "dict" and row.name == "get" and i == 0 and scalar
    if receiver.kind == "list" and row.name == "append" and is_unmade(node):
        return unmade(b, node)
    return maps.key_of(b, receiver, node) if is_key else b.storage.lasting(b.expr(node))


#: Methods that put all of their arguments but ints into a container, or look for them as for what is in it.
_PUTTING: Final = frozenset(("append", "insert", "setdefault"))


def _sort(b: Body, node: tree.Method, receiver: Value) -> Value | None:
    if node.args or any(name != "reverse" for name in node.keywords):
        return None
    sort(b, node, node.key, receiver, node.keywords.get("reverse"))
    return NONE_VALUE


def _extend(b: Body, node: tree.Expr, receiver: Value) -> bool:
    """By what would only be made to be gone through."""
    if not iterators.is_virtual(node):
        return False
    found = iterators.iterate(b, node)
    loops.rounds(b, found, lambda item: lists.append(b, receiver.ssa, item), made=False)
    return True


def call(b: Body, row: Method, receiver: Value, args: list[Value | None], type_: Type) -> Value:
    """The row's result; *type_* is what inference says of it."""
    if row.receiver == "list" and row.name == "append":
        assert args[0]
        vectors.add(b, receiver, args[0])
        return NONE_VALUE
    if row.receiver == "dict" and row.name in ("get", "pop", "update"):
        quick = maps.method(b, row.name, receiver, args, type_)
        if quick is not None:
            return quick
    passed: list[V] = [receiver.ssa]
    for param, value in zip(row.params, args, strict=True):
        if param.type in ("item", "value") and value is not None and receiver.type.args:
            value = items.fitted(b, value, receiver.type.args[-1])
        passed.append(_argument(b, param, value))
    result = _result(b, row, receiver, passed)
    for param, value in zip(row.params, args, strict=True):
        if param.type == "item" and value is not None:
            items.done(b, value)
    return result


def _argument(b: Body, param: Param, value: Value | None) -> V:
    if param.type.startswith("int"):
        none = param.type != "int"
        if value is None:
            return const("i64", lists.NO_INDEX if none else int(param.default))
        if none and value.kind not in ("int", "bool"):
            return bound_of_any(b, b.storage.borrowed_any(value), none=False)  # those of list.index() cannot be None
        number = dynamic.index(b, value)
        return b.e.intrinsic("llvm.smax", "i64", number, const("i64", lists.NO_INDEX + 1)) if none else number
    if value is None:
        value = NONE_VALUE
    return items.stored(b, value) if param.type == "item" else b.storage.view(value)


def _result(b: Body, row: Method, receiver: Value, passed: list[V]) -> Value:
    result, args = row.result, receiver.type.args
    if result == "none":
        b.frame.call(row.symbol, *passed)
        return NONE_VALUE
    if result == "none!":
        b.frame.call(row.symbol, *passed)
        return NONE_VALUE
    if result == "int!":
        out = b.frame.scratch(8)
        b.frame.call(row.symbol, *passed, out)
        return int_(b.e.load("i64", out, 0, row.name))
    if result in ("item", "any"):
        slot = b.frame.temp_slot()
        b.frame.call(row.symbol, *passed, slot)
        return b.storage.any_in(slot)
    cell = b.frame.temp_cell()
    if not result.startswith("tuple"):
        passed = [*passed, const("i32", b.module.pads.pool)]
    b.frame.call(row.symbol, *passed, cell)
    return b.storage.from_cell(_made(result, args), cell)


def _made(result: str, args: tuple[Type, ...] | None) -> Type:
    """The type of a new container, by the types of what is in the receiver."""
    assert args
    known = {"item": args[0], "key": args[0], "value": args[-1]}
    if result == "list[tuple[key, value]]":
        return list_of(tuple_of(*args))
    if result.startswith("list"):
        return list_of(known[result[5:-1]])
    return dict_of(*args) if result.startswith("dict") else tuple_of(*args)


# -- op= ------------------------------------------------------------------------------------------------------------


@of_kind("augment", "list")
def augment_list(b: Body, variable: tree.Variable, op: str, value: Value) -> bool:
    return in_place(b, op, b.variables.load(variable), value)


def in_place(b: Body, op: str, list_: Value, value: Value) -> bool:
    """`list op= value`, of the list itself."""
    if op == "+":
        if value.kind == "list":
            b.frame.call("jf_list_extend", list_.ssa, value.ssa)
        else:
            b.frame.call("jf_op_extend", list_.ssa, b.storage.view(value))
        return True
    if op != "*" or value.kind not in ("int", "bool"):
        return False
    more = operations.binary(b, "*", list_, value)
    whole = [const("i64", lists.NO_INDEX), const("i64", lists.NO_INDEX), const("i64", 1)]
    b.frame.call("jf_list_assign", list_.ssa, *whole, more.ssa)
    return True


@of_kind("augment", "any")
def augment_any(b: Body, variable: tree.Variable, op: str, value: Value) -> bool:
    cells = b.variables.cells_of(variable)
    if op in large.OPERATORS and large.are_likely(b, value):
        before = Value(ANY, cells.p)
        large.binary(b, op, before, value, cells.p, lambda: _change_any(b, cells, op, b.storage.view(value)))
        return True
    if op in ("+", "-") and value.kind in ("any", "int", "float"):
        e, view = b.e, b.storage.view(value)
        other, done = e.label("other"), e.label("added")
        status = call_fragment(b, "any.add", "i32", cells.p, view, const("i1", int(op == "-")))
        e.branch(e.icmp("ne", status, const("i32", 0)), other, done, likely=False)
        e.at(other)
        _change_any(b, cells, op, view)
        e.br(done)
        e.at(done)
        return True
    _change_any(b, cells, op, b.storage.view(value))
    return True


def _change_any(b: Body, cells: Cells, op: str, view: V) -> None:
    if op == "+" and cells.room is not None:
        # Text grows in linear time.
        b.frame.call("jf_op_grow", dynamic.number_of(b, op), cells.p, cells.room, view)
    else:
        b.frame.call("jf_op_inplace", dynamic.number_of(b, op), cells.p, view)


@of_kind("augment_item", "list", "dict", "any")
def augment_item(b: Body, container: Value, index: Value, whole: tree.AugAssign) -> bool:
    """`container[index] op= value`, where that is more than reading, an operation, and writing."""
    op, node = whole.op, whole.value
    type_ = ANY if container.kind == "any" else (container.type.args or (ANY,))[-1]
    is_count = node.type.kind == "int" and type_.kind in ("int", "any") and op in ("+", "-")
    if container.type.default:
        if defaulting.augment(b, container, index, op, node):
            return True
    elif is_count and container.kind == "dict" and isinstance(node, (tree.Const, tree.Local)):
        return _add_to_entry(b, container, index, whole, type_)
    elif (
        is_count
        and container.kind == "list"
        and type_ == ANY
        and lists.is_int(index)
        and isinstance(node, (tree.Const, tree.Local))
    ):
        _add_to_item(b, b.storage.lasting(container), index, whole)
        return True
    if type_.kind not in ("list", "set", "any"):
        return False
    old = b.storage.materialise(operations.item(b, container, index, type_))
    value = b.storage.lasting(b.expr(node))
    change = sets.in_place if old.kind == "set" == value.kind else in_place
    if old.kind in ("list", "set") and not change(b, op, old, value):
        old = operations.binary(b, op, old, value)
    elif old.kind == "any":
        assert old.keep.place
        b.frame.call("jf_op_inplace", dynamic.number_of(b, op), old.ssa, b.storage.view(value))
    targets.set_item(b, container, index, _into(b, whole, old))
    return True


def _into(b: Body, whole: tree.AugAssign, value: Value) -> Value:
    """What the container of an item takes."""
    assert isinstance(whole.target, tree.TargetItem)
    return contained(b, whole.target.value, value)


def _add_to_item(b: Body, list_: Value, index: Value, whole: tree.AugAssign) -> None:
    """The same of a list, whose item is an int as a rule."""
    e, op, number = b.e, whole.op, b.expr(whole.value)
    at = lists.place_of(b, list_.ssa, index, "list index out of range")
    item = lists.item_at(b, list_.ssa, at)
    quick, other, done = e.label("int"), e.label("other"), e.label("added")
    e.branch(e.icmp("eq", e.load("i32", item, 0, "code"), const("i32", layout.INT)), quick, other, likely=True)
    e.at(quick)
    fits, before = e.label("fits"), e.load("i64", item, 8, "int")
    total, is_over = e.overflowing("sadd" if op == "+" else "ssub", before, number.ssa, "total")
    e.branch(is_over, other, fits, likely=False)
    e.at(fits)
    status = call_fragment(b, "list.put.int", "i32", list_.ssa, at, total)
    b.frame.fail_if(e.icmp("ne", status, const("i32", 0)))
    e.br(done)
    e.at(other)
    with b.frame.sometimes():
        old = b.storage.materialise(items.read(b, item, ANY))
        b.frame.call("jf_op_inplace", dynamic.number_of(b, op), old.ssa, b.storage.view(number))
        targets.set_item(b, list_, index, _into(b, whole, old))
    e.br(done)
    e.at(done)


def _add_to_entry(b: Body, map_: Value, key: Value, whole: tree.AugAssign, type_: Type) -> bool:
    op, number = whole.op, b.expr(whole.value)
    given = number
    if op == "-":
        if not isinstance(number.const, int) or number.const == lists.NO_INDEX:
            return False
        number = int_(const("i64", -number.const))
    e = b.e
    entry = maps.seek(b, map_, key)
    done, other = e.label("added"), e.label("other")
    place = e.offset(entry, maps.value_offset(b), "value.at")
    added = call_fragment(b, "map.add.int", "i32", map_.ssa, place, number.ssa)
    e.branch(e.icmp("ne", added, const("i32", 0), "added"), done, other, likely=True)
    e.at(other)
    with b.frame.sometimes():
        old = items.read(b, e.load("ptr", place, 0, "value"), type_)
        if type_ == ANY:
            old = b.storage.materialise(old)
            b.frame.call("jf_op_inplace", dynamic.number_of(b, op), old.ssa, b.storage.view(given))
        else:
            old = operations.binary(b, "+", old, number)
        maps.set_item(b, map_, key, _into(b, whole, old))
    e.br(done)
    e.at(done)
    return True


# -- items of what is evaluated --------------------------------------------------------------------------------------


@expression(tree.Item)
def item(b: Body, node: tree.Item) -> Value:
    part = textparts.item(b, node)
    if part is not None:
        return conversion.convert(b, part, node.type)
    if isinstance(node.index, pytree.AttributeName) and node.index.method is not None:
        return registered.attribute(b, node, node.index)
    size = array_sizes.size(b, node)
    if size is not None:
        return size
    value = b.expr(node.value)
    if node in b.function.in_fields and not isinstance(node.index, tree.MemberName):
        found = instances.container_in(b, node, b.storage.lasting(value))
        if found is not None:
            return found
    if not (value.kind in _ROWS and node.index.type.kind in ("int", "bool") and without_effects(node.index)):
        value = b.storage.lasting(value)
    index = maps.key_of(b, value, node.index)
    return conversion.convert(b, operations.item(b, value, index, node.type), node.type)


#: What is indexed without running anything.
_ROWS = frozenset(("list", "vector", "tuple", "str", "bytes", "char", "array"))
