"""Iteration over what stands for a dict of the module when code is made: in place where it does when code runs, else as
over any object."""

from __future__ import annotations

from jitffi.base.layout import HOST
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.control.iteration import Iterator
from jitffi.scripts.lower.function.emit import NULL, const
from jitffi.scripts.lower.function.values import Value, owned
from jitffi.scripts.lower.python.calls import call_method
from jitffi.scripts.lower.python.iteration import unpacked
from jitffi.scripts.lower.python.own import borrowed, display_of
from jitffi.scripts.tree.types import OBJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body


class ModuleDict(Iterator):
    """Keys, values or both, as `value.items()` and the like give them."""

    type = OBJECT
    lends = False

    def __init__(self, b: Body, value: Value, what: str) -> None:
        e = b.e
        self._value: Final = value
        self._what: Final = what
        self.has_parts = what == "items"
        self._walk: Final = b.frame.scratch(24)
        self._places: Final = [b.frame.scratch(8), b.frame.scratch(8)]
        self._iterator: Final = b.frame.temp_reference()
        self._item: Final = b.frame.temp_reference()
        class_ = e.load("ptr", value.ssa, HOST["object.type"], "class")
        self._is_dict: Final = e.icmp("eq", class_, b.module.data_symbol("PyDict_Type"), "is.dict")
        dict_, other, begun = e.label("dict"), e.label("no.dict"), e.label("begun")
        e.branch(self._is_dict, dict_, other, likely=True)
        e.at(dict_)
        b.frame.call("core_op_dict_walk", value.ssa, self._walk)
        e.br(begun)
        e.at(other)
        with b.frame.sometimes():
            gone_through = call_method(b, value, what, [])
            e.store(b.frame.call("core_op_iterator", gone_through.ssa), self._iterator)
        e.br(begun)
        e.at(begun)

    def next(self, b: Body, done: str) -> None:
        e = b.e
        dict_, other, on = e.label("dict"), e.label("no.dict"), e.label("round")
        e.branch(self._is_dict, dict_, other, likely=True)
        e.at(dict_)
        more = b.frame.call("core_op_dict_next", self._value.ssa, self._walk, *self._places)
        e.branch(e.icmp("ne", more, const("i32", 0)), on, done)
        e.at(other)
        more = b.frame.call("core_op_next", e.load("ptr", self._iterator, 0, "iterator"), self._item)
        b.frame.fail_if(e.icmp("slt", more, const("i32", 0), "failed"))
        e.branch(e.icmp("ne", more, const("i32", 0)), on, done)
        e.at(on)

    def _told(self, b: Body, whole: bool) -> list[Value]:
        """What a round is about: the key and the value, a tuple of them where it is asked for as a *whole*, or one."""
        e, indices = b.e, {"keys": (0,), "values": (1,), "items": (0, 1)}[self._what]
        joins = [Join(b, OBJECT) for _ in (indices[:1] if whole else indices)]
        dict_, other, told = e.label("dict"), e.label("no.dict"), e.label("told")
        e.branch(self._is_dict, dict_, other, likely=True)
        e.at(dict_)
        there = [borrowed(e.load("ptr", self._places[index], 0, "value" if index else "key")) for index in indices]
        if whole and self.has_parts:
            with b.frame.sometimes():
                there = [display_of(b, there, "tuple")]
        for join, each in zip(joins, there, strict=True):
            join.set(each)
        e.br(told)
        e.at(other)
        with b.frame.sometimes():
            cell = b.frame.temp_reference()
            item = e.load("ptr", self._item, 0, "item")
            e.store(item, cell)
            e.store(NULL, self._item)
            given = Value(OBJECT, item, owned(cell))
            for join, part in zip(joins, [given] if whole else unpacked(b, given, 2, -1), strict=True):
                join.set(part)
        e.br(told)
        e.at(told)
        return [join.get() for join in joins]

    def item(self, b: Body) -> Value:
        return self._told(b, whole=True)[0]

    def parts(self, b: Body) -> list[Value] | None:
        return self._told(b, whole=False) if self.has_parts else None
