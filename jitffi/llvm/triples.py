"""What files can be emitted for: triples as people write them, the architectures behind them, their CPUs and features.

LLVM takes any text for a triple and any name for a CPU, the unknown ones silently; here they are errors that show what
was meant.
"""

from __future__ import annotations

import difflib
import functools
import re
import subprocess
import sys

import llvmlite.binding as llvm

from jitffi.base.errors import TargetError
from jitffi.ir import cabi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.ir.cabi import CABI


class Arch:
    """An architecture on a system: its C ABI, and the CPU and features that every machine of the kind has. `known`:
    LLVM is trusted to compile for it in this process."""

    __slots__ = ("abi", "assembly_only", "cpu", "features", "known")

    def __init__(
        self, abi: str, cpu: str = "generic", features: str = "", known: bool = True, assembly_only: bool = False
    ) -> None:
        self.abi: CABI = cabi.ABIS[abi]
        self.cpu = cpu
        self.features = features
        self.known = known
        self.assembly_only = assembly_only

    def with_long_double(self, type_: str) -> Arch:
        """The same on a system that has another long double."""
        made = Arch(self.abi.name, self.cpu, self.features, self.known, self.assembly_only)
        made.abi = self.abi.with_long_double(type_)
        return made

    def llvm_abi(self, features: str) -> str:
        """The name of the variant of the C ABI, where LLVM asks for one: in what registers floats are passed."""
        if not self.abi.name.startswith(("riscv", "loongarch")):
            return ""
        stem = "lp64" if self.abi.pointer_bytes == 8 else "ilp32"
        has = {name[1:]: name[0] == "+" for name in f"{self.features},{features}".split(",") if name}
        return stem + ("d" if has.get("d") else "f" if has.get("f") else "")


#: By LLVM's name of the architecture.
ARCHS = {
    "x86_64": Arch("x86-64", "x86-64"),
    "i386": Arch("i386", "pentium4"),
    "aarch64": Arch("aarch64"),
    "arm": Arch("arm"),
    "thumb": Arch("arm"),
    "riscv64": Arch("riscv64", "generic-rv64", "+m,+a,+f,+d,+c"),
    "riscv32": Arch("riscv32", "generic-rv32", "+m,+a,+c"),
    "wasm32": Arch("wasm32"),
    "wasm64": Arch("wasm64"),
    "powerpc64le": Arch("powerpc64le", "ppc64le"),
    "mips64el": Arch("mips64el", "mips64r2", known=False),
    "mipsel": Arch("mipsel", "mips32r2", known=False),
    "loongarch64": Arch("loongarch64", "generic-la64", "+f,+d", known=False),
    "hexagon": Arch("hexagon", "hexagonv60", known=False),
    "nvptx64": Arch("nvptx64", "sm_52", known=False, assembly_only=True),
}
_WINDOWS = Arch("x86-64 Windows", "x86-64")
_DARWIN = Arch("arm64 Darwin")

#: Big-endian architectures, and the little-endian one beside them.
_BIG_ENDIAN = {
    "aarch64_be": "aarch64", "armeb": "arm", "thumbeb": "thumb", "mips": "mipsel", "mips64": "mips64el",
    "powerpc": "powerpc64le", "powerpc64": "powerpc64le", "riscv32be": "riscv32", "riscv64be": "riscv64", "s390x": "",
    "sparc": "", "sparcv9": "", "lanai": "", "bpfeb": "",
}  # fmt: skip

