"""Graphs gone through by callbacks for types: orders, regions, what is passed over, visitors that go on themselves."""

from __future__ import annotations

from typing import Any

import pytest

import jitffi
from jitffi import (
    DefRegionKind,
    List,
    Map,
    Tuple,
    VisitInterrupt,
    WalkOrder,
    WalkResult,
    structural_visit,
    structural_walk,
)


@jitffi.register_object("test.structural_walk.Var", eq=False, structure="free_var")
class Var(jitffi.Object):
    name: str = jitffi.field(structural="ignore")
    shape: Any = None


@jitffi.register_object("test.structural_walk.Lambda", eq=False)
class Lambda(jitffi.Object):
    params: list[Var] = jitffi.field(structural="define")
    body: Any = None


@jitffi.register_object("test.structural_walk.Let", eq=False)
class Let(jitffi.Object):
    var: Var = jitffi.field(structural="define_one")
    body: Any = None


def test_orders_and_the_first_callback_that_fits() -> None:
    trace: list[str] = []
    callbacks = [
        ((list, Map), lambda value: trace.append(type(value).__name__)),
        (int, lambda value: trace.append(str(value))),
        (object, lambda value: trace.append(f"else {value!r}")),
    ]
    value = List([1, Map(key=List([2])), True, None])
    for order in (WalkOrder.POSTORDER, "post"):
        assert structural_walk(value, callbacks, order=order) is None
        assert trace == ["1", "2", "List", "Map", "else True", "else None", "List"]
        trace.clear()
    structural_walk(value, callbacks, order="pre")
    assert trace == ["List", "1", "Map", "List", "2", "else True", "else None"]


def test_skip_and_interrupt() -> None:
    met: list[Any] = []

    def on_list(value: Any) -> Any:
        met.append(len(value))
        return WalkResult.SKIP if len(value) == 1 else WalkResult.ADVANCE

    assert structural_walk([[1], [2, 3]], [(list, on_list), (int, met.append)], order="pre") is None
    assert met == [2, 1, 2, 2, 3]
    for order in ("pre", "post"):
        stop = structural_walk((1, [2, 3]), (int, lambda x: VisitInterrupt(x) if x > 1 else None), order=order)
        assert isinstance(stop, VisitInterrupt) and stop.value == 2


def test_variables_know_whether_they_are_bound() -> None:
    x, y = Var("x"), Var("y", shape=Var("n"))
    kinds: list[Any] = []
    told = (Var, lambda var, kind: kinds.append((var.name, kind)))
    structural_walk(Lambda([x, y], [x, y]), with_def_region_kind=told, order="pre")
    bound, used = DefRegionKind.DEF_PATTERN, DefRegionKind.NONE
    assert kinds == [("x", bound), ("y", bound), ("n", bound), ("x", used), ("y", used), ("n", used)]
    kinds.clear()
    structural_walk(Let(y, y), with_def_region_kind=told, order="pre")
    assert kinds == [("y", DefRegionKind.DEF_SIMPLE), ("n", used), ("y", used), ("n", used)]


def test_what_a_variable_is_made_of_is_not_bound_with_it() -> None:
    def let(size: Var, other: Var) -> Let:
        return Let(Var("x", shape=size), other)

    one, two = Var("n"), Var("m")
    assert jitffi.structural_equal(let(one, one), let(one, one))
    assert not jitffi.structural_equal(let(one, one), let(two, two))  # "define" would bind n and m, too
    assert jitffi.structural_equal(Lambda([Var("x", shape=one)], one), Lambda([Var("x", shape=two)], two))


def test_deep_and_circular() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = List([deep])
    count = [0]

    def counted(value: Any) -> None:
        count[0] += 1

    structural_walk(deep, (List, counted))
    assert structural_visit(deep, (int, lambda value, visitor: VisitInterrupt(value))).value == 1  # type: ignore[union-attr]
    assert count == [100_000]
    circle = List([1])
    circle.append(circle)
    with pytest.raises(ValueError, match="structural_walk: a value within itself"):
        structural_walk(circle)
    circle.clear()


def test_visitors_go_on_themselves() -> None:
    trace: list[Any] = []

    def on_tuple(value: Any, visitor: jitffi.StructuralVisitor) -> Any:
        trace.append("tuple")
        return visitor.default_visit(value[0])

    def on_int(value: int, visitor: jitffi.StructuralVisitor) -> Any:
        trace.append(value)
        return VisitInterrupt("done") if value == 2 else None

    found = structural_visit(Tuple([Tuple([1, 2, 3])]), [(Tuple, on_tuple), (int, on_int)])
    assert trace == ["tuple", 1, 2] and found is not None and found.value == "done"


def test_visitors_know_the_region() -> None:
    kinds: list[Any] = []

    def on_var(var: Var, visitor: jitffi.StructuralVisitor) -> None:
        kinds.append(visitor.def_region_kind())
        visitor.with_def_region_kind(2, lambda: kinds.append(visitor.def_region_kind()))

    x = Var("x")
    structural_visit(Lambda([x], x), (Var, on_var))
    assert kinds == [1, 1, 0, 2]


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="structural_walk: callbacks: expected .*, got int"):
        structural_walk([], 3)
    with pytest.raises(TypeError, match=r"expected \(type, callable\), got 'ab'"):
        structural_walk([], ["ab"])
    with pytest.raises(TypeError, match="expected a class or typing.Any, got 3"):
        structural_walk([], (3, print))
    with pytest.raises(ValueError, match="order: expected 'pre' or 'post', got 'in'"):
        structural_walk([], order="in")
    with pytest.raises(TypeError, match="returns None, a WalkResult or a VisitInterrupt, got int"):
        structural_walk([1], (int, lambda x: x))
    with pytest.raises(TypeError, match="returns None or a VisitInterrupt, got int"):
        structural_visit([1], (int, lambda x, visitor: x))
    with pytest.raises(ZeroDivisionError):
        structural_walk([1, 0], (int, lambda x: (1 / x, None)[1]))
