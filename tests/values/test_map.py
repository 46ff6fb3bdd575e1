"""jitffi.Map against dict: every method, operator and protocol, views, and user code that changes the map meanwhile."""

from __future__ import annotations

import collections.abc
import copy
import doctest
import gc
import operator
import pickle
import random
import sys
import types
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.leaks import assert_nothing_stays, live_objects

import jitffi

Map = jitffi.Map


def outcome(call):
    """What a call gives: its result, or the class of its exception and, of a KeyError, the key."""
    try:
        return call()
    except KeyError as error:
        return KeyError, error.args if "popitem" not in str(error) else None
    except Exception as error:
        return type(error)


def as_dict(value):
    """What it is in Python: keys that are tuples come out as jitffi.Tuple."""
    if isinstance(value, jitffi.Tuple | Map):
        return value.to_python()
    return tuple(map(as_dict, value)) if type(value) is tuple else value


def agree(mine, model):
    """The same keys, as what they were put in, in the same order, with the same values."""
    assert len(mine) == len(model)
    assert [repr(as_dict(key)) for key in mine] == [repr(key) for key in model]
    assert list(mine.items()) == list(model.items()) and list(mine.values()) == list(model.values())
    assert mine == model and model == mine and (mine != model) is False
    assert repr(mine) == f"Map({model!r})"


