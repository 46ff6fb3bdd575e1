"""Lists and tuples: displays, items, slices, `+`, `*`, and their methods.

What is not done here (None, or not done) is done on views by dynamic.py: comparisons, `in`, indices that are no ints.
"""

from __future__ import annotations

from jitffi.scripts.lower.containers import fragments, items
from jitffi.scripts.lower.containers.items import call_fragment, is_unmade, unmade
from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import SIZE, V, const
from jitffi.scripts.lower.function.registry import expression, of_kind
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, NEVER, TUPLE, Type, join, tuple_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body

#: JF_NO_INDEX.
NO_INDEX = -(1 << 63)
_FRAGMENTS = ("int", "float", "char")


# -- displays -------------------------------------------------------------------------------------------------------


def new_list(b: Body, capacity: V, type_: Type) -> Value:
    """An empty list, owned by this scope."""
    if type_.kind == "vector":
        return b.storage.new_object(type_, b.frame.call("jf_vector_new", b.frame.size_arg(capacity)))
    made = b.frame.call("jf_list_new", b.frame.size_arg(capacity), const("i32", b.module.pads.pool))
    return b.storage.new_object(type_, made)


@expression(tree.TupleOf)
def tuple_display(b: Body, node: tree.TupleOf) -> Value:
    values = b.exprs(node.items)
    return new_tuple(b, values, node.type)


def new_tuple(b: Body, values: list[Value], type_: Type | None = None) -> Value:
    """A tuple of these, owned by this scope."""
    if 0 < len(values) <= items.MOST_PARTS:
        made = b.frame.call("jf_tuple_of_parts", *items.parts_of(b, values))
        items.parts_taken(b, values)
        return b.storage.new_object(type_ or tuple_of(*[v.type for v in values]), made)
    made = b.frame.call("jf_tuple_new", items.stored_views(b, values), b.frame.size_arg(const("i64", len(values))))
    return b.storage.new_object(type_ or tuple_of(*[v.type for v in values]), made)


# -- items ----------------------------------------------------------------------------------------------------------


def is_int(value: Value | None) -> bool:
    return value is not None and value.kind in ("int", "bool")


def as_int(b: Body, value: Value) -> V:
    """An i64 of an INT or BOOL."""
    return b.e.zext(value.ssa, "i64") if value.kind == "bool" else value.ssa


def place_of(b: Body, list_: V, index: Value, message: str) -> V:
    """The index of an item, from 0; IndexError where there is none."""
    e = b.e
    size = e.load_size(list_, fragments.SIZE, kind=SIZE)
    at = as_int(b, index)
    if not (isinstance(index.const, int) and index.const >= 0):
        from_end = e.icmp("slt", at, const("i64", 0), "from.end")
        at = e.select(from_end, e.add(at, size), at, "index")
    b.frame.raise_if(e.icmp("uge", at, size, "outside"), "IndexError", message)
    return at


def item_at(b: Body, list_: V, at: V) -> V:
    """The item at an index that is in range."""
    e = b.e
    array = e.load("ptr", list_, fragments.ITEMS, "items")
    return e.load("ptr", e.index(array, b.abi.pointer_bytes, at), 0, "item")


@of_kind("item", "list")
def list_item(b: Body, value: Value, index: Value, type_: Type) -> Value | None:
    if not is_int(index):
        return None
    at = place_of(b, value.ssa, index, "list index out of range")
    return items.read(b, item_at(b, value.ssa, at), item_type(value.type))


@of_kind("item", "tuple")
def tuple_item(b: Body, value: Value, index: Value, type_: Type) -> Value | None:
    if not is_int(index):
        return None
    args, number = value.type.args, index.const
    if args is not None and isinstance(number, int) and -len(args) <= number < len(args):
        at = const("i64", number % len(args))
        return items.read(b, item_at(b, value.ssa, at), args[number % len(args)])
    at = place_of(b, value.ssa, index, "tuple index out of range")
    return items.read(b, item_at(b, value.ssa, at), item_type(value.type))


@of_kind("convert", ("tuple", "tuple"))
def convert_tuple(b: Body, value: Value, type_: Type) -> Value | None:
    """Another tuple where ints are to be floats in it; None where the same one is as good. TypeError for another number
    of items."""
    given, wanted = value.type.args, type_.args
    if wanted is None:
        return None
    if given is None:
        items.expect_length(b, value.ssa, type_, lambda: conversion.mistyped(b, value, type_))
        return None
    if len(given) != len(wanted):
        conversion.mistyped(b, value, type_)
        b.e.dead()
        return conversion.poison(type_)
    if not items.becomes_float(value.type, type_):
        return None
    held = b.storage.lasting(value)
    parts = [items.read(b, item_at(b, held.ssa, const("i64", i)), each) for i, each in enumerate(given)]
    kept = [conversion.convert(b, b.storage.materialise(p), each) for p, each in zip(parts, wanted, strict=True)]
    return new_tuple(b, kept, type_)


