"""Displays and comprehensions of sets in scripts that Python gets, with Python's errors."""

from __future__ import annotations

from typing import Any

import pytest
from alike import outcome

import jitffi


def displays(x: Any) -> Any:
    return {1, x, *x}, {*x}, {x: {1, 2}, "k": [{x}]}, {1, 2, 3} & {2, 3, x}


def comprehensions(x: Any) -> Any:
    return {w[:1] for w in x.split()}, {(a, b) for a in x for b in x if a != b}, {frozenset({a, 1}) for a in x}


def constant(x: Any) -> Any:
    return x in {"ab", "cd"}, [c in {"a", "e"} for c in x], x not in {1, 2}, sum(c in {"a", "b"} for c in x)


def kept(x: Any) -> Any:
    seen = set()
    found = []
    for c in x:
        if c not in seen:
            seen.add(c)
            found.append(c)
    seen |= {1}
    return found, len(seen), seen == {*x, 1}


def unhashable(x: Any) -> Any:
    return {x, x[:1], [1]} if x == "ab" else {[c] for c in x}


def looked_up(x: Any) -> Any:
    return [x] in {1, 2}


@pytest.mark.parametrize("function", [displays, comprehensions, constant, kept, unhashable, looked_up])
def test_they_are_pythons(function: Any) -> None:
    script = jitffi.script(function)
    for text in ("ab", "hello world a b", "ä", ""):
        assert outcome(script, (text,)) == outcome(function, (text,))
    assert "left to the interpreter" not in script.inspect_types()


def test_effects_come_before_the_error() -> None:
    def f(noted: Any, x: Any) -> Any:
        return {noted(c) for c in x}

    for function in (f, jitffi.script(f)):
        seen: list[Any] = []

        def noted(value: Any, seen: list[Any] = seen) -> Any:
            seen.append(value)
            return [] if value == "b" else value

        with pytest.raises(TypeError, match="list"):
            function(noted, "abc")
        assert seen == ["a", "b"]
