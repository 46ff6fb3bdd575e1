"""Values by their content: equality, hash and JSON that brings back what went in."""

from __future__ import annotations

import json
import math

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jitffi
from jitffi import List, Map, Shape, Tuple, UCS4String

LEAF = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(),
    st.text(max_size=12),
    st.binary(max_size=12),
    st.sampled_from([jitffi.DataType("float32"), jitffi.DataType("int8x4"), jitffi.Device("cpu", 0), Shape((2, 3))]),
)
KEY = st.one_of(st.text("a$中", max_size=6), st.integers(-3, 3), st.booleans(), st.none(), st.tuples(st.integers(0, 2)))
VALUE = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(KEY, inner, max_size=4),
        st.dictionaries(st.sampled_from(["$tuple", "$map", "a"]), inner, max_size=2),
    ),
    max_leaves=12,
)


@given(value=VALUE)
@settings(max_examples=300, deadline=None)
def test_json_brings_back_what_went_in(value):
    text = jitffi.to_json(value)
    back = jitffi.from_json(text)
    assert jitffi.to_json(back) == text
    assert repr(back if not isinstance(back, List | Map | Tuple) else back.to_python()) == repr(
        List([value]).to_python()[0]
    )
    json.loads(text, parse_constant=pytest.fail)
    assert jitffi.structural_hash(back) == jitffi.structural_hash(value)


@given(a=VALUE, b=VALUE)
@settings(max_examples=200, deadline=None)
def test_equal_values_have_equal_hashes(a, b):
    native = List([a])[0]
    assert "nan" in repr(a) or jitffi.structural_equal(a, native)
    assert jitffi.structural_hash(a) == jitffi.structural_hash(native)
    if jitffi.structural_equal(a, b):
        assert jitffi.structural_hash(a) == jitffi.structural_hash(b)


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ([1, (2,)], List([1.0, (True + 1,)]), True),
        ({"a": 1, "b": 2}, Map(b=2, a=1), True),
        ([1], (1,), False),
        ([1], [1, 2], False),
        ({"a": 1}, {"a": 2}, False),
        ("é", UCS4String("é"), True),
        ("a", b"a", False),
        (Shape((1, 2)), Shape((1, 2)), True),
        ({1: "a"}, {True: "a"}, True),
        ([[], {}], [{}, []], False),
    ],
)
def test_what_is_equal(a, b, equal):
    assert jitffi.structural_equal(a, b) is equal
    assert not equal or jitffi.structural_hash(a) == jitffi.structural_hash(b)


def test_hash_of_what_has_none():
    with pytest.raises(TypeError, match="unhashable"):
        jitffi.structural_hash([bytearray()])
    one = List()
    one.append(one)
    with pytest.raises(ValueError, match="within itself"):
        jitffi.structural_hash(one)
    one.clear()
    twice = [1]
    assert jitffi.to_json([twice, twice]) == "[[1], [1]]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2**64 - 1, "18446744073709551615"),
        ((), '{"$tuple": []}'),
        (math.inf, '{"$float": "inf"}'),
        (-math.inf, '{"$float": "-inf"}'),
        (-0.0, "-0.0"),
        (b"\xff", '{"$bytes": "/w=="}'),
        (UCS4String("é"), '{"$ucs4": "é"}'),
        (jitffi.String("é"), '"é"'),
        (Shape((2, 3)), '{"$shape": [2, 3]}'),
        (jitffi.DataType("float32"), '{"$dtype": "float32"}'),
        (jitffi.Device("cuda", 1), '{"$device": "cuda:1"}'),
        ({1: 2}, '{"$map": [[1, 2]]}'),
        ({"$a": 2}, '{"$map": [["$a", 2]]}'),
        ({"$a": 2, "b": 1}, '{"$a": 2, "b": 1}'),
        (numpy.int32(3), "3"),
        (numpy.float32(0.5), "0.5"),
    ],
)
def test_the_form(value, text):
    assert jitffi.to_json(value) == text
    back = jitffi.from_json(text)
    assert jitffi.structural_equal(back, value) and jitffi.to_json(back) == text


def test_classes_come_back():
    assert type(jitffi.from_json('{"$ucs4": "é"}')) is UCS4String and type(jitffi.from_json("[1]")) is List
    assert type(jitffi.from_json("{}")) is Map and type(jitffi.from_json('{"$tuple": [[1]]}')[0]) is List
    assert math.copysign(1, jitffi.from_json("-0.0")) == -1 and math.isnan(jitffi.from_json('{"$float": "nan"}'))
    assert jitffi.from_json(b"[1]") == [1] and jitffi.from_json(jitffi.String("[1]")) == [1]
    assert jitffi.to_json([1], indent=1) == "[\n 1\n]"


@pytest.mark.parametrize("value", [object(), len, [lambda: 1], {"a": frozenset()}, 1j])
def test_what_has_no_form(value):
    with pytest.raises(TypeError, match="to_json: value"):
        jitffi.to_json(value)


def test_where_a_value_is():
    with pytest.raises(TypeError, match=r"to_json: value\['a'\]\[1\]: expected a value or container, got object"):
        jitffi.to_json({"a": [1, object()]})


@pytest.mark.parametrize(
    "text",
    ["", "[", '{"$nobody": 1}', '{"$tuple": 3}', '{"$bytes": 3}', '{"$map": [1]}', '{"$float": []}', '{"$ucs4": 1}',
     '{"$dtype": "nonsense"}', '{"$shape": ["a"]}', '{"$bytes": "é"}', '{"$bytes": "a"}'],
)  # fmt: skip
def test_what_is_no_value(text):
    with pytest.raises(ValueError):
        jitffi.from_json(text)


@pytest.mark.parametrize("given", [3, None, [1]])
def test_what_is_no_text_is_refused(given):
    with pytest.raises(TypeError, match=f"from_json: expected str or bytes, got {type(given).__name__}"):
        jitffi.from_json(given)
