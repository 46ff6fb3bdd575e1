"""What C's types are on other machines: emitted prototypes, and clang's own opinion of each."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

import jitffi
from jitffi.signature import datamodel
from jitffi.signature.csource import KEYWORD_TYPES, TYPEDEFS

CLANG = shutil.which("clang")
MACHINES = {
    "x86_64-linux-gnu": ("x86_64", "linux", 64),
    "aarch64-linux-gnu": ("aarch64", "linux", 64),
    "arm64-apple-darwin": ("aarch64", "darwin", 64),
    "x86_64-pc-windows-msvc": ("x86_64", "windows", 64),
    "riscv64-linux-gnu": ("riscv64", "linux", 64),
    "riscv32-linux-gnu": ("riscv32", "linux", 32),
    "armv7-linux-gnueabihf": ("arm", "linux", 32),
    "i686-linux-gnu": ("i386", "linux", 32),
    "wasm32-wasi": ("wasm32", "wasi", 32),
    "powerpc64le-linux-gnu": ("powerpc64le", "linux", 64),
    "loongarch64-linux-gnu": ("loongarch64", "linux", 64),
    "mips64el-linux-gnuabi64": ("mips64el", "linux", 64),
}


@pytest.mark.skipif(CLANG is None, reason="no clang to compare with")
@pytest.mark.parametrize("triple", MACHINES)
def test_as_clang_has_them(triple):
    done = subprocess.run(
        [CLANG, f"--target={triple}", "-dM", "-E", "-xc", "/dev/null"], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"this clang has no {triple}")
    macros = dict(re.findall(r"#define (\w+) (.*)", done.stdout))
    model = datamodel.of(*MACHINES[triple])
    assert model.char == ("u8" if "__CHAR_UNSIGNED__" in macros else "i8")
    assert model.long == f"i{8 * int(macros['__SIZEOF_LONG__'])}"

    def of(spelled):
        return model.keywords[" ".join(sorted(spelled.split()))]

    for name, macro in {"size_t": "SIZE", "ptrdiff_t": "PTRDIFF", "intptr_t": "INTPTR", "wchar_t": "WCHAR"}.items():
        assert model.typedefs[name] == of(macros[f"__{macro}_TYPE__"]), name


def test_names_are_the_same_everywhere():
    for machine in MACHINES.values():
        model = datamodel.of(*machine)
        assert model.keywords.keys() == KEYWORD_TYPES.keys()
        assert model.typedefs.keys() == TYPEDEFS.keys()


@pytest.mark.parametrize(
    ("triple", "types"),
    [
        ("x86_64-linux-gnu", "(n: u64, x: i64, c: i8) -> i64"),
        ("aarch64-linux-gnu", "(n: u64, x: i64, c: u8) -> i64"),
        ("wasm32-unknown-unknown", "(n: u32, x: i32, c: i8) -> i32"),
        ("x86_64-pc-windows-msvc", "(n: u64, x: i32, c: i8) -> i64"),
    ],
)
def test_prototypes_are_of_the_target(triple, types, tmp_path):
    made = jitffi.emit("ssize_t f(size_t n, long x, char c);", tmp_path / "f.ll", target=triple)
    assert f'c"{types}\\00"' in made.read_text()
    made = jitffi.emit({"f": "ssize_t f(size_t n, long x, char c);"}, tmp_path / "f.ll", target=triple)
    assert f'c"{types}\\00"' in made.read_text()
