"""fixed16: 16.16 fixed point. In Python a Fraction or a float, in C an int32_t that counts 65536ths, in a slot a float.

What lies between two values becomes the nearer one. The whole of a type in one file, as one is added to jitffi/types.
"""

from __future__ import annotations

from fractions import Fraction

from jitffi.base import layout
from jitffi.types import defaults
from jitffi.types.row import ir, register
from jitffi.types.scalar import KINDS, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.types.row import Native

_ONE = 1 << 16
#: From here on a number rounds to more than there is: 32768 - 2**-17, and the bits of that double.
_BEYOND, _BEYOND_BITS = 32768 - 2.0**-17, 0x40DFFFFFFFE00000
#: Where a double keeps its exponent (IEEE 754, binary64).
_EXPONENT = 52


class Fixed16(Scalar):
    __slots__ = ()
    parts = ("i32",)
    result = "i32"
    extension = "signext"
    kind = "f64"
    c = "int32_t"
    c_header = "<stdint.h>"
    c_names = ("fixed16_t",)
    also = ("fixed", "q16_16")
    annotations = ("fractions.Fraction",)
    takes = "fractions.Fraction | typing.SupportsFloat"
    gives = "float"
    shown_takes = "Fraction, float, int"
    shown_gives = "float"
    shown_slot = "float, v_float64"
    doc_python = "Fraction, float, int"
    doc_c = "`int32_t`, in 65536ths"
    script_instead = "its fractions are f64"
    script_result = "FLOAT"
    failure_format = "i"
    failure_classes = (int, float, Fraction)
    edge = (0.0, 1.0, -1.0, 0.5, 1 / _ONE, -1 / _ONE, 32767.5, 32768 - 1 / _ONE, 1 / _ONE - 32768)
    refused = tuple([(value, TypeError) for value in ("1.0", None, [1.0], 1j, 32768.0, -32768.0, float("nan"))])

    def default(self, value: Any) -> float:
        return round(defaults.number(self, value, _BEYOND) * _ONE) / _ONE

    def failure(self, value: Any) -> int:
        return round(value * _ONE)

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        refused = lambda: self._read(e, "unbox_scalar", e.state, index, obj, "bool")  # noqa: E731
        return (self._from_double(e, self._read(e, "unbox_scalar", e.state, index, obj, "f64"), refused),)

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        bits = self._read(e, "lift_scalar", ir.info(e), index, view, "f64")
        refused = lambda: self._read(e, "lift_scalar", ir.info(e), index, view, "bool")  # noqa: E731
        return (self._from_double(e, bits, refused),)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_f64", self._to_double(e, native[0]))

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        ir.store_slot(e, view, layout.FLOAT, self._to_double(e, native[0]))

    def _read(self, e: Emitter, helper: str, about: V, index: int, source: V, kind: str) -> V:
        return e.helper(helper, about, ir.const("i32", index), source, ir.const("i32", KINDS.index(kind)))

    def _from_double(self, e: Emitter, bits: V, refused: Callable[[], V]) -> V:
        """Integers alone: a constant of floating point would be memory beside the code."""
        beyond, fine = e.label("beyond"), e.label("fixed")
        magnitude = e.and_(bits, ir.const("i64", (1 << 63) - 1))
        e.branch(e.icmp("ult", magnitude, ir.const("i64", _BEYOND_BITS), "in.range"), fine, beyond, likely=True)
        e.at(beyond)
        refused()  # no number that comes here is a bool
        e.br(fine)
        e.at(fine)
        scaled = e.cast("bitcast", e.add(bits, ir.const("i64", 33 << _EXPONENT)), "double")
        halves = e.add(e.cast("fptosi", scaled, "i64"), ir.const("i64", _ONE))
        return e.cast("trunc", e.ashr(halves, ir.const("i64", 17)), "i32")

    def _to_double(self, e: Emitter, value: V) -> V:
        bits = e.cast("bitcast", e.cast("sitofp", value, "double"), "i64")
        scaled = e.sub(bits, ir.const("i64", 16 << _EXPONENT))
        is_zero = e.icmp("eq", value, ir.const("i32", 0), "is.zero")
        return e.cast("bitcast", e.select(is_zero, bits, scaled), "double")


register("fixed16", Fixed16)
