"""The package as type checkers see it: a user's program has no complaint, and each mistake in one has its own."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
GOOD, WRONG = HERE / "user_program.py", HERE / "wrong_program.py"
_LINES = WRONG.read_text().splitlines()
MISTAKES = list(range(_LINES.index("def mistakes() -> None:") + 2, len(_LINES) + 1))


def checked(checker: str, program: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run *checker*, away from the package's own settings; skip where it is not there."""
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    options = {
        "mypy": ["--config-file=", "--strict", "--cache-dir", str(cwd)],
        "pyright": ["--pythonpath", sys.executable],
    }
    command = [sys.executable, "-m", checker, *options[checker], str(program)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
    if checker == "pyright" and not re.search(r"\d+ errors?, ", done.stdout):
        pytest.skip(f"pyright fetches itself from npm, and could not: {(done.stdout + done.stderr)[-200:]}")
    return done


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_users_program_has_no_complaint(checker, tmp_path):
    done = checked(checker, GOOD, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_each_mistake_is_found(checker, tmp_path):
    done = checked(checker, WRONG, tmp_path)
    lines = re.findall(r"wrong_program\.py:(\d+)(?::\d+)?(?: -|:) error", done.stdout)
    assert sorted({int(line) for line in lines}) == MISTAKES, done.stdout + done.stderr


def test_the_users_program_runs(run_python):
    run_python(GOOD.read_text())
