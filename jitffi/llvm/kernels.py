"""Kernels: modules of LLVM IR that others have made, and the adapters that call a function of them.

IR  --read-->  for this target, one function visible         what it says of a CPU is left out
    --join-->  one module with the adapter, into which a kernel is inlined that is not large
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

import llvmlite.binding as llvm

from jitffi.base.apart import apart
from jitffi.base.errors import ArgumentError, nearest
from jitffi.llvm.target import HOST, LOCK

if TYPE_CHECKING:
    from jitffi.llvm.target import Target

#: Lines of a function's IR up to which it is inlined: of more the call is no part worth speaking of, and the entry
#: would be a second copy of the code.
_INLINED = 400
_TRIPLE = re.compile(r'^target triple = "([^"]*)"', re.MULTILINE)
#: What is said of the machine: of the module, and of its functions. Both are for the target's to say.
_OF_MACHINE = re.compile(
    r'^target (?:triple|datalayout) = "[^"]*"|"(?:target-cpu|target-features|tune-cpu)"="[^"]*"', re.MULTILINE
)
#: Types of results that may be left where they are returned.
_IGNORED = ("i1", "i8", "i16", "i32", "i64", "ptr", "float", "double")
#: Where LLVM's messages have the number of a line, of which the first is ours.
_LINE = re.compile(r"^<string>:(\d+):", re.MULTILINE)
#: What LLVM ends the process over where a machine does not have it, instead of saying so.
_NOT_EVERYWHERE = re.compile(
    r"\basm\b|\bvscale\b|\baddrspace\(|\b(?:ppc_fp128|x86_amx|x86_mmx|token)\b|\btarget\(|\bgc \"|\bcc \d|\bifunc\b|"
    r"\bcallbr\b|\bcleanuppad\b|\bcatch(?:pad|switch)\b|\b(?:swift|amdgpu_|ptx_|spir_|aarch64_)\w+|"
    r"@llvm\.(?:aarch64|amdgcn|arm|bpf|experimental|hexagon|mips|nvvm|ppc|r600|riscv|s390|spv|ve|wasm|x86|xcore)\."
)


class KernelError(ArgumentError):
    """IR that is none, or not what is said of it."""


def is_plain(text: str) -> bool:
    """Whether LLVM compiles it for every machine, or says what is wrong with it.

    >>> is_plain("define void @f() { ret void }"), is_plain("declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()")
    (True, False)
    """
    return _NOT_EVERYWHERE.search(text) is None


@apart
def join(kernel: str, name: str, type_: str, adapter: str, target: Target = HOST) -> str:
    """Return the IR of one module of both. *type_* is what the function *name* of *kernel* has to be; *adapter*, a
    module for *target*, declares it. KernelError for IR that is none or has no such function."""
    for triple in _TRIPLE.findall(kernel):
        arch = triple.partition("-")[0]
        if arch not in ("", "unknown", target.triple.partition("-")[0]):
            raise KernelError(f"{name}: the IR is for {triple}, and is compiled for {target.triple}")
    if "\0" in kernel:
        raise KernelError(f"{name}: no LLVM IR: there is a null character in it")
    if not name.isprintable() or set(name) & set('"\\'):
        raise KernelError(f"{name!r}: a kernel's name has no quotes, backslashes or control characters")
    head = f'target datalayout = "{target.data_layout}" target triple = "{target.triple}"\n'
    with LOCK, contextlib.ExitStack() as kept:  # what is of a context must end before it
        context = llvm.create_context()  # as object_files has it
        kept.callback(context.close)
        try:
            module = llvm.parse_assembly(head + _OF_MACHINE.sub("", kernel), context)
            kept.callback(module.close)
            module.verify()
        except RuntimeError as error:
            said = _LINE.sub(lambda found: f"line {int(found[1]) - 1}, column ", str(error)).strip()
            raise KernelError(f"{name}: no LLVM IR: {said}") from None
        result = _check(module, name, type_)
        if result != "void":  # by its own type, or LLVM takes the call for one that is never made
            adapter = adapter.replace(f' void @"{name}"(', f' {result} @"{name}"(')
        joined = llvm.parse_assembly(adapter, context)
        kept.callback(joined.close)
        try:
            joined.link_in(module)
            joined.verify()
        except RuntimeError as error:
            raise KernelError(f"{name}: the IR cannot be joined with its adapter: {error}") from None
        return str(joined)


def _check(module: llvm.ModuleRef, name: str, type_: str) -> str:
    """Check that the function is there, and let nobody else see the others. Return the type of its result, which is
    not looked at where there is to be none: functions of numba's give a pointer."""
    functions = [each for each in module.functions if not each.is_declaration]
    function = next((each for each in functions if each.name == name), None)
    if function is None:
        known = [each.name for each in functions]
        raise KernelError(f"{name}: the IR defines no such function; {nearest(name, known) or f'it has: {known}'}")
    result, _, params = type_.partition(" ")
    own = str(function.global_value_type).removesuffix(params).rstrip()
    if own != result and not (result == "void" and own in _IGNORED):
        raise KernelError(f"{name}: its signature means {type_}, and the IR has {function.global_value_type}")
    for each in (*functions, *module.global_variables):
        if each.name == "llvm.global_ctors" or each.name == "llvm.global_dtors":
            raise KernelError(f"{name}: the IR has constructors, which load_module runs for an object file")
        if each.linkage == llvm.Linkage.external and not each.is_declaration and each.name != name:
            each.linkage = "internal"
    function.linkage = "external"
    text = str(function)
    # Attributes that are in groups of the module, too, stand before its body.
    if "noinline" not in text.partition("{")[0] and text.count("\n") <= _INLINED:
        function.add_function_attribute("alwaysinline")
    return own
