"""What large functions call where small ones have it in line: a function of the module for each thing that statements
do again and again with slots. LLVM's time goes with the size of a function, so a long script compiles twice as fast;
the loops of short ones keep their speed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jitffi.scripts.lower.function.emit import P, V, const
from jitffi.scripts.lower.function.frame import SLOT_ATTRIBUTES, captured
from jitffi.scripts.lower.function.values import OUTLIVES, Value, local, owned, text
from jitffi.scripts.lower.function.variables import Variables
from jitffi.scripts.tree.types import STR

if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.function.values import Keep
    from jitffi.scripts.tree.types import Type

#: Functions of more statements than this are large.
LARGE = 30


class Outlined(Variables):
    """The same operations, with `outlines` as calls."""

    outlines = False

    def fresh(self) -> Outlined:
        """The body of a function of the module."""
        raise NotImplementedError

    def outlined(
        self, name: str, args: list[V], write: Callable[[Outlined, list[V]], None], can_fail: bool = False
    ) -> None:
        """Call the module's function *name*, which *write* writes if it is not there yet. Addresses among the arguments
        are of this frame."""
        symbol, result = f"script.{name}", "i32" if can_fail else "void"
        if symbol not in self.module.unit.defined:
            self.module.unit.defined.add(symbol)
            b = self.fresh()
            params = [
                P(f"%p{i}", a.attributes) if isinstance(a, P) else V(a.type, f"%p{i}") for i, a in enumerate(args)
            ]
            start = b.e.label("start")
            b.e.will_lead_to(start)
            b.e.at(start)
            write(b, params)
            b.e.ret(const("i32", 0) if can_fail else None)
            b.write_failures(const("i32", -1))
            given = ", ".join([f"{p.type} {p.text}" for p in params])
            head = f'define internal fastcc {result} @"{symbol}"({given}) noinline #0 {{'
            self.module.unit.functions.append(b.e.text(head, start))
        r = self.e.call(result, V("ptr", f'@"{symbol}"'), args, convention="fastcc")
        if can_fail:
            self.fail_if(self.e.icmp("ne", r, const("i32", 0), "failed"))

    def release_slot(self, slot: V, pad: int | None, is_text: bool = False, is_cold: bool = False) -> None:
        if not (self.outlines or is_cold):
            super().release_slot(slot, pad, is_text)
            return
        given: list[V] = [P(slot.text, SLOT_ATTRIBUTES)]
        name = f"release.{'text' if is_text else 'slot'}{'' if pad is None else f'.{pad}'}"
        self.outlined(name, given, lambda b, p: b.release_slot(p[0], pad, is_text))

    def release_cell(self, cell: V, null: bool = True, is_cold: bool = False) -> None:
        super().release_cell(cell, null, is_cold or self.outlines)

    def move_slot(self, from_: V, to: V, pad: int | None = None) -> None:
        if not self.outlines:
            super().move_slot(from_, to, pad)
            return
        known = self.pad_of(from_) if pad is None else pad
        given: list[V] = [P(slot.text, SLOT_ATTRIBUTES) for slot in (from_, to)]
        self.outlined(f"move.slot.{known}", given, lambda b, p: b.move_slot(p[0], p[1], known), can_fail=True)

    # -- text --------------------------------------------------------------------------------------------

    def materialise_text(self, value: Value, slot: V) -> Value:
        keep, kind = value.keep, value.type
        if not self.outlines or keep.kind != "local" or keep.place is None:
            return super().materialise_text(value, slot)

        def write(b: Outlined, p: list[V]) -> None:
            held = b.materialise_text(_text(kind, p, keep_of(p[4])), p[3])
            b.write_text(held, p[5])

        def keep_of(place: V) -> Keep:
            return local(place)

        now = self.scratch(24)
        given = [*_parts(value), _slot(slot), _slot(keep.place), now]
        self.outlined(f"materialise.{kind}", given, write, can_fail=True)
        return self.read_text(kind, now, owned(slot))

    def move_text(self, value: Value, to: V, pad: int | None = None) -> Value:
        place, kind = value.keep.place, value.type
        if not self.outlines or place is None:
            return super().move_text(value, to, pad)
        known = self.pad_of(place) if pad is None else pad

        def write(b: Outlined, p: list[V]) -> None:
            b.write_text(b.move_text(_text(kind, p, owned(p[4])), p[3], known), p[5])

        now = self.scratch(24)
        self.outlined(f"move.{kind}.{known}", [*_parts(value), _slot(to), _slot(place), now], write, can_fail=True)
        self.moved(place)
        return self.read_text(kind, now, owned(to))

    def put_from(self, value: Value, place: V, out: P, pad: int | None = None) -> None:
        if not self.outlines:
            super().put_from(value, place, out, pad)
            return
        known, kind = self.pad_of(place) if pad is None else pad, value.type

        def write(b: Outlined, p: list[V]) -> None:
            b.put_from(_text(kind, p, OUTLIVES), p[4], P(p[3].text, SLOT_ATTRIBUTES), known)

        self.outlined(f"put.{kind}.{known}", [*_parts(value), _slot(out), _slot(place)], write, can_fail=True)

    def read_small_or_heap(self, slot: V, type_: Type, keep: Keep) -> Value:
        if not self.outlines:
            return super().read_small_or_heap(slot, type_, keep)

        def write(b: Outlined, p: list[V]) -> None:
            b.write_text(b.read_small_or_heap(p[0], type_, OUTLIVES), p[1])

        now = self.scratch(24)
        self.outlined(f"read.{type_}", [_slot(slot), now], write)
        return self.read_text(type_, now, keep)


def _slot(slot: V) -> V:
    """Its address may be left in a jf_text."""
    return captured(P(slot.text, SLOT_ATTRIBUTES))


def _parts(value: Value) -> list[V]:
    """Three arguments; the width of bytes is constant."""
    return [value.data, value.size, value.wide]


def _text(type_: Type, params: list[V], keep: Keep) -> Value:
    return text(type_, params[0], params[1], params[2] if type_ == STR else const("i1", 0), keep)
