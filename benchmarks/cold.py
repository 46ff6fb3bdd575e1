"""Whole processes that find no code: milliseconds from start to end, with an empty cache, for each interpreter given.

One calls a function once, another each of a hundred functions whose types are all different, a third has all of sqlite3
from its header and runs a query with a callback, a fourth calls a script. Their programs are modules that are compiled
before, as a program's are, and the package is installed in an environment of its own, where no editable finder
is asked for modules. What Python itself takes is printed beside, and taken off in rows of their own. Beforehand each of
jitffi's is run once and looks at what it has mapped: LLVM is no part of it, but of the script's. The most memory that a
process has had is a table of its own.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from benchmarks import build, cold_script, cold_sqlite, first_wrapper
from benchmarks.compiling import hundred
from benchmarks.harness import Command, Goal, Measured, Settings, Times, compare_processes, ratio_goal

TITLE = "Cold processes"
RELATION = "ratio"
LIMIT = "ctypes"
OURS = "jitffi"
GOALS = {1: 1.1, 100: 1.3}
_PYTHON = "Python alone"
_BEYOND = ", beyond Python alone"
_MEMORY = ", memory"
_SQLITE = "sqlite3, a query with a callback"
_CTYPES = {
    "bool": ("c.c_bool",), "i32": ("c.c_int32",), "u8": ("c.c_uint8",), "i64": ("c.c_int64",), "f32": ("c.c_float",),
    "f64": ("c.c_double",), "str": ("c.c_char_p", "c.c_size_t"), "bytes": ("c.c_char_p", "c.c_size_t"),
}  # fmt: skip
_NO_LLVM = "assert 'llvm' not in open('/proc/self/maps').read().lower()"


def _arguments(types: tuple[str, ...], split: bool) -> str:
    """The arguments as Python writes them; *split*: text goes as pointer and length."""
    texts = []
    for name in types:
        value = first_wrapper.TYPES[name][2]
        if split and name in ("str", "bytes"):
            value = value.encode() if name == "str" else value
            texts += [repr(value), str(len(value))]
        else:
            texts.append(repr(value))
    return ", ".join(texts)


def _program(tool: str, library: str, count: int) -> str:
    """The text of a module that calls *count* functions once."""
    chosen = list(enumerate(first_wrapper.signatures()[:count]))
    if tool == OURS:
        lines = ["import jitffi", f"lib = jitffi.load_library({library!r})"]
    elif tool == "ctypes":
        lines = ["import ctypes as c", f"lib = c.CDLL({library!r})"]
    else:
        declared = " ".join(f"{first_wrapper.prototype(number, *each)};" for number, each in chosen)
        lines = ["import cffi", "ffi = cffi.FFI()", f"ffi.cdef({declared!r})", f"lib = ffi.dlopen({library!r})"]
    for number, (types, result) in chosen:
        if tool == OURS:
            lines.append(f"f = lib.bind('f{number}', '({', '.join(types)}) -> {result}')")
        elif tool == "ctypes":
            lines.append(f"f = lib.f{number}; f.restype = {_CTYPES[result][0]}")
            lines.append(f"f.argtypes = ({''.join(f'{one}, ' for name in types for one in _CTYPES[name])})")
        else:
            lines.append(f"f = lib.f{number}")
        wanted = sum(first_wrapper.TYPES[name][3] for name in types)
        lines.append(f"assert f({_arguments(types, tool != OURS)}) == {wanted}")
    return "\n".join(lines) + "\n"


def _write(folder: pathlib.Path, library: str, peers: bool) -> dict[str, dict[str, str]]:
    """Write the programs; the names of their modules, by what they do and by tool."""
    programs = {_case(count): {} for count in GOALS}
    for tool in (OURS, LIMIT, *["cffi"] * peers):
        for count in GOALS:
            programs[_case(count)][tool] = _program(tool, library, count)
    if peers and cold_sqlite.is_there():
        programs[_SQLITE] = cold_sqlite.write(folder)
    names: dict[str, dict[str, str]] = {}
    for number, (case, texts) in enumerate(programs.items()):
        for tool, text in texts.items():
            names.setdefault(case, {})[tool] = f"{tool}_{number}_program"
            (folder / f"{tool}_{number}_program.py").write_text(text)
    return names


def _case(count: int) -> str:
    return "a function called once" if count == 1 else f"{count} functions called once"


def _beyond(times: Times) -> Times:
    """The same without what Python itself takes."""
    others = [who for who in times.samples if who != _PYTHON]
    alone = times.samples[_PYTHON]
    less = {who: [max(a - b, 0.01) for a, b in zip(times.samples[who], alone, strict=True)] for who in others}
    return Times(f"{times.case}{_BEYOND}", times.unit, less)


def _installed(python: str, folder: pathlib.Path) -> str:
    """The interpreter of a new environment that has the package that *python* has, as an installer leaves it."""
    asked = "import jitffi._core as core; print(core.__file__)"
    done = subprocess.run([python, "-c", asked], capture_output=True, text=True)
    if done.returncode:
        raise build.Missing((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
    subprocess.run([python, "-m", "venv", "--without-pip", str(folder)], check=True)
    made = str(folder / "bin" / "python")
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    place = subprocess.run([made, "-c", asked], capture_output=True, text=True, check=True).stdout.strip()
    package = pathlib.Path(place) / "jitffi"
    for files in (build.ROOT / "jitffi", pathlib.Path(done.stdout.strip()).parent):  # what is compiled may be elsewhere
        shutil.copytree(files, package, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    return made


def _place_of(python: str, name: str) -> str:
    """Where a module of that interpreter's is; "" where it has none, and what needs it is left out."""
    asked = f"import {name}, os; print(os.path.dirname(os.path.dirname({name}.__file__)))"
    done = subprocess.run([python, "-c", asked], capture_output=True, text=True)
    return done.stdout.strip()


