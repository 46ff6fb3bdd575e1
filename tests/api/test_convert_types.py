"""`jitffi.convert` with a type: the same answers as a function whose parameter has that type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional, Union

import pytest
from support.values import same

import jitffi
from jitffi.signature.plain import plain_types
from jitffi.types.table import row

TYPES = [type_ for type_ in plain_types() if type_.name != "void"]


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_values_and_refusals_are_those_of_a_function(type_):
    function = jitffi.function(f"({type_}) -> {type_}", name="convert")(lambda x: x)
    for value in row(type_).edge:
        got, expected = jitffi.convert(value, type_), function(value)
        assert type(got) is type(expected) and (same(got, expected) or got == expected), value
    for value, error in row(type_).refused:
        with pytest.raises(error) as ours:
            jitffi.convert(value, str(type_))
        with pytest.raises(error) as theirs:
            function(value)
        assert str(ours.value) == str(theirs.value), value


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (int, "i64"),
        (None, "null"),
        (type(None), "null"),
        (Any, "any"),
        (Optional[int], "optional[i64]"),  # noqa: UP045 - as people wrote it
        (Union[int, str], "i64 | str"),  # noqa: UP007
        (int | None, "optional[i64]"),
        (list[int], "list[i64]"),
        (dict[str, list[float]], "map[str, list[f64]]"),
        (tuple[int, str], "tuple[i64, str]"),
        (tuple[int, ...], "tuple[i64, ...]"),
        (jitffi.List[int], "list[i64]"),
        (jitffi.Map[str, int], "map[str, i64]"),
        (jitffi.DataType, "dtype"),
        (Callable[[int], int], "func[(i64) -> i64]"),
        (jitffi.u8, "u8"),
    ],
    ids=str,
)
def test_annotations_say_types(given, text):
    with pytest.raises((TypeError, OverflowError), match=r"convert: argument 1: expected ") as told:
        jitffi.convert(object() if text != "any" else 1 << 80, given)
    assert f"expected {text}" in str(told.value) or text in ("any", "u8"), told.value


def test_the_way_to_what_is_wrong_is_told():
    with pytest.raises(TypeError, match=r"expected map\[str, list\[i64\]\], got dict with str 'x' at \['b'\]\[1\]"):
        jitffi.convert({"a": [1], "b": [2, "x"]}, dict[str, list[int]])
    with pytest.raises(OverflowError, match=r"expected i8 \(-128 to 127\), got int 300"):
        jitffi.convert(300, "i8")


@pytest.mark.parametrize("wrong", [3, "nix", "i64,", KeyError, [int]])
def test_what_is_no_type(wrong):
    with pytest.raises((TypeError, jitffi.SignatureError)):
        jitffi.convert(1, wrong)


def test_objects_are_themselves():
    @jitffi.register_object("test.ConvertedThing")
    class Thing:
        x: int

    thing = Thing(3)
    assert jitffi.convert(thing, Thing) is thing
    assert jitffi.convert([thing], list[Thing])[0] is thing
    with pytest.raises(TypeError, match=r"expected list\[test.ConvertedThing\], got list with int 3 at \[0\]"):
        jitffi.convert([3], list[Thing])


def test_lists_where_tuples_are_asked_for():
    """As tuples where lists are: copied. A union takes each as what it is first."""
    assert jitffi.convert([1, 2], "tuple[i64, ...]") == (1, 2)
    assert jitffi.convert(jitffi.List([1, 2.5]), "tuple[i64, f64]") == (1, 2.5)
    assert jitffi.convert([[1], (2, 3)], "tuple[tuple[f64, ...], ...]") == ((1.0,), (2.0, 3.0))
    for text in ("list[i64] | tuple[i64, ...]", "tuple[i64, ...] | list[i64]"):
        assert type(jitffi.convert([1], text)) is jitffi.List
        assert type(jitffi.convert((1,), text)) is jitffi.Tuple
    assert type(jitffi.convert([1], "tuple[i64, ...] | str")) is jitffi.Tuple
    with pytest.raises(TypeError, match=r"expected tuple\[i64, str\], got list of 1 item"):
        jitffi.convert([1], "tuple[i64, str]")
    with pytest.raises(TypeError, match=r"got list with str 'x' at \[1\]"):
        jitffi.convert([1, "x"], tuple[int, ...])


def test_a_list_that_changes_while_it_becomes_a_tuple():
    given: list[Any] = []

    class Item:
        def __index__(self):
            given.extend([7] * 100)
            return 5

    given[:] = [Item(), Item()]
    assert jitffi.convert(given, "tuple[i64, i64]") == (5, 5)


def test_names_of_data_types_and_devices():
    assert jitffi.dtype("float32x4") == jitffi.DataType("float32x4") and jitffi.device("cuda:1") == jitffi.Device(
        "cuda:1"
    )
    for make in (jitffi.dtype, jitffi.device):
        with pytest.raises(ValueError, match="is called 'nothing'"):
            make("nothing")
