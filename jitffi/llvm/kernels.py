"""Kernels: modules of LLVM IR that others have made, and the adapters that call a function of them.

IR  --own-->   for this target, one C function of it visible      what it says of a CPU is left out
    --join-->  one module with the adapter, into which a kernel is inlined that is not large
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

import llvmlite.binding as llvm

from jitffi.base.apart import apart
from jitffi.base.errors import ArgumentError, nearest
from jitffi.base.symbol_names import KERNEL_ENTRY, PERSONALITY
from jitffi.llvm.target import HOST, LOCK

if TYPE_CHECKING:
    from jitffi.llvm.target import Target

#: Lines of a function's IR up to which it is inlined: of more the call is no part worth speaking of, and the entry
#: would be a second copy of the code.
_INLINED = 400
_TRIPLE = re.compile(r'^\s*target\s+triple\s*=\s*"([^"]*)"', re.MULTILINE)
#: What is said of the machine: of the module, and of its functions. Both are for the target's to say.
_OF_MACHINE = re.compile(
    r'^[ \t]*target\s+(?:triple|datalayout)\s*=\s*"[^"]*"|"(?:target-cpu|target-features|tune-cpu)"="[^"]*"', re.M
)
#: In what LLVM prints: which of equal definitions a linker keeps, which is nobody's business where all are local.
_COMDATS = re.compile(
    r"^\$.* = comdat \w+\n|(?<=^define )(?P<function>.*?) comdat(?:\(\$[^)]*\))?(?=[^\"\n]*\{$)"
    r"|^(?P<variable>@.*), comdat(?:\(\$[^)]*\))?(?=(?:, align \d+)?(?:, ![\w.]+ !\d+)*(?: #\d+)?$)",
    re.MULTILINE,
)
#: In a function's head: another convention than C's.
_CONVENTION = re.compile(r"\b(\w+cc|cc\s*\d+|\w+_pcs|(?:amdgpu|ptx|spir)_\w+|\w+_vector_cc\w*)\b")
#: Results that may be left where they are returned.
_IGNORED = ("i1", "i8", "i16", "i32", "i64", "ptr", "float", "double")
#: Definitions that nobody outside sees anyway, or that are none.
_LOCAL = (llvm.Linkage.internal, llvm.Linkage.private, llvm.Linkage.available_externally, llvm.Linkage.appending)
#: What runs before anybody calls the kernel.
_CONSTRUCTORS = re.compile(r'^@llvm\.global_[cd]tors\b|\bsection "\.(?:(?:pre)?init_array|fini_array|[cd]tors)', re.M)
#: Where LLVM's messages have the number of a line, of which the first is ours.
_LINE = re.compile(r"^<string>:(\d+):", re.MULTILINE)
#: What LLVM ends the process over where a machine does not have it, instead of saying so.
_NOT_EVERYWHERE = re.compile(
    r"\basm\b|\bvscale\b|\baddrspace\(|\b(?:ppc_fp128|x86_amx|x86_mmx|token)\b|\btarget\(|\bgc \"|\bcc \d|\bifunc\b|"
    r"\bcallbr\b|\bcleanuppad\b|\bcatch(?:pad|switch)\b|\b(?:swift|amdgpu_|ptx_|spir_|aarch64_)\w+|"
    r"@llvm\.(?:read|write)_(?:volatile_)?register\b|"
    r"@llvm\.(?:aarch64|amdgcn|arm|bpf|experimental|hexagon|mips|nvvm|ppc|r600|riscv|s390|spv|ve|wasm|x86|xcore)\."
)


class KernelError(ArgumentError):
    """IR that is none, or not what is said of it."""


def is_plain(text: str) -> bool:
    """Whether LLVM compiles it for this machine, or says what is wrong with it.

    >>> is_plain("define void @f() { ret void }"), is_plain("declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()")
    (True, False)
    """
    return _NOT_EVERYWHERE.search(text) is None


@apart
def join(kernel: str, name: str, type_: str, adapter: str, target: Target = HOST) -> str:
    """Return the IR of one module of both. *type_* is what the function *name* of *kernel* has to be, as LLVM writes a
    call's; *adapter*, a module for *target*, declares it. KernelError for IR that is none or has no such function."""
    _check_text(kernel, name, target)
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
        text, result = _own(module, name, type_)
        try:
            own = llvm.parse_assembly(text, context)
            kept.callback(own.close)
            # By its own type, or LLVM takes the call for one that is never made.
            joined = llvm.parse_assembly(adapter.replace(f' void @"{name}"(', f' {result} @"{name}"('), context)
            kept.callback(joined.close)
            joined.link_in(own)
            joined.verify()
        except RuntimeError as error:
            raise KernelError(f"{name}: the IR cannot be joined with its adapter: {error}") from None
        return str(joined)


