"""Random scripts give what Python gives: results and exceptions, and nothing stays alive."""

from __future__ import annotations

import copy
import linecache
import math
import os
import random
from typing import Any

import pytest

import jitffi
from tests.scripts.random_language import arguments as arguments_of
from tests.scripts.random_language import program_of
from tests.scripts.random_programs import TYPES, Program, value
from tests.support.leaks import assert_nothing_stays

COUNT = int(os.environ.get("JITFFI_FUZZ_CASES", "16"))
FIRST = int(os.environ.get("JITFFI_FUZZ_SEED", "0"))
#: Calls of each program, with values of their own.
CALLS = 4


def compiled(source: str, name: str) -> Any:
    """The function, as Python has it; its source is found by its file's name."""
    filename = f"<{name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    scope: dict[str, Any] = {}
    exec(compile(source, filename, "exec"), scope)
    return scope[name]


def plain(value: Any) -> Any:
    return value.to_python() if hasattr(value, "to_python") else value


def outcome(function: Any, arguments: list[Any]) -> tuple[str, Any]:
    try:
        return "result", plain(function(*copy.deepcopy(arguments)))
    except Exception as error:
        return type(error).__name__, str(error)


def same(a: Any, b: Any) -> bool:
    """Equal, and of the same types; a NaN is like another, and zeros have their signs."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, float):
        return math.isnan(a) and math.isnan(b) or a == b and math.copysign(1, a) == math.copysign(1, b)
    return bool(a == b)


def large(value: Any) -> bool:
    """Whether an int of more than 64 bits is in it."""
    if isinstance(value, (list, tuple)):
        return any(map(large, value))
    if isinstance(value, dict):
        return any(map(large, value.values()))
    return type(value) is int and not -(1 << 63) <= value < 1 << 63


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_random_script_does_what_python_does(seed: int) -> None:
    program = Program(seed)
    function = compiled(program.source, program.name)
    script = jitffi.script(function)
    calls = [program.arguments() for _ in range(CALLS)]
    for arguments in calls:
        kind, wanted = outcome(function, arguments)
        got_kind, got = outcome(script, arguments)
        if got_kind == "OverflowError" and (kind != got_kind):
            continue  # an intermediate number was too large, which is documented
        described = f"{program.source}\n\n{arguments}\nPython: {kind} {wanted!r}\nscript: {got_kind} {got!r}"
        assert kind == got_kind, described
        assert kind != "result" or same(wanted, got), described
    assert_nothing_stays(lambda: [outcome(script, arguments) for arguments in calls])


def of_unknown_types(program: Program) -> str:
    """The program, whose parameters are items of one list: nothing is known of them."""
    head, *lines = program.source.split("\n")
    given = [f"    p{i} = q[{i}]" for i in range(len(program.types))]
    return "\n".join([head.partition("(")[0] + "(q):", *given, *lines])


@pytest.mark.parametrize("seed", range(FIRST + 10000, FIRST + 10000 + COUNT // 2))
def test_random_script_of_unknown_types_does_what_python_does(seed: int) -> None:
    """Some arguments are of another type than the program was made for: errors are Python's, word by word."""
    program = Program(seed)
    rng = random.Random(seed)
    source = of_unknown_types(program)
    function = compiled(source, program.name)
    script = jitffi.script(function)
    for call in range(CALLS):
        arguments = program.arguments()
        if call % 2:
            arguments[rng.randrange(len(arguments))] = rng.choice((value(rng, rng.choice(TYPES)), None, [], {}, ()))
        kind, wanted = outcome(function, [arguments])
        got_kind, got = outcome(script, [arguments])
        if (got_kind == "OverflowError" and kind != got_kind) or "no % of text" in str(got):
            continue
        described = f"{source}\n\n{arguments}\nPython: {kind} {wanted!r}\nscript: {got_kind} {got!r}"
        assert kind == got_kind, described
        assert same(wanted, got), described


def module_of(source: str, name: str) -> tuple[dict[str, Any], Any]:
    """A module of its own, and the function."""
    filename = f"<{name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    scope: dict[str, Any] = {"__name__": name}
    exec(compile(source, filename, "exec"), scope)
    return scope, scope[name]


def all_that_happens(scope: dict[str, Any], function: Any, given: list[Any]) -> tuple[Any, ...]:
    """Result or exception, with its cause; the arguments afterwards; and what the module notes."""
    scope["noted"], given = 0, copy.deepcopy(given)
    try:
        found = ("result", function(*given))
    except Exception as error:
        cause, context = type(error.__cause__).__name__, type(error.__context__).__name__
        found = (type(error).__name__, (str(error), cause, context, error.__suppress_context__))
    return (*found, given, scope["noted"])


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT // 4))
def test_random_script_of_the_whole_language_does_what_python_does(seed: int) -> None:
    program = program_of(seed)
    plain_scope, function = module_of(program.source, program.name)
    scope, given = module_of(program.source, program.name)
    script = jitffi.script(given)
    calls = [arguments_of(program) for _ in range(CALLS)]
    for each in calls:
        wanted = all_that_happens(plain_scope, function, each)
        got = all_that_happens(scope, script, each)
        if got[0] == "OverflowError" and wanted[0] != got[0]:
            continue  # an int beyond 64 bits, where the call could not be made again
        described = f"{program.source}\n\n{each}\nPython: {wanted!r}\nscript: {got!r}"
        assert wanted[0] == got[0] and all(map(same, wanted[1:], got[1:])), described
    assert_nothing_stays(lambda: [all_that_happens(scope, script, each) for each in calls])
