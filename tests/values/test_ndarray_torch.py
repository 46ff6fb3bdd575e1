"""Tensors of torch and arrays of JAX, where these are installed: `make test-torch` installs them."""

from __future__ import annotations

import gc

import numpy
import pytest
from support.leaks import assert_nothing_stays

import jitffi

NDArray, from_dlpack = jitffi.NDArray, jitffi.from_dlpack
NAMES = ("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bfloat16", "complex64", "bool")
SAXPY = """
    #include <stdint.h>
    void saxpy(uint64_t n, float a, const float *x, float *y) {
      for (uint64_t i = 0; i < n; i++) y[i] += a * x[i];
    }
"""


@pytest.fixture(scope="module")
def saxpy(build_library):
    return jitffi.load_library(build_library(SAXPY)).bind(
        "saxpy", "(n: u64, a: f32, x: const f32[n], y: f32[n]) -> void"
    )


# -- torch -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize("name", NAMES)
def test_tensors_and_back(torch, name):
    tensor = torch.zeros((3, 4), dtype=getattr(torch, name))
    mine = from_dlpack(tensor.T[1:])
    assert mine.shape == (3, 3) and mine.strides == (1, 4) and mine.dtype == name and not mine.readonly
    assert mine.address == tensor.T[1:].data_ptr()
    mine[0, 1] = True if name == "bool" else 1
    assert tensor[1, 1].item() == 1
    again = torch.from_dlpack(mine)
    assert again.data_ptr() == mine.address and again.dtype == tensor.dtype and again.stride() == (1, 4)
    del tensor, mine
    gc.collect()
    assert again[0, 1].item() == 1


def test_tensors_by_the_table(torch):
    """Through torch's table, where it has one; where it has not, through __dlpack__."""
    tensor = torch.arange(6.0).reshape(2, 3)
    if hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        tensor.__class__ = type("Deaf", (torch.Tensor,), {"__dlpack__": None})
    assert from_dlpack(tensor).tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    "make",
    [
        lambda torch: torch.zeros(3, requires_grad=True),
        lambda torch: torch.tensor([1 + 2j]).conj(),
        lambda torch: torch.tensor([1 + 2j]).conj().imag,
        lambda torch: torch.eye(3).to_sparse(),
        lambda torch: torch.zeros(3, device="meta"),
    ],
    ids=("requires_grad", "conjugate", "negative", "sparse", "meta"),
)
def test_tensors_whose_elements_are_not_in_memory(torch, make):
    with pytest.raises((BufferError, RuntimeError, TypeError, ValueError)):
        from_dlpack(make(torch))


def test_tensors_are_arguments(torch, saxpy):
    x, y = torch.arange(5, dtype=torch.float32), torch.ones(5)
    saxpy(2.0, x, y)
    assert y.tolist() == [1, 3, 5, 7, 9]
    saxpy(1.0, numpy.ones(5, "f4"), from_dlpack(y))
    assert y.tolist() == [2, 4, 6, 8, 10]
    for wrong in (x.double(), torch.zeros(10)[::2], x.reshape(5, 1), torch.zeros(4)):
        with pytest.raises((TypeError, ValueError), match="saxpy: argument 3 'y'|saxpy: argument 2 'y'"):
            saxpy(2.0, x, wrong)


def test_tensors_whose_elements_are_not_in_memory_are_no_arguments(torch, saxpy):
    y, part = torch.ones(1), torch.tensor([1 + 2j]).conj().imag
    with pytest.raises(BufferError, match=r"its elements are not what lies in its memory: take resolve_neg\(\)"):
        saxpy(1.0, part, y)
    saxpy(1.0, part.resolve_neg(), y)
    assert y.tolist() == [-1]


def test_tensors_leave_nothing(torch):
    def work():
        mine = from_dlpack(torch.zeros((3, 4)))
        torch.from_dlpack(mine[1:])
        torch.from_dlpack(NDArray.zeros((2, 3), "float32"))

    assert_nothing_stays(work)


# -- torch's tensors as tensor[...] --


SCALE = """
    #include <stdint.h>
    typedef struct { float* data; int32_t device[2], ndim; uint8_t code, bits; uint16_t lanes;
                     int64_t *shape, *strides; uint64_t byte_offset; } DLTensor;
    double scale(DLTensor* t, double by) {
      double sum = 0;
      for (int64_t i = 0; i < t->shape[0]; i++) sum += t->data[i * (t->strides ? t->strides[0] : 1)] *= by;
      return sum;
    }
    int32_t rank(const DLTensor* t) { return t->ndim; }
"""


