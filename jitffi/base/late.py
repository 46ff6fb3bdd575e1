"""Modules that are loaded when something of them is first asked for, and those that a folder has."""

from __future__ import annotations

import gc
import os
import sys

from jitffi.base.fork_locks import IMPORTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class late:
    """Stands for the module *name*. What is taken from it stays here, so that it costs an attribute from then on."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, attribute: str) -> Any:
        with IMPORTS:
            value = getattr(__import__(self.__name__, fromlist=[attribute]), attribute)
        setattr(self, attribute, value)
        return value


class Uncollected:
    """Modules are not garbage: looking for some takes a tenth of the time that many take to load."""

    __slots__ = ("_collects",)

    def __enter__(self) -> None:
        self._collects = gc.isenabled()
        gc.disable()

    def __exit__(self, *raised: object) -> None:
        if self._collects:
            gc.enable()


def found_in(package: str) -> list[str]:
    """Return the names of the modules in the folders of a package, in alphabetical order; none where it is in an
    archive."""
    found: list[str] = []
    for folder in sys.modules[package].__path__:
        try:
            found += [name[:-3] for name in os.listdir(folder) if name.endswith(".py")]
        except OSError:
            continue
    return sorted(found)
