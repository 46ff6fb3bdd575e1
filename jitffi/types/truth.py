"""Truth values and no value: bool and void."""

from __future__ import annotations

from jitffi.base import layout
from jitffi.types import defaults
from jitffi.types.row import Row, ir, register
from jitffi.types.scalar import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.types.row import Native


class Bool(Scalar):
    """Python's bool and nothing that is merely true; one byte in C, of which only the low bit counts."""

    __slots__ = ()
    step = "scalar"
    parts = ("i1",)
    result = "i1"
    extension = "zeroext"
    c = "bool"
    c_header = "<stdbool.h>"
    also = ("boolean",)
    annotations = ("numpy.bool", "numpy.bool_")
    takes = gives = shown_takes = shown_gives = doc_python = "bool"
    shown_slot = "bool, v_int64"
    script = script_result = "BOOL"
    failure_format = "?"
    failure_classes = (bool,)
    edge = (True, False)
    refused = ((0, TypeError), (1, TypeError), (1.0, TypeError), (None, TypeError), ("True", TypeError))

    def default(self, value: Any) -> bool:
        return value if isinstance(value, bool) else defaults.refuse(self, value)

    def read_object(self, e: Emitter, obj: V, cold: str) -> V:
        true = e.icmp("eq", obj, e.data("true"), "is.true")
        false = e.icmp("eq", obj, e.data("false"), "is.false")
        ir.guard(e, e.or_(true, false), cold, "bool")
        return true

    def read_slot(self, e: Emitter, slot: V, cold: str) -> V:
        ir.guard(e, ir.code_is(e, slot, layout.BOOL), cold, "bool")
        return e.cast("trunc", e.load("i64", slot, layout.SLOT_PAYLOAD, "payload"), "i1")

    def box(self, e: Emitter, index: int, native: Native) -> V:
        obj = e.select(native[0], e.data("true"), e.data("false"), "bool")
        ir.incref_singleton(e, obj)
        return obj

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        ir.store_slot(e, view, layout.BOOL, e.cast("zext", native[0], "i64"))


class Void(Row):
    """No result. What a callback returns all the same is dropped, as a C function's unused result is."""

    __slots__ = ()
    step = "void"
    result = "void"
    settles_slot = True
    c = "void"
    also = ("None",)
    gives = shown_gives = "None"
    shown_slot = "null"
    script_result = script_annotation = "NONE"
    part = ""

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        return ir.V("void", "")

    def box_result(self, e: Emitter, value: V) -> V:
        none = e.data("none")
        ir.incref_singleton(e, none)
        return none

    def lift_result(self, e: Emitter, slot: V) -> V:
        null, other = e.label("null"), e.label("dropped")
        e.branch(ir.code_is(e, slot, layout.NULL), null, other, likely=True)
        e.at(other)
        e.helper("any_release", slot)
        e.br(null)
        e.at(null)
        return ir.V("void", "")

    def lower_result(self, e: Emitter, value: V, out: V) -> None:
        e.store(ir.head(layout.NULL), out, layout.SLOT_CODE)
        ir.store_payload(e, out, ir.NULL)


register("void", Void)
register("bool", Bool)
