"""Arrays in the memory of a CUDA device, of torch and CuPy: passed on without a copy, and never read by the CPU.

Skipped where there is no such device.
"""

from __future__ import annotations

import copy
import gc
import operator
import pickle

import numpy
import pytest
from support.leaks import assert_nothing_stays

import jitffi

NDArray, from_dlpack = jitffi.NDArray, jitffi.from_dlpack
SEEN = """
    #include <stdint.h>
    typedef struct { void* data; int32_t device[2], ndim; uint8_t code, bits; uint16_t lanes;
                     int64_t *shape, *strides; uint64_t byte_offset; } DLTensor;
    int64_t device_of(const DLTensor* t) { return t->device[0] * 100 + t->device[1]; }
    uint64_t address_of(const DLTensor* t) { return (uint64_t)(uintptr_t)t->data + t->byte_offset; }
    double sum(uint64_t n, const float* x) { double all = 0; for (uint64_t i = 0; i < n; i++) all += x[i]; return all; }
"""
#: x[i] *= by, for PTX ISA 7.0 and any device from sm_70 on.
KERNEL = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 x, .param .f32 by, .param .u32 n) {
  .reg .pred %p; .reg .f32 %f<3>; .reg .b32 %r<5>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [x]; ld.param.f32 %f1, [by]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r2, %r2, %r3, %r4;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra done;
  cvta.to.global.u64 %d1, %d1;
  mul.wide.u32 %d2, %r2, 4;
  add.s64 %d3, %d1, %d2;
  ld.global.f32 %f2, [%d3];
  mul.f32 %f2, %f2, %f1;
  st.global.f32 [%d3], %f2;
done:
  ret;
}
"""


@pytest.fixture(scope="module")
def torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    return torch


@pytest.fixture(scope="module")
def seen(build_library):
    return jitffi.load_library(build_library(SEEN))


def test_tensors_and_back(torch):
    tensor = torch.arange(12.0, device="cuda").reshape(3, 4)
    mine = from_dlpack(tensor.T[1:])
    assert str(mine.device) == "cuda:0" and mine.shape == (3, 3) and mine.strides == (1, 4)
    assert mine.address == tensor.T[1:].data_ptr() and mine.dtype == "float32"
    again = torch.from_dlpack(mine)
    assert again.device == tensor.device and again.data_ptr() == mine.address
    del tensor, mine
    gc.collect()
    assert again[0, 1].item() == 5


def test_cupy_and_back(torch):
    cupy = pytest.importorskip("cupy")
    theirs = cupy.arange(6, dtype="float32").reshape(2, 3)
    mine = from_dlpack(theirs)
    assert str(mine.device) == "cuda:0" and mine.address == theirs.data.ptr
    assert cupy.from_dlpack(mine).sum().item() == 15
    assert torch.from_dlpack(mine).sum().item() == 15


def test_the_cpu_does_not_read_it(torch):
    """Whatever would read elements is refused, and says where they are."""
    mine = from_dlpack(torch.zeros((2, 3), device="cuda"))
    other = from_dlpack(torch.zeros((2, 3), device="cuda"))
    readers = (
        NDArray.tolist, list, numpy.asarray, memoryview, pickle.dumps, copy.deepcopy, jitffi.to_json,
        jitffi.to_bytes,
        lambda a: a[0, 0], lambda a: a[0].tolist(), lambda a: operator.setitem(a, (0, 0), 1.0), lambda a: 1.0 in a,
    )  # fmt: skip
    said = []
    for read in readers:
        try:
            said.append(repr(read(mine)))
        except (BufferError, TypeError, ValueError, RuntimeError) as error:
            said.append(str(error))
    assert [number for number, each in enumerate(said) if "cuda" not in each.lower()] == [], said
    assert "cuda" in repr(mine)
    assert jitffi.structural_equal(mine, mine) and not jitffi.structural_equal(mine, other)
    assert (
        copy.copy(mine).address == mine.address
        and jitffi.List([mine])[0] is mine
        and mine[1:].address == mine.address + 12
    )


def test_arguments(torch, seen):
    tensor = torch.arange(6.0, device="cuda")
    for call in (
        "(t: tensor[f32, n, device=cuda]) -> i64",
        "(t: tensor[device=any]) -> i64",
        "(t: tensor[const f32, device=any]) -> i64",
    ):
        assert seen.bind("device_of", call)(tensor) == 200
    address = seen.bind("address_of", "(t: tensor[f32, device=cuda]) -> u64")
    assert address(tensor[2:]) == tensor.data_ptr() + 8 == address(from_dlpack(tensor)[2:])
    with pytest.raises((TypeError, ValueError), match=r"got float32\[6\] on cuda:0"):
        seen.bind("address_of", "(t: tensor[f32]) -> u64")(tensor)
    with pytest.raises((TypeError, ValueError), match=r"device=cuda.*got float32\[2\]"):
        address(torch.zeros(2))
    for given in (tensor, from_dlpack(tensor)):
        with pytest.raises((TypeError, ValueError), match="sum: argument 1 'x'.*cuda:0"):
            seen.bind("sum", "(n: u64, x: const f32[n]) -> f64")(given)


def test_pinned_memory_is_the_cpus(torch, seen):
    pinned = torch.ones(5).pin_memory()
    assert seen.bind("sum", "(n: u64, x: const f32[n]) -> f64")(pinned) == 5
    assert from_dlpack(pinned).tolist() == [1] * 5


def test_callables_get_it(torch):
    kept = []

    @jitffi.function("(t: tensor[f32, n, device=cuda]) -> tensor[f32, n, device=cuda]")
    def double(t):
        kept.append(t)
        return torch.from_dlpack(t) * 2

    made = jitffi.Function(double)
    packed = jitffi.Function.from_packed(made.packed_address, self_handle=made.handle, keep_alive=made)
    tensor = torch.ones(3, device="cuda")
    for call in (double, packed):
        result = call(tensor)
        assert str(result.device) == "cuda:0" and torch.from_dlpack(result).tolist() == [2, 2, 2]
        assert kept.pop().address == tensor.data_ptr()


def test_a_kernel_is_launched_through_the_driver(torch):
    """The driver's functions, bound like those of any library, run a kernel on a tensor's memory."""
    driver = jitffi.load_library("libcuda.so.1")
    load = driver.bind("cuModuleLoadData", "(module: out[ptr], image: cstr) -> i32")
    find = driver.bind("cuModuleGetFunction", "(function: out[ptr], module: ptr, name: cstr) -> i32")
    launch = driver.bind(
        "cuLaunchKernel",
        "(function: ptr, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32, stream: ptr, "
        "params: const u64[3], extra: ptr) -> i32",
        nogil=True,
    )
    tensor = torch.arange(1000.0, device="cuda")  # which makes the context that the driver uses
    status, module = load(KERNEL)
    assert status == 0
    status, function = find(module, "scale")
    assert status == 0
    x, by, n = numpy.array([tensor.data_ptr()], "u8"), numpy.array([3], "f4"), numpy.array([1000], "u4")
    params = numpy.array([each.ctypes.data for each in (x, by, n)], "u8")
    stream = torch.cuda.current_stream().cuda_stream
    assert launch(function, 4, 1, 1, 256, 1, 1, 0, stream, params, None) == 0
    torch.cuda.synchronize()
    assert tensor.tolist() == [3.0 * i for i in range(1000)]


def test_nothing_stays(torch, seen):
    address = seen.bind("address_of", "(t: tensor[f32, device=cuda]) -> u64")
    tensor, wrong = torch.zeros(3, device="cuda"), torch.zeros(3)

    def work():
        torch.from_dlpack(from_dlpack(tensor)[1:])
        address(tensor)
        with pytest.raises((TypeError, ValueError)):
            address(wrong)

    assert_nothing_stays(work)
