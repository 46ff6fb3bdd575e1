"""Generator functions that a `for` of a script goes through, beside CPython: laziness, early ends, and effects in Python's
order."""

# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

import jitffi
from tests.scripts.many import function_of, outcome
from tests.support import leaks

COMMON = """
def count(t, n, step=1):
    i = 0
    while i < n:
        yield t(i)
        i += step
    t("end")
def words(t, n):
    for k in range(n):
        yield str(t(k)) * k
def pairs(t, items):
    for i, x in enumerate(items):
        for y in items[i + 1:]:
            yield x, y
def nested(t, items):
    for x in items:
        if isinstance(x, list):
            yield from count(t, len(x))
        else:
            yield x
    return t("returned")
def some(t, n):
    if n == 0:
        return
    yield t(1)
    if n == 1:
        return t("one")
    yield t(2)
    for k in range(n):
        if k == 3:
            break
        yield k
"""
PROGRAMS = """
def f(t, n):
    r = []
    for x in count(t, n):
        if x == 1:
            continue
        t(("body", x))
        r.append(x)
        if x == 3:
            break
    else:
        r.append("else")
    return r
##
def f(t, n):
    total = 0
    for a, b in pairs(t, list(range(n))):
        if a + b > 4:
            return t((a, b)), total
        total += a * b
    return total
##
def f(t, n):
    r = []
    for x in nested(t, [1, [2, 3], "a", n]):
        for y in count(t, 2):
            r.append((x, y))
            if y == 0 and x == 1:
                break
        else:
            continue
        r.append("broken")
    return r
##
def f(t, n):
    r = []
    for x in some(t, n):
        r.append(x)
    else:
        r.append("else")
    return r, x if n else None
##
def f(t, n):
    k = 10
    def around(m):
        i = k
        for j in range(m):
            yield i + j, k
    r = []
    for x, y in around(n):
        k += 1
        r.append((x, y, k))
    return r
##
def f(t, n):
    r = []
    for x in count(t, n, step=2):
        for x in count(t, n, 3):
            r.append(x)
        r.append(("outer", x))
    return r
##
def f(t, n):
    for x in count(t, n):
        t(10 // (2 - x))
    return "done"
##
def f(t, n):
    s = ""
    for x in count(t, n):
        w = str(x)
        s += w
        while len(s) > 3:
            s = s[1:]
            if s == "34":
                break
    return s
##
def f(t, n):
    return list(count(t, n)), tuple(count(t, n, 2)), sorted(count(t, n)), "-".join(words(t, n)), t("after")
##
def f(t, n):
    return any(count(t, n)), all(count(t, n)), any(x > 1 for x in count(t, n)), all(t(x) < 2 for x in count(t, n) if x != 1)
##
def f(t, n):
    k = 3
    return [x + k for x in count(t, n) if x], [(x, y) for x in count(t, n) for y in range(x)], {t(x): t(-x) for x in count(t, n)}
##
def f(t, n):
    return [[y for y in count(t, x)] for x in range(n)], [x for x in range(3) if any(y == x for y in count(t, n))]
"""
CASES = PROGRAMS.strip().split("\n##\n")


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_for_goes_through_a_generator(number: int) -> None:
    scope: dict[str, Any] = {}
    function_of(COMMON, "count", scope)
    function = function_of(CASES[number] + "\n", "f", scope)
    script = jitffi.script(function, returns="python", strict=True)
    for n in (0, 1, 2, 5, 7):
        found = []
        for each in (function, script):
            notes: list[str] = []

            def note(value: Any, notes: list[str] = notes) -> Any:
                notes.append(repr(value.to_python() if hasattr(value, "to_python") else value))
                return value

            found.append((outcome(each, (note, n)), notes))
        assert found[1] == found[0], n
    before = leaks.live_objects()
    for n in (0, 2, 7):
        outcome(script, (lambda value: value, n))
    assert leaks.live_objects() == before


def test_a_generator_function_is_one_for_python() -> None:
    scope: dict[str, Any] = {}
    count = jitffi.script(function_of(COMMON, "count", scope))
    made = count(lambda value: value, 3)
    assert next(made) == 0 and list(made) == [1, 2]


@pytest.mark.parametrize(
    "text, words",
    [
        ("def f(x):\n    for y in g(x): pass\ndef g(x):\n    yield x\n    yield from g(x)\n", "go through themselves"),
        ("def f(x):\n    for y in g(x): pass\ndef g(x):\n    z = yield x\n", "cannot be compiled along"),
        ("def f(x):\n    y = g(x)\n    return y\ndef g(x):\n    yield x\n", "f(x: any) -> object"),
        ("def f(x):\n    for y in g(*x): pass\ndef g(x):\n    yield x\n", "write them out"),
    ],
)
def test_what_is_refused(text: str, words: str) -> None:
    script = jitffi.script(function_of(text, "f"), strict=False)
    assert words in script.inspect_types()
