"""Enums of a library's cdef as classes of Python's: `IntEnum`, whose members are ints.

lib = jitffi.load_library("libshapes.so", cdef="enum color { RED, GREEN }; enum color next(enum color);")
lib.types.color.RED, lib.GREEN, lib.next(lib.RED)
"""

from __future__ import annotations

from enum import IntEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from jitffi.api.library import Library


def make(library: Library, name: str, members: Mapping[str, int]) -> type[IntEnum]:
    """Return the class of an enum. Members whose names Python's enums cannot have are not in it."""
    possible = {each: value for each, value in members.items() if _can_name(each)}
    cls = IntEnum(name, possible)  # type: ignore[misc]
    cls.__module__ = "jitffi"
    cls.__qualname__ = f"{library!r}.types.{name}"
    again = (library._name, library._cdef, name)
    cls.__reduce_ex__ = lambda self, protocol: (_again, (*again, self.value))  # type: ignore[assignment,method-assign]
    return cls


def _can_name(name: str) -> bool:
    return name != "mro" and not (name.startswith("_") and name.endswith("_"))


def _again(library: str | None, cdef: str, name: str, value: int) -> Any:
    """Unpickle a member."""
    from jitffi.api.library import load_library

    return getattr(load_library(library, cdef=cdef).types, name)(value)
