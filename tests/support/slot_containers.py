"""Containers of all kinds, and what functions do to them, in Python and on slots."""

from __future__ import annotations

import random
from ctypes import c_void_p
from typing import Any

from support.slots import VIEW, Packed, check, native, outcome, view

ITERABLES: list[Any] = [
    "",
    "abc",
    "aé日😀",
    b"",
    b"\x00ab",
    [],
    [3, 1, 2],
    ["b", "a", "é"],
    [1, "a"],
    [None, 1],
    (),
    (2, 1.5),
]
ITERABLES += [
    {},
    {"a": 1, "b": 2},
    [[1, 2], (3, 4), "ab"],
    [(1, 2), (1, 3)],
    [[1], [2, 3]],
    [1, [2]],
    [True, 0, 2.5, 2**63],
]
ITERABLES += [[{}, {}], [[2], [1]], ["x" * 50, "a" * 30], [(1, "a"), (1, 2)], [([], 1)], [0.1] * 10, [1e16, 1, -1e16]]
OTHERS: list[Any] = [None, 5, 1.5, True]
VALUES = ITERABLES + OTHERS
KEYS: list[Any] = [0, 1, -1, 5, "a", "é", "zz", None, 1.0, (1, "x"), [], {}, ([],), 2**63, True, b"a", -4]


def with_object(name: str, container: Any, *arguments: Any, out: str = "slot", seed: int = 0) -> tuple[Any, Any]:
    """The outcome of a function whose first argument is the object itself, and what the object holds then."""
    packed = Packed(container, random.Random(seed))
    result = native(name, c_void_p(packed.slot.word), *arguments, out=out, seed=seed)
    after = view(packed.slot)
    packed.release()
    return result, after


def changed(container: Any, change: Any) -> tuple[Any, Any]:
    """The same of Python's own."""
    copy = container.copy() if isinstance(container, (list, dict)) else container
    return outcome(lambda: change(copy)), copy


def compare(expected: tuple[Any, Any], actual: tuple[Any, Any], what: str) -> None:
    check(expected[0], actual[0], what)
    if actual[1] is not VIEW:
        check((expected[1], "", ""), (actual[1], "", ""), f"{what}, afterwards")
