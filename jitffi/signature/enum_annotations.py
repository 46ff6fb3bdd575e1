"""Classes of Python's `enum` as annotations: what their members are to native code."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The classes of `X | Y` and of typing's.
UNIONS = ("UnionType", "_UnionGenericAlias", "Union")


def enumeration_of(annotation: Any) -> type | None:
    """The class of enum that values of an annotation are members of, beside None."""
    args = [each for each in getattr(annotation, "__args__", ()) if each is not type(None)]
    is_union = type(annotation).__name__ in UNIONS
    found = args[0] if len(args) == 1 and is_union else annotation
    return found if is_enumeration(found) else None


def is_enumeration(cls: Any) -> bool:
    return isinstance(cls, type) and type(cls).__name__ in ("EnumMeta", "EnumType")


def enumerated(cls: Any) -> str:
    """The type of what members of an enumeration are to native code, which all of them have to have."""
    values = [each.value for each in cls.__members__.values()]
    if issubclass(cls, int) or (values and all(type(each) is int and -(2**63) <= each < 2**63 for each in values)):
        return "i64"
    return "str" if issubclass(cls, str) or (values and all(type(each) is str for each in values)) else "any"
