"""Assignments: to variables, items and slices, unpacking, and `target op= value`."""

from __future__ import annotations

import sys

from jitffi.base import layout
from jitffi.scripts.analysis.counters import is_step
from jitffi.scripts.library import instances
from jitffi.scripts.library.own import class_of
from jitffi.scripts.lower import dynamic, masks, numbers, products
from jitffi.scripts.lower.containers import arrays, fragments, items, lists, maps
from jitffi.scripts.lower.control.calls import PYTHON_NAMES
from jitffi.scripts.lower.function import conversion, operations, registry
from jitffi.scripts.lower.function.emit import const
from jitffi.scripts.lower.function.registry import expression, statement
from jitffi.scripts.lower.function.side_effects import is_plain, without_effects
from jitffi.scripts.lower.function.values import Value, borrowed
from jitffi.scripts.lower.python import items as objects
from jitffi.scripts.lower.python import registered
from jitffi.scripts.lower.python.contained import contained
from jitffi.scripts.lower.python.iteration import unpacked
from jitffi.scripts.lower.python.operators import augmented
from jitffi.scripts.lower.python.own import converted
from jitffi.scripts.lower.text import textparts
from jitffi.scripts.lower.text.textgrow import grow
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, CHAR, INT, OBJECT, Type, array_item, list_of, object_of
from jitffi.scripts.tree.walk import element_pairs, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body


@statement(tree.Assign)
def assign(b: Body, node: tree.Assign) -> None:
    target, value = node.targets[0], node.value
    if node.is_cut and isinstance(target, tree.TargetLocal):
        store(b, target, masks.cut(b, node, target.variable))
        return
    if isinstance(target, tree.TargetLocal) and target.variable.is_wide:
        products.assign(b, node, target.variable)
        return
    pairs = element_pairs(target, value) if len(node.targets) == 1 else None
    if pairs is not None:
        _assign_each(b, pairs)
        return
    if grow(b, node) or maps.count(b, node):
        return
    parts = textparts.unpacked(b, target, value) if len(node.targets) == 1 else None
    if parts is not None:
        assert isinstance(target, tree.TargetTuple)
        if not _leaves_be(b, target, value):
            parts = [b.storage.materialise(part) for part in parts]
        for each, part in zip(target.targets, parts, strict=True):
            store(b, each, part)
        return
    if isinstance(target, tree.TargetLocal) and len(node.targets) == 1:
        b.stored = (value, b.module.pads.of(target.variable))
    result = b.expr(value)
    b.stored = None
    if len(node.targets) > 1:
        result = b.storage.materialise(result)
    for each in node.targets[:-1]:
        store(b, each, borrowed(result))
    store(b, node.targets[-1], result)


def _leaves_be(b: Body, target: tree.TargetTuple, value: tree.Expr) -> bool:
    """Storing to these variables leaves what the expression is made of as it is."""
    stored = [each.variable for each in target.targets if isinstance(each, tree.TargetLocal)]
    used = [each.variable for each in walk([value]) if isinstance(each, tree.Local)]
    return len(stored) == len(target.targets) and not set(stored) & set(used)


def _assign_each(b: Body, pairs: list[tuple[tree.Target, tree.Expr]]) -> None:
    """`a, b = b, a`: no tuple is made. What lies in variables is materialised before any of them changes."""
    values = [b.storage.materialise(b.expr(item)) for _, item in pairs]
    for (target, _), value in zip(pairs, values, strict=True):
        store(b, target, value)


def store(b: Body, target: tree.Target, value: Value) -> None:
    """Assign a value; where its target has expressions, they are evaluated now."""
    line, b.frame.line = b.frame.line, target.place.line
    if isinstance(target, tree.TargetLocal):
        conversion.assign(b, target.variable, value)
    elif isinstance(target, tree.TargetTuple):
        unpack(b, target, value)
    else:
        value = b.storage.lasting(value)
        container = _container(b, target)
        if isinstance(target, tree.TargetItem):
            if registered.store(b, target, container, value):
                b.frame.line = line
                return
            key = maps.key_of(b, container, target.index)
            key = contained(b, target.value, key) if container.kind == "dict" else key
            set_item(b, container, key, contained(b, target.value, value))
        elif container.kind == "object":
            objects.set_slice(b, container, _bounds(b, target), value)
        else:
            start, stop, step = _bounds(b, target)
            value = b.storage.borrowed_any(value) if value.kind == "object" else value
            if container.kind != "array" or not arrays.set_slice(b, container, start, stop, step, value):
                dynamic.set_slice(b, container, start, stop, step, value)
    b.frame.line = line


