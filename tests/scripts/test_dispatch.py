"""Calls of scripts: arguments by position, name and default, and the variant of the code that their kinds choose."""

from __future__ import annotations

import threading

import pytest

import jitffi


def same(x):
    return x


def kind_of(x):
    if isinstance(x, bool):
        return "bool"
    if isinstance(x, int):
        return "int"
    if isinstance(x, float):
        return "float"
    if isinstance(x, str):
        return "str"
    if isinstance(x, bytes):
        return "bytes"
    if isinstance(x, list):
        return "list"
    if isinstance(x, dict):
        return "dict"
    if isinstance(x, tuple):
        return "tuple"
    if x is None:
        return "None"
    return "other"


VALUES = [
    None, False, True, 0, 1, -1, 255, 1 << 40, (1 << 63) - 1, -(1 << 63), 0.0, -0.0, 1.5, 1e300, float("inf"),
    "", "a", "abc", "abcdefg", "abcdefgh", "x" * 1000, "é", "naïve café", "ж", "жук", "中文字", "😀", "a😀", "ÿ" * 40,
    "中" * 33, "\0", "a\0b", b"", b"abc", b"\xff\0" * 30, (), (1, "a", None), (("é",), 1.5),
]  # fmt: skip
CONTAINERS = [[], [1, 2], ["a", "é", None, [1.5]], {}, {"a": 1, "é": [2]}, {1: "x", None: 2}]


def plain(value):
    return value.to_python() if hasattr(value, "to_python") else value


class TestTypeTags:
    @pytest.mark.parametrize("value", VALUES, ids=ascii)
    def test_each_value_goes_through_as_it_is(self, value):
        for made in (jitffi.script(same), many_types):
            found = plain(made(value))
            assert found == value and type(found) is type(value)
            assert repr(found) == repr(value)

    @pytest.mark.parametrize("value", CONTAINERS, ids=ascii)
    def test_containers_are_converted(self, value):
        found = jitffi.script(same, strict=True)(value)
        assert type(found) is type(value) and found == value

    def test_containers_of_ours_are_shared(self):
        items = jitffi.List([1])
        assert appended(items) is items and items == [1, 0]
        there = [1]
        assert appended(there) is there and there == [1, 0]

    @pytest.mark.parametrize("value", [*VALUES, *CONTAINERS], ids=ascii)
    def test_a_variant_for_each_kind(self, value):
        assert jitffi.script(kind_of)(value) == kind_of(value)

    def test_the_same_script_with_all_of_them_one_after_the_other(self):
        made = jitffi.script(kind_of)
        for _ in range(2):
            for value in (*VALUES, *CONTAINERS):
                assert made(value) == kind_of(value)
        assert made(jitffi.List([1])) == "list" and made(jitffi.Map({})) == "dict" and made(jitffi.Tuple(())) == "tuple"
        assert made(jitffi.String("abc")) == "str" and made(object()) == "other" and made(len) == "other"
        assert len(made._variants) == 9 and None in made._variants

    def test_subclasses_count_as_what_they_are(self):
        class Text(str):
            pass

        class Number(int):
            pass

        assert jitffi.script(same)(Text("é")) == "é" and jitffi.script(same)(Number(3)) == 3
        assert jitffi.script(kind_of)(Text("a")) == "str"

    def test_python_objects_go_through(self):
        value = object()
        assert jitffi.script(same)(value) is value
        assert jitffi.script(same)(len) is len
        assert jitffi.script(same)(int) is int

    def test_text_that_is_none_is_refused(self):
        with pytest.raises(UnicodeEncodeError):
            jitffi.script(same, strict=True)("a\ud800")
        with pytest.raises(UnicodeEncodeError):
            jitffi.script(same, strict=True)("😀\udfff")

    def test_ints_beyond_64_bits(self):
        for value in (1 << 64, -(1 << 63) - 1, 1 << 200):
            with pytest.raises(OverflowError):
                jitffi.script(same, strict=True)(value)
            assert jitffi.script(same)(value) is value
        for made in (jitffi.script(plus), jitffi.script(plus, strict=True)):
            assert made(1, (1 << 63) - 2) == (1 << 63) - 1
        with pytest.raises(OverflowError):
            jitffi.script(plus, strict=True)(1, (1 << 64) - 1)
        assert jitffi.script(plus)(1 << 63, 1 << 70) == (1 << 63) + (1 << 70)

    def test_variants_do_not_count_parameters_with_annotations_that_promise(self):
        made = jitffi.script(half, strict=True)
        assert made("a", 1) == "a" and made("a", True) == "a" and len(made._variants) == 1
        with pytest.raises(TypeError, match="half: 'n': expected int, got str 'b'"):
            made("a", "b")
        assert len(made._variants) == 1

    def test_seventeen_parameters(self):
        names = [f"p{i}" for i in range(17)]
        assert plain(jitffi.script(seventeen)(*names)) == tuple(names)
        assert plain(jitffi.script(seventeen)(*range(16), None)) == (*range(16), None)


