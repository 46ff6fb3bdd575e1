"""Python annotations for the types of signatures: what callers may pass, and what they get."""

from __future__ import annotations

from collections.abc import Sequence

from jitffi.signature.model import Signature, Type
from jitffi.types.table import row


def given(ty: Type, alias: str | None = None) -> str:
    """Return the annotation of what is passed for *ty*; *alias* is the name of a callback's type.

    >>> from jitffi.signature.model import TYPES, optional
    >>> given(TYPES["u8"]), given(optional(TYPES["cstr"])), given(TYPES["ptr"])
    ('int', 'str | None', 'Pointer')
    """
    if ty.name == "ptr":
        return "Pointer"
    if ty.is_optional and ty.inner.signature is not None:
        return f"{alias or callable_type(ty.inner.signature)} | int | None"
    return _value(ty)


def got(ty: Type) -> str:
    """Return the annotation of what comes for *ty*.

    >>> from jitffi.signature.model import TYPES, optional
    >>> got(TYPES["void"]), got(TYPES["f32"]), got(TYPES["ptr"])
    ('None', 'float', 'int | None')
    """
    if ty.name == "ptr":
        return "int | None"
    if ty.is_optional and ty.inner.signature is not None:
        return f"{callable_type(ty.inner.signature)} | None"
    return _value(ty)


def callable_type(sig: Signature) -> str:
    """Return the annotation of a callback: native code gives its arguments, and gets its result.

    >>> callable_type(Signature.parse("(ptr, i32) -> void"))
    'Callable[[int | None, int], object]'
    """
    params = ", ".join(got(p.type) for p in sig.params)
    return f"Callable[[{params}], {'object' if sig.result.name == 'void' else given(sig.result)}]"


def _value(ty: Type) -> str:
    # The only optional of C's, beside functions, is text.
    return f"{row(ty.inner).gives} | None" if ty.is_optional else row(ty).gives


def used_names(texts: Sequence[str]) -> set[str]:
    """Return which of the names that need an import occur in annotations."""
    return {name for name in ("Callable", "Pointer") if any(name in text for text in texts)}
