"""Iteration over Python's own objects, and taking them apart."""

from __future__ import annotations

from jitffi.base.layout import HOST
from jitffi.scripts.lower.control.iteration import Iterator
from jitffi.scripts.lower.function.emit import NULL, V, const
from jitffi.scripts.lower.function.values import Value, owned
from jitffi.scripts.lower.python.boxing import builtin, owned_object
from jitffi.scripts.lower.python.calls import call_object
from jitffi.scripts.tree.types import OBJECT, object_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body

#: Tuples of more are taken apart by a call.
_MOST_PARTS = 4


class PythonIterator(Iterator):
    """Of whatever iter() takes."""

    type = OBJECT

    def __init__(self, b: Body, value: Value) -> None:
        self._iterator: Final = owned_object(b, b.frame.call("core_op_iterator", value.ssa))
        self._item: Final = b.frame.temp_reference()

    def next(self, b: Body, done: str) -> None:
        e = b.e
        on = e.label("round")
        more = b.frame.call("core_op_next", self._iterator.ssa, self._item)
        b.frame.fail_if(e.icmp("slt", more, const("i32", 0), "failed"))
        e.branch(e.icmp("ne", more, const("i32", 0)), on, done)
        e.at(on)

    def item(self, b: Body) -> Value:
        """Whoever keeps it takes the reference."""
        cell = b.frame.temp_reference()
        object_ = b.e.load("ptr", self._item, 0, "item")
        b.e.store(object_, cell)
        b.e.store(NULL, self._item)
        return Value(OBJECT, object_, owned(cell))


def reversed_object(b: Body, value: Value) -> Value:
    """reversed(value)"""
    return call_object(b, builtin(b, "PyReversed_Type"), [value])


def _unpack(b: Body, value: Value, count: int, places: V) -> None:
    """That many references, at *places*: of a short tuple by loads and stores."""
    e, word, is_short = b.e, b.abi.pointer_bytes, count <= _MOST_PARTS and not b.frame.outlines
    other, done = e.label("other"), e.label("unpacked")
    if is_short:
        tuple_, fits = e.label("tuple"), e.label("fits")
        class_ = e.load("ptr", value.ssa, HOST["object.type"], "class")
        e.branch(e.icmp("eq", class_, b.module.data_symbol("PyTuple_Type"), "is.tuple"), tuple_, other)
        e.at(tuple_)
        size = e.load("i64", value.ssa, HOST["bytes.size"], "size")
        e.branch(e.icmp("eq", size, const("i64", count)), fits, other, likely=True)
        e.at(fits)
        for i in range(count):
            part = e.load("ptr", value.ssa, HOST["tuple.items"] + word * i, "part")
            b.frame.retain("object", part)
            e.store(part, places, word * i)
        e.br(done)
        e.at(other)
    b.frame.call("core_op_unpack", value.ssa, const("i64", count), places)
    if is_short:
        e.br(done)
        e.at(done)


def unpacked(b: Body, value: Value, count: int, star: int) -> list[Value]:
    """As many objects as there are targets; ValueError. With a star that one is a list."""
    places = b.frame.scratch(b.abi.pointer_bytes * count)
    if star < 0:
        _unpack(b, value, count, places)
    else:
        ends = const("i64", star), const("i64", count - 1 - star)
        b.frame.call("core_op_unpack_rest", value.ssa, *ends, places)
    found = []
    for i in range(count):
        part = owned_object(b, b.e.load("ptr", places, b.abi.pointer_bytes * i, "part"))
        found.append(Value(object_of("list"), part.v, part.keep) if i == star else part)
    return found
