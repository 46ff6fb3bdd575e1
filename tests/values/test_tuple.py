"""jitffi.Tuple against Python's tuple."""

from __future__ import annotations

import collections.abc
import copy
import operator
import pickle

import pytest

import jitffi
from tests.support.leaks import live_objects

VALUES = [0, 300, 2**40, 2**63, 1.5, True, None, "", "a", "hello", "x" * 200, "é", b"y" * 50, (1, "a"), (1, (2, (3,)))]
INDICES = [-7, -3, -1, 0, 1, 2, 3, 9, 2**70, -(2**70)]


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = live_objects()
    yield
    assert live_objects() == before


def outcome(action):
    try:
        got = action()
        return got.to_python() if isinstance(got, jitffi.Tuple) else got, None, None
    except Exception as error:
        return None, type(error), str(error)


def check(values, action):
    assert outcome(lambda: action(jitffi.Tuple(values))) == outcome(lambda: action(tuple(values)))


@pytest.mark.parametrize(
    "values", [[], [1], VALUES, list(range(3000)), ["é" * i for i in range(90)]], ids=lambda v: len(v)
)
def test_values_come_back(values):
    one = jitffi.Tuple(values)
    assert one.to_python() == tuple(one.to_python()) == tuple(values) and len(one) == len(values)
    assert one == tuple(values) and tuple(values) == one and one == jitffi.Tuple(iter(values))
    assert hash(one) == hash(tuple(values)) and {one: 1}[tuple(values)] == 1
    assert repr(one) == f"Tuple({tuple(values)!r})"
    assert jitffi.Tuple(jitffi.List(values)) == one and jitffi.Tuple(one) is one
    assert [v.to_python() if isinstance(v, jitffi.Tuple) else v for v in reversed(one)] == values[::-1]


def test_reading():
    for values in ([], ["a", 1, None, 2.5, "a"]):
        for index in [*INDICES, "x", 1.0, None]:
            check(values, lambda x, i=index: x[i])
        for first in (None, *INDICES):
            for last in (None, *INDICES):
                for step in (None, 1, 2, -1, -3, 0):
                    check(values, lambda x, part=slice(first, last, step): x[part])
        for value in ["a", 1, 1.0, "zz", 2**90, "\ud800", []]:
            check(values, lambda x, v=value: x.index(v))
            check(values, lambda x, v=value: x.index(v, 1))
            check(values, lambda x, v=value: x.index(v, -2, 2**80))
            check(values, lambda x, v=value: x.count(v))
            check(values, lambda x, v=value: v in x)
        for times in (-1, 0, 1, 3):
            check(values, lambda x, n=times: x * n)
            check(values, lambda x, n=times: n * x)
        check(values, lambda x: x + (1, "z"))
        check(values, lambda x: (1, "z") + x)
        check(values, lambda x: list(x))
        for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
            for other in ((), ("a", 1), ("b",), (1,), ("a", 1, None, 2.5, "a")):
                check(values, lambda x, c=compare, other=other: c(x, other))
                got = outcome(lambda v=values, c=compare, o=other: c(jitffi.Tuple(v), jitffi.Tuple(o)))
                assert got[:2] == outcome(lambda v=values, c=compare, o=other: c(tuple(v), o))[:2]


def test_it_does_not_change():
    one = jitffi.Tuple([1])
    with pytest.raises(TypeError):
        one[0] = 2
    with pytest.raises(TypeError):
        del one[0]
    for wrong in ("a", 5, range(2)):
        with pytest.raises(TypeError):
            one + wrong
    for made in (one + [2], one + jitffi.List([2]), [1] + jitffi.Tuple([2]), jitffi.List([1]) + jitffi.Tuple([2])):
        assert type(made) is jitffi.Tuple and made == (1, 2)
    again = one
    again += (2,)
    assert again == (1, 2) and one == (1,)
    assert one != [1] and one != jitffi.List([1])
    with pytest.raises(TypeError, match="unhashable"):
        hash(jitffi.Tuple([[1]]))
    with pytest.raises(TypeError, match="no keyword"):
        jitffi.Tuple(x=1)


def test_copies():
    inner = jitffi.List([1])
    one = jitffi.Tuple([inner, "x" * 40])
    assert copy.copy(one) is one and one[:] is one and one[0] is inner
    deep = copy.deepcopy(one)
    assert deep == one and deep[0] is not inner
    flat = jitffi.Tuple([1, "a"])
    assert copy.deepcopy(flat) == flat and copy.deepcopy(flat) is not flat
    made = copy.deepcopy([flat, flat])
    assert made[0] is made[1]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(one, protocol))
        assert type(again) is jitffi.Tuple and again == one and type(again[0]) is jitffi.List


class Pair(jitffi.Tuple):
    pass


def test_subclasses():
    pair = Pair([1, 2])
    assert pair == (1, 2) and repr(pair) == "Pair((1, 2))" and type(pair[:1]) is jitffi.Tuple
    assert jitffi.List([pair])[0] is pair
    source = jitffi.Tuple([1, "x" * 50])
    assert type(Pair(source)) is Pair and Pair(source) == source
    pair.name = "n"
    again = pickle.loads(pickle.dumps(pair))
    assert type(again) is Pair and again.name == "n" and again == (1, 2)


def test_what_the_class_is():
    one = jitffi.Tuple("ab")
    assert isinstance(one, collections.abc.Sequence) and not isinstance(one, collections.abc.MutableSequence)
    assert str(jitffi.Tuple[int, str]) == "jitffi.Tuple[int, str]"
    match one:
        case ["a", "b"]:
            pass
        case _:
            pytest.fail("a Tuple is a sequence to match")
