"""jitffi.List against Python's list: every method, with the same inputs, results, errors and content afterwards."""

# ruff: noqa: B023  (functions that are called at once)
from __future__ import annotations

import collections.abc
import contextlib
import copy
import doctest
import gc
import operator
import pickle
import random
import sys

import numpy
import pytest

import jitffi
from tests.support.leaks import live_objects

VALUES = [0, 1, -5, 300, 2**40, -(2**63), 2**63, 1.5, float("inf"), True, False, None, "", "a", "hello", "x" * 40, "é",
          "日本" * 9,           b"", b"bytes", b"y" * 50, (1, "a"), [1, [2]], {"k": [1]}]  # fmt: skip
INDICES = [-7, -4, -3, -1, 0, 1, 2, 3, 4, 9, 2**70, -(2**70)]
LIMITS = [None, -9, -3, -1, 0, 1, 2, 4, 9, 2**70, -(2**70)]


def plain(value):
    """Ours as Python's, so that both sides can be compared."""
    return value.to_python() if hasattr(value, "to_python") else value


def outcome(action):
    try:
        return plain(action()), None
    except Exception as error:
        return None, error


def check(start, action, message=True):
    """The same action on a list and on a List of the same values."""
    ours, theirs = jitffi.List(start), list(start)
    got, error = outcome(lambda: action(ours))
    want, expected = outcome(lambda: action(theirs))
    assert type(error) is type(expected), (error, expected)
    if expected is not None and message:
        assert str(error) == str(expected)
    if got is not None or want is not None:
        assert (type(got), got) == (type(want), want)
    assert ours.to_python() == theirs
    assert ours == theirs and theirs == ours and len(ours) == len(theirs)


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = live_objects()
    yield
    assert live_objects() == before


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back(value):
    one = jitffi.List([value])
    assert plain(one[0]) == value and one.to_python() == [value]
    assert type(one.to_python()[0]) is type(value)
    other = jitffi.List()
    other.append(value)
    assert one == other == [value] and [plain(item) for item in one] == [value]
    assert value in one and one.index(value) == 0 and one.count(value) == 1
    assert repr(one) == f"List({[value]!r})"


@pytest.mark.parametrize("pad", [0, 1, 2, 7, 15])
def test_every_length_of_text_at_every_pad(pad):
    texts = (
        ["x" * size for size in range(140)] + ["é" * size for size in range(80)] + [b"b" * size for size in range(140)]
    )
    one = jitffi.List(texts, pad=pad)
    assert one.pad == pad and one.to_python() == texts and list(one) == texts
    assert [one[i] for i in range(len(one))] == texts
    assert one.copy().pad == pad and one.copy() == texts
    assert all(text in one for text in texts)


def test_construction():
    assert jitffi.List() == [] and jitffi.List([]) == [] and jitffi.List(()) == []
    assert jitffi.List("héy") == ["h", "é", "y"] and jitffi.List({"a": 1}) == ["a"]
    assert jitffi.List(range(2000)) == list(range(2000)) and jitffi.List(i for i in (1, "a")) == [1, "a"]
    assert jitffi.List(jitffi.List([1])) == [1] and jitffi.List(jitffi.Tuple([1])) == [1]
    assert jitffi.List(numpy.arange(3)) == [0, 1, 2] and jitffi.List().pad == 1
    for args, options, words in [((1,), {}, "'int' object is not iterable"), (([], []), {}, "at most 1 argument"),
                                 ((), {"x": 1}, "unexpected keyword argument 'x'"),
                                 ((), {"pad": "1"}, "integer")]:  # fmt: skip
        with pytest.raises(TypeError, match=words):
            jitffi.List(*args, **options)
    for pad in (-1, 16, 2**80):
        with pytest.raises(ValueError, match="pad must be from 0 to 15"):
            jitffi.List(pad=pad)


