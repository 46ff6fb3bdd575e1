"""`match` beside CPython: each kind of pattern, with values of each kind."""

# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

import jitffi
from tests.scripts.many import function_of, outcome
from tests.support import leaks

PROGRAMS = """
def f(x):
    match x:
        case 0:
            return "zero"
        case 1 | 2 | "a":
            return "some"
        case None | True:
            return "single"
        case str() | bytes():
            return "text"
        case int(n) if n > 5:
            return "large", n
        case float(v):
            return v
        case _:
            return "other"
##
def f(x):
    match str(x).split():
        case []:
            return 0
        case ["go", where]:
            return where
        case ["go", *rest]:
            return rest
        case [first, *_, last]:
            return first, last
        case [one]:
            return [one]
##
def f(x):
    y = (x, [x, 2, 3], "q")
    match y:
        case (1, [a, *b], c):
            return a, b, c
        case (k, [_, 2 | 3 as z, w], "q" as t) if k:
            return k, z, w, t
        case (a, b, c):
            return c, b, a
    return "none"
##
def f(x):
    d = {"kind": "point", "x": x, "y": [1, 2]}
    match d:
        case {"kind": "line"}:
            return 0
        case {"kind": "point", "x": 0, **rest}:
            return rest
        case {"kind": "point", "x": int(a), "y": b}:
            return a, b
        case {"kind": k, "z": _}:
            return k
        case {}:
            return "any"
##
def f(x):
    n = 5
    match x:
        case n if n == 1:
            pass
        case [1] | (1, 2) if False:
            n = 7
        case -1 | 1.5 | "b":
            n = 8
    return n
##
def f(x):
    total = 0
    for v in [x, 1, "a", None, 2.5, (1,), True]:
        match v:
            case bool():
                continue
            case int() | float():
                total += v
            case None:
                break
            case other:
                total += len(str(other))
    else:
        total += 100
    return total
##
def f(x):
    match x, 1:
        case (a, b) | [b, a]:
            return a, b
##
def f(x):
    r = []
    def g(v):
        match v:
            case "a" | "b" as k:
                r.append(k)
            case _:
                r.append(0)
    for c in str(x):
        g(c)
    return r
"""
CASES = PROGRAMS.strip().split("\n##\n")
VALUES: list[Any] = [
    0,
    1,
    2,
    7,
    -1,
    True,
    None,
    "a",
    "b",
    "go home now",
    "go x",
    "p q r",
    "",
    1.5,
    b"x",
    [1],
    (1, 2),
    {"x": 1},
    0.0,
    [1, 2, 3],
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_patterns_fit_what_they_fit_in_python(number: int) -> None:
    function = function_of(CASES[number] + "\n", "f")
    script = jitffi.script(function, returns="python")
    compiled = 0
    for value in VALUES:
        assert outcome(script, (value,)) == outcome(function, (value,)), value
        compiled += "left to the interpreter" not in script.inspect_types()
    assert compiled or number in (2, 4)
    before = leaks.live_objects()
    for value in VALUES:
        outcome(script, (value,))
    assert leaks.live_objects() == before


def test_what_can_be_any_value_is_pythons() -> None:
    def f(items):
        match items[0]:
            case [a, b]:
                return a, b
        return None

    script = jitffi.script(f)
    assert script([range(2)]) == f([range(2)]) == (0, 1)
    assert "left to the interpreter" in script.inspect_types()
