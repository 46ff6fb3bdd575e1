"""jitffi.Set against set: every method, operator and protocol, and user code that changes the set meanwhile."""

from __future__ import annotations

import collections.abc
import copy
import doctest
import gc
import operator
import pickle
import sys
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.leaks import assert_nothing_stays, live_objects

import jitffi
from jitffi import _core

Set = jitffi.Set


def outcome(call):
    """What a call gives, sets as Python's, or the class of its exception and, of a KeyError, the key."""
    try:
        made = call()
    except KeyError as error:
        return KeyError, error.args
    except Exception as error:
        return type(error)
    return made.to_python() if isinstance(made, Set) else made


class Held:
    """A Python object like any other: equal and hashed by its number."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return isinstance(other, Held) and self.number == other.number

    def __hash__(self):
        return hash(self.number)


ITEM = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, 1.0, 1.5, 2.0**70, 2**64 - 1, "a text that no slot has room for", b"ab"]),
    st.text("ab\xe4\u4e2d", max_size=2),
    st.tuples(st.integers(0, 2), st.text("ab", max_size=1)),
    st.sampled_from([Held(1), Held(2), frozenset([1]), 1j, int]),
)
ITEMS = st.lists(ITEM, max_size=10)
#: What an iterable is given as.
OTHER = st.one_of(ITEMS, ITEMS.map(set), ITEMS.map(frozenset), ITEMS.map(dict.fromkeys), ITEMS.map(Set))
SETS = st.one_of(ITEMS.map(set), ITEMS.map(frozenset), ITEMS.map(Set))


def python(other):
    return other.to_python() if isinstance(other, Set) else other


METHODS = [
    *[(name, st.tuples(ITEM)) for name in ("add", "discard", "remove", "__contains__")],
    *[
        (name, st.lists(OTHER, max_size=2))
        for name in ("union", "update", "intersection", "intersection_update", "difference", "difference_update")
    ],
    *[
        (name, st.tuples(OTHER))
        for name in (
            "symmetric_difference", "symmetric_difference_update", "issubset", "issuperset", "isdisjoint",
        )
    ],
    ("copy", st.just(())),
    ("clear", st.just(())),
    ("__len__", st.just(())),
]  # fmt: skip
METHOD = st.one_of([st.tuples(st.just(name), args) for name, args in METHODS])


@given(start=ITEMS, calls=st.lists(METHOD, max_size=12))
@settings(max_examples=40, deadline=None)
def test_sequences_of_methods(start, calls):
    mine, model = Set(start), set(start)
    stays = True  # of equal items the same one as Python's; its intersections with what is no set take the other's
    for name, args in calls:
        stays = stays and (
            name != "intersection_update" or all(isinstance(each, set | frozenset | Set) for each in args)
        )
        got = outcome(lambda: getattr(mine, name)(*args))  # noqa: B023
        wanted = outcome(lambda: getattr(model, name)(*map(python, args)))  # noqa: B023
        assert got == wanted and type(got) is type(wanted), name
        assert mine == model and model == mine and len(mine) == len(model) and set(mine) == model
        assert not stays or sorted(map(repr, mine)) == sorted(map(repr, Set(model)))


OPERATORS = ["or_", "and_", "sub", "xor", "ior", "iand", "isub", "ixor", "lt", "le", "eq", "ne", "gt", "ge"]


@given(left=ITEMS, right=SETS, is_right=st.booleans(), name=st.sampled_from(OPERATORS))
@settings(max_examples=300, deadline=None)
def test_operators(left, right, is_right, name):
    act = getattr(operator, name)
    mine, model = Set(left), set(left)
    if is_right and name[0] != "i":
        made, wanted = act(right, mine), act(python(right), model)
    else:
        made, wanted = act(mine, right), act(model, python(right))
    assert made == wanted and (type(made) is bool or type(made) is Set)
    assert name[0] != "i" or made is mine


def test_made_in_order_and_popped_from_the_end():
    s = Set("hello")
    assert list(s) == ["h", "e", "l", "o"] and repr(s) == "Set({'h', 'e', 'l', 'o'})" and repr(Set()) == "Set()"
    assert Set(s) == s and Set(frozenset(s)) == s and Set({"h": 1}) == {"h"} and Set.with_pad(3, s).pad == 3
    s.discard("e")
    s.add("h")
    s.add("e")
    assert list(s) == ["h", "l", "o", "e"] and s.pop() == "e" and list(s) == ["h", "l", "o"]
    s = Set([1, True, 1.0, 0.0, False])
    assert repr(s) == "Set({1, 0.0})" and s == {True, 0}
    s.clear()
    with pytest.raises(KeyError, match="pop from an empty set"):
        s.pop()
    for call in (lambda: Set(1), lambda: Set([[]]), lambda: Set([1], [2]), lambda: Set(iterable=[])):
        with pytest.raises(TypeError):
            call()


def test_it_is_a_mutable_set_of_its_own():
    s = Set([1, 2])
    assert isinstance(s, collections.abc.MutableSet) and not isinstance(s, set) and Set[int] == Set[int]
    assert {1: 0, 2: 0}.keys() == s and jitffi.Map({1: 0, 2: 0}).keys() == s
    assert s == {1: 0, 2: 0}.keys() and s != [1, 2] and s >= {1: 0}.keys()
    with pytest.raises(TypeError):
        hash(s)
    for other in ([1], "a", 3):
        for act in (operator.or_, operator.and_, operator.sub, operator.xor, operator.iand, operator.lt):
            with pytest.raises(TypeError):
                act(s, other)
    match s:
        case Set(found):
            assert found is s


@pytest.mark.parametrize("item", [[], {}, bytearray(), (1, []), jitffi.List()])
def test_items_without_a_hash(item):
    s, model = Set([1]), {1}
    for call in (
        lambda x: x.add(item), lambda x: x.remove(item), lambda x: x.discard(item), lambda x: item in x,
        lambda x: x.update([item]), lambda x: x.isdisjoint([item]), lambda x: x.intersection([item]),
        lambda x: x.issuperset([item]),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=r"unhashable type|unhashable"):
            call(s)
        with pytest.raises(TypeError):
            call(model)
    assert s == {1}
    s = Set([frozenset((1, 2))])
    assert {1, 2} in s and {1} not in s
    s.remove({1, 2})
    assert not s
    with pytest.raises(KeyError) as caught:
        s.remove({3})
    assert caught.value.args == ({3},)


@pytest.mark.parametrize("item", [2**64, -(2**63) - 1, "\ud800"])
def test_what_no_set_of_ours_can_hold(item):
    s, other = Set([1, 2]), {1, item}
    assert item not in s and s & other == {1} and s - other == {2} and not s.issuperset(other)
    assert Set([1]) < other and not s <= other and s != other and s.isdisjoint({item}) and Set() != {item}
    s.discard(item)
    s -= {item, 2}
    assert s == {1}
    for call in (lambda: s.add(item), lambda: s | other, lambda: s.update(other), lambda: Set(other)):
        with pytest.raises((OverflowError, UnicodeEncodeError)):
            call()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_copies_and_pickles(protocol):
    class Named:
        pass

    s = Set.with_pad(5, ["a", ("b", 1), None])
    for other in (s.copy(), copy.copy(s), copy.deepcopy(s), pickle.loads(pickle.dumps(s, protocol))):
        assert type(other) is Set and other == s and list(other) == list(s) and other.pad == 5 and other is not s
    held = Held(1)
    assert next(iter(copy.copy(Set([held])))) is held and next(iter(copy.deepcopy(Set([held])))) is not held
    plain = Set([(1, "a"), 2]).to_python()
    assert plain == {(1, "a"), 2} and {type(item) for item in plain} == {tuple, int}


class Own(Set):
    def __init__(self, *items):
        super().__init__(items)
        self.made = len(items)


def test_subclasses():
    own = Own(1, 2)
    assert own == {1, 2} and own.made == 2 and repr(own) == "Own({1, 2})"
    assert type(own | {3}) is Set and type(own.copy()) is Set and type(own.union([4])) is Set
    other = copy.copy(own)
    assert type(other) is Own and other.made == 2 and other == own
    assert _core.count_cycles() == 0 and jitffi.List([own])[0] is own
    back = pickle.loads(pickle.dumps(own))
    assert type(back) is Own and back.made == 2
    own.__init__(7)
    assert own == {7}


def test_changes_meanwhile():
    s = Set(range(5))
    with pytest.raises(RuntimeError, match="Set changed size during iteration"):
        for item in s:
            s.discard(item)
    iterator = iter(Set([1, 2]))
    assert iterator.__length_hint__() == 2 and list(copy.copy(iterator)) == [1, 2] and next(iterator) == 1

    class Changes(Held):
        changed = Set()

        def __eq__(self, other):
            Changes.changed.clear()
            return False

        __hash__ = Held.__hash__

    for call in (
        lambda x: x.union([Changes(1)]), lambda x: x.intersection([Changes(1), Changes(1)]),
        lambda x: x.add(Changes(1)), lambda x: x == {Changes(1)}, lambda x: Changes(1) in x,
        lambda x: x.symmetric_difference_update({Changes(1)}), lambda x: x.difference_update([Changes(1)]),
        lambda x: x.issubset([Changes(1), Changes(1)]),
    ):  # fmt: skip
        Changes.changed = s = Set([Changes(1), Held(1), 1])
        outcome(lambda: call(s))  # noqa: B023
        assert list(s) == list(s)


def test_identity_is_kept_across_the_boundary():
    echo = jitffi.function("(s: set[i64]) -> set[i64]")(lambda s: (s.add(3), s)[1])
    packed = jitffi.Function(echo)
    call = jitffi.Function.from_packed(packed.packed_address, signature=packed.signature, self_handle=packed.handle)
    s = Set([1])
    assert call(s) is s and s == {1, 3} and type(call({1})) is Set
    given_away = jitffi.convert(lambda s: s)
    assert given_away(s) is s and type(given_away({1, 2})) is Set and given_away(frozenset("a")) == frozenset("a")
    nested = given_away([{1}, {"a": {2}}])
    assert type(nested[0]) is Set and type(nested[1]["a"]) is Set and nested.to_python() == [{1}, {"a": {2}}]


@jitffi.register_object("test.set.Node")
class Node:
    known: set[str] = jitffi.field(default_factory=set)
    near: jitffi.Set = jitffi.field(default_factory=set)


def test_fields_graphs_and_circles():
    node = Node()
    node.known = {"a"}
    node.known.add("b")
    assert node.known == {"a", "b"} and type(node.known) is Set
    with pytest.raises(TypeError, match=r"expected set\[str\], got set with int 1"):
        node.known = {1}
    assert jitffi.asdict(node) == {"known": {"a", "b"}, "near": set()}
    graph = [node.known, node.known, {1, (2, "x")}]
    for back in (jitffi.from_json(jitffi.to_json(graph)), jitffi.from_bytes(jitffi.to_bytes(jitffi.convert(graph)))):
        assert back == graph and type(back[2]) is Set
    assert jitffi.to_json({2, 1}) == '{"$set": [1, 2]}' and jitffi.from_json('{"$set": ["a"]}') == {"a"}
    assert jitffi.structural_equal({1, 2}, Set([2, 1])) and not jitffi.structural_equal({1}, [1])
    assert jitffi.structural_hash({"a": {1, 2}}) == jitffi.structural_hash({"a": Set([2, 1])})
    mismatch = jitffi.first_structural_mismatch({1, 2}, {1, 3})
    assert [str(path) for path in mismatch] == ["<root>[2]", "<root>[2]"]
    seen = []
    jitffi.structural_walk([{1}, Set([2])], (int, seen.append))
    assert seen == [1, 2] and jitffi.structural_map({1, 2}, (int, lambda x: x + 1)) == {2, 3}
    assert jitffi.to_plain([Set([(1, 2)])]) == [{(1, 2)}]


def test_nothing_leaks_and_circles_are_collected():
    def everything():
        s = Set(["a" * 40, (1, "b"), Held(3)])
        t = s | {"c" * 40} | Set(s)
        outcome(lambda: t.update([1, [], 2]))
        outcome(lambda: t.intersection([[]]))
        t &= s
        return s.to_python(), list(t), t ^ s, s <= t

    assert_nothing_stays(everything)
    before = live_objects()

    class Owner:
        pass

    owner = Owner()
    owner.set = Set([owner])
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None and live_objects() == before


def test_the_docstring_holds():
    assert doctest.run_docstring_examples(Set.__doc__, {}, name="Set") is None
    assert sys.getsizeof(Set()) < 200