def _bounds(b: Body, target: tree.TargetSlice) -> list[Value | None]:
    parts = (target.start, target.stop, target.step)
    return [b.storage.lasting(b.expr(part)) if part else None for part in parts]


def _container(b: Body, target: tree.TargetItem | tree.TargetSlice, also: tree.Expr | None = None) -> Value:
    """What has the item. It need not be materialised for a list's item, where the index, and what *also* is evaluated,
    run nothing."""
    container = b.expr(target.value)
    if isinstance(target, tree.TargetItem) and container.kind in ("list", "vector", "array") and without_effects(also):
        no_effects = target.index.type.kind in ("int", "bool") and without_effects(target.index)
        return container if no_effects else b.storage.lasting(container)
    return b.storage.lasting(container)


def set_item(b: Body, container: Value, index: Value, value: Value) -> None:
    """`container[index] = value`."""
    index = operations.as_index(b, container, index)
    kind = registry.kind_of_item(container, index)
    if value.kind == "object" and kind not in ("object", "member"):
        value = b.storage.borrowed_any(value)
    handler = registry.SET_ITEM.get(kind)
    if handler is None or not handler(b, container, index, value):
        dynamic.set_item(b, container, index, value)


@expression(tree.Named)
def named(b: Body, node: tree.Named) -> Value:
    store(b, node.target, b.expr(node.value))
    return b.storage.materialise(b.variables.load(node.target.variable))


# -- unpacking -----------------------------------------------------------------------------------------------


def unpack(b: Body, target: tree.TargetTuple, value: Value) -> None:
    """All items are materialised before the first is stored, for that may be the end of what they come from."""
    count, star = len(target.targets), target.star
    if value.kind == "never":
        return
    if value.kind == "object":
        value = b.storage.lasting(value) if star >= 0 else value
        for each, part in zip(target.targets, unpacked(b, value, count, star), strict=True):
            store(b, each, part)
        return
    if value.kind in PYTHON_NAMES and value.kind != "char":
        b.frame.raise_("TypeError", f"cannot unpack non-iterable {PYTHON_NAMES[value.kind]} object")
        b.e.dead()
        return
    if value.kind == "any" and star < 0:
        _unpack_any(b, target, value)
        return
    value = b.storage.materialise(value) if value.keep.kind == "volatile" else value
    if star < 0 and value.kind == "tuple" and value.type.args is not None:
        if len(value.type.args) != count:
            b.frame.raise_("ValueError", _wrong_count(count, len(value.type.args)))
            b.e.dead()
            return
    elif star < 0 and value.kind in ("list", "tuple", "str"):
        _check_count(b, value, count)
    else:
        value = _listed(b, value, count, star)
    parts = [_part(b, value, i, count, star) for i in range(count)]
    if star >= 0 and _is_own(target.targets[star]):
        parts[star] = converted(b, parts[star], object_of("list"))
    for each, part in zip(target.targets, parts, strict=True):
        store(b, each, part)


def _is_own(target: tree.Target) -> bool:
    if isinstance(target, tree.TargetItem):
        return target.value.type.kind == "object" or isinstance(target.index, tree.MemberName)
    return isinstance(target, tree.TargetLocal) and target.variable.type.kind == "object"


