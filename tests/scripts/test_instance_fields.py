"""Text, what may be None and containers in fields of registered classes, and objects of these that scripts make."""

from __future__ import annotations

from typing import Any

import pytest

import jitffi
from tests.support import leaks
from tests.support.instances import Sum, outcome


@jitffi.register_object("script_fields.Node")
class Node:
    v: int
    tag: str = "t"
    left: Node | None = None
    kids: list[Node] = jitffi.field(default_factory=list)

    def size(self):
        n = 1
        for each in self.kids:
            n += each.size()
        return n

    def several(self, given, *, by=1, word=None):
        if word is None:
            return [self.v * by, *given]
        return word, len(given)

    def find(self, v):
        if self.v == v:
            return self
        for each in self.kids:
            found = each.find(v)
            if found is not None:
                return found
        return None

    def label(self):
        return self.tag + str(self.v)


@jitffi.register_object("script_fields.Bag")
class Bag:
    items: list[int]
    names: list[str]
    count: dict[str, int]
    seen: set[int]
    pair: tuple[int, str]
    name: str
    data: bytes
    number: int | None = None
    text: str | None = None
    by_name: dict[str, Node] = jitffi.field(default_factory=dict)

    def add(self, word):
        self.count[word] = self.count.get(word, 0) + 1


@jitffi.register_object("script_fields.Plain")
class Plain(Bag):
    more: str = ""


class Derived(Bag):
    @property
    def name(self):
        return "derived"

    @property
    def items(self):
        return (7, 8)


class Reversed(jitffi.List):
    def __iter__(self):
        return iter([9])

    def append(self, item):
        super().append(-item)


def bag(cls: Any = Bag) -> Any:
    given = ([3, 1, 2], ["a", "long enough to lie elsewhere"], {"a": 1}, {1, 2}, (4, "p"), "näme", b"bytes")
    if cls is Derived:
        made = Derived.__new__(Derived)
        Bag.__init__(made, *given)
        return made
    return cls(*given)


def read(b, n):
    total = 0
    for item in b.items:
        total += item
    first, second = b.pair
    found = [total, first, second, b.name, b.data, len(b.name), b.names[n], b.count["a"], b.count.get("z"), 1 in b.seen]
    found += [b.number is None, b.text, b.name.upper() + b.names[0], b.items[n], sorted(b.seen), b.pair[1], b.data[0]]
    return found, [k + str(v) for k, v in b.count.items()], max(b.items), "a" in b.count, bool(b.items), b.name[n]


def write(b, n):
    b.items.append(n)
    b.items[0] += 5
    b.names[1] = b.name + "!"
    b.count["a"] += 1
    b.add("long enough to lie elsewhere")
    b.seen.add(n)
    b.name += "x"
    b.name = b.name[1:] + b.names[0] * 9
    b.data = b.data + b"!"
    b.number = n
    b.number += 1
    b.text = "ä" if b.text is None else None
    items, total = b.items, 0
    kept = b.names
    for each in kept:
        total += len(each)
    kept.append(str(total))
    items.append(total)
    del b.items[1]
    b.items.sort()
    return b.items.pop(), b.text, b.number


def objects(b, n):
    root = Node(n, tag="root")
    for i in range(3):
        root.kids.append(Node(i, left=root.left))
        b.by_name[str(i)] = root.kids[i]
    root.left = root.kids[0]
    root.left.tag += b.name
    total = 0
    for each in root.kids:
        total += each.v * 2 + each.size()
    several = root.several([n], by=2), root.several((1, 2), word=b.name), root.several("ab")
    found = root.find(2)
    if found is not None:
        found.v += 1
    return (
        several,
        root.find(9) is None,
        total,
        root.label(),
        root.left.label(),
        b.by_name["1"] is root.kids[1],
        root.kids[n].v,
        root.size(),
    )


def handed_on(b, n):
    kept = b.items
    kept.append(n)
    return kept is b.items, type(b.items[0:1]), b.items + [1], b.count, b.names.copy(), b.items == [3, 1, 2, n]


def beyond(b, n):
    if n == 0:
        b.items[0] = 2**62
        b.items[0] *= 2**62
    elif n == 1:
        b.count["a"] += 2**63 - 1
        b.count["a"] *= 2
        b.count["a"] = b.count["a"] * 4
    elif n == 2:
        b.items.append(b.items[0] * 2**70)
    elif n == 3:
        b.count["a"] = b.count.get("z", 2**63) + 1
    return b.items, b.count


def shown(b, n):
    print(b.items, b.count, sep="|", end="")
    return str(b.items), repr(b.count), f"{b.seen}{b.pair!r:>20}{n}", ascii(b.names), [b.items, n]


def refused(b, n):
    if n == 0:
        b.items[n] = object
    elif n == 1:
        b.name = n
    elif n == 2:
        b.number = "x"
    elif n == 3:
        b.count["nothing"] += 1
    elif n == 4:
        b.number += 1
    elif n == 5:
        b.names[9] = ""
    elif n == 6:
        Node("x")
    elif n == 7:
        Node(1, v=2)
    else:
        Node(1, other=2)
    return b


@pytest.mark.parametrize("function", [read, write, objects, handed_on, beyond, shown, refused])
def test_fields_are_what_python_has_of_them(function: Any) -> None:
    script = jitffi.script(function)
    for make in (Plain, Plain, Bag, Derived):
        for n in (2, 0, 1, 3, 4, 5, 6, 7, 8, -1):
            ours, theirs = bag(make), bag(make)
            assert outcome(script, ours, n) == outcome(function, theirs, n), (make, n)
            assert repr(ours) == repr(theirs), (make, n)


