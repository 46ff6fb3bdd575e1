"""An import that cannot go well says why, and what to do, in one sentence."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import jitffi

PACKAGE = Path(jitffi.__file__).resolve().parent
RUNNING = "{}.{}".format(*sys.version_info)
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The package's Python files alone, in a folder of a clone or of an installation."""
    where = tmp_path / "clone" / "jitffi"
    shutil.copytree(PACKAGE, where, ignore=shutil.ignore_patterns("__pycache__", "_core*.so", "lib", "include"))
    return where


def as_source(package: Path) -> Path:
    (package.parent / "runtime_c").mkdir()
    (package.parent / "pyproject.toml").touch()
    return package.parent


def import_fails(where: Path, before: str = "", *options: str) -> str:
    """The last line, when a process in that folder imports the package."""
    done = subprocess.run(
        [sys.executable, "-S", *options, "-c", f"{before}\nimport jitffi"],
        cwd=where, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1 and done.stderr.count("Error") == 1, done.stderr
    return done.stderr.splitlines()[-1].removeprefix("ImportError: jitffi: ")


def test_the_source_tree_says_that_it_is_one_and_two_ways_out(package):
    root = as_source(package)
    assert import_fails(root) == (
        f"{package} is the source tree, which has no compiled part (_core) for CPython {RUNNING}: "
        f"leave {root}, so that an installed jitffi is found, or build it there: pip install -e {root}, or make"
    )


@pytest.mark.parametrize("is_source", [True, False])
def test_another_python_s_core_is_named(package, is_source):
    (package / "_core.cpython-39-x86_64-linux-gnu.so").touch()
    install = f"pip install -e {as_source(package)}, or make" if is_source else "pip install --force-reinstall jitffi"
    assert import_fails(package.parent) == (
        f"{package} is built for CPython 3.9 on x86_64-linux-gnu, and this is CPython {RUNNING}: "
        f"use that one, or build it for this one: {install}"
    )


def test_several_are_named(package):
    for name in ("_core.cpython-314t-x86_64-linux-gnu.so", "_core.cpython-39-aarch64-linux-gnu.so", "_core.odd.so"):
        (package / name).touch()
    built = "CPython 3.14 (free-threaded) on x86_64-linux-gnu and CPython 3.9 on aarch64-linux-gnu and _core.odd.so"
    assert f"is built for {built}, and this is CPython {RUNNING}: " in import_fails(package.parent)


def test_an_installation_without_core_is_incomplete(package):
    said = import_fails(package.parent)
    assert said.startswith(f"{package} has no compiled part (_core): ") and "pip install --force-reinstall" in said


@pytest.mark.parametrize("core", [None, "_core.so", f"_core{SUFFIX}"])
def test_a_free_threaded_python_is_refused_whatever_core_is_there(package, core):
    """There is none here; what tells it is the "t" in sys.abiflags. The file, were it loaded, would be no library."""
    if core is not None:
        (package / core).write_text("no library")
    said = import_fails(package.parent, "import sys; sys.abiflags = 't'")
    assert said == (f"this CPython {RUNNING} is the free-threaded build, and jitffi needs the GIL: use the other build")


def test_whoever_else_knows_where_core_is_is_asked(package):
    """As an editable install's finder does."""
    program = f"""
import importlib.machinery, sys
class Finder:
    def find_spec(name, path=None, target=None):
        if name == "jitffi._core":
            return importlib.machinery.PathFinder.find_spec(name, [{str(Path(jitffi._core.__file__).parent)!r}])
sys.meta_path.insert(0, Finder)
import jitffi
print(jitffi.__version__, jitffi.__file__)
"""
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=as_source(package), capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split() == [jitffi.__version__, str(package / "__init__.py")], done.stderr
