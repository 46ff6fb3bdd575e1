"""Adapters as files: a module's IR from many signatures, and objects, assembly and bitcode from its text.

An object defines what ABI section 5 says: an entry for each signature by its convention's name, `__jfsig_<name>` beside
a packed one, and `__jfabi`. It needs its callees' symbols, the runtime's public functions and strlen; nothing else is
visible, so any number of objects link together. The same input gives the same bytes.
"""

from __future__ import annotations

import pickle
import subprocess
import sys

import llvmlite.binding as llvm

from jitffi._core import abi_version
from jitffi.adapters.unit import Unit, byte_array
from jitffi.base.apart import apart
from jitffi.base.errors import ArgumentError
from jitffi.conventions.base import SIGNATURE_PREFIX, Options
from jitffi.conventions.table import convention
from jitffi.emission import extension
from jitffi.ir.emitter import MODULE_METADATA, NULL, PERSONALITY
from jitffi.ir.symbols import Symbols
from jitffi.llvm.target import LOCK, TargetError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.llvm.target import Target
    from jitffi.signature.model import Signature

FORMS = ("o", "s", "ll", "bc")

#: Where compilers write tables for debuggers and profilers to walk the stack by, whatever the language.
UNWOUND = ("x86_64", "aarch64")


def symbol_of(which: str, name: str) -> str:
    """The symbol of function *name* for callers of that convention."""
    return convention(which).prefix + name


def in_python(entry: str, callee: str) -> bool:
    """Whether code that joins them follows the interpreter's structs."""
    return convention(entry).needs_python or convention(callee).needs_python


def module_text(
    sigs: dict[str, Signature],
    *,
    entry: str,
    callee: str,
    callee_name: str | None = None,
    target: Target,
    pad: int = 0,
    module: str | None = None,
) -> str:
    """The IR of a whole module with an entry for each of *sigs*, by name. TypeError where a convention cannot carry a
    signature, which it names; ValueError for equal conventions without a *callee_name*, and for Python code elsewhere
    than here. Python entries are functions of the extension module *module*; None: `extension_text` makes that."""
    if callee_name is None and entry == callee:
        raise ValueError(
            f"the entry {symbol_of(entry, next(iter(sigs), 'f'))} would call itself: callee_name is needed"
        )
    if callee_name is not None and len(sigs) != 1:
        raise ValueError("callee_name is for one signature")
    is_elf = target.object_format == "elf"
    unit = Unit(target.abi, sections=is_elf, closures=target.object_format != "wasm", catches=catches(target))
    if in_python(entry, callee):
        extension.check_target(target)
    for name, sig in sigs.items():
        try:
            _add(unit, name, sig, entry, callee, callee_name or name, Options(defaults=_has_defaults(sig), pad=pad))
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
    _check_symbols(unit, [symbol_of(entry, name) for name in sigs], [symbol_of(callee, callee_name or n) for n in sigs])
    if entry == "python" and module is not None:
        extension.add_module(unit, module, sigs)
    define_version(unit, target)
    return assemble(unit, target)


def catches(target: Target) -> bool:
    """Whether the runtime of that target catches exceptions (runtime_c/src/unwind.c)."""
    return target.arch in UNWOUND and target.system == "linux" and target.environment in ("gnu", "unknown")


def define_version(unit: Unit, target: Target) -> None:
    """In every object; a linker keeps one."""
    comdat = ""
    if target.object_format == "coff":  # which has no weak definitions but these
        unit.globals.append("$__jfabi = comdat any")
        comdat = ", comdat"
    unit.define("__jfabi", f"i32 {abi_version()}{comdat}, align 4", "weak_odr constant")


def extension_text(sigs: dict[str, Signature], module: str, target: Target) -> str:
    """The IR of what makes an extension module of the Python entries of other objects."""
    unit = Unit(target.abi)
    extension.add_module(unit, module, sigs)
    return assemble(unit, target)


def _check_symbols(unit: Unit, entries: list[str], callees: list[str]) -> None:
    for symbol in entries:
        if symbol in unit.called or symbol.startswith(("jf_", SIGNATURE_PREFIX, "__jfabi")):
            raise ArgumentError(f"{symbol} is the name of what emitted code itself needs: take another")
        if symbol in callees:
            raise ArgumentError(f"{symbol} would be an entry, and is another's callee: take another name")


def _has_defaults(sig: Signature) -> bool:
    return sig.num_required < len(sig.params)


def _add(unit: Unit, name: str, sig: Signature, entry: str, callee: str, callee_name: str, options: Options) -> None:
    views = unit.defaults(name, sig) if convention(entry).tells_signature and options.defaults else NULL
    linkage: Symbols
    if in_python(entry, callee):
        linkage = extension.linkage_of(unit, name, sig, entry, callee, symbol_of(callee, callee_name), options)
    else:
        linkage = Symbols(unit, name, name, unit.info(name, name, sig), symbol_of(callee, callee_name), views)
    unit.function(symbol_of(entry, name), sig, entry, callee, options, linkage)
    if entry == "python":
        extension.add_function(unit, name, sig, symbol_of(entry, name), callee, symbol_of(callee, callee_name))
    if convention(entry).tells_signature:
        unit.define(f"{SIGNATURE_PREFIX}{name}", f"{byte_array(str(sig).encode() + bytes(1))}, align 1", "constant")


