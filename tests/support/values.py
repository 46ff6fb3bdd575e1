"""Values of the types' rows, and their comparison by bits."""

from __future__ import annotations

import struct

import jitffi
from jitffi.signature.model import TYPES, Type, optional
from jitffi.signature.text import parse_type
from jitffi.types.table import row

CALLBACK = parse_type("func[(i64) -> i64]")
PLAIN = [type_ for name, type_ in TYPES.items() if name != "void"] + [CALLBACK]
#: Every row of the table: each type and, beside it, its optional.
ALL = [*PLAIN, *[optional(type_) for type_ in PLAIN]]


def same(got: object, sent: object) -> bool:
    """Equal in type and in every bit. Functions come back as other objects; they are equal when they do the same."""
    if callable(sent) and callable(got) and not isinstance(sent, type):
        return got(-5) == sent(-5)
    if isinstance(sent, float):
        return type(got) is float and struct.pack("d", got) == struct.pack("d", sent)
    return type(got) is type(sent) and got == sent


def edges(type_: Type) -> list[object]:
    """The edge values of a row; callables for func[...] as functions that last, others are wrapped for one call."""
    core = type_.inner if type_.is_optional else type_
    if core.signature is None:
        return list(row(type_).edge)
    return [jitffi.function(core.signature)(value) if callable(value) else value for value in row(type_).edge]


def ids(types: list[Type]) -> list[str]:
    return [type_.text.replace(" ", "") for type_ in types]
