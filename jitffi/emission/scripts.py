"""Scripts among what `emit` writes: their packed entries are code of their own, where a signature's call something.

entry packed                 the script's module, with __jf_name in it
entry c, python              the same, and an adapter of that convention that calls __jf_name
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from jitffi.base.errors import ArgumentError
from jitffi.base.symbol_names import PACKED_PREFIX

if TYPE_CHECKING:
    from types import ModuleType

    from jitffi.llvm.target import Target
    from jitffi.scripts.api.script import Script

_IN_FILE = ".py:"


def is_in_file(text: str) -> bool:
    """Whether a SIG is meant as a function in a Python file.

    >>> is_in_file("words.py:split"), is_in_file("f: (i64) -> i64")
    (True, False)
    """
    path, found, name = text.rpartition(_IN_FILE)
    return bool(found) and bool(path) and name.isidentifier()


def from_file(text: str) -> Script:
    """The script of `words.py:split`; a plain function is taken as one. The file is run as a module of its name."""
    path, _, name = text.rpartition(_IN_FILE)
    path += ".py"
    module = module_of(path)
    if not hasattr(module, name):
        raise ArgumentError(f"{path}: there is no {name!r} in it")
    from jitffi.scripts.api.script import script

    return script(getattr(module, name), strict=True)  # type: ignore[no-any-return]


def module_of(path: str) -> ModuleType:
    """A Python file, run as a module of its name. ArgumentError where it cannot be."""
    if not os.path.isfile(path):
        from jitffi.signature.signature_lists import MissingFile

        raise MissingFile(f"{path}: no such file")
    from importlib import util

    spec = util.spec_from_file_location(os.path.basename(path).removesuffix(".py"), path)
    if spec is None or spec.loader is None:
        raise ArgumentError(f"{path}: is no Python file")
    module = util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError:
        raise
    except Exception as error:  # the user's
        raise ArgumentError(f"{path}: cannot be imported: {type(error).__name__}: {error}") from error
    return module


def script_of(function: Any) -> Script | None:
    """The script that something is; None where it is none."""
    from jitffi.scripts.api.script import Script

    return function if isinstance(function, Script) else None


def check(script: Script) -> None:
    """ArgumentError for a script without a signature, ScriptError for one that is left to the interpreter."""
    from jitffi.scripts.api import left

    left.refuse(script)
    if script.signature is None:
        raise ArgumentError(
            f"the script {script.__name__} has no signature: annotate its parameters and its result, "
            f'or give it one, jitffi.script({script.__name__}, signature="...")'
        )


def text(name: str, script: Script, target: Target) -> str:
    """The IR of the module of a script: its packed entry, and what that needs."""
    from jitffi.scripts.api import compiling
    from jitffi.scripts.api.program import Dependencies

    signature = script.signature
    assert signature is not None
    around = Dependencies(script._given, strict=True)
    trees = compiling.typed(0, around)
    return compiling.text(trees, target, around, _symbol_of, PACKED_PREFIX + name, signature)


def _symbol_of(function: Any, what: str) -> str:
    """Of a native function that a script calls, which the file's user links with."""
    name: str = function.__name__
    if what != "code":
        raise ArgumentError(
            f"{name} is called through its function object, which no file has: only C functions of numbers and text, "
            "and global functions by get_global_func, can be called from emitted scripts"
        )
    return name
