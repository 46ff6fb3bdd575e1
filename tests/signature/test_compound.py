"""Pointers and arrays in the notation: what is one, how it is spelled, and how Python passes the parameters."""

from __future__ import annotations

import pickle

import pytest

from jitffi import SignatureError
from jitffi.signature.model import Signature, Type

parse = Signature.parse


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("(n: u64, a: f32, x: const f32[n], y: f32[n]) -> void", "(u64, f32, const f32[$0], f32[$0]) -> void"),
        ("(f64[n, m], f64[m, 3], i8[*]) -> void", "(f64[#0, #1], f64[#1, 3], i8[*]) -> void"),
        ("(a: f64[m, n @ lda], lda: i32) -> void", "(f64[#0, #1 @ $1], i32) -> void"),
        ("(optional[c64[* @ inc]], float8_e5m2[0]) -> void", "(optional[c64[* @ #0]], float8_e5m2[0]) -> void"),
        ("(out[f64[n]], n: i32, inout[i64]) -> i32", "(out[f64[$1]], i32, inout[i64]) -> i32"),
        ("(ptr[const f32], optional[ptr[struct foo]]) -> ptr[i32]", None),
        (
            "(tensor, tensor[f32], tensor[device=any], optional[tensor[f32, n, 4]]) -> void",
            "(tensor, tensor[f32], tensor[device=any], optional[tensor[f32, #0, 4]]) -> void",
        ),
        (
            "(n: i32, tensor[const bf16, n, *, order=C, device=cuda], f32[n]) -> void",
            "(i32, tensor[const bf16, $0, *, order=C, device=cuda], f32[$0]) -> void",
        ),
        ("(ptr[ptr[const f32]], ptr[const void], ptr[func[(i64) -> void]]) -> ptr[cstr]", None),
        (
            "(out[owned[ptr[struct a], a_free]], out[optional[owned[cstr, libc.so.6:free]]]) -> owned[ptr, /x-1/y:f]",
            "(out[owned[ptr[struct a]]], out[optional[owned[cstr]]]) -> owned[ptr]",
        ),
    ],
)
def test_texts_are_canonical(text, types):
    sig = parse(text)
    assert str(sig) == text
    assert parse(text.replace(", ", ",").replace("[", "[ ").replace("@", " @ ")) == sig
    assert sig.types == (types or text)
    assert pickle.loads(pickle.dumps(sig)) == sig
    assert all(p.type is q.type for p, q in zip(sig.params, parse(text).params, strict=True))


def test_what_may_be_null_is_optional_around_what_is_owned():
    inside, around = (parse(f"() -> {text}") for text in ("owned[optional[ptr],free]", "optional[owned[ptr, free]]"))
    assert inside.result is around.result and inside.result.inner.args == (Type("ptr"), "free")
    for args in ((Type("ptr"),), (Type("ptr"), 3), ("ptr", "free")):
        with pytest.raises(TypeError, match="owned takes a type and the name of the function"):
            Type("owned", args)
    with pytest.raises(ValueError, match="the optional stands around it"):
        Type("owned", (inside.result, "free"))


