"""The library that a module is for: found by name, loaded to see which symbols it has."""

from __future__ import annotations

import os
from ctypes.util import find_library

from jitffi.api.library import Library, load_library


def beside(library: str, out: str | None) -> str:
    """Return the path *library* as seen from the folder of the module *out*; None: from here.

    Names without a slash, which are the loader's to find, and absolute paths are what they are.

    >>> beside("build/libown.so", "src/own.py"), beside("libm.so.6", "src/own.py"), beside("/lib/libm.so", None)
    ('../build/libown.so', 'libm.so.6', '/lib/libm.so')
    """
    if "/" not in library or os.path.isabs(library):
        return library
    path = os.path.relpath(library, os.path.dirname(os.path.abspath(out)) if out is not None else None)
    return path if "/" in path else f"./{path}"


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