_GPU = "a GPU's code has no C functions to call"
_NO_ABI = "how C passes arguments there is not known to jitffi"
_REFUSED = {
    "aarch64_32": "pointers of 4 bytes in registers of 8 are not supported",
    "amdgcn": _GPU, "r600": _GPU, "spirv": _GPU, "spirv32": _GPU, "spirv64": _GPU,
    "nvptx": "32-bit PTX has had its day: nvptx64 is the target",
    "avr": "its pointers have 2 bytes", "msp430": "its pointers have 2 bytes",
    "bpfel": "a BPF program can only call what its loader knows",
    "loongarch32": _NO_ABI, "powerpcle": _NO_ABI, "sparcel": _NO_ABI, "ve": _NO_ABI, "xcore": _NO_ABI,
}  # fmt: skip
_REFUSED_VARIANTS = {"gnux32": "x32", "muslx32": "x32", "gnu_ilp32": "ILP32", "gnuabin32": "N32", "muslabin32": "N32"}

#: For suggestions.
_USUAL = (
    "x86_64-linux-gnu", "x86_64-linux-musl", "aarch64-linux-gnu", "aarch64-linux-musl", "aarch64-linux-android",
    "riscv64-linux-gnu", "riscv32-unknown-elf", "riscv64-unknown-elf", "wasm32-unknown-unknown", "wasm32-wasi",
    "wasm32-unknown-emscripten", "armv7-linux-gnueabihf", "thumbv7em-none-eabi", "arm-none-eabi", "i686-linux-gnu",
    "powerpc64le-linux-gnu", "x86_64-apple-macos", "arm64-apple-macos", "arm64-apple-ios", "x86_64-pc-windows-msvc",
    "x86_64-pc-windows-gnu", "aarch64-pc-windows-msvc", "x86_64-unknown-freebsd", "mips64el-linux-gnuabi64",
    "mipsel-linux-gnu", "loongarch64-linux-gnu", "hexagon-unknown-linux-musl", "nvptx64-nvidia-cuda",
)  # fmt: skip
_WORDS = sorted({word for triple in _USUAL for word in triple.split("-")} | {"darwin", "netbsd", "openbsd", "fuchsia"})
_FILLERS = frozenset(("unknown", "none", "pc", "w64", "elf", "macho", "coff", ""))
_ALIASES = {"riscv64gc": "riscv64", "riscv64imac": "riscv64", "riscv32imac": "riscv32", "armhf": "armv7"}
_FORMATS = {"elf", "macho", "coff"}


@functools.cache
def _initialise_all() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def read(triple: str, host: str) -> tuple[str, Arch]:
    """The triple in LLVM's own order of its parts, and its architecture. TargetError where it names none, where a part
    is unknown, and where jitffi cannot emit for it."""
    written = triple
    if triple != host:
        _initialise_all()
        triple = _normalised(triple)
    parts = llvm.get_triple_parts(triple)
    if parts.Arch in _BIG_ENDIAN:
        other = f"; the little-endian one is {_BIG_ENDIAN[parts.Arch]}" if _BIG_ENDIAN[parts.Arch] else ""
        raise TargetError(f"target {written!r} is big-endian, which the ABI leaves out{other}")
    why = _REFUSED.get(parts.Arch)
    if parts.Env in _REFUSED_VARIANTS:
        why = f"the variant {_REFUSED_VARIANTS[parts.Env]} of its C ABI is not supported"
    arch = ARCHS.get(parts.Arch)
    if why or arch is None:
        raise TargetError(f"target {written!r} cannot be emitted for: {why or _NO_ABI}")
    if parts.Arch == "x86_64" and parts.OS in ("windows", "uefi"):
        arch = _WINDOWS
    if parts.Arch == "aarch64" and parts.ObjectFormat == "MachO":
        arch = _DARWIN
    long_double = _long_double(parts)
    return triple, arch if long_double is None else arch.with_long_double(long_double)


def _long_double(parts: Any) -> str | None:
    """What a long double is where the system has another one than most have on that architecture (clang's TargetInfo).
    MinGW passes it by address, which nobody here does."""
    if parts.OS in ("windows", "uefi"):
        return {"x86_64": "", "i386": None}.get(parts.Arch, "double") if parts.Env.startswith("gnu") else "double"
    if parts.Arch == "x86_64" and parts.Env.startswith("android"):
        return "fp128"
    if parts.Arch == "powerpc64le" and (parts.Env.startswith("musl") or parts.OS.startswith("freebsd")):
        return "double"
    return None


