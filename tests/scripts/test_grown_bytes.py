"""bytes that `+=` grows, and numbers that count up to the last."""

from __future__ import annotations

import pytest

import jitffi
from tests.scripts import alike
from tests.scripts.alike import cases

MOST = 2**63 - 1


@cases((0, b"abc"), (1, b""), (5, b"abc"), (40, b"\xff"), (300, b"abc"))
def grow(n, piece):
    out = b""
    for i in range(n):
        out += piece
        if i % 3 == 0:
            out += b"\xfe"
    return out


@cases((0,), (1,), (4,), (9,))
def grow_and_keep(n):
    out = b"ab"
    old = out
    kept = []
    for i in range(n):
        old = out
        out += b"xy"
        out += out
        out += out[1:3]
        kept.append(out)
        kept.append(old)
        if i == 3:
            out = b"new"
    return [kept, out, old]


@cases((b"ab", "x"), (b"ab", 1), (b"", None))
def grow_wrongly(data, more):
    out = data
    out += b"z"
    out += more
    return out


@cases((["a", "b"], MOST - 1), ("a", MOST), ("", MOST), ([], -(2**63)), ("ab", -(2**63)), ("abc", -1))
def count(items, first):
    out = []
    for i, each in enumerate(items, first):
        out.append((i, each))
    out.append([pair for pair in enumerate(items, first)])  # noqa: C416
    return out


@pytest.mark.parametrize("function", alike.functions(globals()), ids=lambda f: f.__name__)
def test_as_python(function):
    alike.check(function)


def test_an_item_beyond_the_last_number():
    with pytest.raises(OverflowError, match="int of more than 64 bits"):
        jitffi.script(count, strict=True)("ab", MOST)
