"""The generator's own promises: every target, dead code, large functions, IR that tells its story."""

# ruff: noqa

from __future__ import annotations

import pytest

import jitffi
from jitffi.adapters.unit import assemble
from jitffi.llvm.target import HOST, Target
from jitffi.llvm import object_files
from jitffi.scripts.analysis import infer
from jitffi.scripts.api.program import Program
from jitffi.scripts import lower
from jitffi.scripts.library import rules
from jitffi.scripts.library.builtins import ROWS
from jitffi.scripts.lower.builtins import BUILTINS
from jitffi.scripts.lower.containers.fragments import FRAGMENTS
from jitffi.scripts.lower.function import outlined
from jitffi.scripts.lower.function.module import Module, module_text
from jitffi.scripts.lower.function.values import Pads
from jitffi.scripts.tree.types import ANY, INT, STR
from tests.scripts import alike, test_statements


def words(text):
    counts = {}
    best = ""
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
        if len(word) > len(best):
            best = word
    return [counts, best]


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def dead(n):
    while True:
        n += 1
        if n > 10:
            return n
    x = "never"
    return x + 1


def _text(function, types, target):
    scripts = Program({})
    return module_text(infer.infer_program(scripts.script(function), types, lambda script: script.tree), target)


TRIPLES = [
    "i686-linux-gnu", "armv7-linux-gnueabihf", "aarch64-linux-gnu", "riscv64-linux-gnu", "powerpc64le-linux-gnu",
    "wasm32-unknown-unknown", "x86_64-windows-msvc", "arm64-apple-darwin",
]  # fmt: skip


@pytest.mark.parametrize("triple", TRIPLES)
def test_all_targets(triple):
    target = Target.of(triple)
    for function, types in ((words, (STR,)), (words, (ANY,)), (fib, (INT,))):
        assert object_files.compile_text(_text(function, types, target), target, 0, "o")


def test_dead_code_is_written_and_left_out():
    text = _text(dead, (INT,), HOST)
    assert "never" not in object_files.compile_text(text, HOST, 2, "ll").decode()
    assert jitffi.script(dead)(3) == 11


def test_the_source_stands_in_the_text():
    text = _text(words, (STR,), HOST)
    assert "; words(text: str) ->" in text
    assert ": for word in text.lower().split():" in text


def test_text_of_parameters_has_no_slot():
    def parts(text):
        found = ""
        for word in text.split():
            part = word.strip("a")[1:]
            if part > found:
                found = part
        return len(found)

    assert jitffi.script(parts)("abc ade") == 1
    assert "jf_text_hold" not in _text(parts, (STR,), HOST)


def test_what_is_lowered_is_what_there_is():
    lower.load()
    assert set(BUILTINS) == set(ROWS)
    assert rules._ALWAYS.keys() <= ROWS.keys()


@pytest.mark.parametrize("triple", ["x86_64-linux-gnu", "i686-linux-gnu", "riscv64-linux-gnu"])
def test_every_fragment_is_ir(triple):
    """All of them in one module, which LLVM verifies."""
    lower.load()
    target = Target.of(triple)
    module = Module(target.abi, Pads())
    for name in FRAGMENTS:
        module.fragment(name)
    assert object_files.compile_text(assemble(module.unit, target), target, 0, "o")


@pytest.mark.parametrize("function", [f for f in alike.functions(vars(test_statements))], ids=lambda f: f.__name__)
def test_large_functions_do_the_same(function, monkeypatch, tmp_path):
    from jitffi.scripts.lower.function import body

    monkeypatch.setattr(body, "LARGE", 0)
    monkeypatch.setenv("JITFFI_CACHE_DIR", str(tmp_path))
    assert outlined.LARGE > 0
    function = type(function)(function.__code__, vars(test_statements), function.__name__, function.__defaults__)
    function.cases = getattr(vars(test_statements)[function.__name__], "cases", [()])[:40]
    alike.check(function)
