"""What tests build of the C runtime: once in a run of tests, whichever of its processes needs it first."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "runtime_c"


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """The output of a command, which must succeed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, cwd=cwd)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of that name, which the first who asks for it fills by *make*; others wait meanwhile."""
    shared = Path(os.environ["JITFFI_TEST_BUILDS"])  # conftest.py makes it, for all processes of the run
    folder, made = shared / name, shared / f"{name}.made"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            made.touch()
    return folder


def generator() -> list[str]:
    return ["-G", "Ninja"] if shutil.which("ninja") else ["-G", "Unix Makefiles"]


def build(folder: Path, *targets: str) -> None:
    """Make *targets* in a folder of `made_once`; of none all that there is."""
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run("cmake", "--build", folder, "--parallel", "2", *(["--target", *targets] if targets else []))


def cross_runtime(target: str) -> Path:
    """A build of the runtime for another target: its static libraries; `build` makes all else that it has."""

    def make(folder: Path) -> None:
        toolchain = f"-DCMAKE_TOOLCHAIN_FILE={RUNTIME / 'cmake/toolchains' / f'{target}.cmake'}"
        # Not optimised: that takes most of the time, and this is about the targets.
        options = [toolchain, "-DJITFFI_TESTS=ON", "-DCMAKE_BUILD_TYPE=None"]
        options += ["-DCMAKE_C_FLAGS=-Werror -O0 -DNDEBUG"]
        run("cmake", "-S", RUNTIME, "-B", folder, *generator(), *options)

    folder = made_once(f"runtime-{target}", make)
    build(folder, "runtime_static", "script_static")
    return folder


def sanitized_runtime(compiler: str, *targets: str) -> Path:
    """A build of the runtime, of its tests and of the extension under AddressSanitizer and UBSan, with those made.
    Allocations fail where a test says so, and freed memory is poisoned."""

    def make(folder: Path) -> None:
        options = [f"-DJITFFI_{option}=ON" for option in ("TESTS", "PYTHON", "SANITIZE", "HOSTILE")]
        options += [f"-DCMAKE_C_COMPILER={compiler}", f"-DPython_EXECUTABLE={sys.executable}"]
        run("cmake", "-S", RUNTIME, "-B", folder, *generator(), "-DCMAKE_BUILD_TYPE=Debug", *options)

    folder = made_once("sanitized", make)
    build(folder, *targets)
    return folder
