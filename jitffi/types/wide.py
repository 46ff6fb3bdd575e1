"""Numbers that no word of 64 bits holds: longdouble, i128, u128, c64 and c128.

Their native form is C's own, and adapters do no more with it than move it: what is between it and Python's objects, or
slots, is C code (runtime_c/python/shared/wide.c), which gets the address of their bytes. What `long double` is, the
target's ABI says (ir/cabi.py). Only longdouble has a form in slots, a float.
"""

from __future__ import annotations

import struct

from jitffi.types import defaults
from jitffi.types.row import ir, register
from jitffi.types.scalar import Floating, Integer, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.types.row import Native

_NOT_IN_SLOTS = "slots hold no such number"


class Wide(Scalar):
    """Common to all: the bytes are in the frame for C."""

    __slots__ = ()
    part = "values"
    room = 16
    step_words = 2
    slot_refused = _NOT_IN_SLOTS
    failure_format = "16s"

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        out = self._bytes(e)
        e.helper("unbox_wide", e.state, ir.const("i32", index), obj, self._kind, out)
        return (e.load(e.machine_type(self.result), out),)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_wide", e.state, ir.const("i32", index), self._kind, self._at(e, native[0]))

    def _bytes(self, e: Emitter) -> V:
        return e.frame(self.room, "bytes", self.room)

    def _at(self, e: Emitter, value: V) -> V:
        out = self._bytes(e)
        e.store(value, out)
        return out


class LongDouble(Wide, Floating):
    """C's long double, whatever that is on the target."""

    __slots__ = ()
    parts = ("longdouble",)
    result = "longdouble"
    c = "long double"
    slot_refused = ""
    also = ("float80", "float128", "long_double")
    annotations = ("numpy.longdouble", "numpy.float96", "numpy.float128")
    doc_python = "float, int; rounded to f64 on the way back, OverflowError beyond it"
    failure_classes = (int, float)
    edge = (0.0, -0.0, 1.5, 2.0**-1074, (2 - 2.0**-52) * 2.0**1023, float("inf"), -float("inf"), float("nan"))
    refused = (
        *[(value, OverflowError) for value in (1 << 1024, -1 << 1024)],
        *[(value, TypeError) for value in ("1.0", b"1.0", None, [1.0], 1j, object)],
    )

    def default(self, value: Any) -> float:
        return defaults.number(self, value, 1 << 1024)

    def failure(self, value: Any) -> bytes:
        import ctypes  # which knows this machine's

        return bytes(ctypes.c_longdouble(value))

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        out = self._bytes(e)
        settle = ir.settle_result(e, index, view)
        e.helper("lift_longdouble", ir.info(e), ir.const("i32", index), view, out, always=settle)
        return (e.load(e.machine_type(self.result), out),)

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        e.helper("lower_longdouble", ir.info(e), ir.const("i32", index), self._at(e, native[0]), view)


class Wide128(Wide, Integer):
    """Integers of 128 bits."""

    __slots__ = ()
    extension = ""
    c_header = ""
    also = ()
    annotations = ()
    script = ""
    says_errno = True

    @property
    def c(self) -> str:  # type: ignore[override]
        return "__int128" if self.signed else "unsigned __int128"

    def failure(self, value: Any) -> bytes:
        return int(value).to_bytes(16, "little", signed=self.signed)


class Complex(Wide):
    """c64 and c128: two numbers, which C passes as a struct of them or nearly so; the native form is their address."""

    __slots__ = ()
    by_value = is_complex = True
    step = "scalar"
    step_by_address = True
    parts = ("ptr",)
    takes = "complex | typing.SupportsComplex"
    gives = shown_gives = "complex"
    shown_takes = "complex, float, int"
    doc_python = "complex, float, int"
    failure_classes = (int, float, complex)
    refused = tuple([(value, TypeError) for value in ("1j", b"1j", None, [1j], object)])

    @property
    def _is_single(self) -> bool:
        return self.type.name == "c64"

    @property
    def size(self) -> int:  # type: ignore[override]
        return 8 if self._is_single else 16

    @property
    def c(self) -> str:  # type: ignore[override]
        return "float _Complex" if self._is_single else "double _Complex"

    @property
    def also(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("complex64",) if self._is_single else ("complex128", "complex")

    @property
    def annotations(self) -> tuple[str, ...]:  # type: ignore[override]
        return (f"numpy.complex{8 * self.size}",)

    @property
    def edge(self) -> tuple[object, ...]:  # type: ignore[override]
        most, inf, nan = (2 - 2.0**-23) * 2.0**127, float("inf"), float("nan")
        parts = ((0.0, 0.0), (-0.0, -0.0), (1.5, -2.5), (most, -most), (inf, -inf), (nan, 1.0), (0.0, nan))
        return tuple([complex(*each) for each in parts])

    def default(self, value: Any) -> float | complex:
        if not isinstance(value, complex):
            return defaults.number(self, value, self._beyond)
        if any(self._beyond <= abs(part) < float("inf") for part in (value.real, value.imag)):
            raise OverflowError(f"{defaults.short(value)} is out of range for {self.type.name}")
        return complex(value)

    @property
    def _beyond(self) -> float:
        return (2 - 2.0**-24) * 2.0**127 if self._is_single else 1 << 1024

    def failure(self, value: Any) -> bytes:
        parts = (complex(value).real, complex(value).imag)
        return struct.pack("<2f" if self._is_single else "<2d", *parts)

    def extent(self, e: Emitter) -> tuple[int, int]:
        return self.size, self.size // 2

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        out = self._bytes(e)
        e.helper("unbox_wide", e.state, ir.const("i32", index), obj, self._kind, out)
        return (out,)

    def _at(self, e: Emitter, value: V) -> V:
        return value


register("longdouble", LongDouble)
register("i128", Wide128)
register("u128", Wide128)
register("c64", Complex)
register("c128", Complex)
