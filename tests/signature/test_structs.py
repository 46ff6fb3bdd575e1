"""Declarations of structs: their texts, what they are refused for, how signatures name them."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from jitffi.base.errors import SignatureError
from jitffi.signature import structs
from jitffi.signature.model import TYPES, Signature, Type
from jitffi.signature.struct_text import parse_member, parse_members
from jitffi.signature.structs import Member, declare
from jitffi.signature.text import parse, parse_type

POINT = declare("test.Point", parse_members("x: f64, y: f64 = 1"))


def test_texts_are_read_back() -> None:
    node = declare("test.Node")
    text = (
        "p: test.Point, next: ptr[test.Node], name: cstr = None, ps: test.Point[3], f: func[(test.Point) -> i32], "
        "k: u32:3 = 2, _: u32:5, a: f32[4, 4] @ 16, all: ptr[4], _: test.Parts, data: u8[]"
    )
    declare("test.Parts", parse_members("low: u16, high: u16"), is_union=True)
    structs.complete(node, parse_members(text))
    assert node.text() == text
    assert parse_members(node.text()) == node.members
    assert node.type.bare == "{{f64,f64},ptr,ptr,{f64,f64}[3],ptr,u32:3,_u32:5,f32[4,4]@16,ptr[4],{u16;u16;},u8[-1]}"
    assert [placed.member.name for placed in node.placed()][-3:] == ["low", "high", "data"]
    assert pickle.loads(pickle.dumps(node)) is node


def test_a_signature_names_them() -> None:
    sig = parse("(p: test.Point, q: ptr[const test.Point], a: test.Point[n], n: i32) -> test.Point")
    assert sig.types == "({f64,f64}, ptr[const test.Point], {f64,f64}[$3], i32) -> {f64,f64}"
    assert parse(str(sig)) == sig
    assert structs.declared(sig.result) is POINT
    assert parse_type("Point", {"Point": POINT.type}) is POINT.type
    assert str(parse_type("ptr[struct Point]", {"struct Point": POINT.type})) == "ptr[test.Point]"
    assert structs.declared(parse_type("ptr[struct Point]").args[0]) is None


def test_a_pickle_takes_them_along() -> None:
    structs.complete(declare("test.Far"), parse_members("p: test.Point, next: ptr[test.Far]"))
    data = pickle.dumps(parse("(test.Far) -> ptr[test.Far]"))
    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).types)"
    made = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    assert made.stdout.decode().strip() == "({{f64,f64},ptr}) -> ptr[test.Far]"


def test_a_key_has_one_declaration() -> None:
    assert declare("test.Point", parse_members("x: f64, y: f64 = 2")) is POINT
    for others in ("x: f64", "x: f64, z: f64", "x: f64, y: f32"):
        with pytest.raises(
            ValueError, match="test.Point is declared already, with other members: x: f64, y: f64 = 1.0"
        ):
            declare("test.Point", parse_members(others))
    with pytest.raises(ValueError, match="declared already"):
        declare("test.Point", parse_members("x: f64, y: f64"), is_union=True)


def test_what_pointers_lead_to_may_be_known_better() -> None:
    made = declare("test.Known")
    structs.complete(made, parse_members("next: ptr[struct known], n: i32"))
    structs.complete(made, parse_members("next: ptr[test.Known], n: i32"))
    assert made.text() == "next: ptr[struct known], n: i32"
    with pytest.raises(ValueError, match="declared already"):
        structs.complete(made, parse_members("next: cstr, n: i32"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x: f64:3", "test.Bad.x: f64 has no bit-fields"),
        ("x: str", "test.Bad.x: str is no type of a member: C has cstr"),
        ("x: func", "a function pointer is"),
        ("x: u8:9", "9 bits of u8 are no bit-field"),
        ("x: u8[], y: i8", "test.Bad.x: only the last member of a struct has no length"),
        ("x: f64, x: f64", "two members named 'x'"),
        ("_: f64", "only bits and structs have no name"),
        ("x: f64 @ 3", "3 is no alignment"),
        ("x: test.Unfinished", "test.Unfinished is incomplete"),
    ],
)
def test_what_is_no_member(text: str, words: str) -> None:
    declare("test.Unfinished")
    with pytest.raises(ValueError, match=words):
        declare("test.Bad", parse_members(text))
    assert structs.find("test.Bad") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x f64", "expected a member's name and ':', got 'x'"),
        ("x: f65", "unknown type 'f65'; did you mean 'f64'"),
        ("x: u32:3 = 8", "bad default: 8 does not fit in 3 bits of u32"),
        ("x: f64[2] = 1.0", r"a member of type f64\[2\] takes none"),
        ("x: ptr = 1", "a member of type ptr takes none but None"),
        ("x: test.Pont", "did you mean 'test.Point'"),
        ("x: f64 y: f64", "expected ',' after the member"),
    ],
)
def test_what_is_no_text(text: str, words: str) -> None:
    with pytest.raises(SignatureError, match=words):
        parse_members(text)


def test_what_is_not_declared_is_no_parameter() -> None:
    with pytest.raises(SignatureError, match="struct Foo is not declared"):
        parse("(x: struct Foo) -> void")
    with pytest.raises(SignatureError, match="is incomplete"):
        declare("test.Unfinished")
        parse("(x: test.Unfinished) -> void")
    assert str(Signature.parse("(x: ptr[test.Unfinished]) -> void")) == "(x: ptr[test.Unfinished]) -> void"


def test_one_member() -> None:
    assert parse_member("flags", "u32:3 = 1") == Member("flags", TYPES["u32"], (), 3, 1)
    assert parse_member("_", "test.Point").name is None
    assert Type("struct", (POINT,)) is POINT.type