def test_items_by_index():
    for start in ([], [1], ["a", 2, None]):
        for index in [*INDICES, True, numpy.int8(1), "x", 1.0, None]:
            check(start, lambda x, i=index: x[i])
            check(start, lambda x, i=index: operator.setitem(x, i, "new"))
            check(start, lambda x, i=index: operator.delitem(x, i))
            check(start, lambda x, i=index: x.pop(i))
            check(start, lambda x, i=index: x.insert(i, "new"))
        check(start, lambda x: x.pop())
        check(start, lambda x: x.pop(1, 2))


def test_slices():
    start = ["a", 1, None, 2.5, "long text of more than a slot"]
    for first in LIMITS:
        for last in LIMITS:
            for step in (None, 1, 2, 7, -1, -2, -7, 0, 2**70):
                part = slice(first, last, step)
                check(start, lambda x, part=part: x[part])
                check(start, lambda x, part=part: operator.delitem(x, part))
                for items in ([], ["n"], [5, 6], (1, 2, 3)):
                    check(start, lambda x, part=part, items=items: operator.setitem(x, part, items))
    check(start, lambda x: operator.setitem(x, slice(1, 2), 5), message=False)
    check(start, lambda x: operator.setitem(x, slice(1, 2), x))
    check(start, lambda x: operator.setitem(x, slice(None, None, -1), x))
    check(start, lambda x: operator.setitem(x, slice(0, 0), (i for i in "xyz")))
    check(start, lambda x: operator.setitem(x, slice(0, 3, 2), 5), message=False)
    check(start, lambda x: x["a":])


def test_methods():
    start = [3, "b", 3.0, None, "b", True]
    for value in [3, 3.0, "b", None, 1, True, "zz", 2**80, "\ud800", [], object]:
        check(start, lambda x, v=value: x.remove(v))
        check(start, lambda x, v=value: x.count(v))
        check(start, lambda x, v=value: v in x)
        for limits in [(), (1,), (-3,), (1, 4), (-4, -1), (3, 2), (-(2**70), 2**70), (2**70,), ("a",)]:
            check(start, lambda x, v=value, limits=limits: x.index(v, *limits))
    check(start, lambda x: x.reverse())
    check(start, lambda x: x.clear())
    check(start, lambda x: x.copy())
    check(start, lambda x: x.extend(x))
    check(start, lambda x: x.extend(i for i in (1, "z")))
    check(start, lambda x: x.extend({"k": 1}))
    check(start, lambda x: x.extend(5))
    check(start, lambda x: x.append(), message=False)
    check(start, lambda x: x.insert("a", 1))
    check(start, lambda x: list(reversed(x)))
    for times in (-1, 0, 1, 3):
        check(start, lambda x, n=times: x * n)
        check(start, lambda x, n=times: n * x)
        check(start, lambda x, n=times: operator.imul(x, n) is x)


def test_adding():
    one = jitffi.List([1])
    assert one + [2] == [1, 2] and [2] + one == [2, 1] and one + jitffi.List(["a"]) == [1, "a"]
    assert type(one + [2]) is type([2] + one) is jitffi.List
    for other in ((2,), "ab", 5, None):
        with pytest.raises(TypeError):
            one + other
        with pytest.raises(TypeError):
            other + one
    same = one
    same += "ab"
    assert same is one and one == [1, "a", "b"]
    ours = [0]
    ours += one  # as UserList does: a type that adds itself to lists comes before the list's own +=
    assert ours == [0, 1, "a", "b"] and type(ours) is jitffi.List
    ours.clear()


def test_comparison():
    values = [[], [1], [1, 2], [1.0], [True], ["a"], [[1]], [2**63], [None], [1, "b"], [float("nan")]]
    for left in values:
        for right in values:
            for compare in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
                want, expected = outcome(lambda c=compare, a=left, b=right: c(a, b))
                for a, b in [
                    (jitffi.List(left), right),
                    (left, jitffi.List(right)),
                    (jitffi.List(left), jitffi.List(right)),
                ]:
                    got, error = outcome(lambda c=compare, a=a, b=b: c(a, b))
                    if left == right == [float("nan")] or left is right and left and left[0] != left[0]:
                        continue  # whether a NaN is the same object does not survive
                    assert (got, type(error)) == (want, type(expected)), (compare, left, right)
    assert jitffi.List([1]) != (1,) and jitffi.List([1]) != jitffi.Tuple([1]) and jitffi.List() != None  # noqa: E711
    assert jitffi.List([1]) != [2**90] and jitffi.List(["a"]) != ["\ud800"]
    with pytest.raises(TypeError, match="unhashable type: 'jitffi.List'"):
        hash(jitffi.List())


