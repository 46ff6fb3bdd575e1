"""Containers of results that a script asks for numbers, texts and tuples stay native until it returns.

What Python gets is what it would have: contents, order, sharing."""

from __future__ import annotations

from typing import Any

import pytest

import jitffi
from tests.support import leaks


def counted(text: str) -> Any:
    found: Any = {}
    for word in text.split():
        n, total = found.get(word[:1], (0, 0.5))
        found[word[:1]] = n + 1, total + len(word)
    return found


def table(n: int) -> Any:
    cells = [[0] * n for _ in range(n)]
    for i in range(1, n):
        for j in range(1, n):
            cells[i][j] = cells[i - 1][j - 1] + i * j % 7
    return cells, n


def by_name(n: int) -> Any:
    found = {"a": 0}
    rows = [[1.5] for _ in range(n)]
    for i in range(n):
        found["a"] += 1
        rows[i][0] += found["a"]
    return {"found": found, "rows": rows, "n": n, "new": [n]}


def changed_at_last(n: int) -> Any:
    found = {"a": 0}
    for _ in range(n):
        found["a"] += 1
    try:
        return {"found": found, "n": n}, [found]
    finally:
        found["b"] = -1


def shared(n: int) -> Any:
    rows = [[0] * n for _ in range(n)]
    for i in range(n):
        rows[i][i] += 1
    named = {"rows": rows, "first": rows[0]}
    return [rows, rows[0], named]


def early(n: int) -> Any:
    found: Any = {}
    if n < 0:
        return found
    for i in range(n):
        found[i % 3] = found.get(i % 3, 0) + i
    if n > 3:
        return found, n
    return found


def numbers(n: int) -> Any:
    found = [i * i for i in range(n)]
    total = sum(found[:3])
    return [total, found]


def changed_behind(n: int) -> Any:
    found, named = list(range(n + 2)), {"a": 1}
    named["a"] += n
    if n == 1:
        return found, found.pop(), named, named.pop("a")
    if n == 2:
        return [found, named, named.setdefault("b", found.pop())]
    return {"found": found, "named": named, "last": found.pop(), "a": named.pop("a")}


CASES: dict[Any, list[Any]] = {
    counted: ["to be or not to be é日 été", ""],
    table: [0, 1, 6],
    by_name: [0, 3],
    changed_at_last: [0, 3],
    shared: [1, 3],
    numbers: [0, 5],
    changed_behind: [0, 1, 2],
    early: [-1, 0, 2, 9],
}


def _identities(value: Any) -> list[int]:
    """Of each list and dict in it, in order, which of them it is."""
    seen: dict[int, int] = {}
    found, waiting = [], [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (list, dict)):
            found.append(seen.setdefault(id(each), len(seen)))
        if isinstance(each, (list, tuple, dict)):
            waiting += each.values() if isinstance(each, dict) else each
    return found


@pytest.mark.parametrize("function", CASES, ids=lambda each: each.__name__)
def test_they_are_pythons(function: Any) -> None:
    script = jitffi.script(function)
    for given in CASES[function]:
        got, expected = script(given), function(given)
        assert repr(got) == repr(expected) and _identities(got) == _identities(expected)
    before = leaks.live_objects()
    script(CASES[function][-1])
    assert leaks.live_objects() == before


def test_what_is_asked_for_has_a_type() -> None:
    script = jitffi.script(by_name)
    script(2)
    assert "found: dict[str, int]" in script.inspect_types() and "rows: list[list[float]]" in script.inspect_types()


def kept(items: Any, n: int) -> Any:
    total = items[0] + n
    return {"items": items, "total": total}


def test_what_the_caller_has_comes_back() -> None:
    script, given, plain = jitffi.script(kept), jitffi.List([1, 2]), [1, 2]
    assert script(given, 1)["items"] is given and script(plain, 1)["items"] is plain
