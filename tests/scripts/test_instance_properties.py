"""Setters of properties, and class methods, of registered classes in scripts: compiled along, or whatever the class has
at that time."""

from __future__ import annotations

from typing import Any

import pytest

import jitffi
from tests.support import leaks
from tests.support.instances import outcome


def tank_class(key: str) -> Any:
    @jitffi.register_object(key)
    class Tank:
        level: float = 1.0
        name: str = "tank"
        n: int = 0
        RATE = 0.5

        @property
        def percent(self):
            return self.level * 100

        @percent.setter
        def percent(self, value):
            if value < 0:
                raise ValueError(f"{self.name}: {value}")
            self.level = value / 100
            self.n += 1

        @property
        def title(self):
            return self.name + "!"

        @title.setter
        def title(self, value):
            self.name = value

        @property
        def several(self):
            return [self.n, self.level]

        @several.setter
        def several(self, given):
            self.n, self.level = given

        @property
        def fixed(self):
            return self.n

        def _set(self, value):
            self.n = value

        only = property(None, _set)

        def _odd(self):
            return self.n

        odd = property(_odd, lambda self, value: [value])

        @classmethod
        def made(cls, level, *, n=3):
            return cls(level, n=n)

        @classmethod
        def scaled(cls, by=2):
            return cls.RATE * by + cls.added(by, 1)

        @classmethod
        def powers(cls, n):
            return 1 if n < 1 else 2 * cls.powers(n - 1)

        @classmethod
        def itself(cls):
            return cls.__name__

        @classmethod
        def fails(cls):
            raise KeyError(cls.__name__)

        @staticmethod
        def added(a, b):
            return a + b

    return Tank


Tank, Parent = tank_class("script_properties.Tank"), tank_class("script_properties.Parent")


@jitffi.register_object("script_properties.Deep")
class Deep(Tank):
    depth: float = 2.0

    @classmethod
    def deepened(cls, by=3):
        found = super().made(by, n=7)
        found.depth = 9.0
        return found

    @classmethod
    def deeper(cls, by=3):
        return super().scaled(by) + Tank.scaled(by)


@jitffi.register_object("script_properties.Child")
class Child(Parent):
    RATE = 0.25

    @classmethod
    def made(cls, level, *, n=4):
        return super().made(level + 1, n=n)


class Odd(Parent):
    @property
    def percent(self):
        return "odd"

    @percent.setter
    def percent(self, value):
        self.level = -value

    @classmethod
    def powers(cls, n):
        return cls

    @classmethod
    def made(cls, level):
        return level


class Own(Parent):
    def __setattr__(self, name, value):
        super().__setattr__("n", self.n + 10)
        super().__setattr__(name, value)


class Other:
    level, name, n, percent, title, several, fixed, only, odd = 1.0, "o", 1, 2.0, "t", [1], 1, 2, 3
    RATE = "no"


MAKERS = (Tank, Deep, Parent, Child, Odd, Own, Other, lambda: 5)


def sets(t, n, v):
    if n == 0:
        t.percent = v
    elif n == 1:
        t.percent += v
    elif n == 2:
        t.title = v
    elif n == 3:
        t.title += v
    elif n == 4:
        t.several = v, 1.5
    elif n == 5:
        t.several += [v]
        t.several += v
    elif n == 6:
        t.fixed = v
    elif n == 7:
        t.fixed += v
    elif n == 8:
        t.only = v
    elif n == 9:
        t.only += v
    elif n == 10:
        t.percent, t.title = v, "pair"
    elif n == 11:
        for t.percent in (1, 2.5, v):
            t.n += 1
    elif n == 12:
        del t.percent
    elif n == 13:
        t.odd = t.only = v
    elif n == 14:
        t.RATE = v
    else:
        t.RATE += v
    return t.level, t.name, t.n, t.RATE


VALUES = (1, -1, 2.5, True, "text", None, 10**30, -0.0, [3])


def test_setting_is_pythons() -> None:
    script = jitffi.script(sets)
    for value in VALUES:
        for n in range(16):
            for make in (*MAKERS, Tank):
                ours, theirs = make(), make()
                assert outcome(script, ours, n, value) == outcome(sets, theirs, n, value), (n, value, make)
                assert repr(ours).partition(" at ")[0] == repr(theirs).partition(" at ")[0], (n, value, make)


def poured(t, by):
    for _ in range(3):
        t.percent += by
    t.percent = t.percent * 2
    return t.percent