def _unpack_any(b: Body, target: tree.TargetTuple, value: Value) -> None:
    """What turns out to be a list or tuple of as many items is read where it is; its items are materialised at once."""
    e, count = b.e, len(target.targets)
    place = e.alloca("ptr", "unpacked")
    look, size, slow, done = e.label("look"), e.label("size"), e.label("listed"), e.label("unpack")
    e.branch(e.icmp("eq", e.load("i32", value.ssa, 0, "code"), const("i32", layout.OBJECT)), look, slow)
    e.at(look)
    held = e.load("ptr", value.ssa, layout.SLOT_PAYLOAD, "held")
    code = e.load("i32", held, 0, "held.code")
    is_list, is_tuple = (e.icmp("eq", code, const("i32", each)) for each in (layout.LIST, layout.TUPLE))
    e.store(held, place)
    e.branch(e.or_(is_list, is_tuple), size, slow)
    e.at(size)
    same = e.icmp("eq", e.load_size(held, fragments.SIZE), const("i64", count), "is.count")
    e.branch(same, done, slow, likely=True)
    e.at(slow)
    with b.frame.sometimes():
        e.store(_listed(b, b.storage.materialise(value), count, -1).ssa, place)
    e.br(done)
    e.at(done)
    object_ = e.load("ptr", place, 0, "items.of")
    places = (lists.item_at(b, object_, const("i64", i)) for i in range(count))
    parts = [b.storage.materialise(items.read(b, place, ANY)) for place in places]
    for each, part in zip(target.targets, parts, strict=True):
        store(b, each, part)


_NUMBERS: Final = frozenset(("bool", "int", "u64", "float"))
#: Of a list, a tuple or a dict.
_SAYS_GOT: Final = sys.version_info >= (3, 14)


def _wrong_count(expected: int, got: int) -> str:
    if got > expected:
        return f"too many values to unpack (expected {expected}{f', got {got}' if _SAYS_GOT else ''})"
    return f"not enough values to unpack (expected {expected}, got {got})"


def _check_count(b: Body, value: Value, count: int) -> None:
    """CPython says how many were got where they were too few, so each number of them has a message of its own."""
    e, size = b.e, operations.length(b, value)
    on, cold = e.label("not.more"), e.label("too.many")
    e.branch(e.icmp("ugt", size, const("i64", count)), cold, on, likely=False)
    e.at(cold)
    b.frame.call(
        "jf_script_too_many",
        const("i64", count),
        const("i64", 0) if value.kind == "str" else size,
    )
    e.at(on)
    for got in range(count):
        b.frame.raise_if(e.icmp("eq", size, const("i64", got)), "ValueError", _wrong_count(count, got))


def _listed(b: Body, value: Value, count: int, star: int) -> Value:
    """A list of what iterating gives, which is as many as there are targets; of a star's there may be more or none."""
    cell = b.frame.temp_cell()
    least, or_more = const("i64", count - (star >= 0)), const("i32", int(star >= 0))
    pad = const("i32", b.module.pads.pool)
    b.frame.call("jf_op_unpack", b.storage.view(value), least, or_more, pad, cell)
    return b.storage.from_cell(list_of(ANY), cell)


def _part(b: Body, value: Value, i: int, count: int, star: int) -> Value:
    """Item i of the targets, materialised."""
    if i == star:
        stop = None if star == count - 1 else numbers.int_constant(star + 1 - count)
        return b.storage.materialise(operations.slice(b, value, numbers.int_constant(star), stop, None))
    index = i if star < 0 or i < star else i - count
    return b.storage.materialise(operations.item(b, value, numbers.int_constant(index), item_type(value.type, index)))


def item_type(type_: Type, index: int | None = None) -> Type:
    """The type of an item of a value of *type_*, at a constant index if that is known."""
    if type_.kind == "list" and type_.args:
        return type_.args[0]
    if type_.kind == "dict" and type_.args:
        return type_.args[1]
    if type_.kind == "tuple" and type_.args and index is not None and -len(type_.args) <= index < len(type_.args):
        return type_.args[index]
    if type_.kind == "array":
        return array_item(type_)
    return {"str": CHAR, "char": CHAR, "bytes": INT, "object": OBJECT}.get(type_.kind, ANY)


# -- augmented -----------------------------------------------------------------------------------------------


