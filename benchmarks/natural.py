"""Text functions as they are first written, without an edit: what scripts make of them, beside CPython and others.

The functions are those of first_written/. mypyc and Cython (its mode for plain Python) compile the same files, without
types either; numba and Codon take none, for dicts and lists of text, or sets, counters and patterns. Arguments are
Python's own lists, dicts and sets, and so are results. None changes its arguments.
"""

from __future__ import annotations

import pathlib
import random
import shutil
import statistics
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from benchmarks import build, peers
from benchmarks.build import FLAGS, PYTHON_INCLUDE, SUFFIX
from benchmarks.first_written import formats, inputs, words
from benchmarks.harness import Case, Goal, Measured, Settings, Spread, Times, compare, equals, ratio_goal

TITLE = "Text functions as first written, ns a call"
RELATION = "ratio"
LIMIT = "CPython"
OURS, MYPYC, CYTHON = "jitffi", "mypyc", "Cython"
#: No function may take longer than CPython, and the median is to be at most half of its time.
EACH, MEDIAN = 1.0, 0.5
#: Words or lines of the arguments: so many that a call takes a millisecond or so.
SIZE = 300


def _arguments(function: Callable[..., Any]) -> tuple[Any, ...]:
    return inputs.ARGUMENTS[function](random.Random(function.__name__), SIZE)


def _cases(functions: dict[str, Callable[..., Any]]) -> dict[str, Case]:
    found = {}
    for python in inputs.ARGUMENTS:
        name, args = python.__name__, _arguments(python)
        if name in functions:
            found[name] = Case("f(*a)", {"f": functions[name], "a": args}, equals(python(*args)))
    return found


def _plain() -> dict[str, Callable[..., Any]]:
    return {each.__name__: each for each in inputs.ARGUMENTS}


def bind() -> SimpleNamespace:
    """The functions as scripts, in modules of their own, so that CPython's call no scripts; compiled."""
    import jitffi

    made: dict[str, Any] = {}
    for source in _sources():
        name = f"{source.stem}_scripts"
        sys.modules[name] = module = build.load(name, source)
        for each, function in list(vars(module).items()):
            if getattr(function, "__module__", None) == name:
                setattr(module, each, jitffi.script(function))
        made |= {each: script for each, script in vars(module).items() if isinstance(script, jitffi.Script)}
    for python in inputs.ARGUMENTS:
        made[python.__name__](*_arguments(python))
    return SimpleNamespace(**made)


def _sources() -> list[pathlib.Path]:
    return [pathlib.Path(str(module.__file__)) for module in (words, formats)]


def _cython() -> dict[str, Case]:
    version = build.installed("Cython").__version__
    functions: dict[str, Callable[..., Any]] = {}
    for source in _sources():
        name = source.stem
        translate = [sys.executable, "-m", "cython", "-3", "--module-name", name, str(source)]
        translated = build.build(f"{name}-{version}.c", translate, [source])
        command = [build.compiler(), *FLAGS, PYTHON_INCLUDE, str(translated)]
        functions |= vars(build.load(name, build.build(f"{name}{SUFFIX}", command, [translated])))
    return _cases(functions)


def _mypyc() -> dict[str, Case]:
    build.installed("mypyc")
    functions: dict[str, Callable[..., Any]] = {}
    for source in _sources():
        place = build.cache_directory() / f"mypyc-{source.stem}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        name = f"mypyc_{source.stem}"
        shutil.copy(source, place / f"{name}.py")
        setup = "from mypyc.build import mypycify; from setuptools import setup; import sys; "
        setup += "name = sys.argv.pop(); setup(ext_modules=mypycify([name]))"
        build.run([sys.executable, "-c", setup, "build_ext", "--inplace", f"{name}.py"], place)
        sys.path.insert(0, str(place))
        functions |= vars(build.load(name, next(place.glob(f"{name}.*so"))))
    return _cases(functions)


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = Measured()
    contenders = {LIMIT: _cases(_plain()), OURS: _cases(vars(bound))}
    contenders |= peers.gathered({MYPYC: _mypyc, CYTHON: _cython}, measured.remarks) if settings.peers else {}
    for row in contenders[LIMIT]:
        taking_part = {who: made[row] for who, made in contenders.items() if row in made}
        measured.times.append(compare(row, taking_part, settings.rounds))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals, ratios = [], []
    for times in measured:
        goals += ratio_goal(times, OURS, LIMIT, EACH)
        if OURS in times.samples:
            ratios.append(times.ratio(OURS, LIMIT).median)
    if ratios:
        middle = statistics.median(ratios)
        spread = Spread(middle, min(ratios), max(ratios))
        goals.append(Goal("all functions", OURS, LIMIT, "median of the rows", spread, MEDIAN))
    return goals
