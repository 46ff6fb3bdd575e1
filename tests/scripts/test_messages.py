"""What messages of scripts call the values that they are about."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest

import jitffi
from jitffi import script


@script
def items(values):
    return [each for each in values]  # noqa: C416


@script
def size(values):
    return len(values)


@script
def first(values):
    return values[0]


@script
def upper(text):
    return text.upper()


@script
def has(values):
    return 1 in values


@script
def more(value):
    return value + 1


@script
def texts(value):
    return repr(value), str(value), f"{value}", f"{value!r:>50}"


@script(strict=True)
def shout(text: str):
    return text


@script(strict=True)
def raw(data: bytes):
    return data


def said(function: Any, *args: Any) -> str:
    with pytest.raises(TypeError) as caught:
        function(*args)
    return str(caught.value)


def outcome(function: Any, value: Any) -> Any:
    try:
        return function(value)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("value", [range(3), {1}, deque(), bytearray(b"a"), object()])
def test_objects_of_python(value: Any) -> None:
    for function in (items, size, first, has, upper, more):
        assert outcome(function, value) == outcome(function.__wrapped__, value)


@pytest.mark.parametrize("value", [len, int, said, "".join])
def test_functions(value: Any) -> None:
    for function in (items, size, first, has, more):
        if value is int and function is first:
            continue  # int[0]: what Python says of a class is of generics
        assert said(function, value) == said(function.__wrapped__, value)
    assert tuple(texts(value)) == texts.__wrapped__(value)


def test_wrong_arguments() -> None:
    expected = {
        "None": None, "bytes b'hear'": b"hear", "list": [1], "dict": {1: 2}, "tuple": (1,), "range": range(3),
        "bytearray": bytearray(b"s"), "int 5": 5, "bool True": True, "builtin_function_or_method": len,
    }  # fmt: skip
    for text, value in expected.items():
        assert said(shout, value) == f"shout: 'text': expected str, got {text}"
    assert said(raw, "\u00e9\u4e2d") == "raw: 'data': expected bytes, got str '\u00e9\u4e2d'"
    assert said(raw, "a") == "raw: 'data': expected bytes, got str 'a'"


def test_classes_are_functions() -> None:
    @script
    def mapped(f, values):
        return [f(each) for each in values]

    @script
    def same(value):
        return value

    assert mapped(str, [1, 2.5]) == ["1", "2.5"]
    assert mapped(int, ["7", 8.9]) == [7, 8]
    assert mapped(len, ["abc"]) == [3]
    assert same(int) is int
    with pytest.raises(ValueError, match="invalid literal"):
        mapped(int, ["x"])


def test_repr_of_a_list_of_functions() -> None:
    assert repr(jitffi.List([len])) == "List([<built-in function len>])"


def _without_memory(n):
    try:
        return "ab" * n
    except MemoryError as error:
        try:
            return [0] * n
        except MemoryError as other:
            return repr(error), other.args


def test_no_memory_says_nothing() -> None:
    assert script(_without_memory)(1 << 61) == _without_memory(1 << 61) == ("MemoryError()", ())


def test_annotated_characters_stay_in_registers() -> None:
    @script
    def characters(word):
        found = []
        for i in range(len(word)):
            each: str = word[i]
            found.append(each)
        return found

    @script
    def texts(word):
        each: str
        for i in range(len(word)):
            each = word[i]
            if i == 1:
                each = each + "!"
        return each

    assert characters("a\u00e9") == ["a", "\u00e9"]
    assert "each: char" in characters.inspect_types()
    assert texts("ab") == "b!"
    assert "each: str" in texts.inspect_types()
    declared = script(_declared, strict=True)
    assert said(declared, range(3)) == "_declared: 'text': expected str, got range"
    assert said(declared, 5) == "_declared: 'text': expected str, got int 5"


def _declared(value):
    text: str = value
    return text
