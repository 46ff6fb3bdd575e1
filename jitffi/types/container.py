"""Containers: list, map, set and tuple, with or without the types of what is in them.

All are an `Object*`, borrowed as an argument and owned as a result. Typed and untyped code share the same object: what
comes out of a slot is checked item by item and not converted. A Python list, dict, set or tuple becomes a container of
its own for the call; a List, Map, Set or Tuple is shared.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.types.row import Row, ir, known, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Type
    from jitffi.types.row import Native


class Container(Row):
    __slots__ = ()
    step = "container"
    code = 0
    owned = True

    def default(self, value: Any) -> object:
        if value in ([], {}, set()) and hasattr(value, "__len__"):
            raise TypeError(
                f"a parameter of type {self.type.text} takes no {value!r} as default, which every call would share: "
                f"take optional[{self.type.text}] with None"
            )
        return super().default(value)

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        """The frame holds a reference of its own: whatever runs during the call may take the wrapper object's away."""
        out = e.frame(8, "container")
        e.setup(ir.NULL, out)
        e.on_exit(lambda e: release(e, out))
        e.helper("unbox_container", e.state, ir.const("i32", index), obj, out)
        return (e.load("ptr", out),)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        ir.refuse_null(e, index, native[0])
        return e.helper("box_object", native[0])

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        out = e.frame(8, "container")
        if self.type.args:
            e.linkage.need_pattern(e, index)
            e.helper("lift_container", ir.info(e), ir.const("i32", index), view, out)
            return (e.load("ptr", out),)
        cold, done = e.label("lift.slow"), e.label("lift.done")
        ir.guard(e, ir.code_is(e, view, layout.OBJECT), cold, "object")
        fast = e.load("ptr", view, layout.SLOT_PAYLOAD, "container")
        ir.guard(e, e.icmp("eq", e.load("i32", fast, 0, "code"), ir.const("i32", self.code)), cold, self.type.name)
        here = e.here
        e.br(done)
        e.at(cold)
        e.helper("lift_container", ir.info(e), ir.const("i32", index), view, out)
        slow, there = e.load("ptr", out), e.here
        e.br(done)
        e.at(done)
        return (e.phi([(fast, here), (slow, there)], "container"),)

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        ir.refuse_null(e, index, native[0])
        ir.store_slot(e, view, layout.OBJECT, native[0])

    def before_unlock(self, e: Emitter, index: int, native: Native) -> None:
        e.helper("sole_object", e.state, ir.const("i32", index), native[0])

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        made = e.frame(8, "container")
        e.helper("unbox_container", e.state, ir.const("i32", -1), obj, made)
        return e.load("ptr", made)

    def box_result(self, e: Emitter, value: V) -> V:
        return e.helper("take_object", value)

    def lift_result(self, e: Emitter, slot: V) -> V:
        """What the slot owns is taken out of it."""
        value = self.lift(e, -1, slot)[0]
        ir.store_slot(e, slot, layout.NULL, ir.const("i64", 0))
        return value

    def lower_result(self, e: Emitter, value: V, out: V) -> None:
        e.helper("out_object", out, value)

    @property
    def edge(self) -> tuple[object, ...]:  # type: ignore[override]
        return self._edge([_edges(ty) for ty in self.type.args if ty is not Ellipsis])

    def _edge(self, inner: list[list[object]]) -> tuple[object, ...]:
        """Values of the type, made of what each of its inner types has."""
        raise NotImplementedError

    @property
    def refused(self) -> tuple[tuple[object, type[Exception]], ...]:  # type: ignore[override]
        return tuple([(value, TypeError) for value in (None, 1, 1.5, "abc", b"abc", *self._others)])

    #: Containers of other types.
    _others: tuple[object, ...] = ()


#: Of a type that says nothing of what it holds.
_ANYTHING: tuple[object, ...] = (1, "a", None, True, 2.5, b"bytes", "x" * 30, [], [1, ("a", [2])])


def _edges(type_: Type) -> list[object]:
    """Some of the edge values of an inner type, all alike where they are hashed."""
    return [value for value in known(type_).edge if value == value][:12]


def release(e: Emitter, out: V) -> None:
    """Give back the object that the frame holds at *out*, if there is one."""
    value = e.load("ptr", out, 0, "container")
    some, none = e.label("release"), e.label("released")
    e.branch(e.is_null(value), none, some, likely=False)
    e.at(some)
    e.helper("object_release", value)
    e.br(none)
    e.at(none)


class List(Container):
    __slots__ = ()
    code = layout.LIST
    also = ("List",)
    takes = "collections.abc.Sequence"
    gives = "jitffi.List"
    gives_alone = "collections.abc.MutableSequence"
    shown_takes = "List, list, tuple"
    shown_gives = "List"
    shown_slot = "list, v_object"
    doc_python = "`List`, shared; list, tuple, copied for the call"
    _others = ({"a": 1}, {1, 2})

    def _edge(self, inner: list[list[object]]) -> tuple[object, ...]:
        items = inner[0] if inner else list(_ANYTHING)
        return [], items[:1], items, items[-1:] * 100


class Map(Container):
    __slots__ = ()
    code = layout.MAP
    also = ("dict", "Map", "Dict")
    takes = "collections.abc.Mapping"
    gives = "jitffi.Map"
    gives_alone = "collections.abc.MutableMapping"
    shown_takes = "Map, dict"
    shown_gives = "Map"
    shown_slot = "map, v_object"
    doc_python = "`Map`, shared; dict, copied for the call"
    _others = ([1], (1,), {1, 2})

    def _edge(self, inner: list[list[object]]) -> tuple[object, ...]:
        keys, values = inner or (["a", 7, None, 2.5, (1, "b")], list(_ANYTHING))
        return {}, {keys[0]: values[-1]}, dict(zip(keys, values * len(keys), strict=False))


class Set(Container):
    __slots__ = ()
    code = layout.SET
    also = ("frozenset", "Set")
    takes = "collections.abc.Set"
    gives = "jitffi.Set"
    gives_alone = "collections.abc.MutableSet"
    shown_takes = "Set, set, frozenset"
    shown_gives = "Set"
    shown_slot = "set, v_object"
    doc_python = "`Set`, shared; set, frozenset, view of keys, copied for the call"
    _others = ([1], (1,), {"a": 1})

    def _edge(self, inner: list[list[object]]) -> tuple[object, ...]:
        items = inner[0] if inner else ["a", 7, None, 2.5, (1, "b")]
        return set(), set(items[:1]), set(items)


class Tuple(Container):
    __slots__ = ()
    code = layout.TUPLE
    also = ("Tuple",)
    takes = gives_alone = "collections.abc.Sequence"
    gives = "jitffi.Tuple"
    shown_takes = "Tuple, tuple, list"
    shown_gives = "Tuple"
    shown_slot = "tuple, v_object"
    doc_python = "`Tuple`, shared; tuple, list, copied for the call"
    _others = ({"a": 1}, {1, 2})

    def default(self, value: Any) -> object:
        if type(value) is tuple and not value and (not self.type.args or self.type.args[-1] is Ellipsis):
            return ()
        return super().default(value)

    def _edge(self, inner: list[list[object]]) -> tuple[object, ...]:
        if inner and self.type.args[-1] is not Ellipsis:
            return tuple([values[0] for values in inner]), tuple([values[-1] for values in inner])
        items = inner[0] if inner else list(_ANYTHING)
        return (), tuple(items[:1]), tuple(items), tuple(items[-1:] * 20)


register("list", List)
register("map", Map)
register("set", Set)
register("tuple", Tuple)
