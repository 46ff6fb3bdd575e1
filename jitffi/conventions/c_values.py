"""How the values of a signature stand in a C function on a target: LLVM's types and attributes, and the moves between
these and native values.

A number or pointer is a parameter of its own. A struct, whose native form is the address of its bytes, is moved in
pieces (by_value); what its pieces cover beyond its end is memory of the frame. `shape` asks the target's rules about
all values of a signature at once, since what a struct takes depends on what those before it have left.
"""

from __future__ import annotations

from typing import NamedTuple

from jitffi.base.late import late
from jitffi.conventions.base import param_rows
from jitffi.ir.builder import V, const
from jitffi.ir.cabi import BY_ADDRESS
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.conventions import by_value, by_value_rules
    from jitffi.conventions.by_value import Passing, Piece
    from jitffi.ir.cabi import CABI
    from jitffi.ir.emitter import Emitter
    from jitffi.signature import datamodel, fields
    from jitffi.signature.datamodel import DataModel
    from jitffi.signature.fields import Layout
    from jitffi.signature.model import Signature
    from jitffi.types.row import Native, Row
else:  # what signatures without structs do without
    by_value, by_value_rules = late("jitffi.conventions.by_value"), late("jitffi.conventions.by_value_rules")
    datamodel, fields = late("jitffi.signature.datamodel"), late("jitffi.signature.fields")


class CValue(NamedTuple):
    """One value of a signature in C."""

    row: Row
    #: LLVM type and attribute of each parameter that it takes; of a result the one, which may be void.
    types: tuple[tuple[str, str], ...]
    #: Of a struct.
    layout: Layout | None = None
    passing: Passing | None = None

    @property
    def is_out(self) -> bool:
        """Whether the caller has memory for the result, whose address it passes first."""
        return self.passing is not None and self.passing.kind == by_value.SRET


class Shape(NamedTuple):
    """A C function's values."""

    params: tuple[CValue, ...]
    result: CValue

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """The parameter that stands before all others."""
        return [("ptr", self.result.types[0][1])] if self.result.is_out else []

    @property
    def returns(self) -> tuple[str, str]:
        """Type and attribute of what the function itself returns."""
        return ("void", "") if self.result.is_out else self.result.types[0]


def shape(abi: CABI, sig: Signature) -> Shape:
    """Ask the target's rules. TypeError for structs where these are not known."""
    rows = param_rows(sig)
    result = row(sig.result)
    if not any(r.by_value for r in (*rows, result)):
        return Shape(tuple([CValue(r, tuple(_plain(abi, r))) for r in rows]), CValue(result, (_result(abi, result),)))
    if abi.name not in by_value_rules.RULES:
        raise TypeError(f"convention 'c' cannot carry structs: how {abi.name} passes them by value is not known")
    machine = datamodel.of_abi(abi.name)
    rules = by_value_rules.RULES[abi.name](lambda name: fields.number(name, machine))
    if sig.fixed is not None:
        rules.begin_variadic()
    returned = CValue(result, (_result(abi, result),))
    if result.by_value:
        layout, is_complex = _layout(result, machine)
        passing = rules.complex_result(layout) if is_complex else rules.result(layout)
        returned = _by_value(result, layout, passing, True)
    floats = {type_: name for name, type_ in by_value.FLOATS.items()}
    made = []
    for i, r in enumerate(rows):
        if i == sig.fixed:
            rules.begin_variable()
        if r.by_value:
            layout, is_complex = _layout(r, machine)
            passing = rules.complex_argument(layout) if is_complex else rules.argument(layout)
            made.append(_by_value(r, layout, passing, False))
            continue
        made.append(CValue(r, tuple(_plain(abi, r))))
        for type_, _ in made[-1].types:
            rules.scalar(floats.get(type_) or _SCALARS.get(type_, type_))
    return Shape(tuple(made), returned)


def _layout(r: Row, machine: DataModel) -> tuple[Layout, bool]:
    """Where the members are of what goes by value, and whether it is a complex number."""
    if r.is_complex:
        return fields.place([fields.Member("parts", r.type.name)], machine), True
    return r.layout(machine), False


#: What the rules call LLVM's types that are no floats of by_value.py's.
_SCALARS = {
    "ptr": "pointer", "i1": "bool", "x86_fp80": "longdouble", "fp128": "longdouble", "ppc_fp128": "longdouble",
}  # fmt: skip


def _plain(abi: CABI, r: Row) -> list[tuple[str, str]]:
    if r.struct:
        return [("ptr", "") if t == "address" else (t, "inreg" * abi.inreg) for t in abi.struct(r.struct)]
    return [(abi.machine_type(part), abi.extension(part, r.extension)) for part in r.parts]


def _result(abi: CABI, r: Row) -> tuple[str, str]:
    type_, sign = ("i32", "signext") if r.in_slot else (r.result, r.extension)
    return abi.machine_type(type_), abi.extension(type_, sign)


