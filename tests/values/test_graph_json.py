"""Graphs of objects as JSON: sharing, circles, fields, defaults, and text that stands for nothing."""

from __future__ import annotations

import contextlib
import json
import pickle
import random
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jitffi
from jitffi import List, Map, Tuple


@jitffi.register_object("test.graph_json.Node", eq=False)
class Node(jitffi.Object):
    value: Any = None
    next: Any = None


@jitffi.register_object("test.graph_json.Typed")
class Typed(jitffi.Object):
    count: jitffi.i32
    name: str
    weight: jitffi.f64 = 1.5
    items: list = jitffi.field(default_factory=list)
    small: jitffi.u8 = 7
    dtype: jitffi.dtype = jitffi.DataType("int8")


@jitffi.register_object("test.graph_json.Frozen", frozen=True)
class Frozen(jitffi.Object):
    name: str


def back(value: Any, indent: int | None = None) -> Any:
    text = jitffi.to_json(value, indent=indent)
    json.loads(text, parse_constant=pytest.fail)
    made = jitffi.from_json(text)
    assert jitffi.structural_equal(made, value) and jitffi.to_json(made, indent=indent) == text
    return made


def test_the_form() -> None:
    shared = List([1])
    assert jitffi.to_json(List([shared, {"a": shared}])) == (
        '{"jitffi": 1, "root": {"$node": 2}, "nodes": [[1], {"a": {"$node": 0}}, [{"$node": 0}, {"$node": 1}]]}'
    )
    assert jitffi.to_json([Typed(1, "é\n")]) == (
        '{"jitffi": 1, "root": {"$node": 2}, "nodes": [[], {"type": "test.graph_json.Typed", "fields": {"count": 1, '
        '"name": "é\\n", "weight": 1.5, "items": {"$node": 0}, "small": 7, "dtype": {"$dtype": "int8"}}}, '
        '[{"$node": 1}]]}'
    )
    assert jitffi.to_json(Node(1), indent=1).startswith('{\n "jitffi": 1,\n "root": {\n  "$node": 0\n },\n "nodes": [')


def test_trees_of_native_containers_have_the_plain_form() -> None:
    nested = [[], {}, [[], {}, ()], {"a": {"b": (1, 2.5, None, True)}}, {1: (2,), "a": 3}, {"$a": 1}]
    texts = [b"abc", b"ab", b"a", b"", '\x00\x1f"\\\b\f\n\r\t\x7fé中\U0001f600']
    for value in (*nested, texts, [float("inf"), -0.0, 1e300, 2**64 - 1, -(2**63)]):
        for indent in (None, 0, 2):
            assert jitffi.to_json(List([value]), indent=indent) == jitffi.to_json([value], indent=indent)
    assert jitffi.to_json(Map(jitffi=1)) == jitffi.to_json({"jitffi": 1}) == '{"$map": [["jitffi", 1]]}'
    assert back({"jitffi": 1, "root": 0, "nodes": []}) == {"jitffi": 1, "root": 0, "nodes": []}


def test_sharing_and_circles_stay() -> None:
    shared = Node(1)
    made = back([shared, (shared, {"k": shared})])
    assert made[0].handle == made[1][0].handle == made[1][1]["k"].handle
    circle = Node(List(), None)
    circle.next = Tuple([circle, circle.value])
    circle.value.append(circle)
    made = back(circle, indent=2)
    assert made.next[0].handle == made.handle and made.value[0].handle == made.handle
    for each in (circle, made):
        each.value.clear()
        each.next = None
    own: list[Any] = [1]
    own.append({"k": (own,)})
    made = back(own)
    assert made[1]["k"][0].handle == made.handle
    made.clear()


def test_maps_that_look_like_objects() -> None:
    made = back([Node({"type": "test.graph_json.Node", "fields": {}}), {"type": 1, "fields": 2, "more": 3}])
    assert made[0].value == {"type": "test.graph_json.Node", "fields": {}}


def test_objects_as_keys() -> None:
    made = back({Frozen("a"): 1, (Frozen("b"), 2): Node(3)})
    assert made[Frozen("a")] == 1 and made[(Frozen("b"), 2)].value == 3


def test_arrays() -> None:
    a = jitffi.from_dlpack(numpy.arange(6, dtype="float32").reshape(2, 3))
    made = back(Node(a, [a, a.T]))
    assert made.value.handle == made.next[0].handle and made.next[1].numpy().tolist() == a.numpy().T.tolist()
    assert back([numpy.zeros((0, 3), "int8"), numpy.array(5, "uint16")])[1].shape == ()


