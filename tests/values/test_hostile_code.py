"""Values in the hands of code that runs in the middle of what is done to them: it empties, replaces, moves or drops the
very object. Nothing may crash, leak or be lost, whatever it does."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

import jitffi
from jitffi import Bytes, List, Map, Shape, String, Tuple, UCS4String
from tests.support.leaks import live_objects


@contextmanager
def each_collection(action: Callable[[], object]) -> Iterator[None]:
    """What Python's collector runs while something is made: as early and as often as it can be."""
    calls = []

    def callback(phase: str, info: object) -> None:
        calls.append(phase)
        action()

    gc.collect()
    before = gc.get_threshold()
    gc.callbacks.append(callback)
    gc.set_threshold(1)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(callback)


def take(mover: object) -> None:
    """Moves the object away, and drops it; memory of that size is used again."""
    try:
        List().append(mover)
    except ValueError:
        return
    for size in range(20):
        List(range(size))
        Tuple(range(size))


class Del:
    """Calls what it was given when it goes."""

    def __init__(self, action: Callable[[], object]) -> None:
        self.action = action

    def __del__(self) -> None:
        self.action()


class In:
    """Calls what it was given whenever it is compared, hashed, shown or copied; equal to nothing."""

    action: Callable[[], object] = staticmethod(lambda: None)

    def __eq__(self, other: object) -> bool:
        self.action()
        return False

    def __lt__(self, other: object) -> bool:
        self.action()
        return False

    def __hash__(self) -> int:
        self.action()
        return 5

    def __repr__(self) -> str:
        self.action()
        return "In()"

    def __deepcopy__(self, memo: object) -> int:
        self.action()
        return 0


def test_a_deep_copy_may_be_emptied_through_the_memo() -> None:
    source = List([In(), "a text that is no small one", In()])

    memo: dict[int, Any] = {}
    source[0].action = source[2].action = lambda: memo[id(source)].__init__([1, 2, 3])
    assert copy.deepcopy(source, memo) == [1, 2, 3, 0]


def test_a_list_may_be_replaced_while_it_is_pickled() -> None:
    class Changing(List):
        @property
        def __dict__(self) -> dict[str, object]:  # type: ignore[override]
            self.__init__([4])  # type: ignore[misc]
            List([1])
            return {}

    one = Changing([1, 2, 3], pad=3)
    _, args, _, items = one.__reduce__()[:4]
    assert args[2] == {"pad": 3} and list(items) == [4]


def test_tuples_and_shapes_may_be_moved_while_python_makes_its_own_of_them() -> None:
    before = live_objects()
    for make, work in (
        (lambda: Tuple([Tuple([i]) for i in range(20)]), hash),
        (lambda: Tuple([Tuple([i]) for i in range(20)]), lambda t: t == (0,) * 20),
        (lambda: Tuple([Tuple([i]) for i in range(20)]), lambda t: t.__reduce__()),
        (lambda: Tuple([Tuple([i]) for i in range(20)]), lambda t: t.to_python()),
        (lambda: Tuple([Tuple([i]) for i in range(20)]), repr),
        (lambda: List([Tuple([i]) for i in range(20)]), lambda t: t == [0] * 20),
        (lambda: List([Tuple([i]) for i in range(20)]), lambda t: t.to_python()),
        (lambda: List([Tuple([i]) for i in range(20)]), list),
        (lambda: List([Tuple([i]) for i in range(20)]), reversed),
        (lambda: List([Tuple([i]) for i in range(20)]), repr),
        (lambda: Map({i: Tuple([i]) for i in range(20)}), repr),
        (lambda: Map({i: Tuple([i]) for i in range(20)}), reversed),
        (lambda: Map({i: Tuple([i]) for i in range(20)}), lambda m: list(m.items())),
        (lambda: Map({i: Tuple([i]) for i in range(20)}), lambda m: m == dict.fromkeys(range(20))),
        (lambda: Map({i: Tuple([i]) for i in range(20)}), lambda m: m.to_python()),
        (lambda: Shape(range(20)), hash),
        (lambda: Shape(range(20)), lambda s: s[1:]),
        (lambda: Shape(range(20)), lambda s: s.to_python()),
    ):
        value = make()
        mover = value._move()
        with each_collection(lambda: take(mover)):  # noqa: B023
            try:
                work(value)
            except ValueError as error:
                assert "was moved" in str(error)
        value = mover = None
    assert live_objects() == before


def _list_changes() -> list[Callable[[List], object]]:
    return [
        lambda one: one.clear(),
        lambda one: one.__init__([1]),
        lambda one: one.pop() if len(one) else None,
        lambda one: one.append(3) if len(one) < 50 else None,
        lambda one: List().append(one._move()),
    ]


