"""Corners of Python's containers that ours have, too: classes of results, copies of cycles, iterators that travel."""

from __future__ import annotations

import copy
import pickle
from collections import abc
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from jitffi import Bytes, List, Map, Shape, String, Tuple


class Own(Tuple):
    pass


@pytest.mark.parametrize("whole", [lambda t: t * 1, lambda t: t[:], lambda t: t + (), lambda t: () + t, Tuple])
def test_a_result_of_a_subclass_is_a_tuple_of_the_class_itself(whole: Any) -> None:
    own, plain = Own([1, [2]]), Tuple([1, [2]])
    made = whole(own)
    assert type(made) is Tuple
    assert made == own and made is not own and made[1] is own[1]
    assert whole(plain) is plain or whole is not Tuple


def test_copies_of_a_subclass_have_its_class_and_attributes() -> None:
    own = Own([1, [2]])
    own.note = ["kept"]
    for made, same in ((copy.copy(own), True), (copy.deepcopy(own), False), (pickle.loads(pickle.dumps(own)), False)):
        assert type(made) is Own and made == own and made is not own
        assert made.note == ["kept"] and (made.note is own.note) is same


@pytest.mark.parametrize("kind", [Tuple, Own])
@pytest.mark.parametrize("by", ["list", "map"])
def test_a_tuple_that_contains_itself_is_copied_as_such(kind: Any, by: str) -> None:
    inner = List() if by == "list" else Map()
    whole = kind([inner, 1])
    inner.append(whole) if by == "list" else inner.update(key=whole)
    made = copy.deepcopy(whole)
    assert type(made) is kind and made is not whole and made[1] == 1
    assert (made[0][0] if by == "list" else made[0]["key"]) is made
    assert made[0] is not inner


@pytest.mark.parametrize(
    "call",
    [lambda k: Map(**k), lambda k: Map().update(**k), lambda k: Map().__init__(**k), lambda k: Map.with_pad(1, **k),
     lambda k: type("Sub", (Map,), {})(**k)],
)  # fmt: skip
def test_keywords_are_strings(call: Any) -> None:
    with pytest.raises(TypeError, match="keywords must be strings"):
        call({1: 2})
    call({"a": 2})


def test_tuples_are_found_among_items() -> None:
    items = Map({1: 2, "a": "b"}).items()
    assert (1, 2) in items and Tuple((1, 2)) in items and Shape((1, 2)) in items and Tuple(("a", "b")) in items
    assert Tuple((1, 3)) not in items and Tuple((1,)) not in items and List((1, 2)) not in items
    assert not items.isdisjoint([Tuple((1, 2))]) and items & {Tuple((1, 2))} == {(1, 2)}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("taken", [0, 1, 3])
@pytest.mark.parametrize(
    "make",
    [
        lambda: iter(Map({1: 2, "a": [3]})),
        lambda: iter(Map({1: 2, "a": [3]}).values()),
        lambda: iter(Map({1: 2, "a": [3]}).items()),
        lambda: reversed(Map({1: 2, "a": [3]})),
        lambda: reversed(Map({1: 2, "a": [3]}).items()),
        lambda: iter(List([1, 2])),
        lambda: reversed(List([1, 2])),
        lambda: iter(Tuple([1, 2])),
        lambda: reversed(Tuple([1, 2])),
        lambda: iter(Shape([1, 2])),
        lambda: iter(String("ab")),
    ],
)
def test_iterators_travel(make: Any, taken: int, protocol: int) -> None:
    iterator = make()
    for _ in range(taken):
        next(iterator, None)
    copies = [pickle.loads(pickle.dumps(iterator, protocol)), copy.copy(iterator), copy.deepcopy(iterator)]
    rest = list(iterator)
    assert [list(each) for each in copies] == [rest] * 3


def test_an_iterator_of_a_changed_map_does_not_travel() -> None:
    numbers = Map({1: 2})
    iterator = iter(numbers)
    numbers[3] = 4
    with pytest.raises(RuntimeError, match="changed during iteration"):
        pickle.dumps(iterator)
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(numbers.keys())


