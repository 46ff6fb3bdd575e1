"""Arrays as arguments of C functions: what arrives, what fills in integers, what comes back, and how calls fail."""

from __future__ import annotations

import inspect
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from support.extension import HOST, compile_c, linker
from support.leaks import block_growth

import jitffi
from jitffi.base.errors import SignatureError
from jitffi.signature.model import TYPES

SOURCE = """
#include <stdint.h>
void saxpy(uint64_t n, float a, const float* x, float* y) { for (uint64_t i = 0; i < n; i++) y[i] += a * x[i]; }
int64_t shape(int32_t m, int32_t n, const double* a, int32_t lda) { return m * 10000 + n * 100 + lda; }
int64_t length(int8_t n, const int8_t* x) { return n; }
double sum(uint64_t n, const double* x, int32_t inc) {
  double s = 0;
  for (uint64_t i = 0; i < n; i++) s += x[i * inc];
  return s;
}
int64_t three(int32_t n, const double* x, const double* y, const double* z) { return n * 8 + !!x + 2 * !!y + 4 * !!z; }
int32_t two(int64_t a, double* half, int32_t* next) { *half = a / 2.0; *next = (int32_t)a + 1; return (int32_t)a; }
void fill(int32_t n, float* x, float first) { for (int32_t i = 0; i < n; i++) x[i] = first + i; }
void increment(int64_t* x, _Bool* flag) { *x += 1; *flag = !*flag; }
double apply(double (*f)(uint64_t, const double*, double*), uint64_t n, const double* x, double* y) {
  return f(n, x, y);
}
void ask(int32_t (*f)(int64_t, double*, float*), double* r) {
  float y[3] = {0};
  double half = 0;
  r[0] = f(5, &half, y);
  f(1, 0, 0);
  r[1] = half, r[2] = y[0] + y[1] + y[2];
}
"""


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> jitffi.Library:
    folder: Path = tmp_path_factory.mktemp("arrays")
    linker.link([compile_c(folder / "arrays.o", SOURCE)], folder / "arrays.so", kind="so", target=HOST)
    return jitffi.load_library(folder / "arrays.so")


def fails(call, *args, **kwargs) -> str:
    with pytest.raises((TypeError, ValueError, OverflowError)) as caught:
        call(*args, **kwargs)
    return f"{type(caught.value).__name__}: {caught.value}"


def test_lengths_fill_in_integers(lib) -> None:
    saxpy = lib.bind("saxpy", "(n: u64, a: f32, x: const f32[n], y: f32[n]) -> void")
    assert str(inspect.signature(saxpy)) == "(a, x, y, *, n=None)"
    x, y = np.arange(5, dtype=np.float32), np.ones(5, np.float32)
    saxpy(2.0, x, y)
    assert y.tolist() == [1, 3, 5, 7, 9]
    saxpy(2.0, x, y=y, n=3)
    assert y.tolist() == [1, 5, 9, 7, 9]
    saxpy(n=0, y=y, x=x, a=1)
    assert y.tolist() == [1, 5, 9, 7, 9]


def test_what_differs_is_said(lib) -> None:
    saxpy = lib.bind("saxpy", "(n: u64, a: f32, x: const f32[n], y: f32[n]) -> void")
    x, y = np.arange(5, dtype=np.float32), np.ones(5, np.float32)
    assert fails(saxpy, 2.0, x, y, n=6) == "ValueError: saxpy: argument 'n': expected at most 5, as 'x' has, got 6"
    assert "OverflowError: saxpy: argument 'n': expected u64" in fails(saxpy, 2.0, x, y, n=-1)
    assert fails(saxpy, 2.0, x, y[:4]) == "ValueError: saxpy: argument 3 'y': n is 4 here and 5 in 'x'"
    assert fails(saxpy, 2.0, x) == "TypeError: saxpy: argument 3 'y' is missing"
    assert fails(saxpy, 2.0, x, y, 5) == "TypeError: saxpy: expected 3 arguments, got 4"
    assert fails(saxpy, 2.0, x, y, x=x) == "TypeError: saxpy: argument 2 'x' is given twice"
    wrong = fails(saxpy, 2.0, x, y.astype(np.float64))
    assert wrong == "TypeError: saxpy: argument 3 'y': expected f32[n], got float64[5]"
    assert y.tolist() == [1] * 5


