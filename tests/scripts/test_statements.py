"""Statements, choices, variables and calls of scripts, beside CPython. PYTEST_DONT_REWRITE: of `assert`, too."""

# ruff: noqa

from __future__ import annotations

import pytest

import jitffi
from tests.scripts import alike
from tests.scripts.alike import cases

TEXTS = [("",), ("a",), ("Hello",), ("aé" * 3,), ("банан и ещё",), ("😀x😀",), ("x" * 50,), ("aé" * 40,)]
VALUES = [0, 5, 1.5, "", "abc", "é" * 30, None, True, [], [1], (), (1, 2), {}, {"a": 1}, b"", b"xyz"]
ONE = [(v,) for v in VALUES]
TWO = [(a, b) for a in VALUES for b in VALUES]

# -- conditions and loops


@cases(*[(n,) for n in range(8)])
def branches(a):
    if a > 5:
        x = "large"
    elif a > 3:
        x = "middle"
    elif not a:
        return None
    else:
        x = "small"
    return x


@cases(*[(n,) for n in range(8)])
def loops(a):
    i = 0
    seen = []
    while True:
        i += 1
        if i > a:
            break
        if i % 2:
            continue
        seen.append(i)
        a -= 1
    else:
        return -1
    while i > 3:
        i -= 1
    else:
        seen.append(99)
    return [i, seen]


@cases(*[(n,) for n in range(8)])
def nested(n):
    r = []
    for i in range(n):
        if i == 2:
            continue
        if i == 5:
            break
        for j in range(i):
            if j > 1:
                break
            r.append(i * j)
        else:
            r.append(-1)
    else:
        r.append(99)
    return r


@cases(("a b x stop c",), ("Привет x мир",), ("",))
def leaves_loops(s):
    out = []
    for w in s.split():
        if w == "stop":
            return out
        t = w.upper()
        if t == "X":
            continue
        out.append(t + w)
    return out


@cases(*ONE)
def asserts(x):
    assert x, "not " + str(x)
    assert not x, [1, x]


@cases(*ONE)
def raises(x):
    raise ValueError(x)


@cases((3,), (None,), ([1, (2, "é")],), ({"a": 1},), ("",), ("1",), ("a\0b",), ("é\0",), (b"b",), (2.5,))
def raises_what_is_no_message(x):
    if x == 3:
        raise StopIteration(x)
    if x == "1":
        raise KeyError("1")
    if isinstance(x, list):
        raise KeyError(x)
    raise OSError(x)


@cases((0,), (1,), (2,), (3,), (4,))
def raises_kinds(n):
    if n == 0:
        raise IndexError
    if n == 1:
        raise KeyError("gone")
    if n == 2:
        raise StopIteration()
    if n == 3:
        raise RuntimeError("with é")
    raise NotImplementedError("plain")


@cases((0,), (5,))
def unreachable(x):
    while True:
        if x:
            return "out"
        x += 1
    return "never"


# -- variables


@cases((0,), (5,))
def unbound(x):
    if x:
        y = 1
    return y


@cases((0, 1), (5, 1), (5, 0))
def unbound_text(x, z):
    if x:
        y = "text" * 10
    if z:
        return y + "!"
    return y


@cases(*TEXTS)
def swaps(s):
    a, b = s, s.lower()
    a, b = b, a
    a, b, c = b + "x", a, b
    return [a, b, c]


@cases(*TEXTS)
def parts(s):
    t = s[1:3]
    u = t + "x"
    t = u
    v = s.strip()
    v = v[1:]
    w = v or t
    return [t, u, v, w, t + s]


@cases(*TEXTS)
def outlives_its_text(s):
    best = ""
    for word in s.split():
        part = word.strip("a")
        if len(part) > len(best):
            best = part
    s = s[1:]
    return [best, s, best if s else "none"]


@cases(*TEXTS)
def best_of_own_text(s):
    best = s
    for word in s.upper().split():
        best = word
    for ch in s:
        best = best + ch if ch != "x" else ch
    return best


@cases(*[(s[0], n) for s in TEXTS for n in (0, 3, 20)])
def grows(s, n):
    r = ""
    for i in range(n):
        r += s
        r += "."
    return r


@cases(*[s for s in TEXTS if len(s[0]) > 1])
def doubles(s):
    x = s
    while len(x) < 40:
        x = x + x[1:] + "é"
    return x


@cases(*TEXTS)
def changes_type(s):
    x = None
    if s:
        x = s.upper()
    if len(s) > 4:
        x = len(s)
    if len(s) > 9:
        x = [x, s]
    return x


@cases(*TWO)
def moves(a, b):
    t = a
    a = b
    b = t
    u = a
    return [u, a, b, t]


@cases(*ONE)
def chained(x):
    a = b = c = x
    return [a, b, c]


