"""Faces: one Python object for one native object, classes by type code, moving, and Python's garbage collector."""

from __future__ import annotations

import contextlib
import gc
import threading
import weakref

import pytest

import jitffi
from jitffi import _core
from tests.support.leaks import live_objects

identity = jitffi.convert(lambda x: x)


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = live_objects()
    yield
    assert live_objects() == before


class Node:
    """A Python object that can be in a cycle, and be seen to go."""


# -- identity ---------------------------------------------------------------------------------------------------------


def test_one_object_has_one_wrapper():
    outer = jitffi.List([[1], (2, "x"), {"k": [3]}])
    for item in range(3):
        assert outer[item] is outer[item]
        assert identity(outer[item]) is outer[item]
    inner = outer[0]
    assert next(iter(outer)) is inner and outer.copy()[0] is inner and outer[::-1][-1] is inner
    assert identity(outer) is outer
    node = Node()
    outer.append(node)
    assert outer[3] is node and outer.pop() is node


def test_many_wrappers_at_once():
    """The table of wrappers grows, and finds everybody while they come and go in any order."""
    outer = jitffi.List([[i] for i in range(5000)])
    wrappers = list(outer)
    assert all(outer[i] is wrapper for i, wrapper in enumerate(wrappers))
    del wrappers[::3]
    assert all(outer[wrapper[0]] is wrapper for wrapper in wrappers)
    again = list(outer)
    assert [wrapper[0] for wrapper in again] == list(range(5000)) and all(
        outer[wrapper[0]] is wrapper for wrapper in wrappers
    )
    wrappers.clear()
    again.reverse()
    while again:
        wrapper = again.pop()
        assert outer[wrapper[0]] is wrapper


def test_an_address_used_again():
    for i in range(1000):
        one = jitffi.List([i])
        assert one[0] == i and jitffi.List([one])[0] is one


def test_classes_by_code():
    assert (jitffi.List([1]).type_key, jitffi.List().type_code) == ("list", 36)
    assert (jitffi.Tuple([1]).type_key, jitffi.Tuple().type_code) == ("tuple", 38)
    for value, kind in (([1], jitffi.List), ((1,), jitffi.Tuple), ({}, jitffi.Map)):
        assert isinstance(identity(value), kind) and identity(value).ref_count == 1


def test_weak_references():
    outer = jitffi.List([[1]])
    inner = outer[0]
    reference = weakref.ref(inner)
    assert reference() is inner
    del inner
    assert reference() is None and outer[0] == [1]
    seen = []
    inner = outer[0]
    reference = weakref.ref(inner, lambda _: seen.append(outer[0]))
    del inner
    assert seen == [[1]] and outer[0] is seen[0]


class Undead(jitffi.List):
    saved = None

    def __del__(self):
        Undead.saved = self


class GoesBack(jitffi.List):
    def __del__(self):
        self.outer.append(self)
        self.seen.append(self.outer[0] is self)


def test_a_finaliser_runs_when_nobody_has_the_object_and_may_save_it():
    one = Undead([1])
    outer = jitffi.List([one])
    number = id(one)
    del one
    assert Undead.saved is None  # it sleeps
    outer.clear()
    one, Undead.saved = Undead.saved, None
    assert one == [1] and id(one) == number and one.ref_count == 1
    outer.append(one)
    del one
    gc.collect()
    assert type(outer[0]) is Undead and id(outer[0]) == number
    outer.clear()
    assert Undead.saved is None  # Python calls it once


def test_a_finaliser_may_give_it_to_native_code():
    one, outer, seen = GoesBack([1]), jitffi.List(), []
    number, one.seen, one.outer = id(one), seen, outer
    del one
    assert seen == [True] and id(outer[0]) == number and outer[0].seen is seen
    del seen[:]
    outer.clear()
    assert seen == []


class OwnList(jitffi.List):
    pass


class OwnTuple(jitffi.Tuple):
    pass


class OwnMap(jitffi.Map):
    pass


def test_a_wrapper_stays_what_it_is():
    """What has methods of a List has a native list behind it."""
    for bases in (
        (jitffi.List, jitffi.Tuple),
        (OwnTuple, OwnList),
        (jitffi.List, jitffi.Map),
        (jitffi.List, list),
        (OwnTuple, tuple),
    ):
        with pytest.raises(TypeError, match="lay-?out"):
            type("Both", bases, {})
    for one, other in (
        (OwnList(), OwnTuple),
        (OwnTuple(), OwnList),
        (OwnList(), jitffi.Tuple),
        (OwnList(), jitffi.Object),
    ):
        with pytest.raises(TypeError):
            one.__class__ = other
    for make in (jitffi.List.__new__, jitffi.Tuple.__new__, jitffi.Object.__new__):
        for class_ in (jitffi.Object, jitffi.Error, list):
            with pytest.raises(TypeError):
                make(class_)
    for method in (jitffi.List.append, jitffi.List.__getitem__, jitffi.Tuple.index):
        for wrong in ([1], object(), jitffi.Tuple() if method is not jitffi.Tuple.index else jitffi.List()):
            with pytest.raises(TypeError):
                method(wrong, 0)


# -- moving -----------------------------------------------------------------------------------------------------------