def _measure(python: str, folder: pathlib.Path, names: dict[str, dict[str, str]], settings: Settings) -> Measured:
    peers_of, peers = python, _place_of(python, "cffi")
    python = _installed(python, folder / "environment")
    asked = [python, "-c", "import platform; print(platform.python_version())"]
    version = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    cache = folder / "cache"
    environment = {**os.environ, "JITFFI_CACHE_DIR": str(cache), "JITFFI_COMPILE": "hot", "PYTHONPATH": str(folder)}
    found = Measured()
    for case, programs in names.items():
        commands: dict[str, Command] = {_PYTHON: ([python, "-c", "pass"], environment)}
        for tool, program in programs.items():
            commands[tool] = [python, "-c", f"import {program}"], environment
        if "cffi" in programs:
            path = os.pathsep.join([str(folder), peers])
            commands["cffi"] = commands["cffi"][0], {**environment, "PYTHONPATH": path}
        times = compare_processes(f"CPython {version}, {case}", commands, settings.starts)
        found.times += [times, _beyond(times)]
        if sys.platform == "linux":
            subprocess.run([python, "-c", f"import {programs[OURS]}; {_NO_LLVM}"], env=environment, check=True)
            found.times.append(_memory(times.case, commands))
        assert not any(cache.glob("*")), "code was stored, which the next process would find"
    path = _place_of(peers_of, "llvmlite")
    if path:
        environment["PYTHONPATH"] = os.pathsep.join([str(folder), path])
        found.times.append(cold_script.measure(f"CPython {version}", python, folder, environment, settings.starts))
    return found


def _memory(case: str, commands: dict[str, Command]) -> Times:
    """The most memory that each has had, as it says itself (proc(5), /proc/pid/status): what its parent had is no part
    of it."""
    times = Times(f"{case}{_MEMORY}", "MB")
    for who, (command, environment) in commands.items():
        asked = f"{command[-1]}; print([line for line in open('/proc/self/status') if 'VmHWM' in line][0].split()[1])"
        done = subprocess.run([*command[:-1], asked], env=environment, capture_output=True, text=True)
        if done.returncode == 0:
            times.samples[who] = [int(done.stdout) / 1024]
    return times


def measure(settings: Settings) -> Measured:
    measured = Measured()
    with tempfile.TemporaryDirectory(dir=build.cache_directory(), prefix="run-") as directory:
        for number, python in enumerate(settings.pythons or (sys.executable,)):
            folder = pathlib.Path(directory) / str(number)
            folder.mkdir()
            try:
                found = _measure(python, folder, _write(folder, hundred(), settings.peers), settings)
            except build.Missing as reason:
                measured.remarks.append(f"{python} is left out: {reason}")
                continue
            measured.times += found.times
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        if times.case.endswith((_BEYOND, _MEMORY)):
            continue
        if times.case.endswith(cold_script.CASE):
            goals += cold_script.judge(times)
        elif _SQLITE in times.case:
            goals += ratio_goal(times, OURS, "cffi", 1.0)
        else:
            goals += ratio_goal(times, OURS, LIMIT, GOALS[100 if "100" in times.case else 1])
    return goals