def test_fields_that_are_not_told_have_their_defaults() -> None:
    node = '{"fields": {"name": "n", "count": 3}, "type": "test.graph_json.Typed"}'
    text = f'{{"jitffi": 1, "nodes": [{node}], "root": {{"$node": 0}}}}'
    made = jitffi.from_json(text)
    assert made == Typed(3, "n") and type(made) is Typed and made.items is not jitffi.from_json(text).items
    with pytest.raises(AttributeError):
        back(List([Frozen("a")]))[0].name = "b"


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ('{"type": "test.graph_json.None", "fields": {}}', r"node 0: there is no type 'test\.graph_json\.None'"),
        ('{"type": "list", "fields": {}}', "node 0: there is no type 'list'"),
        ('{"type": "test.graph_json.Typed", "fields": {"count": 1, "nome": "a"}}', "node 0: .* has no field 'nome'"),
        ('{"type": "test.graph_json.Typed", "fields": {"count": 1}}', r"Typed\.name is missing, which has no default"),
        ('{"type": "test.graph_json.Typed", "fields": {"count": "a", "name": "a"}}', r"Typed\.count: expected i32"),
        ('{"type": "test.graph_json.Typed", "fields": {"count": 1, "name": {"$node": 0}}}', "Typed.name: expected str"),
        ('{"type": "test.graph_json.Typed", "fields": []}', "node 0: expected the fields"),
        ('{"$tuple": [{"$node": 0}]}', r"no content of '\$node'"),
        ('[{"$node": 7}]', r"no content of '\$node'"),
        ('{"$bytes": "eA=="}', "node 0: expected a list"),
        ("3", "expected a node"),
        ("[1", "expected"),
        ('{"$map": [[[], 1]]}', "unhashable"),
        ('["\\ud800"]', "surrogates"),
        ("[123456789012345678901234567890]", "more than 64 bits"),
        ("[01]", "expected a value"),
    ],
)  # fmt: skip
def test_what_is_no_graph(node: str, message: str) -> None:
    before = jitffi._core.live_objects()
    with pytest.raises(ValueError, match=message):
        jitffi.from_json(f'{{"jitffi": 1, "root": {{"$node": 0}}, "nodes": [{node}]}}')
    assert jitffi._core.live_objects() <= before + 1


@pytest.mark.parametrize(
    "text",
    [
        '{"jitffi": 2, "root": 1, "nodes": []}',
        '{"jitffi": 1, "root": 1}',
        '{"jitffi": 1, "nodes": []}',
        '{"jitffi": 1, "root": 1, "nodes": []} 2',
        '{"jitffi": 1',
        '{"jitffi": 1, "root": {"$node": 0}, "nodes": []}',
    ],
)
def test_what_is_no_whole_graph(text: str) -> None:
    with pytest.raises(ValueError, match="from_json: byte"):
        jitffi.from_json(text)


def test_versions() -> None:
    @jitffi.register_object("test.graph_json.Versioned")
    class Versioned(jitffi.Object):
        __jitffi_version__ = 3
        x: jitffi.i64 = 1

    text = jitffi.to_json(Versioned(2))
    assert '{"type": "test.graph_json.Versioned", "version": 3, "fields": {"x": 2}}' in text
    assert jitffi.from_json(text) == jitffi.from_json(text.replace(' "version": 3,', "")) == Versioned(2)
    assert jitffi.from_bytes(data := jitffi.to_bytes(Versioned(2))) == Versioned(2)
    with pytest.raises(ValueError, match=r"node 0: test\.graph_json\.Versioned of version 4: here it has version 3"):
        jitffi.from_json(text.replace('"version": 3', '"version": 4'))
    with pytest.raises(ValueError, match=r"test\.graph_json\.Versioned of version 9: here it has version 3"):
        jitffi.from_bytes(data.replace(b"Versioned\x03", b"Versioned\x09"))
    made = back([Node({"type": 1, "fields": 2, "version": 3})])
    assert made[0].value == {"type": 1, "fields": 2, "version": 3}
    with pytest.raises(ValueError, match="version of a type is negative"):
        jitffi._core.type_set_version(jitffi._core.type_code("test.graph_json.Versioned"), -1)


def test_what_has_no_form() -> None:
    with pytest.raises(TypeError, match=r"to_json: value\.next\[0\]: expected a value or container, got object"):
        jitffi.to_json(Node(1, [object()]))
    with pytest.raises(TypeError, match=r"to_json: value\[1\]\.value: expected a value or container, got "):
        jitffi.to_json([1, Node(len)])


def test_no_depth_is_too_deep() -> None:
    one: Any = None
    for _ in range(100_000):
        one = Node(1, one)
    assert jitffi.structural_equal(jitffi.from_json(jitffi.to_json(one)), one)
    deep: Any = List()
    for _ in range(100_000):
        deep = List([deep])
    assert jitffi.structural_equal(jitffi._core.from_json(jitffi.to_json(deep).encode()), deep)


LEAF = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False),
    st.text(max_size=8),
    st.binary(max_size=8),
)
PLAIN = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.text(max_size=4), inner, max_size=4),
    ),
    max_leaves=10,
)


@given(value=PLAIN)
@settings(max_examples=150, deadline=None)
def test_native_code_writes_and_reads_what_python_does(value: Any) -> None:
    native = List([value])
    text = jitffi.to_json(native)
    assert text == jitffi.to_json([value])
    assert repr(jitffi._core.from_json(text.encode())) == repr(native)
    back(Node(native))


def test_any_text_is_a_value_or_a_valueerror() -> None:
    rng = random.Random(5)
    text = jitffi.to_json([Typed(1, "a", items=[1, (2,), {"k": b"x"}]), Node(numpy.zeros(2)), {1: 2}])
    for _ in range(3000):
        broken = list(text)
        for _ in range(rng.randint(1, 3)):
            broken[rng.randrange(len(broken))] = rng.choice(text + ']}[{",:9-é')
        with contextlib.suppress(ValueError):
            repr(jitffi._core.from_json("".join(broken).encode()))


def test_pickles() -> None:
    value = List([Node(1, {"a": (1, b"x")})])
    assert jitffi.structural_equal(pickle.loads(pickle.dumps(value)), value)
