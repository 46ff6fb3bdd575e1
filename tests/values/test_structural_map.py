"""Graphs rewritten by callbacks: what is copied and what stays, variables and shared nodes, mutators."""

from __future__ import annotations

from typing import Any

import pytest

import jitffi
from jitffi import List, Map, Tuple, structural_map, structural_mutate


@jitffi.register_object("test.structural_map.Const", frozen=True)
class Const(jitffi.Object):
    value: jitffi.i64


@jitffi.register_object("test.structural_map.Add", eq=False)
class Add(jitffi.Object):
    left: Any
    right: Any
    note: Any = jitffi.field(default=None, structural="ignore")


@jitffi.register_object("test.structural_map.Var", eq=False, structure="free_var")
class Var(jitffi.Object):
    value: Any


@jitffi.register_object("test.structural_map.Function", eq=False)
class Function(jitffi.Object):
    params: list[Var] = jitffi.field(structural="define")
    body: Any


@jitffi.register_object("test.structural_map.Shared", eq=False, structure="dag")
class Shared(jitffi.Object):
    value: jitffi.i64


def fold(expression: Add) -> Any:
    left, right = expression.left, expression.right
    return Const(left.value + right.value) if isinstance(left, Const) and isinstance(right, Const) else expression


def test_a_compiler_s_pass() -> None:
    x = Var("x")
    unchanged = Add(x, Const(5))
    before = Add(Add(Const(1), Add(Const(2), Const(3))), unchanged, note=7)
    after = structural_map(before, (Add, fold))
    assert after.left.value == 6 and after.right.same_as(unchanged) and after.note == 7
    assert isinstance(before.left, Add) and before.left.right.left.value == 2


@pytest.mark.parametrize("make", [list, tuple, List, Tuple])
def test_containers_are_copied_where_they_change(make: Any) -> None:
    inner, kept = make([1]), make(["a"])
    root = make([inner, kept, {"key": inner}])
    after = structural_map(root, (int, lambda x: x + 1))
    assert type(after) is type(root) and after[0] == make([2]) and after[2]["key"] == make([2])
    assert root[0] == make([1]) and structural_map(root, (int, lambda x: x)) is root
    assert after[1] is kept or after[1].same_as(kept)


def test_keys_stay_and_orders() -> None:
    trace: list[Any] = []

    def noted(value: Any) -> Any:
        trace.append(type(value).__name__)
        return value

    root = Map(key=List([1]))
    callbacks = [
        (dict, noted),
        (list, noted),
        (str, lambda text: "renamed"),
        (int, lambda x: (trace.append(x), x + 1)[1]),
    ]
    assert structural_map(root, callbacks) == {"key": [2]} and trace == [1, "List", "Map"]
    trace.clear()
    assert structural_map(root, callbacks, order="pre") == {"key": [2]} and trace == ["Map", "List", 1]


def test_pre_order_goes_into_what_a_callback_returns() -> None:
    made = structural_map([1], [(list, lambda x: [*x, 2] if len(x) < 2 else x), (int, lambda x: 10 * x)], order="pre")
    assert made == [10, 20]


def test_variables_are_replaced_wherever_they_are_used() -> None:
    x, free = Var(1), Var(1)
    made = structural_map(Function([x], [x, free, Add(x, 5)]), (int, lambda n: n + 1))
    assert made.params[0].value == 2 and not made.params[0].same_as(x)
    assert made.body[0].same_as(made.params[0]) and made.body[2].left.same_as(made.params[0])
    assert made.body[1].same_as(free) and made.body[2].right == 6
    node = Shared(1)
    twice = structural_map(Tuple([node, node]), (int, lambda n: n + 1))
    assert twice[0].value == 2 and twice[0].same_as(twice[1])


def test_callbacks_may_know_the_region() -> None:
    x = Var(1)
    made = structural_map(Function([x], x), with_def_region_kind=(Var, lambda var, kind: var if kind else "used"))
    assert made.params[0].same_as(x) and made.body == "used"


def test_mutators_go_on_themselves() -> None:
    def on_tuple(value: Any, mutator: jitffi.StructuralMutator) -> Any:
        return Tuple([mutator.mutate(value[0]), 10])

    assert structural_mutate(Tuple([1, 2]), [(Tuple, on_tuple), (int, lambda x, mutator: x + 1)]) == (2, 10)

    def through(value: Any, mutator: jitffi.StructuralMutator) -> Any:
        return mutator.default_mutate(value)

    root = List([1, List([2])])
    assert structural_mutate(root, [(list, through), (int, lambda x, mutator: x + 1)]) == [2, [3]] and root == [1, [2]]


def test_mutators_know_what_takes_the_place_of_variables() -> None:
    x, y = Var("x"), Var("y")

    def on_function(value: Function, mutator: jitffi.StructuralMutator) -> Any:
        assert mutator.var_remap_get(x) is None
        mutator.var_remap_set(x, y)
        assert mutator.var_remap_get(x) is y
        return mutator.mutate(value.body)

    made = structural_mutate(Function([x], [x, Add(x, 1)]), (Function, on_function))
    assert made[0].same_as(y) and made[1].left.same_as(y)
    with pytest.raises(TypeError, match="expected an object of structure free_var or dag, got int"):
        structural_mutate(1, (int, lambda value, mutator: mutator.var_remap_get(value)))


def test_who_was_given_the_root_may_change_it() -> None:
    modes: list[int] = []

    def on_list(value: Any, mutator: Any, mode: int) -> Any:
        modes.append(mode)
        return value

    root = List([1])
    structural_mutate(root, (list, on_list))
    assert structural_mutate(root._move(), (list, on_list)) == [1]
    assert modes == [jitffi.InplaceMode.DISALLOW, jitffi.InplaceMode.ALLOW]


def test_what_callbacks_change_meanwhile() -> None:
    items, entries = List([1, 2]), Map(a=1)
    assert structural_map(items, (int, lambda x: (items.append(3), x + 1)[1])) == [2, 3] and len(items) == 4
    with pytest.raises(RuntimeError, match="changed while it was gone through"):
        structural_map(entries, (int, lambda x: (entries.update(b=2), x + 1)[1]))


def test_deep_circular_and_failing() -> None:
    deep: Any = 1
    for _ in range(50_000):
        deep = List([deep])
    made = structural_map(deep, (int, lambda x: x + 1))
    for _ in range(50_000):
        made = made[0]
    assert made == 2
    circle = List([1])
    circle.append(circle)
    with pytest.raises(ValueError, match="structural_map: a value within itself"):
        structural_map(circle)
    circle.clear()
    with pytest.raises(ZeroDivisionError):
        structural_map([1, [0]], (int, lambda x: 1 / x))
    with pytest.raises(TypeError, match="Var.value|Const.value"):
        structural_map(Const(1), (int, lambda x: "text"))
