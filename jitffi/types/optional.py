"""optional[T]: None beside the values of T.

Where T's native form begins with a pointer, NULL stands for None; other scalars are passed by address. As a result a
pointer is NULL, and everything else goes through an out-slot that stays null, which C has no way to say for scalars.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.types.row import Row, ir, known, register
from jitffi.types.scalar import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Type
    from jitffi.types.row import Native


def _none_or(e: Emitter, is_none: V, some: Callable[[], Native], none: Native) -> Native:
    """*none* where *is_none* holds, else what *some* makes."""
    present, absent, done = e.label("some"), e.label("none"), e.label("optional")
    e.branch(is_none, absent, present)
    e.at(present)
    values, here = some(), e.here
    e.br(done)
    e.at(absent)
    e.br(done)
    e.at(done)
    return tuple(e.phi([(v, here), (n, absent)]) for v, n in zip(values, none, strict=True))


def _unless(e: Emitter, is_none: V, some: Callable[[], object], none: Callable[[], object]) -> None:
    """Run the code of *none* where *is_none* holds, else that of *some*."""
    present, absent, done = e.label("some"), e.label("none"), e.label("optional")
    e.branch(is_none, absent, present)
    e.at(present)
    some()
    e.br(done)
    e.at(absent)
    none()
    e.br(done)
    e.at(done)


def _is_none(e: Emitter, obj: V) -> V:
    return e.icmp("eq", obj, e.data("none"), "is.none")


def _new_none(e: Emitter) -> V:
    none = e.data("none")
    ir.incref_singleton(e, none)
    return none


def _store_null(e: Emitter, slot: V) -> None:
    e.store(ir.head(layout.NULL), slot, layout.SLOT_CODE)
    e.store(ir.const("i64", 0), slot, layout.SLOT_PAYLOAD)


class Optional(Row):
    """Arguments, the same for every T but for the scalars' detour through memory; `inner` is T's row."""

    __slots__ = ("inner",)
    nullable = True
    script_instead = "what can be None is any"

    def __init__(self, type_: Type, inner: Row) -> None:
        super().__init__(type_)
        self.inner = inner

    step_takes_none = True

    @property
    def step(self) -> str:  # type: ignore[override]
        return self.inner.step

    @property
    def step_extra(self) -> int:  # type: ignore[override]
        return self.inner.step_extra

    @property
    def step_words(self) -> int:  # type: ignore[override]
        return self.inner.step_words

    @property
    def c(self) -> str:  # type: ignore[override]
        return self.inner.c

    @property
    def c_result(self) -> str:  # type: ignore[override]
        return self.inner.c_result

    @property
    def shown_takes(self) -> str:  # type: ignore[override]
        return f"None, {self.inner.shown_takes}"

    @property
    def shown_gives(self) -> str:  # type: ignore[override]
        return f"{self.inner.shown_gives}, or None"

    @property
    def shown_slot(self) -> str:  # type: ignore[override]
        return f"null, or {self.inner.shown_slot}"

    @property
    def shown_slot_gives(self) -> str:  # type: ignore[override]
        return self.inner.shown_slot_gives and f"null, or {self.inner.shown_slot_gives}"

    @property
    def slot_refused(self) -> str:  # type: ignore[override]
        return self.inner.slot_refused

    def default(self, value: Any) -> object:
        return None if value is None else self.inner.default(value)

    @property
    def parts(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.inner.parts

    def none(self, e: Emitter) -> Native:
        return self.inner.absent(e)

    @property
    def edge(self) -> tuple[object, ...]:  # type: ignore[override]
        return (None, *[value for value in self.inner.edge if value is not None])

    @property
    def refused(self) -> tuple[tuple[object, type[Exception]], ...]:  # type: ignore[override]
        return tuple([(value, error) for value, error in self.inner.refused if value is not None])

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        return _none_or(e, _is_none(e, obj), lambda: self.inner.unbox(e, index, obj), self.none(e))

    def box(self, e: Emitter, index: int, native: Native) -> V:
        made = lambda: (self.inner.box(e, index, native),)  # noqa: E731
        obj = _none_or(e, e.is_null(native[0]), made, (e.data("none"),))[0]
        return self._counted(e, native[0], obj)

    def _counted(self, e: Emitter, native: V, obj: V) -> V:
        """Count None's reference where *obj* is None."""
        if not e.layout["immortal"]:
            _unless(e, e.is_null(native), lambda: None, lambda: ir.incref_singleton(e, obj))
        return obj

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        return _none_or(e, ir.code_is(e, view, layout.NULL), lambda: self.inner.lift(e, index, view), self.none(e))

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        _unless(e, e.is_null(native[0]), lambda: self.inner.lower(e, index, native, view), lambda: _store_null(e, view))

    @property
    def lends(self) -> bool:  # type: ignore[override]
        return self.inner.lends

    @property
    def writes_back(self) -> bool:  # type: ignore[override]
        return self.inner.writes_back

    def write_back(self, e: Emitter, index: int, native: Native, obj: V) -> None:
        _unless(e, e.is_null(native[0]), lambda: self.inner.write_back(e, index, native, obj), lambda: None)

    def before_unlock(self, e: Emitter, index: int, native: Native) -> None:
        self.inner.before_unlock(e, index, native)


