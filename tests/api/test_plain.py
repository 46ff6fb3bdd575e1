"""Values as Python's own, and in the hands of those who know only those: json, NumPy, pandas, the standard library."""

from __future__ import annotations

import bisect
import collections
import copy
import dataclasses
import enum
import functools
import heapq
import itertools
import json
import pprint
import random
import statistics
from typing import Any

import numpy as np
import pytest

import jitffi
from jitffi import Bytes, DataType, Device, List, Map, Shape, String, Tuple, UCS4String, to_plain
from jitffi.api import deep

DEEP = 10_000


class Color(enum.IntEnum):
    RED = 1


Pair = collections.namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (List([1, (2, Map(a=[None, True]))]), [1, (2, {"a": [None, True]})]),
        ([List([1]), {"k": Tuple([String("x")])}], [[1], {"k": ("x",)}]),
        (Map({(1, 2): [b"x"], "s": 1.5}), {(1, 2): [b"x"], "s": 1.5}),
        ({Tuple([1]): List()}, {(1,): []}),
        (Shape((2, 3)), (2, 3)),
        (String("é"), "é"),
        (UCS4String("é"), "é"),
        (Bytes(b"x"), b"x"),
        (DataType("f32"), "float32"),
        (Device("cuda", 1), "cuda:1"),
        (collections.OrderedDict(a=List([1])), {"a": [1]}),
        (Pair(List(), 1), ([], 1)),
        ({List.__name__, Tuple([1])}, {"List", (1,)}),
        (frozenset([Tuple([1])]), frozenset([(1,)])),
        ([Color.RED, np.float32(0.5), np.int8(3), np.bool_(True)], [1, 0.5, 3, True]),
        (type("Words", (List,), {})(["a"]), ["a"]),
        (None, None),
        (3, 3),
        (b"x", b"x"),
    ],
)
def test_plain(value: Any, plain: Any) -> None:
    def classes(x: Any) -> Any:
        if isinstance(x, dict):
            return dict, [(classes(key), classes(item)) for key, item in x.items()]
        return (type(x), [*map(classes, x)]) if isinstance(x, (list, tuple)) else type(x)

    made = to_plain(value)
    assert made == plain and classes(made) == classes(plain)


def test_other_objects_stay_themselves_within_containers() -> None:
    one = object()
    assert to_plain(List([one, len]))[0] is one
    for alone in (one, len, np.zeros(2)):
        with pytest.raises(TypeError, match="to_plain: expected a value"):
            to_plain(alone)


def test_what_is_shared_stays_shared_and_cycles_stay() -> None:
    inner = List([1])
    outer = List([inner, (inner,), Map(k=inner)])
    outer.append(outer)
    outer.append((outer,))
    plain = to_plain(outer)
    assert plain[0] is plain[1][0] is plain[2]["k"] and plain[3] is plain and plain[4][0] is plain
    own: list[Any] = []
    own.append((own, {"own": own}))
    plain = to_plain(own)
    assert plain[0][0] is plain and plain[0][1]["own"] is plain and plain is not own


def test_json_takes_values_by_to_plain() -> None:
    value = {"words": List(["to", ("be", Map(n=1, s=String("x")))]), "shape": Shape((2, 3)), "of": DataType("i8")}
    text = json.dumps(value, default=to_plain)
    assert json.loads(text) == {"words": ["to", ["be", {"n": 1, "s": "x"}]], "shape": [2, 3], "of": "int8"}
    cycle = List()
    cycle.append(cycle)
    with pytest.raises(ValueError, match="Circular reference"):
        json.dumps(cycle, default=to_plain)
    with pytest.raises(TypeError, match="got object"):
        json.dumps(List([object()]), default=to_plain)


def nested(kind: Any, depth: int = DEEP) -> Any:
    made = kind([1])
    for _ in range(depth):
        made = kind([made])
    return made


def mapped(depth: int = DEEP) -> Any:
    made = Map(k=1)
    for _ in range(depth):
        made = Map(k=made)
    return made


