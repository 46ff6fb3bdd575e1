"""TypedFunction of C++ as argument, result, item and field: its signature is the type's, and checked once."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest
from support.cxx import compiled
from support.leaks import assert_nothing_stays

import jitffi
from jitffi.api import native_functions

UNARY = "func[(i64) -> i64]"


def inc(x):
    return x + 1


@jitffi.function("(i64) -> i64")
def dec(x):
    return x - 1


@jitffi.function("(i32) -> i32")
def twice(x):
    return 2 * x


@jitffi.function("(a: str, b: str) -> str")
def joined(a, b):
    return a + b


GIVEN = [inc, dec, twice, jitffi.convert(inc), jitffi.load_library(None).bind("labs", "(i64) -> i64")]


@pytest.fixture(scope="module")
def get(tmp_path_factory):
    source = Path(__file__).parent / "programs" / "typed_functions.cxx"
    jitffi.load_module(str(compiled(source, tmp_path_factory.mktemp("typed") / "typed.so", "-shared", "-fPIC")))
    return lambda name: jitffi.get_global_func(f"typed_functions.{name}")


def test_they_say_their_signatures(get):
    names = {"apply": f"({UNARY}, i64) -> i64", "maybe": f"(optional[{UNARY}]) -> optional[{UNARY}]",
             "items": f"(list[{UNARY}]) -> list[{UNARY}]", "either": f"({UNARY} | str) -> {UNARY} | str"}  # fmt: skip
    assert {name: str(jitffi.Function(get(name)).signature) for name in names} == names
    fields = {field.name: field.type for field in jitffi.type_info("typed_functions.Holder").fields}
    assert fields["f"] == UNARY and fields["all"] == f"list[{UNARY}]" and fields["any"] == "func"


def test_what_is_known_of_fields_methods_and_functions(get):
    info = jitffi.type_info("typed_functions.Holder")
    assert {each.name: each.metadata for each in info.fields if each.metadata} == {
        "any": {"unit": "mm", "sizes": [1, 2]}
    }
    assert {each.name: each.metadata for each in info.methods if each.metadata} == {"run": {"pure": True}}
    with pytest.raises(TypeError, match=r"typed_functions\.Holder\.run: expected 1 argument, got 0"):
        info.cls().run()
    assert "__metadata_map__" not in [each.name for each in info.methods]
    told = jitffi.get_global_func_metadata("typed_functions.apply")
    assert (told["author"], told["rank"], told["signature"]) == ("me", 2, f"({UNARY}, i64) -> i64")
    jitffi.register_global_func("typed_functions.told", inc, metadata={"a": [1]})
    assert jitffi.get_global_func_metadata("typed_functions.told")["a"] == [1]
    jitffi.register_global_func("typed_functions.told", inc, override=True)
    assert "a" not in jitffi.get_global_func_metadata("typed_functions.told")
    jitffi.remove_global_func("typed_functions.told")


@pytest.mark.parametrize("given", GIVEN, ids=["plain", "typed", "other types", "untyped", "C"])
def test_what_goes_through_cxx_comes_back(get, given):
    assert get("apply")(given, -3) == given(-3)
    assert get("same")(given) is given and get("maybe")(given) is given and get("either")(given) is given
    assert get("items")([given, inc])[0] is given and get("map")({"a": given})["a"] is given
    assert get("maybe")(None) is None and get("either")("text") == "text"


def test_functions_of_cxx_are_the_same_again(get):
    adder = get("adder")(3)
    assert adder(4) == 7 and str(jitffi.Function(adder).signature) == "(i64) -> i64"
    assert get("same")(adder) == adder and get("items")([adder])[0](1) == 4
    assert jitffi.List([adder]) == get("items")([adder]) and get("apply")(adder, 1) == 4
    held = jitffi.List([get("adder")(4)])  # in C++'s hands alone
    first, second = held[0], held[0]
    assert first is second and jitffi.Map({first: 1})[held[0]] == {second: 1}[held[0]] == 1 and first(1) == 5


def test_errors_name_both_signatures(get):
    with pytest.raises(
        TypeError, match=r"apply: argument 1: expected func\[\(i64\) -> i64\], got function joined\(a: str"
    ):
        get("apply")(joined, 1)
    with pytest.raises(TypeError, match=r"apply: argument 1: expected func\[.*, got int 3 \(Function.from_native"):
        get("apply")(3, 1)
    with pytest.raises(
        TypeError, match=r"items: argument 1: .* got list with function \(a: str, b: str\) -> str at \[0\]"
    ):
        get("items")(jitffi.List([joined]))
    with pytest.raises(TypeError, match=r"apply.callback: result: expected i64, got str 'text'"):
        get("apply")(lambda x: "text", 1)
    with pytest.raises(TypeError, match=r"callback: expected 1 argument|takes 0 positional"):
        get("apply")(lambda: 1, 1)


def test_fields(get):
    holder = jitffi.type_info("typed_functions.Holder").cls()
    for given in GIVEN:
        holder.f = given
        holder.all = [given, dec]
        assert holder.f is given and holder.all[0] is given and holder.run(-3) == given(-3)
    holder.g = joined_with = lambda text, n: text * n
    assert holder.g is joined_with
    with pytest.raises(TypeError, match=r"Holder.f: expected func\[\(i64\) -> i64\], got function joined"):
        holder.f = joined


def test_fields_that_hold_nothing_are_copied_and_stored(get):
    holder = jitffi.type_info("typed_functions.Holder").cls()
    assert holder.f is None and holder.any is None
    stored = [jitffi.from_json(jitffi.to_json(holder)), jitffi.from_bytes(jitffi.to_bytes(holder))]
    for made in (copy.copy(holder), copy.deepcopy(holder), pickle.loads(pickle.dumps(holder)), *stored):
        assert made.f is None and made.any is None and made.all == []
    with pytest.raises(ValueError, match="Holder.all: expected list"):
        jitffi.from_json(jitffi.to_json(holder).replace('"all": []', '"all": null').replace('{"$node": 0}', "null", 1))


def test_nothing_stays(get):
    def once():
        adder = get("adder")(1)
        assert get("apply")(lambda x: x, 1) == 1 and get("same")(adder)(1) == 2
        get("items")([lambda x: x, adder, dec])
        with pytest.raises(TypeError):
            get("items")([lambda x: x, joined])

    assert_nothing_stays(once)


def test_functions_that_nobody_holds_are_made_like_the_last_of_their_kind(get):
    one, two = get("adder")(1), get("adder")(20)
    assert (one(1), two(1), get("adder")(300)(1)) == (2, 21, 301)
    del one, two
    for _ in range(2):
        made = get("adder")(5)
        known = jitffi.Function(made)
        assert (str(known.signature), made.__name__, made.__doc__.count("(i64) -> i64")) == (
            "(i64) -> i64",
            "function",
            1,
        )
        with pytest.raises(TypeError, match="expected i64, got str 'a'"):
            made("a")
        with pytest.raises(TypeError):
            made(1, 2)
        assert known.native_address and jitffi.List([made])[0] is made
    assert_nothing_stays(lambda: get("adder")(2)(3))


def test_code_of_a_kind_comes_by_its_mode(get, monkeypatch):
    held = get("adder")(1)
    assert held(1) == 2  # the kind is known, and has code in this run
    monkeypatch.setenv("JITFFI_COMPILE", "never")
    native_functions._kinds.clear()
    for _ in range(3):
        made = get("adder")(4)
        assert made(1) == 5
        assert "_compiled" not in jitffi.Function(made).__dict__
        del made