class OptionalPointer(Optional):
    """optional of ptr, cstr, object, func: a direct result, ir.NULL for None."""

    __slots__ = ()

    @property
    def owned(self) -> bool:  # type: ignore[override]
        return self.inner.owned

    @property
    def is_freed(self) -> bool:  # type: ignore[override]
        return self.inner.is_freed

    def free(self, e: Emitter, index: int, address: V) -> None:
        self.inner.free(e, index, address)

    @property
    def result_is_borrowed(self) -> bool:  # type: ignore[override]
        return self.inner.result_is_borrowed

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        return _none_or(e, _is_none(e, obj), lambda: (self.inner.unbox_result(e, obj, out),), (ir.NULL,))[0]

    def box_result(self, e: Emitter, value: V) -> V:
        made = lambda: (self.inner.box_result(e, value),)  # noqa: E731
        obj = _none_or(e, e.is_null(value), made, (e.data("none"),))[0]
        return self._counted(e, value, obj)

    def lift_result(self, e: Emitter, slot: V) -> V:
        return _none_or(e, ir.code_is(e, slot, layout.NULL), lambda: (self.inner.lift_result(e, slot),), (ir.NULL,))[0]

    def lower_result(self, e: Emitter, value: V, out: V) -> None:
        _unless(e, e.is_null(value), lambda: self.inner.lower_result(e, value, out), lambda: _store_null(e, out))


class OptionalSlot(Optional):
    """optional of str, ucs4, bytes and any: through the out-slot, null for None."""

    __slots__ = ()
    in_slot = True

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        _unless(e, _is_none(e, obj), lambda: self.inner.unbox_result(e, obj, out), lambda: _store_null(e, out))
        return out

    def box_result(self, e: Emitter, value: V) -> V:
        return e.helper("box_slot", value)

    def lift_result(self, e: Emitter, slot: V) -> V:
        _unless(e, ir.code_is(e, slot, layout.NULL), lambda: self.inner.lift_result(e, slot), lambda: None)
        return slot


class OptionalScalar(OptionalSlot):
    """optional of a number, a truth value or a small struct: `const T*` as an argument; C cannot return a number."""

    __slots__ = ()
    step_by_address = True
    inner: Scalar

    @property
    def c(self) -> str:  # type: ignore[override]
        return f"const {self.inner.c}*"

    @property
    def c_result_refused(self) -> str:  # type: ignore[override]
        return "" if self.inner.in_slot else "C has no way to return no number"

    @property
    def parts(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("ptr",)

    def none(self, e: Emitter) -> Native:
        return (ir.NULL,)

    def _by_address(self, e: Emitter, value: V) -> Native:
        if self.inner.by_value:
            return (value,)
        storage = e.frame(self.inner.room, "storage", self.inner.room)
        e.store(e.cast("zext", value, "i8") if value.type == "i1" else value, storage)
        return (storage,)

    def _at_address(self, e: Emitter, pointer: V) -> Native:
        if self.inner.by_value:
            return (pointer,)
        if self.inner.result == "i1":
            return (e.icmp("ne", e.load("i8", pointer), ir.const("i8", 0)),)
        return (e.load(e.machine_type(self.inner.result), pointer, align=self.inner.align),)

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        some = lambda: self._by_address(e, self.inner.unbox(e, index, obj)[0])  # noqa: E731
        return _none_or(e, _is_none(e, obj), some, self.none(e))

    def box(self, e: Emitter, index: int, native: Native) -> V:
        made = lambda: (self.inner.box(e, index, self._at_address(e, native[0])),)  # noqa: E731
        obj = _none_or(e, e.is_null(native[0]), made, (e.data("none"),))[0]
        return self._counted(e, native[0], obj)

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        some = lambda: self._by_address(e, self.inner.lift(e, index, view)[0])  # noqa: E731
        return _none_or(e, ir.code_is(e, view, layout.NULL), some, self.none(e))

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        some = lambda: self.inner.lower(e, index, self._at_address(e, native[0]), view)  # noqa: E731
        _unless(e, e.is_null(native[0]), some, lambda: _store_null(e, view))

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        some = lambda: self.inner.lower(e, -1, self.inner.unbox(e, -1, obj), out)  # noqa: E731
        _unless(e, _is_none(e, obj), some, lambda: _store_null(e, out))
        return out

    def lift_result(self, e: Emitter, slot: V) -> V:
        """Check by lifting; a box, or another code that the type accepts, becomes the plain value on the way."""

        def check() -> None:
            value = self.inner.lift(e, -1, slot)
            e.helper("any_release", slot)
            self.inner.lower(e, -1, value, slot)

        _unless(e, ir.code_is(e, slot, layout.NULL), check, lambda: None)
        return slot


def optional(type_: Type) -> Row:
    inner_type = type_.inner
    assert inner_type is not None
    inner = known(inner_type)
    if isinstance(inner, Scalar):
        return OptionalScalar(type_, inner)
    return OptionalSlot(type_, inner) if inner.in_slot else OptionalPointer(type_, inner)


register("optional", optional)