@jitffi.script
def many_types(x):
    y = x
    return y


for _value in (1, 1.5, "a", b"a", None, True, (1,), [1]):
    many_types(_value)


@jitffi.script
def appended(items):
    items.append(0)
    return items


def plus(a, b):
    return a + b


def half(text, n: int):
    return text * n


def seventeen(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q):  # noqa: E741
    return (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)


def two(a, b=2, c="x", d=None, e=1.5, f=("é", 1)):
    return (a, b, c, d, e, f)


def none():
    return 1


class TestArguments:
    @pytest.mark.parametrize(
        ("args", "kwargs"),
        [
            ((1,), {}), ((1, 3), {}), ((1, 3, "y", 4, 2, ()), {}), ((1,), {"c": "z"}), ((), {"a": 1}),
            ((), {"f": None, "a": "a"}), ((1, 2), {"f": 3, "e": 4}),
        ],
    )  # fmt: skip
    def test_by_position_name_and_default(self, args, kwargs):
        assert plain(jitffi.script(two)(*args, **kwargs)) == two(*args, **kwargs)

    @pytest.mark.parametrize(
        ("args", "kwargs"),
        [
            ((), {}), ((1, 2, 3, 4, 5, 6, 7), {}), ((1,), {"a": 2}), ((1,), {"g": 2}), ((), {"b": 1}),
            ((1, 2), {"b": 3}),
        ],
    )  # fmt: skip
    def test_wrong_ones_are_what_python_says(self, args, kwargs):
        with pytest.raises(TypeError) as ours:
            jitffi.script(two)(*args, **kwargs)
        with pytest.raises(TypeError) as pythons:
            two(*args, **kwargs)
        assert str(ours.value) == str(pythons.value)

    @pytest.mark.parametrize("args", [(1,), (1, 2)])
    def test_none_at_all(self, args):
        made = jitffi.script(none)
        assert made() == 1
        with pytest.raises(TypeError) as ours:
            made(*args)
        with pytest.raises(TypeError) as pythons:
            none(*args)
        assert str(ours.value) == str(pythons.value)

    def test_several_that_are_missing(self):
        with pytest.raises(TypeError) as ours:
            jitffi.script(seventeen)(1, 2)
        with pytest.raises(TypeError) as pythons:
            seventeen(1, 2)
        assert str(ours.value) == str(pythons.value)
        with pytest.raises(TypeError) as ours:
            jitffi.script(half)()
        with pytest.raises(TypeError) as pythons:
            half()
        assert str(ours.value) == str(pythons.value)

    def test_an_object_that_cannot_be_converted_leaves_nothing_behind(self):
        endless = []
        endless.append(endless)
        before = jitffi._core.live_objects()
        for _ in range(3):
            with pytest.raises((RecursionError, ValueError)):
                jitffi.script(plus, strict=True)([1], endless)
        assert jitffi._core.live_objects() == before


def test_many_threads_make_the_first_call_at_once():
    made = jitffi.script(kind_of)
    start = threading.Barrier(8)
    found = []

    def call(value):
        start.wait()
        found.append((kind_of(value), made(value)))

    threads = [threading.Thread(target=call, args=(value,)) for value in (1, "a", None, 1.5, 1, "a", None, 1.5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(a == b for a, b in found)
    assert len(made._variants) == 4