def test_a_property_that_is_replaced_is_seen() -> None:
    before, script = Tank.percent, jitffi.script(poured)
    try:
        for found in (
            before.setter(lambda self, value: None), before.setter(lambda self, value: setattr(self, "level", 2)),
            property(lambda self: 7), property(before.fget, before.fset), 5.0, before,
        ):  # fmt: skip
            Tank.percent = found
            for make in (Tank, Deep):
                ours, theirs = make(), make()
                assert outcome(script, ours, 1.5) == outcome(poured, theirs, 1.5), make
        del Tank.percent
        assert outcome(script, Tank(), 1.5) == outcome(poured, Tank(), 1.5)
    finally:
        Tank.percent = before
    assert script(Tank(), 1.5) == poured(Tank(), 1.5)


def between(t, what):
    t.percent = 10
    what()
    t.percent = 20
    return t.level


def test_a_setter_that_is_replaced_in_the_middle_of_a_call_is_seen() -> None:
    before, script = Tank.percent, jitffi.script(between)
    try:
        assert script(Tank(), lambda: None) == 0.2
        assert script(Tank(), lambda: setattr(Tank, "percent", before.setter(lambda self, value: None))) == 0.1
        Tank.percent = before
        assert script(Tank(), lambda: setattr(Tank, "__setattr__", lambda self, name, value: None)) == 0.1
    finally:
        Tank.percent = before
        if "__setattr__" in vars(Tank):
            del Tank.__setattr__
    assert script(Tank(), lambda: None) == 0.2


def of_objects(t, n):
    made = t.made(2.0)
    return made, t.scaled(), t.powers(n), t.itself(), t.made(1.0, n=n), type(made).__name__


def of_classes(t, n):
    made = Tank.made(2.0, n=n)
    deep = Deep.deepened(by=1.0)
    total = 0.0
    for i in range(n):
        total += Tank.made(1.0 + i).percent + Tank.RATE + Tank.scaled(by=i) + Deep.deeper(i)
    deep.percent += 1
    return made, deep, total, Tank.powers(n), Deep.itself(), Odd.made(n), Child.made(1.0), Parent.made(2.0)


def of_arguments(cls, n):
    return cls.powers(n), cls.made(1.0, n=n), cls.RATE, cls(1.0)


def failing(t, n):
    if n == 0:
        return t.fails()
    if n == 1:
        return Tank.made()
    if n == 2:
        return Tank.made(1, 2)
    if n == 3:
        return t.powers(m=1)
    return Tank.powers("x")


def test_class_methods_give_what_pythons_give() -> None:
    for function in (of_objects, of_classes, failing):
        script = jitffi.script(function)
        for make in (*MAKERS, Tank):
            for n in range(5):
                ours, theirs = make(), make()
                assert outcome(script, ours, n) == outcome(function, theirs, n), (function, make, n)
    script = jitffi.script(of_arguments)
    for cls in (Tank, Deep, Odd, Tank(), int):
        assert outcome(script, cls, 3) == outcome(of_arguments, cls, 3)


def middle(t, what):
    before = Tank.powers(3), t.powers(3), Tank.RATE
    what()
    return before, Tank.powers(3), t.powers(3), Tank.RATE


@pytest.mark.parametrize("name", ["powers", "RATE"])
def test_class_methods_and_constants_that_are_replaced_are_seen(name: str) -> None:
    before, script, called = vars(Tank)[name], jitffi.script(middle), jitffi.script(of_classes)
    try:
        for value in (before, classmethod(lambda cls, n: n), staticmethod(lambda n: 5.5), 4.5, before):
            setattr(Tank, name, value)
            assert outcome(script, Tank(), lambda: None) == outcome(middle, Tank(), lambda: None)
            assert outcome(called, Tank(), 3) == outcome(of_classes, Tank(), 3)
    finally:
        setattr(Tank, name, before)


def test_they_are_native() -> None:
    @jitffi.script
    def total(t):
        found = 0.0
        for _ in range(5):
            t.percent += 1.0
            t.title = "new"
            found += t.scaled() + Deep.deeper(2) + Tank.made(2.0).level + Tank.RATE
        return found

    total(Tank())
    shown = total.inspect_types()
    assert "scaled(cls: type[script_properties.Tank], by: int) -> float" in shown
    assert "made(cls: type[script_properties.Tank], level: float, n: int) -> script_properties.Tank" in shown
    assert "percent(self: script_properties.Tank, value: float) -> none" in shown
    assert not [each for each in shown.splitlines() if each.startswith("py ") and "itself" in each]


def test_nothing_stays() -> None:
    setting, calling = jitffi.script(sets), jitffi.script(of_classes)

    def work() -> None:
        for n in range(14):
            outcome(setting, Tank(), n, 2)
        outcome(setting, Tank(), 0, -1)
        outcome(calling, Tank(), 3)

    leaks.assert_nothing_stays(work)
