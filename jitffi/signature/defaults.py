"""Defaults of parameters: the values a type takes as one, and their literals.

Apart from ``model`` and ``text`` because most signatures have no default and then need none of this.
"""

from __future__ import annotations

from jitffi.base.errors import SignatureError
from jitffi.signature.model import CONTAINERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.signature.model import Type

_INT_RANGES = {
    "ptr": (-(1 << 63), (1 << 64) - 1),
    "any": (-(1 << 63), (1 << 64) - 1),
    **{f"i{bits}": (-(1 << bits - 1), (1 << bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"u{bits}": (0, (1 << bits) - 1) for bits in (8, 16, 32, 64)},
}

_INF = float("inf")

# From here on a finite value rounds to infinity: halfway between the greatest and what would come next.
_FLOAT_LIMITS = {
    "f16": (2 - 2.0**-11) * 2.0**15,
    "bf16": (2 - 2.0**-8) * 2.0**127,
    "f32": (2 - 2.0**-24) * 2.0**127,
    "f64": _INF,
    "any": _INF,
}

_OCTAL = "01234567"
_HEX = "0123456789abcdefABCDEF"
_ESCAPES = {
    "\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip


def convert(ty: Type, value: Any) -> Any:
    """Return *value* as the default of a parameter of type *ty*: a None, bool, int, float, str or bytes.

    TypeError for a value that the type does not take or that no text can show, OverflowError for one out of its range,
    ValueError for text that C could not read.
    """
    name = ty.name
    if name == "optional":
        return None if value is None else convert(ty.inner, value)
    if value is None and name in ("ptr", "any"):
        return None
    if isinstance(value, bool) and name in ("bool", "any"):
        return value
    if name in _FLOAT_LIMITS and (name != "any" or isinstance(value, float)):
        return _float_default(name, value)
    if name in _INT_RANGES and hasattr(value.__class__, "__index__"):
        value = int(value.__index__())
        low, high = _INT_RANGES[name]
        if not low <= value <= high:
            raise OverflowError(f"{_short(value)} is out of range for {name}: {low} to {high}")
        return value
    if name in ("dtype", "device"):
        return _dlpack_default(name, value)
    if isinstance(value, str) and name in ("str", "ucs4", "cstr", "any"):
        if name == "cstr" and "\0" in value:
            raise ValueError("a cstr cannot hold a NUL")
        if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
            raise ValueError(f"lone surrogate in {_short(value)}")
        return str(value)
    if isinstance(value, bytes) and name in ("bytes", "any"):
        return bytes(value)
    if name == "tuple" and type(value) is tuple and not value and (not ty.args or ty.args[-1] is Ellipsis):
        return ()
    if name in CONTAINERS and value in ([], {}) and hasattr(value, "__len__"):
        raise TypeError(
            f"a parameter of type {ty.text} takes no {value!r} as default, which every call would share: "
            f"take optional[{ty.text}] with None"
        )
    if name in ("func", "object", "module", *CONTAINERS):
        raise TypeError(f"a parameter of type {ty.text} takes no default")
    wanted = "None, bool, int, float, str or bytes" if name == "any" else name
    raise TypeError(f"expected {wanted}, got {_kind(value)}")


def _dlpack_default(name: str, value: Any) -> str:
    """Return the canonical text, of a name or of whatever else stands for a data type or a device."""
    from jitffi._core import DataType, Device

    try:
        if name == "dtype":
            return str(DataType(value))
        if isinstance(value, (str, Device)):
            return str(Device(value))
    except TypeError:
        pass
    raise TypeError(f"expected {name}, got {_kind(value)}")


def _float_default(name: str, value: Any) -> float:
    if not hasattr(value.__class__, "__float__"):
        raise TypeError(f"expected {name}, got {_kind(value)}")
    try:
        number = float(value)
    except OverflowError:  # an int beyond f64
        raise OverflowError(f"{_short(value)} is out of range for {name}") from None
    if _FLOAT_LIMITS[name] <= abs(number) < _INF:
        raise OverflowError(f"{_short(value)} is out of range for {name}")
    return number


def _kind(value: object) -> str:
    short = _short(value)
    return short if value is None or short.startswith("an int") else f"{value.__class__.__name__} {short}"


def _short(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an int of {value.bit_length()} bits"  # its digits may be too many for str()
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def read_number(token: str) -> int | float:
    """Convert a literal, ``inf`` or ``nan``, with or without a sign, as Python would; ValueError if it is no number."""
    bare = token[1:] if token[:1] in ("+", "-") else token
    # int() and float() alone would take other alphabets' digits, spaces and some spellings of infinity.
    if not token.isascii() or not (bare in ("inf", "nan") or bare[:1].isdigit() or bare[:1] == "."):
        raise ValueError(f"{token!r} is not a number")
    if bare[:2].lower() in ("0x", "0o", "0b") or not bare.strip("0123456789_"):
        return int(token, 0)
    value = float(token)
    if abs(value) == _INF and bare != "inf":
        raise ValueError(f"{token!r} is beyond f64")
    return value


def read_literal(text: str, start: int, end: int) -> str | bytes:
    """Convert the str or bytes literal in *text* from *start* to *end*, with Python's escapes.

    SignatureError for a bad escape, and for a character that bytes cannot have.
    """
    is_bytes = text[start] in "bB"
    i = start + 2 if is_bytes else start + 1
    parts: list[str] = []
    while i < end - 1:
        stop = text.find("\\", i, end - 1)
        if stop < 0:
            stop = end - 1
        if is_bytes and not text[i:stop].isascii():
            raise SignatureError("bytes take ASCII characters and escapes only", text, start, end - start)
        parts.append(text[i:stop])
        i = stop
        if i < end - 1:
            char, i = _read_escape(text, i, is_bytes)
            parts.append(char)
    value = "".join(parts)
    return value.encode("latin-1") if is_bytes else value


def _read_escape(text: str, start: int, is_bytes: bool) -> tuple[str, int]:
    """Return the character of the escape whose backslash is at *start*, and where it ends."""
    c = text[start + 1]
    end = start + 2
    if c in _ESCAPES:
        return _ESCAPES[c], end
    code = -1
    if c in _OCTAL:
        while end < start + 4 and text[end] in _OCTAL:
            end += 1
        code = int(text[start + 1 : end], 8)
    elif c == "x" or (c in "uU" and not is_bytes):
        end += {"x": 2, "u": 4, "U": 8}[c]
        if not text[start + 2 : end].strip(_HEX):
            code = int(text[start + 2 : end], 16)
    elif c == "N" and text[end] == "{" and not is_bytes:
        import unicodedata

        end = text.find("}", end) + 1 or end
        try:
            return unicodedata.lookup(text[start + 3 : end - 1]), end
        except (KeyError, ValueError):
            pass
    if not 0 <= code <= (0xFF if is_bytes or c in _OCTAL else 0x10FFFF):
        raise SignatureError(f"no such escape: {text[start:end]!r}", text, start, end - start)
    return chr(code), end
