"""Structural equality, hashes, mismatches and walks: containers, cycles, sharing, and objects of registered classes."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy
import pytest

import jitffi
from jitffi import AccessKind, AccessPath, AccessStep, List, Map, Shape, StructuralKey, Tuple

equal, digest, mismatch = jitffi.structural_equal, jitffi.structural_hash, jitffi.first_structural_mismatch


@jitffi.register_object("test.structural.Var", eq=False, structure="free_var")
class Var(jitffi.Object):
    name: str = jitffi.field(structural="ignore")


@jitffi.register_object("test.structural.Lambda", eq=False)
class Lambda(jitffi.Object):
    params: list[Var] = jitffi.field(structural="define")
    body: Any
    note: str = jitffi.field(default="", structural="ignore")


@jitffi.register_object("test.structural.Node", eq=False)
class Node(jitffi.Object):
    value: Any = None
    next: Any = None


@jitffi.register_object("test.structural.Shared", eq=False, structure="dag")
class Shared(jitffi.Object):
    value: jitffi.i64


@jitffi.register_object("test.structural.Unique", eq=False, structure="unique")
class Unique(jitffi.Object):
    value: jitffi.i64


@jitffi.register_object("test.structural.Constant", eq=False, structure="const_tree")
class Constant(jitffi.Object):
    value: Any
    items: list[jitffi.f64]


def check(a: Any, b: Any, expected: bool, **options: Any) -> None:
    assert equal(a, b, **options) is expected and equal(b, a, **options) is expected
    assert (mismatch(a, b, **options) is None) is expected
    assert not expected or digest(a, **options) == digest(b, **options)


def identity(name: str) -> Lambda:
    x = Var(name)
    return Lambda([x], Tuple((x, "f")))


def test_objects_go_by_their_fields() -> None:
    check(Node(1, Node("a")), Node(1.0, Node("a")), True)
    check(Node(1, Node("a")), Node(1, Node("b")), False)
    check(Node(1), Unique(1), False)
    one = Unique(1)
    check([one], [one], True)
    check([one], [Unique(1)], False)
    check(Constant(0.0, [1.5]), Constant(-0.0, [1.5]), True)
    other_nan = float("inf") - float("inf")  # with its sign set, on x86
    for each in (float("nan"), other_nan, -other_nan):
        check(Constant(float("nan"), [each]), Constant(each, [other_nan]), True)
    check([other_nan], [1.0], False)
    check(Lambda([], 1, note="a"), Lambda([], 1, note="b"), True)
    check({"k": Node((1, 2))}, Map(k=Node(Shape((1, 2)))), True)


def test_variables_are_equal_where_they_were_bound_together() -> None:
    x, y = Var("x"), Var("y")
    check(identity("x"), identity("y"), True)
    check(Lambda([x, y], [x, y]), Lambda([y, x], [y, x]), True)
    check(Lambda([x, y], [x, y]), Lambda([x, y], [y, x]), False)
    check([x], [x], True)
    check([x], [y], False)
    check([x, x], [y, y], True, map_free_vars=True)
    check([x, y], [x, x], False, map_free_vars=True)
    check([x, Lambda([x], x)], [x, Lambda([y], y)], False)
    check(Lambda([x], {x: 1}), Lambda([y], {y: 1}), True)
    check(Lambda([x], {x: 1}), Lambda([y], {x: 1}), False)
    check(Node(x, Lambda([x], x)), Node(x, Lambda([y], y)), False)
    check({"a": Lambda([x], x), "b": Lambda([y], y)}, {"b": identity("x"), "a": identity("y")}, False)
    inner = identity("x")
    check({"a": inner, "b": Lambda([y], [y, inner])}, {"b": Lambda([y], [y, inner]), "a": inner}, True)


def test_nodes_of_graphs_compare_with_their_sharing() -> None:
    a, b = Shared(1), Shared(1)
    check([a, a], [b, b], True)
    check([a, a], [a, b], False)
    assert digest([a, a]) != digest([a, b])
    check([a, b], [Shared(1), Shared(1)], True)
    check({"x": a, "y": [a], "z": b}, {"z": b, "y": [a], "x": a}, True)
    tree, constant = List([a]), Constant(a, [])
    check([tree, tree], [List([b]), List([b])], True)
    check([constant, a], [constant, b], True)
    held = List([Shared(1)])  # nobody else holds the node, and it is met twice
    check([held, held], [List([Shared(1)]), List([Shared(1)])], False)
    check([{a: 1}, a], [{a: 1}, b], equal([{a: 1}, a], [{a: 1}, b]))
    inner = List([1])
    check([inner, inner], [List([1]), List([1])], True)


def test_keys_that_are_objects_go_by_structure() -> None:
    check({Node(1): "a", "k": 2}, {"k": 2, Node(1): "a"}, True)
    check({Node(1): "a"}, {Node(2): "a"}, False)
    check({(1, Node(2)): 1}, {(1, Node(2)): 1}, True)


@pytest.mark.parametrize(
    ("a", "b", "one", "other"),
    [
        (1, 2, "<root>", "<root>"),
        ([1, [2]], [1, [3]], "<root>[1][0]", "<root>[1][0]"),
        ([1, 2], [1], "<root>[1]", "<root>[1]"),
        ({"a": 1}, {"b": 1}, "<root>['a']", "<root>['a']"),
        ({"a": 1}, {"a": 1, "b": 2}, "<root>['b']", "<root>['b']"),
        ({"b": 1, "a": [1]}, {"a": [2], "b": 1}, "<root>['a'][0]", "<root>['a'][0]"),
        (Node(1, [Node(2)]), Node(1, [Node(3)]), "<root>.next[0].value", "<root>.next[0].value"),
        (Node((1,)), Node([1]), "<root>.value", "<root>.value"),
    ],
)
def test_where_values_differ(a: Any, b: Any, one: str, other: str) -> None:
    found = mismatch(a, b)
    assert found is not None and (str(found[0]), str(found[1])) == (one, other)


def test_what_is_missing() -> None:
    found = mismatch([1], [1, 2])
    assert found is not None
    assert found[0].steps == (AccessStep("missing index", 1),) and found[1].steps == (AccessStep("index", 1),)
    assert found[1].resolve([1, 2]) == 2
    with pytest.raises(IndexError):
        found[0].resolve([1])
    found = mismatch({"a": 1}, {})
    assert found is not None and found[1].steps == (AccessStep("missing key", "a"),)


def test_paths() -> None:
    path = AccessPath().attribute("next").index(2).key("k")
    assert (
        str(path) == "<root>.next[2]['k']"
        and path == AccessPath(path.steps)
        and hash(path) == hash(AccessPath(path.steps))
    )
    assert path.parent is not None and path.parent.is_prefix_of(path) and not path.is_prefix_of(path.parent)
    assert path.resolve(Node(None, [0, 0, {"k": "here"}])) == "here" and pickle.loads(pickle.dumps(path)) == path
    with pytest.raises(AttributeError, match="read-only"):
        path._step = None
    with pytest.raises(ValueError, match="kind: expected one of attribute"):
        AccessStep("nothing", 1)
    with pytest.raises(TypeError, match="expected AccessStep, got int"):
        AccessPath([1])  # type: ignore[list-item]


def test_keys_of_dicts() -> None:
    table = {StructuralKey(Node([1, 2])): "found"}
    assert table[StructuralKey(Node([1.0, 2]))] == "found" and StructuralKey(Node([1, 3])) not in table
    assert StructuralKey([1]) != [1] and pickle.loads(pickle.dumps(StructuralKey([1]))) == StructuralKey([1])
    with pytest.raises(AttributeError, match="read-only"):
        StructuralKey(1).value = 2


def chain(count: int, last: Any) -> Any:
    for _ in range(count):
        last = Node(0, last)
    return last


def test_no_depth_is_too_deep() -> None:
    a, b, own = List(), List(), []
    for _ in range(100_000):
        a, b, own = List([a]), List([b]), [own]
    check(a, b, True)
    check(a, own, True)
    check(a, List([a]), False)
    one, other = chain(100_000, 1), chain(100_000, 1)
    check(one, other, True)
    found = mismatch(one, chain(100_000, 2))
    assert found is not None and len(found[0]) == 100_000
    counted = 0

    def count(value: Any, path: AccessPath) -> None:
        nonlocal counted
        counted += 1

    jitffi.walk(one, count)
    assert counted == 200_001


def test_cycles() -> None:
    a, b = Node(1), Node(1)
    a.next, b.next = a, Node(1, b)
    assert equal(a, b) and mismatch(a, b) is None
    b.next.value = 2
    assert not equal(a, b)
    with pytest.raises(ValueError, match=r"structural_hash: value\.next: a container within itself"):
        digest(a)
    own: list[Any] = [1]
    own.append((own,))
    native = List([1])
    native.append((native,))
    assert equal(own, native)
    with pytest.raises(ValueError, match="within itself"):
        digest(own)
    a.next = b.next = None
    native.clear()


def test_sharing_costs_nothing() -> None:
    a: Any = List([1])
    b: Any = List([1])
    for _ in range(200):
        a, b = List([a, a]), List([b, b])
    check(a, b, True)


def test_arrays() -> None:
    a, b = numpy.arange(6, dtype="int32").reshape(2, 3), numpy.arange(6, dtype="int32").reshape(2, 3)
    check(Node(a), Node(b), True)
    b[1, 2] = 0
    check(Node(a), Node(b), False)
    check(Node(a), Node(b), True, skip_elements=True)
    check(Node(a), Node(a.T), False, skip_elements=True)
    check([a.T], [a.T.copy()], True)


def test_objects_that_compare_by_themselves() -> None:
    check([Fraction(1, 2)], [0.5], True)

    class Vanishing:
        def __eq__(self, other: object) -> bool:
            a.clear()
            b.clear()
            return True

        def __hash__(self) -> int:
            a.clear()
            return 1

    a, b = List([List([Vanishing(), 1])]), List([List([Vanishing(), 1])])
    a[0], b[0] = List([Vanishing(), List([2])]), List([Vanishing(), List([2])])
    assert equal(a, b) in (True, False)
    a.extend([List([Vanishing(), List([2])])])
    digest(a)

    class Failing:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("not today")

        __hash__ = None  # type: ignore[assignment]

    with pytest.raises(RuntimeError, match="not today"):
        equal([1, Failing()], [1, Failing()])
    with pytest.raises(TypeError, match="unhashable"):
        digest([Failing()])


def test_walks() -> None:
    node = Node(1, List())
    node.next.append(node)
    node.next.append({"k": 2})
    found: list[str] = []
    jitffi.walk(node, lambda value, path: found.append(str(path)))
    assert found == ["<root>", "<root>.value", "<root>.next", "<root>.next[1]", "<root>.next[1]['k']"]
    found.clear()
    jitffi.walk([node, 1], lambda value, path: found.append(str(path)) or not isinstance(value, Node))
    assert found == ["<root>", "<root>[0]", "<root>[1]"]
    node.next.clear()


def test_paths_under_tvm_ffi_s_names() -> None:
    path = AccessPath.root().attr("a").array_item(2).map_item("key")
    assert path == AccessPath().attribute("a").index(2).key("key") and path.to_steps() == path.steps
    assert [step.kind for step in path.steps] == [AccessKind.ATTR, AccessKind.ARRAY_ITEM, AccessKind.MAP_ITEM]
    root = AccessPath()
    missing = [root.attr_missing("a"), root.array_item_missing(1), root.map_item_missing("k")]
    assert missing == [root.missing_attribute("a"), root.missing_index(1), root.missing_key("k")]
    assert [each.steps[0].kind for each in missing] == ["missing attribute", "missing index", "missing key"]
    assert StructuralKey([1]).key == [1]


def test_structure_none_is_refused() -> None:
    @jitffi.register_object("test.structural.Opaque", eq=False, structure="none")
    class Opaque(jitffi.Object):
        value: jitffi.i64

    one, other = Opaque(1), Opaque(1)
    for compared in (lambda: equal([one], [other]), lambda: digest([one]), lambda: mismatch(one, other)):
        with pytest.raises(TypeError, match="'test.structural.Opaque' are not compared by structure"):
            compared()
    assert not equal(one, 1)


@jitffi.register_object("test.structural.Bound", eq=False)
class Bound(jitffi.Object):
    """Its variables come behind what they are bound in, and its note does not count."""

    body: Any
    params: list[Var] = jitffi.field(default_factory=list)
    note: Any = None

    def __s_equal__(self, other: Any, equal: Any) -> Any:
        if callable(self.note):
            return self.note(equal)
        return equal(self.params, other.params, True, "params") and equal(self.body, other.body, 0, "body")

    def __s_hash__(self, start: int, hash: Any) -> Any:
        return hash(self.body, hash(self.params, start, 1))


def test_classes_say_themselves_what_is_compared() -> None:
    x, y = Var("x"), Var("y")
    one, other = Bound([x, 1], [x], "one"), Bound([y, 1], [y], "other")
    for a, b in ((one, other), ([one, one], [other, other]), ({"k": (one,)}, {"k": (other,)})):
        assert equal(a, b) and digest(a) == digest(b) and mismatch(a, b) is None
    assert not equal(one, Bound([y, 2], [y])) and not equal(one, Bound([x, 1], [y]))
    assert [str(path) for path in mismatch([1, {"k": one}], [1, {"k": Bound(2)}])] == ["<root>[1]['k']"] * 2
    within, again = Bound(None), Bound(None)
    within.body, again.body = [within], [again]
    assert equal(within, again)
    with pytest.raises(ValueError, match="within itself"):
        digest(within)


@jitffi.register_object("test.structural.Either", eq=False)
class Either(jitffi.Object):
    """Is equal to another one where one part is; some of its parts have no hash."""

    a: Any
    b: Any

    def __s_equal__(self, other: Any, equal: Any) -> Any:
        return equal(self.a, other.a, True) or equal(self.b, other.b, True)

    def __s_hash__(self, start: int, hash: Any) -> Any:
        try:
            return hash(self.a, start)
        except ValueError:
            return start


@pytest.mark.parametrize("of", [lambda i: List([1, [i]]), lambda i: Shared(i)])
def test_what_a_method_has_tried_in_vain_is_forgotten(of: Any) -> None:
    x, y = of(1), of(2)
    assert not equal([Either(x, 0), x], [Either(y, 0), y]) and equal([Either(x, 0), x], [Either(x, 1), x])
    assert str(mismatch([Either(x, 0), x], [Either(y, 0), y])[0]).startswith("<root>[1]")
    u, v, w = Var("u"), Var("v"), Var("w")
    many = [Var("z") for _ in range(50)]
    assert equal(Either([[u, many], 1], [u, many]), Either([[v, many], 2], [w, many]))
    assert not equal(Either([u, 1], [u, u]), Either([v, 2], [w, v]))
    circle: list[Any] = List([x])
    circle.append(circle)
    assert digest([Either(circle, 0), 1]) == digest([Either(circle, 2), 1]) != digest([Either(circle, 0), 2])


def test_what_such_methods_do_wrong_is_told() -> None:
    kept: list[Any] = []
    wrong = {
        lambda equal: None: (TypeError, "Bound.__s_equal__: result: expected bool or int, got NoneType"),
        lambda equal: equal(1): (TypeError, "expected two values"),
        lambda equal: equal(1, 1, "x"): (TypeError, "region: expected bool or int, got str"),
        lambda equal: 1 / 0: (ZeroDivisionError, "division"),
        lambda equal: kept.append(equal) or kept.clear() or 1.5: (TypeError, "got float"),
    }
    for note, (error, message) in wrong.items():
        with pytest.raises(error, match=message):
            equal(Bound(1, note=note), Bound(1))
    assert equal([Bound(1, note=lambda equal: kept.append(equal) or True)], [Bound(2)])
    with pytest.raises(ValueError, match="is over"):
        kept[0](1, 1)
    deep = [None, None]
    for _ in range(2000):
        deep = [Bound(each) for each in deep]
    for compared in (lambda: equal(*deep), lambda: digest(deep[0])):
        with pytest.raises(RecursionError):
            compared()
