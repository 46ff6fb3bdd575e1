"""The hundred signatures on other machines: aarch64 and riscv64 under an emulator, WebAssembly in Node.

The program that a native machine runs, too, and prints the same everywhere: scalars, strings, containers, callbacks,
and errors, whose kind and message it reads. The runtime in it is built with the toolchain files that it comes with.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from support import callees
from support.cross import MACHINES, run

import jitffi

ROOT = Path(__file__).resolve().parents[2]
NODE = shutil.which("node") or shutil.which("nodejs") or "node"
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


def test_the_documentation_names_every_target() -> None:
    from jitffi.llvm import triples

    text = (ROOT / "docs" / "guide" / "ahead_of_time.md").read_text(encoding="utf-8")
    rows = text[text.index("| targets |") :].partition("\n\n")[0].splitlines()[2:]
    names = [re.findall(r"`(\w+)`", row.split("|")[1]) for row in rows]
    assert {name for found in names for name in found} == set(triples.ARCHS)
    run_here = {name for row, found in zip(rows, names, strict=True) if "| run: " in row for name in found}
    assert run_here == {"x86_64", *FOREIGN}


NAMES = """
const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
const exports = WebAssembly.Module.exports(module).map((one) => one.name);
const imports = WebAssembly.Module.imports(module).map((one) => one.module + "." + one.name);
console.log(JSON.stringify([exports, imports]));
"""


def test_the_hundred_as_one_wasm_module(tmp_path: Path) -> None:
    """Without the runtime: what it exports, and what it leaves to who loads it."""
    machine = MACHINES["wasm32"]
    machine.need()
    made = jitffi.emit(f"@{callees.FILE}", tmp_path / "hundred.wasm")
    exports, imports = map(set, json.loads(run(NODE, "-e", NAMES, made)))
    sigs = callees.signatures()
    assert exports >= {f"__jf_{name}" for name in sigs} | {f"__jfsig_{name}" for name in sigs} | {"__jfabi", "memory"}
    assert {f"env.{name}" for name in sigs} <= imports
    others = imports - {f"env.{name}" for name in sigs} - {"env.strlen", "env.memcpy"}
    assert all(name.startswith("env.jf_") for name in others), others
