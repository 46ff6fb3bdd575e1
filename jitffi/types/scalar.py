"""Numbers: i8 to u64, f16, bf16, f32, f64; and what bool shares with them.

Native values have the C type's width; f16 and bf16 are their 16 bits. Python's exact floats and its exact ints of one
or two digits are read in place, everything else goes to C, which also checks ranges. In slots there are only 64-bit
ints, doubles and bools: a narrow type is checked on the way in and extended on the way out.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.types import defaults
from jitffi.types.row import Direct, ir, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Type
    from jitffi.types.row import Native

_INF, _NAN = float("inf"), float("nan")

#: JF_KIND_* of runtime.h, in its order.
KINDS = (
    "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "dtype", "device",
    "longdouble", "i128", "u128", "c64", "c128",
)  # fmt: skip


class Scalar(Direct):
    """Common to all scalars: results are arguments, and what misses the fast path is converted in C by kind."""

    __slots__ = ()
    settles_slot = True
    part = ""
    #: Bytes of the frame that hold one.
    room = 8
    #: Which of the conversions in C is for it.
    kind = ""

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
        return self.from_bits(e, e.helper("unbox_scalar", e.state, ir.const("i32", index), obj, self._kind))

    def _lift_slow(self, e: Emitter, index: int, view: V) -> V:
        settle = ir.settle_result(e, index, view)
        bits = e.helper("lift_scalar", ir.info(e), ir.const("i32", index), view, self._kind, always=settle)
        return self.from_bits(e, bits)

    @property
    def step_extra(self) -> int:  # type: ignore[override]
        return KINDS.index(self.kind or self.type.name)

    @property
    def _kind(self) -> V:
        return ir.const("i32", self.step_extra)

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


#: Other languages' words for integers.
_INTEGER_WORDS = {
    "i8": ("char",), "i16": ("short",), "i64": ("int", "long"), "u32": ("unsigned",), "u64": ("size_t",),
}  # fmt: skip


class Integer(Scalar):
    """i8 to u64: the name says all."""

    __slots__ = ("bits", "signed")
    step = "scalar"
    c_header = "<stdint.h>"
    takes = "typing.SupportsIndex"
    gives = "int"
    says_errno = True
    script_instead = "its ints are i64"
    script_result = "INT"
    doc_python = "int, checked; never a float"

    def __init__(self, type_: Type) -> None:
        super().__init__(type_)
        self.signed = self.type.name[0] == "i"
        self.bits = int(self.type.name[1:])

    @property
    def _word(self) -> str:
        return f"{'' if self.signed else 'u'}int{self.bits}"

    @property
    def c(self) -> str:  # type: ignore[override]
        return f"{self._word}_t"

    @property
    def also(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self._word, self.c, *_INTEGER_WORDS.get(self.type.name, ()))

    @property
    def annotations(self) -> tuple[str, ...]:  # type: ignore[override]
        longest = "" if self.bits < 64 else "numpy.longlong" if self.signed else "numpy.ulonglong"
        return (f"numpy.{self._word}", *[longest] * bool(longest))

    @property
    def script(self) -> str:  # type: ignore[override]
        return "INT" if self.type.name == "i64" else ""

    @property
    def failure_format(self) -> str:  # type: ignore[override]
        letter = {8: "b", 16: "h", 32: "i", 64: "q"}[self.bits]
        return letter if self.signed else letter.upper()

    def default(self, value: Any) -> int:
        return defaults.integer(self, value, *self._limits)

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
            ir.guard(e, ir.fits(e, value, self.bits, self.signed), cold, "in.range")
        return e.cast("trunc", value, self.result)

    def _widen(self, e: Emitter, value: V) -> V:
        return e.cast("sext" if self.signed else "zext", value, "i64")

    def read_object(self, e: Emitter, obj: V, cold: str) -> V:
        return self._narrow(e, ir.long_value(e, obj, cold), cold)

    def read_slot(self, e: Emitter, slot: V, cold: str) -> V:
        ir.guard(e, ir.code_is(e, slot, layout.INT), cold, "int")
        return self._narrow(e, e.load("i64", slot, layout.SLOT_PAYLOAD, "payload"), cold)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        unsigned = self.bits == 64 and not self.signed
        return e.helper("box_u64" if unsigned else "box_i64", self._widen(e, native[0]))

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        value = self._widen(e, native[0])
        ir.store_slot(e, view, layout.INT, value)
        if self.bits == 64 and not self.signed:
            large = e.icmp("slt", value, ir.const("i64", 0), "large")
            e.store(e.select(large, ir.head(layout.UINT), ir.head(layout.INT)), view, layout.SLOT_CODE)


#: Of each type the greatest, the smallest normal, the smallest, 1 + its epsilon, and the first that rounds to infinity.
_FLOAT_LIMITS = {
    "f16": (65504.0, 2.0**-14, 2.0**-24, 1 + 2.0**-10, 65520.0),
    "bf16": ((2 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-133, 1 + 2.0**-7, (2 - 2.0**-8) * 2.0**127),
    "f32": ((2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-149, 1 + 2.0**-23, (2 - 2.0**-24) * 2.0**127),
    "f64": ((2 - 2.0**-52) * 2.0**1023, 2.0**-1022, 2.0**-1074, 1 + 2.0**-52, 1 << 1024),
}
#: Other languages' words for them.
_FLOAT_WORDS = {
    "f16": ("half",), "bf16": ("bfloat16",), "f32": ("single",), "f64": ("float", "double"),
}  # fmt: skip
_NOT_FLOATS = ("1.0", b"1.0", None, [1.0], 1j, object)


class Floating(Scalar):
    """What f16 to f64 have in common."""

    __slots__ = ()
    step = "scalar"
    takes = "typing.SupportsFloat"
    gives = "float"
    shown_takes = "float, int"
    shown_gives = "float"
    shown_slot = "float, v_float64"
    script_instead = "its floats are f64"
    script_result = "FLOAT"
    doc_python = "float, int"

    @property
    def also(self) -> tuple[str, ...]:  # type: ignore[override]
        bits = self.type.name.removeprefix("f")
        plain = (f"float{bits}", f"float{bits}_t") if bits.isdigit() else ()
        return (*plain, *_FLOAT_WORDS[self.type.name])

    @property
    def annotations(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple([f"numpy.{word}" for word in self.also if word.startswith("float") and word[5:].isdigit()])

    def default(self, value: Any) -> float:
        return defaults.number(self, value, _FLOAT_LIMITS[self.type.name][4])

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
    failure_classes = (int, float)

    @property
    def c(self) -> str:  # type: ignore[override]
        return self.result

    @property
    def script(self) -> str:  # type: ignore[override]
        return "FLOAT" if self.type.name == "f64" else ""

    @property
    def failure_format(self) -> str:  # type: ignore[override]
        return self.result[0]

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
            bits = e.and_(e.cast("bitcast", narrow, "i32"), ir.const("i32", 0x7FFFFFFF))
            ir.guard(e, e.icmp("ne", bits, ir.const("i32", 0x7F800000), "finite"), cold, "finite")
        return narrow

    def read_object(self, e: Emitter, obj: V, cold: str) -> V:
        ir.guard(e, ir.type_is(e, obj, "float_type"), cold, "float")
        return self._narrow(e, e.load("double", obj, e.layout["float.value"], "value"), cold)

    def read_slot(self, e: Emitter, slot: V, cold: str) -> V:
        ir.guard(e, ir.code_is(e, slot, layout.FLOAT), cold, "float")
        return self._narrow(e, e.load("double", slot, layout.SLOT_PAYLOAD, "payload"), cold)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_f64", e.cast("fpext", native[0], "double"))

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        ir.store_slot(e, view, layout.FLOAT, e.cast("fpext", native[0], "double"))


class Half(Floating):
    """f16 and bf16: 16 bits that travel as an unsigned short; C converts, as not every target has the instructions."""

    __slots__ = ()
    parts = ("i16",)
    result = "i16"
    extension = "zeroext"
    c = "uint16_t"
    c_header = "<stdint.h>"
    doc_c = "`uint16_t`, the bits"

    @property
    def c_others(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("_Float16", "__fp16") if self.type.name == "f16" else ("__bf16",)

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        return (self._unbox_slow(e, index, obj),)

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        return (self._lift_slow(e, index, view),)

    def _double(self, e: Emitter, value: V) -> V:
        return e.helper(f"f64_from_{self.type.name}", value)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_f64", self._double(e, native[0]))

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        ir.store_slot(e, view, layout.FLOAT, self._double(e, native[0]))


for _name in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"):
    register(_name, Integer)
register("f16", Half)
register("bf16", Half)
register("f32", Float)
register("f64", Float)
