"""The library that a module is for: found by name, loaded to see which symbols it has."""

from __future__ import annotations

from ctypes.util import find_library

from jitffi.library import Library, load_library


class LibraryError(OSError):
    """A library that is nowhere, or cannot be loaded."""


def library_name(name: str) -> str:
    """Return what the module loads: a soname or path as it is, a short name as the loader's own.

    >>> library_name("libm.so.6"), library_name("./libown.so")
    ('libm.so.6', './libown.so')
    """
    if "/" in name or ".so" in name or name.endswith((".dylib", ".dll")):
        return name
    return find_library(name) or f"lib{name}.so"


def loaded(name: str) -> Library:
    """Load the library. LibraryError, which says what was tried.

    >>> loaded("libm.so.6")
    <jitffi.Library libm.so.6>
    """
    try:
        return load_library(name)
    except OSError as error:
        raise LibraryError(f"{name}: cannot be loaded: {error}") from None
