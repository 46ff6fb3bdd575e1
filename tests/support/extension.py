"""Extension modules made of emitted Python entries and C source."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from jitffi.base import config
from jitffi.emission import adapter_modules
from jitffi.link import system_linker as linker
from jitffi.llvm import object_files
from jitffi.llvm.target import Target
from jitffi.signature.model import Signature

HOST = Target.of()
COMPILER = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)


def signatures(texts: dict[str, Any]) -> dict[str, Signature]:
    return {name: Signature.parse(text) if isinstance(text, str) else text for name, text in texts.items()}


def emit(path: Path, sigs: dict[str, Any], entry: str = "python", callee: str = "c", opt: int = 2, **more: Any) -> Path:
    """Write an object."""
    text = adapter_modules.module_text(signatures(sigs), entry=entry, callee=callee, target=HOST, **more)
    path.write_bytes(object_files.compile_text(text, HOST, opt, "o"))
    return path


def compile_c(path: Path, source: str) -> Path:
    assert COMPILER is not None
    path.with_suffix(".c").write_text(source)
    command = [COMPILER, "-O2", "-Wall", "-Werror", "-fPIC", "-c", str(path.with_suffix(".c")), "-o", str(path)]
    done = subprocess.run(
        [*command, *shlex.split(config.flags("includes"))], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return path


def link(folder: Path, stem: str, objects: list[Path]) -> Path:
    """The extension module `stem`; only its PyInit is visible."""
    made = folder / f"{stem}.so"
    linker.link(objects, made, kind="python", target=HOST, exports=[f"PyInit_{stem}"])
    return made


def extension(folder: Path, stem: str, sigs: dict[str, Any], source: str = "", **more: Any) -> Path:
    """The path of an extension module of these functions, whose callees are in *source*."""
    objects = [emit(folder / f"{stem}_entries.o", sigs, module=stem, **more)]
    if source:
        objects.append(compile_c(folder / f"{stem}_callees.o", source))
    return link(folder, stem, objects)


def load(path: Path, name: str | None = None) -> Any:
    """Import it from where it is, without a place in sys.modules."""
    name = name or path.stem
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def alone(code: str, *folders: Path, python: str = sys.executable) -> str:
    """What *code* prints in an interpreter that finds nothing but the standard library and what is in *folders*."""
    start = f"import sys; sys.path[:0] = {[str(folder) for folder in folders]!r}\n"
    end = "\nassert 'jitffi' not in sys.modules\n"
    done = subprocess.run([python, "-I", "-S", "-c", start + code + end], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