def test_a_list_that_was_moved_is_empty():
    one, other = jitffi.List([1]), jitffi.List()
    handle = one.handle
    moving = one._move()
    assert one == [1]
    other.append(moving)
    assert other[0].handle == handle and other[0] == [1] and other[0] is not one
    for use in (len, repr, list, iter, hash, bool, one.__class__.copy, one.__class__.pop, one.__class__.to_python,
                reversed, lambda x: x[0], lambda x: x.append(1), lambda x: x + [1], lambda x: [1] + x,
                lambda x: x == [1], lambda x: 1 in x, lambda x: x.sort(), lambda x: x.index(1),
                lambda x: x.count(1), lambda x: x.ref_count, lambda x: x.handle, lambda x: x.extend([1]),
                lambda x: jitffi.List(x), lambda x: jitffi.List([x]), lambda x: identity(x), lambda x: x._move(),
                lambda x: x.insert(0, 1), lambda x: x.__setitem__(0, 1), lambda x: x.pad, lambda x: x * 2,
                lambda x: other.append(moving), lambda x: identity(moving), lambda x: x.clear(),
                lambda x: x.unshare(), lambda x: x.__reduce__(), lambda x: x.to_numpy(),
                lambda x: x.__init__([1])):  # fmt: skip
        if use is repr:
            assert repr(one) == "<List: was moved>"
        elif use is hash:
            pytest.raises(TypeError, use, one)
        else:
            with pytest.raises(ValueError, match="List: was moved"):
                use(one)


def test_who_does_not_take_leaves_the_wrapper():
    one = jitffi.List([1])
    assert identity(one._move()) is one and one == [1]
    assert jitffi.List([one._move()])[0] == [1]
    with pytest.raises(ValueError, match="was moved"):
        one[0]
    text = jitffi.convert(lambda x: str(type(x)))
    other = jitffi.Tuple([1])
    assert text(other._move()) == "<class 'jitffi.Tuple'>" and other == (1,)
    with pytest.raises(ValueError, match="Tuple: was moved"):
        jitffi.List([other._move(), other])
    with pytest.raises(TypeError):
        type(jitffi.List()._move())()


def test_moving_while_an_iterator_is_there():
    one = jitffi.List([1, 2])
    at, back = iter(one), reversed(one)
    next(at)
    jitffi.List().append(one._move())
    for iterator in (at, back):
        with pytest.raises(ValueError, match="was moved"):
            next(iterator)


# -- garbage ----------------------------------------------------------------------------------------------------------


def collected(node):
    """Whether a collection finds it; the caller gives up its own reference by handing over a list with it."""
    reference = weakref.ref(node.pop())
    gc.collect()
    return reference() is None


@pytest.mark.parametrize("wrap", [
    lambda n: jitffi.List([n]), lambda n: jitffi.Tuple([n]), lambda n: jitffi.List([[[n]]]),
    lambda n: jitffi.List([(1, [n])]), lambda n: jitffi.Tuple([[1, 2, n, "x" * 50]]), lambda n: jitffi.List([{"k": n}]),
    lambda n: jitffi.List([n, n, n]),
])  # fmt: skip
def test_cycles_through_python_objects(wrap):
    node = Node()
    node.held = wrap(node)
    assert not collected([node])
    holder = [node]
    del node
    assert collected(holder)


def test_what_is_still_held_is_not_collected():
    node = Node()
    node.held = jitffi.List([[node]])
    other = jitffi.List([node.held])  # a second native reference to the list
    reference = weakref.ref(node)
    del node
    gc.collect()
    assert reference() is not None and other[0][0][0] is reference()
    inner = other[0][0]
    other.clear()
    gc.collect()
    assert inner[0] is reference()
    inner.clear()
    gc.collect()
    assert reference() is None


def test_cycles_of_lists_alone():
    one, two = jitffi.List(), jitffi.List()
    one.append(two)
    two.append((one, "x"))
    assert jitffi.count_cycles() == 0
    del one, two
    assert jitffi.count_cycles() == 3 and jitffi.collect_cycles() == 3 and jitffi.count_cycles() == 0
    loop = jitffi.List()
    loop.append(loop)
    before = _core.live_objects()
    del loop
    gc.collect(0)
    assert _core.live_objects() == before
    gc.collect()
    assert _core.live_objects() == before - 1


def test_an_exception_of_a_held_object_comes_back():
    class Bad:
        def __eq__(self, other):
            raise ValueError("no")

        __hash__ = None

    bad = jitffi.List([Bad()])
    for action in (bad.index, bad.__contains__, bad.remove, bad.count, lambda x: bad == jitffi.List([x])):
        with pytest.raises(ValueError, match="^no$"):
            action(2)


def test_deep_chains():
    """Chains of a hundred thousand, of wrappers and Python objects by turns or of lists alone, go without recursion."""
    chain = None
    for _ in range(100_000):
        node = Node()
        node.next = jitffi.List([chain])
        chain = node
    del node, chain
    deep = jitffi.List()
    for _ in range(100_000):
        deep = jitffi.List([deep])
    for action in (jitffi.List.to_python, repr, lambda x: x == jitffi.List([x[0]])):
        with contextlib.suppress(RecursionError):
            action(deep)
    del deep
    gc.collect()


def test_threads():
    """Each on its own lists and on wrappers of a shared one that nobody changes."""
    shared = jitffi.List([[i, f"text {i}"] for i in range(200)])
    failures = []

    def work(seed):
        own = jitffi.List()
        for i in range(3000):
            item = shared[(seed * 7 + i) % 200]
            own.append(item)
            if own[-1] is not shared[(seed * 7 + i) % 200] or item[0] != (seed * 7 + i) % 200:
                failures.append(i)
            if len(own) > 50:
                own.clear()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
