"""Functions of a type func[...] that is told by its text, for the extension: what a struct's field of it reads, and
what a callable becomes that is written there, or into a container or an object."""

from __future__ import annotations

from functools import lru_cache

from jitffi.api.making import from_native, make
from jitffi.signature.text import parse_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jitffi.api.functions import Function
    from jitffi.signature.model import Signature


def at_address(type_text: str, name: str, address: int, kept: object) -> Callable[..., Any]:
    """Return what calls the C function there. *kept* is what Python has put there, which may be all that keeps it."""
    if kept is None:
        return _at_address(type_text, name, address)
    made: Callable[..., Any] = from_native(address, _signature(type_text), name, keep_alive=kept)._builtin()
    return made


@lru_cache(maxsize=256)
def _at_address(type_text: str, name: str, address: int) -> Callable[..., Any]:
    """The same. The last ones stay, since a field is often read again."""
    made: Callable[..., Any] = from_native(address, _signature(type_text), name)._builtin()
    return made


def of_callable(type_text: str, name: str, callable: Callable[..., Any]) -> Function:
    """Return a Function of that type that calls *callable*."""
    return make(name, _signature(type_text), "python", callable)


def template(type_text: str) -> Function:
    """Return a Function of that type without a callable, which the extension copies for each callable that becomes a
    function object of the type."""
    return make(type_text, _signature(type_text), "python", None, entry=False)


def _signature(type_text: str) -> Signature:
    found = parse_type(type_text).signature
    assert found is not None  # of a type func[...]
    return found
