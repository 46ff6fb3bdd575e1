"""Typed pointers as arguments and results of C functions, and as what callbacks get."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.extension import HOST, compile_c, linker
from support.leaks import block_growth

import jitffi

SOURCE = """
#include <stdint.h>
#include <stdlib.h>
float* middle(float* x, int32_t n) { return x + n; }
float* none(int64_t n) { return 0; }
float first(const float* x) { return *x; }
double apply(double (*f)(const double*, int64_t), const double* x, int64_t n) { return f(x, n); }
struct item { int32_t x; };
struct item* make(int32_t x) {
  struct item* made = malloc(sizeof *made);
  made->x = x;
  return made;
}
int32_t get(const struct item* item) { return item->x; }
int32_t length(const char* s) {
  int32_t n = 0;
  while (*s++) n++;
  return n;
}
void places(int32_t** found, const char** name) {
  static int32_t seven = 7;
  *found = &seven, *name = "seven";
}
"""
#: What is told of a number in the place of a pointer.
MEMORY = "(jitffi.new makes memory of that type)"


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> jitffi.Library:
    folder: Path = tmp_path_factory.mktemp("pointers")
    linker.link([compile_c(folder / "pointers.o", SOURCE)], folder / "pointers.so", kind="so", target=HOST)
    return jitffi.load_library(folder / "pointers.so")


def fails(call, *args) -> str:
    with pytest.raises((TypeError, ValueError)) as caught:
        call(*args)
    return f"{type(caught.value).__name__}: {caught.value}"


def test_results_are_pointers_of_the_type(lib) -> None:
    middle = lib.bind("middle", "(x: ptr[f32], n: i32) -> ptr[f32]")
    x = np.arange(5, dtype=np.float32)
    p = middle(x, 2)
    assert str(p.type) == "ptr[f32]" and p[0] == 2 and p.len is None and p - middle(x, 0) == 2
    assert middle(p, 1).value == 3 and middle(jitffi.new("f32[4]", [1, 2, 3, 4]), 3).value == 4
    assert middle(np.ones((2, 3), np.float32, order="F"), 5).value == 1
    assert fails(lib.bind("none", "(i64) -> ptr[f32]"), 1) == "ValueError: none: result: expected ptr[f32], got NULL"
    assert lib.bind("none", "(i64) -> optional[ptr[f32]]")(1) is None


def test_arguments_are_of_the_type(lib) -> None:
    first, middle = lib.bind("first", "(x: ptr[const f32]) -> f32"), lib.bind("middle", "(ptr[f32], i32) -> ptr[f32]")
    x = np.arange(5, dtype=np.float32)
    p = jitffi.new("f32", 7)
    assert first(x) == 0 and first(p) == 7 and first(memoryview(x).toreadonly()) == 0
    for wrong, got in (
        (5, f"int 5 {MEMORY}"), (None, "None"), (x.astype(float), "float64[5]"), (np.float32(3), "numpy.float32"),
        (jitffi.new("f64", 7), "a Pointer of type ptr[f64]"), ([1.0], f"list {MEMORY}"), ("x", "str 'x'"),
    ):  # fmt: skip
        assert fails(first, wrong) == f"TypeError: first: argument 1 'x': expected ptr[const f32], got {got}"
    assert "ValueError" in fails(first, jitffi.cast("ptr[f32]", 0)) and "ValueError" in fails(first, x[::2])
    assert "a Pointer of type ptr[const f32]" in fails(middle, jitffi.cast("ptr[const f32]", p), 1)
    x.flags.writeable = False
    assert "got read-only float32[5]" in fails(middle, x, 1)
    length = lib.bind("length", "(ptr[const i8]) -> i32")
    assert length(b"hello") == 5 and length(bytearray(b"abc\0")) == 3


def test_opaque_structs_are_told_apart_by_name(lib) -> None:
    item = lib.bind("make", "(i32) -> ptr[struct item]")(5)
    get = lib.bind("get", "(ptr[const struct item]) -> i32")
    assert get(item) == 5
    other = jitffi.cast("ptr[struct other]", item)
    assert "got a Pointer of type ptr[struct other]" in fails(get, other) and "got int" in fails(get, item.address)
    assert "ndarray" in fails(get, np.zeros(3)) and "no size" in fails(lambda: item[0])


def test_callables_get_pointers(lib) -> None:
    f = "func[(x: ptr[const f64], n: i64) -> f64]"
    apply = lib.bind("apply", f"(f: {f}, x: ptr[const f64], n: i64) -> f64")
    x = np.arange(4.0)
    assert apply(lambda p, n: p.array(n).sum(), x, 4) == 6

    def shrink(p: jitffi.Pointer, n: int) -> float:
        x.resize(1)
        return 1.0

    with pytest.raises(ValueError, match="cannot resize"):  # the call has a reference
        apply(shrink, x, 4)
    assert len(x) == 4


def test_pointers_come_back(lib) -> None:
    found, name = lib.bind("places", "(out[ptr[i32]], out[optional[cstr]]) -> void")()
    assert found.value == 7 and name == "seven"


def test_calls_leave_nothing_behind(lib) -> None:
    middle = lib.bind("middle", "(x: ptr[f32], n: i32) -> ptr[f32]")
    x = np.arange(5, dtype=np.float32)

    def work() -> None:
        middle(middle(x, 2), 1)
        for wrong in (5, x.astype(float), jitffi.new("f64")):
            with pytest.raises(TypeError):
                middle(wrong, 1)

    assert block_growth(work) < 50


@pytest.mark.parametrize(
    ("type_", "given", "note"),
    [
        ("ptr[const u8]", "text", "got str 'text' (bytes fit, such as its .encode())"),
        ("ptr[const void]", "text", "got str 'text' (bytes fit, such as its .encode())"),
        ("optional[ptr[i8]]", "text", "got str 'text' (C may write there: a bytearray fits)"),
        ("ptr[f64]", "text", "got str 'text'"),
        ("ptr[u8]", b"bytes", "got read-only uint8[5] (C may write there)"),
        ("ptr[u64]", 7, f"got int 7 {MEMORY}"),
        ("ptr[const f64]", [7.0], f"got list {MEMORY}"),
        ("optional[ptr[struct handle]]", 7, "got int 7"),
    ],
)
def test_what_would_fit_is_told(type_, given, note):
    call = jitffi.load_library(None).bind("abs", f"(place: {type_}) -> i32")
    with pytest.raises(TypeError) as caught:
        call(given)
    assert str(caught.value) == f"abs: argument 1 'place': expected {type_}, {note}"
