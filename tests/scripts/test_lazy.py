"""Generator expressions, map, filter and next: gone through where they stand, beside CPython; order, early ends and errors."""

# ruff: noqa: E501

from __future__ import annotations

import copy
from typing import Any

import pytest

import jitffi
from tests.scripts.many import check, function_of, outcome
from tests.support import leaks

ROWS = [
    ([1, 2, 3],),
    ([],),
    ("abc",),
    ("",),
    ([0, ""],),
    ((1, (2,)),),
    ({"a": 1, "b": 2},),
    ([[1, 2], [3]],),
    (["x", "yy"],),
    (5,),
    (None,),
    ([1, "a"],),
    ([1.5, 2],),
    ([3, 1, 2, 9] * 3,),
    (b"ab",),
]
ENTRIES = [
    "any(x for x in a)",
    "all(x for x in a)",
    "any(x == 2 for x in a)",
    "all(x != 2 for x in a if x)",
    "sum(x for x in a)",
    "sum(1 for x in a)",
    "sum((x for x in a), 10)",
    "sum(len(x) for x in a)",
    "sum(x * 0.5 for x in a)",
    "min(x for x in a)",
    "max((x for x in a), default=None)",
    "max((len(x) for x in a), default=-1)",
    "max(x for x in a if x)",
    "sorted(x for x in a)",
    "sorted((x for x in a), reverse=True)",
    "list(x for x in a)",
    "tuple((x, x) for x in a)",
    "dict((x, 1) for x in a)",
    "dict((i, x) for i, x in enumerate(a))",
    "','.join(x for x in a)",
    "','.join(str(x) for x in a)",
    "''.join(x + y for x in a for y in a)",
    "r = []\nfor y in (x for x in a if x):\n    r.append(y)\nelse:\n    r.append('end')\nreturn r",
    "r = []\nfor y in ((x, z) for x in a for z in a):\n    if y[0] == 2: continue\n    r.append(y)\n    if len(r) > 4: break\nelse:\n    r.append('end')\nreturn r",
    "r = []\nfor i, y in enumerate(x for x in a):\n    r.append((i, y))\nreturn r",
    "list(zip((x for x in a), (y for x in a for y in range(2)), 'abcdefgh'))",
    "r = [0]\nr.extend(x for x in a)\nreturn r",
    "r = {}\nr.update((x, x) for x in a)\nreturn r",
    "[*(x for x in a if x), 1]",
    "[y for y in (x for x in (w for w in a))]",
    "k = 0\nr = []\nfor y in ((x, k) for x in a):\n    k += 1\n    r.append(y)\nreturn r",
    "sum(1 for x in a for y in a for z in a if x != y if y != z)",
    "any(x == y for x in a for y in a if x != y)",
    "sum(len(list(y for y in a if y != x)) for x in a)",
    "r = []\nfor y in (z for x in a for z in (w for w in a if w != x)):\n    r.append(y)\nreturn r",
    "[list(y for y in x) for x in a]",
    "all(isinstance(x, str) for x in a)",
    "max((x for x in a), key=lambda q: str(q))",
    "min((str(x) for x in a), key=len, default=3)",
    "z = 2\nreturn min(a, key=lambda q: (q == z, 0)), max(a, key=lambda q: q == z, default=z)",
    "z = 1\nreturn max((x for x in a), key=lambda q: str(q) * z, default=None), max(a, a, key=lambda q: len(a) * z)",
    "z = {1: 5}\nreturn min(a, key=lambda q: z.get(q, 2)), min([len(str(x)) for x in a], key=lambda q: abs(q - len(z)))",
    "r = []\nfor q in range(3):\n    r.append([q + z for z in (x for x in range(q) for y in range(x))])\nreturn r",
    "x = 5\nr = sum(1 for x in a)\nreturn x, r",
    "for y in (x for x in a):\n    return y\nreturn 'none'",
    "for y in (z for x in a for z in (x, x)):\n    for v in (u for t in a for u in a):\n        return y, v\nreturn 'none'",
    "set_ = {k: v for k, v in ((x, y) for x in a for y in a)}\nreturn set_",
    "sum(v for k, v in a.items())",
    "any(k == 'b' for k in a)",
    "sum(x for x in a if (y := x)), y",
    "list(zip((x for x in a), (x for x in a), strict=True))",
    "bytes(x for x in a)",
    "all(x for x in range(1, 100)), any(c == 'z' for c in 'abcz'), sum(i * i for i in range(1000))",
    "[sum(j for j in range(i)) for i in range(5)]",
    "{x: sum(1 for y in a if y == x) for x in a}",
    "'-'.join(sorted(c for c in a if c not in 'b'))",
    "max(x for x in a), max(y for x in a for y in a)",
    "tuple(x for x in a for y in enumerate(a) for z in zip(a, a))",
    "list(y for x in a for y in x.items())",
    "list(y for x in a for y in 'p q r'.split())",
    "list(y for x in a for y in reversed(range(3)))",
    "list((x, y) for x in a for y, z in zip('abc', [1, 2.5]) for w in range(3, 0, -2))",
]
MAPPED = [
    "list(map(lambda x: x * 2, a))",
    "list(map(lambda x, y: (x, y), a, 'pq'))",
    "sum(map(len, a))",
    "list(map(str, a))",
    "'-'.join(map(str, a))",
    "list(filter(None, a))",
    "list(filter(lambda x: x == 1, a))",
    "sorted(map(repr, a))",
    "r = []\nfor x in map(str, a):\n    r.append(x)\nreturn r",
    "list(map(str.upper, a))",
    "r = dict(map(lambda x: (x, 1), a))\nreturn r",
    "next((x for x in a if x), 'none')",
    "next(iter(a), 7)",
    "next(x for x in a)",
    "next((x for x in a for y in a if y), None)",
    "any(map(lambda c: c == 1, a))",
    "max(map(str, a), default='q')",
    "str.upper(a)",
    "str.join('-', a)",
    "dict.fromkeys(a)",
    "dict.fromkeys(a, 0)",
    "r = []\nfor i, x in enumerate(map(str, a)):\n    r.append((i, x))\nreturn r",
    "list(map(int, map(str, a)))",
    "list(enumerate(filter(None, a), 5))",
    "list(zip(map(str, a), a))",
    "tuple(map(lambda p: p[0], a))",
    "k = 3\nreturn list(map(lambda x: (x, k), a))",
    "float.is_integer(a)",
    "int.bit_length(a)",
    "next(zip(a, a), None)",
    "next(enumerate(a), 1)",
]