def _by_value(r: Row, layout: Layout, passing: Passing, is_result: bool) -> CValue:
    room = f"[{max(layout.size, 1)} x i8]"
    if passing.kind == by_value.SRET:
        return CValue(r, (("ptr", f"sret({room}) align {layout.align}"),), layout, passing)
    if passing.kind == by_value.STACK:
        return CValue(r, (("ptr", f"byval({room}) align {passing.align}"),), layout, passing)
    if passing.kind == by_value.COPY:
        return CValue(r, (("ptr", ""),), layout, passing)
    if not is_result:
        return CValue(r, tuple([(piece.type, "") for piece in passing.pieces]), layout, passing)
    names = [piece.type for piece in passing.pieces]
    whole = "void" if not names else names[0] if len(names) == 1 else f"{{ {', '.join(names)} }}"
    return CValue(r, ((whole, ""),), layout, passing)


# -- moves ----------------------------------------------------------------------------------------------------------


def to_c(e: Emitter, value: CValue, native: Native) -> list[V]:
    """A native value as C takes it."""
    if value.passing is not None:
        return _struct_to_c(e, value, native[0])
    r = value.row
    types = e.abi.struct(r.struct) if r.struct else r.parts
    if types == r.parts:
        return list(native[: len(types)])  # an array's lengths are not C's
    whole = native[0]
    if types == BY_ADDRESS:
        copy = e.frame(8, "copy")
        e.store(whole, copy)
        return [copy]
    if len(types) == 1:
        return [e.cast("zext", whole, types[0])]
    return [e.cast("trunc", whole, "i32"), e.cast("trunc", e.lshr(whole, const("i64", 32)), "i32")]


def from_c(e: Emitter, value: CValue, values: list[V]) -> Native:
    """The native value of what C has passed."""
    if value.passing is not None:
        return (_struct_from_c(e, value, values),)
    r = value.row
    types = e.abi.struct(r.struct) if r.struct else r.parts
    if types == r.parts:
        return tuple(values)
    if types == BY_ADDRESS:
        return (e.load(r.result, values[0], align=r.align),)
    if len(types) == 1:
        return (e.cast("trunc", values[0], r.result),)
    low, high = [e.cast("zext", each, "i64") for each in values]
    return (e.or_(low, e.shl(high, const("i64", 32))),)


def result_memory(e: Emitter, value: CValue) -> V:
    """Memory of the frame for a result that is a struct."""
    assert value.layout is not None and value.passing is not None
    return e.frame(max(value.layout.size, value.passing.room, 1), "result", max(value.layout.align, 8))


def result_from_c(e: Emitter, value: CValue, returned: V, memory: V) -> V:
    """The address of a struct that C has returned; *memory* is `result_memory`'s."""
    assert value.passing is not None
    pieces = value.passing.pieces
    for at, piece in enumerate(pieces):
        part = returned if len(pieces) == 1 else e.member(returned, at, piece.type)
        e.store(part, memory, piece.offset, _align(value, piece))
    return memory


def result_to_c(e: Emitter, value: CValue, native: V, out: V) -> V | None:
    """What a C function returns for the struct at *native*; *out* is the caller's memory, where it `is_out`."""
    assert value.layout is not None
    if value.is_out:
        e.copy(out, native, value.layout.size, value.layout.align)
        return None
    parts = _loaded(e, value, native)
    if len(parts) <= 1:
        return parts[0] if parts else None
    whole = V(value.types[0][0], "poison")
    for at, part in enumerate(parts):
        whole = e.value(whole.type, "whole", f"insertvalue {whole}, {part}, {at}")
    return whole


def result_of_failure(e: Emitter, value: CValue, out: V) -> V | None:
    """What a C function returns for a struct that it has not got: zeros, in its registers or in the caller's memory."""
    assert value.layout is not None
    if value.is_out:
        e.clear(out, value.layout.size, value.layout.align)
        return None
    type_ = value.types[0][0]
    return None if type_ == "void" else V(type_, "zeroinitializer")


def _struct_to_c(e: Emitter, value: CValue, address: V) -> list[V]:
    assert value.layout is not None and value.passing is not None
    kind, align = value.passing.kind, value.passing.align
    if kind == by_value.COPY or kind == by_value.STACK and align > value.layout.align:
        copy = e.frame(max(value.layout.size, 1), "copy", max(align, value.layout.align, 8))
        e.copy(copy, address, value.layout.size, value.layout.align)
        return [copy]
    return [address] if kind == by_value.STACK else _loaded(e, value, address)


def _struct_from_c(e: Emitter, value: CValue, values: list[V]) -> V:
    assert value.passing is not None
    if value.passing.kind in (by_value.COPY, by_value.STACK):
        return values[0]
    memory = result_memory(e, value)
    for piece, part in zip(value.passing.pieces, values, strict=True):
        e.store(part, memory, piece.offset, _align(value, piece))
    return memory


def _loaded(e: Emitter, value: CValue, address: V) -> list[V]:
    """The pieces, read from the struct, or from a copy where they reach beyond its end."""
    assert value.layout is not None and value.passing is not None
    if value.passing.room > value.layout.size:
        memory = result_memory(e, value)
        e.copy(memory, address, value.layout.size, value.layout.align)
        address = memory
    return [e.load(p.type, address, p.offset, "piece", _align(value, p)) for p in value.passing.pieces]


def _align(value: CValue, piece: Piece) -> int:
    """What the bytes of a piece are aligned to."""
    assert value.layout is not None
    return min(value.layout.align, piece.offset & -piece.offset or value.layout.align)
