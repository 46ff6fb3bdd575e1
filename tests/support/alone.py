"""Tests that need a process of their own: pytest-xdist has a thread in each of its processes that allocates, too."""

from __future__ import annotations

import os
import subprocess
import sys

IS_SHARED = "PYTEST_XDIST_WORKER" in os.environ
#: This process is one of `run`.
IS_ALONE = "JITFFI_TESTS_ALONE" in os.environ


def run(*asked: str) -> None:
    """Run tests, as pytest's arguments name them, in a process that does nothing else."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    env["JITFFI_TESTS_ALONE"] = "1"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *asked],
        env=env, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def end_worker() -> None:
    """Let the thread that makes better code end, for good, before there is no memory for it, either: CPython 3.11 goes
    round for ever where there is none for an exception in the loop of a thread."""
    tiers = sys.modules.get("jitffi.adapters.tiers")
    if tiers is not None:
        tiers._worker.finish()
