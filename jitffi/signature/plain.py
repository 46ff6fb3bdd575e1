"""The types that take no others, by their names: those of the package, and those that only the rows know."""

from __future__ import annotations

from jitffi.signature.model import TYPES, Type, readers


def plain_types() -> list[Type]:
    """Return all of them."""
    for name in readers.other_names():
        TYPES[name] = Type(name)
    return list(TYPES.values())


def plain(name: str) -> Type | None:
    """Return the type of that name, or None.

    >>> plain("f64"), plain("f65"), plain("optional")
    (Type('f64'), None, None)
    """
    found = TYPES.get(name)
    if found is None and name in readers.other_names():
        found = TYPES[name] = Type(name)
    return found
