"""Arrays of texts, cstr[n]: `const char**`, in Python a sequence of str and bytes, behind whose items stands a NULL.

The native form is the address and the length, as an array's (types/array.py has the others).
"""

from __future__ import annotations

from jitffi.types.row import Row, ir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Type
    from jitffi.types.row import Native


class Texts(Row):
    __slots__ = ("_is_const",)
    step = "texts"
    step_words = 2
    part = ""
    takes = "collections.abc.Sequence[str | bytes]"
    gives = "list[str | None]"
    shown_takes = "sequence of str, bytes"
    shown_slot = "none"
    doc_python = "sequence of str, bytes"
    doc_c = "pointer to the first text; NULL behind the last"
    slot_refused = "a slot has no array of texts: list[str]"
    script_instead = "scripts take list[str]"
    refused = (
        *[(value, TypeError) for value in (None, 1, 1.5, "x", b"x", [1], ["x", None])],
        *[(value, ValueError) for value in (["a\0b"], ["x", b"\0"])],
    )

    def __init__(self, type_: Type) -> None:
        super().__init__(type_)
        self._is_const = type_.args[1]

    @property
    def c(self) -> str:  # type: ignore[override]
        return f"const char* {'const' * self._is_const}*".replace(" *", "*")

    def absent(self, e: Emitter) -> Native:
        return ir.NULL, ir.const("i64", -1)

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        out = e.frame(16, "texts")
        ir.keep_arguments(e, but=index)
        e.helper("unbox_texts", e.state, ir.const("i32", index), obj, out, e.temps())
        return e.load("ptr", out), e.load("i64", out, 8)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_texts", e.state, ir.const("i32", index), *native)
