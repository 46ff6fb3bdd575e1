"""The code of scripts on disk: found again without LLVM, by all that it depends on and by nothing else."""

from __future__ import annotations

import json
import textwrap

import pytest

import jitffi
from jitffi.adapters import cache

#: Runs a module of scripts and tells what it returned, and whether LLVM was needed.
RUN = """
import json, sys
sys.path.insert(0, {folder!r})
import {name} as module
found = [repr(each) for each in module.results()]
print(json.dumps([found, "llvmlite" in sys.modules, "ast" in sys.modules, "inspect" in sys.modules]))
"""

BASE = """
import jitffi

LIMIT = 3

def helper(text):
    return text + "!"

@jitffi.script
def shout(text, n=2):
    out = []
    for i in range(min(n, LIMIT)):
        out.append(helper(text.upper()))
    return out

@jitffi.script(signature="(str) -> i64")
def size(text):
    return len(text)

def results():
    yield shout("é")
    yield shout("a", 5)
    yield shout(b"a")[0] if False else shout("b", n=1)
    yield size("abc")
"""
EXPECTED = ["['É!', 'É!']", "['A!', 'A!', 'A!']", "['B!']", "3"]


def runner(tmp_path, run_python):
    """run(source): the results of a module of that text, and whether it was compiled; all in one cache directory."""
    # Python would find its own code of a text of the same length that is a second older.
    env = {"JITFFI_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(source: str, name: str = "module_of_scripts"):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(source))
        out = run_python(RUN.format(folder=str(tmp_path), name=name), env=env)
        found, llvm, *_ = json.loads(out)
        run.modules = _
        return found, llvm

    return run


@pytest.fixture
def run(tmp_path, run_python):
    return runner(tmp_path, run_python)


def test_a_second_process_needs_no_llvm(run):
    assert run(BASE) == (EXPECTED, True)
    assert run(BASE) == (EXPECTED, False)
    assert run.modules == [False, False]


@pytest.fixture(scope="module")
def run_with_base(tmp_path_factory, run_python):
    """run(source), where BASE is in the cache already."""
    run = runner(tmp_path_factory.mktemp("with_base"), run_python)
    assert run(BASE) == (EXPECTED, True)
    return run


@pytest.mark.parametrize(
    ("old", "new", "results"),
    [
        ("text.upper()", "text.lower()", ["['é!', 'é!']", "['a!', 'a!', 'a!']", "['b!']", "3"]),
        ('+ "!"', '+ "?"', ["['É?', 'É?']", "['A?', 'A?', 'A?']", "['B?']", "3"]),
        ("LIMIT = 3", "LIMIT = 2", ["['É!', 'É!']", "['A!', 'A!']", "['B!']", "3"]),
        ("n=2", "n=1", ["['É!']", "['A!', 'A!', 'A!']", "['B!']", "3"]),
        ("def helper(text):", "def helper(text: str):", EXPECTED),
        ("return len(text)", "return len(text) + 1", [*EXPECTED[:3], "4"]),
        ("@jitffi.script\n", "@jitffi.script(pad=2)\n", EXPECTED),
        ("LIMIT = 3", "LIMIT = 3\n\n\n", EXPECTED),
    ],
)
def test_whatever_changes_is_compiled_again(run_with_base, old, new, results):
    run = run_with_base
    assert BASE.replace(old, new) != BASE
    assert run(BASE.replace(old, new)) == (results, True)
    assert run(BASE) == (EXPECTED, False)
    assert run(BASE.replace(old, new)) == (results, False)


def test_what_is_not_reached_does_not_matter(run):
    assert run(BASE) == (EXPECTED, True)
    more = BASE + "\ndef other():\n    return 1\n\nOTHER = 4\n"
    assert run(more) == (EXPECTED, False)


ALIASES = """
import types
from typing import NewType

import jitffi

Number = NewType("Number", int)
Other = NewType("Other", int)
units = types.SimpleNamespace(Metre=NewType("Metre", int))

@jitffi.script(strict=True)
def plain(x: Number):
    return x * 2

@jitffi.script(strict=True)
def local(x):
    y: "Other" = x
    return y * 2

@jitffi.script(strict=True)
def dotted(x: units.Metre):
    return x * 2

def results():
    yield plain(3)
    yield local(True)
    yield dotted(3)
"""


@pytest.mark.parametrize(
    ("name", "results"),
    [("Number", ["6.0", "2", "6"]), ("Other", ["6", "2.0", "6"]), ("Metre", ["6", "2", "6.0"])],
)
def test_what_is_behind_an_annotation_counts(run, name, results):
    changed = ALIASES.replace(f'NewType("{name}", int)', f'NewType("{name}", float)')
    assert run(ALIASES) == (["6", "2", "6"], True)
    assert run(changed) == (results, True)
    assert run(ALIASES) == (["6", "2", "6"], False)


NATIVE = """
import jitffi

hypot = jitffi.load_library("libm.so.6").bind("hypot", "(x: f64, y: f64) -> f64")

@jitffi.function("(i64, i64) -> i64")
def add(a, b):
    return a + b + OFFSET

@jitffi.script
def both(a, b):
    return hypot(a, b) + add(int(a), int(b))

def results():
    yield both(3.0, 4.0)

OFFSET = 0
"""


def test_native_functions_are_found_again(run):
    assert run(NATIVE) == (["12.0"], True)
    assert run(NATIVE) == (["12.0"], False)
    assert run(NATIVE.replace("OFFSET = 0", "OFFSET = 10")) == (["22.0"], False)


def test_a_script_that_is_refused_is_refused_from_the_cache_too(run, run_python, tmp_path):
    source = BASE + "\n\ndef bad(x):\n    with x:\n        pass\n"
    run(source)
    program = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import jitffi, module_of_scripts
for _ in range(2):
    try:
        jitffi.script(module_of_scripts.bad, strict=True)
    except jitffi.ScriptError as error:
        print(error.lineno)
"""
    line = source.split("\n").index("    with x:") + 1
    for _ in range(2):
        assert run_python(program, env={"JITFFI_CACHE_DIR": str(tmp_path / "cache")}) == f"{line}\n{line}\n"


def test_a_damaged_entry_is_compiled_again(tmp_path, run):
    assert run(BASE) == (EXPECTED, True)
    for path in (tmp_path / "cache").glob("*.jfc"):
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
    assert run(BASE) == (EXPECTED, True)
    assert run(BASE) == (EXPECTED, False)


def test_without_a_cache(monkeypatch):
    monkeypatch.setenv("JITFFI_CACHE_DIR", "")

    def plus(a, b):
        return a + b

    assert jitffi.script(plus)(1, 2) == 3


def test_the_same_code_is_in_memory_once(monkeypatch, tmp_path):
    monkeypatch.setenv("JITFFI_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "_trust", {})

    def minus(a, b):
        return a - b

    first, second = jitffi.script(minus), jitffi.script(minus)
    assert (first(3, 1), second(3, 1)) == (2, 2)
    assert first._variants[0x33].address == second._variants[0x33].address


def test_a_source_without_a_file(run_python):
    program = """
import linecache, jitffi
text = "def f(x):\\n    return x * 2\\n"
linecache.cache["<made>"] = (len(text), None, text.splitlines(True), "<made>")
space = {}
exec(compile(text, "<made>", "exec"), space)
print(jitffi.script(space["f"])(4))
"""
    assert run_python(program) == "8\n"
