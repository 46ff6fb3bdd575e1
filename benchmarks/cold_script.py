"""A first script of 30 lines: what its process takes beyond one that loads the package and LLVM and does nothing.

Where its loops do not go round too often, as far as the arguments tell, the interpreter makes the call, and LLVM is not
loaded; nor where the call can be given up when it goes on for long. Else, as where the script changes an argument, code
is made for it.
"""

from __future__ import annotations

import pathlib

from benchmarks.harness import Command, Goal, Times, compare_processes, show

CASE = "a first script of 30 lines"
_ALONE = "LLVM loaded alone"
_SHORT, _LONG = "jitffi, 29 and 6,000 characters", "jitffi, 600,000 characters"
_CHANGING = "jitffi, 600,000 characters, an argument changed: code made for it"
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


"""
_LLVM = "import jitffi\nfrom jitffi.llvm.target import HOST\nassert HOST.data_layout\n"
_TEXT = "A quick fox jumps over a dog. "
_CALLS = {
    _SHORT: f'assert summary({_TEXT!r}, 10) == "6 words, longest quick, 4 primes, 8.5"\n'
    f'assert summary({_TEXT!r} * 200, 200) == "6 words, longest quick, 46 primes, 2113.5"\n',
    _LONG: f'assert summary({_TEXT!r} * 20_000, 200) == "6 words, longest quick, 46 primes, 2113.5"\n',
    _CHANGING: f'found = []\nassert summary({_TEXT!r} * 20_000, found) == "6 words, longest quick, 46 primes, 2113.5"\n'
    "assert len(found) == 46\n",
}
#: The script that puts its primes into a list of the caller's.
_CHANGED = {
    "text, limit": "text, primes",
    "primes = [n for n in range(limit) if is_prime(n)]": "primes.extend([n for n in range(200) if is_prime(n)])",
}


def programs() -> dict[str, str]:
    """The texts of two modules. They end at once: better code for the next process is not waited for."""
    texts = {_ALONE: _LLVM, **{name: _SCRIPT + calls for name, calls in _CALLS.items()}}
    for old, new in _CHANGED.items():
        texts[_CHANGING] = texts[_CHANGING].replace(old, new)
    return {name: f"{text}import os\nos._exit(0)\n" for name, text in texts.items()}


def measure(case: str, python: str, folder: pathlib.Path, environment: dict[str, str], starts: int) -> Times:
    """*folder* is where the programs' modules are put. There is no cache, where the next one would find code."""
    environment = {**environment, "JITFFI_CACHE_DIR": "", "JITFFI_COMPILE": "hot"}
    commands: dict[str, Command] = {}
    for number, (name, text) in enumerate(programs().items()):
        (folder / f"script_{number}_program.py").write_text(text)
        commands[name] = [python, "-c", f"import script_{number}_program"], environment
    return compare_processes(f"{case}, {CASE}", commands, starts)


def judge(times: Times) -> list[Goal]:
    """The goals for the differences."""
    goals = []
    for who in _CALLS:
        both = f"{show(times.median(who))} - {show(times.median(_ALONE))} {times.unit}"
        goals.append(Goal(times.case, who, _ALONE, both, times.difference(who, _ALONE), _LIMIT, " ms"))
    return goals