def _normalised(text: str) -> str:
    words = text.strip()
    if words.startswith("x86-64"):  # as everybody else writes it
        words = f"x86_64{words[6:]}"
    first, *rest = words.split("-")
    first = _ALIASES.get(first, first)
    parts = llvm.get_triple_parts("-".join((first, *rest)))
    if parts.Arch == "unknown" or len(rest) > 4:
        raise TargetError(f"unknown target {text!r}{_nearest(text, _USUAL)}")
    try:
        llvm.Target.from_triple("-".join((first, *rest)))
    except RuntimeError:
        raise TargetError(f"target {text!r}: this LLVM has no {parts.Arch}") from None
    system = environment = ""
    for i, word in enumerate(rest):
        as_system = llvm.get_triple_parts(f"{first}-unknown-{word}")
        as_environment = llvm.get_triple_parts(f"{first}-unknown-linux-{word}")
        if as_system.OS != "unknown" and not system:
            system = word
        elif as_environment.Env != "unknown":
            environment = word
        elif word not in _FILLERS and word != parts.Vendor and (i > 0 or len(rest) < 2 or parts.OS == "unknown"):
            raise TargetError(f"unknown {word!r} in target {text!r}{_nearest(word, _WORDS)}")
    if parts.OS == "windows":
        system, environment = "windows", parts.Env if parts.Env != "unknown" else "msvc"
    formats = [word for word in rest if word in _FORMATS and parts.OS != "unknown"]
    return "-".join(filter(None, (first, parts.Vendor, system or "unknown", environment, *formats)))


def _nearest(word: str, known: tuple[str, ...] | list[str]) -> str:
    near = difflib.get_close_matches(word, known, 3, 0.5)
    return f"; did you mean {' or '.join(near)}?" if near else ""


# -- CPUs and features ----------------------------------------------------------------------------------------

#: LLVM lists them on standard error, and has no other way to tell; some targets end the process right behind it.
_LISTING = """
import sys
sys.path[:], triple = {arguments!r}
import llvmlite.binding as llvm
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
machine = llvm.Target.from_triple(triple).create_target_machine(cpu="help")
module = llvm.parse_assembly("define void @f() {{ ret void }}")
module.triple = triple
machine.emit_object(module)
"""


@functools.cache
def _names(triple: str) -> tuple[frozenset[str], frozenset[str]]:
    """The CPUs and the features that LLVM knows for a triple; a child asks, since some targets end the process."""
    if not sys.executable:
        return frozenset(), frozenset()  # embedded: there is no child to ask
    program = _LISTING.format(arguments=(sys.path, triple))
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, timeout=60)
    cpus, _, features = done.stderr.partition("Available features")
    pattern = re.compile(r"^  ([^\s]+) +- ", re.M)
    return frozenset(pattern.findall(cpus)), frozenset(pattern.findall(features.partition("Available CPUs")[0]))


def check_cpu(triple: str, cpu: str, features: str) -> None:
    """TargetError for a CPU or feature that LLVM would ignore."""
    for feature in features.split(",") if features else ():
        if feature[:1] not in ("+", "-") or len(feature) < 2:
            raise TargetError(f"feature {feature!r}: expected +name or -name, separated by commas")
    cpus, known = _names(triple)
    if not cpus:
        return  # this LLVM does not tell
    if cpu and cpu not in cpus:
        raise TargetError(f"unknown cpu {cpu!r} for {triple}{_nearest(cpu, sorted(cpus))}")
    for feature in features.split(",") if features else ():
        if feature[1:] not in known:
            raise TargetError(f"unknown feature {feature[1:]!r} for {triple}{_nearest(feature[1:], sorted(known))}")
