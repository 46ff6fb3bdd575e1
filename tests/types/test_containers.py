"""list, map, set and tuple: what is converted, what is shared, and what is said of values in them."""

import collections

import pytest
from support.leaks import live_objects, settle

import jitffi


def ways(type_, result=None):
    """An echo of *type_* that Python, packed code and C enter; the last two get what Python packs or unboxes."""
    typed = jitffi.Function(jitffi.function(f"(x: {type_}) -> {result or type_}", name="f")(lambda x: x))
    packed = jitffi.Function.from_packed(typed.packed_address, self_handle=typed.handle, keep_alive=typed, name="f")
    native = jitffi.Function.from_native(typed.native_address, typed.signature, keep_alive=typed, name="f")
    return typed, packed, native


class Index:
    def __init__(self, value, before=None):
        self.value, self.before = value, before

    def __index__(self):
        if self.before:
            self.before()
        return self.value


class Float:
    def __float__(self):
        return 1.5


@pytest.mark.parametrize(
    ("type_", "given", "kept"),
    [
        ("list[f64]", [1, 2.5, True, Float()], [1.0, 2.5, 1.0, 1.5]),
        ("list[f32]", [0.1], [0.10000000149011612]),
        ("list[f16]", [0.1, 65504], [0.0999755859375, 65504.0]),
        ("list[bf16]", [0.1], [0.10009765625]),
        ("list[i64]", [True, Index(7), -1], [1, 7, -1]),
        ("list[u64]", [2**64 - 1, 2**63 - 1], [2**64 - 1, 2**63 - 1]),
        ("list[bytes]", [bytearray(b"x" * 30), memoryview(b"ab"), b""], [b"x" * 30, b"ab", b""]),
        ("list[str]", ("a", "b" * 100), ["a", "b" * 100]),
        ("list[optional[f32]]", [None, 1], [None, 1.0]),
        ("list[ucs4]", ["a", "ab", "abc", "\U0001f600" * 30], ["a", "ab", "abc", "\U0001f600" * 30]),
        ("list[list[f64]]", [[1], (2,), []], [[1.0], [2.0], []]),
        ("tuple[f64, ...]", (1, 2), (1.0, 2.0)),
        ("tuple[str, tuple[f64, i8]]", ("a", (1, True)), ("a", (1.0, 1))),
        ("list[tuple[f64]]", [(1,)] * 3, [(1.0,)] * 3),
        ("map[str, f64]", {"a": 1, "b": 2.5}, {"a": 1.0, "b": 2.5}),
        ("map[f64, str]", {1: "a"}, {1.0: "a"}),
        ("map", collections.OrderedDict(a=[1]), {"a": [1]}),
        ("map[str, list[i64]]", collections.ChainMap({"a": (1, True)}), {"a": [1, 1]}),
        ("map[str, map[i64, str]]", {"a": {1: "x"}}, {"a": {1: "x"}}),
        ("set[f64]", {True, 2.5, 3}, {1.0, 2.5, 3.0}),
        ("set[str]", {"a": 1, "b": 2}.keys(), {"a", "b"}),
        ("set", frozenset((1, "a", (2, None))), {1, "a", (2, None)}),
        ("set[tuple[f64, str]]", {(1, "a")}, {(1.0, "a")}),
        ("map[str, set[i64]]", {"a": {True, 2}}, {"a": {1, 2}}),
        ("list", range(0), None),
        ("tuple", collections.namedtuple("Pair", "a b")(1, "x"), (1, "x")),
    ],
)
def test_items_become_what_their_type_is(type_, given, kept):
    typed, _, native = ways(type_)
    if kept is None:
        with pytest.raises(TypeError, match=f"f: argument 1 'x': expected {type_}, got range"):
            typed(given)
        return
    for call in (typed, native):
        got = call(given).to_python()
        assert got == kept and sorted(map(str, map(type, got))) == sorted(map(str, map(type, kept)))


