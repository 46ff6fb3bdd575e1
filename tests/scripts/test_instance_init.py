"""Objects of registered classes with an `__init__` of their own, made in scripts: it is compiled along, or Python's."""

from __future__ import annotations

from typing import Any

import pytest

import jitffi
from tests.support import leaks
from tests.support.instances import outcome

SEEN: list[Any] = []


@jitffi.register_object("script_init.Point")
class Point:
    x: float
    y: float = 7.0
    name: str = "p"
    items: list[int] = jitffi.field(default_factory=list)
    next: Point | None = None

    def __init__(self, x, y=2.0, *, name="n", **more):
        if x == -1:
            raise ValueError(name)
        self.x = x
        self.y = y + len(more)
        self.name = name
        self.items.append(3)

    @classmethod
    def made(cls, *args):
        return cls(*args)

    def copied(self):
        return Point(self.x, self.y, name=self.name + "c")


@jitffi.register_object("script_init.Deep")
class Deep(Point):
    z: float = 1.0

    def __init__(self, z, *args, **more):
        super().__init__(*args)
        self.z = z
        SEEN.append(self)
        SEEN.clear()


@jitffi.register_object("script_init.Frozen", frozen=True)
class Frozen:
    x: float
    n: int = 0

    def __init__(self, x):
        self.__jitffi_init__(x, 3)


@jitffi.register_object("script_init.Odd")
class Odd:
    x: float

    def __init__(self, x):
        self.x = 1.0
        return x


@jitffi.register_object("script_init.Own")
class Own:
    x: float

    def __new__(cls, x):
        return super().__new__(cls) if x == 1 else x

    def __init__(self, x):
        self.x = x + 1


@jitffi.register_object("script_init.Base")
class Base:
    x: float

    def __init__(self, x):
        self.x = x


class Abstract(Base):
    def __init__(self, x):
        super().__init__(x)
        self.extra = x


@jitffi.register_object("script_init.Unset")
class Unset(Base):
    y: float = 1.0

    def __init__(self, x):
        del self.x


@jitffi.register_object("script_init.Tree")
class Tree:
    left: Tree | None
    right: Tree | None
    n: int

    def __init__(self, depth):
        self.n = depth
        self.left = Tree(depth - 1) if depth > 0 else None
        self.right = Tree(depth - 1) if depth > 0 else None

    def count(self):
        found = 1
        if self.left is not None:
            found += self.left.count()
        if self.right is not None:
            found += self.right.count()
        return found


def points(a, b):
    p = Point(a, b)
    q = Point(a, name="q", k=1, l=2)
    r = p.copied()
    p.next = q
    return p, q, r, p.made(a).items, Point(y=b, x=a).y, Point.made(a, b).name, p.x + q.y


def deep(a, b):
    return Deep(a, b), Deep(1.0, a, b).z, Deep(b, a, w=1).x, Deep.made(2.0, 1.5)


def frozen(a, b):
    f = Frozen(a)
    try:
        f.n = 5
    except AttributeError as error:
        return f, str(error)
    return f


def odd(a, b):
    return Odd(a).x


def own(a, b):
    return Own(a)


def abstract(a, b):
    return Abstract(a).extra, Abstract(x=a).x


def unset(a, b):
    return Unset(a).y, Unset(a).x


def wrong(a, b):
    found = []
    for i in range(6):
        try:
            if i == 0:
                Point()
            elif i == 1:
                Point(1.0, 2.0, 3.0)
            elif i == 2:
                Point(-1, name="raised")
            elif i == 3:
                Point(1.0, x=2.0)
            elif i == 4:
                Deep()
            else:
                Point("text")
        except (TypeError, ValueError) as error:
            found.append((type(error), str(error)))
    return found


def tree(a, b):
    return Tree(3).count(), Tree(a).n


FUNCTIONS = (points, deep, frozen, odd, own, abstract, unset, wrong, tree)
VALUES = ((1.5, 2.5), (1, 2), (None, 1.0), (-1, 3), (True, 2**70), ("a", "b"))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_objects_are_what_python_makes(function: Any) -> None:
    script = jitffi.script(function)
    for a, b in (*VALUES, *VALUES):
        if function is tree and a not in (1, None):
            continue
        assert outcome(script, a, b) == outcome(function, a, b), (a, b)


def test_a_class_that_is_changed_is_seen() -> None:
    def kept(kept, what):
        first = Base(1.5).x
        what()
        kept.append(first)
        return first, Base(2.5).x

    before, base = vars(Base)["__init__"], jitffi.script(kept)

    def other(self, x):
        self.x = x * 2

    def change(value: Any) -> Any:
        return lambda: setattr(Base, "__init__", value)

    try:
        for value in (before, other, lambda self, x: before(self, 9.0), before):
            found = []
            for function in (base, kept):
                Base.__init__ = before
                found.append(outcome(function, [], change(value)))
                found.append(outcome(function, [], lambda: None))
            assert found[:2] == found[2:]
    finally:
        Base.__init__ = before


def test_nothing_stays() -> None:
    scripts = [jitffi.script(each) for each in (points, deep, wrong, odd, tree)]

    def work() -> None:
        for each in scripts:
            outcome(each, 1, 2.5)
            outcome(each, -1 if each is not tree else 2, 2.5)

    leaks.assert_nothing_stays(work)


def test_they_are_native() -> None:
    def made(n):
        total = 0.0
        for i in range(n):
            p = Point(1.5, name="xy", k=i)
            total += p.x + Deep(0.5, 2.0).z
        return total

    script = jitffi.script(made)
    assert script(3) == made(3)
    shown = script.inspect_types()
    assert "__init__(self: script_init.Point, x: float, y: float, name: str, more: dict[str, int]) -> none" in shown
    assert "__init__(self: script_init.Deep, z: float, args: tuple[float]" in shown
    assert not [each for each in shown.splitlines() if each.startswith("py ") and "Point(" in each]
