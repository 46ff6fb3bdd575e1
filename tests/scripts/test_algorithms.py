"""Textbook functions as they are written, as scripts: results, exceptions and effects on arguments are Python's.

By default some of the files are run; JITFFI_ALGORITHMS=all runs each.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import pkgutil
import random
import sys
from types import FunctionType, ModuleType
from typing import Any

import algorithms
import pytest

import jitffi

NAMES = sorted(each.name for each in pkgutil.iter_modules(algorithms.__path__))
CHOSEN = NAMES if os.environ.get("JITFFI_ALGORITHMS") == "all" else NAMES[::6]


def twice(name: str) -> tuple[ModuleType, ModuleType]:
    """The module, and another one of the same file whose functions are scripts."""
    found = []
    for kind in ("plain", "script"):
        spec = importlib.util.spec_from_file_location(f"{kind}_{name}", f"{algorithms.__path__[0]}/{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module.__name__] = module
        spec.loader.exec_module(module)
        found.append(module)
    jitffi.script_module(found[1])
    return found[0], found[1]


def outcome(function: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    try:
        result = function(*arguments)
        result = list(result) if inspect.isgenerator(result) else result
        return type(result).__name__, repr(result), repr(arguments)
    except Exception as error:
        return type(error).__name__, str(error), repr(arguments)


@pytest.mark.parametrize("name", CHOSEN)
def test_functions_do_as_python_does(name: str) -> None:
    plain, script = twice(name)
    makers = {each.__name__: maker for each, maker in script.CALLS.items()}
    for function, maker in plain.CALLS.items():
        if maker is None:  # it never ends, or asks somebody
            continue
        for seed in range(4):
            wanted = outcome(function, maker(random.Random(seed)))
            found = outcome(getattr(script, function.__name__), makers[function.__name__](random.Random(seed)))
            if "object at 0x" not in str(wanted):
                assert found == wanted, (function.__name__, seed)
    for each in (plain, script):
        del sys.modules[each.__name__]


def test_most_are_native_at_least_in_part() -> None:
    from jitffi.scripts.api import survey

    states = []
    for name in CHOSEN[:3]:
        for each in vars(twice(name)[1]).values():
            if isinstance(each, jitffi.Script):
                states.append(survey.survey(each).state)
            elif isinstance(each, FunctionType):
                states.append("left")
    assert states.count("left") < len(states) / 2
