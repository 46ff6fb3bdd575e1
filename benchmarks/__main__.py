"""The command: runs the groups, each in processes of its own, and prints what they found.

A group is a module: TITLE, LIMIT (whom all are compared with) and RELATION of its table, `measure(settings)`, and
`judge(times)`, which states the goals. One with `bind` is measured in stored code: a first process binds the same
functions, and leaves them compiled at level 2 in a cache that only this run uses; `measure` is given what `bind`
returns.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from types import ModuleType
from typing import Any

from benchmarks import machine
from benchmarks.build import ROOT, cache_directory
from benchmarks.harness import Measured, Settings, Times
from benchmarks.report import tables

GROUPS = (
    "calls",
    "callbacks",
    "arrays",
    "array_loops",
    "structs",
    "objects",
    "graphs",
    "cxx",
    "dynamic",
    "tvm",
    "native",
    "compiling",
    "startup",
    "cold",
    "containers",
    "strings",
    "memory",
    "growth",
    "values",
    "files",
    "scripts",
    "foreign",
    "natural",
    "regex",
    "tuning",
)


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"benchmarks.{name}")


def _child(task: str, name: str, settings: Settings, out: str) -> None:
    """In a process of its own: "store" code, or "measure" and leave the result in *out*."""
    module = _module(name)
    if task == "store":
        kept = module.bind()
        from jitffi.adapters import tiers

        tiers.drain()
        del kept
        return
    if hasattr(module, "bind"):
        bound = module.bind()
        assert "llvmlite" not in sys.modules, "compiled, not found in the cache"
        measured = module.measure(settings, bound)
    else:
        measured = module.measure(settings)
    pathlib.Path(out).write_text(json.dumps(dataclasses.asdict(measured)))


def _spawn(task: str, name: str, settings: Settings, path: list[str], directory: str) -> Measured | None:
    """Run `_child` in *directory*, which is not the repository: its jitffi would hide the installed one. None where it
    failed, with its reason on standard error."""
    out = pathlib.Path(directory) / "measured.json"
    wanted = json.dumps([task, name, dataclasses.asdict(settings), str(out)])
    command = [sys.executable, "-m", "benchmarks", "--child", wanted]
    variables = dict(os.environ)
    variables["PYTHONPATH"] = os.pathsep.join(path)
    variables["JITFFI_CACHE_DIR"] = os.path.join(directory, "cache")
    variables["JITFFI_COMPILE"] = "now"  # groups about calls without code say so
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # as everywhere, only the first start of all compiles
    if subprocess.run(command, cwd=directory, env=variables).returncode:
        return None
    if task == "store":
        return Measured()
    found = json.loads(out.read_text())
    return Measured([Times(**times) for times in found["times"]], found["remarks"])


def run(name: str, settings: Settings, path: list[str]) -> Measured | None:
    """Measure one group; None where that failed."""
    module = _module(name)
    with tempfile.TemporaryDirectory(dir=cache_directory(), prefix="run-") as directory:
        if hasattr(module, "bind") and _spawn("store", name, settings, path, directory) is None:
            return None
        measured: Measured | None = None
        for _ in range(settings.repeats if hasattr(module, "bind") else 1):
            found = _spawn("measure", name, settings, path, directory)
            if found is None:
                return None
            if measured is None:
                measured = found
            else:
                measured.join(found)
        return measured


def _arguments() -> argparse.Namespace:
    description = "Times of jitffi, beside those who do the same."
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=description)
    option = parser.add_argument
    option("--only", action="append", choices=GROUPS, metavar="GROUP", help=f"one of: {', '.join(GROUPS)}")
    option("--json", metavar="FILE", help="write every time measured")
    option("--rounds", type=int, default=Settings.rounds, help="of each process (default: %(default)s)")
    option("--repeats", type=int, default=Settings.repeats, help="processes a group (default: %(default)s)")
    option("--quick", action="store_true", help="few rounds, and few processes: does it run, not how fast")
    option("--no-peers", action="store_true", help="only ours and the limit; nothing of C++ is built")
    option("--pythons", nargs="+", default=[], metavar="PYTHON", help="interpreters to start (default: this one)")
    option("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def _settings(arguments: argparse.Namespace) -> Settings:
    few = arguments.quick
    return Settings(
        rounds=min(arguments.rounds, 5) if few else arguments.rounds,
        repeats=1 if few else arguments.repeats,
        starts=2 if few else Settings.starts,
        peers=not arguments.no_peers,
        pythons=tuple(os.path.abspath(shutil.which(python) or python) for python in arguments.pythons),
    )


def main() -> int:
    arguments = _arguments()
    if arguments.child:
        task, name, fields, out = json.loads(arguments.child)
        _child(task, name, Settings(**fields), out)
        return 0
    path = [str(machine.built_package()), str(ROOT)]
    settings = _settings(arguments)
    facts = machine.facts()
    print(machine.text(facts), flush=True)
    report: dict[str, Any] = {}
    for name in arguments.only or GROUPS:
        measured = run(name, settings, path)
        if measured is None:
            print(f"benchmarks: {name} failed, see above", file=sys.stderr)
            continue
        module = _module(name)
        goals = module.judge(measured.times)
        print(tables(module.TITLE, measured, goals, module.LIMIT, module.RELATION), flush=True)
        plain = [{**dataclasses.asdict(goal), "met": goal.met} for goal in goals]
        report[name] = {"goals": plain, **dataclasses.asdict(measured)}
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({**facts, "groups": report}, indent=1))
    return 0 if len(report) == len(arguments.only or GROUPS) else 1


if __name__ == "__main__":
    sys.exit(main())
