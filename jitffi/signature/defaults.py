"""Defaults of parameters: what a type takes as one, its row says, and their literals.

Apart from ``model`` and ``text`` because most signatures have no default and then need none of this.
"""

from __future__ import annotations

from jitffi.base.errors import SignatureError
from jitffi.base.fork_locks import IMPORTS
from jitffi.signature.model import PLAIN_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.signature.model import Type

_INF = float("inf")

#: Of types whose values are all that are of a class of Python's.
_WHOLE = {"f64": float, "bool": bool, "bytes": bytes}

_OCTAL = "01234567"
_HEX = "0123456789abcdefABCDEF"
_ESCAPES = {
    "\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip


def convert(ty: Type, value: Any) -> Any:
    """Return *value* as the default of a parameter of type *ty*: a None, bool, int, float, complex, str, bytes or ().

    TypeError for a value that the type does not take or that no text can show, OverflowError for one out of its range,
    ValueError for text that C could not read.
    """
    # What most defaults are is known without the rows, which a start from the cache has no time for.
    if value is None and ty.is_optional:
        return None
    if value.__class__ is _WHOLE.get(ty.name, ty):
        return value
    if value.__class__ is int and 0 <= value < 128:
        if ty.name == "f64":
            return float(value)
        if ty.name[0] in "iu" and ty.name[1:].isdigit() and ty.name in PLAIN_NAMES:
            return value
    with IMPORTS:
        from jitffi.types.table import row

    return row(ty).default(value)


def read_number(token: str) -> int | float | complex:
    """Convert a literal, ``inf`` or ``nan``, with or without a sign, or a complex number, ``2j`` or ``(1+2j)``, as
    Python would; ValueError if it is no number."""
    if token.isascii() and token.rstrip(")").endswith("j") and token.rstrip("j)")[-1:].strip("+-(e"):
        return complex(token)
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
