"""Lists, dicts, tuples and sets that are exactly Python's own, where they lie: items by loads and stores, look-ups by
text that no str is made of. What is not here is done as with any object (None)."""

from __future__ import annotations

from jitffi.base.layout import HOST
from jitffi.scripts.library.own import class_of
from jitffi.scripts.lower.containers import items, lists
from jitffi.scripts.lower.containers.lists import NO_INDEX, as_int, is_int
from jitffi.scripts.lower.function import conversion, registry
from jitffi.scripts.lower.function.emit import V, const
from jitffi.scripts.lower.function.side_effects import is_plain
from jitffi.scripts.lower.function.values import Value, volatile
from jitffi.scripts.lower.python.boxing import boxed
from jitffi.scripts.lower.python.own_pieces import is_of_pieces, pieces
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import OBJECT, is_guessed, object_of, promised

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree.types import Type

_SIZES: Final = {"list": "bytes.size", "tuple": "bytes.size", "dict": "dict.used", "set": "set.used"}
TEXT: Final = ("str", "char")
_MOST_PARTS: Final = 4
_CONTAINERS: Final = ("list", "set", "dict", "tuple")


def size(b: Body, value: Value) -> V | None:
    """len() by a load."""
    field = _SIZES.get(class_of(value.type))
    return None if field is None else b.e.load("i64", value.ssa, HOST[field], "size")


def item_at(b: Body, value: Value, at: V) -> Value:
    """The item of a list or tuple at an index that is in range, where it lies."""
    e = b.e
    if class_of(value.type) == "list":
        array = e.load("ptr", value.ssa, HOST["list.items"], "items")
    else:
        array = e.offset(value.ssa, HOST["tuple.items"], "items")
    return Value(OBJECT, e.load("ptr", e.index(array, 8, at), 0, "item"), volatile())


def as_promised(b: Body, container: Type, item: Value, type_: Type) -> Value:
    """An item as what an annotation says that it is; TypeError. What was guessed has been looked at."""
    if type_.kind == "object":
        return Value(type_, item.v, item.keep) if type_.key else item
    if is_guessed(container):
        return registry.CONVERT["guess", type_.kind](b, item, type_)
    before, b.naming = b.naming, "item" if b.naming == "value" else b.naming
    found = conversion.convert(b, item, type_)
    b.naming = before
    return found


def item(b: Body, value: Value, index: Value) -> Value | None:
    """`value[index]`, borrowed."""
    kind = class_of(value.type)
    if kind == "dict":
        if is_looked_up(index):
            found = b.frame.call("core_op_dict_item_text", value.ssa, b.storage.text(index))
        else:
            found = b.frame.call("core_op_dict_item", value.ssa, key_object(b, index).ssa)
        return as_promised(b, value.type, borrowed(found), promised(value.type, 1))
    if kind not in ("list", "tuple") or not is_int(index):
        return None
    e, count = b.e, size(b, value)
    assert count is not None
    at = as_int(b, index)
    if not (isinstance(index.const, int) and index.const >= 0):
        at = e.select(e.icmp("slt", at, const("i64", 0), "from.end"), e.add(at, count), at, "index")
    b.frame.raise_if(e.icmp("uge", at, count, "outside"), "IndexError", f"{kind} index out of range")
    one = item_at(b, value, at)
    return as_promised(b, value.type, one, promised(value.type)) if kind == "list" else one


def borrowed(object_: V) -> Value:
    return Value(OBJECT, object_, volatile())


def set_item(b: Body, container: Value, index: Value, value: Value) -> bool:
    kind = class_of(container.type)
    if kind == "list" and is_int(index):
        given = b.storage.reference(kept(b, value))
        b.frame.call("core_op_list_set", container.ssa, as_int(b, index), given)
        return True
    if kind == "dict" and is_looked_up(index):
        given = kept(b, value).ssa
        b.frame.call("core_op_dict_set_text", container.ssa, b.storage.text(index), given)
        return True
    if kind == "dict":
        b.frame.call("core_op_dict_set", container.ssa, kept(b, index).ssa, kept(b, value).ssa)
        return True
    return False


def slice_of(b: Body, value: Value, start: Value | None, stop: Value | None, step: Value | None) -> Value | None:
    bounds = [_bound(b, start), _bound(b, stop)]
    if class_of(value.type) not in ("list", "tuple") or step is not None or None in bounds:
        return None
    made = b.frame.call("core_op_list_slice", value.ssa, *[each for each in bounds if each is not None])
    return b.storage.new_object(value.type, made)


def _bound(b: Body, value: Value | None) -> V | None:
    if value is None or value.kind == "none":
        return const("i64", NO_INDEX)
    if not is_int(value):
        return None
    return b.e.intrinsic("llvm.smax", "i64", as_int(b, value), const("i64", NO_INDEX + 1))


def find(b: Body, dict_: Value, key: Value) -> tuple[V, V]:
    """1 or 0, and where the value is then."""
    place = b.frame.scratch(8)
    if is_looked_up(key):
        return b.frame.call("core_op_dict_find_text", dict_.ssa, b.storage.text(key), place), place
    return b.frame.call("core_op_dict_find", dict_.ssa, key_object(b, key).ssa, place), place


