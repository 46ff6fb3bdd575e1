"""What figures hold for: the machine, the versions, and which jitffi it is."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import pathlib
import platform
import subprocess
import sys
from typing import Any

from benchmarks.build import ROOT, compiler

PACKAGES = ("nanobind", "Cython", "pybind11", "cffi", "apache-tvm-ffi", "matxscript", "numba", "numpy", "llvmlite")


def _is_built() -> bool:
    try:
        return importlib.util.find_spec("jitffi._core") is not None
    except ImportError:  # of the source tree, which says so
        return False


def built_package() -> pathlib.Path:
    """Return the directory of a jitffi that has its extension. The source tree, which comes first where this is run,
    has one only after a build in place; else the installed package is meant."""
    if not _is_built():
        sys.path[:] = [path for path in sys.path if pathlib.Path(path or ".").resolve() != ROOT]
        for name in [name for name in sys.modules if name.split(".")[0] == "jitffi"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        if not _is_built():
            sys.exit("benchmarks: jitffi is neither installed nor built in place")
    found = importlib.import_module("jitffi").__file__
    assert found is not None
    return pathlib.Path(found).resolve().parent.parent


def _cpu() -> str:
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _first_line(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.partition("\n")[0]
    except OSError:
        return "none"


def facts() -> dict[str, Any]:
    versions = {"CPython": platform.python_version(), "compiler": _first_line([compiler(), "--version"])}
    versions["jitffi"] = importlib.import_module("jitffi").__version__
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "none"
    return {
        "machine": f"{_cpu()}, {os.cpu_count()} CPUs, {platform.system()} {platform.machine()}",
        "load": f"{os.getloadavg()[0]:.1f} runnable processes in the minute before",
        "versions": versions,
    }


def text(found: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items() if version != "none")
    return f"{found['machine']}; {found['load']}\n\n{versions}\n"
