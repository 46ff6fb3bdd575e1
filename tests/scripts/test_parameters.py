"""Parameters of all kinds, defaults, and stars in calls, beside CPython: bound from Python, and between scripts."""

# ruff: noqa: E501

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import pytest

import jitffi
from tests.scripts.many import function_of, outcome
from tests.support import leaks

HEADS = [
    "*args", "**kwargs", "*args, **kwargs", "a, *args", "a, b=2, *args, **kwargs", "*, k", "*, k=1, j", "a, /, b, *, c=3",
    "a, b=2, *, c, d=4", "a, /, *args, k=5, **kwargs", "a, b=len, c=None", "a=(), *, k=len", "a, /, b=1, **kwargs", "a, b, c=3, *rest, x=1, y, **more",
]  # fmt: skip
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (args, kwargs)
    for args in [(), (1,), (1, "x"), (1, 2.5, None), (1, 2, 3, 4, [5])]
    for kwargs in [{}, {"a": 7}, {"b": 8}, {"k": 9}, {"c": [1], "d": 2}, {"z": "z", "k": 1}, {"j": 1, "k": 2}, {"y": 1}]
]


def names_of(head: str) -> str:
    return ", ".join([each.strip(" */").partition("=")[0] for each in head.split(",") if each.strip(" */")])


@pytest.mark.parametrize("head", HEADS)
def test_arguments_are_bound_as_in_python(head: str) -> None:
    function = function_of(f"def f({head}):\n    return [{names_of(head)}]\n", "f")
    script = jitffi.script(function, returns="python", strict=True)

    def both(each: Any) -> list[Any]:
        return [outcome(partial(each, *args, **kwargs), ()) for args, kwargs in CALLS]

    assert both(script) == both(function)
    before = leaks.live_objects()
    both(script)
    assert leaks.live_objects() == before


def test_more_parameters_than_a_frame_has_room_for() -> None:
    names = [f"p{i}" for i in range(20)]
    function = function_of(
        f"def f({', '.join(names)}, *args, k=1, **kwargs):\n    return [{', '.join(names)}, args, k, kwargs]\n", "f"
    )
    script = jitffi.script(function, returns="python", strict=True)
    for count, more in itertools.product((19, 20, 23), ({}, {"k": 2}, {"z": 3}, {"p19": 4})):
        found = [outcome(partial(each, *range(count), **more), ()) for each in (function, script)]
        assert found[0] == found[1]


def test_defaults_are_evaluated_once() -> None:
    @jitffi.script(strict=True)
    def same(x: Any, marker: Any = object) -> Any:
        return x, marker

    assert same(1, marker=2)[1] == 2
    assert same(1)[1] is object

    def called(x: Any, how: Any = len) -> Any:
        return how(x)

    assert jitffi.script(called, strict=True)("abc") == 3


class Held:
    value = 7


def test_a_default_is_any_object() -> None:
    held = Held()

    def value_of(x: Any, default: Any = held, *, other: Any = held) -> Any:
        return x.value + default.value, default, other.value

    script = jitffi.script(value_of)
    assert script(held) == value_of(held) and script(held)[1] is held
    assert script(held, Held, other=Held) == value_of(held, Held, other=Held)
    assert "left to the interpreter" not in script.inspect_types()


PROGRAM = """
def g(a, *rest, k=1, **more):
    return [a, rest, k, more]
def h(*items):
    return len(items), items
def o(a, /, b=2, *, c=3):
    return a, b, c
def kw(**more):
    return more
def f(t, x):
    return [
        g(t(1)), g(t(1), t(2), k=t(3)), g(1, *x, 5), g(*[1][:1] and (), 2) if 0 else 0, g(1, z=t(4), y=t(5)), g(k=t(1), a=t(2)),
        h(), h(*x), h(*x, *x), h(1, *(v for v in x)), o(1), o(1, 2, c=t(4)), o(t(1), c=t(2), b=t(3)), kw(), kw(a=1, b=t(2)), kw(**{"q": 1}, r=2),
        t(*[1]), t(*(v for v in [2])),
    ]
"""


def test_calls_between_scripts() -> None:
    scope: dict[str, Any] = {}
    function = function_of(PROGRAM.replace("g(*[1][:1] and (), 2) if 0 else 0, ", ""), "f", scope)
    script = jitffi.script(function, returns="python", strict=True)
    for items in ([], [1, "a"], (None,), "xy"):
        found = []
        for each in (function, script):
            notes: list[Any] = []

            def note(value: Any, notes: list[Any] = notes) -> Any:
                notes.append(value)
                return value

            found.append((outcome(each, (note, items)), notes))
        assert found[0] == found[1]
    before = leaks.live_objects()
    script(lambda value: value, [1, 2])
    assert leaks.live_objects() == before


def test_a_star_script_is_a_callable_of_others() -> None:
    @jitffi.script(strict=True)
    def count(*items: Any, scale: int = 1) -> Any:
        return len(items) * scale

    @jitffi.script(strict=True)
    def call(function: Any, items: Any) -> Any:
        return function(*items), function(1, *items, 2)

    assert tuple(call(count, [1, 2])) == (2, 4)


def passes(*args: Any, **kwargs: Any) -> Any:
    return args, kwargs


passes.__defaults__, passes.__kwdefaults__ = (1, 2), {"z": 3}


def negative(x: int, sign: int = -1) -> int:
    return x * sign


def first_negative(*args: int) -> int:
    return -args[0]


def keyed(xs: list[int]) -> Any:
    xs.sort(key=negative)
    return sorted(xs, key=first_negative), max(xs, key=negative), list(map(negative, xs)), passes(xs)


def test_functions_may_have_more_defaults_than_parameters_and_keys_more_parameters() -> None:
    assert jitffi.script(passes)(5) == passes(5)
    assert jitffi.script(keyed)([1, 3, 2]) == keyed([1, 3, 2])
    with pytest.raises(jitffi.ScriptError, match="the function of a key has one parameter"):
        jitffi.script(keyed, strict=True)


def spread(f: Any, args: Any, named: Any) -> Any:
    return f(*args, **named)


def test_what_stands_behind_two_stars_is_looked_at_first() -> None:
    assert outcome(jitffi.script(spread), (len, 3, 4)) == outcome(spread, (len, 3, 4))


class Method:
    def take(self, a: int, *, b: int = 1) -> int:
        return a + b


@pytest.mark.parametrize("call", [((), {}), ((None, 1, 2), {}), ((None, 1), {"c": 2}), ((None, 1), {"a": 2})])
def test_errors_of_methods_name_their_class(call: tuple[Any, dict[str, Any]]) -> None:
    script, (args, named) = jitffi.script(Method.take), call
    assert outcome(partial(script, **named), args) == outcome(partial(Method.take, **named), args)
