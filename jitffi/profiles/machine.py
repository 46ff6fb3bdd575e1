"""What results of tuning depend on beside the workload: the CPU, its caches, the compiler, the versions."""

from __future__ import annotations

import functools
import os
import platform
import re
import sys

from jitffi import _core
from jitffi.base.apart import apart
from jitffi.base.fork_locks import IMPORTS

_CACHES = "/sys/devices/system/cpu/cpu0/cache"
#: Where nothing tells: of a small machine, in bytes.
_USUAL_CACHES = (32 << 10, 1 << 20)


@functools.cache
def cpu_model() -> str:
    """Return what runs are compared by: the CPU's name with its numbers, as "AMD EPYC 9B45 (family 26, model 2)".

    Reads one file, and loads nothing. The machine's architecture, where the system tells no more.
    """
    fields = dict.fromkeys(("model name", "cpu family", "model"), "")
    for line in reversed(_lines("/proc/cpuinfo")):
        name, _, value = line.partition(":")
        if name.strip() in fields:
            fields[name.strip()] = value.strip()
    named, family, model = fields.values()
    named = named or platform.processor() or platform.machine() or "unknown"
    return f"{named} (family {family}, model {model})" if family and model else named


@functools.cache
def caches() -> tuple[int, ...]:
    """Return the bytes of the data caches that one core sees, nearest first, each larger than the one before."""
    found: dict[int, int] = {}
    for index in range(10):
        folder = f"{_CACHES}/index{index}"
        level, kind, size = (_first(f"{folder}/{name}") for name in ("level", "type", "size"))
        if level.isdigit() and kind != "Instruction":
            found[int(level)] = _bytes(size)
    sizes = [found[level] for level in sorted(found)] or [_configured(level) for level in (1, 2, 3)]
    growing = [size for i, size in enumerate(sizes) if size > max(sizes[:i], default=0)]
    return tuple(growing) or _USUAL_CACHES


@apart
def environment() -> dict[str, object]:
    """Return everything, as plain values for JSON. Loads LLVM.

    >>> sorted(environment())
    ['abi', 'caches', 'cpu', 'cpu_name', 'jitffi', 'libc', 'llvm', 'llvmlite', 'platform', 'python', 'threads']
    """
    with IMPORTS:  # what is loaded takes the lock around LLVM, which comes behind this one
        import llvmlite
        import llvmlite.binding as llvm

        from jitffi.llvm.target import HOST

    abi = _core.abi_version()
    return {
        "cpu": cpu_model(),
        "cpu_name": HOST.cpu,
        "threads": os.cpu_count() or 1,
        "caches": {f"L{level}": size for level, size in enumerate(caches(), 1)},
        "llvm": ".".join(map(str, llvm.llvm_version_info)),
        "llvmlite": llvmlite.__version__,
        "abi": f"{abi >> 16}.{abi & 0xFFFF}",
        "jitffi": _core.VERSION,
        "python": platform.python_version(),
        "libc": " ".join(platform.libc_ver()).strip(),
        "platform": f"{sys.platform} {platform.machine()}",
    }


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def _first(path: str) -> str:
    return next(iter(_lines(path)), "").strip()


def _bytes(text: str) -> int:
    """As the kernel writes sizes: 48K, 32768K, 1M."""
    match = re.fullmatch(r"(\d+)([KMG]?)", text)
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2]] if match else 0


def _configured(level: int) -> int:
    name = "SC_LEVEL1_DCACHE_SIZE" if level == 1 else f"SC_LEVEL{level}_CACHE_SIZE"
    try:
        return max(0, os.sysconf(name))
    except (ValueError, OSError, AttributeError):
        return 0
