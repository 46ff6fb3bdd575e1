"""LLVM, loaded when something must be compiled: the machines that code is made for.

    HOST               this process's CPU, for code that is made at run time
    Target.of(triple)  any target of the LLVM that llvmlite brings, for files; the baseline CPU unless another is named

Importing this module loads llvmlite. Targets other than the host's are initialised when one is asked for.
"""

from __future__ import annotations

import functools

import llvmlite.binding as llvm

from jitffi import forking
from jitffi.ir import cabi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.cabi import CABI

#: Around every use of LLVM, which the end of a module is, too.
LOCK = forking.LLVM


class TargetError(ValueError):
    """A target, CPU or feature that LLVM does not know or that jitffi cannot emit for."""


class Arch:
    """What files for an architecture need to know of it: the C ABI, and the CPU and features that every machine of the
    kind has. `known`: LLVM is trusted to compile for it in this process; for others a child does it, as LLVM ends the
    process where it cannot."""

    __slots__ = ("abi", "cpu", "features", "known", "llvm_abi")

    def __init__(
        self, abi: str, cpu: str = "generic", features: str = "", llvm_abi: str = "", known: bool = True
    ) -> None:
        self.abi = cabi.ABIS[abi]
        self.cpu = cpu
        self.features = features
        self.llvm_abi = llvm_abi
        self.known = known


#: By LLVM's name of the architecture.
ARCHS = {
    "x86_64": Arch("x86-64", "x86-64"),
    "i386": Arch("i386", "pentium4"),
    "aarch64": Arch("aarch64"),
    "arm": Arch("arm"),
    "thumb": Arch("arm"),
    "riscv64": Arch("riscv64", "generic-rv64", "+m,+a,+f,+d,+c", "lp64d"),
    "riscv32": Arch("riscv32", "generic-rv32", "+m,+a,+c", "ilp32"),
    "wasm32": Arch("wasm32"),
    "wasm64": Arch("wasm64"),
    "powerpc64le": Arch("powerpc64le", "ppc64le"),
    "mips64el": Arch("mips64el", "mips64r2", known=False),
    "mipsel": Arch("mipsel", "mips32r2", known=False),
    "loongarch64": Arch("loongarch64", "generic-la64", "+f,+d", "lp64d", known=False),
    "hexagon": Arch("hexagon", "hexagonv60", known=False),
    "nvptx64": Arch("nvptx64", "sm_52", known=False),
}


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
        self.llvm_abi = arch.llvm_abi if arch else ""
        self.known = arch.known if arch else True
        self.abi: CABI = _abi(parts) if arch else cabi.HOST
        self._machines: dict[int, llvm.TargetMachine] = {}
        self._data_layout = ""

    @staticmethod
    def host() -> Target:
        """This process's machine, with all that its CPU has."""
        try:
            llvm.initialize_native_target()
            llvm.initialize_native_asmprinter()
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
            # reloc and codemodel as for a shared library: `jit=True` would choose the large model, which leaves .text
            # empty.
            self._machines[level] = llvm.Target.from_triple(self.triple).create_target_machine(
                cpu=self.cpu, features=self.features, opt=level, reloc="pic", codemodel="small", abiname=self.llvm_abi
            )
        return self._machines[level]

    @property
    def data_layout(self) -> str:
        if not self._data_layout:
            self._data_layout = str(self.machine(0).target_data)
        return self._data_layout


def _abi(parts: llvm.Triple) -> CABI:
    if parts.Arch == "x86_64" and parts.OS == "windows":
        return cabi.ABIS["x86-64 Windows"]
    if parts.Arch == "aarch64" and parts.ObjectFormat == "MachO":
        return cabi.ABIS["arm64 Darwin"]
    return ARCHS[parts.Arch].abi


@functools.cache
def _of(triple: str, cpu: str, features: str) -> Target:
    with LOCK:
        if triple != HOST.triple:
            _initialise_all()
        parts = llvm.get_triple_parts(triple)
        arch = ARCHS.get(parts.Arch)
        if arch is None:
            raise TargetError(f"unknown target {triple!r}")
        if cpu == "native":
            own = Target(triple, HOST.cpu, HOST.features, arch)
            if not own.is_host:
                raise TargetError(f"cpu 'native' is this machine's, which is no {parts.Arch}: name a CPU of {triple}")
            return own
        both = ",".join(filter(None, (arch.features, features)))
        return Target(triple, cpu or arch.cpu, both, arch)


@functools.cache
def _initialise_all() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


with LOCK:
    HOST = Target.host()
