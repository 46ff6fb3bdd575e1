"""What the values promise, tried one promise at a time as somebody would who only read about them."""

from __future__ import annotations

from typing import Any

import pytest

from jitffi import List, Map, Tuple

NAN = float("nan")


# -- equality and order ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "pythons"),
    [
        (List([1, NAN, "a"]), [1, NAN, "a"]),
        (Tuple([1, NAN]), (1, NAN)),
        (Map({"a": NAN, NAN: 1}), {"a": NAN, NAN: 1}),
        (Map({"a": NAN}).items(), {"a": NAN}.items()),
        (List([[NAN], {"k": (NAN,)}]), [[NAN], {"k": (NAN,)}]),
    ],
    ids=["list", "tuple", "dict", "items", "nested"],
)
def test_a_nan_is_the_same_nan_as_in_pythons_containers(ours: Any, pythons: Any) -> None:
    assert ours == pythons and pythons == ours
    assert (ours != pythons) is False and (pythons != ours) is False


def test_a_nan_is_found_in_containers() -> None:
    items = List([1, NAN, 2, NAN])
    assert NAN in items and items.index(NAN) == 1 and items.count(NAN) == 2
    items.remove(NAN)
    assert items == [1, 2, NAN] and items < [1, 2, NAN, 0] and not items < [1, 2, NAN]
    assert items != [1, 2, 3.0] and items != [1, 2, -NAN]
    assert ("a", NAN) in Map(a=NAN).items() and Map({NAN: 1})[NAN] == 1
