"""Arrays in a GPU's memory, where there is one: what CUDA's driver has allocated goes through untouched."""

from __future__ import annotations

import ctypes

import pytest
from support import dlpack

import jitffi

SHAPE = (4, 5)


@pytest.fixture
def driver():
    """CUDA's driver, its first device in use on this thread."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        pytest.skip("there is no driver of CUDA's")
    context = ctypes.c_void_p()
    if cuda.cuInit(0) or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) or cuda.cuCtxSetCurrent(context):
        pytest.skip("there is no device of CUDA's")
    yield cuda
    cuda.cuCtxSetCurrent(None)
    cuda.cuDevicePrimaryCtxRelease_v2(0)


def allocated(driver) -> ctypes.c_uint64:
    """Memory of the device that has 0.0 to 19.0 in it."""
    host = (ctypes.c_float * 20)(*range(20))
    size = ctypes.c_size_t(ctypes.sizeof(host))
    memory = ctypes.c_uint64()
    assert driver.cuMemAlloc_v2(ctypes.byref(memory), size) == 0
    assert driver.cuMemcpyHtoD_v2(memory, host, size) == 0
    return memory


def test_memory_of_a_gpu(driver):
    memory = allocated(driver)
    producer = dlpack.Producer(memory.value, SHAPE, device=(2, 0))
    mine = jitffi.from_dlpack(producer)
    assert mine.address == memory.value and mine.device == jitffi.Device("cuda:0")
    row = jitffi.convert(lambda array: array[2])(jitffi.List([mine])[0])
    capsule = row.__dlpack__(max_version=(1, 0))
    again = jitffi.from_dlpack(capsule)
    del mine, row, capsule
    back = (ctypes.c_float * 5)()
    assert driver.cuMemcpyDtoH_v2(back, ctypes.c_uint64(again.address), ctypes.c_size_t(ctypes.sizeof(back))) == 0
    assert list(back) == [10, 11, 12, 13, 14]
    with pytest.raises(BufferError, match="its elements are on cuda:0"):
        again.numpy()
    del again
    assert producer.deleted == 1 and driver.cuMemFree_v2(memory) == 0


SOURCE = """
#include <stdint.h>
typedef struct { uint64_t data; int32_t device, number, ndim; uint8_t code, bits; uint16_t lanes;
                 int64_t *shape, *strides; uint64_t byte_offset; } DLTensor;
uint64_t first(const DLTensor* t) { return t->device == 2 ? t->data + t->byte_offset : 0; }
"""


def test_tensors_of_a_gpu_are_arguments_and_results(driver, build_library):
    memory = allocated(driver)
    producer = dlpack.Producer(memory.value, SHAPE, device=(2, 0))
    lib = jitffi.load_library(build_library(SOURCE))
    for device in ("cuda", "any"):
        first = lib.bind("first", f"(x: tensor[f32, n, m, device={device}]) -> u64")
        made = jitffi.Function(first)
        packed = jitffi.Function.from_packed(made.packed_address, self_handle=made.handle, keep_alive=made)
        assert first(producer) == packed(producer) == first(jitffi.from_dlpack(producer)) == memory.value
    with pytest.raises(TypeError, match=r"got float32\[4, 5\] on cuda:0"):
        lib.bind("first", "(x: tensor[f32, device=rocm]) -> u64")(producer)
    with pytest.raises(TypeError, match="on cuda:0"):
        lib.bind("first", "(x: tensor[f32]) -> u64")(producer)
    same = jitffi.function("(x: tensor[f32, n, m, device=cuda]) -> tensor[f32, n, m, device=cuda]")(lambda x: x)
    result = same(producer)
    assert result.address == memory.value and result.device == jitffi.Device("cuda:0")
    del result
    assert driver.cuMemFree_v2(memory) == 0
