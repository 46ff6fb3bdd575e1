"""What tests take from the machine: a C compiler, shared libraries by soname, fresh Python processes."""

from __future__ import annotations

import atexit
import gc
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

# Before anything is compiled, for this process and those that it starts: the user's own cache is none of the tests'
# business. Removed at exit, not when pytest is done, since what is left to compile is compiled at exit, too.
_cache = tempfile.mkdtemp(prefix="jitffi-tests-")
os.environ["JITFFI_CACHE_DIR"] = _cache
_owner = os.getpid()
# What is built once for all processes of a run, which take it from this one's environment.
_builds = None if "JITFFI_TEST_BUILDS" in os.environ else tempfile.mkdtemp(prefix="jitffi-test-builds-")
os.environ.setdefault("JITFFI_TEST_BUILDS", _builds or "")
# Compiled code is what most tests are about; those of calls without it say so.
os.environ.setdefault("JITFFI_COMPILE", "now")
# LLVM's optimiser takes most of the time of scripts' tests. What it is given is the same at each level, and the core's
# tests run at level 2 with the newest CPython (Makefile); what is about optimised code says so.
os.environ.setdefault("JITFFI_SCRIPT_LEVEL", "2" if os.environ.get("JITFFI_TARGETS") else "0")
# Where pip puts cmake and ninja, for an environment that is not the shell's.
os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), os.path.dirname(sys.executable)])
# A program that the tests run may fork while level 2 is being made, which CPython warns of from 3.12 on.
os.environ["PYTHONWARNINGS"] = "ignore:This process:DeprecationWarning"
# Whoever starts the tests in the background of a shell starts them without Ctrl-C, which many are about.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
#: How much longer than usual processes may take: where another processor is emulated, they do.
_PATIENCE = float(os.environ.get("JITFFI_TEST_PATIENCE", "1"))


@atexit.register
def _remove_folders() -> None:
    for folder in (_cache, _builds) if os.getpid() == _owner else ():
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


import jitffi  # noqa: E402
from jitffi.base import config  # noqa: E402
from tests.support import stand_ins  # noqa: E402

#: Files that tests let processes of their own find: an import here would add what they have for all other tests.
collect_ignore_glob = ["types/added/*", "conventions/added/*"]
PACKAGE = Path(jitffi.__file__).resolve().parent
#: The files that take longest, by what is behind `tests/`. Where several run at a time they start first: the rest is
#: short, so that no process is left with one of them when the others are done.
LONGEST = (
    "runtime/test_sanitized.py", "runtime/test_runtime_c.py", "runtime/test_runtime_cross.py",
    "docs/test_benchmarks.py", "scripts/test_language.py", "cxx/test_cxx_programs.py", "conventions/test_matrix.py",
    "deploy/test_hundred.py", "tune/test_tune_cli.py", "tune/test_tune_search.py", "cli/test_cli.py",
    "api/test_object_cycles.py", "tune/test_tune_autotune.py", "docs/test_examples.py", "fuzz/test_emitted.py",
    "runtime/test_size.py", "scripts/test_lazy.py", "real/test_bind.py",
)  # fmt: skip


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    stand_ins.leave_out(config, items)
    rank = {Path(__file__).parent / name: i for i, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


#: Contracts of calls that hold with and without compiled code, by what is behind `tests/`: each test runs both ways,
#: but those that are about the code itself.
BOTH_WAYS = {
    "adapters/test_unbox.py": ("test_code_for_a_callback_that_is_boxed_is_made_once",),
    "adapters/test_errors.py": (),
    "adapters/test_unlock.py": (),
    "api/test_array_arguments.py": (),
    "api/test_owned.py": (),
    "conventions/test_exceptions.py": ("test_in_another_process_from_the_cache",),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    name = metafunc.module.__file__.removeprefix(f"{Path(__file__).parent}/")
    if metafunc.definition.name not in BOTH_WAYS.get(name, (metafunc.definition.name,)):
        metafunc.fixturenames.append("way")
        metafunc.parametrize("way", ["now", "never"], indirect=True)


@pytest.fixture
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether functions that are bound get code, or are called without."""
    monkeypatch.setenv("JITFFI_COMPILE", request.param)


@pytest.fixture(autouse=True, scope="module")
def what_is_there_is_not_searched_again() -> None:
    """Collections of a process that has run half of the tests take half a second, those of what a module makes none."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def level_2_of_a_module_ends_with_it() -> Iterator[None]:
    """What the compile worker has not come to is for functions that have gone: no test wants it in its cache."""
    yield
    tiers = sys.modules.get("jitffi.adapters.tiers")
    if tiers is not None:
        tiers.forget()


@pytest.fixture(autouse=True)
def hooks_of_the_process() -> Iterator[None]:
    """The command line's `main` gives up Ctrl-C and takes a hook, at the end of its process; here others follow."""
    handler, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    yield
    if signal.getsignal(signal.SIGINT) is not handler:
        signal.signal(signal.SIGINT, handler)
    sys.unraisablehook = hook


@pytest.fixture(scope="session")
def build_library(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """build_library(source, runtime=False): the path of a shared library of that C source, linked with ours or not."""
    names = [os.environ.get("CC"), "cc", "gcc", "clang"]
    compiler = next((found for name in names if name and (found := shutil.which(name))), None)
    built: dict[tuple[str, bool], str] = {}

    def build(source: str, runtime: bool = False) -> str:
        if compiler is None:
            pytest.skip("no C compiler")
        if (source, runtime) not in built:
            folder = tmp_path_factory.mktemp("native")
            (folder / "native.c").write_text(source)
            library = folder / "libnative.so"
            command = [compiler, "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-pthread", "-o", str(library)]
            command += [str(folder / "native.c"), *shlex.split(config.flags("includes"))]
            command += shlex.split(config.flags("libs")) if runtime else []
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, done.stderr
            built[source, runtime] = str(library)
        return built[source, runtime]

    return build


@pytest.fixture(scope="session")
def system_library() -> Callable[..., Any]:
    """system_library(soname, package, cdef=None): the library loaded; skips where the machine has none."""

    def load(soname: str, package: str, cdef: str | None = None) -> Any:
        try:
            return jitffi.load_library(soname, cdef=cdef)
        except OSError as error:
            pytest.skip(f"{error}; on Debian it is in {package}")

    return load


@pytest.fixture(scope="session")
def run_python(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """run_python(source or Path, *args): standard output of a fresh process with this jitffi; it must exit with 0."""

    def run(program: str | Path, *args: str, timeout: float = 60, env: dict[str, str] | None = None) -> str:
        folder = tmp_path_factory.mktemp("process")
        if isinstance(program, str):
            (folder / "program.py").write_text(program)
            program = folder / "program.py"
        path = os.pathsep.join([str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
        done = subprocess.run(
            [sys.executable, str(program), *args], capture_output=True, encoding="utf-8", cwd=folder,
            timeout=timeout * _PATIENCE,
            env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", **(env or {})},
        )  # fmt: skip
        assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert not done.stderr, done.stderr
        return done.stdout

    return run


@pytest.fixture(autouse=True)
def nothing_left_to_compile(request):
    """Tests that look into a cache of their own must not find what the compile worker makes for the test before."""
    build = sys.modules.get("jitffi.adapters.tiers")
    if build is not None and request.module.__name__.rpartition(".")[2] in ("test_cache", "test_corners"):
        build.drain()
