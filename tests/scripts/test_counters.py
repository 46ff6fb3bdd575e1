"""Ints that loops count: which need no check for 64 bits, and that all others keep it."""

from __future__ import annotations

from typing import Any

import pytest

import jitffi

MOST = 2**63 - 1


def counted(text: str, n: int) -> Any:
    found, i, end = 0, 0, len(text)
    while i < end:
        j = text.find("a", i)
        if j < 0:
            break
        found += 1
        i = j + 1
    for k, ch in enumerate(text):
        found -= ch == text[k - 1]
    for k in range(3, len(text), 2):
        end = max(k - 2, end)
    return found, i, end - 1


def from_parameters(text: str, n: int) -> Any:
    m = n
    for _ in text:
        m += 1
    i = 0
    for i in range(n, n + 1 if n < 5 else n):
        i += 1
    return m, i, n - 1


def summed(text: str, n: int) -> Any:
    total, last = 1, 0
    for _ in text:
        total += total
        last = total
        last += 1
    return total, last


def shared(text: str, n: int) -> Any:
    found = [0]
    a = b = 0
    for _ in text:
        a, b = b + 1, a - 1
        found[0] += a
    if (c := n) and text:
        c += 1
    return a, b, c, found


def boxed(text: str, n: int) -> Any:
    count = 0

    def step(by: int) -> None:
        nonlocal count
        count = by

    step(n)
    count += 1
    return count


@pytest.mark.parametrize("function", [counted, from_parameters, summed, shared, boxed], ids=lambda f: f.__name__)
@pytest.mark.parametrize("text", ["", "banana", "a" * 62, "ab" * 40, "ä" * 70])
@pytest.mark.parametrize("n", [0, 1, MOST, MOST - 3, -MOST - 1])
def test_ints_are_pythons(function: Any, text: str, n: int) -> None:
    assert jitffi.script(function)(text, n) == function(text, n)


def test_what_is_counted_is_not_checked() -> None:
    script = jitffi.script(counted)
    script("banana", 1)
    assert "with.overflow" not in script.inspect_llvm()