def test_names_do_not_tell_machine_code_apart():
    assert parse("(n: i32, x: f32[n], y: f32[k]) -> void").types == parse("(k: i32, a: f32[k], f32[m]) -> void").types
    assert parse("(n: i32, x: f32[n]) -> void").types != parse("(n: i32, x: f32[m]) -> void").types


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(f32[n) -> void", "expected ']' or ',' after the dimension, got ')'"),
        ("(tensor[f32, n) -> void", "expected ']' or ',' in the brackets of the tensor, got ')'"),
        ("(tensor[str]) -> void", "expected the element type of a tensor, got 'str'"),
        ("(tensor[f32, n @ k]) -> void", "a tensor has its strides with it: none is named"),
        ("(tensor[f32, order=F]) -> void", "there is no order 'F': C is the one that can be asked for"),
        ("(tensor[f32, device=gpu]) -> void", "there is no device 'gpu': known: any, cpu, cuda"),
        ("(out[tensor[f32]]) -> void", "out[tensor[f32]] is no type"),
        ("(f32[]) -> void", "expected a length, a name or *, got ']'"),
        ("(f32[-1]) -> void", "expected a length, a name or *, got '-1'"),
        ("(f32[n @ 3]) -> void", "expected the name of the stride after @, got '3'"),
        ("(f32[for]) -> void", "'for' is a Python keyword"),
        ("(str[n]) -> void", "str takes no [...]"),
        ("(const f32) -> void", "expected '[' and dimensions after const f32"),
        ("(const str[n]) -> void", "expected the element type of an array after const, got 'str'"),
        ("(ptr[void]) -> void", "a pointer to void is ptr"),
        ("(ptr[str]) -> void", "there are no pointers to str"),
        ("(ptr[func]) -> void", "there are no pointers to func"),
        ("(float8_e5m2) -> void", "float8_e5m2 stands behind pointers and in arrays only"),
        ("() -> optional[c128]", "optional[c128] cannot be a result: C has no way to return no number"),
        ("() -> f32[4]", "f32[4] cannot be a result: a pointer says nothing of its length"),
        ("() -> out[f32]", "out[...] is a parameter"),
        ("(optional[out[f32]]) -> void", "out can have no None beside it"),
        ("(inout[f32[n]]) -> void", "the array itself is written where it is not const"),
        ("(out[f32[*]]) -> void", "what is made for it needs lengths"),
        ("(out[f32[n]]) -> void", "the length 'n' is unknown"),
        ("(x: f32[n], n: f64) -> void", "the dimension 'n' is a parameter of type f64: no integer"),
        ("(list[ptr[f32]]) -> void", "cannot hold ptr[f32]"),
        ("() -> owned[ptr]", "expected ',' and the name of the function that frees it"),
        ("() -> owned[ptr, free", "expected ']' to close 'owned[', got the end"),
        ("() -> owned[ptr, free, 2]", "expected ']' to close 'owned[', got ','"),
        ("() -> owned[ptr, 3]", "'3' is no name of a C function, nor library:name"),
        ("() -> owned[ptr, ]", "'' is no name of a C function, nor library:name"),
        ("() -> owned[ptr, :free]", "':free' is no name of a C function, nor library:name"),
        ("() -> owned[ptr, libc.so.6:]", "'libc.so.6:' is no name of a C function, nor library:name"),
        ("() -> owned[ptr, lib c:free]", "'lib c:free' is no name of a C function, nor library:name"),
        ("() -> owned[f64[3], free]", "owned[f64[3], free] is no type: what is freed is a ptr, ptr[T] or cstr"),
        ("() -> owned[str, free]", "owned[str, free] is no type: what is freed is a ptr, ptr[T] or cstr"),
        ("() -> owned[optional[str], free]", "owned[str, free] is no type: what is freed is a ptr, ptr[T] or cstr"),
        ("() -> optional[owned[optional[ptr], free]]", "optional can have no None beside it"),
        ("(owned[cstr, free]) -> void", "a result, or in out[...]; as an argument it is cstr"),
        ("(x: optional[owned[ptr[f32], free]]) -> void", "in out[...]; as an argument it is optional[ptr[f32]]"),
        ("(inout[owned[ptr, free]]) -> void", "inout[owned[ptr, free]] is no type"),
        ("(ptr[owned[ptr, free]]) -> void", "there are no pointers to owned[ptr, free]"),
        ("() -> list[owned[ptr, free]]", "list[...] cannot hold owned[ptr, free]"),
        ("(func[() -> owned[ptr, free]]) -> void", "a callback gives nothing that its caller has to free"),
        ("(func[(out[owned[ptr, free]]) -> void]) -> void", "a callback gives nothing that its caller has to free"),
        (f"({'f32[' + ','.join(['1'] * 33)}]) -> void", "an array has at most 32 dimensions, got 33"),
    ],
)
def test_what_is_no_type_is_shown(text, message):
    with pytest.raises(SignatureError) as caught:
        parse(text)
    assert message in str(caught.value)


def test_python_passes_what_cannot_be_told_from_arrays():
    order = parse("(n: u64, a: f32, x: const f32[n], y: f32[n @ inc], inc: i32, z: out[f32[n]]) -> void").order
    assert (order.positional, order.keyword_only, order.outs) == ((1, 2, 3), (0, 4), (5,))
    assert order.filled == {0: ((2, 0, False), (3, 0, False)), 4: ((3, 0, True),)}
    assert order.passed == (1, 2, 3, 0, 4)
    order = parse("(layout: i32 = 101, x: f64, beta: f64 = 0.0) -> void").order
    assert (order.positional, order.keyword_only) == ((1, 2), (0,))
    order = parse("(n: i32, x: out[f64[n]]) -> void").order
    assert (order.positional, order.outs) == ((0,), (1,))


def test_names_of_dimensions_are_spelled_as_parameters():
    """As Python spells identifiers: by NFKC."""
    signature = parse("(x: f64[\ufb01 @ \ufb02], \ufb01: i32, \ufb02: i32) -> void")
    assert str(signature) == "(x: f64[fi @ fl], fi: i32, fl: i32) -> void"
    assert signature.order.keyword_only == (1, 2)
    with pytest.raises(ValueError, match="'\ufb01' is spelled 'fi'"):
        Type("array", (Type("f64"), False, (("\ufb01", None),)))
