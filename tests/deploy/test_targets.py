"""The matrix of what is emitted: signatures, conventions and targets, twice the same bytes; macOS and Windows.

A little of it is among the ordinary tests; `make test-targets` sets JITFFI_TARGETS=all for the hundred signatures and
all pairs of conventions.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import callees
from support.builds import run

import jitffi
from jitffi.base.errors import LinkError
from jitffi.conventions.base import CONVENTIONS
from jitffi.conventions.table import convention
from jitffi.link import system_linker
from jitffi.llvm.target import Target

IS_FULL = os.environ.get("JITFFI_TARGETS") == "all"
TARGETS = (
    "x86_64-linux-gnu",
    "aarch64-linux-gnu",
    "riscv64-linux-gnu",
    "armv7-linux-gnueabihf",
    "wasm32-unknown-unknown",
)
PAIRS = [(a, b) for a, b in itertools.product(sorted(CONVENTIONS), repeat=2) if a != b]
PROGRAM = """
import hashlib, json, os, sys
from pathlib import Path
import jitffi
from support import callees

sigs = callees.signatures()
if len(sys.argv) > 2:
    sigs = dict(list(sigs.items())[::12])
found = {}
for entry, callee, target in json.loads(sys.argv[1]):
    made = Path(f"{entry}-{callee}-{target}.o")
    taken = {}
    for name, sig in sigs.items():
        try:
            jitffi.emit({name: sig}, made, entry=entry, callee=callee, target=target, opt=0)
            taken[name] = sig
        except (TypeError, ValueError) as error:
            found[f"{made}: {name}"] = f"{type(error).__name__}: {error}"
    if taken:
        jitffi.emit(taken, made, entry=entry, callee=callee, target=target)
        found[str(made)] = f"{len(taken)} {hashlib.sha256(made.read_bytes()).hexdigest()}"
        made.unlink()
print(json.dumps(found))
"""


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    pairs = PAIRS if IS_FULL else [("packed", "c"), ("c", "packed")]
    jobs = [(*pair, target) for pair in pairs for target in TARGETS]
    support = str(Path(__file__).resolve().parents[1])
    outputs = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": support}
        words = ["-c", PROGRAM, json.dumps(jobs), *["few"] * (not IS_FULL)]
        done = subprocess.run(
            [sys.executable, *words],
            cwd=folder, env=environment, capture_output=True, text=True, timeout=3000,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        outputs.append(json.loads(done.stdout))
    assert outputs[0] == outputs[1]
    made = {name: said for name, said in outputs[0].items() if name.endswith(".o")}
    for entry, callee, target in jobs:
        native = not (convention(entry).needs_python or convention(callee).needs_python)
        if native:
            assert f"{entry}-{callee}-{target}.o" in made
    print(f"{len(made)} objects of {sum(int(said.split()[0]) for said in made.values())} functions, each twice")


# -- macOS and Windows ----------------------------------------------------------------------------------------------

FOREIGN = ("x86_64-apple-macos11", "arm64-apple-macos11.0", "x86_64-pc-windows-msvc", "aarch64-pc-windows-msvc")


def tool(name: str) -> str:
    """A program of LLVM's; the test is skipped without it."""
    folders = [str(path) for path in sorted(Path("/usr/lib").glob("llvm-*/bin"), reverse=True)]
    found = shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))
    if found is None:
        pytest.skip(f"no {name}")
    return found


def symbols(path: Path, *options: str) -> set[str]:
    return set(run(tool("llvm-nm"), "--format=just-symbols", *options, path).split())


@pytest.mark.parametrize("target", FOREIGN)
def test_objects_have_the_symbols_of_their_system(target: str, tmp_path: Path) -> None:
    sigs = callees.signatures()
    few = sigs if IS_FULL else dict(list(sigs.items())[::10])
    made = jitffi.emit(few, tmp_path / "made.o", target=target)
    prefix = "_" if "apple" in target else ""
    defined = symbols(made, "--defined-only", "--extern-only")
    assert {f"{prefix}__jf_{name}" for name in few} | {f"{prefix}__jfsig_{name}" for name in few} <= defined
    assert f"{prefix}__jfabi" in defined
    needed = symbols(made, "--undefined-only")
    assert {f"{prefix}{name}" for name in few} <= needed
    others = needed - {f"{prefix}{name}" for name in few} - {f"{prefix}strlen", f"{prefix}memcpy", f"{prefix}memset"}
    assert all(name.startswith(f"{prefix}jf_") for name in others - {"__chkstk", "_fltused"}), others
    said = run(tool("llvm-readobj"), "--file-headers", made)
    arch = {"x86_64": "(x86-64|X86_64|X86-64|AMD64)", "arm64": "(Arm64|ARM64)", "aarch64": "ARM64"}[
        target.split("-")[0]
    ]
    assert re.search(arch, said), said


@pytest.mark.parametrize("target", FOREIGN)
def test_libraries_are_linked_by_lld(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_linker, "_ziglang", lambda program: iter(()))
    for variable in ("JITFFI_LINKER", "CC", "LD"):
        monkeypatch.delenv(variable, raising=False)
    try:
        system_linker.find("so", Target.of(target))
    except LinkError as error:
        pytest.skip(str(error))
    sigs = {"add": "(x: i64, y: i64) -> i64", "shout": "(text: str) -> str"}
    made = jitffi.emit(sigs, tmp_path / "made.o", target=target)
    prefix = "_" if "apple" in target else ""
    link = []
    if "windows" in target:  # nothing is left open there: callees and runtime come from other objects
        clang = tool("clang")
        lines = [f"void {name}(void) {{}}" for name in sorted(symbols(made, "--undefined-only"))]
        (tmp_path / "others.c").write_text("\n".join([*lines, ""]))
        run(clang, f"--target={target}", "-w", "-c", tmp_path / "others.c", "-o", tmp_path / "others.obj")
        link = [tmp_path / "others.obj"]
    libraries = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        libraries.append(jitffi.emit(sigs, tmp_path / name / "made.so", target=target, link=link).read_bytes())
    assert libraries[0] == libraries[1]
    library = tmp_path / "one" / "made.so"
    if "windows" in target:
        exported = set(re.findall(r"Name: (\S+)", run(tool("llvm-readobj"), "--coff-exports", library)))
        assert exported == {"__jf_add", "__jf_shout", "__jfsig_add", "__jfsig_shout", "__jfabi"}
        with pytest.raises(LinkError, match="undefined symbol: add"):
            jitffi.emit(sigs, library, target=target)
    else:
        assert {f"{prefix}__jf_add", f"{prefix}__jfsig_shout"} <= symbols(library, "--defined-only", "--extern-only")
        assert f"{prefix}add" in symbols(library, "--undefined-only")
