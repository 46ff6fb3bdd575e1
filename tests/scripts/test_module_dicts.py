"""Dicts and sets of the module that scripts ask, and go through, where they lie: results are Python's whatever the
names stand for later, and whatever is in them."""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import Any

import pytest

import jitffi
from tests.support import leaks

TABLE: Any = {"a": "1", "é": "zwei", "日": "\U0001f600"}
KNOWN: Any = {"a", "日"}


class Mine(dict):
    def get(self, *args: Any) -> Any:
        return ("got", *args)

    def items(self) -> Any:
        return iter([("k", 1), ["l", "é"]])


class Odd:
    def get(self, key: Any, default: Any) -> Any:
        return default * 2

    def items(self) -> Any:
        yield "x", 1
        yield 5

    def keys(self) -> Any:
        raise KeyError("none")

    def values(self) -> Any:
        return [2**70, "\ud800"]

    def __contains__(self, item: Any) -> bool:
        return bool(item == "é")


def mapped(text: str) -> str:
    return "".join(TABLE.get(ch, ch) for ch in text)


def counted(text: str) -> Any:
    return [TABLE.get(word, 0) for word in text.split()], [word in KNOWN for word in text.split()]


def gone_through(text: str) -> Any:
    found = []
    for key, value in TABLE.items():
        text = text.replace(str(key), str(value))
        found.append(value)
    return text, found, [pair for pair in TABLE.items()]  # noqa: C416


def keys_and_values(text: str) -> Any:
    keys = [text + str(key) for key in TABLE.keys()]  # noqa: SIM118
    return keys, list(TABLE.values()), [value for value in TABLE.values()]  # noqa: C416


def changed(text: str) -> Any:
    found = []
    for key in TABLE.keys():  # noqa: SIM118
        found.append(key)
        TABLE[text] = text
    return found


STAND_INS: list[Any] = [
    {"a": 2**70, "b": None, "é": [1]}, {}, Mine({"a": "b"}), OrderedDict([("b", "c"), ("a", 1.5)]), Odd(), 5,
]  # fmt: skip
FUNCTIONS = [mapped, counted, gone_through, keys_and_values, changed]


def _outcome(function: Any, table: Any, known: Any) -> Any:
    global TABLE, KNOWN
    before, TABLE, KNOWN = (TABLE, KNOWN), table, known
    try:
        return repr(function("a é 日 b"))
    except Exception as error:
        return type(error), str(error)
    finally:
        TABLE, KNOWN = before


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_results_and_errors_are_pythons(function: Any) -> None:
    script = jitffi.script(function)
    script("a b") if function is not changed else None
    stand_ins = [dict(TABLE), *STAND_INS]
    for table, known in [(each, each) for each in stand_ins] + [(dict(TABLE), frozenset("ab"))]:
        given = [type(table)(table) if isinstance(table, dict) else table for _ in range(2)]
        assert _outcome(script, given[0], known) == _outcome(function, given[1], known), table
    before = leaks.live_objects()
    _outcome(script, dict(TABLE), KNOWN)
    assert leaks.live_objects() == before


def test_they_are_native() -> None:
    for function in (mapped, counted):
        script = jitffi.script(function)
        script("a b")
        assert not any(line.startswith("py ") for line in script.inspect_types().splitlines()), script.inspect_types()


def appended(items: Any, more: Any) -> Any:
    return [each.append(more) for each in items], items


def grouped(items: Any) -> Any:
    found: Any = {}
    for key, value in items:
        found.setdefault(key, []).append(str(value))
    return found


class Log:
    def append(self, item: Any) -> Any:
        return item, "logged"


@pytest.mark.parametrize("items", [[[1], [2]], [Log(), [1]], [[1], 5], [bytearray(b"a")]])
def test_what_turns_out_to_be_a_list_is_appended_to(items: Any) -> None:
    def outcome(function: Any) -> Any:
        given = copy.deepcopy(items)
        try:
            got, kept = function(given, 7)
            return got, kept is given, repr(given[-1])
        except Exception as error:
            return type(error), str(error), repr(given[0])

    assert outcome(jitffi.script(appended)) == outcome(appended)


def test_groups_of_pythons_own_are_made_where_they_lie() -> None:
    script, items = jitffi.script(grouped), [("a", 1), ("é", 2), ("a", 3), (5, 4), ((1, 2), 5)]
    assert script(items) == grouped(items) and script([]) == {}
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        script([([], 1)])
