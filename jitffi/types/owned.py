"""owned[T, free]: what C gives is Python's to free, by the C function `free`.

A pointer becomes a jitffi.Pointer that frees it once, when nothing leads to it any more or it is closed. A cstr is
copied to a str, and freed. It goes from a C function to Python and no other way.
"""

from __future__ import annotations

from jitffi.types.row import Direct, Row, ir, register
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Type
    from jitffi.types.row import Native


class Owned(Direct):
    """`inner` is T's row."""

    __slots__ = ("_function", "inner")
    is_freed = True
    part = "values"
    shown_gives = "Pointer"
    shown_slot = "none"
    takes = "typing.Any"
    gives = "jitffi.Pointer"
    gives_alone = "typing.Any"
    doc_python = "Pointer; str of a cstr"
    script_instead = "scripts call what gives it"
    step = "owned"
    _boxed_by = "box_owned"

    def __init__(self, type_: Type) -> None:
        super().__init__(type_)
        self.inner: Row = row(type_.args[0])
        self._function = type_.args[1].rpartition(":")[2]

    @property
    def c(self) -> str:  # type: ignore[override]
        return self.inner.c

    def _release(self, e: Emitter, index: int) -> V:
        return e.linkage.release(e, index, self._function)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper(self._boxed_by, e.state, ir.const("i32", index), native[0], self._release(e, index))

    def free(self, e: Emitter, index: int, address: V) -> None:
        e.helper("free_owned", e.state, address, self._release(e, index))


class OwnedText(Owned):
    __slots__ = ()
    part = ""
    shown_gives = gives = gives_alone = "str"
    step = "owned_cstr"
    _boxed_by = "take_cstr"

    @property
    def c(self) -> str:  # type: ignore[override]
        return "char*"  # what frees it takes no const


def owned(type_: Type) -> Row:
    return OwnedText(type_) if type_.args[0].name == "cstr" else Owned(type_)


register("owned", owned)
