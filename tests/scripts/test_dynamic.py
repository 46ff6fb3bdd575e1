"""Values whose type is known at run time only."""

# ruff: noqa

from __future__ import annotations

import pytest

from tests.scripts import alike
from tests.scripts.alike import cases

VALUES = [
    None, True, False, 0, 1, -7, 1023, 1024, 2**40, 0.0, -2.5, "", "a", "é", "abc", "a text that is longer than a slot", "中文", b"", b"ab",
    [], [1, "a"], [[1]], (), (1,), (1, "x"), {}, {"a": 1}, {1: [2]},
]  # fmt: skip
ALL = [(value,) for value in VALUES]
SOME = [None, True, 3, -2, 1.5, "a", "bc", b"b", [1], (1,), {"a": 1}]
PAIRS = [(a, b) for a in SOME for b in SOME]


@cases(*ALL)
def held(x):
    y = x
    z = [y, x]
    z.append(y)
    d = {"k": y}
    t = (x, y)
    y = None
    return [z, d, t, x]


@cases(*ALL)
def truth(x):
    if x:
        return 1
    return [not x, bool(x), x and 1, x or 2, 3 if x else 4]


@cases(*ALL)
def iterated(x):
    out = []
    for i in x:
        out.append(i)
    return out


@cases(*ALL)
def functions(x):
    return [len(x), list(x), tuple(x), [i for i in enumerate(x)], list(zip(x, x)), list(reversed(list(x)))]


@cases(*ALL)
def texts(x):
    return [str(x), repr(x), f"{x}", f"{x!r}", bool(x)]


@cases(*ALL)
def kinds(x):
    return [
        isinstance(x, int),
        isinstance(x, str),
        isinstance(x, (list, tuple)),
        isinstance(x, float),
        isinstance(x, bool),
        isinstance(x, dict),
        isinstance(x, bytes),
        x is None,
    ]


@cases(*ALL)
def largest(x):
    return [max(x), min(x), sorted(x), sum(x)]


@cases(*ALL)
def numbers(x):
    return [abs(x), -x, +x, round(x), float(x), int(x)]


@cases(*ALL)
def first(x):
    return x[0]


@cases(*PAIRS)
def added(a, b):
    return [a] + [a + b]


@cases(*PAIRS)
def multiplied(a, b):
    return [a] * 1 + [a * b]


@cases(*PAIRS)
def compared(a, b):
    return [a == b, a != b, a is b if a is None else 0, [a] == [b]]


@cases(*PAIRS)
def ordered(a, b):
    return [a < b, a >= b]


@cases(*PAIRS)
def contained(a, b):
    return a in b


@cases(*PAIRS)
def items(a, b):
    return a[b]


@cases(*PAIRS)
def added_in_place(a, b):
    c = a
    c += b
    return (a, c)


@cases(*[(a, b) for a, b in PAIRS if b not in ("bc",)])
def set_items(a, b):
    a[b] = 5
    return a


@cases(([1, 2], 1), ({"a": 1}, "a"), ({"a": [1]}, "a"), ({"a": "x"}, "a"), ((1, 2), 0), ([[1]], 0), (["x"], 0))
def augmented_items(x, i):
    y = x[i]
    x[i] += x[i]
    return [x, y]


@cases((1, {}), (5, 2), ({1: 2}, {}), (1.5, "a"), ({1: 2}, 2), (2, [1]))
def subtracted(a, b):
    a -= b
    return a


@cases(([1, 2], 1), ({"a": 1}, "a"), ({"a": 1}, "b"), ((1, 2), 0), ([1], 5), ("a", 0))
def deleted(x, i):
    del x[i]
    return x


@cases(([1, 2, 3, 4],), ("abcd",), ((1, 2, 3),), (b"abc",), (5,))
def slices(x):
    return [x[1:], x[:-1], x[::-1], x[1:3]]


