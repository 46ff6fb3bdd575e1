"""Filling the cache before programs run, as a build step of a container image does.

    module   imported; its bound functions, and scripts whose parameters all have types, are compiled
    program  run; what it calls is compiled, scripts for the types that it passes

A process that finds all it calls in the cache loads no LLVM.
"""

from __future__ import annotations

import os
import runpy
import sys
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from jitffi import _core
from jitffi.adapters import cache, code_store, tiers
from jitffi.api.functions import Function
from jitffi.api.library import Library
from jitffi.base.off_thread import run
from jitffi.scripts.api import dispatch, left
from jitffi.scripts.api.script import Script

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class Warmed(NamedTuple):
    """What is in the cache now: functions and scripts of modules; and the scripts that are not, since their types are
    what calls pass."""

    functions: list[str]
    scripts: list[str]
    untyped: list[str]


def warm(modules: list[str], program: str | None = None, arguments: list[str] | None = None) -> Warmed:
    """Compile what *modules* bind and define, and what *program*, a file that is run with *arguments*, calls.
    ValueError where there is no cache; raises what an import or the program raises, but SystemExit of 0."""
    if cache.directory() is None:
        raise ValueError("there is no cache to warm: JITFFI_CACHE_DIR is empty, or there is no home")
    done = Warmed([], [], [])
    untyped: dict[str, Script] = {}
    with _compiling_at_once():
        sys.path.insert(0, os.getcwd())
        for name in modules:
            _warm_module(name, done, untyped)
        if program is not None:
            _run_program(program, arguments or [])
        tiers.drain()
    for name, each in untyped.items():
        (done.scripts if each._variants else done.untyped).append(name)
    return done


@contextmanager
def _compiling_at_once() -> Iterator[None]:
    before = os.environ.get("JITFFI_COMPILE")
    os.environ["JITFFI_COMPILE"] = "now"
    try:
        yield
    finally:
        if before is None:
            del os.environ["JITFFI_COMPILE"]
        else:
            os.environ["JITFFI_COMPILE"] = before


def _run_program(path: str, arguments: list[str]) -> None:
    before, sys.argv = sys.argv, [path, *arguments]
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as error:
        if error.code:
            raise RuntimeError(f"{path} ended with {error.code}") from None
    finally:
        sys.argv = before


def _warm_module(module: str, done: Warmed, untyped: dict[str, Script]) -> None:
    for name, value in _values(import_module(module)):
        place = f"{module}.{name}"
        if isinstance(value, Script):
            if left.reason(value) is None:
                type_tags, is_known = dispatch.expected(value._given)
                if is_known:
                    value._make_variant(type_tags & (1 << 64) - 1, type_tags >> 64)
                    done.scripts.append(place)
                else:
                    untyped[place] = value
            continue
        function = _core.function_of(value)
        if isinstance(function, Function) and function._sig is not None:
            run(_compile, function)
            done.functions.append(place)


def _values(module: object) -> Iterator[tuple[str, Any]]:
    """What a module has by name, and the functions that its libraries declare."""
    for name in dir(module):
        value = getattr(module, name, None)
        if isinstance(value, Library):
            yield from ((f"{name}.{each}", getattr(value, each)) for each in value._of_cdef("functions"))
        else:
            yield name, value


def _compile(function: Function) -> None:
    request = function._request()
    if code_store.find(request) is None:
        tiers.improve(request, lambda better: None)
