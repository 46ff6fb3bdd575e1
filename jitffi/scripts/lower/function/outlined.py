"""What large functions call where small ones have it in line: a function of the module for each thing that statements
do again and again with slots. LLVM's time goes with the size of a function, so a long script compiles twice as fast;
the loops of short ones keep their speed.

Frame and Storage come here where the frame `outlines`, and write the function's body in line in a frame of its own.
"""

from __future__ import annotations

from jitffi.scripts.lower.function.emit import SLOT_ATTRIBUTES, P, V, captured, const
from jitffi.scripts.lower.function.values import OUTLIVES, Value, local, owned, text
from jitffi.scripts.tree.types import STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.function.frame import Frame
    from jitffi.scripts.lower.function.storage import Storage
    from jitffi.scripts.lower.function.values import Keep
    from jitffi.scripts.tree.types import Type

#: Functions of more statements than this are large.
LARGE = 30


def _call(
    frame: Frame, name: str, args: list[V], write: Callable[[Frame, list[V]], None], can_fail: bool = False
) -> None:
    """Call the module's function *name*, which *write* writes if it is not there yet. Addresses among the arguments are
    of this frame."""
    unit, symbol, result = frame.module.unit, f"script.{name}", "i32" if can_fail else "void"
    if symbol not in unit.defined:
        unit.defined.add(symbol)
        inside = frame.fresh()
        e = inside.e
        params = [P(f"%p{i}", a.attributes) if isinstance(a, P) else V(a.type, f"%p{i}") for i, a in enumerate(args)]
        start = e.label("start")
        e.will_lead_to(start)
        e.at(start)
        write(inside, params)
        e.ret(const("i32", 0) if can_fail else None)
        inside.write_failures(const("i32", -1))
        given = ", ".join([f"{p.type} {p.text}" for p in params])
        head = f'define internal fastcc {result} @"{symbol}"({given}) noinline #0 {{'
        unit.functions.append(e.text(head, start))
    r = frame.e.call(result, V("ptr", f'@"{symbol}"'), args, convention="fastcc")
    if can_fail:
        frame.fail_if(frame.e.icmp("ne", r, const("i32", 0), "failed"))


def release_slot(frame: Frame, slot: V, pad: int | None, is_text: bool) -> None:
    name = f"release.{'text' if is_text else 'slot'}{'' if pad is None else f'.{pad}'}"
    given: list[V] = [P(slot.text, SLOT_ATTRIBUTES)]
    _call(frame, name, given, lambda inside, p: inside.release_slot(p[0], pad, is_text))


def move_slot(storage: Storage, from_: V, to: V, pad: int | None) -> None:
    known = storage.frame.pad_of(from_) if pad is None else pad

    def write(inside: Frame, p: list[V]) -> None:
        storage.within(inside).move_slot(p[0], p[1], known)

    given: list[V] = [P(slot.text, SLOT_ATTRIBUTES) for slot in (from_, to)]
    _call(storage.frame, f"move.slot.{known}", given, write, can_fail=True)


def materialise_text(storage: Storage, value: Value, slot: V, place: V) -> Value:
    """Of a variable's text, which lies at *place*."""
    kind = value.type

    def write(inside: Frame, p: list[V]) -> None:
        own = storage.within(inside)
        own.write_text(own.materialise_text(_text(kind, p, local(p[4])), p[3]), p[5])

    now = storage.frame.scratch(24)
    given = [*_parts(value), _slot(slot), _slot(place), now]
    _call(storage.frame, f"materialise.{kind}", given, write, can_fail=True)
    return storage.read_text(kind, now, owned(slot))


def move_text(storage: Storage, value: Value, to: V, place: V, pad: int | None) -> Value:
    """Of a text that the slot *place* owns."""
    frame, kind = storage.frame, value.type
    known = frame.pad_of(place) if pad is None else pad

    def write(inside: Frame, p: list[V]) -> None:
        own = storage.within(inside)
        own.write_text(own.move_text(_text(kind, p, owned(p[4])), p[3], known), p[5])

    now = frame.scratch(24)
    given = [*_parts(value), _slot(to), _slot(place), now]
    _call(frame, f"move.{kind}.{known}", given, write, can_fail=True)
    frame.moved(place)
    return storage.read_text(kind, now, owned(to))


def put_from(storage: Storage, value: Value, place: V, out: P, pad: int | None) -> None:
    known, kind = storage.frame.pad_of(place) if pad is None else pad, value.type

    def write(inside: Frame, p: list[V]) -> None:
        storage.within(inside).put_from(_text(kind, p, OUTLIVES), p[4], P(p[3].text, SLOT_ATTRIBUTES), known)

    given = [*_parts(value), _slot(out), _slot(place)]
    _call(storage.frame, f"put.{kind}.{known}", given, write, can_fail=True)


def read_small_or_heap(storage: Storage, slot: V, type_: Type, keep: Keep) -> Value:
    def write(inside: Frame, p: list[V]) -> None:
        own = storage.within(inside)
        own.write_text(own.read_small_or_heap(p[0], type_, OUTLIVES), p[1])

    now = storage.frame.scratch(24)
    _call(storage.frame, f"read.{type_}", [_slot(slot), now], write)
    return storage.read_text(type_, now, keep)


def _slot(slot: V) -> V:
    """Its address may be left in a jf_text."""
    return captured(P(slot.text, SLOT_ATTRIBUTES))


def _parts(value: Value) -> list[V]:
    """Three arguments; the width of bytes is constant."""
    return [value.data, value.size, value.wide]


def _text(type_: Type, params: list[V], keep: Keep) -> Value:
    return text(type_, params[0], params[1], params[2] if type_ == STR else const("i1", 0), keep)