def test_sorting():
    random.seed(3)
    for start in ([], [1], random.sample(range(5000), 500), [random.random() for _ in range(300)],
                  [f"{random.random():.{i % 17}f}" for i in range(300)], ["é", "e", "z", "日"],
                  [3, 1.5, True, 2**63], [1, "a"]):  # fmt: skip
        for options in ({}, {"reverse": True}, {"key": str}, {"key": lambda v: str(v)[-1], "reverse": True}):
            check(start, lambda x, options=options: x.sort(**options))
    check([1, 2], lambda x: x.sort(None), message=False)
    check([1, 2], lambda x: x.sort(key=5))
    check([2, 1, 3], lambda x: x.sort(key=lambda v: 1 / (v - 3)))
    one = jitffi.List([2, 1, 3])
    with pytest.raises(ValueError, match="list modified during sort"):
        one.sort(key=lambda v: one.append(v) or v if len(one) < 5 else v)
    nested = jitffi.List([[2], [1]])
    first = nested[0]
    nested.sort()
    assert nested[1] is first and nested == [[1], [2]]


def test_iteration_sees_changes_as_pythons_does():
    for make in (list, jitffi.List):
        one = make([1, 2, 3])
        seen = []
        for item in one:
            seen.append(item)
            if len(one) < 6:
                one.append(item + 10)
        assert seen == [1, 2, 3, 11, 12, 13]
        at = iter(one)
        next(at)
        del one[1:]
        assert list(at) == [] and operator.length_hint(at) == 0
        one.extend([7, 8])
        assert list(at) == []
        back = reversed(one)
        assert next(back) == 8
        one.clear()
        assert list(back) == []
    at = iter(jitffi.List("abc"))
    next(at)
    assert operator.length_hint(at) == 2 and list(copy.copy(at)) == ["b", "c"] and next(at) == "b"
    assert operator.length_hint(reversed(jitffi.List("abc"))) == 3


def test_copies():
    one = jitffi.List([1, [2], {"a": [3]}, "x" * 50], pad=3)
    for again in (copy.copy(one), one.copy(), one[:]):
        assert again == one and again is not one and again[1] is one[1] and again.pad == 3
    deep = copy.deepcopy(one)
    assert deep == one and deep[1] is not one[1] and deep.pad == 3
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        for dump in (pickle.dumps, pickle._dumps):
            again = pickle.loads(dump(one, protocol))
            assert type(again) is jitffi.List and again == one and again.pad == 3
    loop = jitffi.List()
    loop.append(loop)
    for again in (copy.deepcopy(loop), pickle.loads(pickle.dumps(loop))):
        assert again[0] is again and again is not loop
        again.clear()
    loop.clear()


def test_unshare():
    one = jitffi.List([1])
    outer = jitffi.List([one])
    handle = one.handle
    one.unshare()
    assert one.handle != handle and outer[0] is not one and outer[0] == one
    handle = one.handle
    one.unshare()
    assert one.handle == handle


