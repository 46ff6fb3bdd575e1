"""Tensors as arguments of C functions: what DLTensor arrives, what fills in integers, and how calls fail."""

from __future__ import annotations

import contextlib
import ctypes
from pathlib import Path

import numpy as np
import pytest
from support.extension import HOST, compile_c, extension, linker, load
from support.leaks import assert_nothing_stays

import jitffi
from jitffi.signature import spelling
from jitffi.signature.model import Signature

SOURCE = """
#include <stdint.h>
typedef struct { void* data; int32_t device, device_id, ndim; uint8_t code, bits; uint16_t lanes;
                 int64_t *shape, *strides; uint64_t byte_offset; } DLTensor;
/* -1: where there is none. */
void look(const DLTensor* t, int64_t* out) {
  int64_t head[] = {(int64_t)t->data, t->device, t->device_id, t->ndim, t->code, t->bits, t->lanes,
                    (int64_t)t->byte_offset};
  for (int i = 0; i < 8; i++) out[i] = head[i];
  for (int i = 0; i < t->ndim; i++) out[8 + i] = t->shape[i], out[8 + t->ndim + i] = t->strides ? t->strides[i] : -1;
}
double sum(int32_t n, const DLTensor* t) {
  double s = 0;
  for (int32_t i = 0; i < n; i++) s += ((double*)t->data)[i * (t->strides ? t->strides[0] : 1)];
  return s;
}
void scale(DLTensor* t, const float* by, int64_t n) {
  for (int64_t i = 0; i < n; i++) ((float*)t->data)[i] *= by[i];
}
int32_t rank(const DLTensor* t) { return t ? t->ndim : -1; }
double apply(double (*f)(DLTensor*), DLTensor* t) { return f(t); }
"""


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> jitffi.Library:
    folder: Path = tmp_path_factory.mktemp("tensors")
    linker.link([compile_c(folder / "tensors.o", SOURCE)], folder / "tensors.so", kind="so", target=HOST)
    return jitffi.load_library(folder / "tensors.so")


def look(lib, type_: str, value) -> list[int]:
    out = np.full(8 + 2 * 64, -7)
    lib.bind("look", f"({type_}, i64[*]) -> void")(value, out)
    return out[: 8 + 2 * out[3]].tolist()


def fails(call, *args, **kwargs) -> str:
    with pytest.raises((TypeError, ValueError, OverflowError)) as caught:
        call(*args, **kwargs)
    return f"{type(caught.value).__name__}: {caught.value}"


TYPES = ["tensor", "tensor[f32]", "tensor[f32, n, 4]", "tensor[const f32, *, *]", "tensor[f32, 3, 4, order=C]",
         "tensor[f32, *, *, device=any]", "tensor[device=any]", "optional[tensor[f32, n, m]]"]  # fmt: skip


@pytest.mark.parametrize("type_", TYPES)
def test_what_arrives_from_each_kind_of_array(lib, type_) -> None:
    made = np.arange(12, dtype=np.float32).reshape(3, 4)
    own = jitffi.from_dlpack(made)
    expected = [made.ctypes.data, 1, 0, 2, 2, 32, 1, 0, 3, 4, -1, -1]
    for form in (made, own, memoryview(made), made.view(np.matrix)):
        assert look(lib, type_, form) == expected


@pytest.mark.parametrize("type_", [t for t in TYPES if "order" not in t])
def test_strides_are_in_elements(lib, type_) -> None:
    made = np.zeros((4, 3), np.float32)
    assert look(lib, type_, made.T)[8:] == [3, 4, 1, 3]
    wide = np.zeros((6, 8), np.float32)[::-2, ::2]
    assert look(lib, type_, wide)[8:] == [3, 4, -16, 2]
    assert look(lib, type_, wide)[0] == wide.ctypes.data
    assert look(lib, type_, jitffi.from_dlpack(made.T))[8:] == [3, 4, 1, 3]
    assert look(lib, type_, np.broadcast_to(np.float32(1), (3, 4)).copy("K"))[8:10] == [3, 4]


def test_any_rank_and_element(lib) -> None:
    assert look(lib, "tensor", np.zeros((), np.complex64))[3:] == [0, 5, 64, 1, 0]
    assert look(lib, "tensor", np.zeros((2, 0, 3), bool))[3:] == [3, 6, 8, 1, 0, 2, 0, 3, -1, -1, -1]
    assert look(lib, "tensor[f64]", np.zeros((1,) * 32))[3] == 32
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        assert look(lib, "tensor", np.zeros((1,) * 64))[3] == 64


class Tensor:
    """What DLPack says of a tensor that need not be NumPy's, on a device of any type."""

    def __init__(self, made: np.ndarray, device: tuple[int, int], offset: int = 0) -> None:
        self.made, self.device, self.offset = made, device, offset

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **options: object) -> object:
        capsule = self.made.__dlpack__()
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        at = get(capsule, b"dltensor")
        (ctypes.c_int32 * 2).from_address(at + 8)[:] = self.device
        data = ctypes.c_uint64.from_address(at)
        data.value -= self.offset
        ctypes.c_uint64.from_address(at + 40).value += self.offset
        return capsule


