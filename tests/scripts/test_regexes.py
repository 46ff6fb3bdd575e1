"""Regular expressions in scripts: with Python's results, native, and with nothing left behind."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

import jitffi
from jitffi import ScriptError
from tests.scripts import regex_scripts
from tests.support.leaks import live_objects

TEXTS = [
    "", "a=1, b=2; c=", "hello world  x", "  foo bar=12", "naïve é=1, b=5", "12 + ab*3", "x=1\ny=2\nzz=", "Zoë;中文=7",
    "xaxx", "ab" * 40 + "=1 " * 20,
]  # fmt: skip


def outcome(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("function", regex_scripts.FUNCTIONS, ids=lambda function: function.__name__)
def test_results_are_pythons(function: Any) -> None:
    script = jitffi.script(function, strict=True)
    random = Random(function.__name__)
    made = ["".join(random.choice("ab=1 ,x\né") for _ in range(random.choice((3, 9, 30)))) for _ in range(20)]
    before = live_objects()
    for text in [*TEXTS, *made]:
        assert outcome(script, text) == outcome(function, text), text
    assert live_objects() == before


@pytest.mark.parametrize("value", [3, None, b"x", ["x"]])
def test_what_is_no_text_is_a_type_error(value: Any) -> None:
    script = jitffi.script(regex_scripts.words, strict=True)
    assert outcome(script, value) == outcome(regex_scripts.words, value)


def test_text_of_any_type_is_looked_through() -> None:
    def found(values: Any) -> Any:
        return [regex_scripts.pair.search(each) is not None for each in values], regex_scripts.WORDS.findall(values[0])

    script = jitffi.script(found)
    for values in (["a=1", "b"], ["é=2", "x" * 50], ["a", 3], [b"a"]):
        assert outcome(script, values) == outcome(found, values)


def test_what_is_not_native_is_left_to_the_interpreter() -> None:
    def given_away(text: str) -> Any:
        return regex_scripts.WORDS.search(text)

    def by_name(text: str) -> Any:
        return regex_scripts.pair.sub(str, text)

    def mixed(text: str) -> Any:
        m: Any = 5
        if text:
            m = regex_scripts.pair.search(text)
        return m.group(1) if m else m

    for function in (given_away, by_name, mixed):
        assert outcome(jitffi.script(function), "a=1").__class__ is outcome(function, "a=1").__class__
        with pytest.raises(ScriptError):
            jitffi.script(function, strict=True)("a=1")


PATTERN = re.compile("a")


def test_another_pattern_of_that_name_is_another_program() -> None:
    def found(text: str) -> Any:
        return PATTERN.findall(text)

    global PATTERN
    assert jitffi.script(found)("ab") == ["a"]
    PATTERN = re.compile("b")
    assert jitffi.script(found)("ab") == ["b"]


TAG = re.compile(r"(?i)<(b|i)>.*?</\1>")


def without_tags(page):
    page = re.sub(r"(?is)<(script|style)\b.*?</\1\s*>", " ", page)
    page = TAG.sub("", page, count=1)
    page = re.sub(r"&#(\d+);", lambda match: chr(int(match.group(1))), page)
    return re.sub(r"\s+", " ", page).strip()


def of_bytes(data):
    return re.sub(rb"(?i)(a|b)\1", b"-", data), re.sub(r"(?i)(a|b)\1", "-", data)


class Page(str):
    """Text that is none of scripts'."""


def test_what_re_puts_in_the_place_of_matches_is_text():
    script = jitffi.script(without_tags)
    for page in ("a <B>x</b> <STYLE a>\n</style > &#233;  <i>y</I>", "", "日本 <i>é</i>", Page("<b>x</b> no"), b"x", 5):
        for each in (without_tags, of_bytes)[: 1 + (type(page) is not Page)]:
            ours, theirs = outcome(jitffi.script(each), page), outcome(each, page)
            assert ours == theirs and type(ours) is type(theirs), page
    assert script("<b>x</b> y") == "y" and "page: str;" in script.inspect_types()
