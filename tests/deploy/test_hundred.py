"""A hundred signatures as files of every format: one command each, linked, loaded, called, and the same every time."""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from support import callees
from support.adapters import carries
from support.leaks import live_objects

import jitffi
from jitffi.api.functions import Function
from jitffi.base import config
from jitffi.conventions.table import CONVENTIONS
from jitffi.link import system_linker
from jitffi.llvm.target import Target

CC = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
STRICT = ["-Wall", "-Wextra", "-Werror"]
SIGS = callees.signatures()
OBJECTS = ("o", "s", "ll", "bc")
pytestmark = pytest.mark.skipif(CC is None, reason="no C compiler for the functions that are called")


def run(*command: str | Path, **options: Any) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def flags(what: str) -> list[str]:
    return shlex.split(config.flags(what))


def emit(out: Path, *options: str | Path, **environment: str) -> Path:
    """What a user types, in a process of its own."""
    out.parent.mkdir(exist_ok=True)
    path = os.pathsep.join(filter(None, sys.path))
    sigs = callees.FILE
    if "python" in options:  # a module is an object of the package's, which an extension module does not have
        sigs = out.parent / "python.sigs"
        sigs.write_text("".join([line for line in callees.FILE.open() if not line.startswith("of_module")]))
    command = [sys.executable, "-m", "jitffi", "emit", f"@{sigs}", "-o", out, *options]
    assert run(*command, env={**os.environ, "PYTHONPATH": path, **environment}) == f"{out}\n"
    return out


def shown(value: Any) -> str:
    """What can be compared: by type and to the last bit, containers as Python's, functions as what they do."""
    if hasattr(value, "to_python"):
        value = value.to_python()
    return repr(value)


