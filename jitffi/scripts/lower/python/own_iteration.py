"""Iteration over lists, tuples and dicts of Python's own, as CPython has it: a list is asked for its size in each
round, a dict that has become longer or shorter is a RuntimeError."""

from __future__ import annotations

from jitffi.scripts.lower.containers import lists
from jitffi.scripts.lower.control.iteration import Iterator, Sequence
from jitffi.scripts.lower.function.emit import V, const
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python.own import as_promised, borrowed, item_at, size
from jitffi.scripts.tree.types import ANY, promised, promised_items, tuple_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree.types import Type


class OwnSequence(Sequence):
    """Items of a list or tuple, borrowed."""

    of_items = False
    lends = False

    def _type_of(self, container: Type) -> Type:
        return promised_items(container)

    def _size(self, b: Body) -> V:
        found = size(b, self._value)
        assert found is not None
        return found

    def item(self, b: Body) -> Value:
        return as_promised(b, self._value.type, item_at(b, self._value, self._item), self.type)


class OwnDict(Iterator):
    """Keys, values or both of a dict, borrowed."""

    lends = False

    def __init__(self, b: Body, value: Value, what: str) -> None:
        self._value: Final = value
        self._what: Final = what
        self.has_parts = what == "items"
        self._types: Final = promised(value.type), promised(value.type, 1)
        self.type = tuple_of(*self._types) if what == "items" else self._types[what == "values"]
        self._made_type: Final = tuple_of(*[ANY if each.kind == "object" else each for each in self._types])
        self._walk: Final = b.frame.scratch(24)
        self._places: Final = [b.frame.scratch(8), b.frame.scratch(8)]
        b.frame.call("core_op_dict_walk", value.ssa, self._walk)

    def next(self, b: Body, done: str) -> None:
        on = b.e.label("round")
        more = b.frame.call("core_op_dict_next", self._value.ssa, self._walk, *self._places)
        b.e.branch(b.e.icmp("ne", more, const("i32", 0)), on, done)
        b.e.at(on)

    def _part(self, b: Body, index: int) -> Value:
        found = borrowed(b.e.load("ptr", self._places[index], 0, "value" if index else "key"))
        return as_promised(b, self._value.type, found, self._types[index])

    def item(self, b: Body) -> Value:
        if self._what == "items":
            return lists.new_tuple(b, [b.storage.lasting(self._part(b, i)) for i in (0, 1)], self._made_type)
        return self._part(b, 1 if self._what == "values" else 0)

    def parts(self, b: Body) -> list[Value] | None:
        return [self._part(b, 0), self._part(b, 1)] if self._what == "items" else None

    def length(self, b: Body) -> V | None:
        return size(b, self._value)