def test_they_are_native() -> None:
    for function, of_python in ((read, ["found =", "found +=", "return"]), (write, ["return"]), (objects, ["return"])):
        script = jitffi.script(function)
        script(bag(Plain), 0)
        shown = [each for each in script.inspect_types().splitlines() if each.startswith("py ")]
        assert not [each for each in shown if not any(word in each for word in of_python)]


def test_a_container_of_ones_own_class_is_pythons() -> None:
    def total(b):
        found = 0
        for item in b.items:
            found += item
        return found

    def grown(b):
        b.items.append(5)
        return b.items[3]

    for function in (total, grown):
        script = jitffi.script(function)
        ours, theirs = bag(), bag()
        assert script(ours) == function(theirs)
    ours.items, script = Reversed([1, 2]), jitffi.script(total)
    assert script(bag()) == 6
    assert script(ours) == total(ours) == 9


def test_a_class_that_is_changed_after_its_objects_were_made_is_seen() -> None:
    @jitffi.register_object("script_fields.Changed")
    class Changed:
        v: int

        def area(self):
            return self.v * 2

    @jitffi.script
    def made(n, kept):
        kept.append(n)
        return Changed(n).area()

    assert [made(n, []) for n in range(20)] == [2 * n for n in range(20)]
    Changed.number = 5  # which is nobody's method
    Changed.area = lambda self: str(self.v)
    assert made(3, []) == "3"


class Word(str):
    pass


def by_names(b, names, given):
    total = 0
    for name in names:
        b.count[name] = b.count.get(name, 0) + 1
        if name in b.by_name:
            total += b.by_name[name].size() + b.by_name[name].v
    b.items[0] = given
    if isinstance(given, (list, dict)):
        return total, b.items[0]
    return total, b.items[0], b.count.get(given), given in b.seen


def test_what_python_gives_is_what_pythons_container_makes_of_it() -> None:
    script = jitffi.script(by_names)
    for given in (1, 2.5, "text", [1], {"a": 1}, 2**70, Word("a"), None, object):
        ours, theirs, names = bag(), bag(), ["a", Word("a"), "b", "\xe4"]
        for each in (ours, theirs):
            each.by_name["b"] = Node(3)
        assert outcome(script, ours, names, given) == outcome(by_names, theirs, names, given), given
        assert repr(ours) == repr(theirs), given
    shown = [each for each in script.inspect_types().splitlines() if each.startswith("py ") and "in b.by_name" in each]
    assert not shown and "size(self: script_fields.Node) -> int" in script.inspect_types()


def test_no_object_stays() -> None:
    scripts = [jitffi.script(each) for each in (read, write, objects)]

    def work() -> None:
        for each in scripts:
            each(bag(), 0)

    leaks.assert_nothing_stays(work)


def operated(sums):
    total = 0
    for each in sums:
        total = each + total
    sums[0] += 5
    return (total + 1).x, (2 + sums[0]).x, (-sums[0]).x, sums[0].x


@pytest.mark.parametrize("make", [list, jitffi.List])
def test_operators_are_those_of_the_class(make: Any) -> None:
    script = jitffi.script(operated)
    for _ in range(2):
        assert script(make([Sum(1), Sum(2)])) == operated([Sum(1), Sum(2)]) == (4, 8, -6, 6)


def lengthened(given, text):
    given.text += given.renamed(text)
    return given.text


def test_what_is_added_to_is_what_was_there_before() -> None:
    script = jitffi.script(lengthened)
    for old in ("a", "n" * 40, "\xe4" * 40):
        assert [script(Sum(1, old), "w" * 70) for _ in range(3)] == [old + "R"] * 3


@jitffi.register_object("script_fields.Lazy")
class Lazy:
    items: list[int]
    n: int = 0

    def __init__(self, n):
        self.n = n

    def put(self, x):
        if not self.items:
            self.items = []
        self.items.append(x)
        return 1 if self.items and self.n else 2


class Later(Lazy):
    @property
    def items(self):
        return None


def test_what_nothing_was_put_into_is_false() -> None:
    def called(lazy):
        return lazy.put(3), lazy.put(4), lazy.items

    script = jitffi.script(called)
    for make in (Lazy, Later, Lazy):
        assert outcome(script, make(1)) == outcome(called, make(1))


class Index:
    def __init__(self, at):
        self.at = at

    def __index__(self):
        return self.at


def indexed(b, at):
    b.items[at] += b.items[at]
    b.items[at] = b.items[at] * 2
    found = b.items.index(b.items[at], at), b.pair[at], b.items.pop(at)
    for each in [at]:
        b.items[each] = 9
    del b.items[at]
    return found


def test_an_index_is_what_python_takes_as_one() -> None:
    script = jitffi.script(indexed)
    for at in (1, True, Index(1), Index(-1), Index(2**64), 2**64, -(2**64), Index("no"), slice(0, 2), 1.0, None):
        ours, theirs = bag(), bag()
        assert outcome(script, ours, at) == outcome(indexed, theirs, at), at
        assert repr(ours) == repr(theirs), at


def outside():
    return 2**64


def beyond_set(b, given):
    b.seen.discard(given)
    found = given in b.seen
    try:
        b.seen.add(given)
    except OverflowError as error:
        return found, str(error)
    b.seen.add(outside())
    return found


def test_a_set_takes_no_int_beyond_64_bits() -> None:
    script = jitffi.script(beyond_set)
    for given in (5, 2**64, -(2**63) - 1, 2**63):
        ours, theirs = bag(), bag()
        assert outcome(script, ours, given) == outcome(beyond_set, theirs, given), given
        assert repr(ours) == repr(theirs), given