@cases(([1, 2, 3, 4],), ("abcd",), ((1, 2, 3),))
def changed_slices(x):
    x[1:2] = [9, 9]
    del x[0]
    del x[2:]
    x[0] = "q"
    return x


# -- methods


@cases((["b", "a"],), (3,), ("x",), ({"a": 1},), (None,))
def list_methods(x):
    x.append("c")
    x.sort()
    x.insert(0, "long" * 10)
    return [x, x.pop(), x.index("b"), x.count("a")]


@cases(("Ab",), ([1],), (b"xY",), (5,), ("É",), (None,))
def lower(x):
    return [x.lower(), x.upper()]


@cases(("abc", "b"), ([1, 2], 2), ((1, 2), 2), (b"abc", b"c"), ([1], 9), ("abc", "z"), ((1,), "x"), (5, 5))
def index(x, y):
    return [x.index(y), x.count(y)]


@cases(({"a": 1},), ([1],), ("a",))
def dict_methods(x):
    out = []
    for k, v in x.items():
        out.append((k, v))
    for k in x.keys():
        out.append(k)
    return [out, list(x.values()), x.get("a"), x.get("b", 2), x.setdefault("c", []), x.pop("a"), x.copy()]


@cases(({"a": 1},), ([1, 2],), ("a",), ((1,),))
def pop_and_copy(x):
    y = x.copy()
    y.clear()
    return [y, x]


@cases(("a b",), (b"a b",), ([1],))
def split(x):
    out = []
    for w in x.split():
        out.append(w)
    return [out, x.replace(x[:1], x[2:]), x.strip(), x.find(x[1:2]), x.startswith(x[:1])]


@cases(([1, 2], [3]), ([1], "ab"), ({"a": 1}, {"b": 2}), ("a", ["x", "y"]))
def extended(x, y):
    x.extend(y)
    return x


@cases(([1, 2],), ((3, 4),), ("xy",), ({"a": 1, "b": 2},), (5,), ([1],))
def unpacked_in_a_loop(pair):
    out = []
    for a, b in [pair, pair]:
        out.append(a)
        out.append(b)
    return out


# -- variables that are now this, now that


@cases((0,), (1,), (2,), (3,), (4,))
def several_kinds(n):
    x = None
    if n == 1:
        x = 5
    elif n == 2:
        x = "text" * 10
    elif n == 3:
        x = [n]
    y = x
    if x is None:
        x = 2.5
    return [x, y, x == y]


def mixed_list():
    a = [1, "a", None, 2.5, True, [1], {"k": 2}, (1, 2), b"x"]
    a[0] = "zzz"
    a.append(None)
    out = []
    for x in a:
        if x is None:
            out.append("none")
        elif isinstance(x, str):
            out.append(x + "!")
        elif isinstance(x, int):
            out.append(x + 1)
        else:
            out.append(len(str(x)))
    return (a, out)


def kinds_in_a_loop():
    x = 0
    out = []
    for i in range(6):
        out.append(x)
        x = str(i) * 10 if i % 3 == 0 else [x] if i % 3 == 1 else i
    return [out, x]


@cases((3,), ("ab",), ([1],), (2.5,))
def doubled(x):
    return x + x


@cases((3,), ("ab",), ([1],), (2.5,))
def calls(x):
    return [doubled(x), doubled(doubled(x))]


@cases(
    (lambda a, b: a + b, 1, 2), (lambda a, b: a + b, "x", "y"), (lambda a, b: [a, b], [1], None), (lambda a: a, 1, 2)
)
def callables(f, a, b):
    return f(a, b)


def aliases():
    a = [1]
    d = {"l": a, "m": a}
    d["l"].append(2)
    x = [d, a, None]
    x[0]["n"] = x[1]
    x[1] = 5
    return [a, d, x]


@pytest.mark.parametrize("function", alike.functions(globals()), ids=lambda f: f.__name__)
def test_dynamic(function):
    alike.check(function)
