"""The devices that tensors may be on, by the names that signatures have for them."""

from __future__ import annotations

#: Their numbers (dlpack.h 1.1, DLDeviceType); -1 stands for all of them.
DEVICES = {
    "any": -1, "cpu": 1, "cuda": 2, "cuda_host": 3, "opencl": 4, "vulkan": 7, "metal": 8, "vpi": 9, "rocm": 10,
    "rocm_host": 11, "ext_dev": 12, "cuda_managed": 13, "oneapi": 14, "webgpu": 15, "hexagon": 16, "maia": 17,
    "trn": 18,
}  # fmt: skip