@pytest.mark.parametrize("make", [lambda: nested(list), lambda: nested(List), lambda: nested(Tuple), mapped])
def test_no_depth_is_too_deep(make: Any) -> None:
    value = make()
    text = jitffi.to_json(value)
    back = jitffi.from_json(text)
    assert jitffi.structural_hash(value) == jitffi.structural_hash(back) == jitffi.structural_hash(make())
    assert jitffi.structural_equal(value, back) and jitffi.structural_equal(value, make())
    assert not jitffi.structural_equal(value, back[0] if not isinstance(back, Map) else back["k"])
    assert jitffi.to_json(back) == text
    plain = [to_plain(value)]
    if not isinstance(value, list):
        plain.append(value.to_python())
    for each in plain:
        depth = 0
        while isinstance(each, (list, tuple, dict)):
            each = each["k"] if isinstance(each, dict) else each[0]
            depth += 1
        assert (each, depth) == (1, DEEP + 1)


def test_json_of_deep_values_is_written_as_all_json() -> None:
    value = {"a": [1, {"b": [], "c": {}}, "é\n"], "t": (2.5, b"x"), "n": float("nan"), "": {"x": [[]]}}
    encoded = json.loads(jitffi.to_json(value))
    for indent in (None, 0, 2):
        assert deep.dumps(encoded, indent) == json.dumps(encoded, indent=indent, ensure_ascii=False)
        back = jitffi.from_json(jitffi.to_json([value, nested(list, 3000)], indent=indent))
        assert repr(back[0]) == repr(Map(value))
    assert deep.dumps(1, None) == "1" and deep.dumps([], 2) == "[]"


@pytest.mark.parametrize(
    "text", ["[1 2]", '{"a" 1}', '{"a": 1,}', "[1,]", "[}", '{"a": [}', "[1]]", '{1: 2}', "[nope]", "", '"'],
)  # fmt: skip
def test_deep_text_that_is_no_json(text: str) -> None:
    for whole in (text, "[" * DEEP + text + "]" * DEEP if text else "", "[" * DEEP + text):
        with pytest.raises(ValueError):
            jitffi.from_json(whole)


def test_cycles_are_told_by_their_way() -> None:
    cycle: dict[str, Any] = {"a": [0]}
    cycle["a"].append((cycle,))
    native = Map(a=List([0]))
    native["a"].append(Tuple([native]))
    for value in (cycle, native):
        with pytest.raises(ValueError, match=r"structural_hash: value\['a'\]\[1\]\[0\]: a container within itself"):
            jitffi.structural_hash(value)
        assert jitffi.structural_equal(jitffi.from_json(jitffi.to_json(value)), value)
        assert jitffi.structural_equal(value, value)
    assert jitffi.structural_equal(cycle, native)
    native["a"][0] = 5
    assert not jitffi.structural_equal(cycle, native)
    deep = nested(List, 5000)
    deep.append(deep)
    with pytest.raises(ValueError, match=r"value\[1\]: a container within itself"):
        jitffi.structural_hash(deep)
    assert jitffi.structural_equal(jitffi.from_json(jitffi.to_json(deep)), deep)


# -- NumPy and pandas ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [List, Tuple])
@pytest.mark.parametrize(
    ("items", "dtype"),
    [
        (["to", "be"], object), (["to", "be"], None), (["to", "be"], "S4"), ([1, "a", None], object),

        ([[1, 2], [3, 4]], None), ([["a"], ["b"]], object), ([1, 2], np.int8), ([True, 2], None),
        ([1.5], int), ([], None), ([0, 1], bool),
        (["2020-01-01"], "datetime64[D]"), ([1, 2], object), ([b"x"], None), ([1, 2], complex),
    ],
)  # fmt: skip
def test_numpy_takes_them_as_pythons(kind: Any, items: Any, dtype: Any) -> None:
    expected, got = np.asarray(items, dtype=dtype), np.asarray(kind(items), dtype=dtype)
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert got.tolist() == expected.tolist() and [*map(type, got.flat)] == [*map(type, expected.flat)]


