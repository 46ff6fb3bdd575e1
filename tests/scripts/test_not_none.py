"""`best is None or n > best`: behind the test a variable that was None at first is of its other type."""

from __future__ import annotations

import pytest

import jitffi
from tests.scripts import alike
from tests.scripts.alike import cases


@cases(([3, 5, 1],), ([],), ([-7],), ([2**63 - 1, -(2**63)],))
def largest(numbers: list[int]):
    best = None
    for n in numbers:
        if best is None or n > best:
            best = n
    return best


@cases(([3, 5, 1, 8, 2, 9], 0), ([3, 5, 1, 8, 2, 9], 1), ([], 0), ([0, -2, 4], 0))
def scan(numbers: list[int], k: int):
    best = None
    seen = []
    for n in numbers:
        if (best is None or n > best) and n % 2 == k:
            best = n
        other = best + 1 if best is not None else -1
        if not (best is None or n <= best):
            other += 5
        if best and best > 3:
            other += 100
        seen.append(other)
    return best, seen


@cases(([1.5, 2.5], True), ([1.5], False), ([], True))
def first_or_more(numbers: list[float], more: bool):
    best = None
    for n in numbers:
        best = n if best is None else best + n if more and best is not None else best
    return best


@cases((["a", "bcd", "éf"],), ([],))
def longest(words: list[str]):
    best = None
    last = None
    for w in words:
        if best is None or len(w) > len(best):
            best = w
        for ch in w:
            if last is None or ch > last:
                last = ch
    return best, last


@cases(([1, "a", 2],), (["a", "b"],), ([None, 1],), ([1.5, 2],))
def of_anything(values):
    best = None
    for each in values:
        if best is None or each > best:
            best = each
    return best


@cases((["a"], 1), ([], 2))
def several_types(words: list[str], n: int):
    best = None
    for w in words:
        best = w
    if best is None or n > 5:
        best = n
    return best is not None and best == n, best


@pytest.mark.parametrize("function", alike.functions(globals()), ids=lambda f: f.__name__)
def test_as_python(function):
    alike.check(function)


def test_the_comparison_is_of_numbers():
    script = jitffi.script(largest)
    script([1, 2])
    assert "jf_op_compare" not in script.inspect_llvm()
