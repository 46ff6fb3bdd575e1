"""func[(...) -> ...]: a function of that signature, which C has as a plain C function pointer.

Between Python and slots its native form is a function object of the signature: what has another one is wrapped where it
crosses, and called without a look at its signature after. Where a C function passes or takes it the native form is the
C function pointer. From Python come a Function of the same types (its own address), any other callable (wrapped for the
length of the call), or an address; into a slot goes the function object behind the pointer, or one that is made for it.
Files have pointers alone, which stand in slots as handles.
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
    step = "callback"
    result_is_borrowed = True
    shown_takes = "callable"
    shown_gives = "a function"
    shown_slot = "function, v_object"
    script_result = script_annotation = "FUNC"
    part = ""
    edge = (abs,)
    refused = (*[(value, TypeError) for value in (None, True, 1.5, "abs")], (0, ValueError), (1 << 64, OverflowError))

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        out = e.frame(8, "callback")
        if e.has_function_objects:
            e.helper("unbox_function", e.state, ir.const("i32", index), obj, out, e.temps())
            return (e.load("ptr", out),)
        e.helper("unbox_callback", e.state, ir.const("i32", index), obj, out, e.temps())
        return (e.load("ptr", out),)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        if e.has_function_objects:
            return e.helper("box_object", native[0])
        return e.helper("box_callback", e.state, ir.const("i32", index), native[0])

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        out = e.frame(8, "callback")
        if e.has_function_objects:
            e.helper("lift_function", e.state, ir.const("i32", index), view, out, e.temps())
            return (e.load("ptr", out),)
        assert self.type.signature is not None
        e.linkage.lift_callback(e, index, self.type.signature, view, out)
        return (e.load("ptr", out),)

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        ir.refuse_null(e, index, native[0])
        if e.has_function_objects:
            ir.store_slot(e, view, layout.FUNCTION, native[0])
        else:
            e.linkage.lower_callback(e, index, native[0], view)

    def lower_result(self, e: Emitter, value: V, out: V) -> None:
        view = e.frame(layout.SLOT_SIZE, "function")
        self.lower(e, -1, (value,), view)
        e.helper("any_retain", view, out)


def func(type_: Type) -> Row:
    """`func` alone is a function object, with a signature a C function pointer."""
    return Func(type_) if type_.signature is None else Callback(type_)


register("func", func)