def test_other_devices(lib) -> None:
    made = np.zeros((3, 4), np.float32)
    there = Tensor(made, (2, 1), 16)
    expected = [made.ctypes.data - 16, 2, 1, 2, 2, 32, 1, 16, 3, 4]
    for type_ in ("tensor[f32, n, m, device=cuda]", "tensor[device=any]", "tensor[f32, 3, 4, device=any]"):
        assert look(lib, type_, there)[:10] == expected
    rank = lib.bind("rank", "(tensor[f32, n, m]) -> i32")
    assert "TypeError: rank: argument 1: expected tensor[f32, n, m], got" in fails(rank, there)
    assert "on cuda:1" in fails(rank, there)
    rank = lib.bind("rank", "(tensor[f32, device=rocm]) -> i32")
    assert fails(rank, there).endswith("expected tensor[f32, device=rocm], got float32[3, 4] on cuda:1")
    assert fails(rank, made).endswith("expected tensor[f32, device=rocm], got float32[3, 4] on cpu:0")
    assert rank(Tensor(made, (10, 0))) == 2


def test_lengths_agree_and_fill_in_integers(lib) -> None:
    total = lib.bind("sum", "(n: i32, x: tensor[const f64, n]) -> f64")
    values = np.arange(10.0)
    assert total(values) == 45
    assert total(values[::3]) == total(x=values[::-3]) == 18
    assert total(values, n=2) == 1
    assert fails(total, values, n=11) == "ValueError: sum: argument 'n': expected at most 10, as 'x' has, got 11"
    scale = lib.bind("scale", "(t: tensor[f32, k, order=C], by: const f32[k], k: i64) -> void")
    made = np.ones(3, np.float32)
    scale(made, np.arange(3, dtype=np.float32))
    assert made.tolist() == [0, 1, 2]
    assert fails(scale, made, made[:2]) == "ValueError: scale: argument 2 'by': k is 2 here and 3 in 't'"
    fixed = lib.bind("rank", "(tensor[f32, 4]) -> i32")
    assert fails(fixed, made) == "ValueError: rank: argument 1: expected tensor[f32, 4], got float32[3]"


def test_what_does_not_fit_is_said_as_of_arrays(lib) -> None:
    rank = lib.bind("rank", "(tensor[f32, n, m]) -> i32")
    start = "rank: argument 1: expected tensor[f32, n, m], got "
    frozen = np.zeros((2, 3), np.float32)
    frozen.flags.writeable = False
    odd = np.zeros(4, [("a", "u1"), ("b", "f4", (3,))])["b"]
    assert fails(rank, np.zeros((2, 3))) == f"TypeError: {start}float64[2, 3]"
    assert fails(rank, np.zeros((2, 3), ">f4")) == f"TypeError: {start}big-endian float32[2, 3]"
    assert fails(rank, frozen) == f"TypeError: {start}read-only float32[2, 3]"
    assert fails(rank, np.zeros(3, np.float32)) == f"ValueError: {start}float32[3]"
    assert "bytes, expected whole elements: copy it" in fails(rank, odd)
    for value in (None, 1, 2.5, "x", [1.0], object()):
        assert fails(rank, value).startswith(f"TypeError: {start}")
    ordered = lib.bind("rank", "(tensor[f32, n, m, order=C]) -> i32")
    assert "float32[2, 3] in Fortran order, expected C order" in fails(ordered, np.zeros((2, 3), np.float32, order="F"))
    anything = lib.bind("rank", "(tensor) -> i32")
    for value in (np.zeros(3, object), np.zeros(3, ">i4"), np.zeros(3, "M8[s]"), np.zeros(3, "S4")):
        assert fails(anything, value).startswith("TypeError: rank: argument 1: expected tensor, got ")
    pointer = ctypes.pointer(ctypes.c_float(1))
    assert fails(anything, pointer) == "ValueError: rank: argument 1: expected tensor, got LP_c_float"
    optional = lib.bind("rank", "(optional[tensor[f32, n]]) -> i32")
    assert optional(None) == -1
    assert optional(np.zeros(2, np.float32)) == 1


def test_emitted_modules_and_c_declarations(tmp_path) -> None:
    texts = {
        "rank": "(t: tensor[const f32, n, m]) -> i32",
        "sum": "(n: i32, x: tensor[const f64, n]) -> f64",
        "look": "(tensor[device=any], i64[*]) -> void",
        "scale": "(tensor[f32, k], f32[k], k: i64) -> void",
        "apply": "(f: func[(tensor[f64, *]) -> f64], t: tensor[f64]) -> f64",
    }
    module = load(extension(tmp_path, "tensors", texts, SOURCE))
    assert module.rank(np.zeros((2, 3), np.float32)) == 2
    assert module.sum(np.arange(10.0)[::3]) == 18
    values = np.arange(4.0)

    def total(t):
        t[0] = 5.0
        return sum(t.tolist())

    assert module.apply(total, values) == values.sum() == 11
    assert "expected tensor[f64, *], got float64[2, 2]" in fails(module.apply, total, values.reshape(2, 2))
    assert "expected tensor[const f32, n, m], got float64[3]" in fails(module.rank, np.zeros(3))
    assert spelling.prototype("f", Signature.parse(texts["rank"])) == "int32_t f(const DLTensor* t)"
    result = spelling.prototype("f", Signature.parse("(t: optional[tensor]) -> optional[tensor[const f32, 4]]"))
    assert result == "jf_object* f(DLTensor* t)"
    assert spelling.headers(["int32_t f(const DLTensor* t);"]) == ["<dlpack/dlpack.h>", "<stdint.h>"]


def test_calls_leave_nothing_behind(lib) -> None:
    rank = lib.bind("rank", "(tensor[f32, n, m, device=any]) -> i32")
    made = np.zeros((3, 4), np.float32)
    forms = [
        made,
        made.T,
        jitffi.from_dlpack(made),
        Tensor(made, (2, 0)),
        made.tolist(),
        np.zeros(3),
        Tensor(made[0], (2, 0)),
    ]

    def calls() -> None:
        for form in forms:
            with contextlib.suppress(TypeError, ValueError):
                rank(form)

    assert_nothing_stays(calls)