def _check_text(kernel: str, name: str, target: Target) -> None:
    """KernelError for what is wrong before it is read."""
    if not name or not name.isprintable() or set(name) & set('"\\'):
        raise KernelError(f"{name!r}: a kernel has a name, without quotes, backslashes and control characters")
    if "\0" in kernel or any("\ud800" <= char <= "\udfff" for char in kernel):
        raise KernelError(f"{name}: no LLVM IR: there is a null character or a lone surrogate in it")
    for reserved in (KERNEL_ENTRY, PERSONALITY):
        if reserved in kernel:
            raise KernelError(f"{name}: the IR has the name {reserved}, which is jitffi's own")
    for triple in _TRIPLE.findall(kernel):
        arch = triple.partition("-")[0]
        if arch not in ("", "unknown", target.triple.partition("-")[0]):
            raise KernelError(f"{name}: the IR is for {triple}, and is compiled for {target.triple}")


def _own(module: llvm.ModuleRef, name: str, type_: str) -> tuple[str, str]:
    """Return the module's text with one C function that others see, *name*, and the type of its result, which is not
    looked at where there is to be none: functions of numba's give a pointer."""
    functions = [each for each in module.functions if not each.is_declaration]
    function = next((each for each in functions if each.name == name), None)
    if function is None:
        known = [each.name for each in functions]
        raise KernelError(f"{name}: the IR defines no such function; {nearest(name, known) or _listed(known)}")
    of_result, _, params = type_.partition(" (")
    *attributes, wanted = of_result.split()
    found = str(function.global_value_type)
    result = found.removesuffix(f" ({params}")
    if result != wanted and not (wanted == "void" and result in _IGNORED):
        raise KernelError(f"{name}: its signature means {wanted} ({params}, and the IR has {found}")
    for each in (*functions, *module.global_variables):
        if not each.is_declaration and each.linkage not in _LOCAL and each.name != name:
            each.linkage = "internal"
    function.linkage, function.visibility, function.storage_class = "external", "default", "default"
    whole = str(function)
    line = next(line for line in whole.splitlines() if line.startswith("define "))
    if other := _CONVENTION.search(line.partition("@")[0]):
        raise KernelError(f"{name}: its convention is {other[1]}, and that of C is needed")
    # Attributes that are in groups of the module, too, stand before the body.
    is_inlined = not re.search(r"\b(?:noinline|naked)\b", whole.partition("{")[0]) and whole.count("\n") <= _INLINED
    if is_inlined:
        function.add_function_attribute("alwaysinline")
    text = str(module)
    if _CONSTRUCTORS.search(text):
        raise KernelError(f"{name}: the IR has constructors, which load_module runs for an object file")
    return _COMDATS.sub(_without_comdat, text.replace(*_with_result(line, attributes, result), 1)), result


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return f"it has {shown}" if names else "it has none"


def _with_result(line: str, attributes: list[str], result: str) -> tuple[str, str]:
    """Return how a function's line begins, and how with what C's convention says of the result: who calls relies on
    it."""
    head, at, rest = line.partition("@")
    before = head.rstrip().removesuffix(result)
    words = [word for word in before.split() if word not in ("signext", "zeroext")]
    begin = at + rest.partition("(")[0] + "("
    return head + begin, f"{' '.join([*words, *attributes, result])} {begin}"


def _without_comdat(found: re.Match[str]) -> str:
    return found["function"] or found["variable"] or ""
