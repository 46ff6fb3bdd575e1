"""FrozenMap: a mapping that never changes, as objects of other languages hold it."""

from __future__ import annotations

import collections.abc
import copy
import pickle
import subprocess
import sys
import types
from typing import Any

import pytest

import jitffi
from jitffi import FrozenMap, List, Map

NAN = float("nan")


def test_it_is_asked_as_a_map_and_equals_one() -> None:
    frozen: FrozenMap[Any, Any] = FrozenMap({1: 2}, a=[3])
    assert (frozen[1], frozen.get("b", 5), list(frozen), len(frozen), "a" in frozen) == (2, 5, [1, "a"], 2, True)
    assert list(reversed(frozen)) == ["a", 1] and list(frozen.items()) == [(1, 2), ("a", [3])]
    assert frozen.keys() & {1, 7} == {1} and list(frozen.values()) == [2, [3]]
    assert frozen == {"a": [3], 1: 2} and frozen == Map(frozen) == frozen and dict(frozen) == frozen
    assert frozen != {1: 2} and frozen != 1 and FrozenMap() == {} and not FrozenMap()
    assert isinstance(frozen, collections.abc.Mapping) and not isinstance(frozen, Map | collections.abc.MutableMapping)
    match frozen:
        case {"a": [inner]}:
            assert inner == 3
        case _:
            raise AssertionError(frozen)


def test_what_is_equal_has_one_hash() -> None:
    for one, other in [({1: 2, "a": NAN}, {"a": NAN, 1.0: True + 1}), ({}, {}), ({"k": (1, "x")}, {"k": (1.0, "x")})]:
        assert FrozenMap(one) == FrozenMap(other) and hash(FrozenMap(one)) == hash(FrozenMap(other))
    assert hash(FrozenMap({1: 2, 3: 4})) != hash(FrozenMap({1: 4, 3: 2}))
    held = Map({FrozenMap(a=1): "there"})
    assert held[FrozenMap(a=1)] == "there" and FrozenMap(a=2) not in held
    with pytest.raises(TypeError, match="unhashable"):
        hash(FrozenMap(a=[1]))


def test_nothing_changes_it() -> None:
    frozen: Any = FrozenMap(a=1)
    with pytest.raises(TypeError):
        frozen["a"] = 2
    with pytest.raises(TypeError):
        del frozen["a"]
    for name in ("_map", "other"):
        with pytest.raises(AttributeError):
            setattr(frozen, name, {})
    with pytest.raises(AttributeError):
        frozen.__init__({"b": 2})
    assert FrozenMap.__new__(FrozenMap) == {}
    made = frozen | {"b": 2}
    assert type(made) is FrozenMap and (frozen, made) == ({"a": 1}, {"a": 1, "b": 2}) and frozen.copy() is frozen
    assert type({"b": 2} | frozen) is Map and type(Map() | frozen) is Map
    source = Map(a=1)
    held = FrozenMap(source)
    source["a"] = 2
    assert held["a"] == 1


def test_other_forms_of_it() -> None:
    frozen = FrozenMap(a=List([1]))
    for again in (copy.deepcopy(frozen), pickle.loads(pickle.dumps(frozen)), jitffi.from_json(jitffi.to_json(frozen))):
        assert type(again) is FrozenMap and again == frozen and again["a"] is not frozen["a"]
    assert repr(frozen) == "FrozenMap({'a': [1]})" and jitffi.to_plain([frozen]) == [{"a": [1]}]
    inner: List[Any] = List()
    inner.append(FrozenMap(circle=inner))
    assert repr(inner) == "List([FrozenMap({'circle': [...]})])"


def test_structure_knows_it_from_a_map() -> None:
    frozen = FrozenMap(a=1)
    assert jitffi.structural_equal(frozen, FrozenMap(a=1)) and not jitffi.structural_equal(frozen, Map(a=1))
    assert jitffi.structural_hash(frozen) != jitffi.structural_hash(Map(a=1))
    assert jitffi.structural_map(FrozenMap(a=1), (int, lambda number: number + 1)) == {"a": 2}


