"""LLVM, loaded when something must be compiled: the machines that code is made for.

    HOST               this process's CPU, for code that is made at run time
    Target.of(triple)  any target of the LLVM that llvmlite brings, for files; the baseline CPU unless another is named

Importing this module loads nothing: the library is loaded when something of HOST is asked for (library.py), llvmlite's
modules where more is done than compiling for this process, targets other than the host's when one is asked for.
"""

from __future__ import annotations

import functools
import sys

from jitffi.base import apart as apart_thread
from jitffi.base import fork_locks
from jitffi.base.apart import apart
from jitffi.base.errors import TargetError as TargetError
from jitffi.ir import cabi
from jitffi.llvm import library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import llvmlite.binding as llvm

    from jitffi.ir.cabi import CABI
    from jitffi.llvm.triples import Arch

#: Around every use of LLVM, which the end of a module is, too.
LOCK = fork_locks.LLVM


class Target:
    """A kind of machine: target machines by level. Level 0 compiles in a millisecond, 2 makes the code that is kept."""

    triple: str
    arch: str
    system: str
    environment: str
    object_format: str
    cpu: str
    features: str
    abi: CABI
    #: LLVM is trusted to compile for it in this process. For others a child does it, as LLVM ends the process where it
    #: cannot.
    known: bool
    llvm_abi: str
    #: It has no object files.
    assembly_only: bool

    def __init__(self, triple: str, cpu: str, features: str, arch: Arch) -> None:
        import llvmlite.binding as llvm

        parts = llvm.get_triple_parts(triple)
        self.triple = triple
        self.arch, self.system, self.environment = parts.Arch, parts.OS, parts.Env
        self.object_format = parts.ObjectFormat.lower()
        self.cpu = cpu
        self.features = features
        self.known = arch.known and (cpu, features) == (arch.cpu, arch.features)
        self.abi = arch.abi
        self.llvm_abi = arch.llvm_abi(features)
        self.assembly_only = arch.assembly_only
        self._arch = arch
        self._machines: dict[int, llvm.TargetMachine] = {}
        self._data_layout = ""

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
        """One of llvmlite's."""
        if level not in self._machines:
            self._machines[level] = self._new_machine(self.cpu, self.features, level, self.llvm_abi)
        return self._machines[level]

    def _new_machine(self, cpu: str, features: str, level: int, llvm_abi: str) -> llvm.TargetMachine:
        import llvmlite.binding as llvm

        HOST.load()  # which makes assembly in kernels readable
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
            return str(self._new_machine(arch.cpu, arch.features, 0, arch.llvm_abi("")).target_data)


class _Host(Target):
    """This process's machine, with all that its CPU has, which LLVM is asked for when something of it is needed."""

    def __init__(self) -> None:
        self.object_format = {"darwin": "macho", "win32": "coff"}.get(sys.platform, "elf")
        self.known, self.abi, self.llvm_abi, self.assembly_only = True, cabi.HOST, "", False
        self._machines = {}
        self._own_machines: dict[int, Any] = {}  # the same without llvmlite's modules
        self._data_layout = ""

    def __getattr__(self, name: str) -> Any:
        if name not in ("triple", "arch", "system", "environment", "cpu", "features"):
            raise AttributeError(name)
        self.load()
        return self.__dict__[name]

    @apart
    def load(self) -> None:
        """Load LLVM, and ask it what this machine is."""
        with LOCK:
            if "features" not in self.__dict__:
                found = library.host()
                self.triple, self.arch, self.system, self.environment, self.cpu, self.features = found

    def load_beside(self) -> None:
        """Let a thread load LLVM, and compile something, since its pages are read when that is done for the first time:
        while the caller is at what comes before."""
        if "features" not in self.__dict__:
            apart_thread.start(self._warm_up)

    def _warm_up(self) -> None:
        with LOCK:
            self.load()
            self.compile_object("define void @f() { ret void }", 0)

    def new_machine(self, level: int) -> Any:
        """The address of a target machine that nobody else has."""
        return library.machine(self.triple, self.cpu, self.features, level)

    def compile_object(self, text: str, level: int) -> bytes:
        """The object file of a module's text, at level 0 or 2 of the code generator, without passes before it. With the
        lock."""
        return library.compile_object(self._own_machine(level), text)

    def _own_machine(self, level: int) -> Any:
        if level not in self._own_machines:
            self._own_machines[level] = self.new_machine(level)
        return self._own_machines[level]

    @apart
    def _ask_data_layout(self) -> str:
        with LOCK:
            return library.data_layout(self._own_machine(0))


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


HOST = _Host()
