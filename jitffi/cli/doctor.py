"""`jitffi doctor`: what this installation consists of, what works, and what would be missing.

Each check looks at one thing and never raises; whoever reads its text can act on it.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass

from jitffi.base.apart import apart

OK, NOTE, BROKEN = "ok", "note", "broken"
#: Variables that change what the package does.
_VARIABLES = (
    "JITFFI_CACHE_DIR", "JITFFI_DUMP", "JITFFI_PERF", "JITFFI_DEBUG", "JITFFI_LINKER", "JITFFI_PROFILE", "JITFFI_TRACE",
)  # fmt: skip
_MACHINES = ("x86_64", "aarch64")
_TESTED = f"only CPython on Linux is tested, on {' and '.join(_MACHINES)}"
#: What the extra `tune` installs, and what autotune does without it.
_TUNING = {"pyarrow": "reads no Parquet", "distributed": "uses no Dask cluster"}
#: What a part raises that is missing, of another version, or not allowed to do its work here.
_FAILURES = (ImportError, AttributeError, OSError, RuntimeError, MemoryError, TypeError, ValueError)


@dataclass(frozen=True)
class Check:
    """One finding. `state`: ok; note, something optional is missing; broken, something needed is."""

    name: str
    state: str
    detail: str


@dataclass(frozen=True)
class Report:
    """All findings, and what the process exits with."""

    checks: tuple[Check, ...]

    @property
    def exit_code(self) -> int:
        return 1 if any(check.state == BROKEN for check in self.checks) else 0

    def as_dict(self) -> dict[str, object]:
        return {"ok": self.exit_code == 0, "checks": [asdict(check) for check in self.checks]}


def examine() -> Report:
    """Look at everything."""
    return Report(tuple(check() for check in _CHECKS))


def _broken(name: str, error: BaseException) -> Check:
    return Check(name, BROKEN, " ".join(f"{type(error).__name__}: {error}".split()))


def _extension() -> Check:
    try:
        from jitffi import _core
    except ImportError as error:
        return _broken("jitffi", error)
    abi = _core.abi_version()
    return Check("jitffi", OK, f"{_core.VERSION}, ABI {abi >> 16}.{abi & 0xFFFF}")


def _python() -> Check:
    text = f"{platform.python_implementation()} {platform.python_version()} on {platform.system()} {platform.machine()}"
    is_known = sys.platform == "linux" and sys.implementation.name == "cpython" and platform.machine() in _MACHINES
    return Check("python", OK if is_known else NOTE, text if is_known else f"{text}: {_TESTED}")


@apart
def _cpu() -> Check:
    try:
        from jitffi.llvm.target import HOST

        cpu = HOST.cpu
    except _FAILURES as error:
        return Check("cpu", NOTE, f"{platform.machine()}; its name is LLVM's to tell: {error}")
    return Check("cpu", OK, f"{cpu}, {os.cpu_count()} threads")


@apart
def _llvm() -> Check:
    """Load LLVM, compile an adapter, map and call it: everything that a first use needs."""
    import time

    try:
        import llvmlite
        import llvmlite.binding as llvm

        import jitffi
        from jitffi.adapters import code_store, tiers

        version = ".".join(map(str, llvm.llvm_version_info))
        begun = time.perf_counter()
        request = code_store.Request("python", "c", jitffi.Signature.parse("(i64) -> i64"))
        tiers.compile_now(request)
        took = time.perf_counter() - begun
    except _FAILURES as error:
        return _broken("llvm", error)
    return Check(
        "llvm", OK, f"{version} in llvmlite {llvmlite.__version__}; an adapter compiled in {took * 1e3:.1f} ms"
    )


def _call() -> Check:
    """Call out and be called back, through the code that a user would get."""
    try:
        import jitffi

        double = jitffi.function("(x: i64) -> i64")(lambda x: 2 * x)
        address = jitffi.Function(double).native_address
        answer = jitffi.Function.from_native(address, "(i64) -> i64", keep_alive=double)(21)
    except _FAILURES as error:
        return _broken("call", error)
    if answer != 42:
        return Check("call", BROKEN, f"a callback called through its own address gave {answer}, not 42")
    return Check("call", OK, "generated code runs, callbacks too")


def _c_parser() -> Check:
    try:
        import pycparser
    except ImportError as error:
        return _broken("c parser", error)
    return Check("c parser", OK, f"pycparser {pycparser.__version__}")


def _numpy() -> Check:
    try:
        import numpy
    except ImportError as error:
        return Check("numpy", NOTE, f"not there, arrays cannot be passed: {error}")
    return Check("numpy", OK, str(numpy.__version__))


def _headers() -> Check:
    try:
        from jitffi.base import config

        return Check("headers", OK, f"{config.include_dir()}, {config.library_file()}, {config.script_library_file()}")
    except (ImportError, FileNotFoundError) as error:
        return Check("headers", NOTE, f"C programs cannot be built: {error}")


def _compiler() -> Check:
    names = [os.environ["CC"].split()[0]] if os.environ.get("CC", "").split() else ["cc", "gcc", "clang"]
    for name in names:
        path = shutil.which(name)
        if path is not None:
            return Check("compiler", OK, f"{path}: {_first_line(path)}")
    return Check("compiler", NOTE, f"none of {', '.join(names)}; only the tests and your own C programs need one")


def _linker() -> Check:
    try:
        from jitffi.link import system_linker
        from jitffi.llvm.target import Target

        found = f"{system_linker.find('so', Target.of())}"
    except _FAILURES as error:
        return Check("linker", NOTE, f"emit makes no .so: {error}")
    try:
        return Check(
            "linker", OK, f"{found}; for WebAssembly {system_linker.find('wasm', Target.of('wasm32-unknown-unknown'))}"
        )
    except OSError as error:
        return Check("linker", OK, f"{found}; emit makes no .wasm: {error}")


def _first_line(compiler: str) -> str:
    try:
        run = subprocess.run([compiler, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (run.stdout or run.stderr).partition("\n")[0].strip()


def _tools() -> Check:
    missing = [tool for tool in ("gdb", "perf") if shutil.which(tool) is None]
    if missing:
        return Check("tools", NOTE, f"no {', no '.join(missing)}; see docs/guide/debugging.md for what they show")
    return Check("tools", OK, "gdb, perf")


def _cache() -> Check:
    try:
        from jitffi.adapters import cache
    except ImportError as error:
        return _broken("cache", error)
    where = cache.directory()
    if where is None:
        return Check("cache", NOTE, "off: each process compiles for itself")
    trouble = _trouble(where)
    if trouble:
        return Check("cache", NOTE, f"{where}: {trouble}")
    found = cache.info()
    return Check("cache", OK, f"{where}: {found['entries']} entries, {found['bytes']} bytes{_mount(where)}")


def _trouble(where: str) -> str:
    """Say why the cache at *where* is not used, or used for reading only; "" when all is well."""
    try:
        info = os.stat(where)
    except (FileNotFoundError, NotADirectoryError):
        return _cannot_make(where)
    except OSError as error:
        return f"not used: {error.strerror}"
    if not stat.S_ISDIR(info.st_mode):
        return "not used: no directory"
    if info.st_uid != os.geteuid():
        return f"not used: it belongs to user {info.st_uid}, not to {os.geteuid()}"
    if info.st_mode & 0o022:
        return f"not used: others can write to it (mode {info.st_mode & 0o777:o}; chmod go-w)"
    if not os.access(where, os.W_OK | os.X_OK) or _flags(where) & os.ST_RDONLY:
        return "read-only: found entries are used, new ones not kept"
    return ""


def _cannot_make(where: str) -> str:
    """Say why the directory cannot be made on first use; "" when it can."""
    parent = where
    while not os.path.lexists(parent):
        parent = os.path.dirname(parent)
    if os.path.isdir(parent) and os.access(parent, os.W_OK | os.X_OK):
        return ""
    return f"not used: it is not there and cannot be made in {parent}"


def _flags(where: str) -> int:
    try:
        return os.statvfs(where).f_flag
    except OSError:
        return 0


def _mount(where: str) -> str:
    noexec = getattr(os, "ST_NOEXEC", 0)
    return "; mounted noexec, which does no harm: code is copied to memory" if _flags(where) & noexec else ""


def _tuning() -> Check:
    missing = [f"{what} without {name}" for name, what in _TUNING.items() if not _is_there(name)]
    if missing:
        return Check("tuning", NOTE, f"autotune {', '.join(missing)}: pip install 'jitffi[tune]'")
    return Check("tuning", OK, ", ".join(_TUNING))


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _variables() -> Check:
    given = [f"{name}={os.environ[name]}" for name in _VARIABLES if name in os.environ]
    return Check("variables", OK, ", ".join(given) or "none set")


_CHECKS: tuple[Callable[[], Check], ...] = (
    _extension, _python, _llvm, _cpu, _call, _c_parser, _numpy, _headers, _compiler, _linker, _tools, _cache,
    _tuning, _variables,
)  # fmt: skip