@statement(tree.AugAssign)
def augment(b: Body, node: tree.AugAssign) -> None:
    target = node.target
    if isinstance(target, tree.TargetLocal):
        _augment_local(b, target.variable, node)
    elif isinstance(target, tree.TargetItem):
        _augment_item(b, target, node)
    else:
        assert isinstance(target, tree.TargetSlice), target
        container = b.storage.lasting(b.expr(target.value))
        start, stop, step = _bounds(b, target)
        if container.kind == "object":
            before = operations.slice(b, container, start, stop, step)
            after = augmented(b, node.op, before, b.storage.lasting(b.expr(node.value)))
            objects.set_slice(b, container, [start, stop, step], after)
            return
        old = b.storage.lasting(operations.slice(b, container, start, stop, step))
        value = b.storage.lasting(operations.binary(b, node.op, old, b.storage.lasting(b.expr(node.value))))
        dynamic.set_slice(b, container, start, stop, step, value)


def _augment_local(b: Body, variable: tree.Variable, node: tree.AugAssign) -> None:
    if node.is_cut:
        conversion.assign(b, variable, masks.cut(b, node, variable))
        return
    before = b.variables.load(variable, check=True)
    value = b.storage.lasting(b.expr(node.value))
    if variable.type.kind == "object" or (variable.type == ANY and class_of(value.type)):
        conversion.assign(b, variable, augmented(b, node.op, before, value))
        return
    if value.kind == "object":
        value = b.storage.borrowed_any(value)
    handler = registry.AUGMENT.get(variable.type.kind)
    if handler is not None and handler(b, variable, node.op, value):
        return
    if variable in b.counters and is_step(node.value, node.op):
        conversion.assign(b, variable, numbers.step(b, node.op, before, value))
        return
    conversion.assign(b, variable, operations.binary(b, node.op, before, value))


def _augmented_field(b: Body, op: tree.BinaryOp, before: Value, value: Value) -> Value:
    if before.kind == "any" and value.kind != "object":
        slot = b.storage.to_any(before)
        b.frame.call("jf_op_inplace", dynamic.number_of(b, op), slot.ssa, b.storage.view(value))
        return slot
    is_native = value.kind in _NUMBERS or before.kind == value.kind
    return (operations.binary if is_native else augmented)(b, op, before, value)


def _augment_property(
    b: Body, target: tree.TargetItem, name: pytree.AttributeName, container: Value, node: tree.AugAssign
) -> None:
    """A property or constant of a registered class."""
    container = b.storage.lasting(container)
    index = maps.key_of(b, container, name)
    if name.method is not None:
        before = registered.read(b, target, name, container, name.gives)
    else:
        before = operations.item(b, container, index, OBJECT)
    before, value = b.storage.lasting(before), b.storage.lasting(b.expr(node.value))
    change = augmented if before.kind == "object" else _augmented_field
    after = change(b, node.op, before, value)
    if not registered.store(b, target, container, b.storage.lasting(after)):
        set_item(b, container, index, after)


def _augment_item(b: Body, target: tree.TargetItem, node: tree.AugAssign) -> None:
    container = _container(b, target, node.value)
    if not is_plain(node.value.type) or not (container.type.args and is_plain(container.type.args[0])):
        container = b.storage.lasting(container)
    name = target.index
    if isinstance(name, pytree.AttributeName) and (name.method is not None or name.setter is not None):
        _augment_property(b, target, name, container, node)
        return
    index = operations.as_index(b, container, maps.key_of(b, container, target.index))
    field = instances.find(container.type, str(index.const)) if container.type.key else None
    if field is not None and field.is_value:
        before = b.storage.lasting(operations.item(b, container, index, field.type))
        value = b.storage.lasting(b.expr(node.value))
        set_item(b, container, index, _augmented_field(b, node.op, before, value))
        return
    if registry.kind_of_item(container, index) in ("object", "member"):
        before = b.storage.lasting(operations.item(b, container, index, OBJECT))
        set_item(b, container, index, augmented(b, node.op, before, b.storage.lasting(b.expr(node.value))))
        return
    handler = registry.AUGMENT_ITEM.get(container.kind)
    if handler is not None and handler(b, container, index, node):
        return
    known = index.const if isinstance(index.const, int) else None
    old = b.storage.lasting(operations.item(b, container, index, item_type(container.type, known)))
    change = augmented if old.kind == "object" else operations.binary
    value = change(b, node.op, old, b.storage.lasting(b.expr(node.value)))
    set_item(b, container, index, contained(b, target.value, b.storage.lasting(value)))
