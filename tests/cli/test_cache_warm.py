"""Filling the cache before programs run, and carrying it elsewhere: a process that finds all there loads no LLVM."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from jitffi.adapters import cache, cache_files
from tests.cli.test_cli import command, environment

MODULE = """
import jitffi
libc = jitffi.load_library(None, cdef="int abs(int x);")
labs = libc.bind("labs", "(x: i64) -> i64")

@jitffi.script
def doubled(x: int) -> int:
    return x + x

@jitffi.script
def letters(text):
    return [c for c in text if c.isalpha()]
"""
CALLS = "import textprep, sys\nassert textprep.letters('a1b') == ['a', 'b']\n"
CHECK = f"""{CALLS}
assert textprep.libc.abs(-2) == 2 and textprep.labs(-3) == 3 and textprep.doubled(4) == 8
print("llvmlite" in sys.modules)
"""


def run(where: Path, *arguments: str) -> str:
    env = environment(JITFFI_CACHE_DIR=str(where / "cache"), JITFFI_COMPILE="hot")
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=where, env=env, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_process_loads_no_llvm_afterwards(tmp_path: Path) -> None:
    for name, text in (("textprep", MODULE), ("calls", CALLS), ("check", CHECK)):
        (tmp_path / f"{name}.py").write_text(text)
    said = run(tmp_path, *command("cache", "warm", "textprep"))
    assert "2 functions and 1 scripts of modules" in said and "textprep.letters" in said
    said = run(tmp_path, *command("cache", "warm", "textprep", "--run", "calls.py"))
    assert "2 functions and 2 scripts of modules" in said and "without types" not in said
    assert run(tmp_path, sys.executable, "check.py") == "False\n"
    run(tmp_path, *command("cache", "export", "code.tar.gz"))
    (tmp_path / "cache").rename(tmp_path / "before")
    assert run(tmp_path, *command("cache", "import", "code.tar.gz")).startswith("took ")
    assert run(tmp_path, sys.executable, "check.py") == "False\n"


def test_only_whole_entries_are_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JITFFI_CACHE_DIR", str(tmp_path / "first"))
    assert cache.store("a key", b"content")
    [(name, data)] = cache.entries()
    files = {name: data, f"../{name}": data, "0" * 32 + ".jfc": data[:-1], "notes.txt": b"text", "." + name: data}
    with tarfile.open(tmp_path / "code.tar", "w") as archive:
        for each, content in files.items():
            (tmp_path / "member").write_bytes(content)
            archive.add(tmp_path / "member", each)
    monkeypatch.setenv("JITFFI_CACHE_DIR", str(tmp_path / "second"))
    assert cache_files.import_from(str(tmp_path / "code.tar")) == (2, 3)
    assert cache.load("a key") == b"content" and [path.name for path in (tmp_path / "second").iterdir()] == [name]
    with pytest.raises(ValueError, match="no file that `jitffi cache export` has written"):
        cache_files.import_from(str(tmp_path / "member"))
    monkeypatch.setenv("JITFFI_CACHE_DIR", "")
    with pytest.raises(ValueError, match="there is no cache"):
        cache_files.export_to(str(tmp_path / "none.tar"))
