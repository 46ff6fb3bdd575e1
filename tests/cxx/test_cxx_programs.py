"""jitffi.hpp: programs that use it compile without a warning, do what they say, and leave nothing behind."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest
from support.builds import run
from support.cxx import COMPILERS, compiled

from jitffi.base import config

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.cpp"))
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-g"]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program(program: Path, compiler: str, tmp_path: Path) -> None:
    run(compiled(program, tmp_path / "program", "-O2", compiler=compiler))


#: What projects add to their own; a later dialect has other rules for comparisons and templates.
STRICTER = ["-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wnon-virtual-dtor"]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_other_dialects_and_warnings(compiler: str, tmp_path: Path) -> None:
    for program in PROGRAMS:
        compiled(program, tmp_path / "program.o", "-fsyntax-only", "-c", "-std=c++20", compiler=compiler)
    source = tmp_path / "source.cpp"
    source.write_text("#include <jitffi/jitffi.hpp>\n#include <jitffi/cxx/compat.hpp>\nint unused_here;\n")
    compiled(source, tmp_path / "source.o", "-fsyntax-only", "-c", *STRICTER, compiler=compiler)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_with_sanitizers(program: Path, tmp_path: Path) -> None:
    run(compiled(program, tmp_path / "program", *SANITIZERS))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_program_without_exceptions(compiler: str, tmp_path: Path) -> None:
    source = PROGRAMS[0].parent / "no_exceptions.cxx"
    program = compiled(source, tmp_path / "program", "-fno-exceptions", "-fno-rtti", compiler=compiler)
    assert run(program) == "TypeError: divide: argument 1: expected i64, got str 'x'\n"
    aborted = subprocess.run([program, "abort"], capture_output=True, text=True)
    assert aborted.returncode == -signal.SIGABRT
    assert aborted.stderr == "jitffi: ZeroDivisionError: division by zero\n"


REFUSED = {
    "Function([](std::unique_ptr<int>) {});": "a parameter is of a type that does not cross",
    "Function([] { return std::make_unique<int>(3); });": "the result is of a type that does not cross",
    "Function([](std::string& text) { text += 'x'; });": "a parameter is a value or a const reference",
    "Function()(std::make_unique<int>(3));": "an argument is of a type that does not cross",
    "TypedFunction<void(std::unique_ptr<int>)>()(nullptr);": "a parameter is of a type that does not cross",
}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_what_cannot_cross_is_said_by_one_sentence(compiler: str, tmp_path: Path) -> None:
    source = tmp_path / "source.cpp"
    lines = [f"void refused_{i}() {{ {text} }}" for i, text in enumerate(REFUSED)]
    source.write_text(
        "\n".join(["#include <jitffi/jitffi.hpp>", "#include <memory>", "using namespace jitffi;", *lines])
    )
    with pytest.raises(AssertionError) as refused:
        compiled(source, tmp_path / "source.o", "-c", "-fsyntax-only", compiler=compiler)
    said = [line for line in str(refused.value).splitlines() if "error:" in line and "assert" in line]
    for sentence in set(REFUSED.values()):
        assert any(sentence in line for line in said), sentence


def test_including_it_takes_no_time(tmp_path: Path) -> None:
    source = tmp_path / "source.cpp"
    source.write_text("#include <jitffi/jitffi.hpp>\n#include <jitffi/jitffi.hpp>\nint unused_here;\n")
    times = []
    for _ in range(3):
        start = time.perf_counter()
        compiled(source, tmp_path / "source.o", "-c", "-O0")
        times.append(time.perf_counter() - start)
    assert min(times) < 2


def test_each_header_can_be_included_alone(tmp_path: Path) -> None:
    names = [path.name for path in sorted((config.include_dir() / "jitffi" / "cxx").glob("*.hpp"))]
    assert names
    source = tmp_path / "source.cpp"
    for name in names:
        source.write_text(f"#include <jitffi/cxx/{name}>\nint unused_here;\n")
        compiled(source, tmp_path / "source.o", "-c", "-fsyntax-only")