def is_looked_up(key: Value) -> bool:
    """Whether no str is made of a text to look it up: one that is there already knows its hash."""
    return key.kind in TEXT and key.origin is None


def key_object(b: Body, key: Value) -> Value:
    """A key as an object; of a short native tuple the parts are read one by one."""
    types = key.type.args
    if key.kind != "tuple" or not types or len(types) > _MOST_PARTS or not all(map(is_plain, types)):
        return boxed(b, key)
    parts = [items.read(b, lists.item_at(b, key.ssa, const("i64", i)), each) for i, each in enumerate(types)]
    return display_of(b, [boxed(b, each) for each in parts], "tuple")


def contains(b: Body, container: Value, item: Value) -> V | None:
    if class_of(container.type) != "dict":
        return None
    found, _ = find(b, container, item)
    return b.e.icmp("ne", found, const("i32", 0), "is")


# -- made here --------------------------------------------------------------------------------------------------------


def kept(b: Body, value: Value) -> Value:
    """A value as an object that a container keeps."""
    if value.kind != "any":
        return boxed(b, value)
    return b.storage.new_object(OBJECT, b.frame.call("core_op_box_stored", b.storage.view(value)))


def converted_for_python(b: Body, value: Value) -> Value:
    """A value as an object; a list, set, dict or tuple of a script's as one of Python's class."""
    if value.kind in _CONTAINERS:
        return b.storage.new_object(OBJECT, b.frame.call("core_op_box_stored", b.storage.view(value)))
    return kept(b, value)


def of_node(b: Body, node: tree.Expr) -> Value:
    """An expression as an object; of a tuple display no native one is made."""
    if isinstance(node, tree.TupleOf) and node.items:
        return display(b, node, "tuple")
    if isinstance(node, tree.Method) and is_of_pieces(node):
        return b.storage.new_object(*pieces(b, node))
    value = b.storage.lasting(b.expr(node))
    return converted_for_python(b, value) if value.kind in ("list", "set", "dict") else kept(b, value)


def key_of(b: Body, node: tree.Expr) -> Value:
    """What an object is asked for, good while other things are evaluated: a tuple is one of Python's at once."""
    return of_node(b, node) if isinstance(node, tree.TupleOf) and node.items else b.storage.lasting(b.expr(node))


def of_value(b: Body, value: Value) -> Value:
    """A value as an object; of the parts of a tuple that tuple is made."""
    if value.parts is None:
        return kept(b, value)
    return display_of(b, [kept(b, b.storage.lasting(each)) for each in value.parts], "tuple")


def display(b: Body, node: tree.ListOf | tree.TupleOf, kind: str) -> Value:
    """A list or tuple of these. All are there before it is made, and nothing runs while they are stored."""
    return display_of(b, [b.storage.lasting(of_node(b, each)) for each in node.items], kind)


def display_of(b: Body, values: list[Value], kind: str) -> Value:
    """The same of objects."""
    e = b.e
    made = b.storage.new_object(object_of(kind), b.frame.call(f"core_op_{kind}_new", const("i64", len(values))))
    array = made.ssa
    start = HOST["tuple.items"]
    if kind == "list" and values:
        array, start = e.load("ptr", made.ssa, HOST["list.items"], "items"), 0
    for i, value in enumerate(values):
        e.store(b.storage.reference(value), array, start + 8 * i)
    return made


def new_list(b: Body) -> Value:
    return b.storage.new_object(object_of("list"), b.frame.call("core_op_list_new", const("i64", 0)))


def append(b: Body, list_: Value, value: Value) -> None:
    b.frame.call("core_op_list_append", list_.ssa, b.storage.reference(value))


def put(b: Body, made: Value, node: tree.Comprehension) -> None:
    """What a round of a comprehension gives."""
    if node.key is None:
        append(b, made, of_node(b, node.value))
        return
    key = key_of(b, node.key)
    set_item(b, made, key, of_node(b, node.value))


def new_dict(b: Body) -> Value:
    return b.storage.new_object(object_of("dict"), b.frame.call("core_op_dict_new"))


def dict_display(b: Body, node: tree.DictOf) -> Value:
    made = new_dict(b)
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            b.frame.call("core_op_dict_update", made.ssa, converted_for_python(b, b.storage.lasting(b.expr(value))).ssa)
            continue
        index = key_of(b, key)
        set_item(b, made, index, of_node(b, value))
    return made


def converted(b: Body, value: Value, type_: Type) -> Value:
    """A native list, set, dict or tuple that was just made, as Python's own."""
    return b.storage.new_object(type_, b.frame.call("core_op_own", value.ssa))


# -- counting ---------------------------------------------------------------------------------------------------------


def count(b: Body, dict_: Value, key: Value, first: V, more: V) -> None:
    """`dict[key] = dict.get(key, start) + more` of ints, where start + more is *first*."""
    if is_looked_up(key):
        b.frame.call("core_op_dict_count_text", dict_.ssa, b.storage.text(key), first, more)
    else:
        b.frame.call("core_op_dict_count", dict_.ssa, boxed(b, key).ssa, first, more)
