"""Sorting makes the comparisons that list.sort makes, in its order: which shows where they are in no order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

import jitffi

NAN = float("nan")


class Counted:
    """Compared by value; all comparisons are written down."""

    log: list[tuple[int, int]]

    def __init__(self, value: float, number: int) -> None:
        self.value, self.number = value, number

    def __lt__(self, other: Counted) -> bool:
        self.log.append((self.number, other.number))
        return self.value < other.value


def lists() -> Iterator[list[Any]]:
    """Random ones, of all sizes at which something else happens, some with runs in them."""
    rng = random.Random(1)
    kinds = (
        lambda: rng.random(),
        lambda: float(rng.randrange(4)),
        lambda: NAN if rng.random() < 0.1 else rng.random(),
        lambda: rng.choice((1, 2.5, NAN, True, 3, -1e9, 1 << 53)),
        lambda: rng.choice((NAN, rng.randrange(9) / 2)),
    )
    for size in (2, 3, 5, 20, 63, 64, 65, 131, 200, 1000, 2100):
        for kind in kinds:
            made = [kind() for _ in range(size)]
            yield made
            yield sorted(made[: size // 2]) + sorted(made[size // 2 :], reverse=True)


def exact(values: Any) -> list[tuple[type, str]]:
    return [(type(each), repr(each)) for each in values]


@pytest.mark.parametrize("reverse", [False, True])
def test_list_sort_orders_nan_as_python(reverse: bool) -> None:
    for values in lists():
        made = jitffi.List(values)
        made.sort(reverse=reverse)
        assert exact(made) == exact(sorted(values, reverse=reverse))
        made = jitffi.List(values)
        made.sort(key=lambda x: x, reverse=reverse)
        assert exact(made) == exact(sorted(values, key=lambda x: x, reverse=reverse))


@pytest.mark.parametrize("reverse", [False, True])
def test_list_sort_makes_the_comparisons_of_python(reverse: bool) -> None:
    for values in lists():
        items = [Counted(value, i) for i, value in enumerate(values)]
        Counted.log = wanted = []
        expected = sorted(items, reverse=reverse)
        Counted.log = made = []
        ours = jitffi.List(items)
        ours.sort(reverse=reverse)
        assert [each.number for each in ours] == [each.number for each in expected]
        assert made == wanted


def test_keys_are_asked_for_in_the_order_of_the_items() -> None:
    asked: list[int] = []
    values = jitffi.List([3, 1, 2])
    values.sort(key=lambda x: (asked.append(x), x)[1], reverse=True)
    assert asked == [3, 1, 2]
    assert values == [3, 2, 1]


def in_place(items):
    items.sort()
    return items


def falling(items):
    return sorted(items, key=lambda x: x, reverse=True)


def extremes(items):
    return min(items), max(items), min(items[0], items[1]), max(items[0], items[-1], items[1]), min(items, key=abs)


def own_floats(items):
    found = [float(x) for x in items]
    result = sorted(found)
    found.sort(reverse=True)
    return [min(found), max(found)] + result + found


def ordered(items):
    return sorted(items)


@pytest.mark.parametrize("function", [ordered, in_place, falling, extremes, own_floats])
def test_scripts_sort_nan_as_python(function: Any) -> None:
    script = jitffi.script(function)
    for values in lists():
        assert exact(script(list(values))) == exact(function(list(values)))
