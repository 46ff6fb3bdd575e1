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
