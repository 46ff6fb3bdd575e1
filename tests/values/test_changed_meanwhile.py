"""What user code may do to a container in the middle of an operation: Python's own show what comes of it."""

from __future__ import annotations

import itertools
import signal
from typing import Any

import pytest

from jitffi import List, Map


class Meddler:
    """Changes the container at hand when one of its items is asked something, so many times."""

    def __init__(self) -> None:
        self.asked = ""
        self.times = 0
        self.change: Any = None
        self.container: Any = None

    def __call__(self, asked: str) -> None:
        if asked == self.asked and self.times > 0:
            self.times -= 1
            self.change(self.container)


meddle = Meddler()


class Item:
    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        meddle("eq")
        return isinstance(other, Item) and self.value == other.value

    def __hash__(self) -> int:
        return 7

    def __lt__(self, other: Item) -> bool:
        meddle("lt")
        return self.value < other.value

    def __gt__(self, other: Item) -> bool:
        meddle("lt")
        return self.value > other.value

    def __repr__(self) -> str:
        meddle("repr")
        return f"Item({self.value})"

    def __index__(self) -> int:
        meddle("index")
        return self.value


class Source:
    """An iterator of ints, or of pairs."""

    def __init__(self, count: int, pairs: bool = False) -> None:
        self.rest = iter(range(50, 50 + count))
        self.pairs = pairs

    def __iter__(self) -> Source:
        return self

    def __next__(self) -> Any:
        meddle("next")
        value = next(self.rest)
        return (value, value) if self.pairs else value

    def __length_hint__(self) -> int:
        meddle("hint")
        return 3


class Keyed:
    def keys(self) -> Source:
        meddle("keys")
        return Source(3)

    def __getitem__(self, key: int) -> int:
        meddle("getitem")
        return key


def key(item: Item) -> int:
    meddle("key")
    return -item.value


def refill(container: Any) -> None:
    container.clear()
    container.extend([Item(94), Item(95)])


LIST_CHANGES = {
    "append": lambda c: c.append(Item(90)),
    "clear": lambda c: c.clear(),
    "pop": lambda c: c and c.pop(),
    "take first": lambda c: c and c.pop(0),
    "put first": lambda c: c.insert(0, Item(91)),
    "grow": lambda c: c.extend([Item(92) for _ in range(30)]),
    "replace": lambda c: c.__setitem__(slice(None), [Item(93)]),
    "refill": refill,
    "shrink": lambda c: c.__delitem__(slice(0, 2)),
    "reverse": lambda c: c.reverse(),
}
LIST_OPERATIONS = {
    "sort": lambda c: c.sort(),
    "sort by key": lambda c: c.sort(key=key),
    "sort backwards": lambda c: c.sort(key=key, reverse=True),
    "index": lambda c: c.index(Item(3)),
    "index none": lambda c: c.index(Item(99)),
    "index within": lambda c: c.index(Item(3), Item(1), Item(4)),
    "count": lambda c: c.count(Item(2)),
    "remove": lambda c: c.remove(Item(2)),
    "in": lambda c: Item(4) in c,
    "==": lambda c: c == [Item(i) for i in range(5)],
    "== own": lambda c: c == type(c)([Item(i) for i in range(5)]),
    "!=": lambda c: c != [Item(i) for i in range(5)],
    "<": lambda c: c < [Item(0), Item(1), Item(2), Item(9)],
    "< own": lambda c: c < type(c)([Item(0), Item(1), Item(2), Item(9)]),
    "repr": lambda c: repr(c).removeprefix("List(").removesuffix(")"),
    "[i]": lambda c: c[Item(2)],
    "[i] =": lambda c: c.__setitem__(Item(2), 5),
    "del [i]": lambda c: c.__delitem__(Item(3)),
    "[i:j]": lambda c: list(c[Item(1) : Item(4)]),
    "[i:j:k]": lambda c: list(c[Item(0) : Item(5) : Item(2)]),
    "[i:j] =": lambda c: c.__setitem__(slice(Item(1), Item(3)), [7, 8, 9]),
    "del [i:j]": lambda c: c.__delitem__(slice(Item(1), Item(4))),
    "[1:3] = iterator": lambda c: c.__setitem__(slice(1, 3), Source(4)),
    "[-2:] = iterator": lambda c: c.__setitem__(slice(-2, None), Source(1)),
    "[:] = iterator": lambda c: c.__setitem__(slice(None), Source(3)),
    "insert": lambda c: c.insert(Item(2), 5),
    "pop": lambda c: c.pop(Item(1)),
    "*": lambda c: list(c * Item(2)),
    "extend": lambda c: c.extend(Source(4)),
    "+=": lambda c: c.__iadd__(Source(4)) and None,
    "__init__": lambda c: c.__init__(Source(3)),
    "sorted": sorted,
    "max": lambda c: max(c, key=key),
}


