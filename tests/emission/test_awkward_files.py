"""Files and modules as strangers use them: awkward names, files of other systems, headers beside the C library's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import jitffi
from jitffi.base import config

INCLUDES = config.flags("includes").split()

#: Prototypes of the C library in whose types ours and the compilers' would differ.
STANDARD = [
    "int memcmp(const void *a, const void *b, size_t n);",
    "void *memcpy(void *to, const void *from, size_t n);",
    "char *strchr(const char *s, int c);",
    "double frexp(double x, int *exponent);",
    "void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));",
    "long long llabs(long long x);",
    "unsigned long strtoul(const char *s, char **end, int base);",
    "size_t strftime(char *s, size_t n, const char *format, const void *when);",
    "char *getenv(const char *name);",
    "double hypot(double x, double y);",
]


def compile_header(path: Path, compiler: str, dialect: str, before: str = "") -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    language = "c++" if "++" in compiler else "c"
    words = [compiler, f"-std={dialect}", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", *INCLUDES]
    source = f'{before}#include "{path}"\n'
    done = subprocess.run([*words, "-x", language, "-"], input=source, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


COMPILERS = [("gcc", "c11"), ("clang", "c11"), ("g++", "c++11"), ("clang++", "c++17")]
LIBC = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


@pytest.mark.parametrize(("compiler", "dialect"), COMPILERS)
def test_headers_go_with_those_of_the_c_library(compiler, dialect, tmp_path):
    path = tmp_path / "std.h"
    jitffi.emit([*STANDARD, "f: (complex: f64, I: f64, EOF: i32) -> f64"], tmp_path / "std.o", header=path)
    assert "// called: memcmp of <string.h>\n" in path.read_text()
    compile_header(path, compiler, dialect)
    compile_header(path, compiler, dialect, LIBC if "++" in compiler else f"#include <complex.h>\n{LIBC}")


def test_no_two_headers_have_one_guard(tmp_path):
    guards = set()
    for name in ("\u00e4.h", "\u00f6.h", "\u00e4 b.h", "b.h", "b.hpp"):
        jitffi.emit("add: (i64) -> i64", tmp_path / "a.o", header=tmp_path / name)
        guards.add((tmp_path / name).read_text().splitlines()[1])
    assert len(guards) == 5


def test_files_of_other_systems_hold_signatures_too(tmp_path):
    (tmp_path / "sigs.txt").write_bytes(
        b"\xef\xbb\xbf# comment\r\nadd: (a: i64) -> i64\r\n\r\n  # more\r\n"
        b"text: (s: str = 'a\x0cb\xe2\x80\xa8') -> str\r\n"
    )
    path = jitffi.emit(f"@{tmp_path / 'sigs.txt'}", tmp_path / "out.o", header=tmp_path / "out.h")
    assert [line for line in (tmp_path / "out.h").read_text().splitlines() if " -> " in line] == [
        "// add: (a: i64) -> i64",
        r"// text: (s: str = 'a\x0cb\u2028') -> str",
    ]
    assert path.is_file()


def test_a_pair_of_texts_is_a_name_and_a_signature(tmp_path):
    jitffi.emit(("inc", "(i64) -> i64"), tmp_path / "out.o", header=tmp_path / "out.h")
    assert "__jfsig_inc" in (tmp_path / "out.h").read_text()
    jitffi.emit(("inc: (i64) -> i64", "int dec(int x);"), tmp_path / "out.o", header=tmp_path / "out.h")
    assert "__jfsig_dec" in (tmp_path / "out.h").read_text()


def test_a_module_that_no_import_can_name(tmp_path):
    with pytest.raises(ValueError, match=r"class\.so: .* no identifier"):
        jitffi.emit("add: (i64) -> i64", tmp_path / "class.so", entry="python")
    assert not list(tmp_path.iterdir())


def test_stubs_of_c_entries_are_true_of_their_declarations(tmp_path):
    """What load_library makes of the header's declarations: C has no defaults, and text in two parameters."""
    sigs = ["inc: (x: i64, by: i64 = 1) -> i64", "size: (text: str) -> i64", "echo: (text: str) -> str"]
    jitffi.emit(sigs, tmp_path / "d.o", entry="c", callee="packed", header=tmp_path / "d.h", stub=tmp_path / "d.pyi")
    declared = [
        line for line in (tmp_path / "d.h").read_text().splitlines() if line.endswith(";") and "jf_" not in line
    ]
    found = [line.strip() for line in (tmp_path / "d.pyi").read_text().splitlines() if line.startswith("    ")]
    assert "def inc(x: SupportsIndex, by: SupportsIndex) -> int: ..." in found
    assert "def size(text: str | bytes | None, text_size: SupportsIndex) -> int: ..." in found
    assert found[-1] == "# echo: take the function by bind, with this signature"
    assert [str(jitffi.Signature.from_c(line)) for line in declared] == [
        "(x: i64, by: i64) -> i64",
        "(text: optional[cstr], text_size: u64) -> i64",
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["add: (i64) -> i64", "-o", "x.o", "--target", "nvptx64-nvidia-cuda"],
        ["jf_any_release: (i64) -> i64", "-o", "x.o", "--entry", "c", "--callee", "packed"],
    ],
)
def test_arguments_that_are_found_wrong_late_are_wrong_arguments(words, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(Path(jitffi.__file__).parents[1])}
    command = [sys.executable, "-m", "jitffi", "emit", *words]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done
    assert not list(tmp_path.iterdir())


def test_signatures_from_standard_input_and_code_to_standard_output(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(Path(jitffi.__file__).parents[1])}
    command = [sys.executable, "-m", "jitffi", "emit", "@-", "-o", "-", "--format", "s"]
    done = subprocess.run(command, input=b"# one\r\nadd: (i64) -> i64\r\n", cwd=tmp_path, env=environment,
                          capture_output=True, timeout=60)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"__jf_add:" in done.stdout
    done = subprocess.run(command, input=b"add: (i64)", cwd=tmp_path, env=environment, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"jitffi: -:1: expected '->'")


def test_a_target_as_it_is_written_elsewhere(tmp_path):
    made = [
        jitffi.emit("add: (i64) -> i64", tmp_path / f"{i}.o", target=target).read_bytes()
        for i, target in enumerate(("x86-64-linux-gnu", "x86_64-linux-gnu", "amd64-unknown-linux-gnu"))
    ]
    assert made[0] == made[1] == made[2]
