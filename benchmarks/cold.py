"""Whole processes that find no code: milliseconds from start to end, with an empty cache, for each interpreter given.

One calls a function once, another each of a hundred functions whose types are all different. Their programs are modules
that are compiled before, as a program's are. What Python itself takes is printed beside, and taken off in rows of their
own. Beforehand each of jitffi's is run once and looks at what it has mapped: LLVM is no part of it.
"""

from __future__ import annotations

import importlib
import os
import pathlib
import subprocess
import sys
import tempfile

from benchmarks import build, first_wrapper
from benchmarks.compiling import hundred
from benchmarks.harness import Command, Goal, Measured, Settings, Times, compare_processes, ratio_goal

TITLE = "Cold processes"
RELATION = "ratio"
LIMIT = "ctypes"
OURS = "jitffi"
GOALS = {1: 1.1, 100: 1.3}
_PYTHON = "Python alone"
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


def _write(folder: pathlib.Path, library: str, peers: bool) -> dict[str, dict[int, str]]:
    """The names of the programs, by tool and number of functions."""
    names: dict[str, dict[int, str]] = {}
    for tool in (OURS, LIMIT, *["cffi"] * peers):
        for count in GOALS:
            name = f"{tool}_{count}"
            (folder / f"{name}_program.py").write_text(_program(tool, library, count))
            names.setdefault(tool, {})[count] = f"{name}_program"
    return names


def _beyond(times: Times) -> Times:
    """The same without what Python itself takes."""
    others = [who for who in times.samples if who != _PYTHON]
    alone = times.samples[_PYTHON]
    less = {who: [max(a - b, 0.01) for a, b in zip(times.samples[who], alone, strict=True)] for who in others}
    return Times(f"{times.case}, beyond Python alone", times.unit, less)


def _measure(python: str, folder: pathlib.Path, names: dict[str, dict[int, str]], settings: Settings) -> list[Times]:
    asked = [python, "-c", "import platform; print(platform.python_version())"]
    version = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    cache = folder / "cache"
    environment = {**os.environ, "JITFFI_CACHE_DIR": str(cache), "JITFFI_COMPILE": "hot"}
    environment["PYTHONPATH"] = os.pathsep.join([os.environ["PYTHONPATH"], str(folder)])
    found = []
    for count in GOALS:
        looked = f"import {names[OURS][count]}; {_NO_LLVM}"
        if sys.platform == "linux":
            subprocess.run([python, "-c", looked], env=environment, check=True)
        commands: dict[str, Command] = {_PYTHON: ([python, "-c", "pass"], environment)}
        for tool, programs in names.items():
            commands[tool] = [python, "-c", f"import {programs[count]}"], environment
        functions = "a function called once" if count == 1 else f"{count} functions called once"
        times = compare_processes(f"CPython {version}, {functions}", commands, settings.starts)
        found += [times, _beyond(times)]
        assert not any(cache.glob("*")), "code was stored, which the next process would find"
    return found


def measure(settings: Settings) -> Measured:
    # The package alone, not the repository beside it.
    package = importlib.import_module("jitffi").__file__
    assert package is not None
    os.environ["PYTHONPATH"] = str(pathlib.Path(package).resolve().parent.parent)
    measured = Measured()
    with tempfile.TemporaryDirectory(dir=build.cache_directory(), prefix="run-") as directory:
        folder = pathlib.Path(directory)
        names = _write(folder, hundred(), settings.peers)
        for python in settings.pythons or (sys.executable,):
            measured.times += _measure(python, folder, names, settings)
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        if "beyond" not in times.case:
            goals += ratio_goal(times, OURS, LIMIT, GOALS[100 if "100" in times.case else 1])
    return goals
