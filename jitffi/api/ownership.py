"""What frees the values of types owned[...]: C functions, looked up when a function that gives such values is made."""

from __future__ import annotations

from jitffi import _core
from jitffi.api.library import Library, load_library
from jitffi.base.errors import nearest
from jitffi.signature.compound import owned_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.signature.model import Signature, Type


def give_releases(function: Any, sig: Signature, callee: str, owner: object, nogil: bool) -> None:
    """Tell a new Function what frees what it gives; *owner* is the library that it is of. AttributeError for a function
    that is not there, OSError for a library that cannot be loaded, TypeError where there is none, or no C callee."""
    name = function.__name__
    types = [(f"parameter {i}" + f" {p.name!r}" * (p.name is not None), p.type) for i, p in enumerate(sig.params, 1)]
    types.append(("result", sig.result))
    if callee != "c":
        which = next(type_ for _, type_ in types if owned_in(type_))
        raise TypeError(f"{name}: {which} is what C functions give to Python: no other function has it")
    libraries: dict[str, Any] = {"": owner}
    function._releases = libraries  # kept by what keeps the Function, as each pointer does
    addresses = tuple([_address(f"{name}: {what}", type_, libraries) for what, type_ in types])
    _core.set_releases(function, addresses, nogil)


def _address(what: str, type_: Type, libraries: dict[str, Any]) -> int:
    """Of the function that frees values of *type_*; 0 for a type whose values nobody has to free."""
    owned = owned_in(type_)
    if owned is None:
        return 0
    library_name, _, symbol = owned.args[1].rpartition(":")
    if library_name not in libraries:
        libraries[library_name] = load_library(library_name)
    library = libraries[library_name]
    if not isinstance(library, Library):
        raise TypeError(f"{what}: {type_}: there is no library to find {symbol} in: write LIBRARY:{symbol}")
    address: int | None = library._library.find(symbol)
    if address is not None:
        return address
    hint = nearest(symbol, library._of_cdef("functions"))
    message = f"{what}: {library!r} has no symbol {symbol!r}, which is to free it"
    raise AttributeError(f"{message}; {hint}" if hint else message, name=symbol, obj=library)