def test_a_map_is_made_of_it_where_one_is_asked_for() -> None:
    @jitffi.register_object("tests.frozen_map.Holder")
    class Holder(jitffi.Object):
        frozen: FrozenMap  # type: ignore[type-arg]
        map_: dict[str, float]

    frozen = FrozenMap(a=1)
    make: Any = Holder
    held = make(frozen, frozen)
    assert jitffi.asdict(held) == {"frozen": {"a": 1}, "map_": {"a": 1.0}}
    assert held.frozen is frozen and type(held.map_) is Map and held.map_ == {"a": 1.0}
    with pytest.raises(TypeError, match=r"got FrozenMap with str 'x' at \['a'\]"):
        make(frozen, FrozenMap(a="x"))


def test_it_is_made_of_a_mapping_where_one_is_asked_for() -> None:
    @jitffi.register_object("tests.frozen_map.Taker")
    class Taker(jitffi.Object):
        frozen: FrozenMap  # type: ignore[type-arg]
        maybe: FrozenMap | None = None  # type: ignore[type-arg]

    make: Any = Taker
    source = Map(a=1)
    take: Any = jitffi.function("(jitffi.FrozenMap) -> any")(lambda value: value)
    for given in ({"a": 1}, source, types.MappingProxyType({"a": 1})):
        held = make(given, given)
        assert take(given) == held.frozen == held.maybe == jitffi.convert([given], "list[jitffi.FrozenMap]")[0]
        assert type(take(given)) is type(held.frozen) is FrozenMap
    source["a"] = 2
    assert held.frozen == {"a": 1}
    held.maybe = {}
    for wrong in (1, [], "a", dict):
        with pytest.raises(TypeError, match="argument 1: expected jitffi.FrozenMap, got"):
            take(wrong)
        with pytest.raises(TypeError, match="Taker.maybe: expected optional.jitffi.FrozenMap., got"):
            held.maybe = wrong
    assert held.maybe == {} and held.maybe is not None
    with pytest.raises(TypeError, match="unhashable|expected"):
        take({frozenset([1]): 1, (1, []): 2})


def test_what_it_holds_is_checked_where_it_is_said() -> None:
    @jitffi.register_object("tests.frozen_map.Said")
    class Said(jitffi.Object):
        counts: FrozenMap[str, float]
        maybe: FrozenMap[str, float] | None = None

    @jitffi.function
    def take(counts: FrozenMap[str, float]) -> FrozenMap[str, float]:
        return counts

    assert str(jitffi.Function(take).signature).count("jitffi.FrozenMap[str, f64]") == 2
    assert jitffi.type_info(Said).fields[0].type == "jitffi.FrozenMap[str, f64]"
    make: Any = Said
    frozen = FrozenMap(a=1.5)
    assert make(frozen).counts is take(frozen) is frozen
    for given in ({"a": 1}, Map(a=1)):
        held = make(given, given)
        assert type(held.counts) is FrozenMap and held.counts == held.maybe == take(given) == {"a": 1.0}
    assert type(make({"a": 1}).counts["a"]) is float
    takes = jitffi.Signature.parse("(jitffi.FrozenMap[str, f64]) -> void").params[0].type
    again: Any = jitffi.Type(takes.name, takes.args)
    assert again is takes and jitffi.convert([{"a": 2}], f"list[{takes}]") == [{"a": 2.0}]
    for wrong, said in (({"a": "x"}, r"dict with str 'x' at \['a'\]"), (FrozenMap({1: 2.0}), "with key int 1")):
        for use, where in ((take, "argument 1 'counts': expected jitffi.FrozenMap"), (make, "Said.counts: expected")):
            with pytest.raises(TypeError, match=f"{where}.*{said}"):
                use(wrong)
    for text in ("jitffi.FrozenMap[str]", "jitffi.FrozenMap[list, str]", "tests.Other[str, str]"):
        with pytest.raises(ValueError):
            jitffi.Signature.parse(f"({text}) -> void")


def test_a_process_that_has_not_named_it_reads_it() -> None:
    stored = (jitffi.to_json(FrozenMap(a=1)), jitffi.to_bytes(FrozenMap(a=1)))
    program = f"import jitffi; print(jitffi.from_json({stored[0]!r}), jitffi.from_bytes({stored[1]!r}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "FrozenMap({'a': 1}) FrozenMap({'a': 1})\n"
    program = "import jitffi; print(jitffi.convert({1: 2}, 'jitffi.FrozenMap'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "FrozenMap({1: 2})\n"


def test_scripts_take_one_for_the_mapping_that_it_is() -> None:
    @jitffi.script
    def look(frozen: FrozenMap[str, int]) -> int:
        return frozen["a"] + len(frozen)

    assert look(FrozenMap(a=1)) == 2