LIST_WORK: list[Callable[[Any, Any], object]] = [
    lambda one, other: one.index(other),
    lambda one, other: one.count(other),
    lambda one, other: other in one,
    lambda one, other: one.remove(other),
    lambda one, other: one == [other] * 5,
    lambda one, other: one == List([other] * 5),
    lambda one, other: one < List([other] * 5),
    lambda one, other: one.sort(),
    lambda one, other: one.sort(key=lambda item: other),
    lambda one, other: repr(one),
    lambda one, other: hash(Tuple(one)),
    lambda one, other: one != one.copy(),
    lambda one, other: Map({other: 1}),
    lambda one, other: copy.deepcopy(one),
    lambda one, other: one.to_numpy(),
    lambda one, other: one.__setitem__(slice(None), [other.action() for _ in range(3)]),
]


@pytest.mark.parametrize("change", _list_changes())
def test_a_list_may_change_in_everything_that_asks_its_items(change: Callable[[List], object]) -> None:
    before = live_objects()
    for work in LIST_WORK:
        first, second, third = In(), In(), In()
        one = List([first, "x" * 40, second, 3, [1, [2]]])
        first.action = second.action = third.action = lambda: change(one)  # noqa: B023
        with suppress(ValueError, IndexError, TypeError, RuntimeError):
            work(one, third)
        first.action = second.action = third.action = lambda: None
        one = first = second = third = None  # type: ignore[assignment]
    assert live_objects() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.clear(),
        lambda one: one.popitem() if one else None,
        lambda one: one.update(more=1),
        lambda one: List().append(one._move()),
    ],
)
def test_a_map_may_change_in_everything_that_asks_its_keys_and_values(change: Callable[[Map], object]) -> None:
    before = live_objects()
    works: list[Callable[[Any, Any], object]] = [
        lambda one, other: one.get(other),
        lambda one, other: one[other],
        lambda one, other: other in one,
        lambda one, other: one.pop(other, None),
        lambda one, other: one == {other: 5, 1: 1, 2: 2, 3: 3, 4: 4},
        lambda one, other: one == Map({other: 5, 1: 1, 2: 2, 3: 3, 4: 4}),
        lambda one, other: one.setdefault(other, 4),
        lambda one, other: one.update({other: 4}),
        lambda one, other: repr(one),
        lambda one, other: one | {other: 4},
        lambda one, other: list(one.items()),
        lambda one, other: list(reversed(one.values())),
        lambda one, other: one.keys() & {other},
        lambda one, other: one.__setitem__(other, other),
        lambda one, other: one.__delitem__(other),
        lambda one, other: copy.deepcopy(one),
        lambda one, other: one.popitem(),
    ]
    for work in works:
        first, second, third = In(), In(), In()
        one = Map({first: "x" * 40, "a": second, 5: [1, [2]], "y" * 40: first, 1.5: 2})
        first.action = second.action = third.action = lambda: change(one)  # noqa: B023
        with suppress(ValueError, KeyError, TypeError, RuntimeError):
            work(one, third)
        first.action = second.action = third.action = lambda: None
        one = first = second = third = None  # type: ignore[assignment]
    assert live_objects() == before


@pytest.mark.parametrize(
    "work",
    [
        lambda one: one.__setitem__(0, 1),
        lambda one: one.clear(),
        lambda one: one.pop(0),
        lambda one: one.__delitem__(slice(0, 1)),
        lambda one: one.__delitem__(slice(None, None, 2)),
        lambda one: one.__setitem__(slice(0, 2), [1]),
        lambda one: one.__setitem__(slice(None, None, 2), [1, 2]),
        lambda one: one.__imul__(0),
        lambda one: one.__init__([4]),
        lambda one: one.sort(key=lambda item: one.__init__()),
    ],
)
def test_what_leaves_a_list_may_replace_it(work: Callable[[List], object]) -> None:
    one = List([0, "x" * 50, 2])
    one[0] = Del(lambda: one.__init__([5, 6, "y" * 30]))  # type: ignore[misc]
    with suppress(ValueError, TypeError):
        work(one)
    gc.collect()
    assert len(one) in (1, 3, 0, 2) and isinstance(repr(one), str)


def test_pickling_a_list_keeps_its_pad() -> None:
    assert pickle.loads(pickle.dumps(List([1], pad=4))).pad == 4
    assert jitffi.List([1], pad=4).copy().pad == 4


def nested(depth: int, make: Callable[[Any], Any]) -> Any:
    value = make(())
    for _ in range(depth):
        value = make(value)
    return value


