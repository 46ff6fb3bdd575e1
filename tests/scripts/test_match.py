"""`match` beside CPython: each kind of pattern, with values of each kind."""

# ruff: noqa: E501

from __future__ import annotations

import array
import collections
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


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def __repr__(self) -> str:
        return f"Point({self.x!r}, {self.y!r})"


class Failing:
    __match_args__ = ["bad"]

    def __repr__(self) -> str:
        return "Failing()"

    @property
    def bad(self) -> int:
        raise ValueError("bad")


class Color:
    RED = "red"


def anything(v):
    match v:
        case [1, [x, *_], {"k": [y, z]}]:
            return x, y, z
        case [Point(x=w), *rest]:
            return w, rest
        case {"p": Point(x, y), **named}:
            return x, y, named
        case Point(x=0, y=0) | Point(0, 3):
            return "axis"
        case Point(x, y) if x == y:
            return x
        case Color.RED | "c":
            return "color"
        case () | [_]:
            return "short"
        case [a, *middle, b]:
            return a, middle, b
        case set(s) | frozenset(s):
            return s
        case bytearray() | dict():
            return "bytes"
        case object(bad=1):
            return None
        case object():
            return "object"


def failing(v):
    match v:
        case Failing(1):
            return 1
        case Point(1, 2, 3) | Point(1, x=2):
            return 2
        case pytest(1):
            return 3


def known(a, b):
    match (a, b):
        case (0, _):
            return 1
        case (int(), str() as text):
            return text
        case [x, [y, z]]:
            return x, y, z


ANYTHING: list[Any] = [
    *VALUES, Point(0, 0), Point(0, 3), Point(2, 2), Point(1, 2), Failing(), [1, [2, 3], {"k": (4, 5)}], {"p": Point(1, 2), "q": 3}, [Point(1, 2), 5], "red", (),
    [1], range(3), range(0), {1}, frozenset(), bytearray(b"ab"), collections.deque([1, 2, 3]), collections.OrderedDict(p=Point(1, 2)),
    collections.ChainMap({"p": Point(3, 4)}), array.array("i", [1, 2]), 2**70, int, 1j,
]  # fmt: skip


@pytest.mark.parametrize("function", [anything, failing])
def test_patterns_of_any_objects(function: Any) -> None:
    script = jitffi.script(function)
    for value in ANYTHING:
        assert outcome(script, (value,)) == outcome(function, (value,)), value
    assert "left to the interpreter" not in script.inspect_types()


def test_parts_are_any_objects() -> None:
    script = jitffi.script(known)
    for a in (0, 1, "a", 2.5):
        for b in (0, "t", [4, 5], (6, 7), [1], None, range(2)):
            assert outcome(script, (a, b)) == outcome(known, (a, b)), (a, b)
    assert "left to the interpreter" not in script.inspect_types()
