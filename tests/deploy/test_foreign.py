"""The hundred signatures on other machines: those of Linux under an emulator, WebAssembly in Node and in wasmtime.

The program that a native machine runs, too, and prints the same everywhere: scalars, strings, containers, callbacks,
and errors, whose kind and message it reads. The runtime in it is built with the toolchain files that it comes with.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from support import callees
from support.cross import MACHINES, run, run_in_wasmtime

import jitffi
from jitffi.conventions.table import CONVENTIONS

ROOT = Path(__file__).resolve().parents[2]
NODE = shutil.which("node") or shutil.which("nodejs") or "node"
FOREIGN = [name for name in MACHINES if name != "host"]
#: Beside the packed entries, which all have: those of each convention, and what calls them, by JITFFI_TARGETS=all.
OTHERS = sorted(set(CONVENTIONS) - {"packed", "python"})
BETWEEN = [None, *(OTHERS if os.environ.get("JITFFI_TARGETS") == "all" else [])]


def emitted(between: str | None, folder: Path, target: str | None) -> list[Path]:
    """Objects whose packed entries come to C's functions, through functions of the convention *between*."""
    sigs = callees.signatures()
    calls = jitffi.emit(sigs, folder / "hundred.o", header=folder / "hundred.h", target=target)
    if between is None:
        return [calls]
    others = {callees.apart(name): sig for name, sig in sigs.items()}
    # What is called by C's convention is emitted, too: it calls packed entries, which call C's functions.
    entry, callee = ("c", "packed") if between == "c" else ("packed", between)
    made = [calls] if between == "c" else []
    for name, sig in sigs.items():
        own = {"callee_name": callees.apart(name), "target": target}
        made.append(jitffi.emit({name: sig}, folder / f"{name}.o", entry=entry, callee=callee, **own))
    return [*made, jitffi.emit(others, folder / "called.o", entry=callee, target=target)]


@pytest.mark.parametrize("between", BETWEEN, ids=str)
@pytest.mark.parametrize("name", FOREIGN)
def test_the_hundred_on(name: str, between: str | None, tmp_path: Path) -> None:
    machine = MACHINES[name]
    machine.need()
    source, expected = callees.program(between)
    (tmp_path / "program.c").write_text(source)
    made = emitted(between, tmp_path, machine.triple)
    strict = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-I", str(tmp_path)]
    machine.compile(tmp_path / "program", [tmp_path / "program.c", *made], *strict)
    assert machine.run(tmp_path / "program").splitlines() == expected.splitlines()
    if name == "wasm32" and (said := run_in_wasmtime(tmp_path / "program")) is not None:
        assert said.splitlines() == expected.splitlines()


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
