"""The types that take no others, by their names: those of the package, and those that only the rows know."""

from __future__ import annotations

from jitffi import _core
from jitffi.base.fork_locks import IMPORTS
from jitffi.signature.compound import is_type_key
from jitffi.signature.model import TYPES, Type, readers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: The least code of a type that a program has registered.
_FIRST_OF_PROGRAMS = 128


def plain_types() -> list[Type]:
    """Return all of them."""
    return [*TYPES.values(), *[Type(name) for name in readers.other_names()]]


def plain(name: str) -> Type | None:
    """Return the type of that name, or None.

    >>> plain("f64"), plain("f65"), plain("optional")
    (Type('f64'), None, None)
    """
    found = TYPES.get(name)
    return Type(name) if found is None and name in readers.other_names() else found


def object_type(name: str) -> Type | None:
    """Return the type of the objects whose type has the key *name*: with a dot in it, or registered; else None.

    >>> object_type("shop.Customer"), object_type("f65")
    (Type('instance', ('shop.Customer',)), None)
    """
    if not is_type_key(name):
        return None
    if _core.type_code(name) < _FIRST_OF_PROGRAMS and ("." not in name or _is_misspelt(name)):
        return None
    return Type("instance", (name,))


def meant(name: str, scope: Iterable[str]) -> str:
    """Guess the type meant by an unknown name: another language's word for one of ours, or one spelled alike."""
    with IMPORTS:
        from jitffi.base.errors import nearest
        from jitffi.signature.structs import keys
        from jitffi.types.table import row

    types = plain_types()
    words = {word: type_.name for type_ in types for word in row(type_).also} | {"Optional": "optional[T]"}
    names = [type_.name for type_ in types]
    return f"did you mean {words[name]!r}?" if name in words else nearest(name, (*names, "optional", *keys(), *scope))


def _is_misspelt(name: str) -> bool:
    """Whether a struct has nearly that key."""
    with IMPORTS:
        from jitffi.base.errors import nearest
        from jitffi.signature.structs import keys
    return bool(nearest(name, keys()))