@pytest.fixture(scope="module")
def scaling(build_library):
    return jitffi.load_library(build_library(SCALE))


def packed(builtin):
    made = jitffi.Function(builtin)
    return jitffi.Function.from_packed(made.packed_address, self_handle=made.handle, keep_alive=made)


def test_tensor_parameters_take_tensors(torch, scaling):
    scale = scaling.bind("scale", "(t: tensor[f32, n], by: f64) -> f64")
    for call in (scale, packed(scale)):
        tensor = torch.arange(12, dtype=torch.float32).reshape(3, 4)
        assert call(tensor[1], 2.0) == 44
        assert call(tensor[:, 1], 0.5) == (1 + 10 + 9) / 2
        assert tensor.tolist() == [[0, 0.5, 2, 3], [8, 5, 12, 14], [8, 4.5, 10, 11]]
        with pytest.raises(TypeError, match=r"got float64\[3\]"):
            call(torch.zeros(3, dtype=torch.float64), 1.0)
        with pytest.raises(ValueError, match=r"got float32\[3, 4\]"):
            call(tensor, 1.0)
    rank = scaling.bind("rank", "(t: tensor) -> i32")
    for name in NAMES:
        assert rank(torch.zeros((2,) * 5, dtype=getattr(torch, name))) == 5
    with pytest.raises(BufferError, match="resolve_conj"):
        rank(torch.zeros(3, dtype=torch.complex64).conj())


def test_callables_and_results_have_the_memory_of_tensors(torch):
    kept = []

    @jitffi.function("(t: tensor[f32, n]) -> tensor[f32, n]")
    def double(t):
        kept.append(t)
        t[0] = 7
        return torch.from_dlpack(t) * 2

    tensor = torch.zeros(3)
    for call in (double, packed(double)):
        result = call(tensor)
        assert type(result) is NDArray and result.tolist() == [14, 0, 0]
        assert tensor.tolist() == [7, 0, 0] and kept[-1].address == tensor.data_ptr()
        tensor[0] = 0
    del tensor
    gc.collect()
    assert kept[0].tolist() == [0, 0, 0]
    frozen = jitffi.function("(t: tensor[const f32]) -> bool")(lambda t: t.readonly)
    assert frozen(torch.zeros(3))


def test_tensor_arguments_leave_nothing(torch, scaling):
    scale = scaling.bind("scale", "(t: tensor[f32, n], by: f64) -> f64")
    same = jitffi.function("(t: tensor[f32]) -> tensor[f32]")(lambda t: t)
    tensor, wrong = torch.zeros(3), torch.zeros(3, dtype=torch.int32)

    def work():
        for call in (scale, packed(scale)):
            call(tensor, 2.0)
            with pytest.raises(TypeError):
                call(wrong, 2.0)
        same(tensor)
        packed(same)(tensor)

    assert_nothing_stays(work)


# -- JAX -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_platforms", "cpu")
    return jax


@pytest.mark.parametrize("name", ["uint8", "int32", "float16", "float32", "bfloat16", "complex64", "bool"])
def test_arrays_of_jax_and_back(jax, name):
    theirs = jax.numpy.zeros((3, 4), name)
    mine = from_dlpack(theirs)
    assert mine.shape == (3, 4) and mine.dtype == name and mine.device == jitffi.Device("cpu")
    assert mine.address == theirs.unsafe_buffer_pointer()
    again = jax.numpy.from_dlpack(NDArray.zeros((2, 3), name))
    assert again.shape == (2, 3) and again.dtype == theirs.dtype and not again.any()


def test_arrays_of_jax_are_arguments(jax, saxpy):
    x, y = jax.numpy.arange(5, dtype="float32"), numpy.ones(5, "f4")
    saxpy(2.0, x, y)
    assert y.tolist() == [1, 3, 5, 7, 9]


def test_arrays_of_jax_leave_nothing(jax):
    theirs = jax.numpy.zeros(3)
    assert_nothing_stays(lambda: from_dlpack(theirs)[1:])


def test_arrays_of_jax_are_tensors(jax, scaling):
    rank = scaling.bind("rank", "(t: tensor[const f32]) -> i32")
    theirs = jax.numpy.arange(6, dtype="float32").reshape(2, 3)
    assert rank(theirs) == packed(rank)(theirs) == 2
    made = jitffi.function("(t: tensor[const f32, 2, 3]) -> tensor[const f32, 2, 3]")(lambda t: theirs)(theirs)
    assert made.address == theirs.unsafe_buffer_pointer() and made.readonly
    assert made.tolist() == theirs.tolist()
