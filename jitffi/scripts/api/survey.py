"""What becomes of a function as a script: native, native in part, or left to the interpreter, and where and why."""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from jitffi.base.errors import ScriptError
from jitffi.base.fork_locks import IMPORTS, LLVM
from jitffi.base.off_thread import run
from jitffi.scripts.analysis import objects
from jitffi.scripts.api import left
from jitffi.scripts.api.program import Dependencies
from jitffi.scripts.api.script import Script, script

if TYPE_CHECKING:
    from collections.abc import Iterator

State = Literal["native", "in part", "left"]


class Survey(NamedTuple):
    """Of one function: "native", "in part" with the lines that Python's own objects do, "left" to the interpreter with
    the line that is the reason."""

    name: str
    line: int
    state: State
    #: Line and what is said of it.
    why: tuple[tuple[int, str], ...]


def survey(made: Script) -> Survey:
    """Read and infer it for arguments of any types; nothing is compiled."""
    code = getattr(made.__wrapped__, "__code__", None)
    place = made.__name__, 0 if code is None else code.co_firstlineno
    why = left.reason(made)
    if why is None:
        try:
            found = run(_python_lines, made)
            return Survey(*place, "in part" if found else "native", tuple(sorted(found.items())))
        except ScriptError as error:
            why = error
    return Survey(*place, "left", ((why.lineno or 0, why.msg),))


def _python_lines(made: Script) -> dict[int, str]:
    with IMPORTS, LLVM:
        from jitffi.scripts.api import compiling

        trees = compiling.typed(0, Dependencies(made._given))
    return {line: ", ".join(said) for line, said in objects.by_python(next(iter(trees.values()))).items()}


# -- whole modules ----------------------------------------------------------------------------------------------------


def functions_of(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The functions and scripts that a module defines itself, by their names in it."""
    for name, value in list(vars(module).items()):
        function = value.__wrapped__ if isinstance(value, Script) else value
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
