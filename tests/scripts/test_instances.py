"""Objects of registered classes in scripts: fields in their places, and whatever the class is at that time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

import jitffi
from tests.support import leaks

if TYPE_CHECKING:
    from collections.abc import Callable


@jitffi.register_object("script_instances.Inner")
class Inner:
    v: float
    n: jitffi.i32 = 5


@jitffi.register_object("script_instances.All")
class All:
    x: float
    y: int
    b: bool = True
    h: jitffi.f32 = 0.5
    u: jitffi.u64 = 7
    s: jitffi.i8 = 3
    name: str = "abc"
    inner: Inner | None = None
    fixed: int = jitffi.field(default=4, frozen=True)


class Derived(All):
    @property
    def name(self):
        return "derived"


class Plain:
    x, y, b, h, u, s, name, inner, fixed = 1.0, 2, 3, 4, 5, 6, "n", None, 1


MAKERS = {
    "plain": lambda: All(1.5, 2),
    "edges": lambda: All(-0.0, -(2**63), False, 1.25, 2**64 - 1, -128, "é", Inner(2.5)),
    "derived": lambda: Derived(1.0, 2),
    "other": Plain,
    "int": lambda: 5,
}
VALUES = (
    1, -1, 2.5, True, "text", None, 10**30, 2**63, 2**64 - 1, 300, 1e300, math.inf, math.nan, b"x", All(1.0, 2)
)  # fmt: skip


def outcome(function: Callable[..., Any], *args: Any) -> str:
    """What it returns, with types, or what it raises."""
    try:
        return repr(function(*args)).partition(" at 0x")[0]
    except Exception as error:
        return f"{type(error)} {error}"


def state(value: Any) -> str:
    return repr([getattr(value, name, None) for name in ("x", "y", "b", "h", "u", "s", "name", "inner")])


def read(p):
    return p.x, p.y, p.b, p.h, p.u, p.s, p.name, p.x * p.y + p.h - p.s


def inner(p):
    t = 0.0
    for _ in range(3):
        t += p.inner.v + p.inner.n
        p.inner.n += 1
    return t


def as_objects(p):
    return p.b and p.x > 1, p.inner is None, p == p, isinstance(p, All), bool(p), [p][0] is p, {"k": p}["k"] is p


def deletes(p):
    del p.x


def missing(p):
    return p.y, p.missing


@pytest.mark.parametrize("function", [read, inner, as_objects, deletes, missing])
def test_reading_is_pythons(function: Any) -> None:
    script = jitffi.script(function)
    for make in (*MAKERS.values(), *MAKERS.values()):
        ours, theirs = make(), make()
        assert outcome(script, ours) == outcome(function, theirs)
        assert state(ours) == state(theirs)


def writes(p, n, v):
    if n == 0:
        p.x = v
    elif n == 1:
        p.y = v
    elif n == 2:
        p.b = v
    elif n == 3:
        p.h = v
    elif n == 4:
        p.u = v
    elif n == 5:
        p.s = v
    elif n == 6:
        p.name = v
    elif n == 7:
        p.fixed = v
    elif n == 8:
        p.inner = v
    else:
        p.x += v
        p.s -= 1
    return p


def test_writing_is_pythons() -> None:
    script = jitffi.script(writes)
    for value in VALUES:
        for n in range(10):
            for make in MAKERS.values():
                ours, theirs = make(), make()
                assert outcome(script, ours, n, value) == outcome(writes, theirs, n, value), (n, value)
                assert state(ours) == state(theirs), (n, value)
    p = All(1.0, 2)
    assert script(p, 0, 2.0) is p


def test_numbers_of_all_of_their_bits_are_read_where_something_was_written() -> None:
    def lower(p):
        p.y -= 1
        return p.y

    script = jitffi.script(lower)
    assert [script(All(1.0, n)) for n in (2**62, 2**63 - 1, 1 - 2**63)] == [2**62 - 1, 2**63 - 2, -(2**63)]


@jitffi.script
def between(p, what):
    before = p.x
    what()
    return before + p.x


FIELD = vars(All)["x"]


@pytest.fixture
def patched() -> Any:
    """Sets what a name of All stands for, until the end."""
    before = dict(vars(All))

    def patch(name: str, value: Any) -> None:
        setattr(All, name, value)

    yield patch
    for name in ("x", "marker", "__getattribute__"):
        if name in before:
            setattr(All, name, before[name])
        elif name in vars(All):
            delattr(All, name)


def test_a_changed_class_is_seen(patched: Any) -> None:
    script, p = jitffi.script(read), All(1.5, 2)
    for value in (property(lambda self: 7), property(lambda self: "text"), All.x):
        patched("x", value)
        assert outcome(script, p) == outcome(read, p)
    for i in range(100):  # is in the end nothing that is gone by
        patched("marker", i)
        assert script(p) == read(p)
    patched("__getattribute__", lambda self, name: 3)
    assert script(p) == read(p)


def test_a_class_that_changes_in_the_middle_of_a_call(patched: Any) -> None:
    p = All(1.5, 2)
    assert between(p, lambda: None) == 3.0
    assert between(p, lambda: patched("x", property(lambda self: 1.0))) == 2.5
    patched("x", FIELD)
    with pytest.raises(TypeError, match="has become another type's"):
        between(p, lambda: patched("x", property(lambda self: "text")))


@jitffi.register_object("script_instances.Shape")
class Shape(Inner):
    w: float = 1.5
    next: Shape | None = None

    def area(self):
        return self.w * self.n

    def scaled(self, factor, by=1):
        return self.area() * factor + by

    @property
    def double(self):
        return self.area() * 2

    @property
    def label(self):
        return "n" + str(self.n)

    def grow(self, by):
        self.w += by

    def factorial(self, n):
        return 1 if n <= 1 else n * self.factorial(n - 1)

    def deeper(self, n):
        return self.deeper(n + 1)

    def text(self):
        return self.label + "."

    def itself(self):
        return self

    def several(self):
        return [self.n, self.w]

    def fails(self):
        raise ValueError(f"of {self.n}")

    def at_times(self):
        return None if self.n > 5 else self.n

    def named(self, *, a=1):
        return self.w + a

    def _dict(self):
        return self.__dict__

    @staticmethod
    def added(a, b):
        return a + b

    @classmethod
    def made(cls):
        return cls(3.0).w

    @jitffi.script
    def squared(self):
        return self.w * self.w


class Square(Shape):
    def itself(self):
        return "square"


def all_methods(s):
    t = 0.0
    for i in range(20):
        s.grow(0.25)
        t += s.area() * s.scaled(2, 3) + s.added(1, i) + s.squared() + s.double
    return t, s.label, s.text(), s.itself() is s, s.several(), s.at_times(), s.named(a=2), s.made(), s.factorial(10)


def linked(s):
    t = 0.0
    while s is not None:
        t += s.scaled(2.0)
        s = s.next
    return t


def fails(s, n):
    if n == 0:
        return s.deeper(1)
    if n == 1:
        return s.fails()
    if n == 2:
        return s.area(1)
    if n == 3:
        return s.scaled()
    if n == 4:
        return s.none()
    if n == 5:
        return s.added(s.n, "x")
    return s._dict()


def test_methods_give_what_pythons_give() -> None:
    for function, more in ((all_methods, [()]), (linked, [()]), (fails, [(n,) for n in range(7)])):
        script = jitffi.script(function)
        for make in (lambda: Shape(1.0), lambda: Shape(1.0, 9, next=Shape(2.0, w=2.5)), lambda: Square(1.0), Plain):
            for args in more * 2:
                ours, theirs = make(), make()
                assert outcome(script, ours, *args) == outcome(function, theirs, *args)
                assert repr(ours).partition(" at ")[0] == repr(theirs).partition(" at ")[0]


def test_a_changed_method_is_seen() -> None:
    @jitffi.script
    def twice(s, what):
        before = s.area()
        what()
        return before + s.area()

    def set_(value: Any) -> Any:
        return lambda: setattr(Shape, "area", value)

    before, s = Shape.area, Shape(1.0)
    try:
        assert twice(s, lambda: None) == 15.0
        assert twice(s, set_(lambda self: 1.0)) == 8.5
        assert (twice(s, lambda: None), s.scaled(2.0), linked(s)) == (2.0, 3.0, 3.0)
        set_(lambda self: "a")()
        assert twice(s, lambda: None) == "aa"
        set_(before)()
        with pytest.raises(AttributeError, match="no attribute 'area'"):
            twice(s, lambda: delattr(Shape, "area"))
    finally:
        set_(before)()
    assert twice(s, lambda: None) == 15.0


@jitffi.register_object("script_instances.Figure")
class Figure:
    w: float

    def scaled(self, factor):
        return self.w * factor

    def text(self):
        return "figure"

    @property
    def double(self):
        return self.w * 2


class Circle(Figure):
    def text(self):
        return None


@jitffi.register_object("script_instances.Holder")
class Holder:
    shape: Figure | None = None
    total: float = 0.0

    def grow(self, by):
        self.total += by
        return by


def held(h):
    h.total += 1.0
    return h.shape.text(), h.shape.double, h.shape.w


def looked_up(h):
    try:
        return h.shape.scaled(h.grow(2.0))
    except AttributeError:
        return h.total


def test_what_derived_classes_have_instead_is_pythons() -> None:
    of_held, of_looked_up = jitffi.script(held), jitffi.script(looked_up)
    for make in (Figure, Circle):
        assert outcome(of_held, Holder(make(1.0))) == outcome(held, Holder(make(1.0)))

    class Late(Figure):
        double, w = property(lambda self: "late"), property(lambda self: None)

        def scaled(self, factor):
            return True

    for function, script in ((held, of_held), (looked_up, of_looked_up)):
        for shape in (Late(1.0), Figure(1.0), None, Late(1.0)):
            assert outcome(script, Holder(shape)) == outcome(function, Holder(shape))

    class Owner(Figure):
        def __getattribute__(self, name):
            return name.upper if name == "text" else name

    for make in (Owner, Figure):
        assert outcome(of_held, Holder(make(1.0))) == outcome(held, Holder(make(1.0)))


def test_what_is_native_is_told() -> None:
    @jitffi.script
    def area(p: All):
        p.y += 1
        return p.x * p.y

    area(All(1.5, 2))
    shown = area.inspect_types()
    assert "area(p: script_instances.All) -> float" in shown
    assert "py" not in shown.split("\n\n")[1]
    script = jitffi.script(linked)
    script(Shape(1.0))
    shown = script.inspect_types()
    assert "scaled(self: script_instances.Shape, factor: float, by: int) -> float" in shown
    assert "area(self: script_instances.Shape) -> float" in shown
    script = jitffi.script(pairs)
    script([All(1.0, 1)], 0.5)
    shown = script.inspect_types()
    assert "pairs(ps: object[list, script_instances.All], d: float) -> int" in shown
    assert "py" not in shown.split("\n\n")[1]


def through(ps, d):
    total, best = 0.0, None
    for i, p in enumerate(ps):
        p.x += d
        p.y = i
        total += p.x * p.y
        if best is None or p.x > best.x:
            best = p
    return total, best, [p.x for p in ps], sum(p.y for p in ps), len(ps)


def pairs(ps, d):
    n = 0
    for i in range(len(ps)):
        for j in range(i + 1, len(ps)):
            n += ps[i].x < ps[j].x + d
    return n


def early(ps, d):
    for p in ps:
        if p.x > d:
            return p
    return None


def appending(ps, d):
    for p in ps:
        p.x += d
        if p.y == 3:
            ps.append(All(5.0, 4))
    return len(ps)


LISTS = (
    lambda: [All(float(i % 3), i) for i in range(6)], list, lambda: [All(1.0, 1), Plain()], lambda: [All(1.0, 1), None],
    lambda: [All(1.0, 1), Derived(2.0, 3)], lambda: [Shape(1.0)], lambda: (All(1.0, 2), All(2.0, 3)),
    lambda: jitffi.List([All(1.0, 2), All(2.0, 3)]),
)  # fmt: skip


@pytest.mark.parametrize("function", [through, pairs, early, appending])
def test_lists_of_them_give_what_pythons_give(function: Any) -> None:
    for makers in (LISTS, LISTS[::-1]):
        script = jitffi.script(function)
        for make in makers:
            ours, theirs = make(), make()
            assert outcome(script, ours, 0.5) == outcome(function, theirs, 0.5)
            assert [state(each) for each in ours] == [state(each) for each in theirs]


@jitffi.script(nogil=True)
def unlocked(p: All, steps: int) -> float:
    for _ in range(steps):
        p.x += 0.5
        p.s += 1
    return p.x * p.s


@jitffi.script(strict=True)
def passing(p: All, v) -> float:
    p.s = v
    return unlocked(p, 2)


def test_strict_scripts_have_numbers_of_registered_objects() -> None:
    p = All(1.5, 2)
    assert (unlocked(p, 3), passing(Derived(0.5, 1), 5), p.x, p.s) == (18.0, 10.5, 3.0, 6)
    for value in (128, 2.5, "text", None):
        assert outcome(passing, p, value) == outcome(setattr, p, "s", value)
    assert outcome(unlocked, Inner(1.0), 1).endswith("'p': expected script_instances.All, got Inner")
    assert unlocked.inspect_types().startswith("unlocked(p: script_instances.All, steps: int) -> float")


def fixed(p: All):
    p.fixed = 1


def text_of(p: All):
    return p.name


def whole(p: All):
    return p


@pytest.mark.parametrize(
    ("function", "message"), [(fixed, "fixed is read-only"), (text_of, "no field 'name' that is a"), (whole, "this is")]
)
def test_what_strict_scripts_lack_is_refused(function: Any, message: str) -> None:
    with pytest.raises(jitffi.ScriptError, match=message):
        jitffi.script(function, strict=True)(All(1.0, 2))


def test_nothing_stays() -> None:
    functions = writes, inner, all_methods, fails, through
    script, of_inner, of_methods, failing, of_lists = map(jitffi.script, functions)
    p = All(1.0, 2, inner=Inner(1.0))

    def work() -> None:
        for n, value in ((0, 1.5), (1, "text"), (5, 300), (6, "another name"), (8, Inner(2.0)), (9, 1.0)):
            outcome(script, p, n, value)
        outcome(of_inner, p)
        outcome(of_methods, Shape(1.0, next=Shape(2.0)))
        outcome(failing, Shape(1.0), 1)
        outcome(of_lists, [All(1.0, 1), All(2.0, 2)], 0.5)

    leaks.assert_nothing_stays(work)
