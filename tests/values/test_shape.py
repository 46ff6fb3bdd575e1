"""jitffi.Shape against tuple."""

from __future__ import annotations

import collections.abc
import copy
import doctest
import operator
import pickle

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.leaks import assert_nothing_stays

import jitffi

Shape = jitffi.Shape
INT64 = st.integers(-(2**63), 2**63 - 1)
DIMENSIONS = st.one_of(st.lists(st.integers(-2, 5), max_size=6), st.lists(INT64, max_size=4)).map(tuple)


def outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error)


@given(a=DIMENSIONS, b=DIMENSIONS, data=st.data())
@settings(max_examples=200, deadline=None)
def test_a_shape_does_what_its_tuple_does(a, b, data):
    mine = Shape(a)
    assert mine == a and a == mine and hash(mine) == hash(a) and repr(mine) == f"Shape({a!r})"
    assert len(mine) == len(a) and list(mine) == list(a) and tuple(mine) == a and bool(mine) is bool(a)
    for order in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        assert order(mine, b) is order(a, Shape(b)) is order(mine, Shape(b)) is order(a, b)
    for index in (*range(-len(a) - 2, len(a) + 2), 2**70):
        assert outcome(lambda: mine[index]) == outcome(lambda: a[index])  # noqa: B023
    cut = data.draw(st.slices(len(a)))
    assert mine[cut] == a[cut] and type(mine[cut]) is tuple
    assert mine + b == a + b == a + Shape(b) == mine + Shape(b) and type(mine + b) is tuple
    assert mine * 2 == a * 2 == 2 * mine
    item = data.draw(st.one_of(st.sampled_from(a) if a else st.just(1), INT64))
    assert (item in mine) is (item in a) and mine.count(item) == a.count(item)
    assert outcome(lambda: mine.index(item)) == outcome(lambda: a.index(item))
    assert outcome(lambda: mine.index(item, 1, 3)) == outcome(lambda: a.index(item, 1, 3))
    assert pickle.loads(pickle.dumps(mine)) == mine and type(pickle.loads(pickle.dumps(mine))) is Shape
    assert list(reversed(mine)) == list(reversed(a)) and mine.to_python() == a and type(mine.to_python()) is tuple


def test_a_refused_shape_tells_where_and_for_whom():
    @jitffi.register_object("tests.shape.Holder")
    class Holder:
        dims: jitffi.Shape

    @jitffi.function("(dims: shape, more: list[shape]) -> i64")
    def f(dims, more):
        return len(more)

    class Index:
        def __index__(self):
            raise ZeroDivisionError

    assert f((1, 2), [[3]]) == 1 and Holder([1, 2]).dims == (1, 2)
    with pytest.raises(TypeError, match=r"^f: argument 1 'dims': expected shape, got list with str 'a' at \[1\]$"):
        f([1, "a"], [])
    with pytest.raises(OverflowError, match=r"^f: argument 2 'more': .* at \[0\]\[1\], out of range for i64$"):
        f((), [[1, 2**70]])
    with pytest.raises(
        TypeError, match=r"^tests.shape.Holder.dims: expected shape, got tuple with float 1.5 at \[0\]$"
    ):
        Holder((1.5,))
    with pytest.raises(ZeroDivisionError):
        f((Index(),), [])


def test_what_it_is_made_from():
    class Index:
        def __index__(self):
            return 7

    assert Shape() == () and Shape([1, 2]) == (1, 2) and Shape(range(3)) == (0, 1, 2)
    assert Shape([Index(), True, numpy.int32(4)]) == (7, 1, 4) and Shape(numpy.zeros((2, 3)).shape) == (2, 3)
    one = Shape((1, 2))
    assert Shape(one) is one and copy.copy(one) is one and copy.deepcopy([one])[0] is one
    with pytest.raises(TypeError, match=r"Shape\(\): dimension 1: expected int, got float"):
        Shape((1, 2.0))
    with pytest.raises(TypeError, match=r"Shape\(\): dimension 0: expected int, got str"):
        Shape("ab")
    with pytest.raises(TypeError, match="expected a sequence of ints, got int"):
        Shape(3)
    with pytest.raises(TypeError):
        Shape(2, 3)
    with pytest.raises(TypeError, match="no keyword"):
        Shape(dimensions=())
    for wrong in (2**63, -(2**63) - 1, 10**30):
        with pytest.raises(OverflowError, match=r"Shape\(\): dimension 1"):
            Shape((0, wrong))
    with pytest.raises(IndexError, match="Shape index out of range"):
        one[2]
    with pytest.raises(TypeError, match="Shape indices must be integers or slices, not str"):
        one["a"]
    with pytest.raises(TypeError):
        one[0] = 1
    with pytest.raises(TypeError):
        one + [1]


def test_an_index_that_changes_the_list():
    dims = []

    class Index:
        def __index__(self):
            dims.clear()
            return 3

    dims.extend([Index(), 4, 5])
    assert Shape(dims) == (3, 4, 5)

    class Fails:
        def __index__(self):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Shape([Fails()])


def test_numpy_takes_it_as_a_shape():
    assert numpy.zeros(Shape((2, 3))).shape == (2, 3)
    assert numpy.arange(6).reshape(Shape((3, 2))).shape == (3, 2)
    assert numpy.zeros((2, 3)).shape == Shape((2, 3))


def test_classes_and_protocols():
    made = Shape((2, 3))
    assert isinstance(made, collections.abc.Sequence) and isinstance(made, jitffi.Object)
    assert made.type_code == 40 and {(2, 3): "a"}[made] == "a"
    match made:
        case [a, b]:
            assert (a, b) == (2, 3)
        case _:
            pytest.fail("a shape matches a sequence pattern")


def test_packed_calls_give_the_very_shape():
    made = Shape((2, 3))
    seen = []
    back = jitffi.convert(lambda x: seen.append(x) or x)(made)
    assert back is made and seen[0] is made
    del seen[:]
    assert made.ref_count == 1


def test_nothing_is_left():
    def work():
        made = Shape((1, 2, 3))
        hash(made), made[1:], made + (4,), made == (1, 2), list(made), pickle.loads(pickle.dumps(made))
        outcome(lambda: Shape((1, 2**70)))
        outcome(lambda: Shape((1, "a")))
        jitffi.convert(lambda x: x)(made)

    assert_nothing_stays(work)


@pytest.mark.parametrize("name", ["Bytes", "Shape", "String", "UCS4String"])
def test_the_examples_in_the_docstrings(name):
    made = getattr(jitffi, name)
    examples = doctest.DocTestParser().get_doctest(made.__doc__, {}, name, None, 0)
    assert examples.examples
    results = doctest.DocTestRunner().run(examples)
    assert results.failed == 0
