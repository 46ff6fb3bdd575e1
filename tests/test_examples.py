"""Each example runs alone, in a process of its own, and says something."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import jitffi

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.py"))
#: Libraries that a machine may lack, by example.
NEEDS = {"02_zlib": "libz.so.1", "03_sqlite": "libsqlite3.so.0", "06_expat": "libexpat.so.1"}


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path: Path) -> None:
    library = NEEDS.get(path.stem)
    if library:
        try:
            jitffi.load_library(library)
        except OSError:
            pytest.skip(f"{library} is not on this machine")
    package = Path(jitffi.__file__).resolve().parents[1]
    env = {**os.environ, "PYTHONPATH": str(package), "PYTHONIOENCODING": "utf-8"}
    result = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120, env=env)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() and not result.stderr, result.stderr
