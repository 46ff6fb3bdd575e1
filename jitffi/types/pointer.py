"""Typed pointers: ptr[T], in Python a jitffi.Pointer, or for an argument also an array of T, which lends its memory.

ptr[const void] is ptr with read-only memory among what it takes.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.types import array, reference
from jitffi.types.row import Direct, Row, ir, register
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Type
    from jitffi.types.row import Native


def c_pointee(type_: Type) -> str:
    """How C spells what a pointer points at."""
    if type_.name == "struct":
        return type_.text if isinstance(type_.args[0], str) else row(type_).c
    if type_.name in ("void", "func"):  # C has no cast between pointers to functions and to data
        return "void" if type_.name == "void" else "void*"
    return array.c_element(type_) if array.is_element(type_) else row(type_).c


class Pointer(Direct):
    __slots__ = ("_is_const", "_pointee")
    lends = True
    part = "values"
    settles_slot = True
    shown_gives = "Pointer"
    shown_slot = "handle, v_handle"
    takes = "typing.Any"
    gives = "jitffi.Pointer"
    gives_alone = "typing.Any"
    doc_python = "Pointer, an array of T"
    refused = tuple([(value, TypeError) for value in (None, 1, 1.5, "x", [1.0], object)])
    failure_format = "Q"

    def __init__(self, type_: Type) -> None:
        super().__init__(type_)
        self._pointee, self._is_const = type_.args

    @property
    def c(self) -> str:  # type: ignore[override]
        return f"{'const ' * self._is_const}{c_pointee(self._pointee)}*"

    @property
    def shown_takes(self) -> str:  # type: ignore[override]
        return f"Pointer, array of {self._pointee.text}"

    @property
    def step(self) -> str:  # type: ignore[override]
        return "array" if array.is_element(self._pointee) else "pointer"

    @property
    def step_extra(self) -> int:  # type: ignore[override]
        of_number = array.is_element(self._pointee)
        return array.spec(self._pointee, self._is_const, array.ANY_RANK) if of_number else 0

    @property
    def _spec(self) -> V:
        return ir.const("i64", self.step_extra)

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        out = e.frame(8, "address")
        where = (e.state, ir.const("i32", index), obj)
        if not array.is_element(self._pointee):
            return self._unbox_other(e, index, obj, out)
        cold, done = e.label("array.slow"), e.label("array.done")
        flags = array.read_array(e, obj, self._pointee, array.flags(e, self._is_const), cold)
        either = e.and_(flags, ir.const("i32", e.layout["ndarray.flag.c"] | e.layout["ndarray.flag.f"]))
        ir.guard(e, e.icmp("ne", either, ir.const("i32", 0)), cold, "contiguous")
        fast, here = e.load("ptr", obj, e.layout["ndarray.data"], "data"), e.here
        e.br(done)
        e.at(cold)
        ir.keep_arguments(e, but=index)
        e.helper("unbox_array", *where, self._spec, out, e.temps())
        slow, there = e.load("ptr", out), e.here
        e.br(done)
        e.at(done)
        return (e.phi([(fast, here), (slow, there)]),)

    def _unbox_other(self, e: Emitter, index: int, obj: V, out: V) -> Native:
        """Of what is no number: an instance of the very struct is read in place."""
        is_declared = self._pointee.name == "struct" and not isinstance(self._pointee.args[0], str)
        cold, done = e.label("pointer.slow"), e.label("pointer.done")
        fast, here = ir.NULL, ""
        if is_declared and index >= 0:
            fast = self._instance(e, index, obj, cold)
            here = e.here
            e.br(done)
            e.at(cold)
        ir.keep_arguments(e, but=index)
        e.helper("unbox_pointer", e.state, ir.const("i32", index), obj, out, e.temps())
        slow = e.load("ptr", out)
        if not here:
            return (slow,)
        there = e.here
        e.br(done)
        e.at(done)
        return (e.phi([(fast, here), (slow, there)]),)

    def _instance(self, e: Emitter, index: int, obj: V, cold: str) -> V:
        """The bytes of an instance of the parameter's class. Others leave to *cold*, and those that may be const."""
        classes = e.load("ptr", e.state, e.layout.state["classes"], "classes")
        ir.guard(e, e.not_(e.is_null(classes)), cold, "has.class")
        ours, class_ = e.load("ptr", classes, 8 * index, "class"), e.load("ptr", obj, e.layout["object.type"])
        ir.guard(e, e.icmp("eq", class_, ours), cold, "instance")
        if not self._is_const:
            ir.guard(e, e.is_null(e.load("ptr", obj, e.layout["struct.kept"], "kept")), cold, "writable")
        return e.load("ptr", obj, e.layout["struct.data"], "bytes")

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_pointer", e.state, ir.const("i32", index), native[0])

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        cold, done = e.label("lift.slow"), e.label("lift.done")
        ir.guard(e, ir.code_is(e, view, layout.HANDLE), cold, "handle")
        fast, here = e.load("ptr", view, layout.SLOT_PAYLOAD), e.here
        e.br(done)
        e.at(cold)
        out = e.frame(8, "address")
        e.helper("lift_array", ir.info(e), ir.const("i32", index), view, self._spec_of_slot, out, e.temps())
        slow, there = e.load("ptr", out), e.here
        e.br(done)
        e.at(done)
        return (e.phi([(fast, here), (slow, there)]),)

    @property
    def _spec_of_slot(self) -> V:
        """What no array has as its element is refused, as is everything else that is no handle."""
        return self._spec if array.is_element(self._pointee) else ir.const("i64", array.ANY_RANK << 16)

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        ir.refuse_null(e, index, native[0])
        ir.store_slot(e, view, layout.HANDLE, native[0])


class ConstVoid(reference.Ptr):
    """What is read and not written, of any type."""

    __slots__ = ()
    c = "const void*"


def pointer(type_: Type) -> Row:
    if not type_.args:
        return reference.Ptr(type_)
    return ConstVoid(type_) if type_.args[0].name == "void" else Pointer(type_)


register("ptr", pointer)
