"""The C runtime, built and tested as a C project: plain, and with failing allocations under the sanitizers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.builds import sanitized_runtime

from jitffi.base import config

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "runtime_c"
SIZE_LIMIT = 360_000
LIBRARIES = ["runtime", "runtime_static", "script", "script_static", "more"]
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"]


def find_tool(*names: str) -> str | None:
    """The first that is there, beside this interpreter (where pip puts cmake and ninja) or on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return next((found for name in names if name and (found := shutil.which(name, path=path))), None)


CC = find_tool(os.environ.get("CC", ""), "cc", "gcc", "clang")
CXX = find_tool(os.environ.get("CXX", ""), "c++", "g++", "clang++")
CMAKE = find_tool("cmake")
NINJA = find_tool("ninja")
pytestmark = [
    pytest.mark.skipif(CC is None, reason="no C compiler"),
    pytest.mark.skipif(CMAKE is None, reason="no cmake: pip install '.[test]' brings one"),
    pytest.mark.skipif(NINJA is None and find_tool("make") is None, reason="neither ninja nor make"),
]


def run(*command: str | Path, **options: object) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return str(done.stdout)


def build(folder: Path, targets: list[str], *options: str) -> Path:
    generator = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={NINJA}"] if NINJA else ["-G", "Unix Makefiles"]
    compiler = f"-DCMAKE_C_COMPILER={CC}"
    run(CMAKE or "", "-S", RUNTIME, "-B", folder, *generator, compiler, "-DCMAKE_C_FLAGS=-Werror", *options)
    run(CMAKE or "", "--build", folder, "--parallel", "2", *(["--target", *targets] if targets else []))
    return folder


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The libraries. Optimised ones are the package's own; that takes most of the time."""
    options = (
        [] if os.environ.get("JITFFI_TARGETS") else ["-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-Werror -O0 -DNDEBUG"]
    )
    return build(tmp_path_factory.mktemp("runtime"), LIBRARIES, "-DJITFFI_TESTS=ON", *options)


