"""Pointers and objects: ptr, object, func and any.

ptr is an address that nobody here looks behind. object and func are an `Object*`, borrowed as an argument and owned as
a result. any is the address of a view; as a result it goes through an out-slot.
"""

from __future__ import annotations

from jitffi._core import DataType, Device
from jitffi.base import layout
from jitffi.types import defaults
from jitffi.types.row import Direct, Row, ir, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any as AnyValue

    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.types.row import Native


#: Of integers that are addresses, or go where anything does.
_LEAST, _MOST = -1 << 63, (1 << 64) - 1
_WORDS = (0, 1, -1, -1 << 63, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
_NO_WORDS = ((-1 << 63) - 1, 1 << 64, 1 << 200)


class Ptr(Direct):
    __slots__ = ()
    step = "ptr"
    nullable = True
    settles_slot = True
    c = "void*"
    also = ("pointer",)
    gives = "int | None"
    shown_takes = "None, int, buffer"
    shown_gives = "int, or None for NULL"
    shown_slot = "handle, v_handle"
    part = ""
    failure_format = "Q"
    doc_python = "None, int, any writable buffer, pointers"
    edge = (None, *[word for word in _WORDS if word > 0])
    refused = (*[(word, OverflowError) for word in _NO_WORDS], *[(value, TypeError) for value in ("x", 1.5, object)])

    def default(self, value: AnyValue) -> int | None:
        return None if value is None else defaults.integer(self, value, _LEAST, _MOST)

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        out = e.frame(8, "address")
        e.helper("unbox_ptr", e.state, ir.const("i32", index), obj, out, e.temps())
        return (e.load("ptr", out),)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_ptr", native[0])

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        cold, done = e.label("lift.slow"), e.label("lift.done")
        ir.guard(e, ir.code_is(e, view, layout.HANDLE), cold, "handle")
        fast, here = e.load("ptr", view, layout.SLOT_PAYLOAD), e.here
        e.br(done)
        e.at(cold)
        out = e.frame(8, "address")
        e.helper("lift_ptr", ir.info(e), ir.const("i32", index), view, out, always=ir.settle_result(e, index, view))
        slow, there = e.load("ptr", out), e.here
        e.br(done)
        e.at(done)
        return (e.phi([(fast, here), (slow, there)]),)

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        e.store(e.select(e.is_null(native[0]), ir.head(layout.NULL), ir.head(layout.HANDLE)), view, layout.SLOT_CODE)
        ir.store_payload(e, view, native[0])


class Object(Row):
    """`code` is the root of what is accepted: any object, or a function."""

    __slots__ = ()
    code = layout.ROOT
    step = "object"
    owned = True
    annotations: tuple[str, ...] = ("jitffi.Object",)
    shown_takes = shown_gives = "Object"
    doc_python = "Object; any value but None, in a box"
    script_annotation = "ANY"
    shown_slot = "object, v_object"
    edge = (True, *_WORDS, -0.0, 1.5, *[text[:n] for text in ("x" * 200, b"x" * 200) for n in (0, 7, 8, 200)], object)
    edge += (DataType("float32"), DataType("int8x4"), Device("cuda", 1))
    refused = ((None, TypeError), ("\ud800", UnicodeEncodeError), *[(word, OverflowError) for word in _NO_WORDS])

    @property
    def step_extra(self) -> int:  # type: ignore[override]
        return self.code

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        out = e.frame(8, "object")
        if self.code != layout.ROOT:
            return (self._converted(e, index, obj, out),)
        cold, done = e.label("unbox.slow"), e.label("unbox.done")
        fast, here = ir.embedded(e, obj, cold), e.here
        e.br(done)
        e.at(cold)
        slow, there = self._converted(e, index, obj, out), e.here
        e.br(done)
        e.at(done)
        return (e.phi([(fast, here), (slow, there)], "object"),)

    def _converted(self, e: Emitter, index: int, obj: V, out: V) -> V:
        e.helper("unbox_object", e.state, ir.const("i32", index), obj, ir.const("i32", self.code), out, e.temps())
        return e.load("ptr", out)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_object", native[0])

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        out = e.frame(8, "object")
        e.helper("lift_object", ir.info(e), ir.const("i32", index), view, ir.const("i32", self.code), out, e.temps())
        return (e.load("ptr", out),)

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        ir.refuse_null(e, index, native[0])
        code = e.load("i32", native[0], 0, "code")
        special = e.icmp("slt", code, ir.const("i32", 16), "special")
        e.store(ir.head(layout.OBJECT), view, layout.SLOT_CODE)
        e.store(e.select(special, code, ir.const("i32", layout.OBJECT)), view, layout.SLOT_CODE)
        ir.store_payload(e, view, native[0])

    def before_unlock(self, e: Emitter, index: int, native: Native) -> None:
        e.helper("sole_object", e.state, ir.const("i32", index), native[0])

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        value = self.unbox(e, -1, obj)[0]
        e.helper("object_retain", value)
        return value

    def box_result(self, e: Emitter, value: V) -> V:
        return e.helper("take_object", value)

    def lift_result(self, e: Emitter, slot: V) -> V:
        value = self.lift(e, -1, slot)[0]
        e.helper("object_retain", value)
        e.helper("any_release", slot)
        return value

    def lower_result(self, e: Emitter, value: V, out: V) -> None:
        e.helper("out_object", out, value)


class Func(Object):
    __slots__ = ()
    code = layout.FUNCTION
    also = ("Callable", "callable", "function")
    annotations = ()
    shown_takes = "callable"
    shown_gives = "a function"
    shown_slot = "function, v_object"
    script = script_result = "FUNC"
    doc_python = "a function"
    edge = (abs,)
    refused = tuple([(value, TypeError) for value in (None, 1, 1.5, "abs", b"", [abs])])


class Module(Object):
    """The tests hand in an edge value, which a type cannot make."""

    __slots__ = ()
    code = layout.MODULE
    annotations = ("jitffi.Module",)
    takes = gives = "jitffi.Module"
    shown_takes = shown_gives = doc_python = "Module"
    shown_slot = "module, v_object"
    script_annotation = ""
    module_refused = "modules are the package's own"
    edge = ()
    refused = tuple([(value, TypeError) for value in (None, 1, 1.5, "libm.so.6", abs, [1])])


class Any(Row):
    __slots__ = ()
    step = "any"
    step_words = 3
    in_slot = True
    c = "const jf_view*"
    also: tuple[str, ...] = ("Any",)
    shown_takes = doc_python = "anything"
    shown_gives = "whatever it is"
    shown_slot = "any code"
    script = "ANY"
    edge = (None, *Object.edge)
    refused = Object.refused[1:]

    def default(self, value: AnyValue) -> object:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, float):
            return float(value)
        if hasattr(value.__class__, "__index__"):
            return defaults.integer(self, value, _LEAST, _MOST)
        if isinstance(value, bytes):
            return bytes(value)
        if isinstance(value, str):
            return defaults.text(self, value)
        return defaults.refuse(self, value, "None, bool, int, float, str or bytes")

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        view = e.frame(layout.SLOT_SIZE, "view")
        e.helper("unbox_any", e.state, ir.const("i32", index), obj, view, e.temps())
        return (view,)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_view", native[0])

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        # A box is opened on the way (D2b); anything else is passed where it stands.
        boxed, done, here = e.label("object"), e.label("lift.done"), e.here
        e.branch(ir.code_is(e, view, layout.OBJECT), boxed, done, likely=False)
        e.at(boxed)
        opened = e.frame(layout.SLOT_SIZE, "view")
        e.helper("any_view", view, opened)
        e.br(done)
        e.at(done)
        return (e.phi([(view, here), (opened, boxed)], "view"),)

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        e.helper("any_view", native[0], view)

    def before_unlock(self, e: Emitter, index: int, native: Native) -> None:
        e.helper("sole_view", e.state, ir.const("i32", index), native[0])

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        e.helper("unbox_any_out", e.state, obj, out)
        return out

    def box_result(self, e: Emitter, value: V) -> V:
        return e.helper("box_slot", value)

    def lift_result(self, e: Emitter, slot: V) -> V:
        return slot


register("object", Object)
register("module", Module)
register("any", Any)
