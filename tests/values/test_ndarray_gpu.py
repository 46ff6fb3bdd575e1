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


def test_memory_of_a_gpu(driver):
    host = (ctypes.c_float * 20)(*range(20))
    size = ctypes.c_size_t(ctypes.sizeof(host))
    memory = ctypes.c_uint64()
    assert driver.cuMemAlloc_v2(ctypes.byref(memory), size) == 0
    assert driver.cuMemcpyHtoD_v2(memory, host, size) == 0
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
