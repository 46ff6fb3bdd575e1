"""Functions inside of functions, lambdas and nonlocal, beside CPython."""

# ruff: noqa: E501

from __future__ import annotations

import pytest

import jitffi
from tests.scripts.many import fresh, function_of, outcome
from tests.support import leaks

PROGRAMS = """
def f(n):
    out = []
    def walk(i, path):
        if i == n:
            out.append(path[:])
            return
        walk(i + 1, path)
        walk(i + 1, path + [i])
    walk(0, [])
    return out
## [(0,), (3,), ("x",)]
def f(items):
    count = 0
    best = None
    def see(x):
        nonlocal count, best
        count += 1
        if best is None or x > best:
            best = x
        return best
    for x in items:
        see(x)
    return count, best
## [([1, 3, 2],), ([],), (["b", "a"],), ([1, "a"],), (None,)]
def f(n):
    memo = {}
    def fib(k):
        if k in memo:
            return memo[k]
        if k < 2:
            return k
        memo[k] = fib(k - 1) + fib(k - 2)
        return memo[k]
    return fib(n), memo
## [(10,), (1,), (30,)]
def f(a, b):
    add = lambda x, y=2: x + y
    twice = lambda x: add(x, x)
    return add(a), add(a, b), twice(b), (lambda q: q * 2)(a)
## [(1, 2), ("a", "b"), ([1], [2]), (1.5, 2)]
def f(n):
    def even(k):
        return True if k == 0 else odd(k - 1)
    def odd(k):
        return False if k == 0 else even(k - 1)
    return [even(i) for i in range(n)]
## [(6,), (0,)]
def f(text):
    pos = 0
    def peek():
        return text[pos] if pos < len(text) else ""
    def take():
        nonlocal pos
        c = peek()
        pos += 1
        return c
    def number():
        n = 0
        while peek().isdigit():
            n = n * 10 + int(take())
        return n
    def factor():
        if peek() == "(":
            take()
            v = expr()
            take()
            return v
        return number()
    def term():
        v = factor()
        while peek() == "*":
            take()
            v = v * factor()
        return v
    def expr():
        v = term()
        while peek() == "+":
            take()
            v = v + term()
        return v
    return expr(), pos
## [("1+2*3",), ("(1+2)*(3+4)",), ("7",), ("",)]
def f(rows, n):
    def ok(i, j):
        return 0 <= i < len(rows) and 0 <= j < len(rows[i]) and rows[i][j] == n
    def fill(i, j):
        if not ok(i, j):
            return 0
        rows[i][j] = -1
        return 1 + fill(i + 1, j) + fill(i - 1, j) + fill(i, j + 1) + fill(i, j - 1)
    return [fill(i, j) for i in range(len(rows)) for j in range(len(rows[i]))], rows
## [([[1, 1, 0], [0, 1, 1]], 1), ([[1]], 2), ([], 0)]
def f(n):
    def down():
        nonlocal n
        n -= 1
        return n
    return [down() for _ in range(3)], n
## [(5,), (2.5,), ("a",)]
def f(x):
    def outer(y):
        total = x
        def inner(z):
            nonlocal total
            total += z + y
            return total
        inner(1)
        return inner(2) + x
    return outer(1), outer(2)
## [(1,), (2.5,), (None,)]
def f(xs):
    k = 0
    def key(v):
        return -v + k
    def big(v):
        return v > 1
    k = 10
    return sorted(xs, key=key), list(map(key, xs)), list(filter(big, xs)), max(xs, key=key, default=None), any(big(x) for x in xs)
## [([1, 3, 2],), ([],)]
def f(xs, a):
    def g(x, *rest, k=a, j=1, **more):
        return [x, rest, k, j, more]
    return g(1), g(1, 2, k=3), g(0, *xs, z=a), g(1, j=2)
## [([1, 2], 5), ([], "q")]
def f(x):
    if x:
        def g(y):
            return y + 1
        return g(x)
    return 0
## [(1,), (0,), ("a",)]
def f(n):
    r = []
    for i in range(n):
        def g(y):
            return y * i
        r.append(g(2))
        i += 1
        r.append(g(3))
    return r
## [(3,), (0,)]
def f(depth):
    def go(k):
        return go(k + 1)
    return go(depth)
## [(0,)]
def f(x):
    def fail(y):
        return 1 // y
    return [fail(v) for v in x]
## [([1, 2],), ([1, 0],), (["a"],)]
def f(s):
    def swap(i, j):
        s[i], s[j] = s[j], s[i]
    def perm(i):
        if i == len(s):
            found.append("".join(s))
            return
        for j in range(i, len(s)):
            swap(i, j)
            perm(i + 1)
            swap(i, j)
    found = []
    perm(0)
    return found
## [(["a", "b", "c"],), ([],)]
"""
SOURCES: list[tuple[str, str]] = []
for part in PROGRAMS.strip().split("]\ndef f"):
    text, _, rows = part.rpartition("\n## ")
    SOURCES.append((text if text.startswith("def f") else "def f" + text, rows if rows.endswith("]") else rows + "]"))


@pytest.mark.parametrize("number", range(len(SOURCES)))
def test_inner_functions_do_what_pythons_do(number: int) -> None:
    source, rows = SOURCES[number]
    function = function_of(source + "\n", "f")
    script = jitffi.script(function, returns="python", strict=True)
    for row in eval(rows):
        wanted, got = (outcome(each, fresh(row)) for each in (function, script))
        if wanted[0] == "RecursionError":
            wanted, got = (wanted[0], ""), (got[0], "")
        assert got == wanted, row
    before = leaks.live_objects()
    for row in eval(rows):
        outcome(script, fresh(row))
    assert leaks.live_objects() == before
