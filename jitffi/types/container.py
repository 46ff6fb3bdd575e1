"""Containers: list, map and tuple, with or without the types of what is in them.

All are an `Object*`, borrowed as an argument and owned as a result. Typed and untyped code share the same object: what
comes out of a slot is checked item by item and not converted. A Python list, dict or tuple becomes a container of its
own for the call; a List, Map or Tuple is shared.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.ir.emitter import NULL, V, const
from jitffi.ir.primitives import code_is, guard, info, refuse_null, store_slot
from jitffi.signature.model import Type
from jitffi.types.table import Native, Row, register, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.emitter import Emitter


class Container(Row):
    __slots__ = ()
    code = 0
    owned = True

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        """The frame holds a reference of its own: whatever runs during the call may take the face's away."""
        out = e.frame(8, "container")
        e.setup(NULL, out)
        e.on_exit(lambda e: _release(e, out))
        e.helper("unbox_container", e.state, const("i32", index), obj, out)
        return (e.load("ptr", out),)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        refuse_null(e, index, native[0])
        return e.helper("box_object", native[0])

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        out = e.frame(8, "container")
        if self.type.args:
            e.linkage.need_pattern(e, index)
            e.helper("lift_container", info(e), const("i32", index), view, out)
            return (e.load("ptr", out),)
        cold, done = e.label("lift.slow"), e.label("lift.done")
        guard(e, code_is(e, view, layout.OBJECT), cold, "object")
        fast = e.load("ptr", view, layout.SLOT_PAYLOAD, "container")
        guard(e, e.icmp("eq", e.load("i32", fast, 0, "code"), const("i32", self.code)), cold, self.type.name)
        here = e.here
        e.br(done)
        e.at(cold)
        e.helper("lift_container", info(e), const("i32", index), view, out)
        slow, there = e.load("ptr", out), e.here
        e.br(done)
        e.at(done)
        return (e.phi([(fast, here), (slow, there)], "container"),)

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        refuse_null(e, index, native[0])
        store_slot(e, view, layout.OBJECT, native[0])

    def before_unlock(self, e: Emitter, index: int, native: Native) -> None:
        e.helper("sole_object", e.state, const("i32", index), native[0])

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        made = e.frame(8, "container")
        e.helper("unbox_container", e.state, const("i32", -1), obj, made)
        return e.load("ptr", made)

    def box_result(self, e: Emitter, value: V) -> V:
        return e.helper("take_object", value)

    def lift_result(self, e: Emitter, slot: V) -> V:
        """What the slot owns is taken out of it."""
        value = self.lift(e, -1, slot)[0]
        store_slot(e, slot, layout.NULL, const("i64", 0))
        return value

    def lower_result(self, e: Emitter, value: V, out: V) -> None:
        e.helper("out_object", out, value)

    @property
    def edge(self) -> tuple[object, ...]:  # type: ignore[override]
        return self._edge([_edges(ty) for ty in self.type.args if isinstance(ty, Type)])

    def _edge(self, inner: list[list[object]]) -> tuple[object, ...]:
        """Values of the type, made of what each of its inner types has."""
        raise NotImplementedError

    @property
    def refused(self) -> tuple[tuple[object, type[Exception]], ...]:  # type: ignore[override]
        return tuple([(value, TypeError) for value in (None, 1, 1.5, "abc", b"abc", {1, 2}, *self._others)])

    #: Containers of other types.
    _others: tuple[object, ...] = ()


#: Of a type that says nothing of what it holds.
_ANYTHING: tuple[object, ...] = (1, "a", None, True, 2.5, b"bytes", "x" * 30, [], [1, ("a", [2])])


def _edges(type_: Type) -> list[object]:
    """Some of the edge values of an inner type, all alike where they are hashed."""
    return [value for value in row(type_).edge if value == value][:12]


def _release(e: Emitter, out: V) -> None:
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
    _others = ({"a": 1},)

    def _edge(self, inner: list[list[object]]) -> tuple[object, ...]:
        items = inner[0] if inner else list(_ANYTHING)
        return [], items[:1], items, items[-1:] * 100


class Map(Container):
    __slots__ = ()
    code = layout.MAP
    _others = ([1], (1,))

    def _edge(self, inner: list[list[object]]) -> tuple[object, ...]:
        keys, values = inner or (["a", 7, None, 2.5, (1, "b")], list(_ANYTHING))
        return {}, {keys[0]: values[-1]}, dict(zip(keys, values * len(keys), strict=False))


class Tuple(Container):
    __slots__ = ()
    code = layout.TUPLE
    _others = ([1], {"a": 1})

    def _edge(self, inner: list[list[object]]) -> tuple[object, ...]:
        if inner and self.type.args[-1] is not Ellipsis:
            return tuple([values[0] for values in inner]), tuple([values[-1] for values in inner])
        items = inner[0] if inner else list(_ANYTHING)
        return (), tuple(items[:1]), tuple(items), tuple(items[-1:] * 20)


register("list", List)
register("map", Map)
register("tuple", Tuple)
