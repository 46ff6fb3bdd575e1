"""func[...] between Python and slots: function objects that are checked once, and come back as what was given."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.leaks import assert_nothing_stays

import jitffi
from jitffi import Function, List, Map

SIG = "(i64) -> i64"
T = f"func[{SIG}]"


def inc(x):
    return x + 1


@jitffi.function(f"(x: i64 = 3) -> {SIG[-3:]}")
def dec(x):
    return x - 1


@jitffi.function("(a: str, b: str) -> str")
def joined(a, b):
    return a + b


@jitffi.function("(i32) -> i32")
def twice(x):
    return 2 * x


UNTYPED = jitffi.convert(inc)
LABS = jitffi.load_library(None).bind("labs", SIG)
GIVEN = [inc, dec, twice, UNTYPED, LABS, int.__neg__]


def ways(sig, python):
    """The function as Python calls it, by way of slots, and by way of C where C can carry it."""
    made = jitffi.function(sig, name="f")(python)
    f = Function(made)
    packed = Function.from_packed(f.packed_address, name="f", signature=sig, self_handle=f.handle, keep_alive=f)
    c = Function.from_native(f.native_address, sig, name="f", keep_alive=f)
    through = Function(c)
    both = Function.from_packed(
        through.packed_address, name="f", signature=sig, self_handle=through.handle, keep_alive=c
    )
    return made, packed, c, both


@pytest.mark.parametrize("given", GIVEN, ids=["plain", "typed", "other types", "untyped", "C", "builtin"])
@pytest.mark.parametrize("type_", [T, f"optional[{T}]", "any", "func"])
def test_what_goes_in_comes_back(type_, given):
    for call in ways(f"(f: {type_}) -> {type_}", lambda f: f):
        assert call(given) is given
    for call in ways(f"(f: {type_}, x: i64) -> i64", lambda f, x: f(x)):
        assert call(given, 5) == given(5)


@pytest.mark.parametrize("given", GIVEN[:5], ids=["plain", "typed", "other types", "untyped", "C"])
def test_out_of_containers_too(given):
    cases = [
        (f"list[{T}]", [given], lambda x: x[0]),
        (f"map[str, {T}]", {"a": given}, lambda x: x["a"]),
        (f"map[{T}, i64]", {given: 1}, lambda x: next(iter(x))),
        (f"tuple[{T}, ...]", (given, given), lambda x: x[1]),
        (f"tuple[i64, optional[{T}]]", (1, given), lambda x: x[1]),
        (f"list[map[str, tuple[{T}]]]", [{"a": (given,)}], lambda x: x[0]["a"][0]),
        (f"{T} | str", given, lambda x: x),
        (f"list[{T} | i64]", [3, given], lambda x: x[1]),
    ]
    for type_, value, item in cases:
        for call in ways(f"({type_}) -> {type_}", lambda x: x):
            assert item(call(value)) is given, type_
            assert item(call(value))(5) == given(5)


def test_none_is_none_where_the_type_says_so():
    for call in ways(f"(f: optional[{T}]) -> optional[{T}]", lambda f: f):
        assert call(None) is None
    for call in ways(f"(f: {T} | null) -> {T} | null", lambda f: f):
        assert call(None) is None and call(inc) is inc


def test_slots_hold_function_objects():
    seen = []
    look = Function(jitffi.function("(any) -> void")(seen.append))
    give = Function.from_packed(
        look.packed_address, name="give", signature=f"({T}) -> void", self_handle=look.handle, keep_alive=look
    )
    give(inc)
    give(dec)
    give(LABS)
    assert seen == [inc, dec, LABS] and seen[0] is inc and seen[2] is LABS


def test_equality_is_the_callables():
    assert List([inc]) == List([inc]) and List([inc]) != List([dec]) and Map({dec: 1})[dec] == 1
    for call in ways(f"(a: list[{T}], b: any) -> bool", lambda a, b: a == b):
        assert call([inc, dec], List([inc, dec])) is True
        assert call([inc], List([dec])) is False


def test_another_signature_is_named_on_both_sides():
    where = r"f: argument 1 'x': expected "
    for call in ways(f"(x: {T}) -> void", lambda x: None)[:2]:
        with pytest.raises(TypeError, match=where + r"func\[\(i64\) -> i64\], got function joined\(a: str, b: str\)"):
            call(joined)
        with pytest.raises(TypeError, match=where + r"func\[\(i64\) -> i64\], got str 'abc'"):
            call("abc")
    for call in ways(f"(x: list[{T}]) -> void", lambda x: None):
        text = r"list.*got list with function joined\(a: str, b: str\) -> str at \[1\]"
        with pytest.raises(TypeError, match=where + text):
            call([dec, joined])
        for wrong, text in ((joined, r"\(a: str, b: str\) -> str"), (twice, r"\(i32\) -> i32")):
            with pytest.raises(TypeError, match=where + rf"list.*got list with function {text} at \[1\]"):
                call(List([dec, wrong]))  # it is shared, so that nothing in it can be wrapped
        call(List([inc, dec, UNTYPED, LABS]))
    with pytest.raises(TypeError, match=r"result: expected func\[.*got function joined\(a: str"):
        ways(f"() -> {T}", lambda: joined)[0]()


def test_native_code_that_calls_is_told_what_is_wrong():
    """The callable is wrapped once; what it is given and gives is converted where native code calls it."""
    held = []
    keep = jitffi.function(f"(list[{T}]) -> void")(held.append)
    keep([lambda x: "text"])
    wrapped = jitffi.Function(jitffi.function("(list, i64) -> any")(lambda fs, x: fs[0](x)))
    assert wrapped(held[0], 3) == "text"  # Python calls the very callable
    run = jitffi.function(f"(f: {T}, x: any) -> any", name="run")(lambda f, x: f(x))
    run = Function.from_native(Function(run).native_address, f"(f: {T}, x: any) -> any", keep_alive=run, name="run")
    assert run(inc, 1) == 2


@jitffi.register_object("tests.typed_functions.Holder")
class Holder:
    f: Callable[[int], int]
    g: Callable[[int, str], list[str]] | None = None
    all: list[Callable[[int], int]] | None = None
    either: Callable[[int], int] | str = "text"


class TestFields:
    @pytest.fixture
    def holder(self):
        return Holder

    def test_their_types_are_told(self, holder):
        found = {field.name: field.type for field in jitffi.type_info("tests.typed_functions.Holder").fields}
        assert found == {
            "f": T,
            "g": "optional[func[(i64, str) -> list[str]]]",
            "all": f"optional[list[{T}]]",
            "either": f"{T} | str",
        }

    @pytest.mark.parametrize("given", GIVEN, ids=["plain", "typed", "other types", "untyped", "C", "builtin"])
    def test_they_give_back_what_was_put_there(self, holder, given):
        one = holder(given, all=[given, inc], either=given)
        assert one.f is given and one.f(4) == given(4)
        assert one.all[0] is given and one.all[1] is inc and one.either is given
        assert holder(given) == holder(given) and holder(given) != holder(abs)
        one.g = lambda n, text: [text] * n
        assert one.g(2, "a") == ["a", "a"]
        one.g = None
        one.either = "other"
        assert one.g is None and one.either == "other"

    def test_what_they_refuse(self, holder):
        one = holder(inc)
        where = r"tests.typed_functions.Holder.f: expected func\[\(i64\) -> i64\], got "
        for wrong, text in ((joined, r"function joined\(a: str, b: str\) -> str"), (3, "int 3"), (None, "None")):
            with pytest.raises(TypeError, match=where + text):
                one.f = wrong
        with pytest.raises(TypeError, match=r"Holder.all: .*got list with int 3 at \[1\]"):
            one.all = [dec, 3]
        assert one.f is inc

    def test_nothing_stays(self, holder):
        def once():
            holder(lambda x: x, all=[lambda x: x, dec], either=twice)
            with pytest.raises(TypeError):
                holder(joined)

        assert_nothing_stays(once)


def test_nothing_stays():
    echo = ways(f"(f: {T}) -> {T}", lambda f: f)[:2]
    make = ways(f"(x: i64) -> {T}", lambda x: lambda y: x + y)[:2]
    items = ways(f"(x: list[{T} | str]) -> list[{T} | str]", lambda x: x)

    def once():
        for call in echo:
            assert call(lambda x: x)(1) == 1
            with pytest.raises(TypeError):
                call(joined)
        for call in make:
            assert call(1)(2) == 3
        for call in items:
            assert call([lambda x: x, "a", dec])[0](7) == 7
            with pytest.raises(TypeError):
                call([lambda x: x, joined])

    assert_nothing_stays(once)


def test_functions_of_c_come_back_as_long_as_they_live():
    libc = jitffi.load_library(None)

    def once():
        call = ways(f"(f: {T}) -> {T}", lambda f: f)[2]  # which keeps what it gives to C
        first, second = libc.bind("labs", SIG), libc.bind("labs", SIG)
        assert call(first) is first and call(second) is second and call(second)(-3) == 3

    assert_nothing_stays(once)
    other = libc.bind("labs", "(u64) -> u64")
    assert ways(f"(f: {T}) -> {T}", lambda f: f)[2](other) is other  # it is wrapped, since its types are others


def test_items_are_converted_where_that_is_safe():
    for call in ways("(x: list[f64]) -> list[f64]", lambda x: x):
        given = call([1, True, 2.5])
        assert given == [1.0, 1.0, 2.5] and [type(item) for item in given] == [float] * 3
        with pytest.raises(TypeError, match=r"got list with str '1' at \[0\]"):
            call(["1"])
    for call in ways("(x: map[str, tuple[f32, f64]]) -> any", lambda x: x["a"]):
        assert call({"a": (1, 2)}) == (1.0, 2.0)
    for call in ways("(x: list[i64]) -> any", lambda x: x):
        with pytest.raises(TypeError, match=r"got list with float 1.0 at \[0\]"):
            call([1.0])


def test_objects_that_can_be_called_and_defaults_are_functions_where_these_are_asked_for():
    @jitffi.register_object("tests.typed.Adder")
    class Adder:
        n: int = 3

        def __call__(self, x: int) -> str:
            return str(self.n + x)

    @jitffi.register_object("tests.typed.Holder")
    class Holder:
        made: Callable[[int], str] = str
        maybe: Callable[[int], str] | None = str

    add, signature = Adder(), "(f: func[(i64) -> str], g: func, h: list[func]) -> str"
    held = Holder(add)
    assert held.made is add and held.made(4) == "7" and Holder().made(5) == Holder().maybe(5) == "5"
    made = jitffi.Function(jitffi.function(signature)(lambda f, g, h: f(1) + g(2) + h[0](3)))
    packed = jitffi.Function.from_packed(
        made.packed_address, signature=signature, self_handle=made.handle, keep_alive=made
    )
    assert made(add, add, [add]) == packed(add, add, [add]) == "456"
    assert jitffi.convert(lambda x: x)(add) is add
    with pytest.raises(TypeError, match=r"expected func\[\(i64\) -> str\], got jitffi.List"):
        packed(jitffi.List(), add, [])
    with pytest.raises(TypeError, match=r"tests.typed.Wrong.f: expected func\[\(i64\) -> str\], got int 5"):
        jitffi.register_object("tests.typed.Wrong")(
            type("Wrong", (), {"__annotations__": {"f": Callable[[int], str]}, "f": 5})
        )
