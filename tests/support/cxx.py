"""C and C++ programs and libraries of the tests, compiled as a user of the installed package compiles them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from jitffi.base import config
from support.builds import run

COMPILERS = ("g++", "clang++")
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wmissing-declarations", "-Werror"]


def compiled(source: Path, made: Path, *options: str, compiler: str = "g++") -> Path:
    """The program or, with -shared among *options*, the library *made* of a source; skips without the compiler."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    dialect = "-std=c++17" if "++" in compiler else "-std=c11"
    flags = [dialect, *STRICT, *config.flags("includes").split(), f"-I{source.parent}"]
    libraries = [f"-L{config.library_dir()}", "-ljitffi_runtime", f"-Wl,-rpath,{config.library_dir()}"]
    run(compiler, *flags, *options, source, "-o", made, *([] if "-c" in options else libraries))
    return made