def assemble(unit: Unit, target: Target) -> str:
    """The text of a module, for its target."""
    # Some targets set LLVM's own limit for jump tables, for all that this process compiles later.
    attributes = ["nounwind", '"no-builtins"', '"no-jump-tables"="true"']
    attributes += [
        f'"target-{what}"="{value}"' for what, value in (("cpu", target.cpu), ("features", target.features)) if value
    ]
    if target.arch in UNWOUND:
        attributes.append("uwtable")
    if any(" landingpad " in function for function in unit.functions):
        unit.declare(PERSONALITY, "declare i32 {}(...)")
    flags = ['!{i32 8, !"PIC Level", i32 2}']
    if target.llvm_abi:
        flags.append(f'!{{i32 1, !"target-abi", !"{target.llvm_abi}"}}')
    lines = [
        'source_filename = "jitffi"',
        f'target datalayout = "{target.data_layout}"',
        f'target triple = "{target.triple}"\n',
        *unit.globals,
        *[f"\n{_with_personality(function)}" for function in unit.functions],
        "",
        *unit.declarations,
        "",
        f"attributes #0 = {{ {' '.join(attributes)} }}",
        'attributes #1 = { nounwind "no-builtins" }',
        f"!llvm.module.flags = !{{{', '.join([f'!{i + 2}' for i in range(len(flags))])}}}",
        MODULE_METADATA.rstrip(),
        *[f"!{i + 2} = {flag}" for i, flag in enumerate(flags)],
    ]
    return "\n".join(lines) + "\n"


def _with_personality(function: str) -> str:
    """The function with what the unwinder asks about it, if it catches exceptions."""
    if " landingpad " not in function or f" personality ptr @{PERSONALITY} " in function.partition("\n")[0]:
        return function
    return function.replace(" {\n", f" personality ptr @{PERSONALITY} {{\n", 1)


def compile_text(text: str, target: Target, opt: int, form: str) -> bytes:
    """Compile a module's text at level *opt*, 0 to 3, to "o" (an object), "s" (assembly), "ll" (IR) or "bc" (bitcode).
    TargetError where LLVM cannot."""
    if form not in FORMS:
        raise ValueError(f"unknown form {form!r}; known: {', '.join(FORMS)}")
    if form == "o" and target.assembly_only:
        raise TargetError(f"{target.arch} has no object files: emit assembly (.s)")
    if not target.known and sys.executable:
        return _compile_in_child(text, target, opt, form)
    return compile_here(text, target, opt, form)


@apart
def compile_here(text: str, target: Target, opt: int, form: str) -> bytes:
    """The same in this process, which LLVM ends where it cannot."""
    with LOCK:
        module = llvm.parse_assembly(text)
        try:
            module.verify()
            if opt:
                # A pass builder serves one module: it grows with each run.
                tuning = llvm.create_pipeline_tuning_options(speed_level=opt)
                builder = llvm.create_pass_builder(target.machine(opt), tuning)
                builder.getModulePassManager().run(module, builder)
            result: bytes
            if form == "ll":
                result = str(module).encode()
            elif form == "bc":
                result = module.as_bitcode()
            elif form == "s":
                result = target.machine(opt).emit_assembly(module).encode()
            else:
                result = target.machine(opt).emit_object(module)
        finally:
            module.close()
    return result


#: What the child runs: the job comes by standard input, the file leaves by standard output.
_CHILD = """
import pickle, sys
sys.path[:], text, (triple, cpu, features), opt, form = pickle.load(sys.stdin.buffer)
from jitffi.emission import objects
from jitffi.llvm import target, triples
triple, arch = triples.read(triple, "")
made = objects.compile_here(text, target.Target(triple, cpu, features, arch), opt, form)
sys.stdout.buffer.write(made)
"""
_TIMEOUT = 300.0


def _compile_in_child(text: str, target: Target, opt: int, form: str) -> bytes:
    job = pickle.dumps((sys.path, text, (target.triple, target.cpu, target.features), opt, form))
    try:
        done = subprocess.run([sys.executable, "-c", _CHILD], input=job, capture_output=True, timeout=_TIMEOUT)
    except subprocess.TimeoutExpired:
        raise TargetError(f"{target.triple}: LLVM was not done after {_TIMEOUT:.0f} seconds") from None
    if done.returncode == 0 and done.stdout:
        return done.stdout
    lines = [line.strip() for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
    said = [line for line in lines if "LLVM ERROR" in line or "Assertion" in line or "Error" in line]
    why = (said or lines or [f"it ended with exit code {done.returncode}"])[-1 if not said else 0]
    raise TargetError(f"{target.triple}: LLVM cannot compile for it: {why.replace('LLVM ERROR: ', '')}")