def call_all(function: Any, without: tuple[str, ...] = (), between: str = "packed") -> int:
    """Call each with its edge values, function(name) being what is to be called, as far as the convention *between*
    carries them; return how many calls it were."""
    pair = ("packed", between)
    calls = 0
    last = function("last_arguments")
    for name, sig in SIGS.items():
        if name in ("last_arguments", "fail", *without):
            continue
        call = function(name)
        for args, kept, result in callees.cases(sig):
            if not all(carries(pair, param.type, arg) for param, arg in zip(sig.params, args, strict=True)):
                continue
            got = call(*args)
            calls += 1
            assert shown(got) == shown(result), f"{name}{args}"
            assert shown(last()) == shown(kept), f"{name}{args}"
    with pytest.raises(KeyError, match="not here"):
        function("fail")("KeyError", "not here")
    with pytest.raises(TypeError, match="two.* argument"):
        function("two")(1)
    with pytest.raises(OverflowError, match="of_i8: argument 1: expected i8 .* got int 128"):
        function("of_i8")(128)
    assert shown(function("maybe_f64")(None)) == "0.5"
    assert shown(function("named")(1)) == "'drei'" and shown(last()) == "[1, -1, 'drei']"
    assert shown(function("keywords")(7)) == "7" and shown(last()) == "[7, 'none', 0.001]"
    return calls


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the header, and the C functions as source and as an object."""
    where = tmp_path_factory.mktemp("hundred")
    emit(where / "hundred.o", "--header", where / "hundred.h")
    (where / "callees.c").write_text(callees.HEAD + callees.source())
    run(CC, "-std=c11", "-O1", "-fPIC", *STRICT, *flags("includes"), "-c", "callees.c", cwd=where)
    return where


@functools.cache
def emitted(folder: Path, form: str) -> Path:
    """The hundred in one format, with header and stub."""
    ending, options = ("so", ["--entry", "python"]) if form == "python" else (form, [])
    if form in ("so", "python"):
        options += ["--link", str(folder / "callees.o")]
    out = folder / form / f"hundred.{ending}"
    return emit(out, *options, "--header", out.with_suffix(".h"), "--stub", out.with_suffix(".pyi"))


def library(folder: Path, form: str) -> Path:
    """A shared library of what was emitted in that format, and the C functions."""
    made = emitted(folder, form)
    out = folder / form / "hundred.so"
    if made == out or out.exists():
        return out
    if form in ("ll", "bc"):  # as a compiler of that LLVM takes it
        from jitffi.llvm import object_files

        text = made.read_text() if form == "ll" else assembly_of(made)
        made = made.with_suffix(".o")
        made.write_bytes(object_files.compile_text(text, Target.of(), 2, "o"))
    run(CC, "-shared", "-Wl,-z,defs", "-o", out, made, folder / "callees.o", *flags("libs"))
    return out


def assembly_of(bitcode: Path) -> str:
    from llvmlite import binding

    return str(binding.parse_bitcode(bitcode.read_bytes()))


def test_there_are_a_hundred() -> None:
    assert len(SIGS) == 100
    types = {p.type.text for sig in SIGS.values() for p in sig.params} | {s.result.text for s in SIGS.values()}
    # Wide numbers, which slots do not hold, and sets have files of their own.
    assert set(callees.TYPES) - {"longdouble", "i128", "u128", "c64", "c128", "set"} <= types
    assert {len(sig.params) for sig in SIGS.values()} >= {*range(14), 16, 20, 40}


@pytest.mark.parametrize("form", [*OBJECTS, "so"])
def test_linked_loaded_and_called(form: str, folder: Path) -> None:
    module = jitffi.load_module(library(folder, form))
    assert call_all(module.get_function) > 800
    assert sorted(module) == sorted(SIGS)


def test_objects_are_loaded_as_they_are(folder: Path) -> None:
    module = jitffi.load_module(folder / "hundred.o", folder / "callees.o")
    assert call_all(module.get_function) > 800
    before = live_objects()
    assert call_all(module.get_function) > 800
    assert live_objects() == before


@pytest.mark.parametrize("between", sorted(set(CONVENTIONS) - {"c", "packed", "python"}))
def test_packed_to_another_convention_to_c(between: str, folder: Path, tmp_path: Path) -> None:
    """What calls by a convention and what is called by it, in one library."""
    jitffi.emit(SIGS, tmp_path / "calls.o", callee=between)
    jitffi.emit(SIGS, tmp_path / "called.o", entry=between)
    options = "-Wl,-z,defs,-z,muldefs"  # more than one convention says the signatures
    objects = ["calls.o", "called.o", folder / "callees.o"]
    run(CC, "-shared", options, "-o", "between.so", *objects, *flags("libs"), cwd=tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of functions that have no signature of their own, beside the packed ones
        module = jitffi.load_module(tmp_path / "between.so")
    assert call_all(module.get_function, between=between) > 800
    before = live_objects()
    assert call_all(module.get_function, between=between) > 800
    assert live_objects() == before


def test_called_without_the_loader(folder: Path) -> None:
    """What any program does: dlopen, dlsym, and the packed call."""
    made = jitffi.load_library(str(library(folder, "o")))

    def function(name: str) -> Any:
        address = Function(made.bind(f"__jf_{name}", "() -> void")).native_address
        return Function.from_packed(address, name=name, signature=SIGS[name], keep_alive=made)

    assert call_all(function) > 800


def test_an_extension_module(folder: Path) -> None:
    made = emitted(folder, "python")
    (made.parent / "program.py").write_text(
        f"import sys; sys.path[:0] = {[str(made.parent), str(Path(callees.__file__).parents[1])]!r}\n"
        "import hundred\n"
        "assert not {name for name in sys.modules if name.partition('.')[0] in ('jitffi', 'llvmlite', 'numpy')}\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_hundred import call_all\n"
        "print(call_all(lambda name: getattr(hundred, name), without=('of_module',)))\n"
    )
    path = os.pathsep.join(filter(None, sys.path))
    said = run(sys.executable, made.parent / "program.py", env={**os.environ, "PYTHONPATH": path})
    assert int(said) > 800


@pytest.mark.parametrize("form", [*OBJECTS, "so", "wasm", "python"])
def test_every_run_writes_the_same(form: str, folder: Path, tmp_path: Path) -> None:
    options = ["--entry", "python"] if form == "python" else []
    if form in ("so", "python"):
        options += ["--link", str(folder / "callees.o")]
    if form == "wasm":
        try:
            system_linker.find("wasm", Target.of("wasm32-unknown-unknown"))
        except OSError as error:
            pytest.skip(str(error))
    first = emitted(folder, form)
    out = tmp_path / first.name
    more = ["--header", out.with_suffix(".h"), "--stub", out.with_suffix(".pyi"), "-j", "2"]
    emit(out, *options, *more, PYTHONHASHSEED="99", JITFFI_CACHE_DIR="")
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (first.parent / path.name).read_bytes(), path.name
    assert {path.suffix for path in tmp_path.iterdir()} >= {first.suffix, ".h", ".pyi"}


# -- programs --------------------------------------------------------------------------------------------------------


def libraries(kind: str) -> list[str]:
    return flags("libs" if kind == "shared" else "static")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_c_program(compiler: str, folder: Path, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    source, expected = callees.program()
    (tmp_path / "program.c").write_text(source)
    command = [compiler, "-std=c11", "-O1", *STRICT, "-I", folder, *flags("includes"), "-c", "program.c"]
    run(*command, "-o", "program.o", cwd=tmp_path)
    for kind in ("shared", "static"):
        run(compiler, "-o", kind, "program.o", folder / "hundred.o", *libraries(kind), cwd=tmp_path)
        said = run(tmp_path / kind)
        assert said.splitlines() == expected.splitlines()
    assert b"libjitffi_runtime.so" not in (tmp_path / "static").read_bytes()


CPP = r"""
#include "hundred.h"

