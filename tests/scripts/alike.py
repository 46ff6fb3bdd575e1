"""Scripts beside CPython: a function is run by both, and must give the same, fail the same, and leave nothing alive."""

from __future__ import annotations

import copy
import inspect

import jitffi
from tests.support import leaks


def cases(*arguments):
    """@cases((1, 2), (3, 4)): what a function is called with; without it once, with nothing."""

    def enter(function):
        function.cases = arguments
        return function

    return enter


def functions(namespace):
    """The functions of a test file that are to be compared, for parametrize."""
    own = [f for f in namespace.values() if inspect.isfunction(f) and f.__module__ == namespace["__name__"]]
    return [f for f in own if not f.__name__.startswith(("test_", "_", "double"))]


def plain(value):
    """With Python's own containers in place of ours."""
    if isinstance(value, (jitffi.List, jitffi.Map, jitffi.Tuple)):
        return value.to_python()
    return value


def described(value):
    """What `==` does not tell: 1 and True, 1 and 1.0, and NaN."""
    return type(value).__name__, repr(value)


def outcome(function, arguments):
    try:
        return described(plain(function(*arguments)))
    except Exception as error:
        return type(error).__name__, str(error), repr(error.args)


def check(function):
    """Assert that the script does what the function does, for all of its cases."""
    script = jitffi.script(function)
    given = getattr(function, "cases", [()])
    for arguments in given:
        expected = outcome(function, copy.deepcopy(arguments))
        assert outcome(script, copy.deepcopy(arguments)) == expected, arguments
    before = leaks.live_objects()
    for _ in range(3):
        for arguments in given:
            outcome(script, copy.deepcopy(arguments))
    assert leaks.live_objects() == before
