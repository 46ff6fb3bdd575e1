"""Objects of registered classes in scripts: fields in their places, and whatever the class is at that time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

import jitffi
from tests.support import leaks
from tests.support.instances import All, Derived, Inner, Plain, Shape, outcome

if TYPE_CHECKING:
    pass


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


def test_what_is_native_is_told() -> None:
    @jitffi.script
    def area(p: All):
        p.y += 1
        return p.x * p.y

    area(All(1.5, 2))
    shown = area.inspect_types()
    assert "area(p: script_instances.All) -> float" in shown
    assert "py" not in shown.split("\n\n")[1]
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
    functions = writes, inner, through
    script, of_inner, of_lists = map(jitffi.script, functions)
    p = All(1.0, 2, inner=Inner(1.0))

    def work() -> None:
        for n, value in ((0, 1.5), (1, "text"), (5, 300), (6, "another name"), (8, Inner(2.0)), (9, 1.0)):
            outcome(script, p, n, value)
        outcome(of_inner, p)
        outcome(of_lists, [All(1.0, 1), All(2.0, 2)], 0.5)

    leaks.assert_nothing_stays(work)
