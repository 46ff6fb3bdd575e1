"""Native code of the benchmarks: compiled once, into a cache outside the repository.

A build is found again by the hash of its command and of the files that it reads; the cache is in JITFFI_BENCH_CACHE,
else in the user's cache directory. Everything is made for one interpreter, the running one unless a build is told
another.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import pathlib
import shlex
import subprocess
import sys
import sysconfig
from types import ModuleType
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
NATIVE = ROOT / "benchmarks" / "native"
INCLUDE = ROOT / "runtime_c" / "include"
SUFFIX = str(sysconfig.get_config_var("EXT_SUFFIX"))
PYTHON_INCLUDE = f"-I{sysconfig.get_paths()['include']}"
#: For every extension alike, ours to compare with and the peers'.
FLAGS = ("-O3", "-DNDEBUG", "-fPIC", "-shared", "-fvisibility=hidden", "-s", f"-I{NATIVE}", f"-I{INCLUDE}")
CPP = ("-std=c++17",)


class Missing(Exception):
    """A contender that cannot take part, and why."""


def cache_directory() -> pathlib.Path:
    named = os.environ.get("JITFFI_BENCH_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = pathlib.Path(named or os.path.join(base, "jitffi-bench"))
    path.mkdir(parents=True, exist_ok=True)
    return path


def compiler(cpp: bool = False) -> str:
    return os.environ.get("CXX", "g++") if cpp else os.environ.get("CC", "gcc")


def build(name: str, command: list[str], sources: list[pathlib.Path], output: str = "-o") -> pathlib.Path:
    """Return the file *name* that *command* makes of *sources*. Missing, with the compiler's words, where it fails.

    The path holds the hash; the file's own name is kept, since an extension module is found by it.
    """
    digest = hashlib.sha256("\0".join(command).encode())
    for source in [*sources, *sorted(NATIVE.glob("*.h")), *sorted(INCLUDE.rglob("*.h*"))]:
        digest.update(source.read_bytes())
    directory = cache_directory() / digest.hexdigest()[:16]
    made = directory / name
    if not made.exists():
        directory.mkdir(exist_ok=True)
        unfinished = directory / f"{os.getpid()}-{name}"
        run([*command, output, str(unfinished)])
        unfinished.replace(made)  # at once: another run may be building the same
    return made


def run(command: list[str], folder: pathlib.Path | None = None) -> None:
    """Run a command to its end. Missing, with its words, where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    except OSError as error:
        raise Missing(f"{command[0]}: {error.strerror}") from None
    if done.returncode:
        raise Missing(f"{' '.join(command[:2])}: {done.stderr.strip()[-800:]}")


def load(name: str, path: pathlib.Path) -> ModuleType:
    """Import the extension module *name* from *path*."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def installed(name: str) -> Any:
    """Import a peer. Missing where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Missing(str(error)) from None


def plain() -> pathlib.Path:
    """The shared library that every contender calls: nobody can inline what it holds."""
    source = NATIVE / "plain.c"
    return build("libplain.so", [compiler(), *FLAGS, str(source)], [source])


def against_plain() -> tuple[str, ...]:
    """What links an extension with `plain`."""
    return against(plain())


def against(library: pathlib.Path) -> tuple[str, ...]:
    return str(library), f"-Wl,-rpath,{library.parent}"


def shared(name: str, *links: str) -> pathlib.Path:
    """The shared library made of native/*name*.c."""
    source = NATIVE / f"{name}.c"
    return build(f"lib{name}.so", [compiler(), *FLAGS, str(source), *links], [source])


def library(name: str, *links: str) -> ctypes.CDLL:
    """The same, loaded."""
    return ctypes.CDLL(str(shared(name, *links)))


def address(loaded: ctypes.CDLL, name: str) -> int:
    """Address of a function of a library."""
    found = ctypes.cast(getattr(loaded, name), ctypes.c_void_p).value
    assert found is not None
    return found


def emitted(signatures: dict[str, str]) -> ModuleType:
    """The extension module that jitffi makes of functions of `plain`, without a C compiler's part in it. Emitted anew:
    it depends on all of jitffi. In a process of its own, which loads LLVM."""
    made = cache_directory() / "emitted.so"
    library = plain()
    command = [sys.executable, "-m", "jitffi", "emit", *[f"{name}: {text}" for name, text in signatures.items()]]
    command += ["--entry", "python", f"--link={library}", f"--link=-rpath={library.parent}", "-o", str(made)]
    run(command)
    return load("emitted", made)


def extension(name: str, *links: str) -> ModuleType:
    """The extension module made of native/*name*.c, imported."""
    source = NATIVE / f"{name}.c"
    command = [compiler(), *FLAGS, PYTHON_INCLUDE, str(source), *links]
    return load(name, build(f"{name}{SUFFIX}", command, [source]))


def hand_written(*more_flags: str) -> ModuleType:
    """The extension that a careful author writes."""
    return extension("handmade", *more_flags, *against_plain())


def against_runtime() -> tuple[str, ...]:
    """What links a library with jitffi's C runtime, the one that this process has loaded."""
    from jitffi.base import config

    return tuple(shlex.split(config.flags("libs")))


def bare(python: str = sys.executable) -> pathlib.Path:
    """An extension module with one function, for any interpreter: what starting with native code costs at least."""
    facts = "import sysconfig as s; print(s.get_paths()['include'], s.get_config_var('EXT_SUFFIX'))"
    asked = subprocess.run([python, "-c", facts], capture_output=True, text=True)
    if asked.returncode:
        raise Missing(f"{python}: {asked.stderr.strip()[-200:]}")
    include, suffix = asked.stdout.split()
    source = NATIVE / "bare.c"
    return build(f"bare{suffix}", [compiler(), *FLAGS, f"-I{include}", str(source)], [source])
