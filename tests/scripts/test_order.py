"""What is evaluated first where two things fail: as in Python, the method before its arguments, and what a loop goes
through in the function that the loop is in."""

from __future__ import annotations

from typing import Any

import pytest

import jitffi


def numbers(n):
    yield from range(n % 7)


def known_method(p):
    if not p:
        y = 1
    return p.replace("x", y)


def unknown_method(p):
    return p.foo(p[7])


def named_argument(p):
    return p.foo(k=p[7])


def of_text(p):
    if not p:
        y = 1
    return "a".foo(y)


def of_float(p):
    s = len(p) * 2.0
    if not p:
        y = 1
    return s.bit_length(y)


def of_list(p):
    s = [str(p)]
    return s.keys(p[7])


def gone_through(p):
    if not p:
        v = 1

        def add(x):
            nonlocal v
            v += x
            return v

        add(1)
    return next((x for x in [x * -1 for x in list(numbers(v)) if x > 2] if x > 3), 0)


FUNCTIONS = (known_method, unknown_method, named_argument, of_text, of_float, of_list, gone_through)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("argument", [[1], (1,), {1: 2}, b"a"], ids=repr)
def test_the_same_error(function: Any, argument: Any) -> None:
    found = []
    for each in (function, jitffi.script(function)):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            each(argument)
        found.append((caught.type, str(caught.value)))
    assert found[0] == found[1]
