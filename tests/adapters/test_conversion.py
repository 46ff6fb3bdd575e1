"""Python containers to native ones and back: what each value becomes, sources that change meanwhile, faults."""

from __future__ import annotations

import collections
import decimal
import gc
import sys
import types

import numpy
import pytest

import jitffi
from tests.support.leaks import live_objects

identity = jitffi.convert(lambda x: x)


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = live_objects()
    yield
    assert live_objects() == before


def test_every_int_around_each_limit():
    edges = {0, 1, -1, 127, 128, 1023, 1024, 2**30, 2**60, 2**62, 2**63, 2**64 - 1}
    ints = sorted({sign * (e + d) for e in edges for d in (-2, -1, 0, 1, 2) for sign in (1, -1)})
    ints = [i for i in ints if -(2**63) <= i < 2**64]
    one = jitffi.List(ints)
    assert one.to_python() == ints and list(one) == ints and [one[i] for i in range(len(ints))] == ints
    other = jitffi.List()
    for i in ints:
        other.append(i)
    assert other == one and other.to_python() == ints
    for i in (2**64, -(2**63) - 1, 2**200, -(2**200)):
        with pytest.raises(OverflowError, match="int does not fit 64 bits"):
            other.append(i)
    assert len(other) == len(ints)


def test_every_character_and_length():
    texts = [chr(c) for c in [*range(0x500), 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]]
    texts += [c * n for c in "aé日\U0001f600" for n in range(70)] + ["a\0b", "\0", "ab\0" * 9, "é\0" * 9]
    one = jitffi.List(texts)
    assert one.to_python() == texts and list(one) == texts
    assert jitffi.Tuple(texts).to_python() == tuple(texts)


def test_texts_are_left_as_they_were():
    texts = ["é" * 50, "日本語" * 20, "\U0001f600" * 9, "é"]
    sizes = [sys.getsizeof(text) for text in texts]
    one = jitffi.List(texts)
    one.append(texts[0])
    assert texts[1] in one and one.index(texts[2]) == 2
    assert [sys.getsizeof(text) for text in texts] == sizes


class Int(int):
    pass


class Str(str):
    __slots__ = ()


class Float(float):
    def __float__(self):
        raise AssertionError("not asked")


def test_what_each_value_becomes():
    for value, want in [(Int(5), 5), (Int(2**63), 2**63), (Str("abc"), "abc"), (Str("é" * 30), "é" * 30),
                        (Float(1.5), 1.5),
                        (numpy.int8(-3), -3), (numpy.uint64(2**64 - 1), 2**64 - 1), (numpy.float32(0.5), 0.5),
                        (numpy.bool_(True), True)]:  # fmt: skip
        got = jitffi.List([value])[0]
        assert (type(got), got) == (type(want), want)
        assert jitffi.List([[value]]).to_python() == [[want]]
    opaque = [object(), bytearray(b"x"), frozenset((1, 2)), 1j, decimal.Decimal(1), collections.OrderedDict(a=1),
              range(3), int, Ellipsis, numpy.zeros(2, ">f8"), collections.namedtuple("P", "x")(1), memoryview(b""),
              types.SimpleNamespace()]  # fmt: skip
    one = jitffi.List(opaque)
    assert all(a is b for a, b in zip(one, opaque, strict=True))
    assert all(a is b for a, b in zip(one.to_python(), opaque, strict=True))
    assert all(identity(value) is value for value in opaque)
    one = jitffi.List([len, identity])
    assert one[0]("abc") == 3 and one[1] is identity


def test_nested():
    value = [1, [2, [3, (4, [5, {"a": [6, {7: (8,)}]}])]], (), [], {}, ((),)]
    one = jitffi.List(value)
    assert one.to_python() == value
    assert (type(one[1]), type(one[1][1][1])) == (jitffi.List, jitffi.Tuple)
    assert identity(value).to_python() == value and identity(tuple(value)).to_python() == tuple(value)
    assert identity([1]) == [1] and identity((1,)) == (1,)
    inner = jitffi.List([1])
    shared = jitffi.List([inner, [inner], (inner,), {"k": inner}])
    assert shared[0] is shared[1][0] is shared[2][0] is inner and inner.ref_count == 5


def test_structure_comes_back_as_it_was():
    inner = jitffi.List([1])
    got = jitffi.List([inner, (inner,), inner]).to_python()
    assert got == [[1], ([1],), [1]] and got[0] is got[2] is got[1][0]
    loop = jitffi.List([1])
    loop.append((loop, {"k": loop}))
    got = loop.to_python()
    assert got[0] == 1 and got[1][0] is got and got[1][1]["k"] is got
    got = loop[1].to_python()
    assert got[0][1] is got and got[1]["k"] is got[0]
    loop.clear()
    deep = []
    for _ in range(100):
        deep = [deep]
    assert jitffi.List(deep).to_python() == deep


def test_a_list_within_itself_is_refused():
    one = [1]
    one.append(one)
    two = {"a": 1}
    two["b"] = (two,)
    for loop in (one, two, [[one]]):
        with pytest.raises(RecursionError, match="while converting"):
            jitffi.List([loop])
        with pytest.raises(RecursionError, match="while converting"):
            identity(loop)
    one.clear()
    two.clear()