def test_strides_fill_in_integers(lib) -> None:
    shape = lib.bind("shape", "(m: i32, n: i32, a: const f64[m @ lda, n], lda: i32) -> i64")
    assert str(inspect.signature(shape)) == "(a, *, m=None, n=None, lda=None)"
    whole = np.zeros((8, 12))
    assert shape(whole) == 81212
    assert shape(whole[2:5, 1:4]) == 30312
    assert shape(whole[2:3, 1:4]) == 10303  # along a single row nothing is skipped
    assert shape(whole[::2, :4]) == 40424
    assert shape(whole[:0]) == 1212 and shape(np.zeros((3, 0))) == 30001
    assert "of 'a' has" not in fails(shape, whole.T)
    assert "contiguous" in fails(shape, whole.T) and "contiguous" in fails(shape, whole[:, ::2])
    assert "ValueError" in fails(shape, whole[::-1])
    columns = lib.bind("shape", "(m: i32, n: i32, a: const f64[m, n @ lda], lda: i32) -> i64")
    assert columns(whole.T) == 120812 and columns(whole[2:5, 1:4].T) == 30312
    assert fails(shape, whole, lda=11) == "ValueError: shape: argument 'lda': expected 12, as 'a' has, got 11"
    assert fails(shape, whole, n=11) == "ValueError: shape: argument 'n': expected 12, as 'a' has, got 11"
    assert shape(whole, m=7) == 71212
    total = lib.bind("sum", "(n: u64, x: const f64[n @ inc], inc: i32) -> f64")
    x = np.arange(10.0)
    assert total(x) == 45 and total(x[::3]) == 18 and total(x[9:]) == 9 and total(x[:0]) == 0
    assert "ValueError" in fails(total, x[::-1]) and "ValueError" in fails(total, np.broadcast_to(x[:1], 3))


def test_a_length_beyond_the_integer_is_an_overflow(lib) -> None:
    length = lib.bind("length", "(n: i8, x: const i8[n]) -> i64")
    assert length(np.zeros(127, np.int8)) == 127 and length(np.zeros(0, np.int8)) == 0
    wrong = fails(length, np.zeros(128, np.int8))
    assert wrong == "OverflowError: length: argument 'n': expected i8, got 128 of 'x'"
    assert length(b"abc") == 3 and length(bytearray(5)) == 5 and length(memoryview(b"abcd")) == 4
    assert "ValueError" in fails(length, b"abc", n=-1)


def test_lengths_beyond_63_bits_are_named(lib) -> None:
    length = lib.bind("length", "(n: u64, x: const i8[n]) -> i64")
    wrong = fails(length, b"abc", n=2**64 - 1)
    assert wrong == "ValueError: length: argument 'n': expected at most 3, as 'x' has, got 18446744073709551615"
    maybe = lib.bind("length", "(n: u64, x: optional[const i8[n]]) -> i64")
    wrong = fails(maybe, None, n=2**63)
    assert wrong == "ValueError: length: argument 'n': expected less than 2**63, got 9223372036854775808"


def test_the_copy_that_is_advised_fits(lib) -> None:
    columns = lib.bind("shape", "(m: i32, n: i32, a: const f64[m, n @ lda], lda: i32) -> i64")
    a = np.zeros((5, 3))
    assert fails(columns, a).endswith("expected the other dimensions contiguous: copy it with numpy.asfortranarray")
    assert columns(np.asfortranarray(a)) == 50305


def test_none_says_no_length(lib) -> None:
    text = "(n: i32, x: optional[const f64[n]], y: optional[const f64[n]], z: optional[const f64[n]]) -> i64"
    three = lib.bind("three", text)
    x = np.zeros(3)
    assert three(x, x, x) == 31 and three(None, x, None) == 26 and three(None, None, x) == 28
    assert three(None, None, None, n=2) == 16 and three(x, None, None, n=2) == 17
    assert fails(three, None, None, None) == "TypeError: three: argument 'n' is missing"
    assert "n is 2 here and 3 in 'y'" in fails(three, None, x, x[:2])
    assert "expected 0 or more, got -1" in fails(three, None, None, None, n=-1)


def test_defaults_in_front_are_passed_by_keyword(lib) -> None:
    shape = lib.bind("shape", "(m: i32 = 7, n: i32, a: const f64[*, n], lda: i32 = 9) -> i64")
    assert str(inspect.signature(shape)) == "(a, lda=9, *, m=7, n=None)"
    a = np.zeros((2, 3))
    assert shape(a) == 70309 and shape(a, 5) == 70305 and shape(a, m=1) == 10309 and shape(lda=4, a=a, n=3) == 70304
    assert fails(shape, a, 1, 2) == "TypeError: shape: expected 1 to 2 arguments, got 3"
    assert fails(shape) == "TypeError: shape: argument 1 'a' is missing"
    assert "argument 'm': expected i32, got str 'x'" in fails(shape, a, m="x")


