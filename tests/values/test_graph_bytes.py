"""Graphs of objects as bytes: what comes back, and that any bytes are a value or a ValueError."""

from __future__ import annotations

import contextlib
import random
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jitffi
from jitffi import List, Map, Shape, Tuple


@jitffi.register_object("test.graph_bytes.Node", eq=False)
class Node(jitffi.Object):
    value: Any = None
    next: Any = None


@jitffi.register_object("test.graph_bytes.Typed")
class Typed(jitffi.Object):
    count: jitffi.i32
    name: str
    items: list = jitffi.field(default_factory=list)
    weight: jitffi.f64 = 0.5


def back(value: Any) -> Any:
    data = jitffi.to_bytes(value)
    assert type(data) is bytes and data.startswith(b"jfg1\x01")
    made = jitffi.from_bytes(bytearray(data))
    assert jitffi.structural_equal(made, value) and jitffi.to_bytes(made) == data
    return made


VALUE = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**64 - 1),
        st.floats(allow_nan=False),
        st.text(max_size=8),
        st.binary(max_size=40),
        st.sampled_from([jitffi.DataType("float32"), jitffi.Device("cuda", 3), Shape((2, -3))]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.one_of(st.text(max_size=4), st.integers(-3, 300)), inner, max_size=4),
        st.builds(Node, inner, inner),
    ),
    max_leaves=10,
)


@given(value=VALUE)
@settings(max_examples=200, deadline=None)
def test_what_comes_back(value: Any) -> None:
    made = back(value)
    assert repr(made) == repr(List([value])[0])


@pytest.mark.parametrize("write", [back, lambda value: jitffi.from_json(jitffi.to_json(value))])
def test_tuples_in_circles_stand_behind_their_items(write: Any) -> None:
    inner, outer = Node(), Node()
    second = Tuple([inner, outer])
    first = Tuple([outer, second])
    outer.value, inner.value = Tuple([Tuple([first]), second]), Tuple([second, 7])
    outer.next, inner.next = [outer.value[0], first], Tuple([first, inner.value])
    made = write(first)
    outer, (inner, again) = made
    assert outer is again and outer.value[0][0].same_as(made) and outer.value[1].same_as(made[1])
    assert inner.value[0].same_as(made[1]) and inner.next[0].same_as(made) and inner.next[1].same_as(inner.value)
    outer.value = outer.next = inner.value = inner.next = None


def test_sharing_circles_and_arrays_stay() -> None:
    array = numpy.arange(6, dtype="int16").reshape(2, 3)
    a = jitffi.from_dlpack(array)
    made = back([a, (a,), a.T, {"k": a}])
    assert made[0].handle == made[1][0].handle and made[2].numpy().tolist() == array.T.tolist()
    circle = Node(List([Tuple([1])]))
    circle.next = Map(me=circle)
    circle.value.append(circle)
    made = back(circle)
    assert made.next["me"].handle == made.value[1].handle == made.handle
    for each in (circle, made):
        each.value.clear()
        each.next = None


def test_no_depth_is_too_deep() -> None:
    one: Any = None
    for _ in range(100_000):
        one = Node(1, one)
    assert jitffi.structural_equal(jitffi.from_bytes(jitffi.to_bytes(one)), one)


def test_fields_by_name() -> None:
    data = jitffi.to_bytes(Typed(1, "a"))
    with pytest.raises(ValueError, match=r"from_bytes: byte \d+: test\.graph_bytes\.Typed has no field 'nome'"):
        jitffi.from_bytes(data.replace(b"\x04name", b"\x04nome"))
    with pytest.raises(ValueError, match=r"from_bytes: byte \d+: there is no type 'test\.graph_bytes\.Tiped'"):
        jitffi.from_bytes(data.replace(b"Typed", b"Tiped"))
    with pytest.raises(ValueError, match=r"Typed\.count: expected i32, got str"):
        jitffi.from_bytes(data.replace(b"\x81\x06\x01a", b"\x06\x01a\x06\x01a"))
    few = b"jfg1\x01\x01\x17test.graph_bytes.Typed\x00\x02\x05count\x04name\x01\x04\x00\x83\x06\x01n\x08\x00"
    assert jitffi.from_bytes(few.replace(b"\x17test", bytes([len("test.graph_bytes.Typed")]) + b"test")) == Typed(
        3, "n"
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", 'byte 0: expected "jfg1"'),
        (b"jfg2\x01\x00\x00\x00", 'expected "jfg1"'),
        (b"jfg1\x02\x00\x00\x00", "a version that is not known"),
        (b"jfg1\x01\x00\xff\xff\xff\xff\x0f\x01", "byte 11: more than there are bytes for"),
        (b"jfg1\x01\x00\x01\x01\xff\xff\xff\xff\x0f", "more than there are bytes for"),
        (b"jfg1\x01\x00\x01\x02\x01\x08\x00\x08\x00", "a tuple within itself"),
        (b"jfg1\x01\x00\x00\x08\x00", "a node that there is not"),
        (b"jfg1\x01\x00\x00\x06\x02\xff\xff", "no UTF-8"),
        (b"jfg1\x01\x00\x00\x00\x00", "more bytes than the graph has"),
        (b"jfg1\x01\x00\x00\x20", "no value begins so"),
        (b"jfg1\x01\x00\x01\x09\x00\x00", "no node begins so"),
        (b"jfg1\x01\x00\x01\x05\x00\x08\x01\x00\x01\x90\x4e\x01\x00\x08\x00", "not as many bytes"),
        (b"jfg1\x01\x00\x02\x01\x00\x03\x01\x08\x00\x01\x08\x01", "unhashable"),
        (b"jfg1\x01\x00\x00\x03" + b"\xff" * 10, "more than 64 bits"),
    ],
)
def test_what_stands_for_nothing(data: bytes, message: str) -> None:
    before = jitffi._core.live_objects()
    with pytest.raises(ValueError, match=message):
        jitffi.from_bytes(data)
    assert jitffi._core.live_objects() <= before + 1
    with pytest.raises(TypeError):
        jitffi.from_bytes("text")


def test_any_bytes_are_a_value_or_a_valueerror() -> None:
    rng = random.Random(3)
    whole = jitffi.to_bytes(
        [
            Typed(1, "a", [1, (2,), {"k": b"x"}]),
            Node(numpy.zeros((2, 2))),
            {1: 2, (1, 2): Shape((1, 2))},
            jitffi.DataType("int8"),
        ]
    )
    before = jitffi._core.live_objects()
    for turn in range(6000):
        broken = bytearray(whole[: rng.randint(1, len(whole))] if turn % 3 == 0 else whole)
        for _ in range(rng.randint(1, 4)):
            broken[rng.randrange(len(broken))] = rng.choice((0, 1, 2, 3, 4, 5, 8, 127, 128, 255, rng.randrange(256)))
        with contextlib.suppress(ValueError):
            repr(jitffi.from_bytes(broken))
    jitffi.collect_cycles()
    assert jitffi._core.live_objects() <= before + 4


def test_what_has_no_form() -> None:
    with pytest.raises(TypeError, match=r"to_bytes: value\[1\]\.value: expected a value or container, got "):
        jitffi.to_bytes([1, Node(object())])
