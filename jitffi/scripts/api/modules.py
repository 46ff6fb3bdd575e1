"""Whole modules whose functions become scripts."""

from __future__ import annotations

from types import FunctionType, ModuleType

from jitffi.scripts.api import left
from jitffi.scripts.api.script import Script, script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def functions_of(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The functions and scripts that a module defines itself, by their names in it."""
    for name, value in list(vars(module).items()):
        function = value._given.function if isinstance(value, Script) else value
        if isinstance(function, FunctionType) and function.__module__ == module.__name__:
            yield name, value


def script_module(name: str | ModuleType, **options: Any) -> ModuleType:
    """Make scripts of all functions that a module defines, in their places; return the module.

    *name* is imported if it has to be; it can be a module, too. Functions that cannot be compiled by their looks alone,
    generators say, stay what they are, and so does what is a script already. *options* are those of `jitffi.script`.

    Raises what the import raises, and what `jitffi.script` does; TypeError for what is neither a name nor a module.

    >>> import jitffi
    >>> module = jitffi.script_module("textwrap")  # doctest: +SKIP
    >>> module.shorten("to be or not to be", 10)  # doctest: +SKIP
    'to [...]'
    """
    if isinstance(name, str):
        from importlib import import_module

        name = import_module(name)
    if not isinstance(name, ModuleType):
        raise TypeError(f"script_module: expected a module or its name, got {type(name).__name__}")
    for each, value in functions_of(name):
        if not isinstance(value, Script) and left.is_plain(value):
            setattr(name, each, script(value, **options))
    return name
