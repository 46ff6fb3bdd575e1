"""What is refused of registered objects leaves nothing behind: objects, references to what was given, or to a class."""

import copy
import enum
import gc
import sys
import typing

import pytest

import jitffi
from jitffi import _core

failing: list[str] = []


class Boom(Exception):
    pass


def fail_at(step: str) -> None:
    if step in failing:
        raise Boom(step)


def items():
    fail_at("factory")
    return [1]


@jitffi.register_object("tests.refusals.Node", attributes=True)
class Node:
    number: int
    text: str
    items: list[str]
    child: "Node | None" = None
    function: jitffi.Function = jitffi.field(default_factory=lambda: print)
    table: dict[str, list[int]] = jitffi.field(default_factory=dict)
    made: list[int] = jitffi.field(default_factory=items)
    either: "int | str | list[int]" = 3

    @jitffi.init_property
    def computed(self) -> list[int]:
        fail_at("computed")
        return [self.number]

    def __post_init__(self):
        fail_at("post")


@jitffi.register_object("tests.refusals.Frozen", frozen=True, order=True)
class Frozen:
    key: str
    value: object = None


@jitffi.register_object("tests.refusals.Level")
class Level(jitffi.IntEnum):
    LOW = 1


@jitffi.register_object("tests.refusals.Kept")
class Kept:
    number: int
    text: str
    items: list[str]
    me: "Kept | None" = None
    level: Level = Level.LOW
    error: jitffi.Error | None = None


LONG = "x" * 50
SHARED = jitffi.List([LONG])
CHILD = Node(1, LONG, [LONG])
TABLE = {"k" + LONG: [1, 2]}
NODE = Node(1, LONG, SHARED)
FROZEN = Frozen("q" * 30, SHARED)
KEPT = Kept(1, LONG, [LONG])
KEPT.me = Kept(2, LONG, [LONG, "b"], KEPT)
TEXT, BYTES = jitffi.to_json(KEPT), jitffi.to_bytes(KEPT)


class BadIndex:
    def __index__(self):
        raise Boom


class BadCopy:
    def __call__(self):
        return self

    def __deepcopy__(self, memo):
        raise Boom


class BadItems:
    def __len__(self):
        return 2

    def __iter__(self):
        yield LONG
        raise Boom


def with_failure(step, act):
    def acted():
        failing.append(step)
        try:
            act()
        finally:
            failing.clear()

    return acted


def make():
    return Node(1, LONG, SHARED, CHILD)


CASES = {
    "number": lambda: Node("x", LONG, SHARED, CHILD),
    "index": lambda: Node(BadIndex(), LONG, SHARED),
    "text": lambda: Node(1, 5, SHARED, CHILD),
    "items": lambda: Node(1, LONG, [LONG, LONG, 5]),
    "items that fail": lambda: Node(1, LONG, BadItems()),
    "child": lambda: Node(1, LONG, SHARED, "x"),
    "function": lambda: Node(1, LONG, SHARED, CHILD, 5),
    "value of a table": lambda: Node(1, LONG, SHARED, CHILD, print, {LONG: [LONG]}),
    "key of a table": lambda: Node(1, LONG, SHARED, CHILD, print, {5: [1]}),
    "made": lambda: Node(1, LONG, SHARED, CHILD, print, TABLE, [LONG]),
    "either": lambda: Node(1, LONG, SHARED, CHILD, print, TABLE, [1], 2.5),
    "either, a list": lambda: Node(1, LONG, SHARED, either=[LONG]),
    "too many": lambda: Node(1, LONG, SHARED, CHILD, print, TABLE, [1], 3, 9),
    "missing": lambda: Node(1, LONG),
    "given twice": lambda: Node(1, LONG, SHARED, number=3),
    "unknown": lambda: Node(1, LONG, SHARED, unknown=3),
    "factory": with_failure("factory", make),
    "post-init": with_failure("post", make),
    "computed": with_failure("computed", make),
    "replaced, computed": with_failure("computed", lambda: NODE.__replace__(number=3)),
    "replaced": lambda: NODE.__replace__(items=[LONG, 5]),
    "replaced, unknown": lambda: NODE.__replace__(unknown=3),
    "set number": lambda: setattr(NODE, "number", LONG),
    "set text": lambda: setattr(NODE, "text", 5),
    "set items": lambda: setattr(NODE, "items", [LONG, 5]),
    "set child": lambda: setattr(NODE, "child", SHARED),
    "set function": lambda: setattr(NODE, "function", 5),
    "set table": lambda: setattr(NODE, "table", {LONG: [LONG]}),
    "set either": lambda: setattr(NODE, "either", [LONG]),
    "deleted": lambda: delattr(NODE, "number"),
    "frozen": lambda: setattr(FROZEN, "key", LONG),
    "of a frozen one": lambda: Frozen(5, SHARED),
    "order": lambda: Frozen("a", 1) < Frozen("a", LONG),
    "hash": lambda: hash(FROZEN),
    "key of a map": lambda: jitffi.Map({FROZEN: 1}),
    "copied": lambda: copy.deepcopy(Node(1, LONG, [LONG], function=BadCopy())),
    "level": lambda: Kept(1, LONG, SHARED, level=9),
    "error": lambda: Kept(1, LONG, SHARED, error=5),
    "JSON that ends": lambda: jitffi.from_json(TEXT[:-5]),
    "JSON of a type": lambda: jitffi.from_json(TEXT.replace("refusals.Kept", "refusals.Gone")),
    "JSON of a field": lambda: jitffi.from_json(TEXT.replace('"number": 2', '"number": "x"')),
    "JSON of a name": lambda: jitffi.from_json(TEXT.replace('"text":', '"none":')),
    "JSON of a member": lambda: jitffi.from_json(TEXT.replace("LOW", "NONE")),
    "bytes that end": lambda: jitffi.from_bytes(BYTES[:-3]),
    "bytes of a member": lambda: jitffi.from_bytes(BYTES.replace(b"LOW", b"NO!")),
    "other fields": lambda: jitffi.register_object("tests.refusals.Frozen")(
        type("F", (), {"__annotations__": {"key": int}})
    ),
    "no type": lambda: jitffi.register_object("tests.refusals.None")(
        type("N", (), {"__annotations__": {"key": complex}})
    ),
}