#include <cstring>
#include <iostream>
#include <string>

// What others would write around an emitted function.
class Function {
 public:
  explicit Function(jf_packed_call call) : call_(call) {}
  template <std::size_t N>
  std::string operator()(const jf_view (&args)[N]) const {
    jf_value out;
    jf_out_init(&out, 8);
    if (call_(nullptr, N, args, &out) != 0) {
      const jf_error* error = reinterpret_cast<const jf_error*>(jf_error_take());
      return std::string(error->kind->data) + ": " + error->message->data;
    }
    return std::to_string(out.type_code) + " " + std::to_string(out.v_int64);
  }

 private:
  jf_packed_call call_;
};

static jf_view of_int(std::int64_t value) {
  jf_view view;
  std::memset(&view, 0, sizeof view);
  view.type_code = JF_INT;
  view.v_int64 = value;
  return view;
}

int main() {
  const jf_view seven[] = {of_int(1), of_int(2), of_int(3), of_int(4), of_int(5), of_int(6), of_int(-7)};
  const jf_view large[] = {of_int(128)};
  std::cout << Function(__jf_seven)(seven) << '\n' << Function(__jf_of_i8)(large) << '\n';
  std::cout << __jfsig_two << ' ' << c_hypot(3.5, 4) << '\n';  // the callee itself is declared, too
}
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_a_cpp_program(compiler: str, folder: Path, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    (tmp_path / "program.cpp").write_text(CPP)
    command = [compiler, "-std=c++11", *STRICT, "-pedantic", "-I", folder, *flags("includes"), "-c", "program.cpp"]
    run(*command, "-o", "program.o", cwd=tmp_path)
    for kind in ("shared", "static"):
        run(
            compiler,
            "-o",
            kind,
            "program.o",
            folder / "hundred.o",
            folder / "callees.o",
            *libraries(kind),
            cwd=tmp_path,
        )
        assert run(tmp_path / kind).splitlines() == [
            "-2 -7",
            "OverflowError: of_i8: argument 1: expected i8 (-128 to 127), got int 128",
            "(x: i64, y: f64) -> f64 3.5",
        ]
