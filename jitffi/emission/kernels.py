"""Kernels among what `emit` writes: C functions that the file itself has, where a signature's is another file's.

entry packed     the kernel, and the packed entry that it is inlined into
entry c          the kernel
others           the kernel, and beside it an entry that calls it
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jitffi.conventions import c
from jitffi.emission import adapter_modules
from jitffi.llvm import kernels

if TYPE_CHECKING:
    from jitffi.api.kernels import Kernel
    from jitffi.llvm.target import Target


def kernel_of(function: Any) -> Kernel | None:
    """The kernel that something to be emitted is; None where it is none."""
    from jitffi import _core

    found = _core.function_of(function)
    return None if found is None else found.__dict__.get("_kernel")


def text(kernel: Kernel, entry: str, target: Target, pad: int) -> str:
    """The IR of the module of a kernel. KernelError where the IR is not for that target."""
    name, sig = kernel.name, kernel.sig
    own = {name: sig} if entry == "packed" else {}
    adapters = adapter_modules.module_text(own, entry="packed", callee="c", target=target, pad=pad)
    return kernels.join(kernel.ir, name, c.function_type(target.abi, sig), adapters, target)