@pytest.fixture(scope="module")
def installed(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runtime as a C project would install it, stripped."""
    prefix = tmp_path_factory.mktemp("prefix")
    run(CMAKE or "", "--install", plain, "--strip", "--prefix", prefix)
    return prefix


def shared_library(prefix: Path, name: str = "runtime") -> Path:
    return next(prefix.rglob(f"libjitffi_{name}.so"))


TESTS = sorted(source.stem for source in (RUNTIME / "tests").glob("test_*.c"))
#: Of what takes its memory another way where allocations fail: pools, containers, code.
POOLED = ["test_code", "test_list", "test_map", "test_str_core", "test_value"]


def check(folder: Path, tests: list[str] = TESTS) -> None:
    assert tests
    for name in tests:
        summary = run(folder / name).splitlines()[-1]
        assert re.fullmatch(r"[1-9]\d* passed, 0 failed", summary), f"{name}: {summary}"


def test_c_tests_pass(plain: Path) -> None:
    run(CMAKE or "", "--build", plain, "--parallel", "2")
    check(plain)


def test_c_tests_pass_with_failing_allocations_and_sanitizers() -> None:
    """Each path of a failure is looked at by AddressSanitizer and UBSan, too."""
    loaded = [f"module_library{which}" for which in ("", "_same", "_newer")]
    check(sanitized_runtime(CC or "", *TESTS, *loaded))


@pytest.mark.skipif(not os.environ.get("JITFFI_TARGETS"), reason="the build above stands for it: JITFFI_TARGETS=all")
def test_c_tests_pass_with_sanitizers(tmp_path: Path) -> None:
    check(build(tmp_path / "build", POOLED, "-DJITFFI_TESTS=ON", "-DJITFFI_SANITIZE=ON"), POOLED)


def declared(library: str = "runtime") -> set[str]:
    """The names that a library's public headers export, functions and data, as the preprocessor sees them."""
    headers = sorted((RUNTIME / "include/jitffi").glob("*.h"))
    found = names_in([header for header in headers if not header.name.startswith("script")])
    return found if library == "runtime" else names_in(headers) - found


def shared_within() -> set[str]:
    """What the library of scripts, built with the runtime, has of its own functions: no header is installed for it."""
    text = "".join(path.read_text() for path in sorted((RUNTIME / "src").glob("*.h")))
    return set(re.findall(r"^JF_(?:SHARED|API) .*?\b(jf_\w+)\(", text, re.MULTILINE))


def names_in(headers: list[Path]) -> set[str]:
    text = "".join(f'#include "jitffi/{header.name}"\n' for header in headers)
    mark = '__attribute__((visibility("default")))'
    seen = run(CC or "", "-E", "-P", "-xc", "-I", RUNTIME / "include", "-", input=text)
    names: set[str] = set()
    for part in seen.split(mark)[1:]:
        found = re.findall(r"\b(jf_\w+)\s*[(,;[]", part[: part.index(";") + 1])
        names.update(found if part.lstrip().startswith("extern") else found[:1])  # data, several at once; a function
    return names


def test_each_exported_function_has_its_test() -> None:
    callers = [*(RUNTIME / "tests").glob("*.[ch]"), RUNTIME / "include/jitffi/containers.h"]  # or it is called inline
    called = set(re.findall(r"\bjf_\w+", "".join(path.read_text() for path in callers)))
    model = (RUNTIME / "tests/string_core_model.inc").read_text()  # included once for either core
    called.update(
        f"jf_{core}_{name}" for core in ("str_core", "ucs4_core") for name in re.findall(r"NAME\((\w+)\)", model)
    )
    assert declared() - called == set()


def test_shared_library_is_small() -> None:
    assert (config.library_dir() / "libjitffi_runtime.so").stat().st_size < SIZE_LIMIT


def test_exports_are_what_the_headers_declare(installed: Path) -> None:
    listed = run(find_tool("nm") or "nm", "-D", "--defined-only", shared_library(installed))
    assert {line.split()[-1] for line in listed.splitlines()} == declared() | shared_within()


def test_links_nothing_but_the_c_library(installed: Path) -> None:
    dynamic = run(find_tool("readelf") or "readelf", "-d", shared_library(installed))
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    assert all(re.match(r"(libc|libpthread|ld-\w+|ld-linux-[\w-]+)\.(musl|so)", name) for name in needed), needed


def test_library_of_scripts(installed: Path) -> None:
    """It exports what its headers declare, finds the runtime beside it, and needs no Python."""
    library = shared_library(installed, "script")
    listed = run(find_tool("nm") or "nm", "-D", "--defined-only", library)
    assert {line.split()[-1] for line in listed.splitlines()} == declared("script")
    dynamic = run(find_tool("readelf") or "readelf", "-d", library)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    assert "libjitffi_runtime.so" in needed and "$ORIGIN" in dynamic
    assert all(re.match(r"(libc|libm|libpthread|libjitffi|ld-)", name) for name in needed), needed


def test_installed_files(installed: Path) -> None:
    names = {str(path.relative_to(installed)).split("/", 1)[1] for path in installed.rglob("*") if path.is_file()}
    assert {f"libjitffi_{name}.{kind}" for name in ("runtime", "script") for kind in ("so", "a")} <= names
    assert {"pkgconfig/jitffi.pc", "cmake/jitffi/jitffiConfig.cmake"} <= names
    assert {
        f"jitffi/{name}.h" for name in ("abi", "runtime", "containers", "pad", "text", "pattern", "script")
    } <= names
    assert {"jitffi/jitffi.hpp", "jitffi/cxx/any.hpp", "jitffi/cxx/class.hpp"} <= names
    assert {f"cmake/jitffi/toolchains/{name}.cmake" for name in ("aarch64-linux-gnu", "wasm32-wasi")} <= names
    assert not any("internal" in name for name in names)
    assert "Libs.private: -pthread" in next(installed.rglob("jitffi.pc")).read_text()
    for text in [*installed.rglob("*.pc"), *installed.rglob("*.cmake")]:
        assert str(installed) not in text.read_text(), f"{text.name} cannot be moved"


@pytest.mark.parametrize(
    ("language", "standard"), [("c", "c99"), ("c", "c11"), ("c", "c17"), ("c++", "c++11"), ("c++", "c++17")]
)
@pytest.mark.parametrize("family", ["cc", "clang"])
def test_headers_are_clean(family: str, language: str, standard: str, tmp_path: Path) -> None:
    clang = find_tool("clang" if language == "c" else "clang++")
    compiler = clang if family == "clang" else CC if language == "c" else CXX
    if compiler is None:
        pytest.skip("no such compiler")
    for header in sorted((RUNTIME / "include/jitffi").glob("*.h")):
        source = tmp_path / f"{header.stem}.{language.replace('+', 'x')}"
        source.write_text(f'#include "jitffi/{header.name}"\n#include "jitffi/{header.name}"\nint unused_here;\n')
        run(compiler, f"-std={standard}", *STRICT, "-I", RUNTIME / "include", source)
