"""Signatures of plain types in the spelling that they give themselves, "(x: f64, i32) -> void": most of what programs
bind, read without looking at each character."""

from __future__ import annotations

from jitffi.signature.model import TYPES, Param, Signature

_unnamed: dict[str, Param] = {}


def read_plain(text: str) -> Signature | None:
    """Return the signature where nothing stands in *text* but names of types, and of parameters; None: it is another,
    or wrong.

    >>> read_plain("(x: f64, i32) -> void")
    Signature.parse('(x: f64, i32) -> void')
    >>> read_plain("(x: f64, i32 = 1) -> void"), read_plain("(print: void) -> void")
    (None, None)
    """
    inside, arrow, result = text.partition(") -> ") if isinstance(text, str) else ("", "", "")
    if not arrow or inside[:1] != "(" or result not in TYPES:
        return None
    params = []
    try:
        for part in inside[1:].split(", ") if len(inside) > 1 else ():
            name, colon, type_ = part.rpartition(": ")
            if type_ not in TYPES:
                return None
            params.append(Param(name, TYPES[type_]) if colon else _without_name(type_))
        return Signature(params, TYPES[result])
    except ValueError:
        return None  # who reads it character by character can say where


def _without_name(type_: str) -> Param:
    """The parameter of that type, which is the same for all."""
    if type_ not in _unnamed:
        _unnamed[type_] = Param(None, TYPES[type_])
    return _unnamed[type_]