@pytest.mark.parametrize("make", [jitffi.List, jitffi.Tuple, identity, lambda x: jitffi.List().extend(x)])
def test_faults_tell_their_place(make):
    before = jitffi.List([1])
    for source, error, words in [
        ([0, 1, 2, 2**64], OverflowError, "item 3: int does not fit 64 bits"),
        (["a"] * 50 + [-(2**70)], OverflowError, "item 50: "),
        ([[], [1, (2, -(2**64))]], OverflowError, "item 1: item 1: item 1: "),
        ([1, {"a": 2**64}], OverflowError, "item 1: key 'a': "),
        (["x", "\ud800"], UnicodeEncodeError, "surrogates not allowed"),
        ([before, "ok", "long enough for the heap \udfff"], UnicodeEncodeError, "surrogates"),
    ]:
        with pytest.raises(error, match=words):
            make(source)
    assert before.ref_count == 1


def test_a_fault_leaves_the_list_as_it_was():
    one = jitffi.List(["a", "b" * 40])
    for action in (lambda: one.extend(["c", 2**64]), lambda: one.append("\ud800"), lambda: one.insert(0, 2**64),
                   lambda: one.__setitem__(0, 2**64), lambda: one.__setitem__(slice(0, 1), [1, 2**64]),
                   lambda: one.__iadd__([1, 2**70]), lambda: one + [2**64]):  # fmt: skip
        with pytest.raises((OverflowError, UnicodeEncodeError)):
            action()
        assert one == ["a", "b" * 40]


class Meddler:
    """A NumPy-like scalar, whose conversion changes the source."""

    def __init__(self, deed):
        self.deed = deed

    def __iter__(self):
        self.deed()
        yield 1

    def __length_hint__(self):
        self.deed()
        return 10**9

    def keys(self):
        self.deed()
        return ["k"]

    def __getitem__(self, key):
        self.deed()
        return 2

    def __hash__(self):
        self.deed()
        return 1

    def __eq__(self, other):
        self.deed()
        return False


def test_hostile_sources():
    target = jitffi.List(["text of many bytes"] * 10)

    def deed():
        target.clear()
        target.extend(["other text"] * 3)

    target.extend(Meddler(deed))
    assert target[-1] == 1
    assert jitffi.List(Meddler(gc.collect)) == [1]
    for first in ("x", 5, Meddler(int)):
        source = {first: 1}
        grows = Meddler(lambda source=source: source.setdefault(len(source), 1))
        source[grows] = 2
        try:
            one = identity(source)
        except RuntimeError as error:
            assert str(error) == "dictionary changed size during iteration"
        else:
            assert len(one.to_python()) == len(source)
        source.clear()


def test_a_source_that_changes_while_its_items_are_converted():
    """The finder of garbage may run anything where an item is converted: here it changes the very list that is read."""
    source = [[i, "x" * 30] for i in range(3000)]

    class Loop:
        def __del__(self):
            del source[len(source) // 2 :]
            source.append("new")

    threshold = gc.get_threshold()
    try:
        for _ in range(20):
            loop = Loop()
            loop.loop = loop
            del loop
        gc.set_threshold(1)
        one = jitffi.List(source)
        again = one.to_python()
    finally:
        gc.set_threshold(*threshold)
    assert len(again) == len(one)
    gc.collect()


def test_iterables_that_fail():
    def broken():
        yield 1
        yield "a" * 50
        raise KeyError("mine")

    one = jitffi.List([0])
    for make in (jitffi.List, jitffi.Tuple, one.extend):
        with pytest.raises(KeyError, match="mine"):
            make(broken())
    assert one == [0, 1, "a" * 50]  # as Python's list: what came before the failure is there

    class Hint:
        def __iter__(self):
            return iter([1])

        def __length_hint__(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        jitffi.List(Hint())


def test_through_functions():
    def check(x):
        return [type(x).__name__, x]

    call = jitffi.convert(check)
    assert call([1, "a"]).to_python() == ["List", [1, "a"]]
    assert call((1, "a")).to_python() == ["Tuple", (1, "a")]
    one = jitffi.List([1])
    assert call(one)[1] is one
    append = jitffi.convert(lambda x: x.append(5))
    append(one)
    assert one == [1, 5]
    source = [1]
    append(source)
    assert source == [1]


def test_memory_of_a_list_of_exact_size():
    """Small ints, None, bools and ASCII characters take a pointer, text of up to 15 bytes a slot of 24 beside it."""
    empty = sys.getsizeof(jitffi.List())
    for values, most in (([5] * 1000, 8), ([None, True] * 500, 8), (["x"] * 1000, 8), (["hello"] * 1000, 33),
                         (["twelve bytes"] * 1000, 33), ([10**6] * 1000, 33), ([1.5] * 1000, 33)):  # fmt: skip
        assert sys.getsizeof(jitffi.List(values)) - empty <= most * 1000 + 256
