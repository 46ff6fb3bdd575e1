"""The hundred signatures on other machines: aarch64 and riscv64 under an emulator, WebAssembly in Node.

The program that a native machine runs, too, and prints the same everywhere: scalars, strings, containers, callbacks,
and errors, whose kind and message it reads. The runtime in it is built with the toolchain files that it comes with.
Then JavaScript on both sides of a WebAssembly module, as examples/wasm has it.
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

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "wasm"
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

    text = (EXAMPLE.parents[1] / "docs" / "guide" / "ahead_of_time.md").read_text(encoding="utf-8")
    rows = text[text.index("| targets |") :].partition("\n\n")[0].splitlines()[2:]
    names = [re.findall(r"`(\w+)`", row.split("|")[1]) for row in rows]
    assert {name for found in names for name in found} == set(triples.ARCHS)
    run_here = {name for row, found in zip(rows, names, strict=True) if "| run: " in row for name in found}
    assert run_here == {"x86_64", *FOREIGN}


JAVASCRIPT_SAYS = """\
scale -192
scale 3
shout GRÜSSE!
shout A LONGER TEXT!!!
apply 4611686018427387905n
OverflowError: scale: argument 2 'by': expected i8 (-128 to 127), got int 128
TypeError: scale: argument 1 'x': expected f64, got str '1.5'
ValueError: 101 marks are too many
TypeError: shout: expected 1 to 2 arguments, got 0
TypeError: apply: argument 1 'f': expected func[(i64) -> i64], got int 5
"""
NAMES = """
const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
const exports = WebAssembly.Module.exports(module).map((one) => one.name);
const imports = WebAssembly.Module.imports(module).map((one) => one.module + "." + one.name);
console.log(JSON.stringify([exports, imports]));
"""
IMPORTS = """
const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
console.log(WebAssembly.Module.imports(module).map((one) => `${one.module}.${one.name}`).sort().join(" "));
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


def test_javascript_calls_javascript_through_wasm(tmp_path: Path) -> None:
    machine = MACHINES["wasm32"]
    machine.need()
    libc = run("clang", "--target=wasm32-wasi", "-print-file-name=libc.a").strip()
    functions = re.findall(r"--link=(--export=jf_\w+)", (EXAMPLE / "text.mjs").read_text())
    assert len(functions) == 7
    made = jitffi.emit(
        f"@{EXAMPLE / 'text.sigs'}", tmp_path / "text.wasm", link=[*machine.libraries(), libc, *functions]
    )
    assert run(NODE, EXAMPLE / "text.mjs", made) == JAVASCRIPT_SAYS
    assert run(NODE, "-e", IMPORTS, made) == "env.apply env.scale env.shout\n"
