"""The hundred signatures on other machines: aarch64 and riscv64 under an emulator, WebAssembly in Node.

The program that a native machine runs, too, and prints the same everywhere: scalars, strings, containers, callbacks,
and errors, whose kind and message it reads. The runtime in it is built with the toolchain files that it comes with.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support import callees
from support.cross import MACHINES

import jitffi

FOREIGN = [name for name in MACHINES if name != "host"]


@pytest.mark.parametrize("name", FOREIGN)
def test_the_hundred_on(name: str, tmp_path: Path) -> None:
    machine = MACHINES[name]
    machine.need()
    source, expected = callees.program()
    (tmp_path / "program.c").write_text(source)
    made = jitffi.emit(f"@{callees.FILE}", tmp_path / "hundred.o", header=tmp_path / "hundred.h", target=machine.triple)
    strict = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-I", str(tmp_path)]
    machine.compile(tmp_path / "program", [tmp_path / "program.c", made], *strict)
    assert machine.run(tmp_path / "program").splitlines() == expected.splitlines()