def test_numpy():
    cases = [([1, 2], "int64"), ([1, 2**63], "uint64"), ([1.5], "float64"), ([1, 2.5], "float64"),
             ([True, False], "bool"), ([True, 2], "int64"), ([], "float64"),
             ([-1, 2**63, 0.5], "float64")]  # fmt: skip
    for values, dtype in cases:
        one = jitffi.List(values)
        for array in (one.to_numpy(), numpy.asarray(one), numpy.array(one)):
            assert array.dtype == dtype and array.tolist() == numpy.array(values, dtype).tolist()
            assert array.flags.writeable
        assert numpy.asarray(one, "float32").dtype == one.to_numpy("float32").dtype == numpy.float32
    array = one.to_numpy()
    array[0] = 9
    assert one[0] == -1
    with pytest.raises(ValueError, match="negative"):
        jitffi.List([-1, 2**63]).to_numpy()
    for wrong in (["a"], [None], [[1]], [b""], [1, object()]):
        with pytest.raises(TypeError, match="only int, float and bool"):
            jitffi.List(wrong).to_numpy()
    with pytest.raises(ValueError, match="without a copy"):
        one.__array__(copy=False)


def test_what_the_class_is():
    one = jitffi.List([1])
    assert isinstance(one, collections.abc.MutableSequence) and isinstance(one, jitffi.Object)
    assert str(jitffi.List[int]) == "jitffi.List[int]" and jitffi.List.__module__ == "jitffi"
    assert sys.getsizeof(jitffi.List(["x" * 9] * 1000)) > 32 * 1000 > sys.getsizeof(jitffi.List([5] * 1000))
    match one:
        case [1]:
            pass
        case _:
            pytest.fail("a List is a sequence to match")


def test_subclasses():
    class Words(jitffi.List):
        def __init__(self, first, second, pad=None):
            super().__init__([first, second])
            self.extra = "kept"

    words = Words("a", "b")
    outer = jitffi.List([words])
    assert words == ["a", "b"] and outer[0] is words and repr(words) == "Words(['a', 'b'])"
    assert type(words[:]) is jitffi.List and isinstance(words, jitffi.List)
    words.append("c")
    words.__init__("x", "y")
    assert outer[0] == ["x", "y"]
    del words
    assert type(outer[0]) is Words and outer[0].extra == "kept"
    again = pickle.loads(pickle.dumps(Kept([1, 2], pad=4)))
    assert type(again) is Kept and again == [1, 2] and again.pad == 4
    other = Kept("ab")
    other.name = "n"
    assert pickle.loads(pickle.dumps(other)).name == "n"


class Kept(jitffi.List):
    pass


def test_reprs():
    loop = jitffi.List([1])
    loop.append(loop)
    assert repr(loop) == "List([1, [...]])"
    loop.clear()

    class Shown:
        def __repr__(self):
            return "shown é"

    assert repr(jitffi.List([Shown(), "it's", 1e300, -0.0])) == 'List([shown é, "it\'s", 1e+300, -0.0])'
    holder = jitffi.List()

    class Holder:
        def __repr__(self):
            return f"<{holder!r}>"

    holder.append(Holder())
    assert repr(holder) == "List([<List(...)>])"
    holder.clear()


class Meddler:
    """Does something to a list in the midst of one of its operations."""

    def __init__(self, deed, answer=False):
        self.deed, self.answer = deed, answer

    def __eq__(self, other):
        self.deed()
        return self.answer

    def __lt__(self, other):
        self.deed()
        return self.answer

    def __index__(self):
        self.deed()
        return 0

    def __repr__(self):
        self.deed()
        return "meddler"

    __hash__ = None


