"""A wrapper from nothing, in fresh processes, with jitffi's cache switched off.

"first" begins when LLVM and the generator are loaded; what that costs is a row of its own, and the whole process
another. ctypes and cffi have no compiler to load and none to thank: their calls cost what `calls` shows. nanobind's
first wrapper is one run of the C++ compiler on one function, its core already there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

from benchmarks import build, first_wrapper, peers
from benchmarks.build import CPP, FLAGS, SUFFIX, compiler
from benchmarks.harness import Goal, Measured, Settings, Spread, Times, rotated

TITLE = "Compiling, ms"
RELATION = ""
LIMIT = ""
OURS = "jitffi"
GOALS = {"first": 3.0, "each": 1.2}
ROWS = {
    "first": "first wrapper and its call",
    "each": "each of a batch of 100",
    "load": "loading what that needs",
    "process": "the whole process, one wrapper",
}
_NANOBIND_RUNS = 3
ONE = """
#include <nanobind/nanobind.h>
NB_MODULE(one, m) {
  m.def("add", [](int64_t a, int64_t b) { return a + b; });
}
"""


def hundred() -> str:
    """The path of the library of a hundred functions."""
    source = build.cache_directory() / "hundred.c"
    source.write_text(first_wrapper.c_source())
    return str(build.build("libhundred.so", [compiler(), *FLAGS, str(source)], [source]))


def _run(tool: str, library: str) -> dict[str, float]:
    """The times of one process that makes one wrapper, and of one that makes a batch."""
    found: dict[str, float] = {}
    for count, rows in ((0, ("load", "first")), (first_wrapper.COUNT, ("each",))):
        command = [sys.executable, "-m", "benchmarks.first_wrapper", tool, library, str(count)]
        start = time.perf_counter()
        done = subprocess.run(command, env={**os.environ, "JITFFI_CACHE_DIR": ""}, capture_output=True, text=True)
        spent = time.perf_counter() - start
        if done.returncode:
            raise build.Missing(done.stderr.strip().splitlines()[-1])
        times = json.loads(done.stdout)
        found |= {row: times[row] for row in rows}
        found.setdefault("process", 1e3 * spent)
    return found


def _nanobind() -> float:
    """Milliseconds of one run of the compiler."""
    includes, core = peers.nanobind_includes(), peers.nanobind_core()
    with tempfile.TemporaryDirectory() as directory:
        source = os.path.join(directory, "one.cpp")
        with open(source, "w") as file:
            file.write(ONE)
        made = os.path.join(directory, f"one{SUFFIX}")
        start = time.perf_counter()
        subprocess.run([compiler(cpp=True), *CPP, *FLAGS, *includes, source, str(core), "-o", made], check=True)
        return 1e3 * (time.perf_counter() - start)


def measure(settings: Settings) -> Measured:
    library = hundred()
    measured = Measured([Times(text, "ms") for text in ROWS.values()])
    by_row = dict(zip(ROWS, measured.times, strict=True))
    tools = [OURS, *(tool for tool in first_wrapper.TOOLS if tool != OURS and settings.peers)]
    for number in range(settings.starts):
        for tool in rotated(tools, number):
            try:
                found = _run(tool, library)
            except build.Missing as reason:
                measured.times[0].faults[tool] = str(reason)
                continue
            for row, times in by_row.items():
                times.samples.setdefault(tool, []).append(found[row])
    if settings.peers:
        first = by_row["first"].samples
        made = peers.gathered({"nanobind": lambda: [_nanobind() for _ in range(_NANOBIND_RUNS)]}, measured.remarks)
        first |= made
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for row, times in zip(ROWS, measured, strict=True):
        if row in GOALS and OURS in times.samples:
            figure = Spread.of(times.samples[OURS])
            goals.append(Goal(times.case, OURS, "", "", figure, GOALS[row], " ms"))
    return goals
