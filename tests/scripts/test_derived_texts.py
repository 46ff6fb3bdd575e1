"""Texts in scripts as Python knows them: instances of classes derived from str and bytes, among native texts and keys,
and texts that are handed on, which are the caller's own objects."""

from __future__ import annotations

import enum
import sys

import pytest

import jitffi

# -- instances of classes derived from str and bytes, among native texts and keys -------------------------------------


class Name(str):
    pass


class Color(str, enum.Enum):  # noqa: UP042 - as they are written for older Pythons
    RED = "ab"


class Odd(str):
    def __hash__(self):
        return 1

    def __eq__(self, other):
        return False


class Holder:
    def __init__(self, x):
        self.x = x


def of_texts(a):
    known = {"ab": 1, "c": 2}
    seen = {"ab", "d"}
    return (
        a.x in "cab", "cab".find(a.x), "cab".count(a.x), "cab".split(a.x), "cabc".strip(a.x), "cab".replace(a.x, "d"),
        known.get(a.x), a.x in known, a.x in seen, known.pop(a.x, 7), "cab".startswith(a.x),
    )  # fmt: skip


def of_number(a):
    return int(a.x, 16), {"ab": 3}[a.x]


def of_bytes(a):
    known = {b"ab": 1}
    text = str(a.x, "ascii"), str(a.x, encoding="utf-8")
    return a.x in b"cab", b"cab".find(a.x), b"cab".replace(a.x, b"d"), b"cab".split(a.x), known.get(bytes(a.x)), text


def caught(a):
    try:
        return a.x in "cab"
    except TypeError:
        return None


def test_instances_of_derived_classes_are_what_they_are_derived_from():
    for value in ("ab", Name("ab"), Color.RED, Odd("ab"), Name("\u4e09"), Name("c")):
        assert jitffi.script(of_texts)(Holder(value)) == of_texts(Holder(value))
    for value in (Name("ab"), Color.RED):
        assert jitffi.script(of_number)(Holder(value)) == of_number(Holder(value))
    for data in (b"ab", type("B", (bytes,), {})(b"ab"), bytearray(b"ab"), memoryview(b"ab")):
        assert jitffi.script(of_bytes)(Holder(data)) == of_bytes(Holder(data))
    with pytest.raises(TypeError, match="'in <string>' requires string as left operand, not bytearray"):
        jitffi.script(of_texts)(Holder(bytearray(b"ab")))
    with pytest.raises(ValueError, match="text of a script has no lone surrogates"):  # and no TypeError
        jitffi.script(caught)(Holder("\udc80"))


def of_any(s, other):
    if other is not None:
        s = other
    if isinstance(s, str):
        return s, s + s, s.upper(), s[0], list(s)
    if isinstance(s, bytes):
        return s, s + s, s[1:], s.find(b"b")
    if isinstance(s, float):
        return s, s + 1
    return None


def of_text_or_number(s, n):
    if n:
        s = n
    if isinstance(s, str):
        return len(s)
    return 0


def of_any_twice(s, other):
    return of_any(s, other), isinstance(s, str) and of_any(s, s)


def test_what_isinstance_has_told_may_be_of_a_derived_class():
    for value in (
        Name("ab"),
        Odd("ab"),
        type("B", (bytes,), {})(b"ab"),
        type("F", (float,), {})(2.0),
        "ab",
        b"ab",
        2.0,
    ):
        for script in (of_any, of_any_twice):
            expected, found = script(value, None), jitffi.script(script)(value, None)
            assert repr(found) == repr(expected) and type(found[0]) is type(expected[0])
    exact = jitffi.script(of_text_or_number)
    assert (exact("ab", 0), exact("ab", 1)) == (2, 0) and "# s: str" in exact.inspect_types()  # no objects are about


def of_class(a):
    return str.upper(a.x), str.strip(a.x, "b"), str.join(a.x, ["c", "d"]), str.replace("cab", a.x, "d")


def of_class_bytes(a):
    return bytes.upper(a.x), bytes.replace(b"cab", a.x, b"d")


def of_class_any(s, other):
    if other:
        s = other
    return str.upper(s), 1


def of_texts_any(s, other):
    if other:
        s = other
    known = {"ab": 1}
    return s in "cab", "cab".find(s), "cab".replace(s, "d"), known.get(s), s in known, s in {"ab"}


def test_values_of_any_type_are_taken_as_what_they_are_derived_from():
    for value in ("ab", Name("ab"), Odd("ab"), Color.RED, Name("c")):
        assert jitffi.script(of_texts_any)(value, 0) == jitffi.script(of_texts_any)(3, value) == of_texts_any(value, 0)


def test_methods_of_classes_take_instances_of_derived_ones():
    def result(function, *args):
        try:
            return function(*args)
        except TypeError as error:
            return str(error)

    for value in ("ab", Name("ab"), Odd("ab"), Color.RED):
        assert jitffi.script(of_class)(Holder(value)) == of_class(Holder(value))
        assert jitffi.script(of_class_any)(value, 0) == jitffi.script(of_class_any)(3, value) == ("AB", 1)
    for value in (b"ab", type("B", (bytes,), {})(b"ab"), bytearray(b"ab")):
        assert result(jitffi.script(of_class_bytes), Holder(value)) == result(of_class_bytes, Holder(value))
    for value in (3, b"ab", None):
        assert result(jitffi.script(of_class), Holder(value)) == result(of_class, Holder(value))
        assert result(jitffi.script(of_class_any), value, 0) == result(of_class_any, value, 0)


# -- texts that are handed on ------------------------------------------------------------------------------------------


def put_by(holder, s):
    holder.x = s


def handed_on(holder, found, s, other="ab" * 50):
    if not s:
        s = other
    given = s
    put_by(holder, s)
    found.append(given)
    found += [other, s[:1]]
    s = s + "c"
    found.append(s)
    holder.y = s
    return len(given)


def bytes_handed_on(found, data):
    found.append(data)
    return data[0]


def test_texts_that_are_handed_on_are_those_that_were_given():
    short, long, wide, other = "".join(["a", "b"]), "ab" * 100, "\u4e09" * 40, "cd" * 50
    for given in ((short,), (long,), (wide,), (wide, other), ("", other), ("",)):
        for script in (jitffi.script(handed_on), jitffi.script(handed_on)):
            holders, lists = (Holder(0), Holder(0)), ([], [])
            assert handed_on(holders[0], lists[0], *given) == script(holders[1], lists[1], *given)
            assert vars(holders[0]) == vars(holders[1]) and lists[0] == lists[1]
            assert holders[1].x is holders[0].x and all(
                a is b for a, b in zip(*(each[:2] for each in lists), strict=True)
            )
    found, data = [], bytes(range(100))
    assert jitffi.script(bytes_handed_on)(found, data) == 0 and found[0] is data


def test_handing_texts_on_leaves_no_references():
    text, holder, found = "ab" * 100, Holder(0), []
    script = jitffi.script(handed_on)
    script(holder, found, text)
    del found[:]
    before = sys.getrefcount(text)
    for _ in range(100):
        script(holder, found, text)
        del found[:]
    assert sys.getrefcount(text) == before
