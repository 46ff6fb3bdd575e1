"""Unions, null, shape, error, and the keys of object types as types of signatures."""

import contextlib
import gc

import pytest

import jitffi
from jitffi import Signature, _core


@jitffi.register_object("tests.unions.P")
class P:
    x: float


@jitffi.register_object("tests.unions.Q")
class Q(P):
    y: int = 0


def packed(function):
    f = jitffi.Function(function)
    return jitffi.Function.from_packed(
        f.packed_address, signature=str(f.signature), self_handle=f.handle, keep_alive=function
    )


def both(signature, function=lambda x: x):
    made = jitffi.function(signature)(function)
    return [made, packed(made)]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("i64 | str", "i64 | str"),
        ("union[i64, str]", "i64 | str"),
        ("null | i64 | str", "i64 | str | null"),
        ("i64 | null", "optional[i64]"),
        ("optional[i64] | str", "i64 | str | null"),
        ("optional[i64 | str]", "i64 | str | null"),
        ("i64 | i64", "i64"),
        ("i64 | any", "any"),
        ("ptr | null", "ptr"),
        ("list[i64 | map[str, f64 | null]]", "list[i64 | map[str, optional[f64]]]"),
        ("shop.Customer | zoo.Elephant", "shop.Customer | zoo.Elephant"),
        ("null", "null"),
    ],
)
def test_texts(text, canonical):
    sig = Signature.parse(f"(x: {text}) -> void")
    assert str(sig.params[0].type) == canonical and Signature.parse(str(sig)) == sig


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("i64 |", "expected a type"),
        ("cstr | i64", "no union holds cstr"),
        ("f64[n] | i64", "no union holds f64"),
        ("out[i64 | str]", "there is no way to write such a value"),
        ("map[list[i64] | str, i64]", "has no hash"),
        ("strr", "did you mean 'str'"),
    ],
)
def test_refused_texts(text, message):
    with pytest.raises(jitffi.SignatureError, match=message):
        Signature.parse(f"(x: {text}) -> void")


@pytest.mark.parametrize("call", both("(x: i64 | str | null) -> i64 | str | null"), ids=["python", "packed"])
def test_unions(call):
    for value in (1, -(2**63), "a", "x" * 100, None):
        assert call(value) == value and type(call(value)) is type(value)
    for value, shown in ((1.5, "float 1.5"), ([1], "list"), (b"a", "bytes b'a'"), (2**63, "int 9223372036854775808")):
        with pytest.raises(TypeError) as caught:
            call(value)
        assert str(caught.value).endswith(f": argument 1 'x': expected i64 | str | null, got {shown}")


def test_exact_alternatives_come_first():
    call = both("(x: f64 | bool | list[f64]) -> any")[0]
    assert call(True) is True and call(3) == 3.0 and type(call(3)) is float
    assert type(call([1])[0]) is int or call([1]) == [1.0]
    assert both("(x: f32 | i64) -> any")[0](3) == 3


@pytest.mark.parametrize("call", both("(x: any) -> i64 | str"), ids=["python", "packed"])
def test_results_are_checked(call):
    assert call(1) == 1 and call("a") == "a"
    with pytest.raises(TypeError, match=r"result: expected i64 \| str, got float 1.5"):
        call(1.5)


@pytest.mark.parametrize(
    "call",
    both("(x: list[tests.unions.P | f64 | null]) -> list[tests.unions.P | f64 | null]"),
    ids=["python", "packed"],
)
def test_unions_of_items(call):
    one = P(1.0)
    assert call([one, 2.5, None])[0] is one
    with pytest.raises(TypeError, match=r"got list with str 'a' at \[1\]"):
        call([one, "a"])
    with pytest.raises(TypeError, match=r"got list with"):
        call(jitffi.List([one, "a"]))


@pytest.mark.parametrize("call", both("(x: tests.unions.P) -> tests.unions.P"), ids=["python", "packed"])
def test_objects_of_a_type(call):
    for one in (P(1.0), Q(1.0, 2)):
        assert call(one) is one
    for value, shown in ((3, "int 3"), (None, "None|null"), (jitffi.List(), "list|List")):
        with pytest.raises(TypeError, match=rf"expected tests\.unions\.P, got ({shown})"):
            call(value)


