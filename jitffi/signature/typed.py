"""Numbers that say which type of C's they have: what calling a type gives, `jitffi.i64(7)`.

They are Python's numbers otherwise. Where the type is not known from a signature, behind the `...` of a variadic
function, they are passed as what they say.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, SupportsIndex

from jitffi import _core
from jitffi.signature.numbers import FLOATS

if TYPE_CHECKING:
    from jitffi.signature.model import Type

_FORMATS = {"f16": "e", "f32": "f", "f64": "d", "longdouble": "d"}  # as struct packs them


class TypedInt(int):
    """An int of a type."""

    type: Type

    def __repr__(self) -> str:
        return f"{self.type.text}({int(self)})"

    __str__ = int.__repr__

    def __reduce__(self) -> tuple[Any, ...]:
        return self.type, (int(self),)


class TypedFloat(float):
    """A float of a type."""

    type: Type

    def __repr__(self) -> str:
        return f"{self.type.text}({float(self)!r})"

    __str__ = float.__repr__

    def __reduce__(self) -> tuple[Any, ...]:
        return self.type, (float(self),)


class TypedComplex(complex):
    """A complex number of a type."""

    type: Type

    def __repr__(self) -> str:
        return f"{self.type.text}({complex(self)!r})"

    __str__ = complex.__repr__

    def __reduce__(self) -> tuple[Any, ...]:
        return self.type, (complex(self),)


def make(type_: Type, value: Any) -> Any:
    """Return *value* as a number of the type, for `dtype` NumPy's dtype of a struct, and for `dtype` and `device` what
    the text *value* is the name of. TypeError for other types and values, OverflowError beyond its range, ValueError
    for a name that there is not.

    >>> from jitffi.signature.model import TYPES
    >>> make(TYPES["u8"], 200), make(TYPES["f32"], 0.1) == 0.1
    (u8(200), False)
    """
    name = type_.name
    found: Any
    if name in ("dtype", "device") and isinstance(value, str):
        return _core.DataType(value) if name == "dtype" else _core.Device(value)
    if name == "dtype":
        return _core.struct_dtype(value)
    if type_.args:
        found = None
    elif name == "bool" or name[0] in "iu" and name[1:].isdigit():
        found = TypedInt(_integer(type_, value))
    elif name in FLOATS or name == "longdouble":
        found = TypedFloat(_float(type_, value))
    elif name in ("c64", "c128"):
        found = TypedComplex(value)
    else:
        found = None
    if found is None:
        raise TypeError(f"{type_.text} is called for no value: numbers alone have types of their own")
    found.type = type_
    return found


def _integer(type_: Type, value: SupportsIndex) -> int:
    try:
        number = value.__index__()
    except AttributeError:
        raise TypeError(f"expected {type_.text}, got {type(value).__name__}") from None
    bits = 1 if type_.name == "bool" else int(type_.name[1:])
    low, high = (-1 << bits - 1, (1 << bits - 1) - 1) if type_.name[0] == "i" else (0, (1 << bits) - 1)
    if not low <= number <= high:
        raise OverflowError(f"expected {type_.text} ({low} to {high}), got {number}")
    return number


def _float(type_: Type, value: Any) -> float:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"expected {type_.text}, got {type(value).__name__}")
    number = float(value)
    if type_.name not in _FORMATS:
        return _brain_float(number)
    form = "<" + _FORMATS[type_.name]
    try:
        return float(struct.unpack(form, struct.pack(form, number))[0])
    except OverflowError:
        raise OverflowError(f"expected {type_.text}, got {number!r}, which is beyond it") from None


def _brain_float(number: float) -> float:
    """The nearest number whose f32 has zeros in its lower half; ties go to the even one."""
    bits = int.from_bytes(struct.pack("<f", number), "little")
    if number == number and abs(number) != float("inf"):
        bits += 0x7FFF + (bits >> 16 & 1)
    return float(struct.unpack("<f", (bits & 0xFFFF0000).to_bytes(4, "little"))[0])
