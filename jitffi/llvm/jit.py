"""The linker's route: objects that need relocations, and code that a debugger shall see by name, through LLJIT.

RuntimeDyld, not JITLink: only the former tells gdb of the code it links (llvmlite's `use_jit_link=False`). A library's
name is used once for ever, and its code lives as long as its tracker, which the result holds.
"""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

import llvmlite.binding as llvm

from jitffi import _core
from jitffi.base.symbol_names import PERSONALITY
from jitffi.llvm.target import HOST, LOCK

_numbers = itertools.count(1)
_jit: Any = None


class Linked:
    """Code that LLJIT linked. `address` is the function's; the code is there as long as this object is."""

    #: Of code that nobody uses any more. At the interpreter's end modules have no names any more, but classes have.
    _gone: ClassVar[list[Any]] = []

    def __init__(self, obj: bytes, symbol: str) -> None:
        global _jit
        with LOCK:
            self._gone.clear()
            if _jit is None:
                _jit = llvm.create_lljit_compiler(HOST.machine(2), use_jit_link=False, suppress_errors=False)
            builder = llvm.JITLibraryBuilder().add_object_img(obj).add_current_process().export_symbol(symbol)
            builder.import_symbol(PERSONALITY, _core.PERSONALITY)
            self._tracker = builder.link(_jit, f"jitffi{next(_numbers)}")
            self.address: int = self._tracker[symbol]

    def __del__(self) -> None:
        # Here a signal handler could interrupt what LLVM does: its part goes when the next code is linked.
        self._gone.append(self.__dict__.pop("_tracker", None))