def counts():
    gc.collect()
    jitffi.collect_cycles()
    given = (SHARED, CHILD, LONG, TABLE, print, NODE, FROZEN, KEPT, Node, Frozen, Kept)
    natively = (SHARED.ref_count, CHILD.ref_count, NODE.ref_count, KEPT.ref_count)
    return _core.live_objects(), [sys.getrefcount(each) for each in given], natively


@pytest.mark.parametrize("case", CASES)
def test_nothing_stays(case):
    def refused():
        with pytest.raises(Exception):  # noqa: B017  # of whichever kind
            CASES[case]()

    refused()
    refused()
    before = counts()
    for _ in range(5):
        refused()
    assert counts() == before


def test_a_class_that_is_not_registered_says_so():
    class Plain(jitffi.Object):
        number: int

    with pytest.raises(TypeError, match=r"Plain is not registered, so it has no objects: decorate it with @jitffi\."):
        Plain(1)
    with pytest.raises(TypeError, match=r"jitffi\.Object is not registered, .* derive a class, with @jitffi\."):
        jitffi.Object()


def test_a_constructor_of_the_class_finds_that_of_objects():
    @jitffi.register_object("tests.refusals.Counted")
    class Counted(jitffi.Object):
        number: int

        def __new__(cls, *args):
            made.append(args)
            return super().__new__(cls)

    made: list[tuple[int, ...]] = []
    assert Counted(3).number == 3 and made == [(3,)]


class Taken(typing.NamedTuple):
    number: int


@jitffi.register_object("tests.refusals.Known")
class Known:
    number: int


class Numbered(enum.Enum):
    ONE = 1


class Unknown:
    items: "list[missing]"  # noqa: F821


@pytest.mark.parametrize(
    ("key", "cls", "error", "message"),
    [
        ("list[i64]", Unknown, ValueError, r"type key 'list\[i64\]': expected words with dots between them"),
        ("tests.refusals.Taken", Taken, TypeError, "Taken.number: the class has a _tuplegetter of that name"),
        ("tests.refusals.Numbered", Numbered, TypeError, "Numbered is of Python's enum: derive it from jitffi.Enum"),
        ("tests.refusals.Other", Known, TypeError, "the class Known is registered already, as tests.refusals.Known"),
        ("tests.refusals.Unknown", Unknown, TypeError, "Unknown.items: .*'missing' is not defined"),
    ],
)
def test_classes_that_are_refused(key, cls, error, message):
    with pytest.raises(error, match=message):
        jitffi.register_object(key)(cls)


def test_slots_are_places_and_no_defaults():
    class Slotted:
        __slots__ = ("number",)
        number: int

    made = jitffi.register_object("tests.refusals.Slotted")(Slotted)
    assert made(3).number == 3 and jitffi.register_object("tests.refusals.Slotted")(made) is made