def test_outs_are_the_result(lib) -> None:
    two = lib.bind("two", "(a: i64, half: out[f64], next: out[i32]) -> i32")
    assert str(inspect.signature(two)) == "(a)" and two(9) == (9, 4.5, 10)
    fill = lib.bind("fill", "(n: i32, x: out[f32[n]], first: f32) -> void")
    made = fill(4, 1.5)
    assert made.dtype == np.float32 and made.tolist() == [1.5, 2.5, 3.5, 4.5] and made.flags.writeable
    assert fill(0, 1).shape == (0,) and fill(first=2, n=1).tolist() == [2]
    assert "ValueError: fill: argument 'x': negative dimensions" in fails(fill, -1, 1.0)
    assert fails(fill, 4, "x") == "TypeError: fill: argument 2 'first': expected f32, got str 'x'"
    increment = lib.bind("increment", "(x: inout[i64], flag: inout[bool]) -> void")
    assert increment(41, False) == (42, True)
    assert "argument 1 'x': expected inout[i64], got float 1.5" in fails(increment, 1.5, True)


def test_callables_get_copies_that_are_written_back(lib) -> None:
    f = "func[(n: u64, x: const f64[n], y: f64[n]) -> f64]"
    apply = lib.bind("apply", f"(f: {f}, n: u64, x: const f64[n], y: f64[n]) -> f64")
    x, y, kept = np.arange(4.0), np.zeros(4), []

    def double(x: np.ndarray, y: np.ndarray) -> float:
        y[:] = 2 * x
        kept.append(y)
        return x.sum()

    def refuse(x: np.ndarray, y: np.ndarray) -> float:
        y[:] = 7
        raise KeyError("no")

    assert apply(double, x, y) == 6 and y.tolist() == [0, 2, 4, 6]
    with pytest.raises(KeyError):
        apply(refuse, x, y)
    assert y.tolist() == [0, 2, 4, 6] and kept[0].tolist() == [0, 2, 4, 6]


def test_callables_return_the_outs(lib) -> None:
    ask = lib.bind("ask", "(f: func[(i64, out[f64], out[f32[3]]) -> i32], r: f64[3]) -> void")
    r = np.zeros(3)
    ask(lambda a: (a * 2, 0.25, np.array([1, 2, 3], np.float32)), r)
    assert r.tolist() == [10, 0.25, 6]
    assert "expected i32, got tuple (a tuple of 3" in fails(ask, lambda a: (a, 0.25), r)
    assert "expected out[f32[3]], got float32[2]" in fails(ask, lambda a: (a, 1.0, np.zeros(2, np.float32)), r)
    assert "r" in fails(ask, lambda a: (a, 1.0, np.zeros(3, np.float32)), r[:2])


def test_calls_leave_nothing_behind(lib) -> None:
    fill = lib.bind("fill", "(n: i32, x: out[f32[n]], first: f32) -> void")
    saxpy = lib.bind("saxpy", "(n: u64, a: f32, x: const f32[n], y: f32[n]) -> void", nogil=True)
    x, y = np.arange(5, dtype=np.float32), np.ones(5, np.float32)

    def work() -> None:
        fill(4, 1.5)
        saxpy(1.0, x, y)
        saxpy(1.0, memoryview(x), y, n=2)
        for args in ((1.0, x, y[:3]), (1.0, x, x.astype(float)), (1.0, x[::2], y)):
            with pytest.raises((TypeError, ValueError)):
                saxpy(*args)
        with pytest.raises(TypeError):
            fill(4, "x")

    assert block_growth(work) < 50


def packed(bound):
    """The same function, called through its packed entry."""
    function = jitffi.Function(bound)
    return jitffi.Function.from_packed(function.packed_address, self_handle=function.handle, keep_alive=bound)


def test_packed_callees_may_keep_what_they_get() -> None:
    kept = []

    @jitffi.convert
    def callee(n: int, x: jitffi.NDArray, y: jitffi.NDArray) -> float:
        kept.append(x)
        y[0] = n
        return 1.5

    function = jitffi.Function(callee)
    f = jitffi.Function.from_packed(
        function.packed_address, name="f", signature="(n: u64, x: const f64[n], y: f64[n]) -> f64",
        self_handle=function.handle, keep_alive=callee,
    )  # fmt: skip
    y = np.zeros(4)
    assert f(np.arange(4.0), y) == 1.5 and f(memoryview(np.arange(4.0)), y) == 1.5
    assert y.tolist() == [4, 0, 0, 0] and [x.numpy().tolist() for x in kept] == [[0, 1, 2, 3]] * 2
    assert "borrowed DLTensor" in fails(f, np.arange(4.0), memoryview(y))


