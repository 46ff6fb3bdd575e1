"""Vectors: lists of numbers that nobody else sees (jitffi/scripts/analysis/vectors.py says which), an item in 8 bytes.

    jf_vector   16 data -> | i64 or double | ...     24 size   32 capacity      (data may lie behind, in the same block)

Size is where lists have it, so bounds, truth and rounds are those of lists. Items are read and written in place. `add`
is for lists, too.
"""

from __future__ import annotations

from jitffi.scripts.lower import dynamic
from jitffi.scripts.lower.containers import fragments, items, lists
from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import CAPACITY, DATA, NULL, NUMBERS, SIZE, V, const
from jitffi.scripts.lower.function.registry import of_kind
from jitffi.scripts.lower.function.values import NONE_VALUE, Value, bool_, float_
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree.types import Type

_DATA, _CAPACITY = 16, 32


def _place(b: Body, vector: Value, at: V) -> V:
    return b.e.index(b.e.load("ptr", vector.ssa, _DATA, "numbers", kind=DATA), 8, at, "number.at")


def _load(b: Body, vector: Value, place: V, memory: str) -> Value:
    kind = _item(vector).kind
    number = b.e.load("double" if kind == "float" else "i64", place, 0, "number", kind=memory)
    if kind == "float":
        return float_(number)
    return bool_(b.e.trunc(number, "i1")) if kind == "bool" else Value(_item(vector), number)


def _item(vector: Value) -> Type:
    assert vector.type.args
    return vector.type.args[0]


def _number(b: Body, vector: Value, value: Value) -> V:
    """A value as it lies in the vector."""
    ssa = conversion.convert(b, value, _item(vector)).ssa
    return b.e.zext(ssa, "i64") if ssa.type == "i1" else ssa


def read(b: Body, vector: Value, at: V) -> Value:
    """The item at an index that is in range."""
    return _load(b, vector, _place(b, vector, at), NUMBERS)


@of_kind("item", "vector")
def item(b: Body, vector: Value, index: Value, type_: Type) -> Value:
    return read(b, vector, lists.place_of(b, vector.ssa, index, "list index out of range"))


@of_kind("set_item", "vector")
def set_item(b: Body, vector: Value, index: Value, value: Value) -> bool:
    at = lists.place_of(b, vector.ssa, index, "list assignment index out of range")
    b.e.store(_number(b, vector, value), _place(b, vector, at), kind=NUMBERS)
    return True


def has_room(b: Body, vector: Value, more: V | None = None) -> V:
    """Whether there is room for *more* items; None: for one."""
    e = b.e
    size = e.load_size(vector.ssa, fragments.SIZE, kind=SIZE)
    capacity = e.load_size(vector.ssa, _CAPACITY, "capacity", CAPACITY)
    return e.icmp("ult", size, capacity) if more is None else e.icmp("sle", more, e.sub(capacity, size), "has.room")


def assume_room(b: Body, vector: Value) -> None:
    """In a loop that was entered with room enough. What is read here, in each round, LLVM reads before the loop."""
    b.e.assume(has_room(b, vector))
    b.e.assume(b.e.icmp("ne", b.e.load("ptr", vector.ssa, _DATA, "numbers", kind=DATA), NULL))


def make_room(b: Body, vector: Value, more: V) -> None:
    """For *more* items at least, where it has not as much."""
    e = b.e
    little, enough = e.label("little"), e.label("enough")
    e.branch(has_room(b, vector, more), enough, little)
    e.at(little)
    b.frame.call("jf_vector_reserve", vector.ssa, b.frame.size_arg(more))
    e.br(enough)
    e.at(enough)


def append(b: Body, vector: Value, value: Value) -> None:
    e = b.e
    number = _number(b, vector, value)
    size = e.load_size(vector.ssa, fragments.SIZE, kind=SIZE)
    grow, room = e.label("grow"), e.label("room")
    e.branch(
        e.icmp("ult", size, e.load_size(vector.ssa, _CAPACITY, "capacity", CAPACITY), "has.room"),
        room,
        grow,
        likely=True,
    )
    e.at(grow)
    b.frame.call("jf_vector_grow", vector.ssa)
    e.br(room)
    e.at(room)
    e.store(number, _place(b, vector, size), kind=NUMBERS)
    e.store_size(e.add(size, const("i64", 1)), vector.ssa, fragments.SIZE, SIZE)


def add(b: Body, list_: Value, value: Value) -> None:
    """list.append(value), also of a vector."""
    if list_.kind == "vector":
        append(b, list_, value)
    else:
        lists.append(b, list_.ssa, items.fitted(b, value, list_.type.args[0] if list_.type.args else ANY))


@of_kind("truth", "vector")
def truth(b: Body, vector: Value) -> V:
    return lists.truth(b, vector)


@of_kind("length", "vector")
def length(b: Body, vector: Value) -> V:
    return lists.length(b, vector)


@of_kind("slice", "vector")
def slice_of(b: Body, vector: Value, start: Value | None, stop: Value | None, step: Value | None) -> Value:
    given = lists.bounds(b, start, stop, step)
    assert given is not None, "bounds of a vector's slice are ints"
    return b.storage.new_object(vector.type, b.frame.call("jf_vector_slice", vector.ssa, *given))


@of_kind("binary", "vector")
def binary(b: Body, op: str, left: Value, right: Value) -> Value:
    if op == "+":
        return b.storage.new_object(left.type, b.frame.call("jf_vector_concat", left.ssa, right.ssa))
    vector, times = (left, right) if left.kind == "vector" else (right, left)
    count = lists.as_int(b, times)
    return b.storage.new_object(vector.type, b.frame.call("jf_vector_repeat", vector.ssa, count))


@of_kind("method", "vector")
def method(b: Body, node: tree.Method, vector: Value) -> Value:
    args = [b.storage.lasting(b.expr(each)) for each in node.args]
    if node.name == "append":
        append(b, vector, args[0])
    elif node.name == "pop":
        place = b.frame.scratch(8)
        index = dynamic.index(b, args[0]) if args else const("i64", -1)
        b.frame.call("jf_vector_pop", vector.ssa, index, place)
        return _load(b, vector, place, "")  # the frame's own
    elif node.name == "copy":
        return slice_of(b, vector, None, None, None)
    else:
        b.frame.call("jf_vector_" + node.name, vector.ssa)
    return NONE_VALUE
