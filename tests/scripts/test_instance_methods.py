"""Methods and properties of registered classes in scripts: compiled along, and whatever the class has at that time."""

from __future__ import annotations

from typing import Any

import pytest

import jitffi
from tests.support import leaks
from tests.support.instances import Plain, Shape, Square, outcome


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


def test_what_a_derived_class_is_given_later_is_seen() -> None:
    class Later(Figure):
        pass

    script, h = jitffi.script(held), Holder(Later(1.0))
    for value in (lambda self: "later", lambda self: 5):
        assert outcome(script, h) == outcome(held, h)
        Later.text = value
        assert outcome(script, h) == outcome(held, h)


SHARED = [1]


@jitffi.register_object("script_instances.Defaults")
class Defaults:
    n: int

    def given(self, a=(1, "b"), b=SHARED, *, f=len):
        return a, b, f(b) + self.n


def test_defaults_are_those_of_the_method() -> None:
    def called(d):
        return d.given(), d.given(1, [2, 3]), d.given(f=sum)

    script = jitffi.script(called)
    for _ in range(2):
        found = script(Defaults(2))
        assert found == called(Defaults(2))
        assert found[0][1] is SHARED


@jitffi.register_object("script_instances.Loan")
class Loan:
    sum: int
    RATE = 0.5
    NAME = "loan"

    def cost(self, years=1):
        return self.sum * self.RATE * years

    def title(self):
        return self.NAME + self.unit(self.sum)

    @staticmethod
    def unit(n, mark="E"):
        return str(n) + mark


@jitffi.register_object("script_instances.Fixed")
class Fixed(Loan):
    fee: int = 2
    RATE = 0.25

    def cost(self, years=2):
        return super().cost(years) + self.fee

    def title(self):
        return "fixed " + super().title() + Loan.unit(self.fee, mark="!")


class Odd(Fixed):
    NAME = "odd"

    def cost(self, years=3):
        return -super().cost(years)


def priced(loan, n):
    total = 0.0
    for year in range(n):
        total += loan.cost(year) + Loan.cost(loan) * loan.RATE
    return total, loan.title(), loan.cost()


def test_bases_constants_and_functions_of_classes() -> None:
    script = jitffi.script(priced)
    for changed in (None, ("RATE", 2.0), ("RATE", "text"), ("RATE", 0.5), ("cost", lambda self, years=0: years)):
        if changed is not None:
            setattr(Loan, *changed)
        for make in (Loan, Fixed, Odd, Fixed, Loan):
            assert outcome(script, make(100), 3) == outcome(priced, make(100), 3), (changed, make)


@jitffi.register_object("script_instances.Leaf")
class Leaf(Figure):
    RATE = 3

    def scaled(self, factor):
        return super().scaled(factor) * self.RATE


def test_they_are_native() -> None:
    script = jitffi.script(scaled_leaf)
    assert script(Leaf(1.5), 2.0) == 9.0
    shown = script.inspect_types()
    assert "scaled(self: script_instances.Leaf, factor: float) -> float" in shown
    assert shown.count("scaled(self: script_instances.Leaf, factor: float) -> float") == 2
    assert "\npy " not in shown


def scaled_leaf(leaf, factor):
    return leaf.scaled(factor)


def test_what_is_native_is_told() -> None:
    script = jitffi.script(linked)
    script(Shape(1.0))
    shown = script.inspect_types()
    assert "scaled(self: script_instances.Shape, factor: float, by: int) -> float" in shown
    assert "area(self: script_instances.Shape) -> float" in shown


def test_nothing_stays() -> None:
    script, failing = jitffi.script(all_methods), jitffi.script(fails)

    def work() -> None:
        outcome(script, Shape(1.0, next=Shape(2.0)))
        outcome(failing, Shape(1.0), 1)

    leaks.assert_nothing_stays(work)