@pytest.mark.parametrize(
    ("type_", "given", "error", "message"),
    [
        ("list[str]", ["a", "b", 3], TypeError, "got list with int 3 at [2]"),
        ("list[i64]", [1, "a"], TypeError, "got list with str 'a' at [1]"),
        ("list[i64]", [1.5], TypeError, "got list with float 1.5 at [0]"),
        ("list[u8]", [0, 256], OverflowError, "got list with int 256 at [1], out of range for u8"),
        ("list[f32]", [1e39], OverflowError, "got list with float 1e+39 at [0], out of range for f32"),
        ("list[bool]", [1], TypeError, "got list with int 1 at [0]"),
        ("list[list[i8]]", [[1], [2, 300]], OverflowError, "got list with int 300 at [1][1], out of range for i8"),
        ("list[list[i8]]", [[1], 2], TypeError, "got list with int 2 at [1]"),
        ("list[tuple[i8, str]]", [(1, "a"), (2,)], TypeError, "got list with tuple of 1 item at [1]"),
        ("tuple[i8, str]", (1, "a", 2), TypeError, "got tuple of 3 items"),
        ("tuple[i8, str]", (1, 2), TypeError, "got tuple with int 2 at [1]"),
        ("set[str]", {3}, TypeError, "got set with int 3"),
        ("set[u8]", {256}, OverflowError, "got set with int 256, out of range for u8"),
        ("list[set[i8]]", [{1}, {"a"}], TypeError, "got list with str 'a' at [1]"),
    ],
)
def test_what_is_wrong_is_named_with_the_way_to_it(type_, given, error, message):
    for call in ways(type_):
        with pytest.raises(error) as caught:
            call(given)
        assert str(caught.value) == f"f: argument 1 'x': expected {type_}, {message}"


@pytest.mark.parametrize(
    ("type_", "given", "message"),
    [
        ("map[str, i64]", {1: 1}, "got dict with key int 1"),
        ("map[str, i64]", {"a": "b"}, "got dict with str 'b' at ['a']"),
        ("map[i64, list[str]]", {7: ["a", 1]}, "got dict with int 1 at [7][1]"),
        ("map", [1], "got list"),
        ("set", [1], "got list"),
        ("set[i64]", {1: 1}, "got dict"),
        ("list", {1}, "got set"),
        ("tuple", {}, "got dict"),
        ("list", {}, "got dict"),
        ("list", "abc", "got str 'abc'"),
    ],
)
def test_python_containers_of_the_wrong_kind(type_, given, message):
    with pytest.raises(TypeError) as caught:
        ways(type_)[0](given)
    assert str(caught.value) == f"f: argument 1 'x': expected {type_}, {message}"


def test_results_are_checked_and_named():
    f = jitffi.function("() -> list[i64]", name="f")(lambda: [1, "a"])
    with pytest.raises(TypeError, match=r"f: result: expected list\[i64\], got list with str 'a' at \[1\]"):
        f()
    untyped = jitffi.Function(jitffi.convert(lambda: [1, "a"]))
    typed = jitffi.Function.from_packed(
        untyped.packed_address, signature="() -> list[i64]", self_handle=untyped.handle, name="g"
    )
    with pytest.raises(TypeError, match=r"g: result: expected list\[i64\], got list with str 'a' at \[1\]"):
        typed()


def test_a_list_is_shared_and_not_converted():
    made = jitffi.List([1, 2])
    for call in ways("list[i64]"):
        assert call(made) is made
    assert ways("list[f64]")[0](made) is made  # ints are floats' guests, and stay ints
    grow = jitffi.Function(jitffi.function("(x: list[i64]) -> void")(lambda x: x.append(3)))
    jitffi.Function.from_native(grow.native_address, grow.signature)(made)
    assert made == [1, 2, 3]
    made.append("text")
    with pytest.raises(TypeError, match=r"expected list\[i64\], got list with str 'text' at \[3\]"):
        grow(made)
    nested = jitffi.List([made])
    with pytest.raises(TypeError, match=r"got list with str 'text' at \[0\]\[3\]"):
        ways("list[list[i64]]")[0](nested)
    assert ways("list[list]")[0]([made])[0] is made


def test_a_python_list_is_not_written_back():
    given = [1]
    assert jitffi.function("(x: list[i64]) -> i64")(lambda x: x.append(2) or len(x))(given) == 2
    assert given == [1]


def test_a_list_may_change_while_it_is_converted():
    given = [1, 2, 3]
    given[0] = Index(5, lambda: given.__delitem__(slice(1, None)))
    assert ways("list[i64]")[0](given) == [5]
    longer = [1]
    longer[0] = Index(1, lambda: longer.append(9) if len(longer) < 5 else None)
    assert ways("list[i64]")[0](longer) == [1, 9]


