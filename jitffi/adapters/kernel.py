"""Code around the kernels of others: of LLVM IR, and of object files. Loads LLVM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jitffi.adapters import adapter
from jitffi.adapters.unit import Unit, assemble, define_version
from jitffi.base import layout
from jitffi.base.symbol_names import KERNEL_ENTRY
from jitffi.conventions import c
from jitffi.conventions.base import Options
from jitffi.ir.linkage import Beside
from jitffi.link import flat
from jitffi.llvm import codegen, kernels, object_files
from jitffi.llvm.target import HOST, TargetError

if TYPE_CHECKING:
    from jitffi.signature.model import Signature

#: LLVM's level: kernels are made once and kept.
_LEVEL = 3


def text(ir: str, name: str, sig: Signature, options: str) -> str:
    """The IR of both. TypeError where a convention cannot carry the signature, KernelError for what is no such IR."""
    linkage = Beside(layout.HOST, name)
    conventions = adapter.convention("python"), adapter.convention("c")
    entry = adapter.build_adapter(KERNEL_ENTRY, sig, *conventions, Options.of(options), layout.HOST, linkage=linkage)
    module = codegen.module_text(f"{linkage.declaration}\n\n{entry}")
    return kernels.join(ir, name, c.function_type(linkage.abi, sig), module)


def compiled(ir: str, name: str, sig: Signature, options: str, form: str) -> bytes:
    """The code of both, for this CPU, in a form of `object_files`."""
    joined = text(ir, name, sig, options)
    try:
        return object_files.compile_text(joined, HOST, _LEVEL, form, kernels.is_plain(ir))
    except TargetError as error:
        raise kernels.KernelError(f"{name}: {error}") from None


def image(ir: str, name: str, sig: Signature, options: str) -> bytes:
    """The image of both. OSError where it cannot be linked in memory."""
    return flat.flatten(compiled(ir, name, sig, options, "o"), f"{name}: the kernel")


def packed_entries(sigs: dict[str, Signature]) -> bytes:
    """An object file of packed entries that call the C functions of those names. TypeError, naming the function, where
    C cannot carry a signature."""
    unit = Unit(HOST.abi, catches=object_files.catches(HOST))
    for name, sig in sigs.items():
        try:
            unit.entry(name, sig, "packed", "c", name, Options(defaults=sig.has_defaults))
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
    define_version(unit, HOST)
    return object_files.compile_text(assemble(unit, HOST), HOST, 2, "o")
