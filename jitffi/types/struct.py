"""Structs and unions by value. In Python an instance of the class that the declaration has.

The native form is the address of the bytes, borrowed for the call; of a result it is memory of the frame, or of what
the callee has returned and the entry lets go of last. C passes the bytes as its ABI says (conventions/c_values.py). In
slots a struct is an object of the type's key, behind whose header the bytes are.
"""

from __future__ import annotations

from jitffi.types.row import Direct, ir, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.datamodel import DataModel
    from jitffi.signature.fields import Layout
    from jitffi.signature.structs import Struct as Declared
    from jitffi.types.row import Native


class Struct(Direct):
    __slots__ = ()
    by_value = True
    step = "structure"
    script_instead = "its parameter is a pointer to it: ptr[T]"
    shown_gives = "an instance"
    takes = gives = gives_alone = "typing.Any"
    result_is_borrowed = True
    doc_python = "an instance of its class"
    doc_c = "the struct, by value"

    @property
    def declared(self) -> Declared:
        found: Declared = self.type.args[0]
        return found

    @property
    def c(self) -> str:  # type: ignore[override]
        return self.declared.c_name

    @property
    def shown_takes(self) -> str:  # type: ignore[override]
        return self.type.text

    @property
    def shown_slot(self) -> str:  # type: ignore[override]
        return f"{self.type.text} object, v_object"

    def layout(self, machine: DataModel) -> Layout:
        return self.declared.layout(machine)

    def extent(self, e: Emitter) -> tuple[int, int]:
        layout = self.declared.layout_in(e.abi.name)
        return layout.size, layout.align

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        cold, done = e.label("struct.slow"), e.label("struct.done")
        classes = e.load("ptr", e.state, e.layout.state["classes"], "classes")
        ir.guard(e, e.icmp("ne", classes, ir.NULL), cold, "classes")
        at = index if index >= 0 else len(e.sig.params)
        ours = e.load("ptr", classes, 8 * at, "class")
        theirs = e.load("ptr", obj, e.layout["object.type"], "type")
        ir.guard(e, e.icmp("eq", theirs, ours, "exact"), cold, "struct")
        fast, here = e.load("ptr", obj, e.layout["struct.data"], "bytes"), e.here
        e.br(done)
        e.at(cold)
        out = e.frame(8, "struct")
        e.helper("unbox_struct", e.state, ir.const("i32", index), obj, out, e.temps())
        slow, there = e.load("ptr", out), e.here
        e.br(done)
        e.at(done)
        return (e.phi([(fast, here), (slow, there)]),)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_struct", e.state, ir.const("i32", index), native[0])

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        out = e.frame(8, "struct")
        e.helper("lift_struct", ir.info(e), ir.const("i32", index), view, *self._sizes(e), out)
        return (e.load("ptr", out),)

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        where = ir.info(e), ir.const("i32", index)
        e.helper("lower_struct", *where, native[0], *self._sizes(e), view, e.temps())

    def lower_result(self, e: Emitter, value: V, out: V) -> None:
        e.helper("out_struct", ir.info(e), value, *self._sizes(e), out)

    def _sizes(self, e: Emitter) -> list[V]:
        return [ir.const(e.abi.size, number) for number in self.extent(e)]


register("struct", Struct)