class Held:
    """A Python object like any other: equal and hashed by its number."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return isinstance(other, Held) and self.number == other.number

    def __hash__(self):
        return hash(self.number)

    def __repr__(self):
        return f"Held({self.number})"


HELD = [Held(i) for i in range(3)]
CHARACTERS = "ab'\"\\\n\0\x7fäß中😀\u200b\ue000"
KEY = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(-(2**63), 2**64 - 1),
    st.sampled_from([0.0, -0.0, 1.0, 1.5, float("inf"), 2.0**70]),
    st.text(CHARACTERS, max_size=3),
    st.text("ab中", min_size=20, max_size=22),
    st.binary(max_size=3),
    st.tuples(st.integers(0, 2), st.text("ab", max_size=1)),
    st.tuples(st.tuples(st.booleans()), st.none()),
    st.sampled_from(HELD),
    st.sampled_from([frozenset([1]), 1j, int]),
)
VALUE = st.one_of(
    st.none(), st.integers(-5, 5), st.text(CHARACTERS, max_size=25), st.floats(allow_nan=False), st.sampled_from(HELD)
)
PAIRS = st.lists(st.tuples(KEY, VALUE), max_size=12)


@given(pairs=PAIRS, pad=st.integers(0, 15))
@settings(max_examples=200, deadline=None)
def test_a_map_is_made_as_a_dict_is(pairs, pad):
    model = dict(pairs)
    agree(Map(pairs), model)
    agree(Map(iter(pairs)), model)
    agree(Map(model), model)
    agree(Map(Map(model)), model)
    agree(Map(types.MappingProxyType(model)), model)
    padded = Map.with_pad(pad, pairs)
    agree(padded, model)
    assert padded.pad == pad and padded.copy().pad == pad and pickle.loads(pickle.dumps(padded)).pad == pad
    assert dict(Map(model)) == model and dict(Map(model).items()) == model and Map(model).to_python() == model


def test_keywords_are_keys():
    assert Map(a=1, pad=2, mapping=3) == {"a": 1, "pad": 2, "mapping": 3}
    assert Map({"a": 1}, a=2, b=3) == {"a": 2, "b": 3}
    assert Map.with_pad(3, [("a", 1)], pad=4) == {"a": 1, "pad": 4} and Map.with_pad(0) == {}
    m = Map()
    m.update({"a": 1}, pad=2)
    m.update(self=3)
    m.update()
    assert m == {"a": 1, "pad": 2, "self": 3}
    for wrong in (-1, 16):
        with pytest.raises(ValueError, match=f"pad must be from 0 to 15, got {wrong}"):
            Map.with_pad(wrong)
    with pytest.raises(TypeError):
        Map.with_pad("1")


@pytest.mark.parametrize("wrong", [3, [1], ["a"], [(1, 2, 3)], [(1,)], "ab", [None], {1: [1]}.keys(), ["ab", "cd", 3]])
def test_what_no_map_is_made_from(wrong):
    assert outcome(lambda: Map(wrong)) == outcome(lambda: dict(wrong))
    assert outcome(lambda: Map().update(wrong)) == outcome(lambda: {}.update(wrong))
    with pytest.raises(TypeError):
        Map({}, {})


OPERATIONS = [
    ("__getitem__", st.tuples(KEY)),
    ("__setitem__", st.tuples(KEY, VALUE)),
    ("__setitem__", st.tuples(KEY, VALUE)),
    ("__delitem__", st.tuples(KEY)),
    ("__contains__", st.tuples(KEY)),
    ("get", st.tuples(KEY)),
    ("get", st.tuples(KEY, VALUE)),
    ("setdefault", st.tuples(KEY)),
    ("setdefault", st.tuples(KEY, VALUE)),
    ("pop", st.tuples(KEY)),
    ("pop", st.tuples(KEY, VALUE)),
    ("popitem", st.just(())),
    ("update", st.tuples(PAIRS)),
    ("update", st.tuples(PAIRS.map(dict))),
    ("__ior__", st.tuples(PAIRS.map(dict))),
    ("__len__", st.just(())),
]
OPERATION = st.one_of([st.tuples(st.just(name), args) for name, args in OPERATIONS])


@given(start=PAIRS, operations=st.lists(OPERATION, max_size=30))
@settings(max_examples=200, deadline=None)
def test_sequences_of_operations(start, operations):
    mine, model = Map(start), dict(start)
    for name, args in operations:
        wanted = outcome(lambda: getattr(model, name)(*args))  # noqa: B023
        got = outcome(lambda: getattr(mine, name)(*args))  # noqa: B023
        assert got == wanted and repr(as_dict(got)) == repr(wanted)
    agree(mine, model)


def test_a_long_life():
    """Thousands of keys come and go: the same as the dict at every step that is looked at."""
    draw = random.Random(7)
    mine, model = Map(), {}
    for step in range(40_000):
        key = draw.choice(
            [draw.randrange(300), str(draw.randrange(300)), (draw.randrange(20), "x"), draw.random() < 0.5]
        )
        if draw.random() < 0.55:
            mine[key] = model[key] = step
        else:
            assert mine.pop(key, None) == model.pop(key, None)
        if step % 4000 == 0:
            agree(mine, model)
        if step % 15_000 == 14_999:
            mine.clear(), model.clear()
    agree(mine, model)


def test_one_true_and_one_point_nought_are_one_key():
    m = Map({1: "a"})
    m[True] = "b"
    m[1.0] = "c"
    assert list(m.items()) == [(1, "c")] and type(next(iter(m))) is int
    assert 1.0 in m and True in m and m[True] == "c"
    m = Map([(True, 1), (0.0, 2), (False, 3), (-0.0, 4)])
    assert repr(m) == "Map({True: 1, 0.0: 4})"
    assert repr(Map({2**63: 1, float(2**63): 2})) == "Map({9223372036854775808: 2})"


def test_keys_of_every_kind():
    def function():
        pass

    shape, text, wide, raw = jitffi.Shape((1, 2)), jitffi.String("abc"), jitffi.UCS4String("äb"), jitffi.Bytes(b"x")
    m = Map()
    for number, key in enumerate([shape, text, wide, raw, function, len, int, 1j, (1, ("a", None)), frozenset()]):
        m[key] = number
        assert m[key] == number and key in m and m.get(key) == number
    assert m["abc"] == 1 and m["äb"] == 2 and m[b"x"] == 3 and m[(1, ("a", None))] == 8
    assert m[jitffi.Tuple((1, ("a", None)))] == 8
    assert "x" not in m and m[shape] == 0
    nan = float("nan")
    m = Map({nan: 1})
    assert len(m) == 1


@pytest.mark.parametrize("key", [[], {}, set(), bytearray(), (1, []), (1, (2, {})), (set(),)])
def test_keys_without_a_hash(key):
    m, model = Map(q=0), {"q": 0}
    for call in (
        lambda d: d[key],
        lambda d: operator.setitem(d, key, 1),
        lambda d: operator.delitem(d, key),
        lambda d: key in d,
        lambda d: d.get(key),
        lambda d: d.setdefault(key),
        lambda d: d.pop(key, 1),
        lambda d: d.update([(key, 1)]),
    ):
        with pytest.raises(TypeError) as wanted:
            call(model)
        with pytest.raises(TypeError) as got:
            call(m)
        if sys.version_info < (3, 14) and "update" not in call.__code__.co_names:
            assert str(got.value) == str(wanted.value)
    with pytest.raises(TypeError, match=r"unhashable type: 'jitffi\.(Map|List)'"):
        m[jitffi.List()] = 1
    with pytest.raises(TypeError, match="unhashable type: 'jitffi.Map'"):
        m[Map()] = 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(m)
    assert m == {"q": 0}


@pytest.mark.parametrize("key", [2**64, -(2**63) - 1, 10**30, "\ud800"])
def test_keys_that_no_map_can_have(key):
    m = Map({"a": 1})
    assert (key in m) is False and m.get(key) is None and m.get(key, 3) == 3 and m.pop(key, 4) == 4
    for call in (lambda: m[key], lambda: m.pop(key), lambda: operator.delitem(m, key)):
        with pytest.raises(KeyError) as caught:
            call()
        assert caught.value.args == (key,)
    with pytest.raises((OverflowError, UnicodeEncodeError)):
        m[key] = 1
    with pytest.raises((OverflowError, UnicodeEncodeError)):
        m.setdefault(key, 1)
    assert m == {"a": 1} and m != {key: 1}


def test_a_key_error_has_the_key():
    for key in ("a", 3, (1, 2), (), None, "x" * 100):
        for call in (lambda m: m[key], lambda m: m.pop(key), lambda m: operator.delitem(m, key)):  # noqa: B023
            with pytest.raises(KeyError) as caught:
                call(Map())
            assert caught.value.args == (key,) and type(caught.value.args[0]) is type(key)
    with pytest.raises(KeyError, match="empty"):
        Map().popitem()


def test_arguments_are_counted():
    for name in ("get", "setdefault", "pop"):
        for args in ((), (1, 2, 3)):
            with pytest.raises(TypeError, match=f"{name} expected at"):
                getattr(Map(), name)(*args)


def test_fromkeys_and_copies():
    assert Map.fromkeys("aba") == {"a": None, "b": None} and list(Map.fromkeys("cab")) == ["c", "a", "b"]
    assert Map.fromkeys(iter([1, 2]), 3) == {1: 3, 2: 3}
    with pytest.raises(TypeError):
        Map.fromkeys(3)
    inner = Map(x=[1])
    one = Map(a=inner, b=[1, 2])
    for shallow in (one.copy(), copy.copy(one), Map(one)):
        assert shallow == one and shallow is not one and shallow["a"] is inner
        shallow["c"] = 1
        assert "c" not in one
    deep = copy.deepcopy(one)
    assert deep == one and deep["a"] is not inner
    deep["a"]["x"].append(2)
    assert one == {"a": {"x": [1]}, "b": [1, 2]} and deep["a"] == {"x": [1, 2]}


def test_a_map_within_itself():
    m = Map(a=1)
    m["self"] = m
    assert repr(m) == "Map({'a': 1, 'self': {...}})" and m["self"] is m
    for other in (pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
        assert type(other) is Map and other["self"] is other and other is not m and other["a"] == 1
    plain = m.to_python()
    assert type(plain) is dict and plain["self"] is plain and plain["a"] == 1
    for each in (m, other):
        del each["self"]
    plain.clear()


def test_to_python_goes_all_the_way_down():
    shared = [1, "a"]
    m = Map({"list": shared, 2: {"inner": {"deep": (1, [2])}}, (1, 2): HELD[0], "b": b"x", "s": jitffi.Shape((1,))})
    plain = m.to_python()
    assert plain == {"list": [1, "a"], 2: {"inner": {"deep": (1, [2])}}, (1, 2): HELD[0], "b": b"x", "s": (1,)}
    assert type(plain["list"]) is list and type(plain[2]["inner"]) is dict and type(plain[2]["inner"]["deep"]) is tuple
    assert plain[1, 2] is HELD[0]
    inner = jitffi.List([[1]])
    plain = Map(a=inner, b=inner).to_python()
    assert plain["a"] is plain["b"]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickling(protocol):
    m = Map({"a": [1, {"b": None}], 2: (1, "x" * 30), None: b"y"})
    back = pickle.loads(pickle.dumps(m, protocol))
    assert type(back) is Map and back == m and list(back) == list(m)
    assert pickle.loads(pickle.dumps(Map(), protocol)) == {}


def test_comparison_and_either():
    assert Map(a=1) == {"a": 1.0} and Map(a=1) != {"a": 2} and Map(a=1) != {"b": 1} and Map(a=1) != {}
    assert Map(a=[1, (2,)]) == {"a": [1, (2,)]} == Map(a=[1, (2,)]) and Map(a=1, b=2) == Map(b=2, a=1)
    assert Map() != [] and Map() != 3 and (Map() == collections.OrderedDict()) is True
    with pytest.raises(TypeError):
        Map() < Map()  # noqa: B015

    class Fails:
        def __eq__(self, other):
            raise ZeroDivisionError("mine")

    for left, right in ((Map(a=Fails()), {"a": 1}), ({"a": 1}, Map(a=Fails())), (Map(a=Fails()), Map(a=1))):
        with pytest.raises(ZeroDivisionError, match="mine"):
            left == right  # noqa: B015


def test_union():
    one, other = Map.with_pad(4, a=1, b=2), {"b": 3, "c": 4}
    for joined in (one | other, one | Map(other)):
        assert type(joined) is Map and list(joined.items()) == [("a", 1), ("b", 3), ("c", 4)] and joined.pad == 4
    joined = other | one
    assert type(joined) is Map and list(joined.items()) == [("b", 2), ("c", 4), ("a", 1)]
    before = one
    one |= [("z", 1)]
    assert one is before and one["z"] == 1
    plain = {"q": 1}
    plain |= Map(r=2)
    assert type(plain) is dict and plain == {"q": 1, "r": 2}
    with pytest.raises(TypeError):
        one | [("a", 1)]
    with pytest.raises(TypeError):
        one | 3
    one |= one
    one.update(one)
    assert one == {"a": 1, "b": 2, "z": 1}


def test_a_pair_that_is_used_again_has_the_hash_of_what_is_in_it():
    """From 3.14 on tuples keep their hash."""
    pairs = Map((i, i) for i in range(5)).items()
    assert [hash(pair) for pair in pairs] == [hash((i, i)) for i in range(5)]
    assert set(pairs) == {(i, i) for i in range(5)}


# -- views ---------------------------------------------------------------------------------------------------


@given(pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), max_size=6), other=st.sets(st.integers(0, 5)))
@settings(max_examples=150, deadline=None)
def test_views_are_sets_as_those_of_a_dict(pairs, other):
    model = dict(pairs)
    mine = Map(pairs)
    second = dict.fromkeys(other, 1)
    for get in (dict.keys, dict.items):
        name = get.__name__
        view, wanted = getattr(mine, name)(), get(model)
        with_items = name == "items"
        for theirs in (
            other,
            frozenset(other),
            get(second),
            set(second.items()),
            list(other),
            getattr(Map(second), name)(),
        ):
            plain = set(theirs)
            for operate in (operator.and_, operator.or_, operator.sub, operator.xor):
                got = operate(view, theirs)
                assert got == operate(set(wanted), plain) and type(got) is set
                assert operate(theirs, view) == operate(plain, set(wanted))
            assert view.isdisjoint(theirs) is set(wanted).isdisjoint(plain)
            if isinstance(theirs, list):
                continue
            for compare in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
                assert compare(view, theirs) is compare(set(wanted), plain)
                assert compare(theirs, view) is compare(plain, set(wanted))
        assert (
            len(view) == len(wanted) and list(view) == list(wanted) and list(reversed(view)) == list(reversed(wanted))
        )
        assert (
            all(each in view for each in wanted)
            and (99, 1) not in view
            and 99 not in view
            and [] not in (view if with_items else [])
        )
    assert list(mine.values()) == list(model.values()) and list(reversed(mine.values())) == list(
        reversed(model.values())
    )
    assert list(reversed(mine)) == list(reversed(model)) and 99 not in mine.values()


def test_views_are_live():
    m = Map(a=1)
    keys, values, items = m.keys(), m.values(), m.items()
    m["b"] = [2]
    assert list(keys) == ["a", "b"] and list(values) == [1, [2]] and ("b", [2]) in items and len(items) == 2
    assert repr(keys) == "MapKeys(['a', 'b'])" and repr(values) == "MapValues([1, List([2])])"
    assert repr(Map(a=1).items()) == "MapItems([('a', 1)])"
    assert keys.mapping["a"] == 1 and values.mapping == m and items.mapping == m
    with pytest.raises(TypeError):
        keys.mapping["c"] = 1
    assert isinstance(keys, collections.abc.KeysView) and isinstance(items, collections.abc.ItemsView)
    assert isinstance(values, collections.abc.ValuesView) and isinstance(keys, collections.abc.Set)
    with pytest.raises(TypeError):
        hash(keys)
    with pytest.raises(TypeError):
        m.items() & {1}  # a list in a value has no hash
    with pytest.raises(TypeError):
        keys & 3
    with pytest.raises(TypeError):
        keys < [1]  # noqa: B015
    with pytest.raises(TypeError):
        type(keys)()


def test_a_map_that_is_changed_while_it_is_iterated():
    def change_by(change):
        for make in (iter, reversed, Map.keys, Map.values, Map.items, lambda m: reversed(m.items())):
            m = Map(a=1, b=2, c=3)
            iterator = iter(make(m))
            for early in (0, 1):
                for _ in range(early):
                    next(iterator)
                change(m)
                for _ in range(2):
                    with pytest.raises(RuntimeError, match="Map changed during iteration"):
                        next(iterator)
                m = Map(a=1, b=2, c=3)
                iterator = iter(make(m))

    for change in (
        lambda m: m.update(d=4),
        lambda m: m.pop("a"),
        lambda m: m.popitem(),
        lambda m: m.clear(),
        lambda m: operator.delitem(m, "b"),
        lambda m: (m.pop("a"), m.update(x=1)),
    ):
        change_by(change)
    m = Map(a=1, b=2)
    for key in m:
        m[key] = 5  # values may change
        m.setdefault(key, 3)
    assert m == {"a": 5, "b": 5}
    iterator = iter(m)
    assert operator.length_hint(iterator) == 2 and list(iterator) == ["a", "b"]
    m["c"] = 1
    assert list(iterator) == [] and operator.length_hint(iterator) == 0
    empty = Map()
    iterator = iter(empty)
    assert next(iterator, None) is None
    m.unshare()
    iterator = iter(m)
    shared = [m]
    held = jitffi.List(shared)
    m.unshare()
    with pytest.raises(RuntimeError):
        next(iterator)
    assert held[0] == m and held[0] is not m


def test_pairs_that_somebody_keeps_are_not_used_again():
    m = Map((i, str(i)) for i in range(5))
    iterator = iter(m.items())
    first = next(iterator)
    second = next(iterator)
    assert first == (0, "0") and second == (1, "1")
    assert list(m.items()) == [(i, str(i)) for i in range(5)]
    assert [key + len(value) for key, value in m.items()] == [1, 2, 3, 4, 5]
    nested = Map((i, [i]) for i in range(5))
    assert [value[0] for _, value in nested.items()] == [0, 1, 2, 3, 4]


# -- classes ---------------------------------------------------------------------------------------------------


def test_classes_and_protocols():
    m = Map(a=1)
    assert isinstance(m, collections.abc.MutableMapping) and isinstance(m, jitffi.Object) and not isinstance(m, dict)
    assert not isinstance(m, collections.abc.Hashable) and issubclass(Map, collections.abc.Mapping)
    match m:
        case {"a": value, **rest}:
            assert value == 1 and rest == {}
        case _:
            pytest.fail("a Map matches a mapping pattern")
    assert (lambda **keys: keys)(**m) == {"a": 1} and {**m} == {"a": 1}
    alias = Map[str, int]
    assert alias.__origin__ is Map and alias.__args__ == (str, int)
    assert bool(Map()) is False and bool(m) is True
    assert {name for name in dir(dict) if not name.startswith("_")} <= set(dir(Map))
    assert weakref.ref(m)() is m
    with pytest.raises(AttributeError):
        m.extra = 1


class Sub(Map):
    def __init__(self, first, *args, **keys):
        super().__init__(*args, **keys)
        self.first = first


def test_subclasses():
    m = Sub(1, {"a": 2}, b=3)
    assert m == {"a": 2, "b": 3} and m.first == 1 and repr(m) == "Sub({'a': 2, 'b': 3})"
    back = pickle.loads(pickle.dumps(m))
    assert type(back) is Sub and back == m and back.first == 1
    deep = copy.deepcopy(m)
    assert type(deep) is Sub and deep == m and deep.first == 1
    assert type(m.copy()) is Map
    held = jitffi.List([m])
    assert held[0] is m


def test_the_same_object_has_the_same_wrapper():
    m = Map(a=[1], b={"c": 1})
    assert m["a"] is m["a"] and m["b"] is m["b"] and type(m["b"]) is Map
    seen = []
    assert jitffi.convert(lambda x: seen.append(x) or x)(m) is m and seen[0] is m
    m["b"]["d"] = 2
    assert m == {"a": [1], "b": {"c": 1, "d": 2}}
    held = m["b"]
    del m
    gc.collect()
    assert held == {"c": 1, "d": 2}


def test_unshare():
    m = Map(a=1)
    alone = m.handle
    m.unshare()
    assert m.handle == alone
    other = jitffi.List([m])
    m.unshare()
    m["b"] = 2
    assert other[0] == {"a": 1} and m == {"a": 1, "b": 2} and m.pad == other[0].pad


def test_a_map_that_was_moved():
    taken = []
    m = Map(a=1)
    keys, iterator = m.keys(), iter(m)
    jitffi.List([m._move()])
    for call in (
        lambda: m["a"],
        lambda: len(m),
        lambda: "a" in m,
        lambda: m.update(a=1),
        lambda: list(m),
        lambda: m == Map(),
        lambda: m == {},
        lambda: Map() == m,
        lambda: m.copy(),
        lambda: m | {},
        lambda: m.to_python(),
        lambda: m.items(),
        lambda: m.popitem(),
        lambda: len(keys),
        lambda: list(keys),
        lambda: next(iterator),
        lambda: pickle.dumps(m),
    ):
        try:
            taken.append(call())
        except ValueError as error:
            assert "was moved" in str(error)
    assert taken == [] or all(isinstance(each, type(m.items)) or "MapItems" in type(each).__name__ for each in taken)
    assert "was moved" in repr(m)


# -- user code in the middle ----------------------------------------------------------------------------------


class Meddler:
    """Every comparison with another of its hash does something to the map first."""

    def __init__(self, hash_, equal=False):
        self.hash, self.equal, self.act = hash_, equal, None

    def __hash__(self):
        return self.hash

    def __eq__(self, other):
        if self.act is not None:
            act, self.act = self.act, None
            act()
        return self.equal


ACTS = {
    "clear": lambda m: m.clear(),
    "grow": lambda m: m.update((f"new key number {i}", i) for i in range(500)),
    "delete": lambda m: [m.pop(key) for key in list(m)[:3]],
    "refill": lambda m: (m.clear(), m.update((i, "x" * 40) for i in range(50))),
    "move": lambda m: jitffi.List([m._move()]).clear(),
    "unshare": lambda m: m.unshare(),
}
CALLS = {
    "get": lambda m, key: m.get(key),
    "item": lambda m, key: m[key],
    "set": lambda m, key: operator.setitem(m, key, ["value"]),
    "delete": lambda m, key: operator.delitem(m, key),
    "pop": lambda m, key: m.pop(key),
    "setdefault": lambda m, key: m.setdefault(key, "y" * 50),
    "in": lambda m, key: key in m,
    "update": lambda m, key: m.update({key: 1, "z": 2}),
    "update by map": lambda m, key: m.update(Map({key: 1, "z": 2})),
    "equal": lambda m, key: m == {key: 1, **{str(i): i for i in range(7)}},
    "union": lambda m, key: m | {key: 1},
    "items": lambda m, key: (key, 1) in m.items(),
    "keys": lambda m, key: m.keys() & [key],
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("equal", [False, True])
def test_comparing_keys_changes_the_map(act, call, equal):
    inside = Meddler(hash("collision"), equal)
    m = Map({str(i): "v" * 30 for i in range(7)})
    m[inside] = [1]
    key = Meddler(hash("collision"), equal)
    key.act = inside.act = lambda: ACTS[act](m)
    outcome(lambda: CALLS[call](m, key))
    inside.act = key.act = None
    outcome(lambda: (list(m.items()), m.update(a=1), m.to_python(), len(m)))


@pytest.mark.parametrize("act", ACTS)
def test_hashing_a_key_changes_the_map(act):
    class Hashed:
        def __hash__(self):
            outcome(lambda: ACTS[act](m))
            return 5

    for call in CALLS.values():
        m = Map({str(i): "v" * 30 for i in range(7)})
        outcome(lambda: call(m, Hashed()))  # noqa: B023
        outcome(lambda: list(m.items()))  # noqa: B023


def test_comparing_values_changes_the_maps():
    class Value:
        def __eq__(self, other):
            m.clear()
            d.clear()
            d.update((i, i) for i in range(100))
            return True

    m = Map({i: Value() for i in range(10)})
    d = dict.fromkeys(range(10), 1)
    outcome(lambda: m == d)
    m = Map({i: Value() for i in range(10)})
    other = Map({i: Value() for i in range(10)})
    d = {}
    outcome(lambda: m == other)
    assert len(m) == 0 and len(d) == 100


def test_a_destructor_changes_the_map():
    class Ends:
        def __del__(self):
            m["from the end"] = len(m)

    m = Map(a=Ends(), b=1)
    m["a"] = 2
    assert m["from the end"] == 3 or m["from the end"] == 2
    m = Map(a=Ends(), b=1)
    del m["a"]
    assert list(m) == ["b", "from the end"]
    m = Map(a=Ends(), b=1)
    m.clear()
    assert m == {"from the end": 0}
    m = Map(a=Ends())
    m.pop("a")
    assert list(m) == ["from the end"]


def test_errors_of_keys_are_their_own():
    class Fails:
        def __hash__(self):
            raise ZeroDivisionError("hash")

    class Unequal:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            raise ZeroDivisionError("eq")

    m = Map(a=1)  # an empty one does not hash what pop() is given, as dict
    for call in CALLS.values():
        with pytest.raises(ZeroDivisionError, match="hash"):
            call(m, Fails())
    m.clear()
    one = Unequal()
    m[one] = 1
    assert m[one] == 1  # itself, without asking
    for call in ("get", "item", "set", "delete", "pop", "setdefault", "in", "update", "update by map", "union"):
        with pytest.raises(ZeroDivisionError, match="eq"):
            CALLS[call](m, Unequal())
    assert len(m) == 1


# -- memory -----------------------------------------------------------------------------------------------------


def test_nothing_is_left():
    def work():
        m = Map({"a": [1, 2], 2: {"b": "x" * 50}, (1, "y"): HELD[0]}, c="z" * 100)
        m["d"] = Map(m)
        m.pop("c"), m.popitem(), m.setdefault("q", [1]), m.get(2), m.copy(), m | {"r": 1}, repr(m), m == m.to_python()
        list(m.items()), m.keys() & {"a"}, list(reversed(m)), dict(m), pickle.loads(pickle.dumps(Map(a=1)))
        for call in (
            lambda: m["none"],
            lambda: m.update([(1, 2), (3,)]),
            lambda: m.update([([], 2)]),
            lambda: operator.setitem(m, "x", 2**70),
            lambda: operator.setitem(m, "\ud800", 1),
            lambda: Map([(1, 2**70)]),
            lambda: Map(a="\ud800"),
            lambda: m.items() & {1},
            lambda: Map.fromkeys([1, []]),
        ):
            outcome(call)
        iterator = iter(m.items())
        next(iterator)
        m.clear()
        outcome(lambda: next(iterator))

    assert_nothing_stays(work)


def test_cycles_through_python_are_found():
    class Node:
        pass

    before = live_objects()
    node = Node()
    node.map = Map(node=node, view=1)
    node.view = node.map.items()
    node.iterator = iter(node.map)
    watch = weakref.ref(node)
    del node
    gc.collect()
    assert watch() is None and live_objects() == before


def test_the_examples_in_the_docstring():
    examples = doctest.DocTestParser().get_doctest(Map.__doc__, {}, "Map", None, 0)
    assert examples.examples and doctest.DocTestRunner().run(examples).failed == 0