def test_a_dict_may_change_while_it_is_converted():
    given = {"a": 1}
    given["a"] = Index(5, lambda: given.update(b=1))
    with pytest.raises(RuntimeError, match="dictionary changed size during iteration"):
        ways("map[str, i64]")[0](given)


def test_a_map_is_shared():
    made = jitffi.Map({"a": 1})
    for call in ways("map[str, i64]"):
        assert call(made) is made
    made["b"] = "text"
    for call in ways("map[str, i64]"):
        with pytest.raises(TypeError, match=r"expected map\[str, i64\], got map with str 'text' at \['b'\]"):
            call(made)


def test_exceptions_of_the_items_pass():
    def fail():
        raise KeyError("from __index__")

    for call in (ways("list[i64]")[0], ways("tuple[i64, ...]")[0]):
        with pytest.raises(KeyError, match="from __index__"):
            call((Index(1, fail),))
    with pytest.raises(UnicodeEncodeError):
        ways("list[str]")[0](["\ud800"])


def test_callbacks_take_and_give_containers():
    apply = jitffi.Function(
        jitffi.function("(func[(list[i64]) -> tuple[str, ...]], list[i64]) -> tuple[str, ...]")(lambda f, x: f(x))
    )
    native = jitffi.Function.from_native(apply.native_address, apply.signature, keep_alive=apply, name="apply")
    for call in (apply, native):
        assert call(lambda x: tuple(map(str, x)), [1, 2]) == ("1", "2")
        with pytest.raises(TypeError, match=r"result: expected tuple\[str, ...\], got tuple with int 1"):
            call(lambda x: (1,), [1])


def test_absence_is_null():
    for call in ways("optional[list[str]]"):
        assert call(None) is None and call(["a"]) == ["a"]
    with pytest.raises(TypeError, match="expected list, got None"):
        ways("list")[0](None)


def test_a_tuple_may_default_to_the_empty_one():
    f = jitffi.Function(jitffi.function("(x: tuple[i64, ...] = ()) -> i64")(len))
    assert f() == 0 and f((1, 2)) == 2
    assert jitffi.Function.from_packed(f.packed_address, self_handle=f.handle)() == 0


def test_nothing_is_left_behind():
    calls = [(call, type_) for type_ in ("list[str]", "list[list[f64]]", "tuple[str, ...]") for call in ways(type_)]
    good = {"list[str]": ["a", "b" * 200], "list[list[f64]]": [[1], [2.5]], "tuple[str, ...]": ("x" * 99,)}
    bad = {"list[str]": ["b" * 200, 1], "list[list[f64]]": [[1], ["x"]], "tuple[str, ...]": ("x" * 99, 1)}

    def run():
        for call, type_ in calls:
            call(good[type_])
            with pytest.raises(TypeError):
                call(bad[type_])

    run()
    settle()
    before = live_objects()
    for _ in range(20):
        run()
    settle()
    assert live_objects() == before


@pytest.mark.parametrize("make", [list, jitffi.List, tuple, jitffi.Tuple])
def test_tuples_of_any_length_are_made_of_any_sequence(make):
    echo = jitffi.function("(tuple[i64, ...]) -> tuple[i64, ...]")(lambda x: x)
    made = echo(make([1, 2]))
    assert type(made) is jitffi.Tuple and made == (1, 2) and echo(make([])) == ()
    assert jitffi.function("(tuple) -> any")(lambda x: x)(make([1, "a"])) == (1, "a")
    with pytest.raises(TypeError, match=r"expected tuple\[i64, ...\], got .*str 'a' at \[1\]"):
        echo(make([1, "a"]))


@pytest.mark.parametrize("make", [list, jitffi.List])
def test_items_are_converted_for_a_tuple(make):
    echo = jitffi.function("(tuple[f64, str]) -> any")(lambda x: x)
    made = echo(make([1, "a"]))
    assert made == (1.0, "a") and type(made[0]) is float
    with pytest.raises(TypeError, match=r"expected tuple\[f64, str\], got .* with str 'x' at \[0\]"):
        echo(make(["x", "a"]))
    with pytest.raises(TypeError, match=r"expected tuple\[f64, str\], got .*[lL]ist of 1 item"):
        echo(make([1]))
