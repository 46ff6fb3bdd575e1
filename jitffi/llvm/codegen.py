"""IR text to machine code: parse, verify, emit. And what JITFFI_DUMP=dir shows of it: each stage as a file."""

from __future__ import annotations

import itertools
import os

from jitffi.base.apart import apart
from jitffi.base.symbol_names import PERSONALITY
from jitffi.ir.builder import MODULE_METADATA
from jitffi.llvm.target import HOST, LOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    import llvmlite.binding as llvm

_dump_numbers = itertools.count(1)


def module_text(functions: str) -> str:
    """Return a whole module for the host around the text of one or more functions."""
    head = f'target datalayout = "{HOST.data_layout}"\ntarget triple = "{HOST.triple}"\n\n'
    personality = f"declare i32 @{PERSONALITY}(...)\n\n" if f"@{PERSONALITY}" in functions else ""
    return f"{head}{personality}{functions}\n\n{MODULE_METADATA}"


def parse(text: str) -> llvm.ModuleRef:
    """Return the verified module. RuntimeError with LLVM's words where the text is wrong, which is a defect of ours."""
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(text)
    module.verify()
    return module


def object_code(text: str, level: int, label: str) -> bytes:
    """Compile a module's text to an object file at *level* 0 or 2; *label* names the dump."""
    with LOCK:
        code = HOST.compile_object(text, level)
        where = os.environ.get("JITFFI_DUMP")
        shown = _assembly(text, level) if where else ""
    if where:
        dump(where, level, label, text, shown, code)
    return code


@apart
def assembly(text: str, level: int = 2) -> str:
    """Return the assembly of a module's text."""
    with LOCK:
        return _assembly(text, level)


def _assembly(text: str, level: int) -> str:
    with parse(text) as module:
        shown: str = HOST.machine(level).emit_assembly(module)
    return shown


def dump(where: str, level: int, label: str, text: str, assembly: str, code: bytes) -> None:
    """Write the stages of a piece of code; a directory that cannot be written is an error: somebody asked for the
    files."""
    os.makedirs(where, exist_ok=True)
    safe = "".join(c if c.isalnum() else "_" for c in label)[:80].strip("_")
    stem = os.path.join(where, f"{os.getpid()}-{next(_dump_numbers):04}-{safe}-O{level}")
    for ending, content in ((".ll", text.encode()), (".s", assembly.encode()), (".o", code)):
        with open(stem + ending, "wb") as file:
            file.write(content)
