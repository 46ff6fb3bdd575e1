"""Texts of a given length in what C calls back: they are pointers, since nothing says that they end with a NUL."""

from __future__ import annotations

import re

from jitffi.signature.cdecl import Reader
from jitffi.signature.model import TYPES, Param, Signature, Type, func, optional

#: Names and types of a parameter that says how long the text before it is.
_LENGTH = re.compile(r"(?:\A|_)(?:n|len|length|size|count|cb|nbytes?)_*\Z|(?:Len|Length|Size|Count|Bytes?)\Z")
_COUNTS = frozenset(("i32", "u32", "i64", "u64"))


def without_counted_texts(type_: Type, reader: Reader) -> Type:
    """Return a type with a pointer for each `const char *` of a callback that has its length behind it."""
    sig = (type_.inner if type_.is_optional else type_).signature
    if sig is None:
        return type_
    params = []
    pointer = optional(Type("ptr", (TYPES[reader.model.keywords["char"]], True)))
    for i, param in enumerate(sig.params):
        after = sig.params[i + 1] if i + 1 < len(sig.params) else None
        counted = after is not None and after.type.name in _COUNTS and _LENGTH.search(after.name or "")
        is_text = param.type.is_optional and param.type.inner.name == "cstr"
        given = pointer if counted and is_text else without_counted_texts(param.type, reader)
        params.append(Param(param.name, given))
    made = func(Signature(params, sig.result, sig.fixed))
    return optional(made) if type_.is_optional else made
