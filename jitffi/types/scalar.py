"""Numbers and truth values: void, bool, i8 to u64, f16, bf16, f32, f64.

Native values have the C type's width; f16 and bf16 are their 16 bits. Python's exact floats and its exact ints of one
or two digits are read in place, everything else goes to C, which also checks ranges. In slots there are only 64-bit
ints, doubles and bools: a narrow type is checked on the way in and extended on the way out.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.ir.emitter import NULL, V, const
from jitffi.ir.primitives import (
    code_is,
    fits,
    guard,
    head,
    incref_singleton,
    info,
    long_value,
    settle_result,
    store_payload,
    store_slot,
    type_is,
)
from jitffi.types.table import Direct, Native, Row, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.emitter import Emitter

_INF, _NAN = float("inf"), float("nan")

#: JF_KIND_* of runtime.h, in its order.
KINDS = (
    "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "dtype", "device",
)  # fmt: skip


class Scalar(Direct):
    """Common to all scalars: results are arguments, and what misses the fast path is converted in C by kind."""

    __slots__ = ()
    settles_slot = True

    def read_object(self, e: Emitter, obj: V, cold: str) -> V:
        """The value of *obj* where it is of the common kind; other objects leave to *cold*."""
        raise NotImplementedError

    def read_slot(self, e: Emitter, slot: V, cold: str) -> V:
        """The value of *slot* where it has the common code; other slots leave to *cold*."""
        raise NotImplementedError

    def from_bits(self, e: Emitter, bits: V) -> V:
        """The native value from the 64 bits that the helpers give."""
        return e.cast("trunc", bits, self.result)

    def _unbox_slow(self, e: Emitter, index: int, obj: V) -> V:
        return self.from_bits(e, e.helper("unbox_scalar", e.state, const("i32", index), obj, self._kind))

    def _lift_slow(self, e: Emitter, index: int, view: V) -> V:
        settle = settle_result(e, index, view)
        bits = e.helper("lift_scalar", info(e), const("i32", index), view, self._kind, always=settle)
        return self.from_bits(e, bits)

    @property
    def _kind(self) -> V:
        return const("i32", KINDS.index(self.type.name))

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        cold, done = e.label("unbox.slow"), e.label("unbox.done")
        fast, here = self.read_object(e, obj, cold), e.here
        e.br(done)
        e.at(cold)
        slow, there = self._unbox_slow(e, index, obj), e.here
        e.br(done)
        e.at(done)
        return (e.phi([(fast, here), (slow, there)]),)

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        cold, done = e.label("lift.slow"), e.label("lift.done")
        fast, here = self.read_slot(e, view, cold), e.here
        e.br(done)
        e.at(cold)
        slow, there = self._lift_slow(e, index, view), e.here
        e.br(done)
        e.at(done)
        return (e.phi([(fast, here), (slow, there)]),)


class Integer(Scalar):
    __slots__ = ("bits", "signed")

    def __init__(self, type_: object) -> None:
        super().__init__(type_)  # type: ignore[arg-type]
        self.signed = self.type.name[0] == "i"
        self.bits = int(self.type.name[1:])

    @property
    def parts(self) -> tuple[str, ...]:  # type: ignore[override]
        return (f"i{self.bits}",)

    @property
    def result(self) -> str:  # type: ignore[override]
        return f"i{self.bits}"

    @property
    def extension(self) -> str:  # type: ignore[override]
        return "" if self.bits == 64 else "signext" if self.signed else "zeroext"

    @property
    def _limits(self) -> tuple[int, int]:
        return (-1 << self.bits - 1, (1 << self.bits - 1) - 1) if self.signed else (0, (1 << self.bits) - 1)

    @property
    def edge(self) -> tuple[object, ...]:  # type: ignore[override]
        low, high = self._limits
        return (low, low + 1, low // 2, 0, 1, high // 2, high - 1, high, *((-1,) if self.signed else ()))

    @property
    def refused(self) -> tuple[tuple[object, type[Exception]], ...]:  # type: ignore[override]
        low, high = self._limits
        beyond = [(value, OverflowError) for value in (low - 1, high + 1, -1 << 63, 1 << 64, -1 << 64, 1 << 200)]
        others = [(value, TypeError) for value in (1.0, None, "1", b"1", [1], 1j)]
        return (*[(value, error) for value, error in beyond if not low <= value <= high], *others)

    def _narrow(self, e: Emitter, value: V, cold: str) -> V:
        if self.bits < 64 or not self.signed:
            guard(e, fits(e, value, self.bits, self.signed), cold, "in.range")
        return e.cast("trunc", value, self.result)

    def _widen(self, e: Emitter, value: V) -> V:
        return e.cast("sext" if self.signed else "zext", value, "i64")

    def read_object(self, e: Emitter, obj: V, cold: str) -> V:
        return self._narrow(e, long_value(e, obj, cold), cold)

    def read_slot(self, e: Emitter, slot: V, cold: str) -> V:
        guard(e, code_is(e, slot, layout.INT), cold, "int")
        return self._narrow(e, e.load("i64", slot, layout.SLOT_PAYLOAD, "payload"), cold)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        unsigned = self.bits == 64 and not self.signed
        return e.helper("box_u64" if unsigned else "box_i64", self._widen(e, native[0]))

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        value = self._widen(e, native[0])
        store_slot(e, view, layout.INT, value)
        if self.bits == 64 and not self.signed:
            large = e.icmp("slt", value, const("i64", 0), "large")
            e.store(e.select(large, head(layout.UINT), head(layout.INT)), view, layout.SLOT_CODE)


#: Of each type the greatest, the smallest normal, the smallest, 1 + its epsilon, and the first that rounds to infinity.
_FLOAT_LIMITS = {
    "f16": (65504.0, 2.0**-14, 2.0**-24, 1 + 2.0**-10, 65520.0),
    "bf16": ((2 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-133, 1 + 2.0**-7, (2 - 2.0**-8) * 2.0**127),
    "f32": ((2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-149, 1 + 2.0**-23, (2 - 2.0**-24) * 2.0**127),
    "f64": ((2 - 2.0**-52) * 2.0**1023, 2.0**-1022, 2.0**-1074, 1 + 2.0**-52, 1 << 1024),
}
_NOT_FLOATS = ("1.0", b"1.0", None, [1.0], 1j, object)


class Floating(Scalar):
    """What f16 to f64 have in common."""

    __slots__ = ()

    @property
    def edge(self) -> tuple[object, ...]:  # type: ignore[override]
        most = _FLOAT_LIMITS[self.type.name][:4]
        return (0.0, -0.0, 1.5, *most, *[-x for x in most], _INF, -_INF, _NAN, -_NAN)

    @property
    def refused(self) -> tuple[tuple[object, type[Exception]], ...]:  # type: ignore[override]
        beyond = _FLOAT_LIMITS[self.type.name][4]
        out = ((beyond, OverflowError), (-beyond, OverflowError), (1 << 1024, OverflowError))
        return (*out, *[(value, TypeError) for value in _NOT_FLOATS])


class Float(Floating):
    """f64, and f32 with the check that a finite value stays finite."""

    __slots__ = ()

    @property
    def parts(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.result,)

    @property
    def result(self) -> str:  # type: ignore[override]
        return "double" if self.type.name == "f64" else "float"

    def from_bits(self, e: Emitter, bits: V) -> V:
        own = bits if self.result == "double" else e.cast("trunc", bits, "i32")
        return e.cast("bitcast", own, self.result)

    def _narrow(self, e: Emitter, value: V, cold: str) -> V:
        narrow = e.cast("fptrunc", value, self.result)
        if narrow is not value:
            # An infinity may have been one, or an overflow: C tells. Integer test: a float constant needs memory.
            bits = e.and_(e.cast("bitcast", narrow, "i32"), const("i32", 0x7FFFFFFF))
            guard(e, e.icmp("ne", bits, const("i32", 0x7F800000), "finite"), cold, "finite")
        return narrow

    def read_object(self, e: Emitter, obj: V, cold: str) -> V:
        guard(e, type_is(e, obj, "float_type"), cold, "float")
        return self._narrow(e, e.load("double", obj, e.layout["float.value"], "value"), cold)

    def read_slot(self, e: Emitter, slot: V, cold: str) -> V:
        guard(e, code_is(e, slot, layout.FLOAT), cold, "float")
        return self._narrow(e, e.load("double", slot, layout.SLOT_PAYLOAD, "payload"), cold)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_f64", e.cast("fpext", native[0], "double"))

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        store_slot(e, view, layout.FLOAT, e.cast("fpext", native[0], "double"))


class Half(Floating):
    """f16 and bf16: 16 bits that travel as an unsigned short; C converts, as not every target has the instructions."""

    __slots__ = ()
    parts = ("i16",)
    result = "i16"
    extension = "zeroext"

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        return (self._unbox_slow(e, index, obj),)

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        return (self._lift_slow(e, index, view),)

    def _double(self, e: Emitter, value: V) -> V:
        return e.helper(f"f64_from_{self.type.name}", value)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_f64", self._double(e, native[0]))

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        store_slot(e, view, layout.FLOAT, self._double(e, native[0]))


class Bool(Scalar):
    """Python's bool and nothing that is merely true; one byte in C, of which only the low bit counts."""

    __slots__ = ()
    parts = ("i1",)
    result = "i1"
    extension = "zeroext"
    edge = (True, False)
    refused = ((0, TypeError), (1, TypeError), (1.0, TypeError), (None, TypeError), ("True", TypeError))

    def read_object(self, e: Emitter, obj: V, cold: str) -> V:
        true = e.icmp("eq", obj, e.data("true"), "is.true")
        false = e.icmp("eq", obj, e.data("false"), "is.false")
        guard(e, e.or_(true, false), cold, "bool")
        return true

    def read_slot(self, e: Emitter, slot: V, cold: str) -> V:
        guard(e, code_is(e, slot, layout.BOOL), cold, "bool")
        return e.cast("trunc", e.load("i64", slot, layout.SLOT_PAYLOAD, "payload"), "i1")

    def box(self, e: Emitter, index: int, native: Native) -> V:
        obj = e.select(native[0], e.data("true"), e.data("false"), "bool")
        incref_singleton(e, obj)
        return obj

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        store_slot(e, view, layout.BOOL, e.cast("zext", native[0], "i64"))


class Void(Row):
    """No result. What a callback returns all the same is dropped, as a C function's unused result is."""

    __slots__ = ()
    result = "void"
    settles_slot = True

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        return V("void", "")

    def box_result(self, e: Emitter, value: V) -> V:
        none = e.data("none")
        incref_singleton(e, none)
        return none

    def lift_result(self, e: Emitter, slot: V) -> V:
        null, other = e.label("null"), e.label("dropped")
        e.branch(code_is(e, slot, layout.NULL), null, other, likely=True)
        e.at(other)
        e.helper("any_release", slot)
        e.br(null)
        e.at(null)
        return V("void", "")

    def lower_result(self, e: Emitter, value: V, out: V) -> None:
        e.store(head(layout.NULL), out, layout.SLOT_CODE)
        store_payload(e, out, NULL)


register("void", Void)
register("bool", Bool)
for _name in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"):
    register(_name, Integer)
register("f16", Half)
register("bf16", Half)
register("f32", Float)
register("f64", Float)