def reset(container: Any) -> None:
    container.clear()
    container.update({Item(30): 1, "x": 2})


MAP_CHANGES = {
    "add": lambda c: c.__setitem__(len(c) + 1000, 1),
    "add alike": lambda c: c.__setitem__(Item(len(c) + 2000), 1),
    "clear": lambda c: c.clear(),
    "popitem": lambda c: c and c.popitem(),
    "take first": lambda c: c and c.pop(next(iter(c))),
    "grow": lambda c: [c.__setitem__(2000 + i, i) for i in range(60)],
    "reset": reset,
    "values": lambda c: [c.__setitem__(each, 77) for each in list(c) if not isinstance(each, Item)],
}
MAP_OPERATIONS = {
    "get": lambda c: c.get(Item(3)),
    "[]": lambda c: c[Item(3)],
    "[none]": lambda c: c[Item(99)],
    "in": lambda c: Item(4) in c,
    "a number of the same hash": lambda c: 7 in c,
    "[] =": lambda c: c.__setitem__(Item(3), 5),
    "[new] =": lambda c: c.__setitem__(Item(99), 5),
    "del": lambda c: c.__delitem__(Item(2)),
    "pop": lambda c: c.pop(Item(2)),
    "pop none": lambda c: c.pop(Item(99), None),
    "setdefault": lambda c: c.setdefault(Item(2), 9),
    "setdefault new": lambda c: c.setdefault(Item(99), 9),
    "update": lambda c: c.update({Item(1): 5, Item(80): 6}),
    "update own": lambda c: c.update(type(c)({Item(80): 6})),
    "update pairs": lambda c: c.update([(Item(1), 5), (Item(80), 6)]),
    "update iterator": lambda c: c.update(Source(3, pairs=True)),
    "update keys": lambda c: c.update(Keyed()),
    "|": lambda c: len(c | {Item(80): 6}),
    "|=": lambda c: c.__ior__({Item(1): 5}) and None,
    "|= iterator": lambda c: c.__ior__(Source(3, pairs=True)) and None,
    "==": lambda c: c == {Item(i): i for i in range(5)},
    "== own": lambda c: c == type(c)({Item(i): i for i in range(5)}),
    "in items": lambda c: (Item(3), 3) in c.items(),
    "isdisjoint": lambda c: c.keys().isdisjoint([Item(40), Item(3)]),
    "keys ==": lambda c: c.keys() == {Item(i) for i in range(5)},
    "keys <=": lambda c: c.keys() <= {Item(i) for i in range(7)},
    "copy": lambda c: list(c.copy()),
    "repr": lambda c: repr(c).removeprefix("Map(").removesuffix(")"),
}


def plain(value: Any) -> Any:
    if isinstance(value, Item):
        return f"item {value.value}"
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def outcome(make: Any, operation: Any, change: Any, asked: str, times: int) -> Any:
    meddle.times = 0
    container = make()
    meddle.asked, meddle.times, meddle.change, meddle.container = asked, times, change, container
    try:
        result = plain(operation(container))
    except Exception as error:
        result = type(error).__name__
    meddle.times = 0
    return result, plain(list(container.items() if hasattr(container, "items") else container))


