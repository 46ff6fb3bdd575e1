"""A first script of 30 lines: what its process takes beyond one that loads the package and LLVM and does nothing."""

from __future__ import annotations

import pathlib

from benchmarks.harness import Command, Goal, Times, compare_processes, show

CASE = "a first script of 30 lines"
_ALONE = "LLVM loaded alone"
_LIMIT = 20.0
_SCRIPT = """\
import jitffi


@jitffi.script
def is_prime(n):
    if n < 2:
        return False
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True


@jitffi.script
def summary(text, limit):
    counts = {}
    longest = ""
    for word in text.split():
        word = word.strip(".,").lower()
        counts[word] = counts.get(word, 0) + 1
        if len(word) > len(longest):
            longest = word
    primes = [n for n in range(limit) if is_prime(n)]
    total = 0.0
    for n in primes:
        total += n / 2
    return f"{len(counts)} words, longest {longest}, {len(primes)} primes, {total:.1f}"


assert summary("A quick fox jumps over a dog.", 10) == "6 words, longest quick, 4 primes, 8.5"
"""
_LLVM = "import jitffi\nfrom jitffi.llvm.target import HOST\nassert HOST.data_layout\n"


def programs() -> dict[str, str]:
    """The texts of two modules. They end at once: better code for the next process is not waited for."""
    return {name: f"{text}import os\nos._exit(0)\n" for name, text in ((_ALONE, _LLVM), ("jitffi", _SCRIPT))}


def measure(case: str, python: str, folder: pathlib.Path, environment: dict[str, str], starts: int) -> Times:
    """*folder* is where the programs' modules are put. There is no cache, where the next one would find code."""
    commands: dict[str, Command] = {}
    for number, (name, text) in enumerate(programs().items()):
        (folder / f"script_{number}_program.py").write_text(text)
        commands[name] = [python, "-c", f"import script_{number}_program"], {**environment, "JITFFI_CACHE_DIR": ""}
    return compare_processes(f"{case}, {CASE}", commands, starts)


def judge(times: Times) -> list[Goal]:
    """The goal for the difference."""
    both = f"{show(times.median('jitffi'))} - {show(times.median(_ALONE))} {times.unit}"
    return [Goal(times.case, "jitffi", _ALONE, both, times.difference("jitffi", _ALONE), _LIMIT, " ms")]