class Counted:
    def __init__(self, value: int) -> None:
        self.value, self.hashed, self.compared = value, 0, 0

    def __hash__(self) -> int:
        self.hashed += 1
        return self.value

    def __eq__(self, other: object) -> bool:
        self.compared += 1
        return isinstance(other, Counted) and self.value == other.value


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    "look_up",
    [
        lambda d, k: d.setdefault(k, 1),
        lambda d, k: d.__setitem__(k, 1),
        lambda d, k: d.get(k),
        lambda d, k: k in d,
        lambda d, k: d.pop(k, None),
        lambda d, k: d.update([(k, 1)]),
        lambda d, k: type(d).fromkeys([k]),
        lambda d, k: (k, 1) in d.items(),
        lambda d, k: k in d.keys(),  # noqa: SIM118
        lambda d, k: d.copy(),
    ],
)
def test_keys_are_asked_as_often_as_by_dict(look_up: Any, known: bool) -> None:
    counts = []
    for kind in (dict, Map):
        there, key = Counted(5), Counted(5)
        mapping = kind([(there, 1)] if known else [])
        there.hashed = there.compared = 0
        look_up(mapping, key)
        counts.append((key.hashed, key.compared, there.hashed, there.compared))
    assert counts[0] == counts[1]


class Text(str):
    pass


KEYS = [
    True, 1, 1.0, Fraction(1), Decimal(1), np.float64(1), np.bool_(True), 1 + 0j, 0, -0.0, 0.5, Fraction(1, 2), 2**63,
    2.0**63,
    "a", String("a"), Text("a"), np.str_("a"), b"a", Bytes(b"a"), np.bytes_(b"a"), (1, 2), Tuple((1, 2)), Shape((1, 2)),
    (1.0, Fraction(2)), ("a",), (String("a"),), Tuple((Tuple((1,)),)), ((1,),), None, frozenset(), -1, -2,
]  # fmt: skip


@pytest.mark.parametrize("there", KEYS, ids=lambda key: f"{type(key).__name__} {key}")
def test_equal_keys_of_other_classes_are_found(there: Any) -> None:
    for key in KEYS:
        assert (key in Map({there: 1})) is (key in {there: 1}), key
        if not isinstance(key, np.generic) and not isinstance(
            there, np.generic
        ):  # NumPy compares a scalar with a sequence item by item
            assert (key in List([there])) is (key in [there]), key


def test_what_has_no_hash_is_no_key() -> None:
    for key in (bytearray(b"a"), [], List(), Map(), {}, ([],), Tuple([[]]), set()):
        with pytest.raises(TypeError, match="unhashable"):
            key in Map({b"a": 1})  # noqa: B015
    assert Map().pop([], None) is None  # as dict, which does not look


@pytest.mark.parametrize(
    ("value", "kinds"),
    [
        (List(), "Sequence MutableSequence Collection Reversible"),
        (Tuple(), "Sequence Collection Reversible Hashable"),
        (Shape(), "Sequence Collection Reversible Hashable"),
        (String(), "Sequence Hashable"),
        (Bytes(), "Sequence Hashable"),
        (Map(), "Mapping MutableMapping Collection Reversible"),
        (Map().keys(), "KeysView Set MappingView"),
        (Map().items(), "ItemsView Set MappingView"),
        (Map().values(), "ValuesView MappingView"),
        (iter(Map()), "Iterator"),
        (iter(List()), "Iterator"),
    ],
)
def test_values_are_of_the_abstract_classes(value: Any, kinds: str) -> None:
    for kind in kinds.split():
        assert isinstance(value, getattr(abc, kind)), kind


def shape_of(value: Any) -> Any:
    match value:
        case [first, *rest]:
            return first, rest
        case {"k": found, **rest}:
            return found, rest
        case str() | bytes():
            return "text"
    return None


def test_values_match_patterns() -> None:
    assert shape_of(List([1, 2])) == shape_of(Tuple([1, 2])) == shape_of(Shape([1, 2])) == (1, [2])
    assert shape_of(Map(k=1, z=2)) == (1, {"z": 2})
    assert shape_of(String("ab")) is None and shape_of(Bytes(b"ab")) is None  # no sequences of characters, as str


def test_iterators_take_any_position() -> None:
    for position, ahead, back in ((2**63 - 1, [], [3, 2, 1]), (1, [2, 3], [2, 1]), (-(2**63), [1, 2, 3], [])):
        for made in (List([1, 2, 3]), Tuple([1, 2, 3])):
            forwards, backwards = iter(made), reversed(made)
            forwards.__setstate__(position)
            backwards.__setstate__(position)
            assert list(forwards) == ahead and list(backwards) == back