def make_map(kind: Any, more: int) -> Any:
    made = kind()
    for i in range(5):
        made[Item(i)] = i
    for i in range(more):
        made[f"key {i}"] = i
    return made


@pytest.fixture(autouse=True)
def _an_end() -> Any:
    """Nothing here takes more than a moment."""

    def too_long(*_: object) -> None:
        raise TimeoutError("no end")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", LIST_OPERATIONS)
def test_a_list_is_changed_as_pythons(name: str) -> None:
    operation = LIST_OPERATIONS[name]
    for asked, (change, action), times in itertools.product(
        ("eq", "lt", "key", "repr", "index", "next", "hint"), LIST_CHANGES.items(), (1, 20)
    ):
        expected, got = (
            outcome(lambda kind=kind: kind(map(Item, range(5))), operation, action, asked, times)
            for kind in (list, List)
        )
        assert got == expected, (asked, change, times)


@pytest.mark.parametrize("name", MAP_OPERATIONS)
@pytest.mark.parametrize("more", [0, 30])
def test_a_map_is_changed_as_pythons(name: str, more: int) -> None:
    """Once: how often a comparison is repeated is the implementation's business."""
    operation = MAP_OPERATIONS[name]
    for asked, (change, action) in itertools.product(
        ("eq", "repr", "next", "hint", "keys", "getitem"), MAP_CHANGES.items()
    ):
        expected, got = (
            outcome(lambda kind=kind: make_map(kind, more), operation, action, asked, 1) for kind in (dict, Map)
        )
        assert got == expected, (asked, change)


def test_a_key_function_that_appends_ends() -> None:
    numbers = List([3, 1, 2])
    with pytest.raises(ValueError, match="list modified during sort"):
        numbers.sort(key=lambda number: numbers.append(number) or number)
    assert numbers == [1, 2, 3]


def test_a_key_function_that_fails_leaves_the_list_as_it_was() -> None:
    numbers = List([3, 1, 2])
    with pytest.raises(ZeroDivisionError):
        numbers.sort(key=lambda number: numbers.append(number) or 1 / (number - 1))
    assert numbers == [3, 1, 2]


def test_a_list_looks_empty_to_its_key_function() -> None:
    numbers, seen = List([3, 1, 2]), []
    numbers.sort(key=lambda number: seen.append(len(numbers)) or number)
    assert (numbers, seen) == ([1, 2, 3], [0, 0, 0])


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("more", [0, 30])
def test_a_look_up_that_inserts_ends(alike: bool, more: int) -> None:
    """Where each comparison adds a key of the same hash, dict takes all memory; a Map raises RuntimeError."""
    busy = False

    class Inserting:
        def __hash__(self) -> int:
            return 7

        def __eq__(self, other: object) -> bool:
            nonlocal busy
            if not busy:
                busy = True
                made[Inserting() if alike else f"another {len(made)}"] = 1
                busy = False
            return False

    made = Map({f"key {i}": i for i in range(more)})
    made[Inserting()] = 0
    if alike:
        with pytest.raises(RuntimeError, match="changes without end"):
            made.get(Inserting())
    else:
        assert made.get(Inserting()) is None
    assert len(made) == len(list(made))


def test_a_look_up_that_empties_and_fills_the_map_ends() -> None:
    class Refilling:
        def __hash__(self) -> int:
            return 7

        def __eq__(self, other: object) -> bool:
            made.clear()
            made[Refilling()] = 1
            return False

    made = Map({Refilling(): 0})
    with pytest.raises(RuntimeError, match="changes without end"):
        made.get(Refilling())
    assert len(made) == 1


def test_an_update_whose_comparisons_change_the_other_map_says_so() -> None:
    class Growing(Item):
        def __eq__(self, other: object) -> bool:
            source["new"] = 1
            return False

    __hash__ = Item.__hash__
    Growing.__hash__ = __hash__  # type: ignore[method-assign]
    source = Map({Growing(1): 1})
    target = Map({Growing(2): 2})
    with pytest.raises(RuntimeError, match="changed during update"):
        target.update(source)
