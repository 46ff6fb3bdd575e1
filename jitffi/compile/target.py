"""LLVM, loaded when something must be compiled: the machine that code is made for, at two levels of effort.

Importing this module loads llvmlite.
"""

from __future__ import annotations

import llvmlite.binding as llvm

from jitffi import forking

#: Around every use of LLVM, which the end of a module is, too.
LOCK = forking.LLVM


class Target:
    """The host: target machines by level. Level 0 compiles in a millisecond, level 2 makes the code that is kept."""

    def __init__(self) -> None:
        try:
            llvm.initialize_native_target()
            llvm.initialize_native_asmprinter()
        except RuntimeError:
            pass  # newer llvmlite initialises by itself and says so
        self.triple = llvm.get_process_triple()
        self.cpu = llvm.get_host_cpu_name()
        self.features = llvm.get_host_cpu_features().flatten()
        self._machines: dict[int, llvm.TargetMachine] = {}
        self._data_layout = ""

    def machine(self, level: int) -> llvm.TargetMachine:
        if level not in self._machines:
            # reloc and codemodel as for a shared library: `jit=True` would choose the large model, which leaves .text
            # empty.
            self._machines[level] = llvm.Target.from_triple(self.triple).create_target_machine(
                cpu=self.cpu, features=self.features, opt=level, reloc="pic", codemodel="small"
            )
        return self._machines[level]

    @property
    def data_layout(self) -> str:
        if not self._data_layout:
            self._data_layout = str(self.machine(0).target_data)
        return self._data_layout


with LOCK:
    HOST = Target()
