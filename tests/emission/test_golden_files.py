"""IR of whole modules, as somebody has read it: tests/emission/golden/*.ll, with what each is for in its directives.

    ;! f = (a: i64) -> i64       a function and its signature; there may be several
    ;! entry = packed            how it is called
    ;! callee = c                how it calls
    ;! target = wasm32-wasi

LLVM's layout of data stands there as "...". `JITFFI_BLESS=1 pytest tests/emission/test_golden_files.py`
rewrites the files; read the diff. The same code is run by the other tests here.
"""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path

import pytest

from jitffi.emission import adapter_modules
from jitffi.llvm import object_files
from jitffi.llvm.target import Target
from jitffi.signature.model import Signature

FOLDER = Path(__file__).resolve().parent / "golden"
CASES = sorted(FOLDER.glob("*.ll"))


def read(path):
    """Directives and the expected text."""
    lines = path.read_text().splitlines(keepends=True)
    head = [line for line in lines if line.startswith(";!")]
    directives = dict(line[2:].strip().split(" = ", 1) for line in head)
    return directives, "".join(lines[len(head) :]).strip() + "\n"


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_module_is_as_it_was_read(path):
    directives, expected = read(path)
    options = {name: directives[name] for name in ("entry", "callee")}
    sigs = {name: Signature.parse(text) for name, text in directives.items() if name not in (*options, "target")}
    target = Target.of(directives["target"])
    text = adapter_modules.module_text(sigs, **options, target=target)
    assert object_files.compile_text(text, target, 0, "ll")
    text = re.sub(r'target datalayout = "[^"]*"', 'target datalayout = "..."', text)
    if os.environ.get("JITFFI_BLESS") == "1":
        head = "".join(f";! {name} = {value}\n" for name, value in directives.items())
        path.write_text(f"{head}\n{text}")
        return
    diff = "".join(difflib.unified_diff(expected.splitlines(True), text.splitlines(True), path.name, "generated"))
    assert not diff, f"{diff}\nIf that is right: JITFFI_BLESS=1 rewrites it; read the diff."


def test_there_are_cases_that_can_be_read():
    assert {read(path)[0]["target"].partition("-")[0] for path in CASES} == {"x86_64", "riscv64", "wasm32"}
    assert all(len(path.read_text().splitlines()) < 160 for path in CASES)
