"""C's literals: integers with the type that C gives them, floating constants, characters, the bytes of strings."""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass
from decimal import Decimal

from jitffi.signature.csource import ULONG

_LONG_BITS = int(ULONG[1:])
_MAX_LONG_DOUBLE = 4932  # the power of ten of the greatest, in whatever format a machine has for it
_INTEGER = re.compile(r"(0[xX][\da-fA-F']+|0[bB][01']+|[\d']+)([uUlLzZ]*)\Z")
_FLOAT = re.compile(
    r"((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|0[xX](?:[\da-fA-F]+\.?[\da-fA-F]*|\.[\da-fA-F]+)[pP][+-]?\d+)(f|F|l|L)?\Z"
)
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([\da-fA-F]+)|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))", re.S)
_ESCAPES = {
    "n": 10,
    "t": 9,
    "r": 13,
    "a": 7,
    "b": 8,
    "f": 12,
    "v": 11,
    "e": 27,
    "0": 0,
    "\\": 92,
    "'": 39,
    '"': 34,
    "?": 63,
}


class NotConstant(ValueError):
    """An expression without a value that is known here; the message says which part of it."""


@dataclass(frozen=True)
class Int:
    """An integer value of a C type of *bits* bits."""

    value: int
    bits: int = 32
    signed: bool = True

    def converted(self, bits: int, signed: bool) -> Int:
        """Return it in another type, wrapped as C does.

        >>> Int(-1).converted(8, False)
        Int(value=255, bits=8, signed=False)
        """
        value = self.value & ((1 << bits) - 1)
        return Int(value - (1 << bits) if signed and value >> (bits - 1) else value, bits, signed)


def number(word: str) -> Int | float:
    """Return the value of a number as C reads it. NotConstant where it is none.

    >>> number("0x80000000"), number("1L")
    (Int(value=2147483648, bits=32, signed=False), Int(value=1, bits=64, signed=True))
    >>> number("017").value, number("0x1p-1"), number("0.1f")
    (15, 0.5, 0.10000000149011612)
    """
    found = _INTEGER.match(word)
    if found:
        return _integer(found[1].replace("'", ""), found[2].lower(), word)
    floating = _FLOAT.match(word)
    if not floating:
        raise NotConstant(word)
    if floating[2] in ("l", "L"):
        if Decimal(floating[1] if floating[1][:2] not in ("0x", "0X") else 0).adjusted() > _MAX_LONG_DOUBLE:
            return math.inf
        raise NotConstant("long double")
    try:
        value = float.fromhex(floating[1]) if floating[1][:2] in ("0x", "0X") else float(floating[1])
    except OverflowError:
        value = math.inf  # as it is for a decimal one
    return single(value) if floating[2] else value


def _integer(digits: str, suffix: str, word: str) -> Int:
    if len(suffix) > 3 or suffix.strip("l") not in ("", "u") or suffix.count("l") > 2:
        raise NotConstant(word)
    decimal = digits[0] != "0" or len(digits) == 1
    base = 10 if decimal else {"x": 16, "b": 2}.get(digits[1].lower(), 8)
    try:
        value = int(digits[2:] if base in (16, 2) else digits, base)
    except ValueError:
        raise NotConstant(word) from None
    # C11, 6.4.4.1: the first of these types that can hold it.
    for bits in sorted({32 if "l" not in suffix else _LONG_BITS if suffix.count("l") == 1 else 64, _LONG_BITS, 64}):
        if "l" in suffix and bits < (_LONG_BITS if suffix.count("l") == 1 else 64):
            continue
        if "u" not in suffix and value < 1 << (bits - 1):
            return Int(value, bits, True)
        if ("u" in suffix or not decimal) and value < 1 << bits:
            return Int(value, bits, False)
    raise NotConstant(f"{word} is beyond 64 bits")


def character(word: str) -> Int:
    """Return the value of a character constant.

    >>> character(r"'\\n'").value
    10
    """
    prefix, _, rest = word.partition("'")
    content = unescaped(rest[:-1])
    if prefix:
        text = content.decode(errors="replace")
        if len(text) != 1:
            raise NotConstant(word)
        return Int(ord(text), 32, prefix == "L")
    if len(content) != 1:
        raise NotConstant(word)
    return Int(content[0]).converted(8, True).converted(32, True)


def unescaped(text: str) -> bytes:
    """Return the bytes that the content of a string stands for. NotConstant where an escape is none.

    >>> unescaped(r"a\\x41\\0")
    b'aA\\x00'
    """

    def one(found: re.Match[str]) -> str:
        octal, hexadecimal, short, long, simple = found.groups()
        if short or long:
            code = int(short or long, 16)
            if code > 0x10FFFF or 0xD800 <= code < 0xE000:
                raise NotConstant(found.group())
            return chr(code)
        code = int(octal, 8) if octal else int(hexadecimal, 16) if hexadecimal else _ESCAPES.get(simple, -1)
        if not 0 <= code < 256:
            raise NotConstant(found.group())
        return chr(code) if code < 128 else chr(0xDC00 + code)  # a byte, as surrogateescape carries it

    return _ESCAPE.sub(one, text).encode("utf-8", "surrogateescape")


def single(value: float) -> float:
    """Return the nearest float of 32 bits."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)
