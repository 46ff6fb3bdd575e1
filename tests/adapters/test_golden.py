"""IR of small adapters, as somebody has read it: tests/adapters/golden/*.ll, with what each is for in its directives.

    ;! sig = (i64) -> i64        the signature; a case's values are an echo's
    ;! entry = python            how it is called
    ;! callee = c                how it calls
    ;! options = k               keywords, defaults, nogil, errno by their first letters, p2 for pad=2; may be left out
    ;! level = 0                 0 or 2
    ;! values = 5, -1            what it is run with, a Python expression

The layout of the interpreter in these texts is made up, so that they are the same everywhere; addresses in the table
stand there by name. Each case is also verified by LLVM and run, with the layout of this interpreter, against a far end
that the C compiler has built. JITFFI_BLESS=1 pytest tests/adapters/test_golden.py rewrites the files; read the diff.
"""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path

import pytest
from support.adapters import FarEnds, function_at
from support.native import echo_source
from support.values import same

import jitffi
from jitffi import _core
from jitffi.adapters import adapter
from jitffi.base import layout
from jitffi.base.layout import Layout
from jitffi.conventions.base import Options
from jitffi.llvm import codegen
from jitffi.signature.model import TYPES, Signature

FOLDER = Path(__file__).resolve().parent / "golden"
CASES = sorted(FOLDER.glob("*.ll"))
DIRECTIVES = {"sig", "entry", "callee", "options", "level", "values"}

#: Every offset is another one, and none is any interpreter's.
GOLDEN = Layout({name: 1000 + 100 * i for i, name in enumerate(sorted(_core.LAYOUT))})


def read(path: Path) -> tuple[dict[str, str], str]:
    """Directives and the expected text."""
    lines = path.read_text().splitlines(keepends=True)
    head = [line for line in lines if line.startswith(";!")]
    directives = dict(line[2:].strip().split(" = ", 1) for line in head)
    assert set(directives) <= DIRECTIVES, f"{path.name}: unknown directive in {sorted(directives)}"
    return directives, "".join(lines[len(head) :]).strip() + "\n"


def text_of(directives: dict[str, str]) -> str:
    """The adapter's IR, with names for the places of the table and of the made-up layout."""
    sig = Signature.parse(directives["sig"])
    entry, callee = adapter.convention(directives["entry"]), adapter.convention(directives["callee"])
    options = Options.of(directives.get("options", ""))
    level = int(directives["level"])
    text = adapter.build_adapter("adapter", sig, entry, callee, options, GOLDEN, level > 0)
    text = re.sub(
        r"(getelementptr i8, ptr %table(?:\.\d+)?, i64) (\d+)",
        lambda m: f"{m[1]} <{_core.TABLE[int(m[2]) // 8]}>",
        text,
    )
    places = {value: name for name, value in GOLDEN.fields.items() if value >= 1000}

    def named(m: re.Match[str]) -> str:
        within = int(m[0]) % 100
        return f"<{places[int(m[0]) - within]}{f' + {within}' if within else ''}>"

    return re.sub(r"\b[1-9]\d\d\d\b", named, text) + "\n"


@pytest.fixture(scope="module")
def ends(build_library):
    types = [TYPES[name] for name in ("void", "i64", "u8", "f32", "bool", "str", "ptr", "cstr", "list")]
    return FarEnds(jitffi.load_library(build_library(echo_source(types), runtime=True)), types)


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_text_is_as_it_was_read(path):
    directives, expected = read(path)
    text = text_of(directives)
    if os.environ.get("JITFFI_BLESS") == "1":
        head = "".join(f";! {name} = {value}\n" for name, value in directives.items())
        path.write_text(f"{head}\n{text}")
        return
    diff = "".join(difflib.unified_diff(expected.splitlines(True), text.splitlines(True), path.name, "generated"))
    assert not diff, (
        f"{diff}\nIf that is right: JITFFI_BLESS=1 pytest tests/adapters/test_golden.py rewrites it; read the diff."
    )


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_text_is_verified_and_run(path, ends):
    directives, _ = read(path)
    sig = Signature.parse(directives["sig"])
    entry, callee, level = directives["entry"], directives["callee"], int(directives["level"])
    options = Options.of(directives.get("options", ""))
    convention = adapter.convention
    text = adapter.build_adapter("f", sig, convention(entry), convention(callee), options, layout.HOST, level > 0)
    codegen.parse(codegen.module_text(text))
    function = function_at("f", sig, entry, callee, ends.target(callee, sig.result, lambda x=None: x), level)
    call = ends.caller(function, entry, sig.result, sig, "packed_forward")
    if not sig.params:
        assert call() is None
    for value in eval(f"[{directives.get('values', '')}]"):
        assert same(call(value), value), value


def test_there_are_cases_of_each_convention():
    pairs = [read(path)[0] for path in CASES]
    assert {each["entry"] for each in pairs} == {each["callee"] for each in pairs} == set(adapter.CONVENTIONS)
    assert all(len(path.read_text().splitlines()) < 160 for path in CASES), "a golden is there to be read"
