"""func[(...) -> ...]: a plain C function pointer of that signature.

From Python come a Function of the same types (its own address), any other callable (wrapped for the length of the
call), or an address. In a slot it is a handle, or a function object whose address is taken, or made, where it is
unpacked.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.types.reference import Func
from jitffi.types.row import Direct, Row, ir, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Type
    from jitffi.types.row import Native


class Callback(Direct):
    __slots__ = ()
    result_is_borrowed = True
    shown_takes = "callable"
    shown_gives = "a function"
    shown_slot = "handle or function"
    script_result = script_annotation = "FUNC"
    part = ""
    edge = (abs,)
    refused = (*[(value, TypeError) for value in (None, True, 1.5, "abs")], (0, ValueError), (1 << 64, OverflowError))

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        out = e.frame(8, "callback")
        e.helper("unbox_callback", e.state, ir.const("i32", index), obj, out, e.temps())
        return (e.load("ptr", out),)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_callback", e.state, ir.const("i32", index), native[0])

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        out = e.frame(8, "callback")
        assert self.type.signature is not None
        e.linkage.lift_callback(e, index, self.type.signature, view, out)
        return (e.load("ptr", out),)

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        ir.refuse_null(e, index, native[0])
        ir.store_slot(e, view, layout.HANDLE, native[0])


def func(type_: Type) -> Row:
    """`func` alone is a function object, with a signature a C function pointer."""
    return Func(type_) if type_.signature is None else Callback(type_)


register("func", func)