def test_numpy_refuses_what_it_refuses() -> None:
    for items, dtype in ((["a"], float), ([[1], [1, 2]], None), ([300], np.int8)):
        with pytest.raises((ValueError, OverflowError)):
            np.asarray(items, dtype=dtype)
        with pytest.raises((ValueError, OverflowError)):
            np.asarray(List(items), dtype=dtype)


def test_pandas_takes_them_as_pythons() -> None:
    pd = pytest.importorskip("pandas", reason="pandas has no wheel for this interpreter")
    for kind in (List, Tuple):
        words = kind(["to", "be", None])
        assert pd.Series(words).tolist()[:2] == ["to", "be"] and pd.Series(kind([1, 2])).tolist() == [1, 2]
        assert pd.DataFrame({"w": words})["w"].tolist()[:2] == ["to", "be"]
        assert pd.DataFrame(kind([[1, "a"], [2, "b"]]), columns=["n", "w"])["w"].tolist() == ["a", "b"]
    assert pd.DataFrame({**Map(w=["to", "be"], n=[1, 2])}).to_dict("list") == {"w": ["to", "be"], "n": [1, 2]}
    assert pd.Index(List(["a", "b"])).tolist() == ["a", "b"] and pd.Series(["a", "c"]).isin(List(["a"])).tolist() == [
        True,
        False,
    ]


# -- the standard library ------------------------------------------------------------------------------------------


def test_class_patterns_take_the_value() -> None:
    def which(value: Any) -> Any:
        match value:
            case List([first, *_]):
                return "list", first
            case Tuple((first, *_)):
                return "tuple", first
            case Map({"k": found}):
                return "map", found
            case Shape((2, last)):
                return "shape", last
            case String(text) | Bytes(text):
                return "text", text
        return None

    assert which(List([1, 2])) == ("list", 1) and which(Tuple([1, 2])) == ("tuple", 1) and which(Map(k=3)) == ("map", 3)
    assert which(Shape((2, 5))) == ("shape", 5) and which(String("a")) == ("text", "a") and which([1]) is None


def test_the_standard_library_takes_them() -> None:
    numbers = List(range(20))
    random.Random(1).shuffle(numbers)
    assert sorted(numbers) == list(range(20)) and numbers != list(range(20))
    assert heapq.nlargest(2, numbers) == [19, 18] and list(heapq.merge(List([1, 3]), Tuple([2]))) == [1, 2, 3]
    numbers.sort()
    bisect.insort(numbers, 5)
    assert bisect.bisect(numbers, 5) == 7 and numbers.count(5) == 2
    assert functools.reduce(int.__add__, numbers) == sum(numbers) and statistics.mean(List([1, 2, 6])) == 3
    assert list(itertools.chain(List([1]), Tuple([2]))) == [1, 2] and list(itertools.islice(numbers, 1)) == [0]
    assert collections.Counter(List("abca"))["a"] == 2 and collections.ChainMap(Map(a=1), Map(b=2))["b"] == 2
    assert (
        collections.deque(Tuple([1, 2]), 1)[0] == 2 and "".join(List("ab")) == "ab" and "-".join(Tuple("ab")) == "a-b"
    )
    assert dict(Map(a=1)) == {"a": 1} and {**Map(a=1)} == {"a": 1} and (lambda *a, **k: (a, k))(*List([1]), **Map(b=2))
    assert pprint.pformat(Map(a=List([1]))) == repr(Map(a=List([1]))) and random.Random(2).choice(Tuple([7])) == 7
    assert (
        max(List([1, 3, 2]), default=0) == 3 and any(List([0, 1])) and not all(Tuple([0, 1])) and [*map(len, List("a"))]
    )
    assert f"{List([1])[0]} {Map(k=2)['k']}" == "1 2"
    assert "{a}".format_map(Map(a=1)) == "1" and [0, 9][True:] + list(List([1])) == [9, 1]

    @dataclasses.dataclass
    class Record:
        items: Any

    record = dataclasses.asdict(Record(List([1, [2]])))
    assert record == {"items": [1, [2]]} and type(record["items"]) is List and copy.copy(record) == record