def test_packed_entries_take_arrays_and_give_outs_back(lib) -> None:
    two = packed(lib.bind("two", "(a: i64, half: out[f64], next: out[i32]) -> i32"))
    assert two(9) == (9, 4.5, 10)
    assert fails(two, 1, 2) == "TypeError: two: expected 1 argument, got 2"
    fill = packed(lib.bind("fill", "(n: i32, x: out[f32[n]], first: f32) -> void"))
    assert fill(4, 1.5).numpy().tolist() == [1.5, 2.5, 3.5, 4.5] and fill(0, 1).shape == (0,)
    assert "argument 2 'x': an array has no negative length" in fails(fill, -1, 1.0)
    increment = packed(lib.bind("increment", "(x: inout[i64], flag: inout[bool]) -> void"))
    assert increment(41, False) == (42, True)
    saxpy = packed(lib.bind("saxpy", "(n: u64, a: f32, x: const f32[n], y: f32[n]) -> void"))
    x, y = (jitffi.from_dlpack(np.ones(4, np.float32)) for _ in range(2))
    saxpy(4, 2.0, x, y)
    saxpy(2, 2.0, x, y)
    assert y.numpy().tolist() == [5, 5, 3, 3]
    assert "argument 1 'n': expected at most 4, as 'x' has, got 5" in fails(saxpy, 5, 2.0, x, y)
    assert "argument 4 'y': n is 2 here and 4 in 'x'" in fails(saxpy, 4, 2.0, x, y[:2])
    assert "argument 4 'y': expected f32[n], got float32[2] with a stride" in fails(saxpy, 4, 2.0, x, y[::2])


def test_types_are_more_exact_than_a_prototype(lib):
    prototype = "double sum(uint64_t n, const double *x, int32_t inc);"
    total = lib.bind("sum", prototype, types={"x": "const f64[n @ inc]", "n": TYPES["u64"]})
    assert str(jitffi.Function(total).signature) == "(n: u64, x: const f64[n @ inc], inc: i32) -> f64"
    assert total(np.arange(6.0)[::2]) == pickle.loads(pickle.dumps(total))(np.arange(6.0)[::2]) == 6.0
    assert str(jitffi.Function(lib.bind("sum", prototype, types={})).signature) == (
        "(n: u64, x: optional[ptr[const f64]], inc: i32) -> f64"
    )


def test_types_are_said_of_declarations(lib):
    @lib.declare("double sum(uint64_t n, const double *x, int32_t inc);", types={"x": "const f64[n @ inc]"})
    def sum(x: np.ndarray) -> float: ...

    assert sum(np.arange(6.0)[::2]) == 6.0
    unsigned = {"n": "i64", "inc": "u32", "return": "void"}
    assert lib.bind("sum", "double sum(uint64_t n, const double *x, int32_t inc);", types=unsigned)(0, None, 1) is None


@pytest.mark.parametrize(
    ("types", "error", "message"),
    [
        ({"y": "i32"}, SignatureError, "sum: types names the parameter 'y', which is not there; there are 'n', 'x'"),
        ({"x": "f64[n"}, SignatureError, "expected ']' or ',' after the dimension, got the end"),
        ({"x": "void"}, ValueError, "sum: the type of parameter 'x': "),
        ({"x": 3}, TypeError, "sum: the type of parameter 'x': expected a Type for the parameter, got 3"),
        ({"n": "f64", "x": "f64[n]"}, SignatureError, "sum: "),
        ({"inc": "i64"}, SignatureError, "sum: types: 'inc' is i32, which C does not pass as i64"),
        ({"x": "bytes"}, SignatureError, "sum: types: 'x' is optional[ptr[const f64]], which C does not pass as bytes"),
        ({"x": "tensor[f64]"}, SignatureError, "sum: types: 'x' is optional[ptr[const f64]], which C does not pass as"),
        ({"return": "f32"}, SignatureError, "sum: types: 'return' is f64, which C does not pass as f32"),
    ],
)  # fmt: skip
def test_types_that_do_not_fit_are_named(lib, types, error, message):
    with pytest.raises(error, match=re.escape(message)):
        lib.bind("sum", "double sum(uint64_t n, const double *x, int32_t inc);", types=types)


def test_signatures_show_what_python_gets(lib) -> None:
    two = jitffi.Function(lib.bind("two", "(a: i64, half: out[f64], next: out[i64]) -> i64"))
    assert str(inspect.signature(two)) == "(a: int) -> tuple[int, float, int]"
    increment = jitffi.Function(lib.bind("increment", "(x: inout[i64], flag: inout[bool]) -> void"))
    assert str(inspect.signature(increment)).endswith("-> tuple[int, bool]")