def item_type(type_: Type) -> Type:
    """What all items of a LIST or TUPLE are."""
    if type_.args is None:
        return ANY
    found = NEVER
    for each in type_.args:
        found = join(found, each)
    return ANY if found == NEVER else found


@of_kind("set_item", "list")
def set_list_item(b: Body, list_: Value, index: Value, value: Value) -> bool:
    if not is_int(index):
        return False
    value = items.fitted(b, value, list_.type.args[0] if list_.type.args else ANY)
    if value.kind in ("int", "float"):
        at = place_of(b, list_.ssa, index, "list assignment index out of range")
        status = call_fragment(b, "list.put." + value.kind, "i32", list_.ssa, at, value.ssa)
        b.frame.fail_if(b.e.icmp("ne", status, ZERO))
        return True
    view = items.stored(b, value)
    b.frame.call("jf_list_set", list_.ssa, as_int(b, index), view)
    items.done(b, value)
    return True


ZERO = const("i32", 0)


def element(b: Body, list_: Value, node: tree.Expr) -> Value:
    """What `add` is to be given at once: of a tuple display the parts are enough."""
    return unmade(b, node) if list_.kind == "list" and is_unmade(node) else b.expr(node)


def append(b: Body, list_: V, value: Value) -> None:
    """list.append(value); what a temporary owns is moved, and a tuple that is not made is made in its place."""
    e = b.e
    if value.parts is not None:
        b.frame.call("jf_list_append_parts", list_, *items.parts_of(b, value.parts))
        items.parts_taken(b, value.parts)
        return
    if value.kind in _FRAGMENTS:
        failed = call_fragment(b, "list.append." + value.kind, "i32", list_, value.ssa)
    elif value.kind == "str":
        wide = e.zext(value.wide, "i32")
        failed = call_fragment(b, "list.append.text", "i32", list_, value.data, value.size, wide)
    else:
        failed = b.frame.call("jf_list_append", list_, items.stored(b, value), checked=False)
    b.frame.fail_if(e.icmp("ne", failed, ZERO, "failed"))
    items.done(b, value)


# -- slices and operators -------------------------------------------------------------------------------------------


def bound(b: Body, value: Value | None) -> V | None:
    """A bound of a slice as the runtime takes it; None for what is neither int nor None."""
    if value is None or value.kind == "none":
        return const("i64", NO_INDEX)
    if not is_int(value):
        return None
    # As an index it is as good, and it does not say that there is none.
    return b.e.intrinsic("llvm.smax", "i64", as_int(b, value), const("i64", NO_INDEX + 1))


def bounds(b: Body, start: Value | None, stop: Value | None, step: Value | None) -> list[V] | None:
    found = [
        bound(b, start),
        bound(b, stop),
        const("i64", 1) if step is None or step.kind == "none" else bound(b, step),
    ]
    given = [each for each in found if each is not None]
    return given if len(given) == 3 else None


@of_kind("slice", "list", "tuple")
def slice_of(b: Body, value: Value, start: Value | None, stop: Value | None, step: Value | None) -> Value | None:
    given = bounds(b, start, stop, step)
    if given is None:
        return None
    type_ = value.type if value.kind == "list" else TUPLE
    return b.storage.new_object(type_, b.frame.call(f"jf_{value.kind}_slice", value.ssa, *given))


@of_kind("binary", "list", "tuple")
def binary(b: Body, op: str, left: Value, right: Value) -> Value | None:
    if op == "+" and left.kind == right.kind:
        both = _concatenated(left.type, right.type)
        return b.storage.new_object(both, b.frame.call(f"jf_{left.kind}_concat", left.ssa, right.ssa))
    if op != "*":
        return None
    sequence, times = (left, right) if left.kind in ("list", "tuple") else (right, left)
    if not is_int(times):
        return None
    type_ = sequence.type if sequence.kind == "list" else TUPLE
    made = b.frame.call(f"jf_{sequence.kind}_repeat", sequence.ssa, as_int(b, times))
    return b.storage.new_object(type_, made)


def _concatenated(left: Type, right: Type) -> Type:
    if left.kind == "list":
        return join(left, right)
    return TUPLE if left.args is None or right.args is None else tuple_of(*left.args, *right.args)


@of_kind("truth", "list", "tuple", "set", "dict")
def truth(b: Body, value: Value) -> V:
    return b.e.icmp("ne", b.e.load_size(value.ssa, fragments.SIZE, kind=SIZE), const("i64", 0), "truth")


@of_kind("length", "list", "tuple", "set", "dict")
def length(b: Body, value: Value) -> V:
    """Size is at one place in all of them."""
    return b.e.load_size(value.ssa, fragments.SIZE, kind=SIZE)
