"""Text of values that scripts only hold: what their own classes say, as in Python."""

from __future__ import annotations

import contextlib
import datetime
import decimal
import enum
import functools
import io
import pathlib
from typing import Any

import pytest

import jitffi


class Colour(enum.Enum):
    RED = 1


class Own:
    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"<{self.name}>"

    def __repr__(self) -> str:
        return "Own()"

    def __format__(self, spec: str) -> str:
        return f"{spec}|{self.name}"


class Callable(Own):
    def __call__(self) -> None: ...


class Named(type):
    def __str__(cls) -> str:
        return "a class"


class OfNamed(metaclass=Named): ...


class NoText:
    def __str__(self) -> str:
        return 3  # type: ignore[return-value]

    def __format__(self, spec: str) -> str:
        return 4  # type: ignore[return-value]


class Failing:
    def __str__(self) -> str:
        raise LookupError("no text")

    def __format__(self, spec: str) -> str:
        raise ZeroDivisionError(spec)


class Printing:
    def __str__(self) -> str:
        print("asked", end=";")
        return "printed"


class Surrogate:
    def __str__(self) -> str:
        return "\ud800"


VALUES = [
    pathlib.PurePosixPath("/a/ü"), decimal.Decimal("1.50"), datetime.date(2024, 5, 17), Colour.RED, Own("ü🙂"),
    Callable("x"), OfNamed, int, len, functools.partial(len), ValueError("x"), KeyError("k"), OSError(2, "no"), {1},
    range(3), bytearray(b"x"), 1 + 2j, NoText(), Failing(), Printing(), jitffi.DataType("float32"),
    jitffi.Device("cpu:0"),
]  # fmt: skip


def text(x):
    return str(x)


def field(x):
    return f"[{x}]"


def converted(x):
    return f"{x!s:>12}|{x!r}|{x!a}"


def inside(x):
    return str([x]), f"{[x, (x,)]}", str({1: x}), [str(y) for y in [x]][0]


def printed(x):
    print("a", x, "b", sep="-")


def annotated(x: object) -> str:
    return str(x) + f"{x}"


def formatted(x, spec):
    return f"{x:{spec}}"


def outcome(function: Any, *args: Any) -> tuple[Any, str]:
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        try:
            result = function(*args)
        except Exception as error:
            result = type(error), str(error)
    return getattr(result, "to_python", lambda: result)(), written.getvalue()


@pytest.mark.parametrize("function", [text, field, converted, inside, printed, annotated])
def test_text_is_what_the_class_of_a_value_says(function: Any) -> None:
    script = jitffi.script(function)
    for value in VALUES:
        assert outcome(script, value) == outcome(function, value), value.__class__


@pytest.mark.parametrize("spec", ["", "10", ".3f", "%d.%m.", "é🙂", "x"])
def test_format_is_what_the_class_of_a_value_says(spec: str) -> None:
    script = jitffi.script(formatted)
    for value in VALUES:
        assert outcome(script, value, spec) == outcome(formatted, value, spec), value.__class__


def raising(x):
    raise ValueError(x)


def asserting(x):
    assert x is None, x


@pytest.mark.parametrize("function", [raising, asserting])
def test_an_exception_keeps_the_object_that_it_is_raised_with(function: Any) -> None:
    script = jitffi.script(function)
    for value in VALUES:
        with pytest.raises((ValueError, AssertionError)) as caught:
            script(value)
        assert caught.value.args == (value,)


def test_a_lone_surrogate_is_an_error_where_text_is_made_of_a_value() -> None:
    with pytest.raises(UnicodeEncodeError):
        jitffi.script(text)(Surrogate())


def test_text_of_a_value_can_take_it_out_of_its_list() -> None:
    shared = jitffi.List()

    class Clearing:
        def __str__(self) -> str:
            shared.clear()
            return "gone"

        __repr__ = __str__

    @jitffi.script
    def first(items: list):
        return str(items[0]), repr(items), f"{items}"

    shared.append(Clearing())
    assert first(shared) == ("gone", "[]", "[]")
    shared.append([Clearing(), "x" * 40])
    assert first(shared)[0] == "[gone, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx']"


@jitffi.script(nogil=True)
def text_in_thread(x) -> str:
    return str(x) + f"{x}"


def test_text_of_a_value_without_the_lock() -> None:
    assert text_in_thread(Own("n")) == "<n>|n"


class Indexed:
    def __getitem__(self, index: int) -> str:
        return "abc"[index]


def test_join_goes_through_any_value() -> None:
    @jitffi.script
    def joined(q):
        return q[0].join(q[1])

    assert joined([",", {"a": 1}]) == joined([",", {"a"}]) == "a"
    assert joined([",", Indexed()]) == joined([",", iter("abc")]) == "a,b,c"
    with pytest.raises(TypeError, match="^can only join an iterable$"):
        joined([",", 5])
