"""What `jitffi config`, pkg-config and CMake give builds programs in C and C++ that start, with scripts and without."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import jitffi
from jitffi.base import config

SCRIPT = """
import jitffi

@jitffi.script
def shout(text: str) -> str:
    return text.upper() + "!"
"""
#: Runs as C and as C++.
PLAIN = """
#include <jitffi/runtime.h>
#include <stdio.h>
int main(void) { printf("%d\\n", jf_live_objects() == 0); return 0; }
"""
WITH_SCRIPT = """
#include "shout.h"
#include <stdio.h>
#include <string.h>
int main(void) {
  jf_view arg, shown;
  jf_value out;
  jf_span span;
  jf_temps temps = {NULL};
  memset(&arg, 0, sizeof arg);
  arg.type_code = JF_RAW_STR;
  arg.v_raw_str = "stra\\xc3\\x9f" "e";
  jf_out_init(&out, 8);
  if (__jf_shout(NULL, 1, &arg, &out) != 0) return 1;
  jf_any_view(&out, &shown);
  if (jf_lift_str(NULL, 0, &shown, &span, &temps) != 0) return 2;
  printf("%.*s\\n", (int)span.size, span.data);
  jf_any_release(&out);
  return 0;
}
"""
PROGRAMS = {"plain": (PLAIN, "1\n"), "script": (WITH_SCRIPT, "STRASSE!\n")}
COMPILERS = [("gcc", "c"), ("clang", "c"), ("g++", "cpp"), ("clang++", "cpp")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the programs, and with a script as an object."""
    made = tmp_path_factory.mktemp("flags")
    (made / "words.py").write_text(SCRIPT)
    jitffi.emit(f"{made / 'words.py'}:shout", made / "shout.o", header=made / "shout.h")
    for name, (text, _) in PROGRAMS.items():
        (made / f"{name}.c").write_text(text)
        (made / f"{name}.cpp").write_text(text)
    return made


def cli_flags(*options: str) -> list[str]:
    command = [sys.executable, "-m", "jitffi", "config", *options]
    return shlex.split(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)


def package_flags(*options: str, where: Path | None = None) -> list[str]:
    if shutil.which("pkg-config") is None:
        pytest.skip("no pkg-config")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(where or config.flags("pkgconfigdir"))}
    command = ["pkg-config", *options, "jitffi"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    return shlex.split(done.stdout)


def starts(program: Path) -> str:
    """What a program prints where nothing but itself says where its libraries are."""
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, env={}, cwd="/")
    assert done.returncode == 0, done.stderr
    return done.stdout


def build(folder: Path, compiler: str, language: str, name: str, flags: list[str]) -> Path:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    objects = ["shout.o"] if name == "script" else []
    made = folder / f"{name}-{compiler}"
    strict = ["-Wall", "-Wextra", "-Werror"]
    command = [compiler, *strict, f"{name}.{language}", *objects, "-o", str(made), *flags]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=120)
    assert done.returncode == 0, done.stderr
    return made


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("compiler", "language"), COMPILERS)
@pytest.mark.parametrize("kind", ["shared", "static"])
def test_one_call_of_config_says_all(folder, compiler, language, name, kind):
    flags = cli_flags("--includes", "--libs", *(["--static"] if kind == "static" else []))
    assert starts(build(folder, compiler, language, name, flags)) == PROGRAMS[name][1]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("compiler", "language"), COMPILERS)
@pytest.mark.parametrize("kind", ["shared", "static"])
def test_pkg_config(folder, compiler, language, name, kind):
    static = ["--static"] if kind == "static" else []
    flags = package_flags("--cflags", "--libs", *static) + (["-static"] if static else [])
    if static and compiler.startswith("clang"):
        pytest.skip("one compiler is enough to link the C library itself")
    made = build(folder, compiler, language, name, flags)
    assert starts(made) == PROGRAMS[name][1]
    if not static and name == "plain" and shutil.which("readelf"):
        dynamic = subprocess.run(["readelf", "-d", made], capture_output=True, text=True, timeout=60).stdout
        assert "libjitffi_runtime" in dynamic and "libjitffi_script" not in dynamic


def test_an_installation_can_be_moved(folder, tmp_path):
    moved = tmp_path / "moved here"
    for path in ("include", "lib"):
        source = Path(config.flags("pkgconfigdir")).parent.parent / path
        shutil.copytree(source, moved / path)
    flags = package_flags("--cflags", "--libs", where=moved / "lib/pkgconfig")
    assert any(str(moved) in flag for flag in flags)
    assert starts(build(folder, "gcc", "c", "script", flags)) == "STRASSE!\n"


CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(flags C CXX)
find_package(jitffi REQUIRED)
foreach(kind IN ITEMS script script_static)
  add_executable(${kind}_c ${SOURCES}/script.c ${SOURCES}/shout.o)
  add_executable(${kind}_cpp ${SOURCES}/script.cpp ${SOURCES}/shout.o)
  foreach(language IN ITEMS c cpp)
    target_link_libraries(${kind}_${language} PRIVATE jitffi::${kind})
  endforeach()
endforeach()
foreach(kind IN ITEMS runtime runtime_static)
  add_executable(${kind}_c ${SOURCES}/plain.c)
  target_link_libraries(${kind}_c PRIVATE jitffi::${kind})
endforeach()
"""


def test_cmake(folder, tmp_path):
    cmake = shutil.which("cmake", path=os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]))
    if cmake is None or shutil.which("make") is None:
        pytest.skip("no CMake")
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    options = [f"-Djitffi_DIR={config.flags('cmakedir')}", f"-DSOURCES={folder}", "-G", "Unix Makefiles"]
    for command in (["-S", tmp_path, "-B", tmp_path / "build", *options], ["--build", tmp_path / "build"]):
        done = subprocess.run([cmake, *command], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
    for name in ("script_c", "script_cpp", "script_static_c", "script_static_cpp"):
        assert starts(tmp_path / "build" / name) == "STRASSE!\n"
    assert starts(tmp_path / "build/runtime_c") == starts(tmp_path / "build/runtime_static_c") == "1\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "choose --includes"), (["--includes", "--static"], "--static goes with --libs"),
        (["--libs", "--cmakedir"], "choose --includes"), (["--cmakedir", "--pkgconfigdir"], "choose --includes"),
    ],
)  # fmt: skip
def test_what_does_not_go_together(options, message):
    command = [sys.executable, "-m", "jitffi", "config", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and message in done.stderr
