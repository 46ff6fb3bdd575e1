"""Containers: list, map and tuple, with or without the types of what is in them.

All are an `Object*`, borrowed as an argument and owned as a result. Typed and untyped code share the same object: what
comes out of a slot is checked item by item and not converted. A Python list, dict or tuple becomes a container of its
own for the call; a List, Map or Tuple is shared.
"""

from __future__ import annotations

from jitffi import layout
from jitffi.ir.emitter import NULL, V, const
from jitffi.ir.primitives import code_is, guard, info, refuse_null, store_slot
from jitffi.types.table import Native, Row, register

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


class Map(Container):
    __slots__ = ()
    code = layout.MAP


class Tuple(Container):
    __slots__ = ()
    code = layout.TUPLE


register("list", List)
register("map", Map)
register("tuple", Tuple)
