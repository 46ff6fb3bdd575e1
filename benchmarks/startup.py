"""Process to first call: milliseconds over `python -c pass`, for each interpreter given.

Fresh processes take turns. The first call finds its code in the cache, where a process before has stored it: LLVM is
not loaded. All start with the same environment. `bare extension` is an import and a call of a module that holds
nothing else.
"""

from __future__ import annotations

import importlib
import os
import pathlib
import subprocess
import sys

from benchmarks import build
from benchmarks.harness import Command, Goal, Measured, Settings, Times, compare_processes, show

TITLE = "Process to first call, ms"
RELATION = "difference"
LIMIT = "python -c pass"
GOALS = {"import jitffi": 10.0, "jitffi, first call": 10.0}


def _scripts(python: str, library: pathlib.Path) -> dict[str, str]:
    first = f"f = jitffi.load_library({str(library)!r}).bind('add_i64', '(i64, i64) -> i64'); assert f(3, 4) == 7"
    bare = build.bare(python)
    return {
        LIMIT: "pass",
        "import jitffi": "import jitffi",
        "jitffi, first call": f"import jitffi, sys; {first}; assert 'llvmlite' not in sys.modules",
        "ctypes": (
            f"import ctypes as c; f = c.CDLL({str(library)!r}).add_i64; f.argtypes = c.c_int64, c.c_int64; "
            "f.restype = c.c_int64; assert f(3, 4) == 7"
        ),
        "bare extension": f"import sys; sys.path.append({str(bare.parent)!r}); import bare; assert bare.add(3, 4) == 7",
        # What the first process of all pays; not timed.
        "store": f"import jitffi; {first}",
    }


def _output(python: str, script: str) -> str:
    """What *script* prints. Missing, with the last line of its error, where it fails."""
    try:
        done = subprocess.run([python, "-c", script], capture_output=True, text=True)
    except OSError as error:
        raise build.Missing(f"{error.strerror}") from None
    if done.returncode:
        raise build.Missing((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
    return done.stdout.strip()


def _measure(python: str, rounds: int) -> Times:
    version = _output(python, "import jitffi._core, platform; print(platform.python_version())")
    scripts = _scripts(python, build.plain())
    _output(python, scripts.pop("store"))
    commands: dict[str, Command] = {who: ([python, "-c", text], os.environ) for who, text in scripts.items()}
    return compare_processes(f"CPython {version}", commands, rounds)


def measure(settings: Settings) -> Measured:
    # The package alone, not the repository beside it; the cache is the run's own.
    package = importlib.import_module("jitffi").__file__
    assert package is not None
    os.environ["PYTHONPATH"] = str(pathlib.Path(package).resolve().parent.parent)
    measured = Measured()
    for python in settings.pythons or (sys.executable,):
        try:
            measured.times.append(_measure(python, settings.starts))
        except build.Missing as reason:
            measured.remarks.append(f"{python} is left out: {reason}")
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        for who, limit in GOALS.items():
            if who in times.samples and LIMIT in times.samples:
                both = f"{show(times.median(who))} - {show(times.median(LIMIT))} ms"
                goals.append(Goal(times.case, who, LIMIT, both, times.difference(who, LIMIT), limit, " ms"))
    return goals