@pytest.mark.parametrize("name", ["clear", "shrink", "grow", "move"])
def test_user_code_changes_the_list_meanwhile(name):
    def run(operation):
        one = jitffi.List([f"text number {i}" for i in range(20)])
        deeds = {
            "clear": one.clear,
            "shrink": lambda: operator.delitem(one, slice(1, None)),
            "grow": lambda: one.extend(["z" * 30] * (100 if len(one) < 1000 else 0)),
            "move": lambda: jitffi.List().append(one._move()),
        }
        meddler = Meddler(deeds[name])
        one.insert(2, meddler)
        one.append(meddler)
        keep = one.copy() if name == "move" else None
        with contextlib.suppress(ValueError, IndexError, RuntimeError, TypeError):
            operation(one, meddler)
        with contextlib.suppress(ValueError):  # moved
            assert len(one.to_python()) == len(one)
            one.clear()
        if keep:
            keep.clear()

    operations = [
        lambda x, m: x.index(5), lambda x, m: x.count("q"), lambda x, m: x.remove(m.__class__), lambda x, m: m in x,
        lambda x, m: "q" in x, lambda x, m: x == [Meddler(m.deed)] * len(x), lambda x, m: x == x.copy(),
        lambda x, m: x < x.copy(), lambda x, m: x.sort(),
        lambda x, m: x.sort(key=lambda v: v if v is m else Meddler(m.deed)), lambda x, m: repr(x),
        lambda x, m: x[m], lambda x, m: operator.setitem(x, m, 1), lambda x, m: x.pop(m), lambda x, m: x.insert(m, 1),
        lambda x, m: x[m:m], lambda x, m: operator.delitem(x, slice(m, None, m)), lambda x, m: operator.delitem(x, m),
        lambda x, m: operator.setitem(x, slice(m, 5), [1, 2]), lambda x, m: x * m, lambda x, m: x.index(1, m, m),
        lambda x, m: x.extend(m.deed() or i for i in range(9)), lambda x, m: [m.deed() or i for i in x],
        lambda x, m: x.sort(key=lambda v: m.deed() or str(v)),
    ]  # fmt: skip
    for operation in operations:
        run(operation)


def test_destructors_change_the_list_meanwhile():
    class Last:
        def __init__(self, target):
            self.target = target

        def __del__(self):
            self.target.append("gone")
            self.target[0:1] = []

    for action in (lambda x: operator.setitem(x, 3, 1), lambda x: operator.delitem(x, 3), lambda x: x.pop(3),
                   jitffi.List.clear, lambda x: operator.setitem(x, slice(2, 5), [1]),
                   lambda x: operator.delitem(x, slice(None, None, 2))):  # fmt: skip
        one = jitffi.List(["a"] * 6)
        for i in range(6):
            one[i] = Last(one)
        action(one)
        one.to_python()
        while len(one):
            one.pop()
        del one
        gc.collect()


def test_random_operations_against_a_list():
    random.seed(7)
    ours, theirs = jitffi.List(pad=random.randrange(4)), []

    def both(action):
        got, error = outcome(lambda: action(ours))
        want, expected = outcome(lambda: action(theirs))
        assert (got, type(error)) == (want, type(expected))

    for step in range(20000):
        value = random.choice(VALUES[:20])
        i, j = random.randint(-12, 12), random.randint(-12, 12)
        k = random.choice([-3, -2, -1, 1, 2, 3])
        many = [random.choice(VALUES[:20]) for _ in range(random.randrange(6))]
        action = random.choice([
            lambda x: x.append(value), lambda x: x.insert(i, value), lambda x: x.pop(i), lambda x: x.extend(many),
            lambda x: operator.setitem(x, i, value), lambda x: operator.delitem(x, i), lambda x: x[i],
            lambda x: x[i:j:k], lambda x: operator.setitem(x, slice(i, j), many),
            lambda x: operator.delitem(x, slice(i, j, k)),
            lambda x: x.remove(value), lambda x: x.index(value), lambda x: x.count(value), lambda x: x.reverse(),
            lambda x: operator.setitem(x, slice(i, j, k), many), lambda x: x.sort(key=str), lambda x: x.extend(x[:3]),
        ])  # fmt: skip
        both(action)
        if len(theirs) > 60:
            both(lambda x: operator.delitem(x, slice(20, None)))
        if step % 50 == 0:
            assert ours.to_python() == theirs
    assert ours.to_python() == theirs


@pytest.mark.parametrize("documented", [
    jitffi.List, jitffi.Tuple, jitffi.List.to_python, jitffi.collect_cycles, jitffi.List._move,
], ids=lambda each: each.__name__)  # fmt: skip
def test_examples(documented):
    examples = doctest.DocTestParser().get_doctest(documented.__doc__, {}, documented.__name__, None, 0)
    assert doctest.DocTestRunner().run(examples).failed == 0