@pytest.mark.parametrize("first", range(0, len(ENTRIES + MAPPED), 8))
def test_each_item_is_made_as_in_python(first: int) -> None:
    check((ENTRIES + MAPPED)[first : first + 8], "a", ROWS, strict=True)


#: `t` notes what it is given, and gives it back.
_NOTED = """
def f(t):
    return any(t(x) for x in [0, 2, 3])
def f(t):
    return all(t(x) for x in t([1, 0, 3]))
def f(t):
    for y in (t((x, z)) for x in t([1, 2]) for z in t([3, 4]) if t(z) == 4):
        t("body")
        if y[0] == 2:
            break
def f(t):
    return sum(t(x) for x in [1, 2]), max(t(x) for x in [1, 3, 2]), min((t(x) for x in [2, 1]), key=lambda v: -v)
def f(t):
    z = t(2)
    return min((t(x) for x in [3, 1, 2]), key=lambda v: t(-v) * z), max([4, 6], key=lambda v: t(v % z))
def f(t):
    return [*(t(x) for x in [1, 2]), t(9)], list(zip((t(x) for x in [1, 2]), (t(x) for x in [5, 6, 7]))), t(8)
def f(t):
    return next((t(x) for x in t([1, 2, 3]) if t(x) > 1), t("default"))
def f(t):
    r = []
    for i, x in enumerate(map(t, [4, 5])):
        r.append(t((i, x)))
    return r
def f(t):
    items = [1]
    items.extend(t(x) + 1 for x in items if x < 4)
    return items
def f(t):
    for x in filter(t, [0, 1, 2]):
        for y in (t((x, v)) for v in (w for w in [7, 8])):
            if y[1] == 8:
                return y
def f(t):
    return "".join(t(c) for c in "abc"), sorted(t(c) for c in "cab"), dict((t(k), t(v)) for k, v in [(1, 2), (3, 4)])
def f(t):
    return sum(t(x) for x in [1, 2, "x", 3])
def f(t):
    return max((t(x) for x in ["b", "c", "a"]), key=t), min(t(x) for x in ["b", "a", "c"]), max((t(x) for x in [2, None, 3]), default=t(4))
def f(t):
    return [max((t(w) for w in ws), default=t("none")) for ws in [["x", "yy"], [], ["zzzzzzzzzzzzzzzzzzzzzzzz"]]], sum(t(x) for x in [1, 2.5, True])
def f(t):
    return any(t(x) // (x - 2) > 5 for x in [1, 2, 3])
"""
NOTED = _NOTED.split("\ndef ")[1:]


@pytest.mark.parametrize("number", range(len(NOTED)))
def test_the_order_is_pythons(number: int) -> None:
    function = function_of("def " + NOTED[number] + "\n", "f")
    script = jitffi.script(function, strict=True, returns="python")
    found = []
    for each in (function, script):
        notes: list[str] = []

        def note(value: Any, notes: list[str] = notes) -> Any:
            notes.append(repr(value.to_python() if hasattr(value, "to_python") else value))
            return value

        found.append((outcome(each, (note,)), notes))
    assert found[1] == found[0]
    before = leaks.live_objects()
    outcome(script, (lambda value: value,))
    assert leaks.live_objects() == before


def f_keyword(a, z):
    return min(a, key=lambda q: q * z, reverse=True)


def f_default(a, z):
    return max(a, key=lambda q: q * z[0], default=z.pop()), z


def f_binds(a, z):
    y = 5
    return max(a, key=lambda q: (y := q * z)), y  # noqa: F841  # the lambda has its own


def f_two(a, z):
    return max(a, a, key=lambda q: q[0] * z, default=3)


@pytest.mark.parametrize("function", [f_keyword, f_default, f_binds, f_two])
def test_what_a_lambda_of_min_cannot_be_is_left_to_python(function):
    for given in (2, [1, 2]):
        found = [outcome(each, ([3, 1], copy.copy(given))) for each in (jitffi.script(function), function)]
        assert found[0] == found[1]
