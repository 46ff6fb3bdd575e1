"""Python annotations for the types of signatures: what callers may pass, and what they get."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jitffi.signature.model import Signature, Type
from jitffi.types.table import row


def given(ty: Type, alias: str | None = None) -> str:
    """Return the annotation of what is passed for *ty*; *alias* is the name of a callback's type.

    >>> from jitffi.signature.model import TYPES, optional
    >>> given(TYPES["u8"]), given(optional(TYPES["cstr"])), given(TYPES["ptr"])
    ('int', 'str | None', 'Address')
    """
    inner = ty.inner if ty.is_optional else ty
    if inner.name == "inout":
        return given(inner.args[0])
    if inner.name == "array":
        return "Memory | None" if ty.is_optional else "Memory"
    if inner.name == "tensor":
        return "Any"
    if inner.name == "ptr":
        return "Address" if _is_address(inner) else "Memory | None" if ty.is_optional else "Memory"
    if ty.is_optional and ty.inner.signature is not None:
        return f"{alias or callable_type(ty.inner.signature)} | int | None"
    return _value(ty)


def got(ty: Type) -> str:
    """Return the annotation of what comes for *ty*.

    >>> from jitffi.signature.model import TYPES, optional
    >>> got(TYPES["void"]), got(TYPES["f32"]), got(TYPES["ptr"])
    ('None', 'float', 'int | None')
    """
    if ty.name == "ptr" and _is_address(ty):
        return "int | None"
    if ty.is_optional and ty.inner.signature is not None:
        return f"{callable_type(ty.inner.signature)} | None"
    return _value(ty)


def results(sig: Signature) -> str:
    """Return the annotation of what a call gives: the result, and what comes back beside it.

    >>> results(Signature.parse("(x: f64, exponent: out[i32]) -> f64"))
    'tuple[float, int]'
    """
    parts = [got(sig.result)] if sig.result.name != "void" else []
    parts += [got(p.type.args[0]) for p in sig.params if p.type.name in ("out", "inout")]
    return "None" if not parts else parts[0] if len(parts) == 1 else f"tuple[{', '.join(parts)}]"


def callable_type(sig: Signature) -> str:
    """Return the annotation of a callback: native code gives its arguments, and gets its result.

    >>> callable_type(Signature.parse("(ptr, i32) -> void"))
    'Callable[[int | None, int], object]'
    """
    params = ", ".join(got(p.type) for p in sig.params)
    return f"Callable[[{params}], {'object' if sig.result.name == 'void' else given(sig.result)}]"


def _is_address(ty: Type) -> bool:
    """Whether nothing is known of what a pointer points at."""
    return not ty.args or bool(ty.args[0].name == "void")


def _value(ty: Type) -> str:
    if ty.is_optional:
        return f"{_value(ty.inner)} | None"
    return row(ty).gives.replace("numpy.typing.", "").replace("typing.", "")


def used_names(texts: Sequence[str]) -> set[str]:
    """Return which of the names that need an import occur in annotations."""
    names = ("Address", "Any", "Callable", "Memory", "NDArray")
    return {name for name in names if any(re.search(rf"\b{name}\b", text) for text in texts)}