# -- unpacking


@cases(((1, 2),), ((1,),), ((1, 2, 3),), ([1, 2],), ("ab",), ({"a": 1, "b": 2},))
def unpack(p):
    a, b = p
    return [b, a]


@cases(((1, 2),), ((1,),), ((1, 2, 3, 4),), ([1, 2, 3],), ("abcd",), ({"a": 1, "b": 2},))
def unpack_star(p):
    a, *b, c = p
    return [a, b, c]


@cases((((1, 2), 3),), ([["p", "q"], 3],), (("pq", 3),), (((1, 2, 3), 3),))
def unpack_nested(p):
    (a, b), c = p
    return [a, b, c]


@cases((5,), ("q",))
def targets_from_the_left(n):
    l = [0, 0, 0]
    i = 0
    i, l[i] = 1, n
    l[i + 1], l[0] = l[0], 5
    return l


@cases(([1, 2, 3],), ([1.5, 2.5, "a"],))
def items(l):
    l[0], l[1] = l[1], l[0]
    x = l
    x[0] += 1
    x[1] *= 2
    x += [3]
    l[1:2] = [7, 8]
    del l[0]
    l[:1] += [9]
    return l


# -- values of several ways


@cases(*TWO)
def choices(a, b):
    return [a if b else b, a or b, a and b, not a, a is None]


@cases(*TWO)
def chosen_containers(a, b):
    return a if b else [a]


@cases(*TEXTS)
def chosen_text(s):
    c = "x" if len(s) > 2 else s
    d = s.upper() if len(s) > 2 else c
    e = d or c
    f = s and s[0] or "none"
    return [c, d, e, f, "a" if s else b"a"]


@cases((1, 2, 3), (1, 3, 2), (1.0, 2, 2.5), ("a", "b", "c"), ("a", 1, 2))
def chain(a, b, c):
    return a < b < c


# -- scripts that call


def _length(s, start=0, extra="!"):
    if start >= len(s):
        return extra
    return _length(s, start + 1, extra + s[start])


@cases(*TEXTS)
def recursive(s):
    return _length(s) + _length(s, 1) + _length(s, extra="é")


def _even(n):
    return True if n == 0 else _odd(n - 1)


def _odd(n):
    return False if n == 0 else _even(n - 1)


@cases((0,), (7,), (100,))
def mutually(n):
    return [_even(n), _odd(n)]


def _sum(n):
    if n == 0:
        return []
    return _sum(n - 1) + [n]


@cases((0,), (7,))
def recursive_list(n):
    return _sum(n)


def _fails(x):
    raise ValueError(x)


@cases(*ONE)
def calls_what_fails(x):
    _fails(x)
    return 1


def _two(s, t):
    return t + "!", s


@cases(*TEXTS)
def returns_tuples(s):
    a, b = _two(s, "x")
    a, b = _two(a, b)
    return [a, b, _two(a, b)[0]]


def double(x):
    return x * 2


@cases((double, 3), (double, "é"), (len, "abc"))
def calls_values(f, x):
    return [f(x), f(x)]


@pytest.mark.parametrize("function", alike.functions(globals()), ids=lambda f: f.__name__)
def test_statement(function):
    alike.check(function)


def _deeper(n):
    return _deeper(n + 1)


def test_errors_of_codecs_know_the_place():
    @jitffi.script
    def coded(text):
        return text.encode("ascii") if isinstance(text, str) else text.decode()

    with pytest.raises(UnicodeEncodeError) as caught:
        coded("aéé")
    assert caught.value.args == ("ascii", "aéé", 1, 3, "ordinal not in range(128)")
    with pytest.raises(UnicodeDecodeError) as caught:
        coded(b"a\xff")
    assert caught.value.args == ("utf-8", b"a\xff", 1, 2, "invalid start byte")


def test_endless_recursion_is_an_error():
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        jitffi.script(_deeper)(0)


def test_annotations_are_promises_of_strict_scripts():
    @jitffi.script(strict=True)
    def declared(x: int) -> str:
        y: float = x
        return str(y)

    assert declared(3) == "3.0"
    assert declared(True) == "1.0"
    with pytest.raises(TypeError, match="'x': expected int, got str 'a'"):
        declared("a")

    @jitffi.script(strict=True)
    def broken(x: int) -> str:
        return x

    with pytest.raises(TypeError, match="'result': expected str, got int 3"):
        broken(3)


@pytest.mark.parametrize("pad", [0, 1, 15, {"a": 3, "*": 2, "[]": 4}])
def test_pads_change_nothing(pad):
    script = jitffi.script(swaps, pad=pad)
    for arguments in TEXTS:
        assert alike.outcome(script, arguments) == alike.outcome(swaps, arguments)
