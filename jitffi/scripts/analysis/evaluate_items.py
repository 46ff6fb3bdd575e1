"""Inference of items and slices: what `value[index]` and `value[start:stop]` are."""

from __future__ import annotations

from jitffi.scripts.analysis import array_uses, evaluate_defaulting, field_uses, nested_containers
from jitffi.scripts.analysis.cells import Cell, Tup, Value, is_never, kind_of, stored, type_of
from jitffi.scripts.analysis.evaluate_python import is_object, to_python
from jitffi.scripts.library import instances, members, rules
from jitffi.scripts.library.own import SEQUENCES, class_of
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, CHAR, INT, NEVER, OBJECT, STR, TUPLE, Type, array_item, promised, rank_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.analysis.evaluate import Evaluator


def item(ev: Evaluator, value: Value, index: Value, written: tree.Expr, node: tree.Expr | None = None) -> Value:
    """`value[index]`; *written*: the index as it is written; *node*: where that is an expression."""
    if is_never(value) or is_never(index):
        return NEVER
    if isinstance(value, Type) and value.kind == "array" and isinstance(written, tree.MemberName):
        return array_uses.size(value, written.name)  # no other of an array is native
    if is_object(value) or (isinstance(written, tree.MemberName) and kind_of(value) != "struct"):
        to_python(ev, value)
        to_python(ev, index)
        field = _field(value, written)
        return _promised(value, index, written) if field is None else _of_field(ev, field, node)
    if isinstance(value, Type) and value.kind == "array":
        return _array_item(value, index)
    if isinstance(value, Type) and value.kind in ("struct", "elements"):
        return members.item_type(value, written, index) or ANY
    if isinstance(value, Cell) and value.kind == "dict":
        ev.cells.ask(value, index)
        ev.cells.read(value)
        return _item_in_field(ev, evaluate_defaulting.read(ev, value.find(), index), node)
    if not isinstance(index, Type) or not rules.is_index(index):
        return ANY
    if isinstance(value, Cell):
        ev.cells.read(value)
        return _item_in_field(ev, value.find().contents[0], node) if value.kind == "list" else ANY
    if isinstance(value, Tup):
        at = _int_constant(written)
        if at is None:
            return ev.item_of(value)
        return stored(value.items[at]) if -len(value.items) <= at < len(value.items) else ANY
    return {"str": CHAR, "char": CHAR, "bytes": INT}.get(value.kind, ANY)


def _field(value: Value, written: tree.Expr) -> instances.Field | None:
    """Of an object of a registered class."""
    if not isinstance(written, tree.MemberName) or not isinstance(value, Type):
        return None
    return instances.find(value, written.name)


def _of_field(ev: Evaluator, field: instances.Field, node: tree.Expr | None) -> Value:
    """A container or array is one where it is used as such alone."""
    if field.array:
        return field.type if node is not None else OBJECT
    return _used_in_place(ev, field.type, node) if field.is_container else field.type


def _used_in_place(ev: Evaluator, type_: Type, node: tree.Expr | None) -> Value:
    """A container in a field, or an object."""
    use = None if node is None else ev.field_uses.get(node)
    if node is None or use is None or (use.gives_items and instances.holds_containers(type_)):
        return OBJECT
    if type_.kind in ("list", "tuple") and any(_is_argument(ev, each) for each in use.indices):
        return OBJECT
    given = [type_of(ev.expr(each)) for each in use.given]
    return ev.in_field(node, type_) if all(map(field_uses.is_plain, given)) else OBJECT


def _is_argument(ev: Evaluator, index: tree.Expr) -> bool:
    """Whether it is an object that the script is called with: no int, but a slice, say."""
    return isinstance(index, tree.Local) and index.variable in ev.arguments and is_object(ev.expr(index))


def _item_in_field(ev: Evaluator, found: Value, node: tree.Expr | None) -> Value:
    """An item of a container in a field, which may be one itself."""
    container = nested_containers.container_of(found)
    if container is None or not isinstance(found, Type):
        return found
    if nested_containers.may_be_else(ev.cells.places, found, container.kind):
        return OBJECT
    used = _used_in_place(ev, container, node)
    return found if is_object(used) else used


def _promised(value: Value, index: Value, written: tree.Expr) -> Value:
    """What an annotation has promised of an item of a list, dict or tuple of Python's own."""
    if not isinstance(value, Type):
        return OBJECT
    kind, at = class_of(value), _int_constant(written)
    if kind == "dict":
        return promised(value, 1)
    if kind == "tuple":
        return OBJECT if at is None or at < 0 else promised(value, at)
    is_int = isinstance(index, Type) and index.kind in ("int", "bool")
    return promised(value) if kind == "list" and is_int else OBJECT


def sliced(ev: Evaluator, site: object, value: Value, node: tree.Slice | tree.TargetSlice) -> Value:
    if isinstance(value, Cell):
        return ev.made(site, ev.item_of(value)) if value.kind == "list" else ANY
    if isinstance(value, Tup):
        parts = [None if part is None else _int_constant(part) for part in (node.start, node.stop, node.step)]
        written = [part for part in (node.start, node.stop, node.step) if part is not None]
        if len([part for part in parts if part is not None]) == len(written) and parts[2] != 0:
            return Tup(value.items[slice(*parts)])
        ev.cells.escape(value)
        return TUPLE
    if value.kind == "object":
        return value if class_of(value) in SEQUENCES else OBJECT
    if value.kind in ("never", "str", "bytes", "tuple", "array"):
        return value
    return STR if value.kind == "char" else ANY


def _array_item(array: Type, index: Value) -> Value:
    """By an index for each of its first dimensions; ANY: it has not as many."""
    if isinstance(index, Tup):
        parts = index.items
        if not 0 < len(parts) <= rank_of(array):
            return ANY
    else:
        parts = (index,)
    if not all(isinstance(each, Type) and rules.is_index(each) for each in parts):
        return ANY
    for _ in parts:
        array = array_item(array)
    return array


def _int_constant(node: tree.Expr) -> int | None:
    if isinstance(node, tree.Unary) and node.op == "-" and isinstance(node.operand, tree.Const):
        inner = _int_constant(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, tree.Const) and type(node.value) is int else None