@pytest.mark.parametrize("call", both("(x: optional[tests.unions.Q]) -> optional[tests.unions.P]"))
def test_optional_objects(call):
    one = Q(1.0)
    assert call(one) is one and call(None) is None
    with pytest.raises(TypeError, match=r"expected optional\[tests\.unions\.Q\]"):
        call(P(1.0))


def test_a_key_that_is_registered_later():
    call = both("(x: tests.unions.Later) -> any")[0]
    with pytest.raises(TypeError, match=r"expected tests\.unions\.Later"):
        call(P(1.0))

    @jitffi.register_object("tests.unions.Later")
    class Later:
        a: int

    assert call(Later(3)).a == 3


def test_c_gets_the_object():
    labs = jitffi.load_library(None).bind("labs", "(tests.unions.P) -> i64")
    one = P(1.0)
    assert labs(one) == one.handle


def test_annotations():
    @jitffi.function
    def pick(p: P | None, other: int | str = 3, s: jitffi.Shape | None = None) -> "P | int":
        return p or other

    assert str(jitffi.Function(pick).signature) == (
        "(p: optional[tests.unions.P], other: i64 | str = 3, s: optional[shape] = None) -> tests.unions.P | i64"
    )
    assert pick(None) == 3


@pytest.mark.parametrize("call", both("(x: shape) -> shape"), ids=["python", "packed"])
def test_shapes(call):
    assert call((1, 2)) == (1, 2) and call([3]) == (3,) and isinstance(call(jitffi.Shape([])), jitffi.Shape)
    for value in (1, ["a"], "ab", None):
        with pytest.raises(TypeError):
            call(value)


@pytest.mark.parametrize("call", both("(x: error) -> error"), ids=["python", "packed"])
def test_errors(call):
    made = call(KeyError("k"))
    assert made.kind == "KeyError" and call(made).kind == "KeyError"
    with pytest.raises(TypeError, match="expected error"):
        call("KeyError")


@pytest.mark.parametrize("call", both("(x: null) -> null"), ids=["python", "packed"])
def test_null(call):
    assert call(None) is None
    with pytest.raises(TypeError, match="expected null, got int 0"):
        call(0)


def test_callbacks_and_what_fails_leaves_nothing():
    seen = []

    @jitffi.function("(f: func[(i64 | str | tests.unions.P) -> i64 | str]) -> any")
    def run(f):
        seen.append(f("text"))
        return f(P(1.0))

    def answer(x):
        return 7 if isinstance(x, P) else x

    assert run(answer) == 7 and seen == ["text"]
    assert run(lambda x: 1.5) == 1.5  # Python calls what Python has passed: nothing crosses

    class Raising:
        def __index__(self):
            raise KeyError("mine")

    calls = [*both("(x: i64 | str) -> i64 | str"), *both("(x: list[i64 | str] | f64) -> any")]
    values = ("x" * 50, 1.5, [1, "a"], [1, 2.5], Raising(), ["a" * 50, Raising()], jitffi.List(["b" * 50]))

    def once():
        for call in calls:
            for value in values:
                with contextlib.suppress(TypeError, KeyError):
                    call(value)

    once()
    gc.collect()
    before = _core.live_objects()
    for _ in range(50):
        once()
    gc.collect()
    assert _core.live_objects() == before


def test_tuples_are_taken_for_lists():
    """As those of Python's: a list of its own, with what is in it checked."""
    call = both("(x: list[i64] | str) -> any")[0]
    assert call(jitffi.Tuple([1, 2])) == [1, 2] and type(call(jitffi.Array([1]))) is jitffi.List
    with pytest.raises(TypeError, match=r"expected list\[i64\], got jitffi.Tuple with str 'a' at \[0\]"):
        both("(x: list[i64]) -> any")[0](jitffi.Tuple(["a"]))
    assert jitffi.Array is jitffi.Tuple and jitffi.Dict is jitffi.Map


@pytest.mark.parametrize("function", both("(shape) -> shape"))
def test_a_shape_from_what_has_items(function):
    for given in ((2, 3), [2, 3], jitffi.Tuple((2, 3)), jitffi.List([2, 3]), jitffi.Shape((2, 3))):
        assert type(function(given)) is jitffi.Shape and function(given) == (2, 3)
    with pytest.raises(TypeError, match=r"argument 1: expected shape, got jitffi.Tuple with str 'x' at \[1\]"):
        function(jitffi.Tuple((2, "x")))
