"""jitffi.hpp: programs that use it compile without a warning, do what they say, and leave nothing behind."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from support.builds import made_once, run
from support.cxx import COMPILERS, compiled

from jitffi.base import config

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.cpp"))
#: Warnings of either compiler, memory and undefined behaviour, two dialects: each is in one of them. Undefined
#: behaviour traps, since Debian has clang without the libraries that would say what it was.
BUILDS = {
    "addresses": ("g++", ["-std=c++17", "-fsanitize=address", "-g1"]),
    "clang": ("clang++", ["-std=c++20", "-fsanitize=undefined", "-fsanitize-trap=undefined"]),
}
if os.environ.get("JITFFI_TARGETS"):
    BUILDS["optimised"] = ("g++", ["-O1"])


def programs(build: str) -> Path:
    """All of them in one, which is compiled once in a run of tests."""
    compiler, options = BUILDS[build]
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    folder = made_once(
        f"cxx-programs-{build}",
        lambda made: compiled(FOLDER / "programs.cxx", made / "programs", *options, compiler=compiler),
    )
    return folder / "programs"


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("build", BUILDS)
def test_a_program(program: str, build: str) -> None:
    run(programs(build), program)


#: What projects add to their own; a later dialect has other rules for comparisons and templates.
STRICTER = ["-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wnon-virtual-dtor"]


@pytest.mark.parametrize(("compiler", "dialect"), [("g++", "-std=c++23"), ("clang++", "-std=c++2b")])
def test_other_dialects_and_warnings(compiler: str, dialect: str, tmp_path: Path) -> None:
    source = tmp_path / "source.cpp"
    source.write_text("#include <jitffi/jitffi.hpp>\n#include <jitffi/cxx/compat.hpp>\n" + USES)
    compiled(source, tmp_path / "source.o", "-fsyntax-only", "-c", dialect, *STRICTER, compiler=compiler)


#: A bit of everything, for what is only seen where templates are used.
USES = """
using namespace jitffi;
using namespace jitffi::compat;
struct Point : Object {
  double x = 0;
  double get() const { return x; }
};
[[maybe_unused]] static void uses() {
  Class<Point>("uses.Point").field("x", &Point::x).method("get", &Point::get);
  const AnyValue any = List<>{1, "two", nullptr};
  const Optional<int> none = any[2];
  const Variant<int, String> one = any[0];
  const Map<String, std::vector<int>> map = {{"a", {1, 2}}};
  Function f = [map](const String& key, Optional<int> number, Ref<Point> p) {
    return Tuple<double, int>(p->x + map.at(key)[0], number.value_or(2));
  };
  const auto [x, number] = f("a", none, make_object<Point>()).cast<Tuple<double, int>>();
  if (any == List<>() || one == 3 || any[0] < x || String("a") == "b" || number > 3 || none == 4) f = nullptr;
  TypedFunction<std::string(std::string_view)> same = [](std::string_view text) { return std::string(text); };
  same("text");
  Registry::Register("uses.half").set_body_typed<double(double)>([](auto value) { return value / 2; });
  if (Registry::Get("uses.half") != nullptr && Registry::Remove("uses.half")) (*Registry::Get("uses.half"))(1.0);
}
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_program_without_exceptions(compiler: str, tmp_path: Path) -> None:
    program = compiled(
        FOLDER / "no_exceptions.cxx", tmp_path / "program", "-fno-exceptions", "-fno-rtti", compiler=compiler
    )
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
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    compiled(source, tmp_path / "source.o", "-c", "-O0")
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 2


def test_each_header_can_be_included_alone(tmp_path: Path) -> None:
    folder = config.include_dir() / "jitffi" / "cxx"
    names = {path.name for path in folder.glob("*.hpp")}
    first = {name: re.findall(r"^#include (.+)$", (folder / name).read_text(), re.MULTILINE)[0] for name in names}
    # What another header includes before anything else is read alone with that one.
    alone = sorted(name for name in names if f'"{name}"' not in first.values())
    assert {"module.hpp", "structural.hpp", "compat.hpp", "class.hpp"} <= set(alone)
    source = tmp_path / "source.cpp"
    for name in alone:
        source.write_text(f"#include <jitffi/cxx/{name}>\nint unused_here;\n")
        compiled(source, tmp_path / "source.o", "-c", "-fsyntax-only")
