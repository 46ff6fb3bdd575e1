"""Whole modules as scripts, and what becomes of each function of a file."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import jitffi

TEXT = """
import math
import jitffi

def native(text):
    return text.upper()

def in_part(p):
    return math.sqrt(p.x)

def numbers(n):
    yield n

@jitffi.script
def left(x):
    native(x)
    return locals()

class Own:
    pass
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "surveyed.py").write_text(TEXT)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "surveyed.py"
    sys.modules.pop("surveyed", None)


def test_a_module_of_scripts(module):
    made = jitffi.script_module("surveyed")
    assert made is sys.modules["surveyed"]
    kinds = {
        name: type(getattr(made, name)).__name__ for name in ("native", "in_part", "numbers", "left", "Own", "math")
    }
    assert kinds == {
        "native": "Script", "in_part": "Script", "numbers": "function", "left": "Script", "Own": "type",
        "math": "module",
    }  # fmt: skip
    before = made.native
    assert jitffi.script_module(made, returns="native") is made and made.native is before
    assert made.native("ab") == "AB" and list(made.numbers(1)) == [1]
    with pytest.raises(TypeError, match="expected a module or its name, got int"):
        jitffi.script_module(3)
    with pytest.raises(ModuleNotFoundError):
        jitffi.script_module("nowhere_at_all")


def test_the_command(module):
    def run(*options):
        command = [sys.executable, "-m", "jitffi", "script", str(module), *options]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    found = json.loads(run("--json"))
    assert [(each["name"], each["state"]) for each in found] == [
        ("native", "native"), ("in_part", "in part"), ("numbers", "left"), ("left", "left"),
    ]  # fmt: skip
    assert found[0] == {"name": "native", "line": 5, "state": "native", "why": []}
    assert found[1]["why"] == [{"line": 9, "text": "a call of math.sqrt, the attribute .x"}]
    assert found[3]["why"][0]["line"] == 17 and "locals sees the variables" in found[3]["why"][0]["text"]
    shown = run()
    assert "in_part" in shown and "native in part" in shown
    module.write_text("x = 1\n")
    assert run() == f"{module} defines no function\n"
