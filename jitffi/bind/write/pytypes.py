"""Python annotations for the types of signatures: what callers may pass, and what they get.

*names* are the module's names of structs, by their keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jitffi.signature.model import Signature, Type
from jitffi.signature.structs import declared
from jitffi.types.table import row

_NONE: Mapping[str, str] = {}


def given(ty: Type, names: Mapping[str, str] = _NONE, alias: str | None = None) -> str:
    """Return the annotation of what is passed for *ty*; *alias* is the name of a callback's type.

    >>> from jitffi.signature.model import TYPES, optional
    >>> given(TYPES["u8"]), given(optional(TYPES["cstr"])), given(TYPES["ptr"])
    ('int', 'str | bytes | None', 'Address')
    """
    if ty.is_optional:
        inner = ty.inner
        if inner.name == "ptr" and _is_address(inner):
            return "Address"
        shown = alias or given(inner, names)
        return f"{shown} | int | None" if inner.signature is not None else f"{shown} | None"
    if ty.name == "inout":
        return given(ty.args[0], names)
    if ty.signature is not None:
        return alias or callable_type(ty.signature, names)
    if ty.name == "ptr" and _is_address(ty):
        return "Address"
    if ty.name in ("ptr", "array"):
        struct = declared(ty.args[0])
        return f"{names[struct.key]} | Memory" if struct and struct.key in names else "Memory"
    if ty.name in ("tensor", "any"):
        return "Any"
    return "str | bytes" if ty.name == "cstr" else _value(ty, names)


def got(ty: Type, names: Mapping[str, str] = _NONE) -> str:
    """Return the annotation of what comes for *ty*.

    >>> from jitffi.signature.model import TYPES, optional
    >>> got(TYPES["void"]), got(TYPES["f32"]), got(TYPES["ptr"])
    ('None', 'float', 'int | None')
    """
    if ty.is_optional:
        shown = got(ty.inner, names)
        return shown if shown.endswith("| None") else f"{shown} | None"
    if ty.name == "ptr" and _is_address(ty):
        return "int | None"
    if ty.signature is not None:
        return callable_type(ty.signature, names)
    return _value(ty, names)


def results(sig: Signature, names: Mapping[str, str] = _NONE, enum: str = "") -> str:
    """Return the annotation of what a call gives: the result, which *enum* is the class of, and what comes back beside
    it.

    >>> results(Signature.parse("(x: f64, exponent: out[i32]) -> f64"))
    'tuple[float, int]'
    """
    parts = [enum or got(sig.result, names)] if sig.result.name != "void" else []
    parts += [got(p.type.args[0], names) for p in sig.params if p.type.name in ("out", "inout")]
    return "None" if not parts else parts[0] if len(parts) == 1 else f"tuple[{', '.join(parts)}]"


def callable_type(sig: Signature, names: Mapping[str, str] = _NONE) -> str:
    """Return the annotation of a callback: native code gives its arguments, and gets its result.

    >>> callable_type(Signature.parse("(ptr, i32) -> void"))
    'Callable[[int | None, int], object]'
    """
    params = ", ".join(got(p.type, names) for p in sig.params)
    return f"Callable[[{params}], {'object' if sig.result.name == 'void' else given(sig.result, names)}]"


def _is_address(ty: Type) -> bool:
    """Whether nothing is known of what a pointer points at."""
    return not ty.args or bool(ty.args[0].name == "void")


def _value(ty: Type, names: Mapping[str, str]) -> str:
    struct = declared(ty)
    if struct is not None:
        return names.get(struct.key, "Any")
    return row(ty).gives.replace("numpy.typing.", "").replace("typing.", "")


def used_names(texts: Sequence[str]) -> set[str]:
    """Return which of the names that need an import occur in annotations."""
    names = ("Address", "Annotated", "Any", "Callable", "Final", "IntEnum", "Memory", "NDArray")
    return {name for name in names if any(re.search(rf"\b{name}\b", text) for text in texts)}
