"""`pip install .` where something is missing: one sentence, the same from pip's hooks as from CMake."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BACKEND = ROOT / "runtime_c" / "packaging"
RUNNING = "{}.{}".format(*sys.version_info)
WORKING = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
HOOKS = (
    "get_requires_for_build_wheel()",
    "get_requires_for_build_editable()",
    "build_wheel('dist')",
    "build_editable('dist')",
)
#: In place of scikit-build-core, which pip has where it builds, and which would go on to CMake.
STAND_IN = """
def build_wheel(*arguments): return "built"
get_requires_for_build_wheel = get_requires_for_build_editable = build_editable = build_wheel
build_sdist = get_requires_for_build_sdist = build_wheel
prepare_metadata_for_build_wheel = prepare_metadata_for_build_editable = build_wheel
"""

needs_compiler = pytest.mark.skipif(WORKING is None, reason="no C compiler")


@pytest.fixture
def hook(tmp_path: Path):
    """hook(call, before="", **environment): what the hook says on its way out, or gives."""
    package = tmp_path / "modules" / "scikit_build_core"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "build.py").write_text(STAND_IN)
    kept = {name: value for name, value in os.environ.items() if name not in ("CC", "CFLAGS", "LDFLAGS", "CMAKE_ARGS")}

    def call(hook: str = HOOKS[0], before: str = "", **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, "-S", "-c", f"{before}\nimport jitffi_build\nprint(jitffi_build.{hook})"],
            env={**kept, "PYTHONPATH": f"{package.parent}{os.pathsep}{BACKEND}", **environment},
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert (done.returncode, done.stderr.count("\n")) in ((0, 0), (1, 1)), done.stderr
        return (done.stderr or done.stdout).strip()

    return call


@needs_compiler
@pytest.mark.parametrize("call", HOOKS)
def test_with_everything_there_it_builds(hook, call):
    assert hook(call) == "built"


@pytest.mark.parametrize("call", HOOKS)
def test_without_a_compiler(hook, call, tmp_path):
    said = hook(call, PATH=str(tmp_path))
    assert said.startswith("jitffi: there is no C compiler (cc, gcc, clang) on PATH: install one with apt install ")


def test_source_distributions_need_no_compiler(hook, tmp_path):
    assert hook("build_sdist('dist')", PATH=str(tmp_path)) == "built"


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ("/no/such/cc", "there is no such program"),
        ("no-such-cc -O2", "there is no such program"),
        (str(ROOT), "Permission denied"),
        ("true", "it made no program from C, and ended with 0"),
        ("false", "it made no program from C, and ended with 1"),
        ("cc '", "No closing quotation"),
    ],
)
def test_cc_is_no_compiler(hook, chosen, why):
    said = hook(CC=chosen)
    assert said.startswith(f"jitffi: CC is {chosen!r}, which is no C compiler that works: ") and why in said


@needs_compiler
def test_cc_may_have_options(hook):
    assert hook(CC=f"{WORKING} -O1") == "built"
    assert "-nonsense" in hook(CC=f"{WORKING} -nonsense")


@needs_compiler
def test_a_compiler_without_a_c_library(hook):
    said = hook(CFLAGS="-nostdinc")
    assert re.match(r"jitffi: the C compiler \S+ does not work here: .*stdlib\.h.*install what it lacks with apt", said)


@pytest.mark.parametrize("name", ["CMAKE_TOOLCHAIN_FILE", "CMAKE_ARGS"])
def test_a_compiler_that_cmake_is_told_of_is_left_to_it(hook, tmp_path, name):
    assert hook(PATH=str(tmp_path), **{name: "-DCMAKE_C_COMPILER=/opt/cross/cc"}) == "built"
    assert hook("build_wheel('dist', {'cmake.define.CMAKE_C_COMPILER': '/opt/cc'})", PATH=str(tmp_path)) == "built"


def test_without_headers(hook, tmp_path):
    before = f"import sysconfig; sysconfig.get_path = lambda name: {str(tmp_path)!r}"
    assert hook(before=before) == (
        f"jitffi: CPython {RUNNING} has no C headers here ({tmp_path / 'Python.h'}): install them with "
        f"apt install python{RUNNING}-dev (Debian, Ubuntu) or dnf install python{RUNNING}-devel (Fedora)"
    )


FREE_THREADED = (
    f"jitffi: this CPython {RUNNING} is the free-threaded build, and jitffi needs the GIL: use the other build"
)


def test_free_threaded(hook):
    before = "import sysconfig; sysconfig.get_config_vars()['Py_GIL_DISABLED'] = 1"
    assert hook(before=before) == FREE_THREADED


@needs_compiler
def test_free_threaded_for_cmake_alone(tmp_path):
    """The configuration of such a build has the macro; here the compiler is told of it."""
    cmake = shutil.which("cmake") or pytest.skip("no cmake")
    options = ["-DJITFFI_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_C_FLAGS=-DPy_GIL_DISABLED=1"]
    done = subprocess.run(
        [cmake, "-S", ROOT / "runtime_c", "-B", tmp_path, *options], capture_output=True, text=True, timeout=120
    )
    said = " ".join(done.stderr.split())
    assert done.returncode != 0 and "is the free-threaded build, and jitffi needs the GIL: use the other build" in said


@needs_compiler
def test_free_threaded_for_the_compiler_alone():
    command = [WORKING, "-fsyntax-only", "-DPy_GIL_DISABLED=1", f"-I{sysconfig.get_path('include')}"]
    sources = ROOT / "runtime_c" / "python"
    command += [f"-I{ROOT / 'runtime_c' / 'include'}", "-iquote", sources / "shared", "-iquote", sources / "package"]
    command += [sources / "package" / "module.c"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and "free-threaded builds are not supported" in done.stderr
