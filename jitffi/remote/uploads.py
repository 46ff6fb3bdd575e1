"""What a session sends to workers: files as they are, and what is compiled here for a worker's machine."""

from __future__ import annotations

import hashlib
import os
import struct
import tempfile
from pathlib import Path
from typing import Any

import jitffi
from jitffi.remote.protocol import File

#: Numbers of machines in the heads of ELF files (ELF specification, e_machine), by the names of processors.
_ELF_MACHINES = {3: "i686", 21: "powerpc64", 22: "s390x", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
_ELF_MACHINES |= {8: "mips", 258: "loongarch64"}


class Upload:
    """Something that workers get, by the name under which the program loads it."""

    def __init__(self, given: Any, name: str | None) -> None:
        """*given*: a script or kernel, or the path of a file: a shared library, an object, or Python."""
        self._given = given
        self._path: Path | None = None
        self._made: dict[str, File] = {}
        if isinstance(given, str | os.PathLike) and ".py:" not in os.fspath(given):
            self._path = Path(given)
            self.name = name or self._path.name
            if not self._path.is_file():
                raise FileNotFoundError(f"upload: there is no file {str(self._path)!r}")
            if self._path.suffix not in (".so", ".o", ".py"):
                raise ValueError(f"upload: {self._path.name}: expected a .so, an .o or a .py, or a script")
        else:
            found = getattr(given, "__name__", None) or str(given).rpartition(":")[2]
            self.name = name or f"{found}.so"
        self.is_python = self._path is not None and self._path.suffix == ".py"

    def file(self, triple: str) -> File:
        """What a worker of that machine gets; compiled at most once."""
        key = "" if self.is_python else triple
        if key not in self._made:
            content = self._content(triple)
            suffix = ".py" if self.is_python else ".so"
            name = Path(self.name).with_suffix(suffix).name
            self._made[key] = File(hashlib.sha256(content).hexdigest(), name, content)
        return self._made[key]

    def _content(self, triple: str) -> bytes:
        if self._path is None:
            with tempfile.TemporaryDirectory(prefix="jitffi-upload-") as folder:
                out = Path(folder) / "made.so"
                return jitffi.emit(self._given, out, target=_target(triple)).read_bytes()
        content = self._path.read_bytes()
        if self.is_python:
            return content
        _check_machine(self._path.name, content, triple)
        return _linked(self._path, triple) if self._path.suffix == ".o" else content


def _target(triple: str) -> str | None:
    """What `emit` is told; None for a machine like this one, whose own linker does it."""
    from jitffi.llvm.target import Target

    return None if Target.of(triple).is_host else triple


def _linked(path: Path, triple: str) -> bytes:
    from jitffi.link import system_linker
    from jitffi.llvm.target import Target

    with tempfile.TemporaryDirectory(prefix="jitffi-upload-") as folder:
        out = Path(folder) / "linked.so"
        system_linker.link([path], out, kind="so", target=Target.of(triple))
        return out.read_bytes()


def _check_machine(name: str, content: bytes, triple: str) -> None:
    """ValueError for what no machine of that kind can load."""
    wanted = triple.partition("-")[0]
    if content[:4] != b"\x7fELF" or len(content) < 20:
        raise ValueError(f"upload: {name} is no ELF file: it begins with {content[:4]!r}")
    order = "<" if content[5] == 1 else ">"
    (number,) = struct.unpack_from(f"{order}H", content, 18)
    found = _ELF_MACHINES.get(number, f"machine {number}")
    if found != wanted and not (found == "arm" and wanted.startswith("arm")):
        raise ValueError(f"upload: {name} is for {found}, the worker's machine is {triple}")
