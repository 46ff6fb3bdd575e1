"""An int is good where an annotation says float, whatever is known of it, and becomes one; a bool is good for both."""

from __future__ import annotations

from typing import Any

import pytest

import jitffi


def plain(value: Any) -> Any:
    return value.to_python() if hasattr(value, "to_python") else value


def exact(value: Any) -> Any:
    """The value with the types of all that is in it."""
    if isinstance(value, (list, tuple)):
        return type(value), [exact(each) for each in value]
    return type(value), value


def result_or(x: float) -> float:
    return 0 if x < 0 else x


def larger(x: float) -> float:
    return max(0, x)


def of_item(q):
    y: float = q[0]
    return y


def half(x: float):
    return x / 2, x


def passed_on(q):
    return half(q[0]), half(3), half(x=q[0])


def default(x: float = 2):
    return x


def targets(q):
    x: float = 0
    for x in q:  # noqa: B007
        pass
    y: float = 1
    y += q[0]
    return x, y


def items(xs: list[float]):
    total = 0.0
    for x in xs:
        total += x
    return xs[0], total, sum(xs), [x * 1 for x in xs], xs.pop()


def nested(xs: list[list[float]]):
    return xs[0][0], [y for x in xs for y in x]


def values(d: dict[str, float]):
    return d["a"], [x * 1 for x in d.values()], [x for _, x in d.items()], d.pop("a")


def pair(t: tuple[float, float]):
    a, b = t
    return t[0], a, b


def pairs(xs: list[tuple[float, str]]):
    return [a for a, _ in xs], xs[0][0]


@pytest.mark.parametrize(
    ("function", "argument", "wanted"),
    [
        (result_or, -1, 0.0),
        (result_or, 5, 5.0),
        (result_or, True, 1.0),
        (larger, -2, 0.0),
        (of_item, [3], 3.0),
        (of_item, [True], 1.0),
        (of_item, [1 << 63], 2.0**63),
        (passed_on, [3], ((1.5, 3.0), (1.5, 3.0), (1.5, 3.0))),
        (targets, [1, 2], (2.0, 2.0)),
        (items, [1, 2.5, True], (1.0, 4.5, 4.5, [1.0, 2.5, 1.0], 1.0)),
        (items, jitffi.List([2, 3]), (2.0, 5.0, 5.0, [2.0, 3.0], 3.0)),
        (nested, [[1], [2]], (1.0, [1.0, 2.0])),
        (values, {"a": 1}, (1.0, [1.0], [1.0], 1.0)),
        (pair, (1, 2), (1.0, 1.0, 2.0)),
        (pairs, [(1, "a")], ([1.0], 1.0)),
    ],
)
def test_an_int_becomes_a_float(function: Any, argument: Any, wanted: Any) -> None:
    assert exact(plain(jitffi.script(function, strict=True)(argument))) == exact(wanted)


def test_an_int_as_default_becomes_a_float() -> None:
    assert exact(jitffi.script(default, strict=True)()) == (float, 2.0)


def new_list() -> list[float]:
    return [1, 2.5, True]


def new_dict() -> dict[str, float]:
    made: dict[str, float] = {"a": 1}
    made["b"] = 2
    made.setdefault("c", 3)
    return [made[key] for key in "abc"]  # type: ignore[return-value]


def new_tuple() -> tuple[float, tuple[float, int]]:
    return 1, (2, 3)


def grown(n: int):
    xs: list[float] = []
    xs.append(n)
    xs.append(1.5)
    xs.insert(0, 7)
    xs[1] = 3
    return xs


def new_pairs() -> list[tuple[float, str]]:
    xs: list[tuple[float, str]] = [(1, "a")]
    xs.append((2, "b"))
    return xs


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (new_list, [1.0, 2.5, 1.0]),
        (new_tuple, (1.0, (2.0, 3))),
        (new_pairs, [(1.0, "a"), (2.0, "b")]),
    ],
)
def test_what_is_put_into_a_container_of_floats_becomes_one(function: Any, wanted: Any) -> None:
    assert exact(plain(jitffi.script(function, strict=True)())) == exact(wanted)


def test_what_is_put_into_a_grown_list_becomes_a_float() -> None:
    assert exact(plain(jitffi.script(grown, strict=True)(4))) == exact([7.0, 3.0, 1.5])


def whole(x: int):
    y: int = x
    return y


def whole_item(q):
    y: int = q[0]
    return y


def first_whole(xs: list[int]):
    return xs[0]


def test_a_bool_becomes_an_int() -> None:
    assert exact(jitffi.script(whole, strict=True)(True)) == (int, 1)
    assert exact(jitffi.script(whole_item, strict=True)([True])) == (int, 1)
    assert exact(jitffi.script(first_whole, strict=True)([True])) == (int, 1)


@pytest.mark.parametrize(
    ("function", "argument", "message"),
    [
        (result_or, "s", "result_or: 'x': expected float, got str 's'"),
        (of_item, [None], "of_item: 'y': expected float, got None"),
        (items, ["a"], "items: 'item': expected float, got str 'a'"),
        (whole_item, [1.0], "whole_item: 'y': expected int, got float 1.0"),
        (passed_on, ["x"], "passed_on: 'x': expected float, got str 'x'"),
        (pair, (1, "a"), "pair: 'item': expected float, got str 'a'"),
    ],
)
def test_what_is_no_number_is_refused(function: Any, argument: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        jitffi.script(function, strict=True)(argument)
    assert str(caught.value) == message


def second(t: tuple[int, int]):
    return t[1]


def second_of_item(q):
    t: tuple[int, int] = q[0]
    return t[1]


def second_in(q: list[tuple[int, int]]):
    return q[0][1]


def length_of_result(q) -> tuple[int, int]:
    return tuple(q[0])  # type: ignore[return-value]


@pytest.mark.parametrize("given", [(), (1,), (1, 2, 3)])
def test_a_tuple_of_another_length_than_its_annotation_is_refused(given: tuple[int, ...]) -> None:
    count = f"got tuple of {len(given)} item{'' if len(given) == 1 else 's'}"
    for function, argument in (
        (second, given),
        (second_of_item, [given]),
        (second_in, [given]),
        (length_of_result, [given]),
    ):
        with pytest.raises(TypeError, match=count):
            jitffi.script(function, strict=True)(argument)
    assert jitffi.script(second, strict=True)((1, 2)) == jitffi.script(second_in, strict=True)([(1, 2)]) == 2
