"""The formats of the files that `emit` writes: one row each, with all that is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jitffi.llvm.target import Target

_WASM = "wasm32-unknown-unknown"


@dataclass(frozen=True, slots=True)
class Format:
    """A row. *name* is the file's ending, and what `format=` takes."""

    name: str
    text: str
    #: What the system's linker makes (link/system_linker.py); "": LLVM writes the file (llvm/object_files.py).
    linked_as: str = ""
    #: What it makes of a file whose entries are Python's.
    python_as: str = ""
    #: Other objects and libraries can be linked into it.
    takes_libraries: bool = False
    is_executable: bool = False
    #: The target where none is named; None: this machine.
    target: str | None = None
    #: Whether it is for WebAssembly alone, for all but it, or for every target (None).
    for_wasm: bool | None = None

    def refuse(self, target: Target) -> str:
        """Return why there is no such file for *target*, or ""."""
        if self.for_wasm is None or self.for_wasm is (target.object_format == "wasm"):
            return ""
        if self.for_wasm:
            return f"a .{self.name} file is for WebAssembly, not {target.triple}: leave the target out, or emit a .so"
        return f"{target.triple} has no shared libraries: emit a .wasm"


_ROWS = (
    Format("o", "an object", takes_libraries=True),
    Format("s", "assembly"),
    Format("ll", "LLVM IR"),
    Format("bc", "LLVM bitcode"),
    Format("so", "a shared library", linked_as="so", python_as="python", takes_libraries=True, is_executable=True,
           for_wasm=False),
    Format("wasm", "a WebAssembly module", linked_as="wasm", takes_libraries=True, target=_WASM, for_wasm=True),
)  # fmt: skip

FORMATS = {row.name: row for row in _ROWS}


def listed() -> str:
    """Return all names, each with what it is."""
    return ", ".join([f"{row.name} ({row.text})" for row in _ROWS])
