"""LLVM, loaded when something must be compiled: the machines that code is made for.

    HOST               this process's CPU, for code that is made at run time
    Target.of(triple)  any target of the LLVM that llvmlite brings, for files; the baseline CPU unless another is named

Importing this module loads llvmlite. Targets other than the host's are initialised when one is asked for.
"""

from __future__ import annotations

import functools

import llvmlite.binding as llvm

from jitffi.base import fork_locks
from jitffi.base.apart import apart
from jitffi.base.errors import TargetError as TargetError
from jitffi.ir import cabi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.cabi import CABI
    from jitffi.llvm.triples import Arch

#: Around every use of LLVM, which the end of a module is, too.
LOCK = fork_locks.LLVM


class Target:
    """A kind of machine: target machines by level. Level 0 compiles in a millisecond, 2 makes the code that is kept."""

    def __init__(self, triple: str, cpu: str, features: str, arch: Arch | None = None) -> None:
        parts = llvm.get_triple_parts(triple)
        self.triple = triple
        self.arch: str = parts.Arch
        self.system: str = parts.OS
        self.environment: str = parts.Env
        self.object_format: str = parts.ObjectFormat.lower()
        self.cpu = cpu
        self.features = features
        #: LLVM is trusted to compile for it in this process. For others a child does it, as LLVM ends the process where
        #: it cannot.
        self.known = arch is None or arch.known and (cpu, features) == (arch.cpu, arch.features)
        self.abi: CABI = arch.abi if arch else cabi.HOST
        self.llvm_abi = arch.llvm_abi(features) if arch else ""
        #: It has no object files.
        self.assembly_only = arch is not None and arch.assembly_only
        self._arch = arch
        self._machines: dict[int, llvm.TargetMachine] = {}
        self._data_layout = ""

    @staticmethod
    def host() -> Target:
        """This process's machine, with all that its CPU has."""
        try:
            llvm.initialize_native_target()
            llvm.initialize_native_asmprinter()
            llvm.initialize_native_asmparser()  # for assembly inside kernels
        except RuntimeError:
            pass  # newer llvmlite initialises by itself and says so
        return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())

    @staticmethod
    def of(triple: str | None = None, cpu: str | None = None, features: str | None = None) -> Target:
        """The target for files of that *triple*, the host's by default. Without a *cpu* the code runs on every machine
        of the kind; "native" is this machine's own. *features*: "+name,-name". TargetError for what is not known."""
        return _of(triple or HOST.triple, cpu or "", features or "")

    @property
    def pointer_bits(self) -> int:
        return 8 * self.abi.pointer_bytes

    @property
    def is_host(self) -> bool:
        """Whether code for it runs in this process."""
        return (self.arch, self.system, self.environment) == (HOST.arch, HOST.system, HOST.environment)

    def machine(self, level: int) -> llvm.TargetMachine:
        if level not in self._machines:
            self._machines[level] = self.new_machine(level)
        return self._machines[level]

    def new_machine(self, level: int) -> llvm.TargetMachine:
        """One that nobody else has."""
        return self._new_machine(self.cpu, self.features, level, self.llvm_abi)

    def _new_machine(self, cpu: str, features: str, level: int, llvm_abi: str) -> llvm.TargetMachine:
        # reloc and codemodel as for a shared library: `jit=True` would choose the large model, which leaves .text
        # empty.
        return llvm.Target.from_triple(self.triple).create_target_machine(
            cpu=cpu, features=features, opt=level, reloc="pic", codemodel="small", abiname=llvm_abi
        )

    @property
    def data_layout(self) -> str:
        if not self._data_layout:
            self._data_layout = self._ask_data_layout()
        return self._data_layout

    @apart
    def _ask_data_layout(self) -> str:
        arch = self._arch
        # The same for every CPU of the kind, and the baseline is one that LLVM can be asked about in this process.
        with LOCK:
            machine = self._new_machine(arch.cpu, arch.features, 0, arch.llvm_abi("")) if arch else self.machine(0)
            return str(machine.target_data)


@functools.lru_cache(maxsize=64)
@apart
def _of(triple: str, cpu: str, features: str) -> Target:
    from jitffi.llvm import triples

    with LOCK:
        triple, arch = triples.read(triple, HOST.triple)
    if cpu == "native":
        if features:
            triples.check_cpu(triple, "", features)
        own = Target(triple, HOST.cpu, ",".join(filter(None, (HOST.features, features))), arch)
        if not own.is_host:
            raise TargetError(f"cpu 'native' is this machine's own: {triple} needs the name of a CPU")
        own.known = not features
        return own
    if cpu or features:
        triples.check_cpu(triple, cpu, features)
    return Target(triple, cpu or arch.cpu, ",".join(filter(None, (arch.features, features))), arch)


with LOCK:
    HOST = Target.host()
