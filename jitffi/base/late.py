"""Modules that are loaded when something of them is first asked for."""

from __future__ import annotations

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
