"""Symbols of Python's own objects that code of scripts refers to: constants and the names of attributes.

The symbol says all: a process that finds the code in the cache makes the object from it. `None`, `True` and `False` are
symbols of the interpreter's.
"""

from __future__ import annotations

import builtins
import marshal
import operator
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SINGLETONS = {None: "_Py_NoneStruct", True: "_Py_TrueStruct", False: "_Py_FalseStruct"}
_CONSTANT, _ATTRIBUTE, _BUILTIN = "python.constant.", "python.attribute.", "python.builtin."
#: All that code of this process refers to, for ever, by their symbols.
_kept: dict[str, object] = {}


def constant(value: Any) -> str:
    """Of what marshal can write."""
    if value is None or isinstance(value, bool):
        return _SINGLETONS[value]
    return _CONSTANT + marshal.dumps(value).hex()


def attribute(name: str) -> str:
    return _ATTRIBUTE + (name if name.isascii() else marshal.dumps(name).hex() + ".")


def builtin(name: str) -> str:
    """Of the builtin of that name."""
    return _BUILTIN + name


def address_of(symbol: str) -> int | None:
    """The address of the object; None for other symbols."""
    if not symbol.startswith("python."):
        return None
    found = _kept.get(symbol)
    if found is None:
        found = _kept.setdefault(symbol, _object(symbol))
    return id(found)


def _object(symbol: str) -> object:
    if symbol.startswith(_CONSTANT):
        return marshal.loads(bytes.fromhex(symbol.removeprefix(_CONSTANT)))
    if symbol.startswith(_BUILTIN):
        return operator.attrgetter(symbol.removeprefix(_BUILTIN))(builtins)
    name = symbol.removeprefix(_ATTRIBUTE)
    return sys.intern(marshal.loads(bytes.fromhex(name[:-1])) if name.endswith(".") else name)
