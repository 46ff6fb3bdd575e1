"""A module's text to a file's content: an object, assembly, LLVM IR or bitcode for any target.

LLVM ends the process where it cannot compile for a target, so what it is not trusted with is compiled by a child.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from jitffi.base.apart import apart
from jitffi.llvm.target import HOST, LOCK, TargetError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.llvm.target import Target

#: What LLVM makes of a module, by the ending of its file: from the module, and what gives the target's machine.
FORMS: dict[str, Callable[[Any, Callable[[], Any]], bytes]] = {
    "o": lambda module, machine: machine().emit_object(module),
    "s": lambda module, machine: machine().emit_assembly(module).encode(),
    "ll": lambda module, machine: str(module).encode(),
    "bc": lambda module, machine: module.as_bitcode(),
}

#: Where compilers write tables for debuggers and profilers to walk the stack by, whatever the language.
UNWOUND = ("x86_64", "aarch64")


def catches(target: Target) -> bool:
    """Whether the runtime of that target catches exceptions (runtime_c/src/unwind.c)."""
    return target.arch in UNWOUND and target.system == "linux" and target.environment in ("gnu", "unknown")


def compile_text(text: str, target: Target, opt: int, form: str, is_ours: bool = True) -> bytes:
    """Compile a module's text at level *opt*, 0 to 3, to "o" (an object), "s" (assembly), "ll" (IR) or "bc" (bitcode).
    TargetError where LLVM cannot. Not *is_ours*: LLVM might end the process that compiles it."""
    if form not in FORMS:
        raise ValueError(f"unknown form {form!r}; known: {', '.join(FORMS)}")
    if form == "o" and target.assembly_only:
        raise TargetError(f"{target.arch} has no object files: emit assembly (.s)")
    if not (target.known and is_ours) and sys.executable:
        return _compile_in_child(text, target, opt, form)
    return compile_here(text, target, opt, form)


@apart
def compile_here(text: str, target: Target, opt: int, form: str) -> bytes:
    """The same in this process, which LLVM ends where it cannot."""
    with LOCK:
        if target is HOST and form == "o" and not opt:
            return HOST.compile_object(text, 0)
        import llvmlite.binding as llvm

        # Of its own: bitcode lists the kinds of metadata of all modules that its context has ever read.
        context = llvm.create_context()
        module = llvm.parse_assembly(text, context)
        try:
            module.verify()
            if opt:
                # A pass builder serves one module: it grows with each run.
                tuning = llvm.create_pipeline_tuning_options(speed_level=opt)
                tuning.slp_vectorization = opt > 2
                builder = llvm.create_pass_builder(target.machine(opt), tuning)
                builder.getModulePassManager().run(module, builder)
            return FORMS[form](module, lambda: target.machine(opt))
        finally:
            module.close()
            context.close()


#: What the child runs: the job comes by standard input, the file leaves by standard output.
_CHILD = """
import pickle, sys
sys.path[:], text, (triple, cpu, features), opt, form = pickle.load(sys.stdin.buffer)
from jitffi.llvm import object_files, target, triples
triple, arch = triples.read(triple, "")
made = object_files.compile_here(text, target.Target(triple, cpu, features, arch), opt, form)
sys.stdout.buffer.write(made)
"""
_TIMEOUT = 300.0


def _compile_in_child(text: str, target: Target, opt: int, form: str) -> bytes:
    import pickle
    import subprocess

    job = pickle.dumps((sys.path, text, (target.triple, target.cpu, target.features), opt, form))
    try:
        done = subprocess.run([sys.executable, "-c", _CHILD], input=job, capture_output=True, timeout=_TIMEOUT)
    except subprocess.TimeoutExpired:
        raise TargetError(f"{target.triple}: LLVM was not done after {_TIMEOUT:.0f} seconds") from None
    if done.returncode == 0 and done.stdout:
        return done.stdout
    lines = [line.strip() for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
    said = [line for line in lines if any(word in line for word in ("LLVM ERROR", "Assertion", "Error", "error:"))]
    why = (said or lines or [f"it ended with exit code {done.returncode}"])[-1 if not said else 0]
    raise TargetError(f"{target.triple}: LLVM cannot compile for it: {why.replace('LLVM ERROR: ', '')}")