@pytest.mark.parametrize(
    ("make", "levels"),
    [
        (lambda value: List([value]), 1),
        (lambda value: Tuple([value]), 1),
        (lambda value: Map({1: value}), 1),
        (lambda value: Tuple([List([Map({"a": value})])]), 3),
        (lambda value: [value], 1),
        (lambda value: {1: value}, 1),
        (lambda value: (Tuple([value]),), 2),
    ],
    ids=["list", "tuple", "map", "mixed", "python list", "python dict", "tuples of both kinds"],
)
def test_what_is_nested_very_deep_is_a_recursion_error_or_works(make: Callable[[Any], Any], levels: int) -> None:
    before = live_objects()
    one, other = nested(100_000 // levels, make), nested(100_000 // levels, make)
    works: list[Callable[[], object]] = [
        lambda: repr(List([one])),
        lambda: hash(Tuple([one])),
        lambda: List([one]) == List([other]),
        lambda: List([one]) < List([other]),
        lambda: List([one]).index(other),
        lambda: List([one]).to_python(),
        lambda: Map({Tuple([one]): 1}),
        lambda: pickle.dumps(List([one])),
        lambda: copy.deepcopy(List([one])),
        lambda: jitffi.collect_cycles(),
    ]
    for work in works:
        try:
            work()
        except (RecursionError, TypeError) as error:  # a list has no hash
            assert isinstance(error, RecursionError) or "unhashable" in str(error)
    one = other = None
    works.clear()
    assert live_objects() == before


def test_text_and_bytes_are_not_moved_while_their_memory_is_borrowed() -> None:
    content = Bytes(b"x" * 100)
    view = memoryview(content)
    assert jitffi.Object._move(content) is content
    take(jitffi.Object._move(content))
    assert bytes(view) == b"x" * 100
    for cls in (String, UCS4String):
        text = cls("abc" * 30)
        assert jitffi.Object._move(text) is text and text._move() is text
    assert content._move() is content


def test_a_map_that_others_are_updated_from_may_be_moved_meanwhile() -> None:
    before = live_objects()
    works: list[Callable[[Any, Any], object]] = [
        lambda one, source: one.update(source),
        lambda one, source: one | source,
        lambda one, source: source | one,
        lambda one, source: one.__ior__(source),
        lambda one, source: one.__init__(source),
        lambda one, source: Map.with_pad(3, source),
        lambda one, source: one == source,
        lambda one, source: source.keys() & one.keys(),
    ]
    for work in works:
        first, second = In(), In()
        source, one = Map({first: 1, "a": 2, 7: "y" * 30}), Map({second: 4, 5: 6, 7: 8})
        mover = source._move()
        first.action = second.action = lambda: take(mover)  # noqa: B023
        with suppress(ValueError):
            work(one, source)
        first.action = second.action = lambda: None
        first = second = source = one = mover = None  # type: ignore[assignment]
    assert live_objects() == before


@pytest.mark.parametrize("name", ["__hash__", "__eq__"])
def test_a_key_may_be_moved_elsewhere_while_it_is_looked_for(name: str) -> None:
    before = live_objects()
    works: list[Callable[[Any, Any], object]] = [
        lambda one, key: one.__setitem__(key, 1),
        lambda one, key: one.__setitem__(key, key),
        lambda one, key: one.get(key),
        lambda one, key: one.pop(key, None),
        lambda one, key: one.setdefault(key, key),
        lambda one, key: key in one,
        lambda one, key: one.update([(key, 1)]),
        lambda one, key: one.__delitem__(key),
        lambda one, key: List(one).index(key),
    ]
    for work in works:
        first, second = In(), In()
        one, key = Map({Tuple([second, "z" * 30]): 1}), Tuple([first, "z" * 30])
        mover = key._move()
        actions = {"__hash__": lambda self: take(mover) or 5, "__eq__": lambda self, other: take(mover) or False}  # noqa: B023
        first.__class__ = type("Moving", (In,), {"__hash__": In.__hash__, name: actions[name]})
        with suppress(ValueError, KeyError):
            work(one, mover)
        first.__class__ = In
        one = key = mover = first = second = actions = None  # type: ignore[assignment]
    gc.collect()
    assert live_objects() == before


def test_letting_a_compared_key_go_may_empty_the_other_map() -> None:
    before = live_objects()

    class Key:
        def __hash__(self) -> int:
            return 7

        def __eq__(self, other: object) -> bool:
            one.clear()
            one["other"] = 1
            return True

    class Last(Key):
        def __del__(self) -> None:
            two.clear()

    one, two = Map(), Map()
    one[Last()] = two[Key()] = 1
    assert one != two and len(two) == 0 and one == {"other": 1}
    one.clear()
    one = two = None  # type: ignore[assignment]
    assert live_objects() == before


def test_the_smallest_index_of_what_its_index_moved() -> None:
    class Smallest:
        def __index__(self) -> int:
            take(mover)
            return -(2**63)

    for made in (List([1]), Tuple([1]), Shape([1])):
        mover = made._move()
        with pytest.raises(ValueError, match="was moved"):
            made[Smallest()]
