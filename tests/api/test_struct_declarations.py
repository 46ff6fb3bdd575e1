"""Structs as users declare and use them: classes, texts, sizes, pickles, those of C declarations."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Annotated, Any

import numpy as np
import pytest

import jitffi
from jitffi import SignatureError


@jitffi.struct("api.Point")
class Point:
    """A point of the plane."""

    x: jitffi.f64
    y: jitffi.f64 = 1.0

    def norm(self) -> float:
        return (self.x**2 + self.y**2) ** 0.5

    def me(self) -> type:
        return __class__  # type: ignore[name-defined, no-any-return]  # noqa: F821


@jitffi.struct("api.Node")
class Node:
    at: Point
    next: Annotated[Any, "ptr[Node]"]
    flags: Annotated[int, "u32:3"] = 2
    _: Annotated[int, "u32:5"]
    name: jitffi.cstr | None = None
    data: Annotated[Any, "f32[2, 2]"]
    weight: float = 2.5


def test_classes_have_fields_methods_and_docstrings() -> None:
    p = Point(3.0, y=4.0)
    assert (p.x, p.y, p.norm(), p.me()) == (3.0, 4.0, 5.0, Point)
    assert Point.__doc__ == "A point of the plane."
    assert repr(p) == "Point(x=3.0, y=4.0)"
    assert Point(1) == Point(1.0, 1.0) != Point(2)
    n = Node(p, name="abc")
    n.at.x = 7
    assert n.at == Point(7, 4)
    assert (n.flags, n.name, n.weight, n.next) == (2, "abc", 2.5, None)
    assert copy.copy(n) == n
    with pytest.raises(OverflowError, match="api.Node.flags"):
        n.flags = 8


def test_what_c_knows_of_their_memory() -> None:
    assert (jitffi.sizeof(Point), jitffi.alignof(Point), Point.size) == (16, 8, 16)
    assert jitffi.offsetof(Node, "data") == Node.offset("data") == 40
    assert jitffi.sizeof("api.Node[2]") == 2 * jitffi.sizeof(Node()) == 128
    p = Point(1, 2)
    assert jitffi.cast("ptr[f64]", jitffi.addressof(p))[1] == 2.0
    with pytest.raises(ValueError, match="has 3 bits: they have no address"):
        jitffi.offsetof(Node, "flags")
    with pytest.raises(AttributeError, match="api.Node has no member 'z'"):
        jitffi.offsetof(Node, "z")
    with pytest.raises(TypeError, match="expected a struct, its class or a type"):
        jitffi.sizeof(1.5)
    with pytest.raises(TypeError, match="expected an instance of a struct"):
        jitffi.addressof(b"abc")


def test_numpys_dtype() -> None:
    assert Point.dtype == jitffi.dtype(Point) == np.dtype({"names": ["x", "y"], "formats": ["f8", "f8"]})
    with pytest.raises(TypeError, match="expected the class of a struct, got int"):
        jitffi.dtype(3)
    a = Point.array(3)
    a["y"][1] = 5
    assert a.shape == (3,)
    assert a.itemsize == 16
    assert a["y"].tolist() == [0, 5, 0]


def test_names_that_fields_have_are_theirs() -> None:
    made = jitffi.struct("api.Named", "size: i32, dtype: i32, offset: i32, array: i32")(1, 2, 3, 4)
    assert (made.size, made.dtype, made.offset, made.array) == (1, 2, 3, 4)


def test_texts_and_unions() -> None:
    word = jitffi.union("api.Word", "all: u32, bytes: u8[4]")
    assert sorted(word(0x01020304).bytes.tolist()) == [1, 2, 3, 4]
    assert jitffi.struct("api.Word2", "w: api.Word, next: ptr[Word2]", pack=2).size == 12
    assert jitffi.alignof(jitffi.struct("api.Wide", "x: f64", align=64)) == 64


def test_the_same_key_has_the_same_layout() -> None:
    again = jitffi.struct("api.Point", "x: f64, y: f64 = 1.0")
    assert jitffi.sizeof(again) == 16
    with pytest.raises(ValueError, match="api.Point is declared already, with other members: x: f64, y: f64 = 1.0"):
        jitffi.struct("api.Point", "x: f64")

    @jitffi.struct("api.Again")
    class Again:
        x: jitffi.i32

    first = Again(1)

    @jitffi.struct("api.Again")
    class Again:  # type: ignore[no-redef]  # noqa: F811
        x: jitffi.i32

        def twice(self) -> int:
            return 2 * self.x

    assert Again(3).twice() == 6
    assert first.x == 1


@pytest.mark.parametrize(
    ("annotation", "error", "words"),
    [
        ("str", ValueError, "Bad.x: str is no type of a member: C has cstr"),
        ("Annotated[int, 'u8:9']", ValueError, "9 bits of u8"),
        ("Annotated[Any, 'u33']", SignatureError, "Bad.x: .*unknown type 'u33'"),
        ("list[int]", ValueError, "is no type of a member"),
        ("nowhere.T", NameError, "Bad.x: name 'nowhere' is not defined"),
    ],
)
def test_what_is_no_annotation_of_a_member(annotation: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        jitffi.struct("api.Bad")(type("Bad", (), {"__annotations__": {"x": annotation}, "__module__": __name__}))
    assert jitffi.sizeof(jitffi.struct("api.Bad" + str(abs(hash(annotation))), "x: i8")) == 1


def test_what_is_no_struct() -> None:
    with pytest.raises(TypeError, match="expected the key of a struct as str"):
        jitffi.struct(Point)
    with pytest.raises(ValueError, match="'geo point' is no key"):
        jitffi.struct("geo point", "x: i8")
    with pytest.raises(TypeError, match="a struct has no base classes, got Base"):
        jitffi.struct("api.Derived")(type("Derived", (type("Base", (), {}),), {}))
    with pytest.raises(OverflowError, match="Bits.x"):
        jitffi.struct("api.Bits")(type("Bits", (), {"__annotations__": {"x": jitffi.u8}, "x": 256}))
    with pytest.raises(ValueError, match="power of two"):
        jitffi.struct("api.Packed", "x: i8", pack=3)


def test_pickles() -> None:
    assert pickle.loads(pickle.dumps(Point(4.0))) == Point(4.0)
    made = jitffi.struct("api.ByText", "x: i32, p: api.Point")
    assert pickle.loads(pickle.dumps(made(3))).x == 3
    assert pickle.loads(pickle.dumps(Point)) is Point
    code = "import pickle, sys; p = pickle.loads(sys.stdin.buffer.read()); print(p.x, p.p, type(p).size)"
    jitffi.struct("api.Near", "q: u8")
    far = jitffi.struct("api.Far", "x: i32, p: api.Near", pack=1)
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(far(9)), capture_output=True)
    assert done.stdout.split() == [b"9", b"Near(q=0)", b"5"], done.stderr


def test_those_of_c_declarations() -> None:
    text = "typedef struct pair_s { int quot, rem; } pair_t; union u { pair_t p; long all; }; double floor(double);"
    lib = jitffi.load_library("libm.so.6", cdef=text)
    assert dir(lib.types) == ["pair_s", "pair_t", "u"]
    assert lib.types.pair_s is lib.types.pair_t
    assert repr(lib.types.pair_t(3)) == "pair_t(quot=3, rem=0)"
    assert lib.types.u(lib.types.pair_t(1, 1)).all == 0x100000001
    assert pickle.loads(pickle.dumps(lib.types.pair_t(1, 2))).rem == 2
    assert jitffi.load_library("libm.so.6", cdef=text).types.pair_t is lib.types.pair_t
    with pytest.raises(AttributeError, match="declares no type 'pairt'; did you mean 'pair_t'"):
        _ = lib.types.pairt
    assert str(lib.bind("floor", "(x: f64) -> f64")(2.5)) == "2.0"


def test_signatures_of_functions_name_classes() -> None:
    def middle(a: Point, b: Annotated[Any, "ptr[const api.Point]"]) -> Point: ...

    assert str(jitffi.Signature.of(middle)) == "(a: api.Point, b: ptr[const api.Point]) -> api.Point"
