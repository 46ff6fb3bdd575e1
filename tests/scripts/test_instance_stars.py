"""Methods of registered classes that have `*args`, `**kwargs` or parameters by name alone, and calls with stars."""

from __future__ import annotations

from typing import Any

import jitffi
from tests.support import leaks
from tests.support.instances import outcome

SHARED = [7]


@jitffi.register_object("script_stars.Stars")
class Stars:
    x: float = 1.0
    name: str = "s"

    def total(self, *args):
        found = self.x
        for each in args:
            found += each
        return found

    def joined(self, first, *rest, sep="-", **more):
        found = first
        for each in rest:
            found += sep + each
        for name, value in more.items():
            found += name + "=" + str(value)
        return found + self.name

    def given(self, *args, **more):
        return args, more

    def passed(self, *args, **more):
        return self.given(*args), self.joined("p", *args), self.given(1, *args, x=2)

    def named(self, a, /, b=2, *, c=3, d=SHARED):
        return a, b, c, d

    def taken(self, a, /, **more):
        return a, len(more), more

    def counted(self, n, *args):
        return len(args) if n == 0 else self.counted(n - 1, *args, n)

    def fails(self, *args, **more):
        raise ValueError(f"{len(args)} {len(more)}")

    @staticmethod
    def most(*args, least=0):
        found = least
        for each in args:
            if each > found:
                found = each
        return found

    @classmethod
    def made(cls, *args, **more):
        return cls(*args, **more)


class Odd(Stars):
    def given(self, *args, **more):
        return "odd"


@jitffi.register_object("script_stars.Child")
class Child(Stars):
    def totals(self, *args, by=1):
        return super().total(*args) * by


class Other:
    def total(self, *args):
        return len(args)


def plain(s, a, b):
    return s.total(), s.total(1), s.total(a, b, 0.5), s.most(1, 2), s.most(3, least=9), Stars.most(4, 1)


def texts(s, a, b):
    return s.joined("a"), s.joined("a", "b", sep=s.name), s.joined("a", "b", "c", x=1, y=a), s.joined(first="f", k="v")


def kept(s, a, b):
    return s.given(), s.given(a), s.given(a, [b], x=a, y=[1]), s.passed("u", "v"), s.passed()


def by_name(s, a, b):
    return s.named(a), s.named(a, b), s.named(a, d=b, c=4, b=5), s.taken(a, a=b, c=1), s.taken(b), s.counted(4)


def spread(s, a, b):
    pair, more = (a, b), [a, b]
    return s.total(*pair), s.total(1, *pair, 2.0), s.total(*more), s.named(*pair), s.given(*pair, *more), s.given(*())


def wrong(s, a, b):
    found = []
    for i in range(8):
        try:
            if i == 0:
                s.named()
            elif i == 1:
                s.named(1, 2, 3)
            elif i == 2:
                s.named(a=1)
            elif i == 3:
                s.named(1, b=1, e=2)
            elif i == 4:
                s.named(1, 2, b=3)
            elif i == 5:
                s.joined()
            elif i == 6:
                s.fails(a, b, c=a)
            else:
                s.total(a, "text")
        except (TypeError, ValueError) as error:
            found.append(str(error))
    return found


def once(s, a, b):
    given = []

    def noted(value):
        given.append(value)
        return value

    return s.joined(noted("1"), noted("2"), sep=noted(","), k=noted(a)), given, s.none(noted(1))


FUNCTIONS = (plain, texts, kept, by_name, spread, wrong, once)
VALUES = ((1.5, 2), ("t", "ä" * 30), (None, True), ([1], 2**70), (3, 4))


def test_they_give_what_pythons_give() -> None:
    for function in FUNCTIONS:
        script = jitffi.script(function)
        for a, b in (*VALUES, *VALUES):
            for make in (Stars, Child, Odd, Other):
                assert outcome(script, make(), a, b) == outcome(function, make(), a, b), (function, make, a, b)


def nested(c, n):
    total = 0.0
    for i in range(n):
        total += c.totals(i * 0.5, 1.0, by=2) + c.totals() + c.made(2.0).x + Child.made(x=3.0, name="n").x
    return total


def test_super_and_constructors_take_them() -> None:
    script = jitffi.script(nested)
    assert script(Child(), 4) == nested(Child(), 4)
    shown = script.inspect_types()
    assert "totals(self: script_stars.Child, by: int, args: tuple[float, float]) -> float" in shown
    assert "total(self: script_stars.Child, args: tuple[float, float]) -> float" in shown


def test_methods_that_are_replaced_are_seen() -> None:
    def middle(s, what):
        before = s.total(1, 2), s.total()
        what()
        return before, s.total(1, 2), s.total(*before)

    script, before = jitffi.script(middle), Stars.total
    for value in (lambda self, *args: 0.5 + len(args), lambda self, a=0, b=0: 2.5, before):
        found = []
        for function in (script, middle):
            found.append(outcome(function, Stars(), lambda value=value: setattr(Stars, "total", value)))
            found.append(outcome(function, Stars(), lambda: None))
            Stars.total = before
        assert found[:2] == found[2:]


def test_nothing_stays() -> None:
    scripts = [jitffi.script(each) for each in FUNCTIONS]

    def work() -> None:
        for each in scripts:
            for make in (Stars, Odd):
                outcome(each, make(), "t", "ä" * 30)
                outcome(each, make(), 1, 2)

    leaks.assert_nothing_stays(work)


def test_they_are_native() -> None:
    def all_of_them(s):
        found: Any = 0.0
        for i in range(3):
            found += s.total(1, i) + s.total(*(i, 2.0)) + s.most(i, least=1) + len(s.joined("a", "b", x=i))
        return found

    script = jitffi.script(all_of_them)
    assert script(Stars()) == all_of_them(Stars())
    assert not [each for each in script.inspect_types().splitlines() if each.startswith("py ")]
