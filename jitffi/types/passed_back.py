"""out[T] and inout[T]: an address that the callee writes to, and what is there afterwards is (part of) the result.

A Python entry makes the place: memory of its frame, for an array a new one of NumPy's. A Python callable returns what
goes there. The native form is the address; then an array's lengths, and last, where a Python entry has
made it, the address of the word that holds it, or the nd-array that a packed entry has made.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.types.array import Array
from jitffi.types.row import Row, ir, register
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Type
    from jitffi.types.row import Native


class PassedBack(Row):
    """`inner` is T's row."""

    __slots__ = ("inner",)
    part = "values"
    passes_back = True
    script_instead = "a script returns its results"
    doc_python = "not passed: part of the result"

    def __init__(self, type_: Type) -> None:
        super().__init__(type_)
        self.inner: Row = row(type_.args[0])

    @property
    def c(self) -> str:  # type: ignore[override]
        return f"{self.inner.c}*"

    @property
    def shown_takes(self) -> str:  # type: ignore[override]
        return self.inner.shown_takes

    @property
    def takes(self) -> str:  # type: ignore[override]
        return self.inner.takes

    @property
    def shown_slot(self) -> str:  # type: ignore[override]
        return self.inner.shown_slot

    def _place(self, e: Emitter) -> V:
        size, align = self.inner.extent(e) if self.inner.by_value else (0, 0)
        return e.frame(max(size, 16), "place", max(align, 16))

    def give(self, e: Emitter, index: int, native: Native) -> V:
        return self.inner.box(e, index, (self._written(e, native[0]),))

    def _written(self, e: Emitter, address: V) -> V:
        if self.inner.by_value:
            return address
        if self.inner.result == "i1":
            return e.icmp("ne", e.load("i8", address), ir.const("i8", 0))
        return e.load(e.machine_type(self.inner.result), address, align=self.inner.align)

    def give_native(self, e: Emitter, index: int, native: Native, view: V) -> None:
        self.inner.lower(e, index, (self._written(e, native[0]),), view)

    def take(self, e: Emitter, index: int, obj: V, native: Native) -> None:
        self._where_wanted(e, native, lambda: self._write(e, index, obj, native))

    def take_native(self, e: Emitter, index: int, view: V, native: Native) -> None:
        self._where_wanted(e, native, lambda: self._write_native(e, index, view, native))

    def _where_wanted(self, e: Emitter, native: Native, write: Callable[[], None]) -> None:
        """C may have given NULL."""
        wanted, done = e.label("wanted"), e.label("taken")
        e.branch(e.is_null(native[0]), done, wanted)
        e.at(wanted)
        write()
        e.br(done)
        e.at(done)

    def _write(self, e: Emitter, index: int, obj: V, native: Native) -> None:
        self._store(e, self._kept(e, index, self.inner.unbox(e, index, obj)[0]), native[0])

    def _write_native(self, e: Emitter, index: int, view: V, native: Native) -> None:
        self._store(e, self._kept(e, index, self.inner.lift(e, index, view)[0]), native[0])

    def _kept(self, e: Emitter, index: int, value: V) -> V:
        """Text is read when the call is over, and what it was taken from has gone."""
        return ir.kept_text(e, index, value) if self.inner.step == "cstr" else value

    def _store(self, e: Emitter, value: V, address: V) -> None:
        if self.inner.by_value:
            return e.copy(address, value, *self.inner.extent(e))
        return e.store(e.cast("zext", value, "i8") if value.type == "i1" else value, address)


class Out(PassedBack):
    """Of what is no array."""

    __slots__ = ()

    def make(self, e: Emitter, index: int, lengths: list[V]) -> Native:
        place = self._place(e)
        if self.inner.by_value:
            e.clear(place, *self.inner.extent(e))
            return (place,)
        for at in range(0, getattr(self.inner, "room", 8), 8):
            e.store(ir.const("i64", 0), place, at)
        return (place,)

    make_native = make


class OutOwned(Out):
    """Of what is freed where the call raises, until there is an object that does it."""

    __slots__ = ()
    is_freed = True

    def make(self, e: Emitter, index: int, lengths: list[V]) -> Native:
        place = self._place(e)
        e.setup(ir.NULL, place)
        e.on_failure(lambda e: self.inner.free(e, index, e.load("ptr", place)))
        return (place,)

    def give(self, e: Emitter, index: int, native: Native) -> V:
        address = e.load("ptr", native[0])
        e.store(ir.NULL, native[0])
        return self.inner.box(e, index, (address,))


class InOut(PassedBack):
    __slots__ = ()

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        ir.refuse_null(e, index, native[0])
        self.give_native(e, index, native, view)

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        place = self._place(e)
        self._store(e, self.inner.unbox(e, index, obj)[0], place)
        return (place,)

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        place = self._place(e)
        self._store(e, self.inner.lift(e, index, view)[0], place)
        return (place,)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        ir.refuse_null(e, index, native[0])
        return self.give(e, index, native)


class OutArray(Out):
    __slots__ = ()
    inner: Array

    @property
    def c(self) -> str:  # type: ignore[override]
        return self.inner.c

    def make(self, e: Emitter, index: int, lengths: list[V]) -> Native:
        shape = e.frame(8 * len(lengths), "shape")
        for dim, length in enumerate(lengths):
            e.store(length, shape, 8 * dim)
        holder, data = e.frame(8, "made"), e.frame(8, "data")
        e.setup(ir.NULL, holder)

        def drop(e: Emitter) -> None:
            e.helper("decref_array", holder, ir.const("i64", 1))

        e.on_failure(drop)
        where = (e.state, ir.const("i32", index), self.inner.spec)
        e.store(e.helper("make_array", *where, shape, data), holder)
        return (e.load("ptr", data), *lengths, holder)

    def make_native(self, e: Emitter, index: int, lengths: list[V]) -> Native:
        shape = e.frame(8 * len(lengths), "shape")
        for dim, length in enumerate(lengths):
            e.store(length, shape, 8 * dim)
        data = e.frame(8, "data")
        array = e.helper("new_array", ir.info(e), ir.const("i32", index), self.inner.spec, shape, data, e.temps())
        return (e.load("ptr", data), *lengths, array)

    def give_native(self, e: Emitter, index: int, native: Native, view: V) -> None:
        e.store(ir.head(layout.NDARRAY), view, layout.SLOT_CODE)
        ir.store_payload(e, view, native[-1])

    def give(self, e: Emitter, index: int, native: Native) -> V:
        obj = e.load("ptr", native[-1], 0, "array")
        e.store(ir.NULL, native[-1])
        return obj

    def _write(self, e: Emitter, index: int, obj: V, native: Native) -> None:
        where = (e.state, ir.const("i32", index), obj, self.inner.spec)
        e.helper("unbox_array_out", *where, self.inner.described(e, native))

    def _write_native(self, e: Emitter, index: int, view: V, native: Native) -> None:
        where = (ir.info(e), ir.const("i32", index), view, self.inner.spec)
        e.helper("take_array", *where, self.inner.described(e, native))


def out(type_: Type) -> Row:
    if row(type_.args[0]).is_freed:
        return OutOwned(type_)
    return OutArray(type_) if type_.args[0].name == "array" else Out(type_)


register("out", out)
register("inout", InOut)
