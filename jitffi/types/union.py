"""Unions, and null: values that stand in slots and are checked against what the type says.

Both are carried as `any` is. From Python a value that one of the alternatives says exactly is taken as it is; else it
is converted as the first one that takes it.
"""

from __future__ import annotations

from jitffi.types.reference import Any
from jitffi.types.row import ir, known, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.types.row import Native, Row


_NO_NULLS: tuple[object, ...] = (0, 1.5, "", b"", [], object)


class Checked(Any):
    __slots__ = ()
    step = "union"
    also: tuple[str, ...] = ()
    script = ""

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        view = e.frame(16, "view")
        e.helper("unbox_union", e.state, ir.const("i32", index), obj, view, e.temps())
        return (view,)

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        e.linkage.need_pattern(e, index)
        e.helper("lift_checked", ir.info(e), ir.const("i32", index), view)
        return Any.lift(self, e, index, view)

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        e.helper("unbox_union_out", e.state, obj, out)
        return out

    def lift_result(self, e: Emitter, slot: V) -> V:
        e.linkage.need_pattern(e, -1)
        e.helper("lift_checked", ir.info(e), ir.const("i32", -1), slot)
        return slot


class Null(Checked):
    __slots__ = ()
    annotations = ("types.NoneType",)
    takes = gives = "None"
    shown_takes = shown_gives = doc_python = "None"
    shown_slot = "null"
    edge = (None,)
    refused = tuple([(value, TypeError) for value in _NO_NULLS])


class Union(Checked):
    __slots__ = ()

    @property
    def _alternatives(self) -> list[Row]:
        return [known(each) for each in self.type.args]

    @property
    def takes(self) -> str:  # type: ignore[override]
        return " | ".join(dict.fromkeys(each.takes for each in self._alternatives))

    @property
    def gives(self) -> str:  # type: ignore[override]
        return " | ".join(dict.fromkeys(each.gives for each in self._alternatives))

    @property
    def shown_takes(self) -> str:  # type: ignore[override]
        return ", ".join([each.shown_takes for each in self._alternatives])

    @property
    def shown_gives(self) -> str:  # type: ignore[override]
        return " or ".join([each.shown_gives for each in self._alternatives])

    @property
    def shown_slot(self) -> str:  # type: ignore[override]
        return " or ".join([each.shown_slot for each in self._alternatives])


register("null", Null)
register("union", Union)
