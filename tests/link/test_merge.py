"""Objects merged without a linker: what linkers and the loader make of them."""

from __future__ import annotations

import shutil
import subprocess

import pytest

import jitffi
from jitffi.base import config
from jitffi.emission import parallel
from jitffi.link import merge
from jitffi.llvm.target import Target

TARGETS = ["x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu", "i686-linux-gnu", "arm-linux-gnueabihf"]


def needs(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def compile_c(where, name: str, text: str, *flags: str) -> bytes:
    needs("cc")
    (where / f"{name}.c").write_text(text)
    subprocess.run(["cc", "-fPIC", *flags, "-c", f"{name}.c"], check=True, cwd=where)
    return (where / f"{name}.o").read_bytes()


def symbols(path) -> dict[str, str]:
    """The kind of each global symbol, as nm has it."""
    needs("nm")
    shown = subprocess.run(["nm", "-g", str(path)], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1]: line.split()[-2] for line in shown.splitlines()}


def test_a_name_that_one_defines_and_another_needs_is_one_symbol(tmp_path):
    first = compile_c(
        tmp_path, "a", "int two(void); int one(void) { return two() + 1; } static int s = 3; int *p = &s;"
    )
    second = compile_c(tmp_path, "b", "int one(void), three(void); int two(void) { return three() ? one() : 1; }")
    (tmp_path / "both.o").write_bytes(merge.merge([first, second]))
    found = symbols(tmp_path / "both.o")
    assert {name: found[name] for name in ("one", "two", "three", "p")} == {
        "one": "T",
        "two": "T",
        "three": "U",
        "p": "D",
    }


def test_the_first_of_weak_symbols_is_taken_and_a_strong_one_before_it(tmp_path):
    texts = ["__attribute__((weak)) int x(void) { return 1; }", "__attribute__((weak)) int x(void) { return 2; }"]
    texts += ["int x(void); int y(void) { return x(); }", "int x(void) { return 3; }"]
    objects = [compile_c(tmp_path, f"w{i}", text) for i, text in enumerate(texts)]
    for several, value in ((objects[:3], 1), (objects, 3), (objects[1:3], 2)):
        (tmp_path / "x.o").write_bytes(merge.merge(several))
        subprocess.run(["cc", "-shared", "-o", f"x{value}.so", "x.o"], check=True, cwd=tmp_path)
        assert jitffi.load_library(tmp_path / f"x{value}.so").bind("y", "() -> i32")() == value


def test_what_is_defined_twice_is_refused(tmp_path):
    objects = [compile_c(tmp_path, f"d{i}", f"int x(void) {{ return {i}; }}") for i in range(2)]
    with pytest.raises(merge.NotMergeable, match="x is defined twice"):
        merge.merge(objects)


@pytest.mark.parametrize("data", [b"\x7fELF\2\2" + bytes(90), b"MZ" + bytes(90), b"\0asm" + bytes(90)])
def test_what_is_something_else_is_refused(data):
    with pytest.raises(merge.NotMergeable):
        merge.merge([data, data])


def test_objects_for_different_machines_are_refused(tmp_path):
    made = [jitffi.emit("f: () -> i64", tmp_path / f"{t}.o", target=t).read_bytes() for t in TARGETS[:2]]
    with pytest.raises(merge.NotMergeable, match="different machines"):
        merge.merge(made)


@pytest.mark.parametrize("triple", TARGETS)
def test_many_signatures_for_each_target(triple, tmp_path):
    needs("ld.lld")
    number = parallel.PIECE + 2
    sigs = {f"f{i}": jitffi.Signature.parse("(a: str, b: i64 = 7, c: cstr = 'x') -> str") for i in range(number)}
    path = jitffi.emit(sigs, tmp_path / "x.o", target=triple)
    # Of ARM's oldest, for which no CPU is named, lld has something to say with one object as well.
    fatal = [] if Target.of(triple).arch == "arm" else ["--fatal-warnings"]
    subprocess.run(["ld.lld", "-shared", *fatal, "-o", tmp_path / "x.so", path], check=True)
    found = symbols(tmp_path / "x.so")
    assert {name for name in found if name.startswith("__jf_")} == {f"__jf_f{i}" for i in range(number)}


def test_every_function_of_a_merged_object_works(tmp_path):
    number = parallel.PIECE + 40
    functions = "".join(
        f"int64_t f{i}(int64_t a, const char* b, size_t n) {{ return a * 1000 + {i} + (int64_t)n + b[0]; }}\n"
        for i in range(number)
    )
    compile_c(tmp_path, "f", f"#include <stddef.h>\n#include <stdint.h>\n{functions}")
    sigs = {f"f{i}": jitffi.Signature.parse(f"(a: i64, b: str = 'text {i}') -> i64") for i in range(number)}
    path = jitffi.emit(sigs, tmp_path / "x.o", jobs=2)
    expected = [3000 + i + len(f"text {i}") + ord("t") for i in range(number)]
    words = ["cc", "-shared", "-o", "x.so", "x.o", "f.o", *config.flags("libs").split()]
    subprocess.run(words, check=True, cwd=tmp_path)
    module = jitffi.load_module(tmp_path / "x.so")
    assert [module[f"f{i}"](3) for i in range(number)] == expected
    loaded = jitffi.load_module(path, tmp_path / "f.o")
    assert [loaded[f"f{i}"](3) for i in range(number)] == expected
    with pytest.raises(TypeError, match="f99: argument 1 'a': expected i64, got str 'x'"):
        loaded["f99"]("x")


@pytest.mark.parametrize("linker", ["ld", "ld.lld"])
def test_every_function_can_be_unwound(linker, tmp_path):
    needs(linker, "readelf")

    def frames(path) -> int:
        shown = subprocess.run(["readelf", "--debug-dump=frames", path], capture_output=True, text=True, check=True)
        return shown.stdout.count(" FDE ")

    few = jitffi.emit({f"f{i}": jitffi.Signature.parse("() -> i64") for i in range(3)}, tmp_path / "few.o")
    number = 2 * parallel.PIECE + 1
    many = jitffi.emit({f"f{i}": jitffi.Signature.parse("() -> i64") for i in range(number)}, tmp_path / "many.o")
    assert frames(many) == frames(few) // 3 * number
    subprocess.run([linker, "-shared", "--eh-frame-hdr", "-o", tmp_path / "many.so", many], check=True)
    assert frames(tmp_path / "many.so") >= frames(many)
